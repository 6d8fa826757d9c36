/* SPDX-License-Identifier: MIT */

/* Findings about stripes, I/O limits and alignment. */

#include <string.h>

#include "common/alignment.h"
#include "common/finding-private.h"
#include "common/units.h"

#define STRIPE_TINY_BYTES 16384

static int check_io_opt(struct finding_context *c, const struct layer *layer) {
        char io_opt[UNITS_BUFFER];

        if (layer->kind == KIND_PARTITION || !c->geometry[layer->index].io_opt_implausible)
                return 0;
        return finding_add(c, layer, FINDING_IO_OPT_IMPLAUSIBLE, SEVERITY_WARNING,
                        "optimal I/O size is %lld bytes (%s), which is no stripe of anything here",
                        (long long)layer->io_opt_bytes.value,
                        units_format_bytes(io_opt, (uint64_t)layer->io_opt_bytes.value));
}

/* Layers whose io_opt follows from what is beneath and from nothing else. */
static bool passes_io_opt(const struct layer *layer) {
        switch (layer->kind) {
        case KIND_DM_LINEAR:
        case KIND_DM_STRIPED:
        case KIND_DM_CRYPT:
        case KIND_DM_DELAY:
        case KIND_DM_MIXED:
        case KIND_DM_SNAPSHOT:
        case KIND_DM_SNAPSHOT_ORIGIN: return true;
        default: return kind_is_md(layer->kind);
        }
}

/* Whether io_opt is made of the stripes here and the (plausible) io_opts right below. */
static bool is_current(const struct finding_context *c, const struct layer *layer) {
        const struct geometry *g = &c->geometry[layer->index];
        uint64_t io_opt = (uint64_t)layer->io_opt_bytes.value, multiple = 1;

        for (size_t i = 0; i < g->n_stripes; i++)
                multiple = geometry_add_multiple(multiple, g->stripes[i], io_opt);
        for (size_t i = 0; i < layer->n_below; i++) {
                const struct layer *lower = layer->below[i];

                if (opt_or(lower->io_opt_bytes, 0) > 0 && !c->geometry[lower->index].io_opt_implausible)
                        multiple = geometry_add_multiple(multiple, (uint64_t)lower->io_opt_bytes.value, io_opt);
        }
        return multiple > 1 && multiple == io_opt;
}

static int check_stale(struct finding_context *c, const struct layer *layer) {
        const struct geometry *g = &c->geometry[layer->index];
        char io_opt[UNITS_BUFFER], stripe[UNITS_BUFFER];

        if (!passes_io_opt(layer) || !g->known || opt_or(layer->io_opt_bytes, 0) <= 0 || g->io_opt_implausible)
                return 0;
        if (is_current(c, layer))
                return 0;
        return finding_add(c, layer, FINDING_GEOMETRY_STALE, SEVERITY_NOTICE,
                        "optimal I/O size is %s, but the stripe width of %s is %s now",
                        units_format_bytes(io_opt, (uint64_t)layer->io_opt_bytes.value), g->from[0]->label,
                        units_format_bytes(stripe, g->stripe_bytes));
}

static int check_alignment(struct finding_context *c, const struct layer *layer) {
        struct alignment_result result = alignment_compute(c->geometry, layer);
        char width[UNITS_BUFFER];

        if (result.alignment == ALIGNED)
                return 0;

        const struct geometry *g = &c->geometry[result.array->index];
        bool chunk = result.alignment == ALIGNMENT_OFF_CHUNK;
        return finding_add(c, layer, FINDING_MISALIGNED_START, chunk ? SEVERITY_WARNING : SEVERITY_NOTICE,
                        "starts at sector %llu of %s, which is on no boundary of its %s of %s: this can't be mended on "
                        "live storage",
                        (unsigned long long)result.offset_sectors, result.array->label, chunk ? "chunk" : "stripe",
                        units_format_bytes(width, chunk ? g->own_chunk_bytes : g->own_stripe_bytes));
}

static int check_inconsistent(struct finding_context *c, const struct layer *layer) {
        if (!layer->alignment_offset_bytes.known || layer->alignment_offset_bytes.value != -1)
                return 0;
        return finding_add(c, layer, FINDING_ALIGNMENT_INCONSISTENT, SEVERITY_NOTICE,
                        "alignment_offset is -1: the kernel found no alignment that suits all devices beneath");
}

static int check_tiny(struct finding_context *c, const struct layer *layer) {
        const struct geometry *g = &c->geometry[layer->index];
        char chunk[UNITS_BUFFER];

        if (g->own_stripe_bytes == 0 || g->own_chunk_bytes >= STRIPE_TINY_BYTES || !geometry_is_array(layer))
                return 0;
        return finding_add(c, layer, FINDING_STRIPE_TINY, SEVERITY_WARNING,
                        "chunk is %s: a read of any size is cut into pieces that small, one for each disk",
                        units_format_bytes(chunk, g->own_chunk_bytes));
}

const finding_check finding_limits_checks[] = {
                check_io_opt,
                check_stale,
                check_alignment,
                check_inconsistent,
                check_tiny,
                NULL,
};
