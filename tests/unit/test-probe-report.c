/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/probe-report.h"
#include "cli/probe-text.h"
#include "common/cleanup.h"
#include "tests/support/stack.h"

#define RAID5                                                                                                          \
        "disk a b c d e; part a1 a 2048; md md0 raid5 256K a1 b c d e:spare; set md0 ra=3072;"                         \
        "map dm-0 0 9 linear md0 1536; lv dm-0 vg0/lv0;"
#define NESTED                                                                                                         \
        "disk a b c d; md md1 raid1 0 a b; md md2 raid1 0 c d; map dm-9 0 9 crypt x y 0 md2 0; md md0 raid0 64K md1 "  \
        "dm-9;"

/* Names of the items: "dm-0 md0 | a1<md0 b<md0". */
static const char *names_of(const struct probe_report *report, char *text, size_t size) {
        size_t n = 0;

        for (size_t i = 0; i < report->n_items; i++) {
                const struct probe_item *item = &report->items[i];

                n += (size_t)snprintf(text + n, size - n, "%s%s%s%s%s", i > 0 ? " " : "",
                                i > 0 && i == report->n_layers ? "| " : "", item->layer->name, item->array ? "<" : "",
                                item->array ? item->array->name : "");
                assert_true(n < size);
        }
        return text;
}

static struct probe_report plan(const struct stack *stack, const char *name, struct probe_request request) {
        struct probe_report report = {};

        if (request.runs == 0)
                request.runs = PROBE_REQUEST_RUNS;
        assert_int_equal(probe_report_plan(stack_layer(stack, name), &request, stack->arena, &report), 0);
        return report;
}

