/* SPDX-License-Identifier: MIT */
#pragma once

/* Which readahead a layer ought to have. Pure. All values in 512-byte sectors. */

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"
#include "topology.h"

/* The least that is ever worked out: the kernel's own default of 128 KiB (VM_READAHEAD_PAGES). */
#define READAHEAD_FLOOR_SECTORS UINT64_C(256)

#define READAHEAD_MAX_DEFAULT_SECTORS UINT64_C(32768) /* 16 MiB */
#define MEMORY_SHARE_DEFAULT_PPM      5000U           /* 0.5 % */

/* What a rule asks for. */
enum readahead_mode {
        READAHEAD_KEEP, /* nothing */
        /*
         * 2 × stripe width, or what the array beneath has if that is larger and plausible. Where there is a stripe, not
         * what an array without has from the kernel (readahead_is_of_request()): nobody raised that.
         */
        READAHEAD_AUTO,
        READAHEAD_ARRAY,   /* what the array beneath has, if plausible; as auto where there is none */
        READAHEAD_STRIPES, /* value × stripe width */
        READAHEAD_SECTORS, /* value */
        READAHEAD_OFF,     /* 0 */
};

struct readahead_spec {
        enum readahead_mode mode;
        uint64_t sectors; /* of SECTORS; else 0 */
        uint64_t stripes; /* of STRIPES; else 0 */
};

/* Bounds of what is worked out; a number that a rule gives is obeyed. */
struct readahead_limits {
        uint64_t min_sectors; /* 0: only the floor */
        uint64_t max_sectors;
        unsigned memory_share_ppm; /* of MemTotal; 0: no bound */
};

#define READAHEAD_LIMITS_DEFAULT                                                                                       \
        ((struct readahead_limits){                                                                                    \
                        .max_sectors = READAHEAD_MAX_DEFAULT_SECTORS, .memory_share_ppm = MEMORY_SHARE_DEFAULT_PPM})

enum target_origin {
        TARGET_NONE,    /* no target: keep, or the geometry cannot be told (reshape, inactive array, opaque map) */
        TARGET_STRIPE,  /* stripes × stripe width */
        TARGET_ARRAY,   /* what the array beneath has, or the same plan gives it */
        TARGET_FLOOR,   /* nothing beneath has a stripe, or two are less than the floor */
        TARGET_LITERAL, /* the rule's own number */
};

enum target_cap { CAP_NONE, CAP_MAX, CAP_MEMORY };

/* A target, and how it came out. */
struct target {
        struct opt_int sectors; /* rounded to whole pages; unknown: none */
        enum target_origin origin;
        enum target_cap cap;
        uint64_t asked_sectors;    /* what the rule asks for, before the floor; 0 where there is no stripe to go by */
        uint64_t raw_sectors;      /* before cap and rounding */
        uint64_t bounded_sectors;  /* after the cap, before rounding */
        unsigned stripes;          /* of TARGET_STRIPE, also where the floor was more; else 0 */
        const struct layer *array; /* of TARGET_ARRAY, also where the floor was more; else NULL */
};

/*
 * The target of LAYER under SPEC and LIMITS. GEOMETRY is that of the whole topology. PLANNED has, by layer->index, what
 * the layers beneath have once they are changed as planned; NULL: as they have it now. Never fails.
 */
struct target target_compute(const struct topology *topology, const struct geometry *geometry,
                const struct opt_int *planned_sectors, const struct layer *layer, struct readahead_spec spec,
                struct readahead_limits limits);

/* What SHARE_PPM of the machine's memory are, in sectors; UINT64_MAX: no bound, or the memory is not known. */
uint64_t readahead_memory_bound(const struct topology *topology, unsigned share_ppm);

/*
 * What the kernel makes of a value: whole pages, rounded down (BLKRASET: blkdev_ioctl() divides by PAGE_SIZE / 512).
 * Values that are to be compared go through this first.
 */
uint64_t readahead_round(uint64_t sectors, uint64_t page_bytes);
