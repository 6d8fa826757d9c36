/* SPDX-License-Identifier: MIT */

#include "common/alignment.h"
#include "common/layer.h"

/* Layers looked through for an array; more than any real stack has, few enough for a captured one of any depth. */
#define STEPS_MAX 64U

/* Targets that put their data in order, so that an offset above is one beneath. */
static bool keeps_order(enum layer_kind kind) {
        return kind == KIND_DM_LINEAR || kind == KIND_DM_CRYPT || kind == KIND_DM_DELAY;
}

static const struct dm_leg *data_leg(const struct dm_segment *segment) {
        for (size_t i = 0; i < segment->n_legs; i++)
                if (segment->legs[i].role == LEG_DATA && segment->legs[i].layer)
                        return &segment->legs[i];
        return NULL;
}

static const struct dm_segment *segment_at(const struct dm_info *dm, uint64_t sector) {
        for (size_t i = 0; i < dm->n_segments; i++)
                if (sector >= dm->segments[i].start_sectors &&
                                sector - dm->segments[i].start_sectors < dm->segments[i].length_sectors)
                        return &dm->segments[i];
        return NULL;
}

/* One step down from a sector of *LAYER. False where there is no way on. */
static bool step_down(const struct layer **layer, uint64_t *sector) {
        const struct layer *upper = *layer;
        uint64_t offset = 0;

        if (upper->parent && upper->start_sectors.known) {
                *layer = upper->parent;
                offset = (uint64_t)upper->start_sectors.value;
        } else if (upper->dm) {
                const struct dm_segment *segment = segment_at(upper->dm, *sector);
                const struct dm_leg *leg = segment && keeps_order(segment->kind) ? data_leg(segment) : NULL;

                if (!leg)
                        return false;
                *sector -= segment->start_sectors;
                offset = leg->offset_sectors;
                *layer = leg->layer;
        } else {
                return false;
        }
        return layer_lies_over(upper, *layer) && !__builtin_add_overflow(*sector, offset, sector);
}

static bool has_parity(const struct layer *array) {
        switch (array->kind) {
        case KIND_MD_RAID4:
        case KIND_MD_RAID5:
        case KIND_MD_RAID6:
        case KIND_DM_RAID4:
        case KIND_DM_RAID5:
        case KIND_DM_RAID6: return true;
        default: return false;
        }
}

/* What SECTOR of LAYER, the start of something above, is on the first striped layer at or beneath it. */
static struct alignment_result judge(const struct geometry *geometry, const struct layer *layer, uint64_t sector) {
        struct alignment_result result = {.alignment = ALIGNED};
        uint64_t offset_bytes;

        /* No choice of the upper layer's, and told of the lower one. */
        if (sector == 0)
                return result;

        for (unsigned steps = 0; geometry[layer->index].own_stripe_bytes == 0; steps++)
                if (steps == STEPS_MAX || !step_down(&layer, &sector))
                        return result;

        const struct geometry *g = &geometry[layer->index];
        if (!sectors_to_bytes(sector, &offset_bytes))
                return result;

        result.array = layer;
        result.offset_sectors = sector;
        if (offset_bytes % g->own_chunk_bytes != 0)
                result.alignment = ALIGNMENT_OFF_CHUNK;
        else if (has_parity(layer) && offset_bytes % g->own_stripe_bytes != 0)
                result.alignment = ALIGNMENT_OFF_STRIPE;
        return result;
}

struct alignment_result alignment_compute(const struct geometry *geometry, const struct layer *layer) {
        struct alignment_result worst = {.alignment = ALIGNED};

        if (layer->parent && layer->start_sectors.known && layer_lies_over(layer, layer->parent))
                return judge(geometry, layer->parent, (uint64_t)layer->start_sectors.value);

        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++) {
                const struct dm_segment *segment = &layer->dm->segments[i];

                for (size_t j = 0; j < segment->n_legs; j++) {
                        const struct dm_leg *leg = &segment->legs[j];
                        struct alignment_result result;

                        if (leg->role != LEG_DATA || !leg->layer || !layer_lies_over(layer, leg->layer))
                                continue;
                        result = judge(geometry, leg->layer, leg->offset_sectors);
                        if (result.alignment > worst.alignment)
                                worst = result;
                }
        }
        return worst;
}
