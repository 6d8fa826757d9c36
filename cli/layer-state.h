/* SPDX-License-Identifier: MIT */
#pragma once

/* What people are to see of a layer at a glance, by its colour. Pure. */

#include "common/survey.h"

enum layer_state {
        LAYER_STATE_IGNORED, /* left alone */
        LAYER_STATE_RIGHT,   /* as its rule wants it */
        LAYER_STATE_CHANGE,  /* would be raised or lowered */
        LAYER_STATE_HELD,
        LAYER_STATE_WARNING, /* has a finding that is a warning, and is not changed */
        _LAYER_STATE_MAX,
};

enum layer_state layer_state(const struct survey *survey, const struct layer *layer);
