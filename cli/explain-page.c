/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/columns.h"
#include "cli/explain.h"
#include "cli/forest.h"
#include "cli/table.h"
#include "cli/text.h"
#include "common/units.h"

#define ROOTS_MAX  8U /* with more top layers over it than that, only what is beneath it is drawn */
#define STEP_WIDTH 10

static int print_title(FILE *stream, const struct explanation *e) {
        const struct layer *layer = e->layer;
        _cleanup_(freep) char *title = text_layer_title(layer);
        char size[UNITS_BUFFER];

        if (!title)
                return -ENOMEM;
        text_print(stream, "%s: %s%s%s", title, kind_name(layer->kind), layer->size_sectors.known ? ", " : "",
                        layer->size_sectors.known && layer->size_sectors.value >= 0
                                        ? units_format_sectors(size, (uint64_t)layer->size_sectors.value)
                                        : "");
        fputc('\n', stream);
        return 0;
}

static void print_heading(FILE *stream, bool colors, const char *text) {
        fputc('\n', stream);
        color_print(stream, colors, COLOR_HEADING, text);
        fputc('\n', stream);
}

/* The top layers of the stacks that LAYER is in. */
static int find_roots(const struct survey *survey, const struct layer *layer, struct forest *ret) {
        size_t n = survey->topology->n_layers;
        _cleanup_(freep) bool *over = calloc(n + 1, sizeof(bool));
        _cleanup_(forest_done) struct forest forest = {.stacks = calloc(n + 1, sizeof(struct layer *))};

        if (!over || !forest.stacks)
                return -ENOMEM;
        over[layer->index] = true;
        for (size_t i = layer->index; i < n; i++) {
                const struct layer *upper = survey->topology->layers[i];

                for (size_t j = 0; j < upper->n_below; j++)
                        over[i] |= over[upper->below[j]->index];
                if (over[i] && upper->n_above == 0)
                        forest.stacks[forest.n_stacks++] = upper;
        }
        if (forest.n_stacks > ROOTS_MAX || forest.n_stacks == 0) {
                forest.stacks[0] = layer;
                forest.n_stacks = 1;
        }
        *ret = forest;
        forest = (struct forest){};
        return 0;
}

static int print_stack(FILE *stream, const struct explanation *e, bool colors, unsigned width) {
        _cleanup_(forest_done) struct forest forest = {};
        struct column_list columns;
        struct table table = {
                        .survey = e->survey,
                        .columns = &columns,
                        .form = TABLE_TREE,
                        .colors = colors,
                        .width = width,
        };
        int r;

        r = columns_parse("NAME,KIND,RA,TARGET,STRIPE", &columns);
        if (r < 0)
                return r;
        r = find_roots(e->survey, e->layer, &forest);
        if (r < 0)
                return r;
        table.forest = &forest;
        return table_print(stream, &table);
}

static void print_miss(FILE *stream, const struct policy_miss *miss) {
        if (strcmp(miss->key, "not") == 0)
                text_print_wrapped(stream, 5, 7, "no: it is what the rule excludes, not: %s", miss->wanted);
        else if (miss->value)
                text_print_wrapped(stream, 5, 7, "no: %s is %s; wanted is %s", miss->key, miss->value, miss->wanted);
        else
                text_print_wrapped(stream, 5, 7, "no: it has no %s; wanted is %s", miss->key, miss->wanted);
}

static void print_rules(FILE *stream, const struct policy_trace *trace, bool colors) {
        print_heading(stream, colors, "Rules, in the order they are tried; the first that matches decides");
        if (trace->n_steps == 0)
                text_print_wrapped(stream, 2, 2, "The policy has no rules.");
        for (size_t i = 0; i < trace->n_steps; i++) {
                const struct policy_step *step = &trace->steps[i];

                text_print_wrapped(stream, 2, 5, "%zu. %s (%s:%u)", i + 1, step->rule, step->file, step->line);
                for (size_t j = 0; j < step->n_misses; j++)
                        print_miss(stream, &step->misses[j]);
                if (step->matched)
                        text_print_wrapped(stream, 5, 7, "matches: it decides");
                else if (step->n_misses == 0)
                        text_print_wrapped(stream, 5, 7, "no: its match is empty");
        }
        if (trace->n_steps > 0 && !policy_trace_winner(trace))
                text_print_wrapped(stream, 2, 2, "None matches.");
        if (trace->n_not_reached > 0)
                text_print_wrapped(stream, 2, 2, "%zu more rule%s not looked at.", trace->n_not_reached,
                                trace->n_not_reached == 1 ? " is" : "s are");
}

static void print_steps(FILE *stream, const struct explanation *e, bool colors) {
        print_heading(stream, colors, "What it should be, in sectors of 512 bytes");
        for (size_t i = 0; i < e->n_steps; i++) {
                const struct explain_step *step = &e->steps[i];
                char number[24] = "";

                if (step->sectors.known)
                        snprintf(number, sizeof(number), "%" PRId64, step->sectors.value);
                text_print_wrapped(
                                stream, 2, STEP_WIDTH + 13, "%-*s %9s  %s", STEP_WIDTH, step->name, number, step->text);
        }
}

static void print_findings(FILE *stream, const struct explanation *e, bool colors) {
        size_t n = 0;
        const struct finding *findings = findings_of(&e->survey->findings, e->layer, &n);

        print_heading(stream, colors, "Findings");
        if (!findings || n == 0)
                text_print_wrapped(stream, 2, 2, "None.");
        for (size_t i = 0; findings && i < n; i++)
                text_print_wrapped(stream, 2, 4, "%s: %s: %s", finding_severity_name(findings[i].severity),
                                finding_code_name(findings[i].code), findings[i].text);
}

static void print_lines(FILE *stream, const char *text) {
        while (*text) {
                size_t n = strcspn(text, "\n");

                text_print(stream, "      %.*s", (int)n, text);
                text += n + (text[n] == '\n');
        }
}

static void print_advice(FILE *stream, const struct explanation *e, bool colors) {
        if (e->n_advice > 0)
                print_heading(stream, colors, "What to type");
        for (size_t i = 0; i < e->n_advice; i++) {
                text_print_wrapped(stream, 2, 2, "%s", e->advice[i].purpose);
                print_lines(stream, e->advice[i].text);
        }
}

int explain_print(FILE *stream, const struct explanation *e, bool colors, unsigned width) {
        int r;

        r = print_title(stream, e);
        if (r == 0)
                r = print_stack(stream, e, colors, width);
        if (r < 0)
                return r;
        print_heading(stream, colors, "Reads go by");
        text_print_wrapped(stream, 2, 2, "%s", e->reads_text);
        print_rules(stream, e->trace, colors);
        print_steps(stream, e, colors);
        print_findings(stream, e, colors);
        print_heading(stream, colors, "What setrad does");
        text_print_wrapped(stream, 2, 2, "It %s", e->outcome);
        print_advice(stream, e, colors);
        return 0;
}
