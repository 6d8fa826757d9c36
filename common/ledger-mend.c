/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/discover-ledger.h"
#include "common/ledger-fate.h"
#include "common/ledger-mend.h"
#include "common/worker.h"

bool ledger_needs_mending(const struct ledger_entry *entry, const struct sysroot *root) {
        struct ledger_owners owners = {.root = root};

        return entry->pending && entry->trial_from_sectors.known && ledger_judge(entry, &owners) == LEDGER_MADE;
}

static int apply_job(const void *input, void *result) {
        return apply_change(input, result);
}

static int put_back(const struct ledger_entry *entry, unsigned deadline_msec, struct apply_result *ret) {
        const struct apply_request request = {
                        .device = entry->device,
                        .from_sectors = entry->new_sectors,
                        .to_sectors = (uint64_t)entry->trial_from_sectors.value,
        };

        return worker_run(apply_job, &request, ret, sizeof(*ret), deadline_msec);
}

/* Not where that can't be seen. */
static bool is_gone(const struct device_identity *device, const struct sysroot *root) {
        char text[32];

        return sysroot_read(root, text, sizeof(text), "sys/dev/block/%u:%u/dev", device->major, device->minor) ==
               -ENOENT;
}

/* As ledger_judge(), but the value of a device that is not there any longer is not there either. */
static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        struct ledger_owners *owners = userdata;

        if (entry->trial_from_sectors.known && is_gone(&entry->device, owners->root) &&
                        !ledger_owner_is_alive(owners, &entry->owner))
                return LEDGER_NOT_MADE;
        return ledger_judge(entry, userdata);
}

int ledger_mend(const char *directory, unsigned wait_msec, unsigned deadline_msec, const struct sysroot *root,
                ledger_mend_handler handler, void *userdata, bool *ret_damaged) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        struct ledger_owners owners = {.root = root};
        bool any = false;
        int r;

        *ret_damaged = false;
        /* Who writes the ledger next tells of one that is damaged. */
        r = ledger_read(root, &ledger);
        if (r < 0)
                return r == -EBADMSG ? 0 : r;
        for (size_t i = 0; i < ledger_count(ledger); i++) {
                const struct ledger_entry *entry = ledger_get(ledger, i);
                struct apply_result result = {};

                if (!ledger_needs_mending(entry, root))
                        continue;
                r = put_back(entry, deadline_msec, &result);
                handler(entry, r, &result, userdata);
                any = true;
        }
        return any ? ledger_record_settle(directory, wait_msec, judge, &owners, ret_damaged) : 0;
}