static void test_stack(void **state) {
        static const struct {
                const char *stack, *layer, *items;
        } cases[] = {
                        {RAID5, "dm-0", "dm-0 md0 | a1<md0 b<md0 c<md0 d<md0"},
                        {RAID5, "md0", "md0 | a1<md0 b<md0 c<md0 d<md0"},
                        {RAID5, "a1", "a1 a"},
                        {RAID5, "b", "b"},
                        {NESTED, "md0", "md0 md2 | md1<md0 dm-9<md0 c<md2 d<md2 a<md1 b<md1"},
                        /* A spare or one that has failed is no member to be measured. */
                        {"disk a b c; md md0 raid1 0 a b:faulty c;", "md0", "md0 | a<md0 c<md0"},
                        /* Images of an LV, without what keeps their state. */
                        {"disk a b; map dm-0 0 9 linear a 0; map dm-1 0 9 linear b 0; map dm-2 0 9 linear a 9;"
                         "map dm-3 0 9 linear b 9;"
                         "map dm-4 0 9 raid raid1 3 0 region_size 1024 2 dm-2 dm-0 dm-3 dm-1",
                                        "dm-4", "dm-4 | dm-0<dm-4 dm-1<dm-4"},
                        {"disk a b; map dm-0 0 9 striped 2 128 a 0 b 0", "dm-0", "dm-0 | a<dm-0 b<dm-0"},
                        /* Two ways down to one disk. */
                        {"disk a; map dm-0 0 9 linear a 0; map dm-1 0 9 linear a 9; map dm-2 0 9 linear dm-0 0;"
                         "map dm-2 9 9 linear dm-1 0",
                                        "dm-2", "dm-2 dm-1 dm-0 a"},
                        /* What has no node can't be read. */
                        {"disk a b; map dm-0 0 9 linear a 0; set a hidden", "dm-0", "dm-0"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct probe_report report =
                                plan(stack, cases[i].layer, (struct probe_request){.form = PROBE_FORM_BELOW});
                char text[256] = "";

                print_message("%s: %s\n", cases[i].stack, cases[i].layer);
                assert_string_equal(names_of(&report, text, sizeof(text)), cases[i].items);
                assert_int_equal(report.n_passes, report.n_items > report.n_layers ? 2 : 1);
        }
}

static void test_watched(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(NESTED "map dm-3 0 9 linear md0 0;");
        struct probe_report report = plan(stack, "dm-3", (struct probe_request){.form = PROBE_FORM_RATE});

        assert_string_equal(stack_names(stack, report.watched, report.n_watched), "dm-3 md0 md2 md1");
}

static void test_forms(void **state) {
        static const struct {
                struct probe_request request;
                size_t n_items, n_passes;
                enum probe_workload workloads[2];
                unsigned streams;
                struct probe_limits limits;
                bool ends_early;
        } cases[] = {
                        {{.form = PROBE_FORM_RATE}, 1, 1, {PROBE_SEQUENTIAL}, 1,
                                        {.time_msec = 10000, .bytes_per_run = 256 << 20, .runs = 15}, true},
                        {{.form = PROBE_FORM_RATE,
                                         .runs = 3,
                                         .time_msec = 1000,
                                         .bytes = 64 << 20,
                                         .block_bytes = 4096},
                                        1, 1, {PROBE_SEQUENTIAL}, 1,
                                        {.time_msec = 1000,
                                                        .bytes_per_run = 16 << 20,
                                                        .bytes = 64 << 20,
                                                        .runs = 3,
                                                        .block_bytes = 4096},
                                        true},
                        {{.form = PROBE_FORM_STREAMS, .streams = 4}, 2, 1, {PROBE_SEQUENTIAL, PROBE_SEQUENTIAL}, 4,
                                        {.time_msec = 10000, .bytes_per_run = 256 << 20, .runs = 15}, true},
                        {{.form = PROBE_FORM_RANDOM}, 2, 1, {PROBE_RANDOM_MAPPED, PROBE_RANDOM_READ}, 1,
                                        {.time_msec = 10000, .bytes_per_run = 256 << 20, .runs = 15}, true},
                        {{.form = PROBE_FORM_HDPARM, .runs = 2}, 1, 2, {PROBE_SEQUENTIAL_COLD}, 1,
                                        {.time_msec = 3000,
                                                        .bytes_per_run = UINT64_C(32) << 30,
                                                        .runs = 1,
                                                        .block_bytes = 2 << 20,
                                                        .no_warm_up = true},
                                        false},
                        {{.form = PROBE_FORM_DD, .runs = 1}, 1, 1, {PROBE_SEQUENTIAL_COLD}, 1,
                                        {.time_msec = 3600000,
                                                        .bytes_per_run = UINT64_C(4000) << 20,
                                                        .runs = 1,
                                                        .block_bytes = 10 << 20,
                                                        .no_warm_up = true},
                                        false},
                        {{.form = PROBE_FORM_DD, .runs = 1, .block_bytes = 1 << 20, .count = 7}, 1, 1,
                                        {PROBE_SEQUENTIAL_COLD}, 1,
                                        {.time_msec = 3600000,
                                                        .bytes_per_run = 7 << 20,
                                                        .runs = 1,
                                                        .block_bytes = 1 << 20,
                                                        .no_warm_up = true},
                                        false},
        };
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_report report = plan(stack, "dm-0", cases[i].request);

                print_message("case %zu\n", i);
                assert_int_equal(report.n_items, cases[i].n_items);
                assert_int_equal(report.n_passes, cases[i].n_passes);
                for (size_t j = 0; j < report.n_items; j++)
                        assert_int_equal(report.items[j].workload, cases[i].workloads[j]);
                assert_int_equal(report.items[report.n_items - 1].streams, cases[i].streams);
                for (size_t j = 0; j < report.n_passes; j++) {
                        const struct probe_limits *limits = &report.passes[j].limits;

                        assert_int_equal(limits->time_msec, cases[i].limits.time_msec);
                        assert_int_equal(limits->bytes_per_run, cases[i].limits.bytes_per_run);
                        assert_int_equal(limits->bytes, cases[i].limits.bytes);
                        assert_int_equal(limits->runs, cases[i].limits.runs);
                        assert_int_equal(limits->block_bytes, cases[i].limits.block_bytes);
                        assert_int_equal(limits->no_warm_up, cases[i].limits.no_warm_up);
                        assert_int_equal(report.passes[j].ends_early, cases[i].ends_early);
                }
        }
}

/* All that is read is within the budget, in whatever form. */
static void test_bytes_are_shared(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct probe_report below = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_BELOW, .bytes = 600});
        struct probe_report tool =
                        plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_DD, .runs = 3, .bytes = 600});

        assert_int_equal(below.n_items, 6);
        assert_int_equal(below.passes[0].limits.bytes, 200);
        assert_int_equal(below.passes[1].limits.bytes, 400);
        assert_int_equal(below.passes[0].limits.bytes_per_run, 16); /* of two series: warm-up and five runs */
        assert_int_equal(tool.n_passes, 3);
        assert_int_equal(tool.passes[2].limits.bytes, 200);
}

