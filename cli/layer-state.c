/* SPDX-License-Identifier: MIT */

#include "cli/layer-state.h"

static bool has_warning(const struct survey *survey, const struct layer *layer) {
        size_t n = 0;
        const struct finding *findings = findings_of(&survey->findings, layer, &n);

        for (size_t i = 0; i < n; i++)
                if (findings[i].severity == SEVERITY_WARNING)
                        return true;
        return false;
}

enum layer_state layer_state(const struct survey *survey, const struct layer *layer) {
        const struct decision *decision = &survey->plan.decisions[layer->index];

        if (decision->action == ACTION_HOLD)
                return LAYER_STATE_HELD;
        if (decision_is_change(decision))
                return LAYER_STATE_CHANGE;
        if (has_warning(survey, layer))
                return LAYER_STATE_WARNING;
        return decision->action == ACTION_KEEP ? LAYER_STATE_RIGHT : LAYER_STATE_IGNORED;
}
