/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The block devices of one machine and how they lie over each other, as values. Discovery adds layers and fills in what
 * it reads; topology_finish() resolves the references between them. After that a topology is constant, and everything
 * that is worked out from it (geometry, findings, plan) is a pure function of it.
 *
 * Sizes and offsets are in 512-byte sectors where the name ends in _sectors, in bytes where it ends in _bytes. All
 * strings and layers belong to the topology's arena. A pointer that may be NULL says so.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "kind.h"
#include "opt.h"
#include "sectors.h"

struct layer;

enum use_type { USE_MOUNT, USE_SWAP };

/* What uses a layer directly. */
struct use {
        enum use_type type;
        const char *path; /* mount point; NULL for swap */
        const char *fs;   /* file system type; NULL for swap */
};

struct mount {
        const char *path;      /* mount point, unescaped */
        const char *fs;        /* type */
        const char *source;    /* as in mountinfo, e.g. /dev/mapper/vg-lv; may be NULL */
        unsigned major, minor; /* of the file system; 0:N is anonymous (btrfs, overlay) */
};

/* What a device that a dm target names is there for. */
enum leg_role {
        LEG_DATA,  /* what the map reads its data from: geometry passes through it */
        LEG_OTHER, /* metadata, log, cache, copy-on-write store */
};

struct dm_leg {
        unsigned major, minor;
        uint64_t offset_sectors;
        enum leg_role role;
        struct layer *layer; /* set by topology_finish(); NULL if no such layer is known */
};

/* Of an array of device-mapper's, as its status says; what is missing its table may say, too. */
struct dm_sync {
        struct opt_int degraded;                     /* members that are missing, failed or not rebuilt yet */
        const char *action;                          /* a constant, in md's words; NULL if unknown */
        struct opt_int synced_sectors, sync_sectors; /* how far that has come, of how much */
};

/* Of a multipath map, as its status says. */
struct dm_paths {
        bool known;
        unsigned n, n_active;
};

/* One line of a dm table. */
struct dm_segment {
        uint64_t start_sectors, length_sectors;
        const char *target;     /* "linear", "raid", … as in the table */
        enum layer_kind kind;   /* the kind of a map that has this target only */
        uint64_t chunk_sectors; /* striped and raid: chunk; else 0 */
        unsigned data_disks;    /* striped and raid: chunks in a stripe that hold data; else 0 */
        unsigned raid_disks;    /* raid: members, missing ones too; else 0 */
        int64_t layout;         /* raid10: as md has it */
        bool reshaping;         /* raid: as its status says, or else its table */
        struct dm_sync sync;    /* raid; else unknown */
        struct dm_paths paths;  /* multipath; else unknown */
        struct dm_leg *legs;
        size_t n_legs;
};

struct dm_info {
        const char *name; /* demangled */
        const char *uuid; /* may be "" */
        bool suspended;
        bool has_table; /* false also where the tables could not be read: see tables_known */
        bool tables_known;
        struct dm_segment *segments;
        size_t n_segments;
        const char *vg, *lv;    /* LVM's names, doubled hyphens undone; both NULL for other maps */
        const char *lvm_suffix; /* what follows LVM's own uuid: "tdata", "real", …; NULL if nothing */
};

enum md_member_state {
        MD_MEMBER_IN_SYNC = 1 << 0,
        MD_MEMBER_FAULTY = 1 << 1,
        MD_MEMBER_SPARE = 1 << 2,
        MD_MEMBER_JOURNAL = 1 << 3,
        MD_MEMBER_WRITE_MOSTLY = 1 << 4,
        MD_MEMBER_REPLACEMENT = 1 << 5,
        MD_MEMBER_BLOCKED = 1 << 6,
};

struct md_member {
        const char *name;    /* as in md/dev-NAME, '!' undone */
        int slot;            /* -1: none (spare, faulty, journal) */
        unsigned states;     /* of enum md_member_state */
        struct layer *layer; /* NULL if it is gone */
};

/* What a reshape changes; unknown where md shows one number, not a pair. */
struct md_old_shape {
        struct opt_int chunk_bytes, raid_disks, layout;
};

/* md/ of an array. Of a pair as "5 (4)" (while a reshape runs: new, then old) the old number is in .old. */
struct md_info {
        const char *level;       /* as the kernel says it, "raid5"; "" if none */
        const char *metadata;    /* metadata_version; may be NULL */
        const char *array_state; /* may be NULL */
        const char *sync_action; /* may be NULL (raid0, linear, inactive) */
        struct opt_int chunk_bytes;
        struct opt_int raid_disks; /* data and parity members, without spares and journals */
        struct opt_int layout;
        struct opt_int degraded;                     /* missing members */
        struct opt_int synced_sectors, sync_sectors; /* how far a resync or reshape has come, of how much */
        struct md_old_shape old;
        bool reshaping; /* a pair in raid_disks, chunk_size, layout or level; or sync_action; or a position */
        struct md_member *members;
        size_t n_members;
};

/* What setrad has on record of a layer that it has changed. */
struct ledger_note {
        uint64_t sectors; /* what it gave it last; also if that was taken back since */
        const char *rule; /* which asked for that; "" if none did */
        bool stack_known;
        uint64_t stack; /* stack_fingerprint() at that time */
        bool reverted;  /* it was taken back, by wish or as keep-if asks: to be left alone */
        bool put_back;  /* as keep-if asks */
};

