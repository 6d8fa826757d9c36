/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forest.h"
#include "cli/graph.h"
#include "cli/text.h"
#include "common/alignment.h"
#include "common/printable.h"
#include "common/units.h"

/* Segments that are named on one edge; more are counted. */
#define SEGMENTS_MAX 4

/* A layer comes after all that are beneath it, so that one pass down is enough. */
static void show_beneath(struct graph *graph) {
        const struct topology *topology = graph->survey->topology;

        for (size_t i = topology->n_layers; i > 0 && i--;) {
                const struct layer *layer = topology->layers[i];

                for (size_t k = 0; graph->shown[i] && k < layer->n_below; k++)
                        graph->shown[layer->below[k]->index] = true;
        }
}

static int show_forest(struct graph *graph, bool all) {
        _cleanup_(forest_done) struct forest forest = {};
        int r;

        r = forest_build(graph->survey, all, &forest);
        if (r < 0)
                return r;
        for (size_t i = 0; i < forest.n_stacks; i++)
                graph->shown[forest.stacks[i]->index] = true;
        for (size_t i = 0; all && i < forest.n_plain; i++)
                graph->shown[forest.plain[i]->index] = true;
        return 0;
}

int graph_build(const struct survey *survey, bool all, const struct layer *const *layers, size_t n, struct graph *ret) {
        _cleanup_(graph_done) struct graph graph = {
                        .survey = survey, .shown = calloc(survey->topology->n_layers + 1, sizeof(bool))};
        int r;

        if (!graph.shown)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                graph.shown[layers[i]->index] = true;
        if (n == 0) {
                r = show_forest(&graph, all);
                if (r < 0)
                        return r;
        }
        show_beneath(&graph);
        *ret = graph;
        graph = (struct graph){};
        return 0;
}

void graph_done(struct graph *graph) {
        free(graph->shown);
        *graph = (struct graph){};
}

static const struct decision *decision_of(const struct graph *graph, const struct layer *layer) {
        return &graph->survey->plan.decisions[layer->index];
}

static void print_kind(FILE *f, const struct graph *graph, const struct layer *layer) {
        const struct geometry *geometry = &graph->survey->geometry[layer->index];
        char chunk[UNITS_BUFFER];

        fprintf(f, "\n%s", kind_name(layer->kind));
        if (geometry->own_stripe_bytes > 0 && geometry->known && geometry->chunk_bytes > 0)
                fprintf(f, ", %u × %s", geometry->data_disks, units_format_bytes(chunk, geometry->chunk_bytes));
}

static void print_readahead(FILE *f, const struct graph *graph, const struct layer *layer) {
        const struct decision *decision = decision_of(graph, layer);

        if (!layer->readahead_sectors.known || layer->kind == KIND_PARTITION)
                return;
        fprintf(f, "\nreadahead %" PRId64, layer->readahead_sectors.value);
        if (decision_is_change(decision))
                fprintf(f, " → %" PRId64, decision->target.sectors.value);
        if (decision->action == ACTION_HOLD)
                fputs(", held", f);
}

static void print_uses(FILE *f, const struct layer *layer) {
        for (size_t i = 0; i < layer->n_uses; i++) {
                fputs(i == 0 ? "\n" : ", ", f);
                printable_print(f, layer->uses[i].type == USE_SWAP ? "swap" : layer->uses[i].path);
        }
}

/* What PRINT prints, as a string of its own. */
static char *take_text(FILE *f, char **text) {
        return fclose(f) == 0 ? TAKE_PTR(*text) : NULL;
}

char *graph_node_text(const struct graph *graph, const struct layer *layer) {
        _cleanup_(freep) char *title = text_layer_title(layer), *text = NULL;
        size_t size;
        FILE *f;

        if (!title)
                return NULL;
        f = open_memstream(&text, &size);
        if (!f)
                return NULL;
        printable_print(f, title);
        print_kind(f, graph, layer);
        print_readahead(f, graph, layer);
        print_uses(f, layer);
        return take_text(f, &text);
}