/* A large readahead needs long runs, many layers much time. */
static void test_limits_grow(void **state) {
        _cleanup_(stack_freep) struct stack *stack =
                        stack_build("disk a b c d e f g h; md md0 raid0 64K a b c d e f g h; set md0 ra=131072");
        struct probe_report report = plan(stack, "md0", (struct probe_request){.form = PROBE_FORM_BELOW});

        assert_int_equal(report.n_passes, 2);
        assert_int_equal(report.passes[0].limits.bytes_per_run, 16 * (UINT64_C(64) << 20));
        assert_int_equal(report.passes[0].limits.time_msec, 10000);
        assert_int_equal(report.passes[1].limits.bytes_per_run, 256 << 20);
        assert_int_equal(report.passes[1].limits.time_msec, 16000);
        assert_int_equal(probe_report_msec(&report), 26000);
}

/* What is no readahead, however large, is nothing to go by: 2^55 sectors are no bytes at all, and 128 MiB more no 128 MiB. */
static void test_senseless_readahead(void **state) {
        static const char *const numbers[] = {
                        "2147483648", "36028797018963968", "36028797019226112", "9223372036854775807"};

        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build("disk a");
                struct probe_report report;

                stack_layer(stack, "a")->readahead_sectors = opt_some(strtoll(numbers[i], NULL, 10));
                report = plan(stack, "a", (struct probe_request){.form = PROBE_FORM_RATE});
                assert_int_equal(report.passes[0].limits.bytes_per_run, 256 << 20);
        }
}

static void test_too_many(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct probe_request request = {.form = PROBE_FORM_BELOW, .runs = 5};
        struct probe_report report;
        char text[8192] = "disk", members[4096] = "";

        for (unsigned i = 0; i <= PROBE_SOURCES_MAX; i++) {
                size_t n = strlen(members);

                snprintf(members + n, sizeof(members) - n, " s%u", i);
        }
        snprintf(text, sizeof(text), "disk%s; md md0 raid0 64K%s", members, members);
        _cleanup_(stack_freep) struct stack *stack = stack_build(text);
        assert_int_equal(probe_report_plan(stack_layer(stack, "md0"), &request, arena, &report), -E2BIG);
}

static void set_runs(struct probe_item *item, unsigned n, const double *mbps) {
        item->series.n_runs = n;
        memcpy(item->series.mbps, mbps, n * sizeof(*mbps));
        item->series.bytes_read = n * 1000000;
}

/* Runs a little apart: MBPS less 2 %, MBPS, and 2 % more, five of them. */
static void set_rate(struct probe_item *item, double mbps) {
        const double runs[] = {mbps, mbps * 0.98, mbps * 1.02, mbps * 0.99, mbps};

        set_runs(item, ARRAY_SIZE(runs), runs);
}

static void test_sentences(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        static const double rates[] = {49.9, 48.7, 51.0, 50.2, 49.0};
        struct probe_report report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_RATE});
        _cleanup_(freep) char *rate = NULL, *one = NULL, *streams = NULL, *mapped = NULL, *unknown = NULL;

        set_runs(&report.items[0], 5, rates);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        rate = probe_sentence(&report);
        assert_string_equal(rate, "vg0/lv0 (dm-0): readahead 256 sectors (128 KiB): sequential read 49.9 MB/s (median "
                                  "of 5 runs, 48.7 to 51.0), 128 KiB blocks");
        report.items[0].series.n_runs = 1;
        report.items[0].readahead_sectors = 0;
        one = probe_sentence(&report);
        assert_string_equal(one, "vg0/lv0 (dm-0): readahead 0 sectors: sequential read 49.9 MB/s (1 run), 128 KiB "
                                 "blocks");

        report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_STREAMS, .streams = 2});
        set_rate(&report.items[0], 101);
        set_rate(&report.items[1], 198);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        streams = probe_sentence(&report);
        assert_string_equal(streams,
                        "vg0/lv0 (dm-0): readahead 256 sectors (128 KiB): 1 reader 101 MB/s; 2 readers 198 "
                        "MB/s together (×1.96), median of 5 runs each, 128 KiB blocks");

        report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_RANDOM});
        set_rate(&report.items[0], 0.3);
        set_rate(&report.items[1], 1.1);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        unknown = probe_sentence(&report);
        assert_string_equal(unknown, "vg0/lv0 (dm-0): readahead 256 sectors (128 KiB): random reads of 4 KiB: by mmap "
                                     "0.300 MB/s; by read() 1.10 MB/s (median of 5 runs each)");
        report.items[0].series.bytes_asked = report.items[1].series.bytes_asked = 8192;
        report.items[0].series.bytes_fetched = UINT64_C(8192) * 4096;
        report.items[1].series.bytes_fetched = 8192;
        mapped = probe_sentence(&report);
        assert_string_equal(mapped, "vg0/lv0 (dm-0): readahead 256 sectors (128 KiB): random reads of 4 KiB: by mmap "
                                    "0.300 MB/s, 4096 bytes fetched a byte asked; by read() 1.10 MB/s, 1.00 bytes "
                                    "fetched a byte asked (median of 5 runs each)");
}

