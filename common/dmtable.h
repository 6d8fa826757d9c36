/* SPDX-License-Identifier: MIT */
#pragma once

/* Text of device-mapper: table lines, mangled names, LVM's names. Pure. */

#include "arena.h"
#include "topology.h"

/*
 * Parses one target: its start and length, name and parameters as DM_TABLE_STATUS returns them. Parameters that may
 * hold secrets (crypt's key) are not kept. An unknown target's legs are all devices (M:m) among its parameters.
 * Returns 0; -EINVAL if a known target's parameters do not parse, *ret then being of that kind without legs; -ENOMEM.
 */
int dmtable_parse_target(struct arena *arena, uint64_t start_sectors, uint64_t length_sectors, const char *target,
                const char *params, struct dm_segment *ret);

/*
 * Takes over what the status of a target "raid" says that its table does not: whether it is being reshaped (LVM loads a
 * table without a word of that while it runs), how many members it has and how many of them are missing, what it does
 * about that, and where its data starts. Returns 0, or -EINVAL for what is no such segment or status, which is then as it
 * was.
 */
int dmtable_apply_raid_status(struct dm_segment *segment, const char *text);

/*
 * Takes over from the status of a target "multipath" how many paths it has, and how many of them can be used. Returns 0,
 * or -EINVAL for what is no such segment or status, which is then as it was.
 */
int dmtable_apply_multipath_status(struct dm_segment *segment, const char *status);

/*
 * Splits a line as "dmsetup table" or "dmsetup status" prints it ("NAME: START LENGTH TARGET PARAMS", names may hold ": "), in place.
 * A map without a table is "NAME: ". Returns 0 or -EINVAL.
 */
int dmtable_split_line(char *line, const char **ret_name, uint64_t *ret_start_sectors, uint64_t *ret_length_sectors,
                const char **ret_target, const char **ret_params);

/* The kind of a map by its segments: theirs if they agree, dm-mixed if not, dm-unknown if there are none. */
enum layer_kind dmtable_kind(const struct dm_segment *segments, size_t n_segments);

/* "my\x20disk" → "my disk". NULL without memory. */
char *dmname_demangle(struct arena *arena, const char *name);

/* Whether MANGLED, as in sysfs and /dev/mapper, stands for NAME. */
bool dmname_equals(const char *mangled, const char *name);

/*
 * Splits "vg--a-lv" into "vg-a" and "lv" where UUID is LVM's ("LVM-…"), undoing doubled hyphens; *ret_suffix is what
 * follows LVM's 64 characters ("tdata"), or NULL. Of a name with a layer ("vg-lv-real") the lv is "lv". All NULL for
 * other maps. Returns 0 or -ENOMEM.
 */
int dmname_split_lvm(struct arena *arena, const char *name, const char *uuid, const char **ret_vg, const char **ret_lv,
                const char **ret_suffix);
