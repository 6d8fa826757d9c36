/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/change.h"
#include "common/cleanup.h"

#define REASON "2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB"

/* vg0/lv0 (dm-3) over md0 over sda and sdb, with the plan to raise it. */
struct stack {
        struct layer sda, sdb, md0, lv;
        struct layer *members[2], *array[1];
        struct md_info md;
        struct dm_info dm;
        const struct layer *from[1];
        struct geometry geometry[4];
        struct rule_action action;
        struct decision decision;
        struct survey survey;
};

static struct layer layer(size_t index, const char *name, enum layer_kind kind) {
        return (struct layer){.index = index,
                        .name = name,
                        .sysname = name,
                        .label = name,
                        .kind = kind,
                        .has_devno = true,
                        .major = 8,
                        .minor = (unsigned)index,
                        .diskseq = opt_some(10 + (int64_t)index),
                        .size_sectors = opt_some(1000000),
                        .readahead_sectors = opt_some(256)};
}

static void set_up(struct stack *s) {
        *s = (struct stack){.sda = layer(0, "sda", KIND_DISK),
                        .sdb = layer(1, "sdb", KIND_DISK),
                        .md0 = layer(2, "md0", KIND_MD_RAID5),
                        .lv = layer(3, "dm-3", KIND_DM_LINEAR)};
        s->members[0] = &s->sda;
        s->members[1] = &s->sdb;
        s->array[0] = &s->md0;
        s->md0.below = s->members;
        s->md0.n_below = 2;
        s->md = (struct md_info){.level = "raid5", .raid_disks = opt_some(4), .degraded = opt_some(0)};
        s->md0.md = &s->md;
        s->lv.label = "vg0/lv0";
        s->lv.below = s->array;
        s->lv.n_below = 1;
        s->dm = (struct dm_info){.name = "vg0-lv0", .uuid = "LVM-x", .has_table = true, .tables_known = true};
        s->lv.dm = &s->dm;
        s->from[0] = &s->md0;
        s->geometry[3] = (struct geometry){.known = true, .from = s->from, .n_from = 1};
        s->action = (struct rule_action){.probe = {.on_change = true, .time_msec = 3000, .bytes = 64 << 20, .runs = 5}};
        s->decision = (struct decision){.layer = &s->lv,
                        .action = ACTION_RAISE,
                        .target = {.sectors = opt_some(3072), .origin = TARGET_STRIPE},
                        .rule = "stacks over arrays",
                        .rule_action = &s->action,
                        .reason = REASON};
        s->survey = (struct survey){.geometry = s->geometry};
}

static void test_request(void **state) {
        struct apply_request request;
        struct stack s;

        set_up(&s);
        s.action.probe.keep_if = (struct keep_condition){.given = true, .or_equal = true, .min_gain = 0.97};
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_true(request.keep_if.given && request.keep_if.or_equal);
        assert_float_equal(request.keep_if.min_gain, 0.97, 1e-9);
        assert_string_equal(request.device.name, "dm-3");
        assert_int_equal(request.device.minor, 3);
        assert_int_equal(request.device.diskseq, 13);
        assert_string_equal(request.device.dm_uuid, "LVM-x");
        assert_int_equal(request.from_sectors, 256);
        assert_int_equal(request.to_sectors, 3072);
        assert_true(request.probe);
        assert_int_equal(request.workload, PROBE_SEQUENTIAL);
        assert_int_equal(request.probe_limits.runs, 5);
        assert_int_equal(request.probe_limits.time_msec, 3000);
        assert_int_equal(request.probe_limits.bytes_per_run, 64 << 20);
        assert_true(request.has_array);
        assert_string_equal(request.array.name, "md0");
        assert_string_equal(request.probe_skipped, "");
        s.action.probe.workload = PROBE_RANDOM_MAPPED;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_int_equal(request.workload, PROBE_RANDOM_MAPPED);
}

static void test_request_without_array(void **state) {
        struct apply_request request;
        struct stack s;

        set_up(&s);
        s.geometry[3].n_from = 0;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_true(request.probe && !request.has_array);

        /* The array itself is changed. */
        set_up(&s);
        s.geometry[2] = s.geometry[3];
        s.decision.layer = &s.md0;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_true(request.probe && !request.has_array);

        set_up(&s);
        s.md0.has_devno = false;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_true(request.probe && !request.has_array);
}

