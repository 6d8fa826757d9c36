/* SPDX-License-Identifier: MIT */

/* Findings about a layer's readahead. */

#include "common/drift.h"
#include "common/finding-private.h"
#include "common/layer.h"
#include "common/plausible.h"
#include "common/units.h"

static struct target automatic(const struct finding_context *c, const struct layer *layer) {
        return target_compute(c->topology, c->geometry, NULL, layer, (struct readahead_spec){.mode = READAHEAD_AUTO},
                        READAHEAD_LIMITS_DEFAULT);
}

/* Whether the layer's readahead can be measured against an array: it is, or lies over, one, and is a thing to read. */
static bool is_judged(const struct finding_context *c, const struct layer *layer) {
        const struct geometry *g = &c->geometry[layer->index];

        /* Reads go through an array itself where it is mounted; above its stripe somebody has raised it, which is fine. */
        if (kind_is_md(layer->kind) && layer->n_uses == 0)
                return false;
        if (layer->kind == KIND_PARTITION || !layer->readahead_sectors.known)
                return false;
        if (g->n_arrays == 0 && !geometry_is_array(layer))
                return false;
        return !layer_is_swap(layer) && !layer_is_private_volume(layer) && !layer_reads_past_device(layer, NULL);
}

/* "md0", or of several "md0 and others". */
static const char *arrays_name(const struct finding_context *c, const struct layer *layer) {
        const struct geometry *g = &c->geometry[layer->index];
        const struct layer *array = g->n_arrays > 0 ? g->arrays[0] : layer;

        if (g->n_arrays <= 1)
                return array->label;
        const char *name = arena_printf(c->arena, "%s and %zu more", array->label, g->n_arrays - 1);
        return name ? name : array->label;
}

/* LVM's "auto" gives a striped or RAID volume 2 × chunk × legs, parity and copies among them; 0 for other layers. */
static uint64_t lvm_default(const struct layer *layer) {
        const struct dm_segment *segment = layer->dm && layer->dm->n_segments > 0 ? &layer->dm->segments[0] : NULL;
        uint64_t legs = 0, sectors;

        if (!segment || !geometry_is_array(layer))
                return 0;
        for (size_t i = 0; i < segment->n_legs; i++)
                legs += segment->legs[i].role == LEG_DATA;
        return __builtin_mul_overflow(segment->chunk_sectors, legs * 2, &sectors) ? 0 : sectors;
}

static int check_against_array(struct finding_context *c, const struct layer *layer) {
        struct target target = automatic(c, layer);
        char have[UNITS_BUFFER], ought[UNITS_BUFFER];
        int64_t sectors = opt_or(layer->readahead_sectors, 0);
        int64_t rounded = (int64_t)readahead_round((uint64_t)sectors, c->topology->page_bytes);

        if (!is_judged(c, layer) || !target.sectors.known || sectors == 0 || rounded == target.sectors.value)
                return 0;

        bool below = rounded < target.sectors.value;
        if (!below && kind_is_md(layer->kind))
                return 0;
        if (!below && (c->geometry[layer->index].readahead_implausible || (uint64_t)sectors <= lvm_default(layer) ||
                                      readahead_is_of_request(layer, c->topology->page_bytes, (uint64_t)sectors)))
                return 0; /* said by readahead-implausible, or nobody's doing */

        return finding_add(c, layer, below ? FINDING_READAHEAD_BELOW_ARRAY : FINDING_READAHEAD_ABOVE_ARRAY,
                        below ? SEVERITY_WARNING : SEVERITY_NOTICE,
                        "readahead is %lld sectors (%s), %s what fits %s: %lld sectors (%s)", (long long)sectors,
                        units_format_sectors(have, (uint64_t)sectors), below ? "below" : "above", arrays_name(c, layer),
                        (long long)target.sectors.value, units_format_sectors(ought, (uint64_t)target.sectors.value));
}

static int check_capped(struct finding_context *c, const struct layer *layer) {
        struct target target = automatic(c, layer);

        return is_judged(c, layer) ? finding_add_capped(c, layer, &target, NULL) : 0;
}

