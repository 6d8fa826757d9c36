/* SPDX-License-Identifier: MIT */
#pragma once

/* What follows from a single layer's own values. Pure. */

#include <stdbool.h>

#include "topology.h"

/*
 * Whether it is one of the volumes that LVM keeps for itself: its uuid has a suffix ("-tdata", "-real", …), its name one
 * of the parts that LVM reserves (lvmreserved: "_rimage", "_tmeta", …), or it is a pvmove.
 */
bool layer_is_private_volume(const struct layer *layer);

/* Whether LOWER (which may be NULL) is one to go on to from UPPER: not so along an edge of a cycle. */
bool layer_lies_over(const struct layer *upper, const struct layer *lower);

/* Whether it is an array, md's or one of device-mapper's, that is being reshaped. */
bool layer_is_reshaping(const struct layer *layer);

/* Why a map that has lost all its paths can't be read: "map mpatha has none of its 4 paths left"; ARENA's; NULL without
 * memory. Only of what layer_has_lost_paths(). */
bool layer_has_lost_paths(const struct layer *layer);
const char *layer_describe_lost_paths(const struct layer *layer, struct arena *arena);

/* How an array, md's or one of device-mapper's, is; of other layers nothing is known. */
struct array_health {
        struct opt_int members;
        struct opt_int degraded; /* of these are missing, failed or not rebuilt yet */
        const char *sync_action; /* "resync", "idle", … as md has it; NULL if unknown */
        struct opt_int synced_sectors, sync_sectors;
};
struct array_health layer_array_health(const struct layer *layer);

/* Whether ACTION (which may be NULL) is one that reads or writes the members: neither "idle" nor "frozen". */
bool sync_action_is_running(const char *action);

bool layer_is_swap(const struct layer *layer);

/*
 * Whether all it is used for are file systems with a backing_dev_info of their own, which the device's readahead does
 * not reach; *ret_fs (may be NULL) is then the type of one. Without any use, and nothing above, udev's word counts.
 */
bool layer_reads_past_device(const struct layer *layer, const char **ret_fs);

/* "raid5 4 × 256 KiB", "raid1 2 disks", "striped 2 × 64 KiB"; "" for what is no array. ARENA's; NULL without memory. */
const char *layer_describe_array(const struct layer *layer, struct arena *arena);
