/* SPDX-License-Identifier: MIT */

/* setractl graph: the stacks as a picture, for Graphviz, Mermaid or a browser. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/find-layer.h"
#include "cli/graph.h"
#include "cli/text.h"
#include "cli/verb.h"

static int print_dot(const struct graph *graph) {
        return graph_print_dot(stdout, graph);
}

static int print_mermaid(const struct graph *graph) {
        return graph_print_mermaid(stdout, graph);
}

static const struct format {
        const char *name;
        int (*print)(const struct graph *graph);
} formats[] = {
                {"dot", print_dot},
                {"mermaid", print_mermaid},
                {"svg", graph_print_svg},
};

static const struct format *find_format(const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
                if (!name || strcmp(formats[i].name, name) == 0)
                        return &formats[i];
        text_error("no format '%s': it is dot, mermaid or svg", name);
        return NULL;
}

/* The layers that were named. 0, or a negative errno after saying on stderr what is wrong. */
static int find_named(const struct context *context, const struct layer **layers) {
        for (size_t i = 0; i < context->options.n_arguments; i++) {
                layers[i] = find_layer(context, context->options.arguments[i]);
                if (!layers[i])
                        return -ENODEV;
        }
        return 0;
}

static int print_graph(const struct context *context, const struct format *format, const struct layer *const *layers) {
        const struct options *options = &context->options;
        _cleanup_(graph_done) struct graph graph = {};
        int r;

        r = graph_build(context->survey, options->all, layers, options->n_arguments, &graph);
        if (r == 0)
                r = format->print(&graph);
        if (r == -ENOENT)
                text_error("an SVG is drawn by Graphviz, and its program dot is not installed; on Debian it is in the "
                           "package graphviz. --format=dot needs nothing");
        else if (r == -EPIPE)
                text_error("Graphviz' program dot failed");
        else if (r < 0)
                text_error("cannot draw the graph: %s", strerror(-r));
        return r;
}

enum exit_status verb_graph(struct context *context) {
        const struct format *format = find_format(context->options.format);
        _cleanup_(freep) const struct layer **layers = NULL;

        if (!format)
                return STATUS_USAGE;
        layers = calloc(context->options.n_arguments + 1, sizeof(*layers));
        if (!layers) {
                text_error("%s", strerror(ENOMEM));
                return STATUS_FAILED;
        }
        if (context_survey(context, POLICY_ANY) < 0 || find_named(context, layers) < 0)
                return STATUS_FAILED;
        return print_graph(context, format, layers) < 0 ? STATUS_FAILED : STATUS_DONE;
}