static void test_tools(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        static const double rates[] = {52.4288, 0.524288};
        struct probe_report report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_HDPARM, .runs = 2});
        _cleanup_(freep) char *hdparm = NULL, *dd = NULL;

        set_runs(&report.items[0], 2, rates);
        report.items[0].run_bytes[0] = 150 << 20;
        report.items[0].run_bytes[1] = 2 << 20;
        hdparm = probe_sentence(&report);
        assert_string_equal(hdparm,
                        "\n/dev/dm-0:\n Timing buffered disk reads: 150 MB in  3.00 seconds =  50.00 MB/sec\n"
                        " Timing buffered disk reads:   2 MB in  4.00 seconds = 512.00 kB/sec");

        report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_DD, .runs = 2});
        set_runs(&report.items[0], 2, (const double[]){125, 1310.72});
        report.items[0].run_bytes[0] = UINT64_C(4000) << 20;
        report.items[0].run_bytes[1] = 400 << 20;
        dd = probe_sentence(&report);
        assert_string_equal(dd, "4194304000 bytes (4.2 GB, 3.9 GiB) copied, 33.5544 s, 125 MB/s\n"
                                "419430400 bytes (419 MB, 400 MiB) copied, 0.32 s, 1.3 GB/s");
}

static void test_losses(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct probe_report report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_BELOW});
        static const double overlapping[] = {50, 50, 50, 50, 139};
        _cleanup_(freep) char *loss = NULL, *same = NULL;

        for (size_t i = 0; i < report.n_items; i++)
                set_rate(&report.items[i], i == 1 ? 139 : 50);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        loss = probe_loss_sentence(&report, &report.items[0]);
        assert_string_equal(loss, "vg0/lv0 reads 0.36 of md0 beneath it: readahead 256 against 3072 sectors");
        report.items[1].readahead_sectors = 256;
        same = probe_loss_sentence(&report, &report.items[0]);
        assert_string_equal(same, "vg0/lv0 reads 0.36 of md0 beneath it, at the same readahead of 256 sectors");
        /* Of an array and its members neither is a loss of the other. */
        set_rate(&report.items[1], 10);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        assert_null(probe_loss_sentence(&report, &report.items[1]));
        /* Little of a difference, or one that not all runs show. */
        set_rate(&report.items[1], 60);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        assert_null(probe_loss_sentence(&report, &report.items[0]));
        set_rate(&report.items[1], 139);
        set_runs(&report.items[0], 5, overlapping);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        assert_null(probe_loss_sentence(&report, &report.items[0]));
        report.items[1].series.n_runs = 0;
        assert_null(probe_loss_sentence(&report, &report.items[0]));
}

static char *tree_of(const struct probe_report *report) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        assert_non_null(f);
        assert_int_equal(probe_print_tree(f, report), 0);
        fclose(f);
        return text;
}

static void test_tree(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct probe_report report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_BELOW});
        _cleanup_(freep) char *text = NULL, *well = NULL;

        for (size_t i = 0; i < report.n_items; i++)
                set_rate(&report.items[i], i == 1 ? 139 : i == 4 ? 30 : 50);
        report.items[5].series.n_runs = 0;
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        assert_int_equal(report.findings.n_items, 0); /* one member was not measured */
        set_rate(&report.items[5], 50);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        text = tree_of(&report);
        assert_string_equal(text, "NAME           KIND      READAHEAD MB/S RANGE        ÷TOP\n"
                                  "vg0/lv0 (dm-0) dm-linear       256 50.0 49.0 to 51.0 1.00\n"
                                  "└─md0          md-raid5       3072  139 136 to 142   2.78\n"
                                  "  ├─a1         partition       256 50.0 49.0 to 51.0 1.00\n"
                                  "  ├─b          disk            256 50.0 49.0 to 51.0 1.00\n"
                                  "  ├─c          disk            256 30.0 29.4 to 30.6 0.60\n"
                                  "  └─d          disk            256 50.0 49.0 to 51.0 1.00\n"
                                  "\n"
                                  "vg0/lv0 reads 0.36 of md0 beneath it: readahead 256 against 3072 sectors\n"
                                  "warning: member-slow: c reads 30.0 MB/s, 0.60 of the 50.0 MB/s that the faster\n"
                                  "  half of the members of md0 read (median of 5 runs)\n");
        report = plan(stack, "b", (struct probe_request){.form = PROBE_FORM_BELOW});
        set_rate(&report.items[0], 50);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        well = tree_of(&report);
        assert_non_null(strstr(well, "\nNo layer reads much less than what is beneath it.\n"));
}

