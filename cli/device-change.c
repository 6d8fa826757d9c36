/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/device-change.h"
#include "cli/text.h"
#include "common/ledger-lock.h"
#include "common/ledger-mend.h"
#include "common/ledger-record.h"

bool change_is_permitted(const char *verb, const char *instead) {
        struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

        if (syscall(SYS_capget, &header, data) == 0 &&
                        (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)))
                return true;
        text_error("%s needs CAP_SYS_ADMIN to set a device's readahead: run it as root; %s", verb, instead);
        return false;
}

int change_check_ledger(int r, bool damaged) {
        if (damaged)
                text_note("the ledger was damaged; it is set aside as %s/ledger.json.damaged", LEDGER_DIRECTORY);
        if (r == -ETIMEDOUT)
                text_error("another program has the ledger in %s locked", LEDGER_DIRECTORY);
        else if (r < 0)
                text_error("cannot write the ledger in %s: %s", LEDGER_DIRECTORY, strerror(-r));
        return r;
}

static void tell_mended(
                const struct ledger_entry *entry, int error, const struct apply_result *result, void *userdata) {
        uint64_t back = (uint64_t)entry->trial_from_sectors.value;

        if (error == 0)
                error = result->error;
        if (error == 0)
                text_print(stderr,
                                "%s (%s): readahead %" PRIu64 " → %" PRIu64
                                " sectors, which it had before: what was measuring it was killed",
                                entry->label, entry->device.name, entry->new_sectors, back);
        else
                text_error("%s (%s): has %" PRIu64 " sectors since what was measuring it was killed, and the %" PRIu64
                           " that it had can't be put back: %s",
                                entry->label, entry->device.name, entry->new_sectors, back, strerror(-error));
}

int change_mend_trials(void) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        bool damaged = false;
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0) {
                text_error("%s", strerror(-r));
                return r;
        }
        r = ledger_mend(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, CHANGE_DEADLINE_MSEC, root, tell_mended, NULL,
                        &damaged);
        return change_check_ledger(r, damaged);
}

void change_report_lost(const char *label, int error) {
        if (error == -ETIMEDOUT)
                text_error("%s: no answer within the deadline; whether it was changed is not known", label);
        else if (error == -EBUSY)
                text_error("%s: it hangs, and the process that waits for it can't be killed", label);
        else
                text_error("%s: the process that was to change it failed: %s", label, strerror(-error));
}

bool change_may_be_made(int error) {
        return error < 0 && error != -EAGAIN && error != -EMFILE && error != -ENFILE;
}
