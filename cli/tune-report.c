/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/match-text.h"
#include "cli/svg.h"
#include "cli/text.h"
#include "cli/tune-report.h"
#include "common/units.h"

/* Fetched so many times what is asked for, a program notices. */
#define AMPLIFICATION_TOLD 2.0

const char *tune_rule(
                const struct layer *layer, const struct topology *topology, uint64_t sectors, struct arena *arena) {
        const char *match = match_text(layer, topology, arena), *setting;

        setting = sectors > 0 ? arena_printf(arena, "%" PRIu64 "s", sectors) : "off";
        if (!match || !setting)
                return NULL;
        return arena_printf(arena,
                        "version: 1\nrules:\n  - name: tuned %s\n    match: {%s}\n    readahead: %s\n    direction: "
                        "both\n",
                        match_rule_name(layer, topology), match, setting);
}

/* "now, plan, chosen" */
static const char *remark(const struct tune_report *report, size_t i, struct arena *arena) {
        int64_t sectors = (int64_t)report->tune->values[i].sectors;
        const bool marks[] = {report->now_sectors.known && report->now_sectors.value == sectors,
                        report->plan_sectors.known && report->plan_sectors.value == sectors,
                        report->choice.chosen == i};
        static const char *const names[] = {"now", "plan", "chosen"};
        const char *text = "";

        for (size_t mark = 0; mark < ARRAY_SIZE(marks) && text; mark++)
                if (marks[mark])
                        text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", names[mark]);
        return text;
}

/* The values that were measured. */
struct shown {
        size_t items[TUNE_VALUES_MAX];
        size_t n;
};

static struct shown find_shown(const struct tune *tune) {
        struct shown shown = {};

        for (size_t i = 0; i < tune->n_values; i++)
                if (tune->values[i].n_runs > 0)
                        shown.items[shown.n++] = i;
        return shown;
}

static const char *size_text(const struct tune_value *value, struct arena *arena) {
        char buffer[UNITS_BUFFER];

        return arena_strdup(arena, value->sectors > 0 ? units_format_sectors(buffer, value->sectors) : "off");
}

static const char *rate_text(const struct tune_value *value, struct arena *arena) {
        char buffer[UNITS_BUFFER];

        return arena_strdup(arena, units_format_mbps(buffer, value->median_mbps));
}

static const char *amplification_text(const struct tune_value *value, struct arena *arena) {
        char buffer[UNITS_BUFFER];

        if (value->bytes_asked == 0)
                return "-";
        return arena_printf(arena, "×%s", units_format_ratio(buffer, tune_amplification(value)));
}

/* False without memory. */
static bool fill_row(const struct tune_report *report, size_t i, struct arena *arena, struct chart_row *row) {
        const struct tune_value *value = &report->tune->values[i];

        *row = (struct chart_row){
                        .cells = {arena_printf(arena, "%" PRIu64, value->sectors), size_text(value, arena),
                                        rate_text(value, arena), amplification_text(value, arena)},
                        .value = value->median_mbps,
                        .remark = remark(report, i, arena),
        };
        return row->cells[0] && row->cells[1] && row->cells[2] && row->cells[3] && row->remark;
}

int tune_print_chart(FILE *stream, const struct tune_report *report, unsigned columns, bool utf8) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct chart_row rows[TUNE_VALUES_MAX];
        const struct shown shown = find_shown(report->tune);
        const struct chart chart = {
                        .headings = {"SECTORS", "SIZE", "MB/s", report->mixed ? "FETCHED" : NULL},
                        .rows = rows,
                        .n_rows = shown.n,
        };

        if (!arena)
                return -ENOMEM;
        for (size_t i = 0; i < shown.n; i++)
                if (!fill_row(report, shown.items[i], arena, &rows[i]))
                        return -ENOMEM;
        chart_print(stream, &chart, columns, utf8);
        return 0;
}

/* --- the choice */

static char *describe(const struct tune_value *value, char buffer[static 2 * UNITS_BUFFER]) {
        char size[UNITS_BUFFER];

        if (value->sectors == 0)
                snprintf(buffer, 2 * UNITS_BUFFER, "readahead off");
        else
                snprintf(buffer, 2 * UNITS_BUFFER, "%" PRIu64 " sectors (%s)", value->sectors,
                                units_format_sectors(size, value->sectors));
        return buffer;
}

static const struct tune_value *find_value(const struct tune_report *report, struct opt_int sectors) {
        size_t i = sectors.known ? tune_find(report->tune, (uint64_t)sectors.value) : TUNE_VALUES_MAX;

        return i < report->tune->n_values && report->tune->values[i].n_runs > 0 ? &report->tune->values[i] : NULL;
}

static void print_sentence(FILE *stream, const struct tune_report *report) {
        const struct tune_value *chosen = &report->tune->values[report->choice.chosen];
        const struct tune_value *best = &report->tune->values[report->choice.best];
        const struct tune_value *now = find_value(report, report->now_sectors);
        char what[2 * UNITS_BUFFER], other[2 * UNITS_BUFFER], mbps[UNITS_BUFFER], best_mbps[UNITS_BUFFER],
                        tail[160] = "";

        if (now == chosen)
                snprintf(tail, sizeof(tail), "; it has that already");
        else if (now)
                snprintf(tail, sizeof(tail), "; now it has %s: %s MB/s", describe(now, other),
                                units_format_mbps(mbps, now->median_mbps));
        units_format_mbps(best_mbps, best->median_mbps);
        if (chosen == best)
                text_print_wrapped(stream, 0, 0, "Chosen: %s, the fastest with %s MB/s%s.", describe(chosen, what),
                                best_mbps, tail);
        else {
                char chosen_mbps[UNITS_BUFFER], best_what[2 * UNITS_BUFFER];

                text_print_wrapped(stream, 0, 0,
                                "Chosen: %s, the smallest that is within %g %% of the fastest: %s MB/s, and %s MB/s "
                                "with %s%s.",
                                describe(chosen, what), TUNE_SLACK * 100,
                                units_format_mbps(chosen_mbps, chosen->median_mbps), best_mbps,
                                describe(best, best_what), tail);
        }
}

