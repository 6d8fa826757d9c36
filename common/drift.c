/* SPDX-License-Identifier: MIT */

#include "common/drift.h"
#include "common/fingerprint.h"
#include "common/plausible.h"
#include "common/target.h"

const char *drift_name(enum drift drift) {
        static const char *const names[] = {
                        [DRIFT_NONE] = "none",
                        [DRIFT_RESET] = "reset",
                        [DRIFT_OTHER] = "other",
                        [DRIFT_REVERTED] = "reverted",
        };

        return names[drift];
}

static bool is_derived(const struct topology *topology, const struct layer *layer, uint64_t sectors) {
        uint64_t derived[READAHEADS_DERIVED];

        readahead_derive((uint64_t)opt_or(layer->io_opt_bytes, 0), topology->page_bytes, derived);
        for (size_t i = 0; i < READAHEADS_DERIVED; i++)
                if (sectors == derived[i] ||
                                (sectors == READAHEAD_FLOOR_SECTORS && derived[i] <= READAHEAD_FLOOR_SECTORS))
                        return true;
        return false;
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
        if (!same_stack || layer->reloaded || is_derived(topology, layer, (uint64_t)sectors))
                return DRIFT_RESET;
        return DRIFT_OTHER;
}
