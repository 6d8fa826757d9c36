/* SPDX-License-Identifier: MIT */
#pragma once

/* The stacks as a directed graph, each layer above what it lies on, for graph --format. Pure but for graph_print_svg(). */

#include <stdbool.h>
#include <stdio.h>

#include "cli/layer-state.h"
#include "common/survey.h"

struct graph {
        const struct survey *survey;
        bool *shown; /* by layer->index */
};

/*
 * The stacks that scan shows, with ALL every layer; with N > 0 LAYERS those and what is beneath them. Returns 0 or
 * -ENOMEM.
 */
int graph_build(const struct survey *survey, bool all, const struct layer *const *layers, size_t n, struct graph *ret);

void graph_done(struct graph *graph);

/* "md0\nmd-raid5, 3 × 256 KiB\nreadahead 256 → 3072": lines with a newline between. The caller frees it. */
char *graph_node_text(const struct graph *graph, const struct layer *layer);

/* What of BELOW is beneath LAYER: "from 1 MiB", "slot 0"; lines with a newline between. The caller frees it. */
char *graph_edge_text(const struct graph *graph, const struct layer *layer, const struct layer *below);

/* Whether the data of LAYER that is on BELOW starts where no chunk, or over parity no stripe, of the array does. */
bool graph_edge_is_misaligned(const struct graph *graph, const struct layer *layer, const struct layer *below);

/* All return 0 or a negative errno. */
int graph_print_dot(FILE *stream, const struct graph *graph);
int graph_print_mermaid(FILE *stream, const struct graph *graph);

/* By Graphviz's dot, to standard output. -ENOENT where that is not installed; -EPIPE where it fails. */
int graph_print_svg(const struct graph *graph);