static void print_doubts(FILE *stream, const struct tune_report *report) {
        const struct tune_choice *choice = &report->choice;

        if (choice->could_be_more)
                text_print_wrapped(stream, 0, 0,
                                "That is the largest value that was tried (%s): a larger one may be faster still.",
                                report->max_text);
        if (report->result->time_is_over)
                text_print_wrapped(stream, 0, 0, "The time was over before that was certain; --time gives it more.");
        else if (!choice->finished || !choice->is_certain)
                text_print_wrapped(stream, 0, 0,
                                "The figures of these runs lie so far apart that the next smaller or larger value may "
                                "do as well.");
        if (report->result->disturbed)
                text_print_wrapped(
                                stream, 0, 0, "Others were reading the device meanwhile: the figures are not its own.");
}

/* What the choice costs who reads here and there through a mapping. */
static void print_cost(FILE *stream, const struct tune_report *report) {
        const struct tune_value *chosen = &report->tune->values[report->choice.chosen];
        const struct tune_value *now = find_value(report, report->now_sectors);
        char ratio[UNITS_BUFFER], size[UNITS_BUFFER], tail[96] = "";
        double amplification = tune_amplification(chosen);

        if (chosen->bytes_asked == 0) {
                text_print_wrapped(stream, 0, 0, "How much random reads fetch could not be measured.");
                return;
        }
        if (now && now != chosen && now->bytes_asked > 0)
                snprintf(tail, sizeof(tail), ", now %s times", units_format_ratio(ratio, tune_amplification(now)));
        text_print_wrapped(stream, 0, 0,
                        "A database that reads through a memory mapping here and there (LMDB and its kind) makes the "
                        "device fetch %s times what it asks for at this value%s%s.",
                        units_format_ratio(size, amplification), tail,
                        amplification < AMPLIFICATION_TOLD
                                        ? ""
                                        : ": where such a one lives on it, that is the price of fast sequential reads");
}

void tune_print_choice(FILE *stream, const struct tune_report *report) {
        print_sentence(stream, report);
        print_doubts(stream, report);
        if (report->mixed)
                print_cost(stream, report);
}

/* --- for programs */

static void print_runs(FILE *stream, const struct tune_value *value) {
        for (unsigned run = 0; run < value->n_runs; run++)
                fprintf(stream, "%s%.3f", run > 0 ? " " : "", value->mbps[run]);
}

void tune_print_csv(FILE *stream, const struct tune_report *report) {
        const struct shown shown = find_shown(report->tune);

        fputs("readahead_sectors,median_mbps,mad_mbps,runs,amplification,bytes_read,chosen\n", stream);
        for (size_t i = 0; i < shown.n; i++) {
                const struct tune_value *value = &report->tune->values[shown.items[i]];

                fprintf(stream, "%" PRIu64 ",%.3f,%.3f,", value->sectors, value->median_mbps, value->mad_mbps);
                print_runs(stream, value);
                if (value->bytes_asked > 0)
                        fprintf(stream, ",%.3f", tune_amplification(value));
                else
                        fputc(',', stream);
                fprintf(stream, ",%" PRIu64 ",%d\n", value->bytes_read, shown.items[i] == report->choice.chosen);
        }
}

int tune_print_svg(FILE *stream, const struct tune_report *report) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        _cleanup_(freep) char *title = text_layer_title(report->layer);
        struct svg_bar bars[TUNE_VALUES_MAX];
        const struct shown shown = find_shown(report->tune);
        struct svg_chart chart = {.bars = bars, .n_bars = shown.n};

        if (!arena || !title)
                return -ENOMEM;
        chart.title = arena_printf(arena, "%s: sequential read by readahead", title);
        chart.text = arena_printf(
                        arena, "chosen: %" PRIu64 " sectors", report->tune->values[report->choice.chosen].sectors);
        for (size_t i = 0; i < shown.n; i++) {
                const struct tune_value *value = &report->tune->values[shown.items[i]];
                const char *size = size_text(value, arena), *rate = rate_text(value, arena);
                const char *mark = remark(report, shown.items[i], arena);

                if (!size || !rate || !mark)
                        return -ENOMEM;
                bars[i] = (struct svg_bar){
                                .label = arena_printf(arena, "%" PRIu64 " sectors, %s", value->sectors, size),
                                .value = value->median_mbps,
                                .figure = report->mixed ? arena_printf(arena, "%s MB/s, fetches %s", rate,
                                                                          amplification_text(value, arena))
                                                        : arena_printf(arena, "%s MB/s", rate),
                                .remark = *mark ? mark : NULL,
                };
                if (!bars[i].label || !bars[i].figure)
                        return -ENOMEM;
        }
        if (!chart.title || !chart.text)
                return -ENOMEM;
        return svg_print(stream, &chart);
}