static void test_request_without_probe(void **state) {
        struct apply_request request;
        struct stack s;

        set_up(&s);
        s.md.degraded = opt_some(1);
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_false(request.probe || request.has_array);
        assert_string_equal(request.probe_skipped, "md0 is degraded (1 of 4 members missing)");

        /* A rule that asks for none is not told why there is none. */
        s.action.probe.on_change = false;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), 0);
        assert_false(request.probe);
        assert_string_equal(request.probe_skipped, "");
}

static void test_request_refused(void **state) {
        static const enum plan_action actions[] = {ACTION_KEEP, ACTION_HOLD, ACTION_IGNORE};
        struct apply_request request = {.to_sectors = 42};
        struct stack s;

        for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
                set_up(&s);
                s.decision.action = actions[i];
                assert_int_equal(change_request(&s.survey, &s.decision, &request), -EINVAL);
        }
        set_up(&s);
        s.lv.has_devno = false;
        assert_int_equal(change_request(&s.survey, &s.decision, &request), -EINVAL);
        set_up(&s);
        s.decision.target.sectors = (struct opt_int){};
        assert_int_equal(change_request(&s.survey, &s.decision, &request), -EINVAL);
        assert_int_equal(request.to_sectors, 42);
}

static void test_deadline(void **state) {
        struct apply_request request = {.probe = true, .probe_limits = {.time_msec = 3000}};

        assert_int_equal(change_deadline_msec(&request, 5000), 8000 + PROBE_LOOK_MSEC);
        request.probe_limits.time_msec = UINT64_MAX;
        assert_int_equal(change_deadline_msec(&request, 5000), UINT_MAX);
        request.probe = false;
        assert_int_equal(change_deadline_msec(&request, 5000), 5000);
}

static struct apply_result changed(void) {
        return (struct apply_result){.step = APPLY_DONE, .before_sectors = 256, .after_sectors = 3072, .changed = true};
}

static struct apply_result measured(enum probe_verdict verdict, double before, double after, unsigned runs) {
        struct apply_result result = changed();

        result.probe.verdict = verdict;
        result.probe.gain = after / before;
        result.probe.series[PROBE_BEFORE] = (struct probe_series){.n_runs = runs, .median_mbps = before};
        result.probe.series[PROBE_AFTER] = (struct probe_series){.n_runs = runs, .median_mbps = after};
        return result;
}

static struct apply_result with_interval(struct apply_result result, double low, double high, unsigned runs_needed) {
        result.probe.gain_low = low;
        result.probe.gain_high = high;
        result.probe.runs_needed = runs_needed;
        return result;
}

static void assert_sentence(const struct decision *decision, const struct apply_result *result, const char *wanted) {
        _cleanup_(freep) char *sentence = change_sentence(decision, result);

        assert_string_equal(sentence, wanted);
}

#define CHANGED "vg0/lv0 (dm-3 on md0): readahead 256 → 3072 sectors (1.5 MiB = " REASON ")"

static void test_sentence_verdicts(void **state) {
        const struct {
                struct apply_result result;
                const char *text;
        } cases[] = {
                        {changed(), CHANGED},
                        {with_interval(measured(PROBE_FASTER, 49.9, 146.2, 5), 2.714, 3.1, 0),
                                        CHANGED "; sequential read 49.9 → 146 MB/s (×2.93, 2.71 to 3.10, 5 runs)"},
                        {with_interval(measured(PROBE_SLOWER, 146, 124.1, 6), 0.8, 0.912, 0),
                                        CHANGED "; sequential read 146 → 124 MB/s (×0.85, 0.80 to 0.91, slower, 6 "
                                                "runs)"},
                        {with_interval(measured(PROBE_NO_DIFFERENCE, 49.9, 50.9, 5), 0.95, 1.09, 40), CHANGED
                                        "; no difference that 5 runs can show (49.9 → 50.9 MB/s, ×1.02, 0.95 to "
                                        "1.09; one of 3 % would take about 40 runs)"},
                        {with_interval(measured(PROBE_NO_DIFFERENCE, 49.9, 60, 5), 0.95, 1.59, 101), CHANGED
                                        "; no difference that 5 runs can show (49.9 → 60.0 MB/s, ×1.20, 0.95 to "
                                        "1.59; one of this size would take about 110 runs)"},
                        /* So many there were: it is not that. */
                        {with_interval(measured(PROBE_NO_DIFFERENCE, 49.9, 50.9, 9), 0.96, 1.04, 9), CHANGED
                                        "; no difference that 9 runs can show (49.9 → 50.9 MB/s, ×1.02, 0.96 to "
                                        "1.04)"},
                        {with_interval(measured(PROBE_NO_DIFFERENCE, 49.9, 50.3, 6), 0.98, 1.029, 5), CHANGED
                                        "; no difference of 3 % or more (49.9 → 50.3 MB/s, ×1.01, 0.98 to 1.03, 6 "
                                        "runs)"},
                        /* Too few for an interval. */
                        {with_interval(measured(PROBE_NO_DIFFERENCE, 49.9, 60, 3), 0, 0, 7),
                                        CHANGED "; no difference that 3 runs can show (49.9 → 60.0 MB/s, ×1.20; one of "
                                                "this size would take about 7 runs)"},
                        {measured(PROBE_NO_DIFFERENCE, 49.9, 50.3, 1),
                                        CHANGED "; no difference that 1 run can show (49.9 → 50.3 MB/s, ×1.01)"},
        };
        struct apply_result skipped = changed();
        struct stack s;

        set_up(&s);
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_sentence(&s.decision, &cases[i].result, cases[i].text);
        snprintf(skipped.probe.skipped, sizeof(skipped.probe.skipped), "md0 is degraded (1 of 2 members missing)");
        assert_sentence(&s.decision, &skipped, CHANGED "; not measured: md0 is degraded (1 of 2 members missing)");
}

