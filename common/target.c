/* SPDX-License-Identifier: MIT */

#include "common/target.h"
#include "common/plausible.h"

#define MILLION UINT64_C(1000000)

uint64_t readahead_round(uint64_t sectors, uint64_t page_bytes) {
        uint64_t page_sectors = page_bytes / SECTOR_BYTES;

        return page_sectors > 0 ? sectors / page_sectors * page_sectors : sectors;
}

/* Whether that is what an array has for want of a stripe, where there is one to go by. */
static bool is_makeshift(const struct topology *topology, const struct geometry *g, const struct layer *array,
                struct readahead_spec spec, uint64_t sectors) {
        return spec.mode == READAHEAD_AUTO && g->known && readahead_is_of_request(array, topology->page_bytes, sectors);
}

/* What the array beneath has, or is to have, whose readahead is the largest that can be meant; origin none if none is. */
static struct target from_array(const struct topology *topology, const struct geometry *geometry,
                const struct opt_int *planned_sectors, const struct layer *layer, struct readahead_spec spec,
                uint64_t max_sectors) {
        const struct geometry *g = &geometry[layer->index];
        struct target best = {};

        for (size_t i = 0; i < g->n_arrays; i++) {
                const struct layer *array = g->arrays[i];
                struct opt_int has = planned_sectors ? planned_sectors[array->index] : array->readahead_sectors;

                if (!has.known || (uint64_t)has.value > max_sectors)
                        continue;
                if (readahead_implausible(&geometry[array->index], has.value) ||
                                is_makeshift(topology, g, array, spec, (uint64_t)has.value))
                        continue;
                if (!best.array || (uint64_t)has.value > best.raw_sectors)
                        best = (struct target){
                                        .origin = TARGET_ARRAY, .array = array, .raw_sectors = (uint64_t)has.value};
        }
        return best;
}

static struct target from_stripes(const struct geometry *g, uint64_t stripes) {
        uint64_t sectors;

        if (!g->known)
                return (struct target){.origin = TARGET_FLOOR};
        if (__builtin_mul_overflow(stripes, g->stripe_bytes / SECTOR_BYTES, &sectors) || sectors > INT64_MAX)
                sectors = INT64_MAX;
        return (struct target){.origin = TARGET_STRIPE, .stripes = (unsigned)stripes, .raw_sectors = sectors};
}

/* What the rule asks for, before any bound. */
static struct target ask(const struct topology *topology, const struct geometry *geometry,
                const struct opt_int *planned_sectors, const struct layer *layer, struct readahead_spec spec,
                struct readahead_limits limits) {
        struct target array = from_array(topology, geometry, planned_sectors, layer, spec, limits.max_sectors),
                      target = {};

        switch (spec.mode) {
        case READAHEAD_KEEP: break;
        case READAHEAD_OFF:
        case READAHEAD_SECTORS:
                target.origin = TARGET_LITERAL;
                target.raw_sectors = spec.mode == READAHEAD_OFF ? 0 : spec.sectors;
                break;
        case READAHEAD_STRIPES: target = from_stripes(&geometry[layer->index], spec.stripes); break;
        case READAHEAD_ARRAY:
        case READAHEAD_AUTO:
                target = from_stripes(&geometry[layer->index], 2);
                if (array.array && (spec.mode == READAHEAD_ARRAY || array.raw_sectors > target.raw_sectors))
                        target = array;
                break;
        }
        return target;
}

uint64_t readahead_memory_bound(const struct topology *topology, unsigned share_ppm) {
        uint64_t memory_sectors;

        if (!topology->memory_bytes.known || share_ppm == 0)
                return UINT64_MAX;
        memory_sectors = (uint64_t)topology->memory_bytes.value / SECTOR_BYTES;
        /* As memory × share ÷ 10⁶, which may be no number on the way: a share is a million at most. */
        return memory_sectors / MILLION * share_ppm + memory_sectors % MILLION * share_ppm / MILLION;
}

/* A number of stripes that a rule gives may be less than the kernel's default; what is worked out may not. */
static uint64_t floor_sectors(const struct target *target, struct readahead_spec spec, struct readahead_limits limits) {
        bool given = spec.mode == READAHEAD_STRIPES && target->origin == TARGET_STRIPE;

        if (given || limits.min_sectors > READAHEAD_FLOOR_SECTORS)
                return limits.min_sectors;
        return READAHEAD_FLOOR_SECTORS;
}

/* The floor first, then the bounds: a bound below the floor is still a bound. */
static uint64_t bound(const struct topology *topology, struct readahead_spec spec, struct readahead_limits limits,
                struct target *target) {
        uint64_t sectors = target->raw_sectors, memory = readahead_memory_bound(topology, limits.memory_share_ppm);
        uint64_t floor = floor_sectors(target, spec, limits);

        if (sectors < floor) {
                target->origin = TARGET_FLOOR;
                target->raw_sectors = sectors = floor;
        }
        if (sectors > limits.max_sectors) {
                target->cap = CAP_MAX;
                sectors = limits.max_sectors;
        }
        if (sectors > memory) {
                target->cap = CAP_MEMORY;
                sectors = memory;
        }
        return sectors;
}

struct target target_compute(const struct topology *topology, const struct geometry *geometry,
                const struct opt_int *planned_sectors, const struct layer *layer, struct readahead_spec spec,
                struct readahead_limits limits) {
        struct target target = ask(topology, geometry, planned_sectors, layer, spec, limits);
        uint64_t sectors = target.raw_sectors;

        target.asked_sectors = sectors;
        if (spec.mode == READAHEAD_KEEP)
                return target;
        if (target.origin != TARGET_LITERAL) {
                const struct geometry *g = &geometry[layer->index];

                /* What an array beneath has is no guide to a map that may read from other devices at the same time. */
                if (g->reshaping || g->inactive || g->opaque)
                        return (struct target){};
                sectors = bound(topology, spec, limits, &target);
        }

        target.bounded_sectors = sectors;
        sectors = readahead_round(sectors, topology->page_bytes);
        /* Less than a page would turn readahead off, which only a rule that says so may do. */
        if (sectors == 0 && spec.mode != READAHEAD_OFF)
                sectors = topology->page_bytes / SECTOR_BYTES;
        target.sectors = opt_some((int64_t)(sectors < INT64_MAX ? sectors : INT64_MAX));
        return target;
}
