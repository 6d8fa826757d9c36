/* SPDX-License-Identifier: MIT */

/* Which readahead counts for those who read. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/explain.h"
#include "common/layer.h"
#include "common/units.h"

#define USERS_NAMED_MAX 3U

static const char *format_amount(struct opt_int sectors, struct arena *arena) {
        char buffer[UNITS_BUFFER];

        if (!sectors.known || sectors.value < 0)
                return "an unknown number of sectors";
        if (sectors.value == 0)
                return "0 sectors (readahead is off)";
        return arena_printf(arena, "%" PRId64 " sectors (%s)", sectors.value,
                        units_format_sectors(buffer, (uint64_t)sectors.value));
}

static const char *format_use(const struct layer *layer, struct arena *arena) {
        const struct use *use = &layer->uses[0];

        if (use->type == USE_SWAP)
                return "swap is on it";
        return arena_printf(arena, "%s%s%s%s is mounted from it", use->path, use->fs ? " (" : "", use->fs ?: "",
                        use->fs ? ")" : "");
}

/* Layers in use, or at the top, over LAYER: the first few by name, and how many there are. */
static const char *name_users(const struct survey *survey, const struct layer *layer, struct arena *arena) {
        _cleanup_(freep) bool *over = calloc(survey->topology->n_layers + 1, sizeof(bool));
        const char *names = "";
        size_t n = 0;

        if (!over)
                return NULL;
        over[layer->index] = true;
        for (size_t i = layer->index + 1; i < survey->topology->n_layers; i++) {
                const struct layer *upper = survey->topology->layers[i];

                for (size_t j = 0; j < upper->n_below; j++)
                        over[i] |= over[upper->below[j]->index];
                if (!over[i] || !upper->top || upper->parent == layer)
                        continue;
                if (n++ < USERS_NAMED_MAX)
                        names = arena_printf(arena, "%s%s%s with %s", names, n > 1 ? ", " : "", upper->label,
                                        format_amount(upper->readahead_sectors, arena) ?: "");
                if (!names)
                        return NULL;
        }
        return n > USERS_NAMED_MAX ? arena_printf(arena, "%s, and %zu more", names, n - USERS_NAMED_MAX) : names;
}

static const char *partition_text(const struct explanation *e, const char *amount, struct arena *arena) {
        const struct layer *disk = e->layer->parent;

        return arena_printf(arena, "%s, which is %s's number: a partition shares its disk's readahead.", amount,
                        disk ? disk->label : "its disk");
}

/* Someone reads through the layer itself. */
static const char *own_text(const struct explanation *e, const char *amount, struct arena *arena) {
        const struct layer *layer = e->layer;
        const char *use;

        if (layer->n_uses == 0)
                return arena_printf(arena,
                                "%s, its own: nothing lies above it, so a program that opens it reads ahead by its "
                                "number.",
                                amount);
        use = format_use(layer, arena);
        if (!use)
                return NULL;
        return arena_printf(arena, "%s, its own: %s.%s", amount, use,
                        layer->n_below > 0 ? " The numbers of what lies beneath do not count for such reads." : "");
}

static const char *covered_text(const struct explanation *e, const char *amount, struct arena *arena) {
        const char *users = name_users(e->survey, e->layer, arena);

        if (!users)
                return NULL;
        if (!*users)
                return arena_printf(arena, "%s, its own, which its partitions share.", amount);
        return arena_printf(arena,
                        "not its own %s, but that of the layer above that is read: %s. Its own counts only if a "
                        "program opens the device itself.",
                        amount, users);
}

int explain_reads(struct explanation *e, struct arena *arena) {
        const struct layer *layer = e->layer;
        const char *fs, *amount = format_amount(layer->readahead_sectors, arena);

        if (!amount)
                return -ENOMEM;
        if (layer->hidden || !layer->has_devno)
                e->reads_text = "none: the node is hidden, and nothing reads through it.";
        else if (layer->kind == KIND_MD_CONTAINER)
                e->reads_text = "none: a container holds no data.";
        else if (layer_reads_past_device(layer, &fs))
                e->reads_text = arena_printf(arena,
                                "the one of %s itself (/sys/class/bdi/*/read_ahead_kb), which is no device's: the %s "
                                "of the device have no effect on its files.",
                                fs, amount);
        else if (layer->kind == KIND_PARTITION) {
                e->reads = layer->parent;
                e->reads_text = partition_text(e, amount, arena);
        } else if (layer->n_uses == 1 && layer->uses[0].type == USE_SWAP)
                e->reads_text = "none: swap does not use its device's readahead.";
        else if (layer->n_uses > 0 || layer->n_above == 0) {
                e->reads = layer;
                e->reads_text = own_text(e, amount, arena);
        } else
                e->reads_text = covered_text(e, amount, arena);
        return e->reads_text ? 0 : -ENOMEM;
}
