/* SPDX-License-Identifier: MIT */

#include "tests/support/record.h"

#define LOCK_MSEC 1000

static int begin(const char *directory, struct ledger_intent *intent, bool *ret_damaged) {
        int r;

        r = ledger_record_begin(directory, LOCK_MSEC, intent, 1, ret_damaged);
        return r < 0 ? r : intent->error;
}

int record_begin(const char *directory, const struct device_identity *device, const struct ledger_change *change,
                bool *ret_damaged) {
        struct ledger_intent intent = {.device = device, .change = *change};

        return begin(directory, &intent, ret_damaged);
}

int record_revert(const char *directory, const struct device_identity *device, const struct ledger_revert *revert,
                bool *ret_damaged) {
        struct ledger_intent intent = {.device = device, .is_revert = true, .revert = *revert};

        return begin(directory, &intent, ret_damaged);
}

int record_end(const char *directory, const struct device_identity *device, enum ledger_outcome outcome,
                const struct probe_result *probe, bool *ret_damaged) {
        const struct ledger_end end = {.device = device, .outcome = outcome, .probe = probe};

        return ledger_record_end(directory, LOCK_MSEC, &end, 1, ret_damaged);
}

int record_put_back(const char *directory, const struct device_identity *device, uint64_t back_to_sectors,
                const struct probe_result *probe, bool *ret_damaged) {
        const struct ledger_end end = {.device = device,
                        .outcome = LEDGER_PUT_BACK,
                        .back_to_sectors = back_to_sectors,
                        .probe = probe};

        return ledger_record_end(directory, LOCK_MSEC, &end, 1, ret_damaged);
}

int record_stack(const char *directory, const struct device_identity *device, uint64_t stack, bool *ret_damaged) {
        const struct ledger_stack of = {.device = *device, .stack = stack};

        return ledger_record_stacks(directory, LOCK_MSEC, &of, 1, ret_damaged);
}
