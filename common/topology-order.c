/* SPDX-License-Identifier: MIT */

/*
 * Cycles and order. Strongly connected components by Tarjan's algorithm, without recursion: a captured tree may nest as
 * deep as it likes. Components come out bottom first.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/topology-private.h"

#define UNVISITED SIZE_MAX

/* What the search knows of a layer, by its index. */
struct node {
        size_t order;     /* when it was reached */
        size_t low;       /* the earliest that it leads back to */
        size_t next_edge; /* into layer->below */
        size_t component;
        bool on_stack;
};

struct search {
        struct topology *topology;
        struct arena *arena; /* for as long as the search */
        struct node *nodes;
        struct layer **path;  /* from the root of the search to where it is */
        struct layer **stack; /* reached, component not closed yet */
        size_t n_path, n_stack, n_order, n_components;
};

static void enter(struct search *s, struct layer *layer) {
        struct node *node = &s->nodes[layer->index];

        node->order = node->low = s->n_order++;
        node->on_stack = true;
        s->stack[s->n_stack++] = layer;
        s->path[s->n_path++] = layer;
}

static bool is_self_edge(const struct layer *layer) {
        for (size_t i = 0; i < layer->n_below; i++)
                if (layer->below[i] == layer)
                        return true;
        return false;
}

/* Takes the component that LAYER was the first of off the stack. */
static void close_component(struct search *s, const struct layer *layer) {
        size_t first = s->n_stack;

        while (s->stack[--first] != layer)
                ;
        bool cycle = s->n_stack - first > 1 || is_self_edge(layer);

        for (size_t i = first; i < s->n_stack; i++) {
                s->nodes[s->stack[i]->index].on_stack = false;
                s->nodes[s->stack[i]->index].component = s->n_components;
                s->stack[i]->in_cycle = cycle;
        }
        s->n_stack = first;
        s->n_components++;
}

static void leave(struct search *s, struct layer *layer) {
        struct node *node = &s->nodes[layer->index];

        if (node->low == node->order)
                close_component(s, layer);
        s->n_path--;
        if (s->n_path > 0) {
                struct node *upper = &s->nodes[s->path[s->n_path - 1]->index];

                if (node->low < upper->low)
                        upper->low = node->low;
        }
}

static void visit(struct search *s, struct layer *start) {
        enter(s, start);
        while (s->n_path > 0) {
                struct layer *layer = s->path[s->n_path - 1];
                struct node *node = &s->nodes[layer->index];

                if (node->next_edge == layer->n_below) {
                        leave(s, layer);
                        continue;
                }

                struct layer *lower = layer->below[node->next_edge++];
                const struct node *reached = &s->nodes[lower->index];
                if (reached->order == UNVISITED)
                        enter(s, lower);
                else if (reached->on_stack && reached->order < node->low)
                        node->low = reached->order;
        }
}

static void drop_edges_within(
                const struct node *nodes, const struct layer *layer, struct layer **neighbours, size_t *n) {
        size_t kept = 0;

        for (size_t i = 0; i < *n; i++)
                if (nodes[neighbours[i]->index].component != nodes[layer->index].component)
                        neighbours[kept++] = neighbours[i];
        *n = kept;
}

/* Depths need those of what is below, so they are set in the order of the components: bottom first. */
static int set_depths(struct search *s) {
        struct topology *t = s->topology;
        struct layer **by_component = arena_alloc_array(s->arena, s->n_components, sizeof(*by_component));

        if (!by_component)
                return -ENOMEM;

        /* Layers of one component have no edges left between them: any of them may stand for it, the rest is chained. */
        size_t *next = arena_alloc_array(s->arena, t->n_layers, sizeof(*next));
        if (!next)
                return -ENOMEM;
        for (size_t i = 0; i < t->n_layers; i++) {
                size_t component = s->nodes[i].component;

                next[i] = by_component[component] ? by_component[component]->index : i;
                by_component[component] = t->layers[i];
        }

        for (size_t c = 0; c < s->n_components; c++)
                for (struct layer *layer = by_component[c];; layer = t->layers[next[layer->index]]) {
                        for (size_t i = 0; i < layer->n_below; i++)
                                if (layer->below[i]->depth >= layer->depth)
                                        layer->depth = layer->below[i]->depth + 1;
                        if (next[layer->index] == layer->index)
                                break;
                }
        return 0;
}

static int compare_depth(const void *a, const void *b) {
        const struct layer *x = *(struct layer *const *)a, *y = *(struct layer *const *)b;

        if (x->depth != y->depth)
                return x->depth < y->depth ? -1 : 1;
        return strverscmp(x->name, y->name);
}

static int search_init(struct search *s, struct topology *topology, struct arena *arena) {
        *s = (struct search){
                        .topology = topology,
                        .arena = arena,
                        .nodes = arena_alloc_array(arena, topology->n_layers, sizeof(*s->nodes)),
                        .path = arena_alloc_array(arena, topology->n_layers, sizeof(*s->path)),
                        .stack = arena_alloc_array(arena, topology->n_layers, sizeof(*s->stack)),
        };
        if (!s->nodes || !s->path || !s->stack)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_layers; i++)
                s->nodes[i].order = UNVISITED;
        return 0;
}

int topology_order(struct topology *topology) {
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct search s;
        int r;

        if (!scratch)
                return -ENOMEM;
        r = search_init(&s, topology, scratch);
        if (r < 0)
                return r;
        for (size_t i = 0; i < topology->n_layers; i++)
                if (s.nodes[i].order == UNVISITED)
                        visit(&s, topology->layers[i]);

        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                if (layer->in_cycle) {
                        drop_edges_within(s.nodes, layer, layer->below, &layer->n_below);
                        drop_edges_within(s.nodes, layer, layer->above, &layer->n_above);
                }
        }

        r = set_depths(&s);
        if (r < 0)
                return r;
        if (topology->n_layers > 1)
                qsort(topology->layers, topology->n_layers, sizeof(*topology->layers), compare_depth);
        for (size_t i = 0; i < topology->n_layers; i++)
                topology->layers[i]->index = i;
        return 0;
}