static void print_segment(FILE *f, const struct dm_segment *segment, const struct dm_leg *leg, bool only) {
        char offset[UNITS_BUFFER], start[UNITS_BUFFER], length[UNITS_BUFFER];

        units_format_sectors(offset, leg->offset_sectors);
        if (leg->role == LEG_OTHER)
                fputs("no data of its own", f);
        else if (only)
                fprintf(f, "from %s", offset);
        else
                fprintf(f, "%s at %s: from %s", units_format_sectors(length, segment->length_sectors),
                                units_format_sectors(start, segment->start_sectors), offset);
}

static void print_segments(FILE *f, const struct dm_info *dm, const struct layer *below) {
        size_t n = 0;

        for (size_t i = 0; i < dm->n_segments; i++)
                for (size_t k = 0; k < dm->segments[i].n_legs; k++) {
                        if (dm->segments[i].legs[k].layer != below || n++ >= SEGMENTS_MAX)
                                continue;
                        fputs(n > 1 ? "\n" : "", f);
                        print_segment(f, &dm->segments[i], &dm->segments[i].legs[k], dm->n_segments == 1);
                }
        if (n > SEGMENTS_MAX)
                fprintf(f, "\nand %zu more", n - SEGMENTS_MAX);
}

static const char *member_words(unsigned states) {
        if (states & MD_MEMBER_FAULTY)
                return "faulty";
        if (states & MD_MEMBER_JOURNAL)
                return "journal";
        if (states & MD_MEMBER_SPARE)
                return "spare";
        return states & MD_MEMBER_WRITE_MOSTLY ? "write-mostly" : "";
}

static void print_members(FILE *f, const struct md_info *md, const struct layer *below) {
        for (size_t i = 0; i < md->n_members; i++) {
                const struct md_member *member = &md->members[i];
                const char *words = member_words(member->states);

                if (member->layer != below)
                        continue;
                if (member->slot >= 0)
                        fprintf(f, "slot %d%s%s", member->slot, *words ? ", " : "", words);
                else
                        fputs(words, f);
        }
}

bool graph_edge_is_misaligned(const struct graph *graph, const struct layer *layer, const struct layer *below) {
        const struct geometry *geometry = graph->survey->geometry;
        const struct alignment_result result = alignment_compute(geometry, layer);
        const struct geometry *beneath = &geometry[below->index];

        if (result.alignment == ALIGNED)
                return false;
        for (size_t i = 0; i < beneath->n_arrays; i++)
                if (beneath->arrays[i] == result.array)
                        return true;
        return below == result.array;
}

static void print_alignment(FILE *f, const struct graph *graph, const struct layer *layer, const struct layer *below) {
        const struct alignment_result result = alignment_compute(graph->survey->geometry, layer);

        if (!graph_edge_is_misaligned(graph, layer, below))
                return;
        fprintf(f, "\non no %s of ", result.alignment == ALIGNMENT_OFF_CHUNK ? "chunk boundary" : "stripe");
        printable_print(f, result.array->label);
}

char *graph_edge_text(const struct graph *graph, const struct layer *layer, const struct layer *below) {
        _cleanup_(freep) char *text = NULL;
        char start[UNITS_BUFFER];
        size_t size;
        FILE *f = open_memstream(&text, &size);

        if (!f)
                return NULL;
        if (layer->dm)
                print_segments(f, layer->dm, below);
        else if (layer->md)
                print_members(f, layer->md, below);
        else if (layer->kind == KIND_PARTITION && layer->start_sectors.known)
                fprintf(f, "from %s", units_format_sectors(start, (uint64_t)layer->start_sectors.value));
        else if (layer->backing_file)
                printable_print(f, layer->backing_file);
        print_alignment(f, graph, layer, below);
        return take_text(f, &text);
}
