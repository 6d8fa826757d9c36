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
        struct ledger_owners owners;
        const struct changes *changes;
        struct process self;
};

static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        struct settling *settling = userdata;

        if (!process_equal(&entry->owner, &settling->self))
                return ledger_judge(entry, &settling->owners);
        if (changes_are_under_way(settling->changes, &entry->device))
                return LEDGER_UNDECIDED;
        return ledger_judge_value(entry, settling->owners.root);
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
        struct settling settling = {.owners.root = root, .changes = changes};
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

/* What is to be put on record of LAYER, if anything. */
static bool find_stack(const struct layer *layer, struct ledger_stack *ret) {
        if (!layer->set)
                return false;
        ret->stack = stack_fingerprint(layer);
        return is_of_another_stack(layer, ret->stack) && device_identity_from_layer(layer, &ret->device) == 0;
}

static int record_stacks(const struct topology *topology, bool *ret_damaged) {
        _cleanup_(freep) struct ledger_stack *stacks = NULL;
        size_t n = 0;

        for (size_t i = 0; i < topology->n_layers; i++) {
                struct ledger_stack stack;

                if (topology->layers[i]->carried || !find_stack(topology->layers[i], &stack))
                        continue;
                if (!stacks)
                        stacks = calloc(topology->n_layers, sizeof(*stacks));
                if (!stacks)
                        return -ENOMEM;
                stacks[n++] = stack;
        }
        return n > 0 ? ledger_record_stacks(LEDGER_DIRECTORY, 0, stacks, n, ret_damaged) : 0;
}

void settle_stacks(const struct survey *survey) {
        bool damaged = false;
        int r;

        r = record_stacks(survey->topology, &damaged);
        if (damaged)
                journal_ledger_damaged();
        /* Another program has it locked: the next scan of these layers does it. */
        if (r < 0 && r != -ETIMEDOUT)
                journal_printf(LOG_WARNING, "the ledger in " LEDGER_DIRECTORY " can't be written: %s", strerror(-r));
}
