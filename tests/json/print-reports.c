/* SPDX-License-Identifier: MIT */

/*
 * Prints what probe and tune report of figures that are made up here: measuring takes devices.
 *
 *   print-reports json           documents, each in one line after "probe " or "tune "
 *   print-reports probe          every form for people
 *   print-reports tune COLUMNS   the page for a terminal of that width
 *   print-reports csv            lines for programs
 */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe-text.h"
#include "cli/terminal.h"
#include "cli/tune-report.h"
#include "common/cleanup.h"
#include "tests/support/stack.h"

#define STACK                                                                                                          \
        "disk sda sdb sdc sdd; md md0 raid5 256K sda sdb sdc sdd; set md0 ra=3072; map dm-0 0 9 linear md0 1536;"      \
        "lv dm-0 vg0/data"

/* --- probe */

/* Five runs around MBPS; fetched four times what was asked for, where that is counted. */
static void measure_item(struct probe_item *item, double mbps, bool counted) {
        const double shares[] = {1, 0.98, 1.02, 0.99, 1};

        item->series.n_runs = ARRAY_SIZE(shares);
        for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
                item->series.mbps[i] = mbps * shares[i];
                item->run_bytes[i] = 64 << 20;
        }
        item->series.bytes_read = 320 << 20;
        item->series.bytes_asked = counted ? 1 << 20 : 0;
        item->series.bytes_fetched = counted ? 4 << 20 : 0;
}

/* The array is faster than what lies over it, and one of its members slower than the others. */
static int measure_probe(const struct stack *stack, const struct probe_request *request, struct probe_report *ret) {
        int r = probe_report_plan(stack_layer(stack, "dm-0"), request, stack->arena, ret);

        if (r < 0)
                return r;
        for (size_t i = 0; i < ret->n_items; i++)
                measure_item(&ret->items[i], i == 1 ? 139 : i == 4 ? 30 : 50, request->form == PROBE_FORM_RANDOM);
        return probe_report_judge(ret, stack->arena);
}

static const struct probe_request requests[] = {
                {.form = PROBE_FORM_RATE, .runs = 15},
                {.form = PROBE_FORM_STREAMS, .runs = 15, .streams = 4},
                {.form = PROBE_FORM_RANDOM, .runs = 15},
                {.form = PROBE_FORM_HDPARM, .runs = 5},
                {.form = PROBE_FORM_DD, .runs = 5},
                {.form = PROBE_FORM_BELOW, .runs = 15},
};

/* Takes DOCUMENT over. */
static int print_document(const char *name, json_t *document) {
        int r;

        if (!document)
                return -ENOMEM;
        printf("%s ", name);
        r = json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
        json_decref(document);
        putchar('\n');
        return r == 0 ? 0 : -EIO;
}

static int print_probe_documents(const struct stack *stack) {
        struct probe_report report;
        int r;

        for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
                r = measure_probe(stack, &requests[i], &report);
                if (r < 0)
                        return r;
                report.disturbed = i == 0;
                r = print_document("probe", probe_json(&report, NULL));
                if (r < 0)
                        return r;
        }
        r = probe_report_plan(stack_layer(stack, "dm-0"), &requests[0], stack->arena, &report);
        return r < 0 ? r : print_document("probe", probe_json(&report, "md0 is degraded (1 of 4 members missing)"));
}

static int print_probe(const struct stack *stack) {
        for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
                _cleanup_(freep) char *sentence = NULL;
                struct probe_report report;
                int r = measure_probe(stack, &requests[i], &report);

                if (r == 0 && requests[i].form == PROBE_FORM_BELOW)
                        r = probe_print_tree(stdout, &report);
                else if (r == 0 && (sentence = probe_sentence(&report)))
                        puts(sentence);
                else
                        r = r < 0 ? r : -ENOMEM;
                if (r < 0)
                        return r;
                putchar('\n');
        }
        return 0;
}

/* --- tune */

static double mbps_at(uint64_t sectors) {
        return sectors < 4096 ? 300.0 * (double)sectors / 4096 : 300 + (double)sectors / 4096;
}

/* A search that is done, with STACK's volume at 256 sectors and planned to have 3072; both unknown where it is not MIXED. */
static bool measure_tune(const struct stack *stack, bool mixed, struct tune *tune, struct tune_report *ret) {
        static const struct tune_result result = {.step = TUNE_DONE};
        const struct tune_bounds bounds = {.page_bytes = 4096,
                        .max_sectors = 16384,
                        .now_sectors = {.known = mixed, .value = 256},
                        .plan_sectors = {.known = mixed, .value = 3072},
                        .bytes_per_run = 256 << 20};
        size_t i;

        tune_begin(tune, &bounds);
        while (tune_next(tune, &i))
                tune_add(tune, i, mbps_at(tune->values[i].sectors), tune_run_bytes(tune, i));
        for (i = 0; mixed && i < tune->n_values; i++)
                if (tune->values[i].n_runs > 0) {
                        tune->values[i].bytes_asked = 4096;
                        tune->values[i].bytes_fetched = tune->values[i].sectors * 512;
                }
        *ret = (struct tune_report){.layer = stack_layer(stack, "dm-0"),
                        .tune = tune,
                        .mixed = mixed,
                        .now_sectors = bounds.now_sectors,
                        .plan_sectors = bounds.plan_sectors,
                        .result = &result,
                        .max_text = "8 MiB, the max of its rule"};
        if (!tune_choose(tune, &ret->choice))
                return false;
        ret->rule = tune_rule(ret->layer, stack->topology, tune->values[ret->choice.chosen].sectors, stack->arena);
        return ret->rule;
}

static int print_tune_documents(const struct stack *stack) {
        struct tune_report report;
        struct tune tune;

        for (unsigned mixed = 0; mixed < 2; mixed++) {
                int r = measure_tune(stack, mixed, &tune, &report) ? print_document("tune", tune_json(&report)) : -EIO;

                if (r < 0)
                        return r;
        }
        return 0;
}

static int print_tune(const struct stack *stack, unsigned columns) {
        struct tune_report report;
        struct tune tune;

        for (unsigned mixed = 0; mixed < 2; mixed++) {
                int r = measure_tune(stack, mixed, &tune, &report)
                                        ? tune_print_chart(stdout, &report, columns, terminal_is_utf8())
                                        : -EIO;

                if (r < 0)
                        return r;
                putchar('\n');
                tune_print_choice(stdout, &report);
                putchar('\n');
        }
        return 0;
}

static int print_csv(const struct stack *stack) {
        struct tune_report report;
        struct tune tune;

        for (unsigned mixed = 0; mixed < 2; mixed++) {
                if (!measure_tune(stack, mixed, &tune, &report))
                        return -EIO;
                tune_print_csv(stdout, &report);
        }
        return 0;
}

int main(int argc, char **argv) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(STACK);
        int r;

        setlocale(LC_CTYPE, "");
        if (argc == 2 && strcmp(argv[1], "json") == 0) {
                r = print_probe_documents(stack);
                r = r < 0 ? r : print_tune_documents(stack);
        } else if (argc == 2 && strcmp(argv[1], "probe") == 0)
                r = print_probe(stack);
        else if (argc == 2 && strcmp(argv[1], "csv") == 0)
                r = print_csv(stack);
        else if (argc == 3 && strcmp(argv[1], "tune") == 0)
                r = print_tune(stack, (unsigned)strtoul(argv[2], NULL, 10));
        else {
                fputs("usage: print-reports json|probe|csv|tune COLUMNS\n", stderr);
                return EXIT_FAILURE;
        }
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
