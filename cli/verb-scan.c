/* SPDX-License-Identifier: MIT */

/* setractl scan: every stack as a tree, what was found, and a line that sums it up. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/color.h"
#include "cli/columns.h"
#include "cli/forest.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"

static int print_findings(const struct findings *findings, bool colors) {
        for (size_t i = 0; i < findings->n_items; i++) {
                const struct finding *finding = &findings->items[i];
                _cleanup_(freep) char *title = text_layer_title(finding->layer);

                if (!title)
                        return -ENOMEM;
                color_print(stdout, colors && finding->severity == SEVERITY_WARNING, COLOR_WARNING,
                                finding_severity_name(finding->severity));
                text_print(stdout, ": %s: %s: %s", title, finding_code_name(finding->code), finding->text);
        }
        return 0;
}

static size_t count_findings(const struct findings *findings, enum finding_code code) {
        size_t n = 0;

        for (size_t i = 0; i < findings->n_items; i++)
                n += findings->items[i].code == code;
        return n;
}

static const char *plural(size_t n) {
        return n == 1 ? "" : "s";
}

static void print_summary(const struct survey *survey, const struct forest *forest) {
        size_t below = count_findings(&survey->findings, FINDING_READAHEAD_BELOW_ARRAY);
        size_t changes = survey->plan.n_changes;

        if (forest->n_stacks == 0) {
                text_print(stdout, "No md arrays or device-mapper maps here: nothing for setrad to do.");
                return;
        }
        text_print(stdout, "%zu stack%s, %zu layer%s below %s array, %zu to change, %zu held", forest->n_stacks,
                        plural(forest->n_stacks), below, plural(below), below == 1 ? "its" : "their", changes,
                        survey->plan.n_held);
}

static int print_legend(const struct context *context, const struct forest *forest) {
        const struct survey *survey = context->survey;
        int r;

        if (forest->n_stacks + forest->n_plain > 0)
                fputc('\n', stdout);
        r = print_findings(&survey->findings, context->colors);
        if (r < 0)
                return r;
        print_summary(survey, forest);
        if (isatty(STDOUT_FILENO)) {
                const struct advice advice = advice_for(context, false);

                advice_print(stdout, &advice);
        }
        return 0;
}

static int print_tree(const struct context *context, const struct forest *forest, const struct column_list *columns) {
        const struct options *options = &context->options;
        const struct table table = {
                        .survey = context->survey,
                        .forest = forest,
                        .columns = columns,
                        .form = options->raw     ? TABLE_RAW
                                : options->pairs ? TABLE_PAIRS
                                                 : TABLE_TREE,
                        .no_headings = options->noheadings,
                        .bytes = options->bytes_shown,
                        .colors = context->colors,
                        .width = terminal_table_columns(STDOUT_FILENO),
        };
        _cleanup_(forest_done) struct forest inverse = {};
        struct table upside_down = table;
        int r;

        if (!options->inverse)
                return table_print(stdout, &table);
        r = forest_invert(context->survey, forest, &inverse);
        if (r < 0)
                return r;
        upside_down.forest = &inverse;
        return table_print(stdout, &upside_down);
}

static int print_layers(const struct context *context, const struct column_list *columns) {
        const struct options *options = &context->options;
        _cleanup_(forest_done) struct forest forest = {};
        int r;

        r = forest_build(context->survey, options->all, &forest);
        if (r < 0)
                return r;
        r = print_tree(context, &forest, columns);
        if (r < 0)
                return r;
        if (!options->raw && !options->pairs && !options->noheadings)
                r = print_legend(context, &forest);
        return r;
}

enum exit_status verb_scan(struct context *context) {
        struct column_list columns;
        int r;

        r = columns_parse(context->options.columns, &columns);
        if (r < 0)
                return STATUS_USAGE;
        r = context_survey(context, POLICY_ANY);
        if (r < 0)
                return STATUS_FAILED;
        r = context->options.json ? json_print(stdout, json_scan(context->survey)) : print_layers(context, &columns);
        if (r < 0) {
                text_error("cannot print the layers: %s", strerror(-r));
                return STATUS_FAILED;
        }
        return STATUS_DONE;
}
