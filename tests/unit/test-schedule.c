/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/schedule.h"

#define MSEC UINT64_C(1000)

static const struct schedule_times times = {.settle_usec = 20 * MSEC, .settle_max_usec = 60 * MSEC};

struct taken {
        struct schedule *schedule;
        struct nameset news;
        unsigned n;
        uint64_t at_usec;
};

static uint64_t now_usec(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void on_due(void *userdata) {
        struct taken *taken = userdata;

        nameset_done(&taken->news);
        schedule_take(taken->schedule, &taken->news);
        taken->n++;
        taken->at_usec = now_usec();
}

static void run_for(sd_event *event, uint64_t usec) {
        uint64_t end = now_usec() + usec;

        for (uint64_t now = now_usec(); now < end; now = now_usec())
                assert_true(sd_event_run(event, end - now) >= 0);
}

static void new_schedule(sd_event **event, struct taken *taken, const struct schedule_times *wanted) {
        assert_true(sd_event_new(event) >= 0);
        assert_int_equal(schedule_new(*event, on_due, taken, &taken->schedule), 0);
        assert_int_equal(schedule_set_times(taken->schedule, wanted), 0);
}

static void done(struct taken *taken) {
        schedule_free(taken->schedule);
        nameset_done(&taken->news);
}

static void test_a_burst_is_one_scan(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};

        new_schedule(&event, &taken, &times);
        for (unsigned i = 0; i < 100; i++) {
                assert_int_equal(schedule_add(taken.schedule, "dm-0"), 0);
                assert_int_equal(schedule_add(taken.schedule, "md0"), 0);
        }
        run_for(event, 150 * MSEC);
        assert_int_equal(taken.n, 1);
        assert_int_equal(taken.news.n, 2);
        assert_false(taken.news.all);
        /* And it is over. */
        run_for(event, 100 * MSEC);
        assert_int_equal(taken.n, 1);
}

static void test_a_stream_is_scanned_all_the_same(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};
        uint64_t start;

        new_schedule(&event, &taken, &times);
        start = now_usec();
        while (now_usec() < start + 400 * MSEC) {
                assert_int_equal(schedule_add(taken.schedule, "dm-0"), 0);
                run_for(event, 5 * MSEC);
        }
        /* About every 60 ms; a busy machine makes it fewer, never many more. */
        assert_in_range(taken.n, 2, 8);
}

static void test_all_and_look(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};

        new_schedule(&event, &taken, &times);
        assert_int_equal(schedule_look(taken.schedule), 0);
        run_for(event, 100 * MSEC);
        assert_int_equal(taken.n, 1);
        assert_true(taken.news.n == 0 && !taken.news.all);
        assert_int_equal(schedule_add(taken.schedule, "md0"), 0);
        assert_int_equal(schedule_add(taken.schedule, NULL), 0);
        run_for(event, 100 * MSEC);
        assert_int_equal(taken.n, 2);
        assert_true(taken.news.all);
}

/* A scan that is made for another reason takes what was due with it. */
static void test_taken_early(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};

        new_schedule(&event, &taken, &times);
        assert_int_equal(schedule_add(taken.schedule, "md0"), 0);
        schedule_take(taken.schedule, &taken.news);
        assert_int_equal(taken.news.n, 1);
        run_for(event, 100 * MSEC);
        assert_int_equal(taken.n, 0);
}

/* A scan that takes its time is not followed at once by the next. */
static void test_rest(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};
        uint64_t start = now_usec();

        new_schedule(&event, &taken, &times);
        schedule_rest(taken.schedule, 300 * MSEC);
        while (taken.n == 0) {
                assert_int_equal(schedule_add(taken.schedule, "dm-0"), 0);
                run_for(event, 5 * MSEC);
        }
        assert_true(taken.at_usec - start >= 300 * MSEC);
}

static void test_reconcile(void **state) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(done) struct taken taken = {};
        struct schedule_times slow = times;
        uint64_t start = now_usec();

        slow.reconcile_usec = 1000 * MSEC;
        new_schedule(&event, &taken, &slow);
        while (taken.n == 0)
                run_for(event, 50 * MSEC);
        assert_true(taken.news.all);
        assert_true(taken.at_usec - start >= 900 * MSEC);

        slow.reconcile_usec = 0;
        assert_int_equal(schedule_set_times(taken.schedule, &slow), 0);
        run_for(event, 1500 * MSEC);
        assert_int_equal(taken.n, 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_a_burst_is_one_scan),
                        cmocka_unit_test(test_a_stream_is_scanned_all_the_same),
                        cmocka_unit_test(test_all_and_look),
                        cmocka_unit_test(test_taken_early),
                        cmocka_unit_test(test_rest),
                        cmocka_unit_test(test_reconcile),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
