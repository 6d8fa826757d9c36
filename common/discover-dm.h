/* SPDX-License-Identifier: MIT */
#pragma once

/* Maps: what sysfs says of them, and their tables. */

#include "sysdir.h"
#include "topology.h"

/*
 * Makes layer->dm, without a table yet, and fills it in from dm/ in that of the device; but for this machine's maps, which
 * dm_read_tables() identifies. Returns 0 or -ENOMEM.
 */
int dm_read(struct sysdir *device, struct topology *topology, struct layer *layer);

/* Identifies a map as dm/ says, or as given; names may be mangled. Return 0 or -ENOMEM. */
int dm_read_attributes(struct sysdir *device, struct topology *topology, struct layer *layer);
int dm_identify(struct topology *topology, struct layer *layer, const char *name, const char *uuid, bool suspended);

/*
 * Reads the tables of all maps, from the kernel or from the capture, and sets their kinds. What can't be read is noted.
 * Returns 0 or -ENOMEM.
 */
int dm_read_tables(const struct sysroot *root, struct topology *topology);

/* The two ways to the tables, each only for its sort of root. Both as dm_read_tables(). */
int dm_read_tables_live(const struct sysroot *root, struct topology *topology);
int dm_read_tables_captured(const struct sysroot *root, struct topology *topology);

/* Adds a target to LAYER's table; parameters that do not parse are noted. Returns 0 or -ENOMEM. */
int dm_add_target(struct topology *topology, struct layer *layer, uint64_t start_sectors, uint64_t length_sectors,
                const char *target, const char *params);

/* How many targets of LAYER's have a status that matters: arrays and multipath. */
size_t dm_count_stateful(const struct layer *layer);

/*
 * Adds what the status of a target of LAYER's says, for a capture too. Returns 1, 0 where it does not fit the table, of
 * which nothing is taken then, or -ENOMEM.
 */
int dm_add_status(const struct sysroot *root, struct layer *layer, uint64_t start_sectors, uint64_t length_sectors,
                const char *target, const char *status);

/* For a capture, if there is to be one: a line of LAYER's status. Returns 0 or -ENOMEM. */
int dm_record_status(const struct sysroot *root, const struct layer *layer, uint64_t start_sectors,
                uint64_t length_sectors, const char *target, const char *status);

/*
 * For a capture, if there is to be one: a line of LAYER's table, without what may be secret and without its end (0 or
 * -ENOMEM); more devices for that line; its end; and what there is to say of all maps once their tables are read (0 or
 * -ENOMEM).
 */
int dm_record_target(const struct sysroot *root, const struct layer *layer, uint64_t start_sectors,
                uint64_t length_sectors, const char *target, const char *params);
void dm_record_legs(const struct sysroot *root, const struct dm_segment *segment);
void dm_record_line_end(const struct sysroot *root);
int dm_record_maps(const struct sysroot *root, const struct topology *topology);
