/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "common/fingerprint.h"
#include "common/wrap.h"

struct node {
        const struct layer *layer; /* NULL: not beneath */
        uint64_t hash;
        bool holds_array; /* it is something that stripes or mirrors, or lies over it */
};

static uint64_t hash_number(uint64_t hash, uint64_t number) {
        for (unsigned i = 0; i < sizeof(number); i++)
                hash = fnv_add(hash, (unsigned char)(number >> (8 * i)));
        return hash;
}

/* With its end, so that two texts in a row are not taken for one. */
static uint64_t hash_text(uint64_t hash, const char *text) {
        for (const char *p = text; *p; p++)
                hash = fnv_add(hash, (unsigned char)*p);
        return fnv_add(hash, 0);
}

static uint64_t hash_opt(uint64_t hash, struct opt_int number) {
        return hash_number(fnv_add(hash, number.known), number.known ? (uint64_t)number.value : 0);
}

/* Its legs fail and are replaced, or are moved, as an array's members; levels without redundancy as with md. */
static bool legs_change(enum layer_kind kind) {
        switch (kind) {
        case KIND_DM_RAID0:
        case KIND_DM_RAID1:
        case KIND_DM_RAID4:
        case KIND_DM_RAID5:
        case KIND_DM_RAID6:
        case KIND_DM_RAID10:
        case KIND_DM_MIRROR:
        case KIND_DM_MULTIPATH: return true;
        default: return false;
        }
}

static uint64_t hash_segment(uint64_t hash, const struct dm_segment *segment) {
        hash = hash_number(hash, segment->start_sectors);
        hash = hash_number(hash, segment->length_sectors);
        hash = hash_text(hash, segment->target);
        hash = hash_text(hash, kind_name(segment->kind));
        hash = hash_number(hash, segment->chunk_sectors);
        hash = hash_number(hash, segment->data_disks);
        if (segment->raid_disks > 0) {
                hash = hash_number(hash, segment->raid_disks);
                hash = hash_number(hash, (uint64_t)segment->layout);
        }
        if (legs_change(segment->kind))
                return hash;
        for (size_t i = 0; i < segment->n_legs; i++) {
                hash = hash_number(hash, (uint64_t)segment->legs[i].major << 32 | segment->legs[i].minor);
                hash = hash_number(hash, segment->legs[i].offset_sectors);
                hash = fnv_add(hash, segment->legs[i].role == LEG_DATA);
        }
        return hash;
}

static uint64_t hash_array(uint64_t hash, const struct md_info *md) {
        hash = hash_text(hash, md->level);
        hash = hash_opt(hash, md->chunk_bytes);
        hash = hash_opt(hash, md->raid_disks);
        return hash_opt(hash, md->layout);
}

/* Kinds by name: their numbers may be others in the version that reads the ledger next. */
static uint64_t hash_layer(const struct layer *layer) {
        uint64_t hash = hash_text(FNV_OFFSET, kind_name(layer->kind));

        hash = hash_opt(hash, layer->size_sectors);
        hash = hash_opt(hash, layer->start_sectors);
        hash = hash_text(hash, layer->backing_file ?: "");
        if (layer->md)
                hash = hash_array(hash, layer->md);
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                hash = hash_segment(hash, &layer->dm->segments[i]);
        return hash;
}

static bool is_array(const struct layer *layer) {
        if (layer->md)
                return true;
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                if (layer->dm->segments[i].chunk_sectors > 0)
                        return true;
        return false;
}

/* What is below it may fail and be replaced. A mixed map may have legs that are not, and keeps what is below. */
static bool is_redundant(const struct layer *layer) {
        return layer->md || (layer->dm && legs_change(layer->kind));
}

static int compare_hashes(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/* NODES of all that is below NODE are filled in; HASHES has room for as many. */
static void fill_node(struct node *nodes, struct node *node, uint64_t *hashes) {
        const struct layer *layer = node->layer;
        size_t n = 0;

        node->hash = hash_layer(layer);
        node->holds_array = is_array(layer);
        for (size_t i = 0; i < layer->n_below; i++) {
                const struct node *below = &nodes[layer->below[i]->index];

                node->holds_array |= below->holds_array;
                if (below->holds_array || !is_redundant(layer))
                        hashes[n++] = below->hash;
        }
        qsort(hashes, n, sizeof(*hashes), compare_hashes);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || hashes[i] != hashes[i - 1])
                        node->hash = hash_number(node->hash, hashes[i]);
}

/* All that is below has a smaller index, so that going down by index once reaches it, and going up finds it filled in. */
uint64_t stack_fingerprint(const struct layer *layer) {
        _cleanup_(freep) struct node *nodes = calloc(layer->index + 1, sizeof(*nodes));
        _cleanup_(freep) uint64_t *hashes = calloc(layer->index + 1, sizeof(*hashes));

        if (!nodes || !hashes)
                return 0;
        nodes[layer->index].layer = layer;
        for (size_t i = layer->index + 1; i > 0 && i--;)
                for (size_t j = 0; nodes[i].layer && j < nodes[i].layer->n_below; j++)
                        nodes[nodes[i].layer->below[j]->index].layer = nodes[i].layer->below[j];
        for (size_t i = 0; i <= layer->index; i++)
                if (nodes[i].layer)
                        fill_node(nodes, &nodes[i], hashes);
        return nodes[layer->index].hash ?: 1;
}
