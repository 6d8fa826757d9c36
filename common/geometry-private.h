/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files geometry*.c only. */

#include "geometry.h"

/* Beyond these a number in sysfs or in a table is not believed. */
#define RAID_DISKS_MAX  INT64_C(65536)
#define CHUNK_BYTES_MAX (INT64_C(1) << 40)

/* Whether a segment stripes: "striped" over a single device is no more than linear. */
bool geometry_is_striped(const struct dm_segment *segment);

/* Distinct numbers other than 0, sorted; where they are a layer's own, in any form. */
struct numbers {
        const uint64_t *values;
        size_t n;
};

/*
 * OWN and those that LOWER says of what is right below LAYER; shared with that where it has them all. At most
 * GEOMETRY_NUMBERS_MAX. Returns 0 or -ENOMEM.
 */
int numbers_collect(struct arena *arena, struct numbers own, const struct geometry *all, const struct layer *layer,
                struct numbers (*lower)(const struct geometry *geometry), struct numbers *ret);

/* Adds LAYER unless it is there; the array is large enough. */
bool geometry_append(const struct layer **layers, size_t *n, const struct layer *layer);

/* Adds the data legs of a segment of LAYER to N others; returns how many there are then. */
size_t geometry_data_legs(
                const struct layer *layer, const struct dm_segment *segment, const struct layer **legs, size_t n);

/*
 * Whether a map reads from several devices in a way that is not known: by a target that is not known, or its table is
 * not. N is the number of its sources.
 */
bool geometry_is_opaque(const struct layer *layer, size_t n);

/*
 * The members of struct geometry that are about stripes, for a layer that reads from SOURCES; ALL is set for what is
 * beneath. Returns 0 or -ENOMEM.
 */
int geometry_of_layer(struct arena *arena, const struct geometry *all, const struct layer *layer,
                const struct layer **sources, size_t n, struct geometry *g);