static struct apply_result measured_random(enum probe_verdict verdict, double before, double after, uint64_t fetched) {
        struct apply_result result = measured(verdict, before, after, 5);

        result.probe.workload = PROBE_RANDOM_MAPPED;
        result.probe.series[PROBE_BEFORE].bytes_asked = result.probe.series[PROBE_AFTER].bytes_asked = 4096;
        result.probe.series[PROBE_BEFORE].bytes_fetched = fetched;
        result.probe.series[PROBE_AFTER].bytes_fetched = fetched * 12;
        return result;
}

static void test_sentence_random(void **state) {
        struct apply_result unknown = measured_random(PROBE_SLOWER, 1.2, 0.3, 0);
        struct apply_result slower = measured_random(PROBE_SLOWER, 1.2, 0.3, 131072);
        struct apply_result alike = measured_random(PROBE_NO_DIFFERENCE, 1.2, 1.21, 131072);
        struct apply_result sequential = measured_random(PROBE_FASTER, 49.9, 146.2, 4096);
        struct stack s;

        set_up(&s);
        assert_sentence(&s.decision, &unknown,
                        CHANGED "; random reads of 4 KiB 1.20 → 0.300 MB/s (×0.25, slower, 5 runs)");
        assert_sentence(&s.decision, &slower,
                        CHANGED "; random reads of 4 KiB 1.20 → 0.300 MB/s (×0.25, slower, 5 runs; "
                                "fetched 32.0 → 384 times as much)");
        assert_sentence(&s.decision, &alike,
                        CHANGED "; no difference that 5 runs can show (random reads of 4 KiB 1.20 → 1.21 MB/s, ×1.01; "
                                "fetched 32.0 → 384 times as much)");
        sequential.probe.workload = PROBE_SEQUENTIAL;
        assert_sentence(&s.decision, &sequential, CHANGED "; sequential read 49.9 → 146 MB/s (×2.93, 5 runs)");
}

static void test_sentence_put_back(void **state) {
        static const struct {
                struct keep_condition keep_if;
                int error;
                const char *text;
        } cases[] = {
                        {{true, true, 0.97}, 0, "put back to 256 sectors, as keep-if \"gain >= 0.97\" asks"},
                        {{true, false, 1.05}, 0, "put back to 256 sectors, as keep-if \"gain > 1.05\" asks"},
                        {{true, true, 0.97}, -EPERM,
                                        "not put back to 256 sectors, as keep-if \"gain >= 0.97\" asks: Operation not "
                                        "permitted"},
                        {{true, true, 0.97}, -EAGAIN,
                                        "not put back to 256 sectors, as keep-if \"gain >= 0.97\" asks: it has become "
                                        "512 meanwhile"},
        };
        struct stack s;

        set_up(&s);
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct apply_result result = measured(PROBE_SLOWER, 100, 80, 5);
                char wanted[512];

                s.action.probe.keep_if = cases[i].keep_if;
                result.put_back = cases[i].error == 0;
                result.put_back_error = cases[i].error;
                result.changed = cases[i].error != 0;
                result.after_sectors = cases[i].error == 0 ? 256 : 512;
                snprintf(wanted, sizeof(wanted),
                                CHANGED "; sequential read 100 → 80.0 MB/s (×0.80, slower, 5 runs): %s", cases[i].text);
                assert_sentence(&s.decision, &result, wanted);
        }
}

