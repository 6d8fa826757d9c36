/* SPDX-License-Identifier: MIT */
#pragma once

/* What a layer is. The names are fixed: policies, JSON and the journal use them. */

#include <stdbool.h>

enum layer_kind {
        KIND_UNKNOWN, /* not classified yet; never seen outside discovery */
        KIND_DISK,
        KIND_PARTITION,
        KIND_MD_RAID0,
        KIND_MD_RAID1,
        KIND_MD_RAID4,
        KIND_MD_RAID5,
        KIND_MD_RAID6,
        KIND_MD_RAID10,
        KIND_MD_LINEAR,
        KIND_MD_CONTAINER,
        KIND_MD_INACTIVE,
        KIND_DM_LINEAR,
        KIND_DM_STRIPED,
        KIND_DM_CRYPT,
        KIND_DM_RAID0,
        KIND_DM_RAID1,
        KIND_DM_RAID4,
        KIND_DM_RAID5,
        KIND_DM_RAID6,
        KIND_DM_RAID10,
        KIND_DM_MIRROR,
        KIND_DM_THIN_POOL,
        KIND_DM_THIN,
        KIND_DM_SNAPSHOT,
        KIND_DM_SNAPSHOT_ORIGIN,
        KIND_DM_CACHE,
        KIND_DM_WRITECACHE,
        KIND_DM_INTEGRITY,
        KIND_DM_VERITY,
        KIND_DM_MULTIPATH,
        KIND_DM_VDO,
        KIND_DM_DELAY,
        KIND_DM_UNKNOWN,
        KIND_DM_MIXED,
        KIND_LOOP,
        KIND_BCACHE,
        KIND_DRBD,
        KIND_NBD,
        KIND_RBD,
        KIND_ZRAM,
        KIND_ZVOL,
        KIND_ROM,
        _KIND_MAX,
};

/* "md-raid5"; never NULL. */
const char *kind_name(enum layer_kind kind);

/* KIND_UNKNOWN if NAME is no kind. */
enum layer_kind kind_from_name(const char *name);

/* Whether the kind is one of md's (md-…), or one of device-mapper's (dm-…). */
bool kind_is_md(enum layer_kind kind);
bool kind_is_dm(enum layer_kind kind);

/* Whether PATTERN, a kind's name, a family ("md", "dm": all its kinds) or a glob as fnmatch(3), takes in the kind. */
bool kind_matches(enum layer_kind kind, const char *pattern);
