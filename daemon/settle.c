/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <syslog.h>

#include "common/fingerprint.h"
#include "common/ledger-fate.h"
#include "common/ledger-mend.h"
#include "common/ledger-record.h"
#include "daemon/journal.h"
#include "daemon/settle.h"

#define LOCK_WAIT_MSEC 500U
#define MEND_MSEC      2000U /* for one device */

struct settling {
        const struct sysroot *root;
        const struct changes *changes;
        struct process self;
};

static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        const struct settling *settling = userdata;

        if (!process_equal(&entry->owner, &settling->self))
                return ledger_judge(entry, (void *)settling->root);
        if (changes_are_under_way(settling->changes, &entry->device))
                return LEDGER_UNDECIDED;
        return ledger_judge_value(entry, settling->root);
}

static void tell_mended(
                const struct ledger_entry *entry, int error, const struct apply_result *result, void *userdata) {
        uint64_t back = (uint64_t)entry->trial_from_sectors.value;

        if (error == 0)
                error = result->error;
        if (error == 0)
                journal_printf(LOG_NOTICE,
                                "%s: readahead %" PRIu64 " → %" PRIu64
                                " sectors, which it had before: what was measuring it was killed",
                                entry->label, entry->new_sectors, back);
        else
                journal_printf(LOG_WARNING,
                                "%s: has %" PRIu64 " sectors since what was measuring it was killed, and the %" PRIu64
                                " that it had can't be put back: %s",
                                entry->label, entry->new_sectors, back, strerror(-error));
}

static void mend(const struct sysroot *root) {
        bool damaged = false;
        int r;

        r = ledger_mend(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, MEND_MSEC, root, tell_mended, NULL, &damaged);
        if (damaged)
                journal_ledger_damaged();
        if (r < 0 && r != -ETIMEDOUT)
                journal_printf(LOG_WARNING, "the ledger in " LEDGER_DIRECTORY " can't be written: %s", strerror(-r));
}

void settle_ledger(const struct sysroot *root, const struct changes *changes) {
        struct settling settling = {.root = root, .changes = changes};
        bool damaged = false;
        int r;

        r = process_self(&settling.self);
        if (r == 0)
                r = ledger_record_settle(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, judge, &settling, &damaged);
        if (damaged)
                journal_ledger_damaged();
        /* Another program has it locked: what is pending may be its own. */
        if (r < 0 && r != -ETIMEDOUT)
                journal_printf(LOG_WARNING, "the ledger in " LEDGER_DIRECTORY " can't be read: %s", strerror(-r));
        mend(root);
}

static bool is_of_another_stack(const struct layer *layer, uint64_t stack) {
        const struct ledger_note *set = layer->set;

        return set && set->stack_known && !set->reverted && set->stack != stack &&
               opt_or(layer->readahead_sectors, -1) == (int64_t)set->sectors;
}

static int settle_stack(const struct layer *layer, bool *ret_damaged) {
        struct device_identity device;
        uint64_t stack;
        int r;

        if (!layer->set)
                return 0;
        stack = stack_fingerprint(layer);
        if (!is_of_another_stack(layer, stack))
                return 0;
        r = device_identity_from_layer(layer, &device);
        return r < 0 ? r : ledger_record_stack(LEDGER_DIRECTORY, 0, &device, stack, ret_damaged);
}

void settle_stacks(const struct survey *survey) {
        for (size_t i = 0; i < survey->topology->n_layers; i++) {
                const struct layer *layer = survey->topology->layers[i];
                bool damaged = false;
                int r = layer->carried ? 0 : settle_stack(layer, &damaged);

                if (damaged)
                        journal_ledger_damaged();
                /* Another program has it locked: the next scan does it. */
                if (r < 0 && r != -ETIMEDOUT)
                        journal_printf(LOG_WARNING, "the ledger in " LEDGER_DIRECTORY " can't be written: %s",
                                        strerror(-r));
        }
}