static void test_json(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct probe_report report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_BELOW});
        json_t *document, *device, *result, *finding;

        for (size_t i = 0; i < report.n_items; i++)
                set_rate(&report.items[i], i == 1 ? 139 : i == 4 ? 30 : 50);
        assert_int_equal(probe_report_judge(&report, stack->arena), 0);
        report.items[0].series.bytes_asked = 1000;
        report.items[0].series.bytes_fetched = 1500;
        document = probe_json(&report, NULL);
        assert_non_null(document);
        assert_int_equal(json_integer_value(json_object_get(document, "version")), 1);
        device = json_object_get(document, "device");
        assert_string_equal(json_string_value(json_object_get(device, "name")), "dm-0");
        assert_string_equal(json_string_value(json_object_get(device, "label")), "vg0/lv0");
        assert_string_equal(json_string_value(json_object_get(device, "devno")), "253:7");
        assert_true(json_is_null(json_object_get(document, "skipped")));
        assert_true(json_is_false(json_object_get(document, "disturbed")));
        assert_int_equal(json_array_size(json_object_get(document, "results")), 6);
        result = json_array_get(json_object_get(document, "results"), 0);
        assert_string_equal(json_string_value(json_object_get(result, "label")), "vg0/lv0");
        assert_string_equal(json_string_value(json_object_get(result, "kind")), "dm-linear");
        assert_string_equal(json_string_value(json_object_get(result, "workload")), "sequential");
        assert_int_equal(json_integer_value(json_object_get(result, "streams")), 1);
        assert_int_equal(json_integer_value(json_object_get(result, "readahead_sectors")), 256);
        assert_int_equal(json_integer_value(json_object_get(result, "block_bytes")), 131072);
        assert_true(json_real_value(json_object_get(result, "median_mbps")) == 50);
        assert_true(json_real_value(json_object_get(result, "low")) == 49);
        assert_true(json_real_value(json_object_get(result, "high")) == 51);
        assert_int_equal(json_array_size(json_object_get(result, "runs")), 5);
        assert_int_equal(json_integer_value(json_object_get(result, "bytes_read")), 5000000);
        assert_int_equal(json_integer_value(json_object_get(result, "bytes_fetched")), 1500);
        assert_true(json_real_value(json_object_get(result, "amplification")) == 1.5);
        assert_true(json_is_null(json_object_get(result, "array")));
        result = json_array_get(json_object_get(document, "results"), 2);
        assert_string_equal(json_string_value(json_object_get(result, "array")), "md0");
        assert_true(json_is_null(json_object_get(result, "amplification")));
        assert_true(json_is_null(json_object_get(result, "bytes_fetched")));
        finding = json_array_get(json_object_get(document, "findings"), 0);
        assert_string_equal(json_string_value(json_object_get(finding, "code")), "member-slow");
        assert_string_equal(json_string_value(json_object_get(finding, "name")), "c");
        json_decref(document);

        report = plan(stack, "dm-0", (struct probe_request){.form = PROBE_FORM_RATE});
        document = probe_json(&report, "md0 is degraded");
        assert_string_equal(json_string_value(json_object_get(document, "skipped")), "md0 is degraded");
        assert_int_equal(json_array_size(json_object_get(document, "results")), 0);
        json_decref(document);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_stack),
                        cmocka_unit_test(test_watched),
                        cmocka_unit_test(test_forms),
                        cmocka_unit_test(test_bytes_are_shared),
                        cmocka_unit_test(test_limits_grow),
                        cmocka_unit_test(test_senseless_readahead),
                        cmocka_unit_test(test_too_many),
                        cmocka_unit_test(test_sentences),
                        cmocka_unit_test(test_tools),
                        cmocka_unit_test(test_losses),
                        cmocka_unit_test(test_tree),
                        cmocka_unit_test(test_json),
        };

        setlocale(LC_CTYPE, "C.UTF-8");
        return cmocka_run_group_tests_name("probe-report", tests, NULL, NULL);
}