static int check_off(struct finding_context *c, const struct layer *layer) {
        bool exempt = layer->kind == KIND_PARTITION || layer->kind == KIND_ZRAM || layer->kind == KIND_ROM ||
                      layer->kind == KIND_MD_CONTAINER || layer->kind == KIND_MD_INACTIVE || layer->hidden;

        if (exempt || !layer->readahead_sectors.known || layer->readahead_sectors.value != 0)
                return 0;
        return finding_add(c, layer, FINDING_READAHEAD_OFF, SEVERITY_NOTICE,
                        "readahead is off (0 sectors): every buffered read waits for its own block");
}

static int check_implausible(struct finding_context *c, const struct layer *layer) {
        struct target target = automatic(c, layer);
        char have[UNITS_BUFFER];

        if (layer->kind == KIND_PARTITION || !c->geometry[layer->index].readahead_implausible)
                return 0;
        if (target.sectors.known && layer->readahead_sectors.value <= target.sectors.value)
                return 0;
        return finding_add(c, layer, FINDING_READAHEAD_IMPLAUSIBLE, SEVERITY_WARNING,
                        "readahead is %lld sectors (%s), which the kernel derived from an optimal I/O size that can't "
                        "be true",
                        (long long)layer->readahead_sectors.value,
                        units_format_sectors(have, (uint64_t)layer->readahead_sectors.value));
}

/*
 * Whether the layer has more than the kernel gives it by itself. What comes of its largest request is not the kernel's
 * below it, too: up to Linux 6.16 that is not done, and somebody has set whatever is above 256.
 */
static bool is_raised(const struct finding_context *c, const struct layer *layer, uint64_t sectors) {
        const struct geometry *g = &c->geometry[layer->index];
        uint64_t stripes = g->stripe_bytes / SECTOR_BYTES * 2, io_opt = (uint64_t)opt_or(layer->io_opt_bytes, 0);

        return sectors > READAHEAD_FLOOR_SECTORS && sectors > stripes &&
               sectors > readahead_round(io_opt / SECTOR_BYTES * 2, c->topology->page_bytes) &&
               !readahead_is_of_request(layer, c->topology->page_bytes, sectors);
}

/* A partition that is in use itself is read with the readahead of its disk. */
static bool is_read_by_partition(const struct layer *layer) {
        for (size_t i = 0; i < layer->n_above; i++) {
                const struct layer *upper = layer->above[i];

                if (upper->parent == layer && upper->n_uses > 0 && !layer_is_swap(upper) &&
                                !layer_reads_past_device(upper, NULL))
                        return true;
        }
        return false;
}

static int check_wrong_layer(struct finding_context *c, const struct layer *layer) {
        uint64_t sectors = (uint64_t)opt_or(layer->readahead_sectors, 0), least = c->least_above[layer->index];
        const struct geometry *g = &c->geometry[layer->index];

        /* While a reshape runs nobody can tell what the kernel would have given it. */
        if (layer->kind == KIND_PARTITION || layer->n_uses > 0 || layer->n_above == 0 || g->readahead_implausible ||
                        g->reshaping || is_read_by_partition(layer))
                return 0;
        if (least == UINT64_MAX || sectors <= least || !is_raised(c, layer, sectors))
                return 0;
        return finding_add(c, layer, FINDING_READAHEAD_ON_WRONG_LAYER, SEVERITY_NOTICE,
                        "readahead was raised to %llu sectors here, but reads go through a layer above that has %llu",
                        (unsigned long long)sectors, (unsigned long long)least);
}

/* Of any layer, also a plain disk: who raises it in vain ought to read why. */
static int check_filesystem(struct finding_context *c, const struct layer *layer) {
        const char *fs;

        if (!layer_reads_past_device(layer, &fs))
                return 0;
        return finding_add(c, layer, FINDING_FILESYSTEM_OWN_READAHEAD, SEVERITY_INFO,
                        "%s has a readahead of its own (/sys/class/bdi): this device's has no effect on it", fs);
}

static int check_changed(struct finding_context *c, const struct layer *layer) {
        if (drift_judge(c->topology, layer) != DRIFT_OTHER)
                return 0;
        return finding_add(c, layer, FINDING_CHANGED_BY_OTHER, SEVERITY_NOTICE,
                        "setrad gave it %llu sectors, but it has %lld now, which is not the kernel's own value either",
                        (unsigned long long)layer->set->sectors, (long long)layer->readahead_sectors.value);
}

const finding_check finding_readahead_checks[] = {
                check_against_array,
                check_off,
                check_capped,
                check_wrong_layer,
                check_implausible,
                check_filesystem,
                check_changed,
                NULL,
};
