/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/graph.h"
#include "common/cleanup.h"

static const struct style {
        const char *name, *fill;
} styles[_LAYER_STATE_MAX] = {
                [LAYER_STATE_IGNORED] = {"ignored", "#eeeeee"},
                [LAYER_STATE_RIGHT] = {"right", "#c8e6c9"},
                [LAYER_STATE_CHANGE] = {"change", "#ffe0b2"},
                [LAYER_STATE_HELD] = {"held", "#bbdefb"},
                [LAYER_STATE_WARNING] = {"warning", "#ffcdd2"},
};

/*
 * The language takes text between quotes for HTML, and looks for its directives (%%{…}%%) everywhere: whatever could be a
 * part of a tag, an entity or one of these is a number.
 */
static void print_quoted(FILE *f, const char *text) {
        fputc('"', f);
        for (; *text; text++) {
                if (*text == '\n')
                        fputs("<br/>", f);
                else if (strchr("\"#%&;<>`{}", *text))
                        fprintf(f, "#%d;", *text);
                else
                        fputc(*text, f);
        }
        fputc('"', f);
}

static int print_edge(FILE *f, const struct graph *graph, const struct layer *layer, const struct layer *below) {
        const char *arrow = graph_edge_is_misaligned(graph, layer, below) ? "-.->" : "-->";
        _cleanup_(freep) char *text = graph_edge_text(graph, layer, below);

        if (!text)
                return -ENOMEM;
        fprintf(f, "  n%zu %s", layer->index, arrow);
        if (*text) {
                fputc('|', f);
                print_quoted(f, text);
                fputc('|', f);
        }
        fprintf(f, " n%zu\n", below->index);
        return 0;
}

static int print_layer(FILE *f, const struct graph *graph, const struct layer *layer) {
        _cleanup_(freep) char *text = graph_node_text(graph, layer);
        int r = 0;

        if (!text)
                return -ENOMEM;
        fprintf(f, "  n%zu[", layer->index);
        print_quoted(f, text);
        fprintf(f, "]:::%s\n", styles[layer_state(graph->survey, layer)].name);
        for (size_t i = 0; r == 0 && i < layer->n_below; i++)
                r = print_edge(f, graph, layer, layer->below[i]);
        return r;
}

int graph_print_mermaid(FILE *stream, const struct graph *graph) {
        const struct topology *topology = graph->survey->topology;
        int r = 0;

        fputs("flowchart TD\n", stream);
        for (int i = 0; i < _LAYER_STATE_MAX; i++)
                fprintf(stream, "  classDef %s fill:%s,stroke:#555,color:#000\n", styles[i].name, styles[i].fill);
        for (size_t i = topology->n_layers; r == 0 && i > 0 && i--;)
                if (graph->shown[i])
                        r = print_layer(stream, graph, topology->layers[i]);
        return r;
}