static void test_sentence_reasons(void **state) {
        struct apply_result result = changed();
        struct stack s;

        set_up(&s);
        s.decision.target.origin = TARGET_LITERAL;
        s.decision.reason = "the rule's number";
        assert_sentence(&s.decision, &result,
                        "vg0/lv0 (dm-3 on md0): readahead 256 → 3072 sectors (1.5 MiB, the rule's number)");
        s.decision.reason = NULL;
        assert_sentence(&s.decision, &result, "vg0/lv0 (dm-3 on md0): readahead 256 → 3072 sectors (1.5 MiB)");
        result.after_sectors = 0;
        assert_sentence(&s.decision, &result, "vg0/lv0 (dm-3 on md0): readahead 256 → 0 sectors (0 B)");
}

static void test_sentence_titles(void **state) {
        struct layer disks[4], *list[4], *one[1];
        struct apply_result result = changed();
        struct stack s;

        set_up(&s);
        s.decision.reason = NULL;

        /* An array itself: what it lies on; a disk: nothing. */
        s.decision.layer = &s.md0;
        assert_sentence(&s.decision, &result, "md0 (on sda, sdb): readahead 256 → 3072 sectors (1.5 MiB)");
        s.decision.layer = &s.sda;
        assert_sentence(&s.decision, &result, "sda: readahead 256 → 3072 sectors (1.5 MiB)");

        /* Through a layer that does not stripe. */
        struct layer crypt = layer(4, "dm-4", KIND_DM_CRYPT);
        one[0] = &s.lv;
        crypt.label = "secret";
        crypt.below = one;
        crypt.n_below = 1;
        s.decision.layer = &crypt;
        assert_sentence(&s.decision, &result, "secret (dm-4 on md0): readahead 256 → 3072 sectors (1.5 MiB)");

        /* Nothing stripes: the layers directly below, the first three. */
        struct layer linear = layer(4, "dm-4", KIND_DM_LINEAR);
        for (size_t i = 0; i < 4; i++) {
                static const char *const names[] = {"sdc", "sdd", "sde", "sdf"};

                disks[i] = layer(i, names[i], KIND_DISK);
                list[i] = &disks[i];
        }
        linear.label = "vg/big";
        linear.below = list;
        linear.n_below = 4;
        s.decision.layer = &linear;
        assert_sentence(&s.decision, &result,
                        "vg/big (dm-4 on sdc, sdd, sde and 1 more): readahead 256 → 3072 sectors (1.5 MiB)");
        linear.n_below = 0;
        assert_sentence(&s.decision, &result, "vg/big (dm-4): readahead 256 → 3072 sectors (1.5 MiB)");
}

static void test_sentence_failures(void **state) {
        struct apply_result denied = {.error = -EPERM, .step = APPLY_SET, .before_sectors = 256, .after_sectors = 256};
        struct apply_result other = changed();
        struct stack s;

        set_up(&s);
        assert_sentence(&s.decision, &denied,
                        "vg0/lv0 (dm-3 on md0): readahead was not set to 3072 sectors: BLKRASET: Operation not "
                        "permitted");
        other.error = -EREMOTEIO;
        other.step = APPLY_VERIFY;
        other.after_sectors = 1024;
        assert_sentence(&s.decision, &other,
                        "vg0/lv0 (dm-3 on md0): readahead 256 → 1024 sectors, not 3072 as was set");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_request),
                        cmocka_unit_test(test_request_without_array),
                        cmocka_unit_test(test_request_without_probe),
                        cmocka_unit_test(test_request_refused),
                        cmocka_unit_test(test_deadline),
                        cmocka_unit_test(test_sentence_verdicts),
                        cmocka_unit_test(test_sentence_random),
                        cmocka_unit_test(test_sentence_put_back),
                        cmocka_unit_test(test_sentence_reasons),
                        cmocka_unit_test(test_sentence_titles),
                        cmocka_unit_test(test_sentence_failures),
        };

        return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