struct layer {
        size_t index;        /* in topology.layers */
        const char *name;    /* kernel name with '!' as '/': "md0", "cciss/c0d0" */
        const char *sysname; /* the same as sysfs has it */
        const char *label;   /* vg/lv, map's name, or name; set by topology_finish() */
        enum layer_kind kind;
        bool has_devno;         /* hidden nodes (NVMe multipath) have none */
        unsigned major, minor;  /* valid if has_devno */
        struct opt_int diskseq; /* Linux 5.15 and later */
        struct opt_int size_sectors;

        /* Queue limits and topology. A partition has its disk's. */
        struct opt_int readahead_sectors;
        struct opt_int io_min_bytes, io_opt_bytes;
        struct opt_int physical_block_bytes;   /* known only where io_opt is set, and io_min is no power of two */
        struct opt_int alignment_offset_bytes; /* -1: inconsistent */
        struct opt_int rotational;
        struct opt_int max_request_bytes; /* known only where it rotates and io_opt is 0: it stands in for that then */
        const struct ledger_note *set;    /* NULL: setrad has not changed it */
        bool reloaded;                    /* a change event of the map came since its readahead was as set says */
        bool asleep;                      /* disk: runtime power management has suspended it; reading wakes it up */
        bool hidden;

        struct layer *parent;         /* partition: its disk; else NULL */
        struct opt_int start_sectors; /* partition: where it starts on its disk */

        char **slaves; /* sysnames in slaves/, NULL-terminated; NULL if there are none */

        struct md_info *md;       /* NULL if not md */
        struct dm_info *dm;       /* NULL if not dm */
        const char *backing_file; /* loop: as the kernel shows it; else NULL */
        struct layer *backing;    /* bcache: the device that it caches; NULL if not known, or not bcache */

        /* udev's properties that matter; NULL or false if not set. */
        const char *serial;      /* the device's own: ID_SERIAL_SHORT, or as the kernel has it */
        const char *serial_long; /* ID_SERIAL, which most often has make and model before it */
        const char *model, *transport, *filesystem;
        bool udev_other_rules_disabled; /* DM_UDEV_DISABLE_OTHER_RULES_FLAG */
        bool udev_not_ready;            /* SYSTEMD_READY=0 */
        bool in_udev_database;          /* capture: has udev's word, even if it says nothing of the above */

        bool incomplete; /* of it, of what is beneath or of the machine something could not be read, and is taken for missing */

        bool carried; /* not read for this topology, but taken over as it was when it was read last: see discover_news() */

        /* Set by topology_finish(). Each neighbour once; order of below is that of slaves/ and of the table. */
        struct layer **below, **above;
        size_t n_below, n_above;
        struct use *uses;
        size_t n_uses;
        bool top;       /* in use directly, or with nothing above */
        bool in_cycle;  /* its way down leads back to it: that edge is left out of below and above */
        unsigned depth; /* longest way down; 0 with nothing below */
};

/* Something that could not be read and is left out; for people. */
struct topology_note {
        const char *text;
        const struct layer *layer; /* that it is about; NULL: the machine, or several */
        struct topology_note *next;
};

struct topology {
        struct arena *arena;
        struct layer **layers; /* after topology_finish(): every layer after all that are below it */
        size_t n_layers;
        struct mount *mounts; /* in the order of mountinfo */
        size_t n_mounts;
        const char **swaps; /* device paths */
        size_t n_swaps;
        struct opt_int memory_bytes; /* MemTotal */
        uint64_t page_bytes;         /* of the kernel; 4096 if a capture does not say */
        struct topology_note *notes;
        const char **gone; /* discover_news(): sysnames of what was to be read and is not there */
        size_t n_gone;
        bool incomplete;      /* something could not be read: what is not here may be there all the same */
        bool host_incomplete; /* that was memory, mounts, swaps, or all of udev's database */

        /* Private to topology.c. */
        struct topology_index *names;
        size_t layers_allocated, mounts_allocated, swaps_allocated, gone_allocated;
};

/* NULL when memory is short. */
struct topology *topology_new(void);
void topology_free(struct topology *topology);
DEFINE_CLEANUP(struct topology *, topology_free);

/*
 * Adds a layer named SYSNAME ('!' allowed), or finds the one that is there. Returns 0, -EINVAL for an empty name, or
 * -ENOMEM.
 */
int topology_add(struct topology *topology, const char *sysname, struct layer **ret);

/* By kernel name, with '!' or '/'; NULL if there is none. */
struct layer *topology_find(const struct topology *topology, const char *name);

/* NULL if there is none. Only after topology_finish(). */
struct layer *topology_find_devno(const struct topology *topology, unsigned major, unsigned minor);

/*
 * By what people and mount tables write: dm-3, /dev/dm-3, /dev/mapper/MAP, MAP, /dev/VG/LV, VG/LV. Links such as
 * /dev/md/NAME are not resolved. NULL if there is none. Only after topology_finish().
 */
struct layer *topology_find_path(const struct topology *topology, const char *path);

/* UPPER lies over LOWER; the same pair may be given again. Before topology_finish(). Returns 0 or -ENOMEM. */
int topology_link(struct topology *topology, struct layer *upper, struct layer *lower);

/* Copies the strings, the mount point without slashes at its end. */
int topology_add_mount(struct topology *topology, const struct mount *mount);
int topology_add_swap(struct topology *topology, const char *path);
int topology_add_gone(struct topology *topology, const char *sysname);
int topology_add_note(struct topology *topology, const char *format, ...) __attribute__((format(printf, 2, 3)));
int topology_add_layer_note(struct topology *topology, const struct layer *layer, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/*
 * Resolves references (dm tables, md members, partitions, loop files), classifies, labels, finds uses and tops, takes
 * edges that close a cycle out, and sorts bottom up. Returns 0 or -ENOMEM.
 */
int topology_finish(struct topology *topology);
