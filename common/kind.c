/* SPDX-License-Identifier: MIT */

#include <fnmatch.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/kind.h"

static const char *const names[_KIND_MAX] = {
                [KIND_UNKNOWN] = "unknown",
                [KIND_DISK] = "disk",
                [KIND_PARTITION] = "partition",
                [KIND_MD_RAID0] = "md-raid0",
                [KIND_MD_RAID1] = "md-raid1",
                [KIND_MD_RAID4] = "md-raid4",
                [KIND_MD_RAID5] = "md-raid5",
                [KIND_MD_RAID6] = "md-raid6",
                [KIND_MD_RAID10] = "md-raid10",
                [KIND_MD_LINEAR] = "md-linear",
                [KIND_MD_CONTAINER] = "md-container",
                [KIND_MD_INACTIVE] = "md-inactive",
                [KIND_DM_LINEAR] = "dm-linear",
                [KIND_DM_STRIPED] = "dm-striped",
                [KIND_DM_CRYPT] = "dm-crypt",
                [KIND_DM_RAID0] = "dm-raid0",
                [KIND_DM_RAID1] = "dm-raid1",
                [KIND_DM_RAID4] = "dm-raid4",
                [KIND_DM_RAID5] = "dm-raid5",
                [KIND_DM_RAID6] = "dm-raid6",
                [KIND_DM_RAID10] = "dm-raid10",
                [KIND_DM_MIRROR] = "dm-mirror",
                [KIND_DM_THIN_POOL] = "dm-thin-pool",
                [KIND_DM_THIN] = "dm-thin",
                [KIND_DM_SNAPSHOT] = "dm-snapshot",
                [KIND_DM_SNAPSHOT_ORIGIN] = "dm-snapshot-origin",
                [KIND_DM_CACHE] = "dm-cache",
                [KIND_DM_WRITECACHE] = "dm-writecache",
                [KIND_DM_INTEGRITY] = "dm-integrity",
                [KIND_DM_VERITY] = "dm-verity",
                [KIND_DM_MULTIPATH] = "dm-multipath",
                [KIND_DM_VDO] = "dm-vdo",
                [KIND_DM_DELAY] = "dm-delay",
                [KIND_DM_UNKNOWN] = "dm-unknown",
                [KIND_DM_MIXED] = "dm-mixed",
                [KIND_LOOP] = "loop",
                [KIND_BCACHE] = "bcache",
                [KIND_DRBD] = "drbd",
                [KIND_NBD] = "nbd",
                [KIND_RBD] = "rbd",
                [KIND_ZRAM] = "zram",
                [KIND_ZVOL] = "zvol",
                [KIND_ROM] = "rom",
};

const char *kind_name(enum layer_kind kind) {
        return names[kind];
}

enum layer_kind kind_from_name(const char *name) {
        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                if (strcmp(names[kind], name) == 0)
                        return kind;
        return KIND_UNKNOWN;
}

bool kind_is_md(enum layer_kind kind) {
        return kind >= KIND_MD_RAID0 && kind <= KIND_MD_INACTIVE;
}

bool kind_is_dm(enum layer_kind kind) {
        return kind >= KIND_DM_LINEAR && kind <= KIND_DM_MIXED;
}

bool kind_matches(enum layer_kind kind, const char *pattern) {
        if (strcmp(pattern, "md") == 0)
                return kind_is_md(kind);
        if (strcmp(pattern, "dm") == 0)
                return kind_is_dm(kind);
        return fnmatch(pattern, names[kind], 0) == 0;
}
