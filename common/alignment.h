/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where a layer's data starts on the array beneath, summed over every layer between: sysfs' alignment_offset of maps is
 * wrong on some kernels (48640 on 6.1, 0 on 7.2 for the same stack). Pure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"
#include "topology.h"

enum alignment { ALIGNED, ALIGNMENT_OFF_STRIPE, ALIGNMENT_OFF_CHUNK };

struct alignment_result {
        enum alignment alignment; /* the worst of the starts that the layer has chosen */
        const struct layer *array;
        uint64_t offset_sectors; /* on the array */
};

/*
 * A partition's start, or the starts of a map's segments. Off the stripe is only told over parity (raid4, 5, 6), where
 * a stripe that is written in part costs reads. ALIGNED where nothing beneath stripes, and for a start on sector 0 of
 * what is right below: where that lies is said of the layer that has chosen it.
 */
struct alignment_result alignment_compute(const struct geometry *geometry, const struct layer *layer);
