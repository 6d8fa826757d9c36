/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/graph.h"
#include "common/cleanup.h"

static const struct style {
        const char *fill, *meaning;
} styles[_LAYER_STATE_MAX] = {
                [LAYER_STATE_IGNORED] = {"#eeeeee", "left alone"},
                [LAYER_STATE_RIGHT] = {"#c8e6c9", "as it should be"},
                [LAYER_STATE_CHANGE] = {"#ffe0b2", "to be changed"},
                [LAYER_STATE_HELD] = {"#bbdefb", "held"},
                [LAYER_STATE_WARNING] = {"#ffcdd2", "warning"},
};

/* As a quoted string of the language, in which there are entities, too. */
static void print_quoted(FILE *f, const char *text) {
        fputc('"', f);
        for (; *text; text++) {
                if (*text == '"' || *text == '\\')
                        fputc('\\', f);
                if (*text == '\n')
                        fputs("\\n", f);
                else if (*text == '&')
                        fputs("&amp;", f);
                else
                        fputc(*text, f);
        }
        fputc('"', f);
}

static int print_node(FILE *f, const struct graph *graph, const struct layer *layer) {
        _cleanup_(freep) char *text = graph_node_text(graph, layer);

        if (!text)
                return -ENOMEM;
        fprintf(f, "  n%zu [label=", layer->index);
        print_quoted(f, text);
        fprintf(f, ", fillcolor=\"%s\"];\n", styles[layer_state(graph->survey, layer)].fill);
        return 0;
}

static int print_edge(FILE *f, const struct graph *graph, const struct layer *layer, const struct layer *below) {
        _cleanup_(freep) char *text = graph_edge_text(graph, layer, below);

        if (!text)
                return -ENOMEM;
        fprintf(f, "  n%zu -> n%zu [label=", layer->index, below->index);
        print_quoted(f, text);
        fprintf(f, "%s];\n", graph_edge_is_misaligned(graph, layer, below) ? ", color=\"#c62828\"" : "");
        return 0;
}

static int print_layer(FILE *f, const struct graph *graph, const struct layer *layer) {
        int r;

        r = print_node(f, graph, layer);
        for (size_t i = 0; r == 0 && i < layer->n_below; i++)
                r = print_edge(f, graph, layer, layer->below[i]);
        return r;
}

int graph_print_dot(FILE *stream, const struct graph *graph) {
        const struct topology *topology = graph->survey->topology;
        int r = 0;

        fputs("digraph setrad {\n"
              "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=11];\n"
              "  edge [fontname=\"sans-serif\", fontsize=9];\n",
                        stream);
        for (int i = 0; i < _LAYER_STATE_MAX; i++)
                fprintf(stream, "  /* %s: %s */\n", styles[i].fill, styles[i].meaning);
        for (size_t i = topology->n_layers; r == 0 && i > 0 && i--;)
                if (graph->shown[i])
                        r = print_layer(stream, graph, topology->layers[i]);
        fputs("}\n", stream);
        return r;
}
