/* SPDX-License-Identifier: MIT */

#include "common/drift.h"
#include "common/fingerprint.h"
#include "common/plausible.h"

const char *drift_name(enum drift drift) {
        switch (drift) {
        case DRIFT_NONE: return "none";
        case DRIFT_RESET: return "reset";
        case DRIFT_OTHER: return "other";
        case DRIFT_REVERTED: return "reverted";
        }
        return "unknown";
}

enum drift drift_judge(const struct topology *topology, const struct layer *layer) {
        const struct ledger_note *set = layer->set;
        int64_t sectors = opt_or(layer->readahead_sectors, -1);
        bool same_stack;

        if (!set || sectors < 0 || (uint64_t)sectors == set->sectors)
                return DRIFT_NONE;
        same_stack = !set->stack_known || set->stack == stack_fingerprint(layer);
        if (set->reverted)
                return same_stack ? DRIFT_REVERTED : DRIFT_NONE;
        if (!same_stack || layer->reloaded || readahead_is_derived(layer, topology->page_bytes, (uint64_t)sectors))
                return DRIFT_RESET;
        return DRIFT_OTHER;
}
