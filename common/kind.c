/* SPDX-License-Identifier: MIT */

#include <fnmatch.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/kind.h"

const char *kind_name(enum layer_kind kind) {
        switch (kind) {
        case KIND_UNKNOWN: return "unknown";
        case KIND_DISK: return "disk";
        case KIND_PARTITION: return "partition";
        case KIND_MD_RAID0: return "md-raid0";
        case KIND_MD_RAID1: return "md-raid1";
        case KIND_MD_RAID4: return "md-raid4";
        case KIND_MD_RAID5: return "md-raid5";
        case KIND_MD_RAID6: return "md-raid6";
        case KIND_MD_RAID10: return "md-raid10";
        case KIND_MD_LINEAR: return "md-linear";
        case KIND_MD_CONTAINER: return "md-container";
        case KIND_MD_INACTIVE: return "md-inactive";
        case KIND_DM_LINEAR: return "dm-linear";
        case KIND_DM_STRIPED: return "dm-striped";
        case KIND_DM_CRYPT: return "dm-crypt";
        case KIND_DM_RAID0: return "dm-raid0";
        case KIND_DM_RAID1: return "dm-raid1";
        case KIND_DM_RAID4: return "dm-raid4";
        case KIND_DM_RAID5: return "dm-raid5";
        case KIND_DM_RAID6: return "dm-raid6";
        case KIND_DM_RAID10: return "dm-raid10";
        case KIND_DM_MIRROR: return "dm-mirror";
        case KIND_DM_THIN_POOL: return "dm-thin-pool";
        case KIND_DM_THIN: return "dm-thin";
        case KIND_DM_SNAPSHOT: return "dm-snapshot";
        case KIND_DM_SNAPSHOT_ORIGIN: return "dm-snapshot-origin";
        case KIND_DM_CACHE: return "dm-cache";
        case KIND_DM_WRITECACHE: return "dm-writecache";
        case KIND_DM_INTEGRITY: return "dm-integrity";
        case KIND_DM_VERITY: return "dm-verity";
        case KIND_DM_MULTIPATH: return "dm-multipath";
        case KIND_DM_VDO: return "dm-vdo";
        case KIND_DM_DELAY: return "dm-delay";
        case KIND_DM_UNKNOWN: return "dm-unknown";
        case KIND_DM_MIXED: return "dm-mixed";
        case KIND_LOOP: return "loop";
        case KIND_BCACHE: return "bcache";
        case KIND_DRBD: return "drbd";
        case KIND_NBD: return "nbd";
        case KIND_RBD: return "rbd";
        case KIND_ZRAM: return "zram";
        case KIND_ZVOL: return "zvol";
        case KIND_ROM: return "rom";
        case _KIND_MAX: break;
        }
        return "unknown";
}

enum layer_kind kind_from_name(const char *name) {
        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                if (strcmp(kind_name(kind), name) == 0)
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
        return fnmatch(pattern, kind_name(kind), 0) == 0;
}
