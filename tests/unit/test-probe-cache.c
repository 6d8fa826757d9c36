/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "common/probe-cache.h"
#include "common/probe-resident.h"

#define PAGE    4096U
#define N_PAGES 16384U

enum page {
        ABSENT,
        OTHERS,
        OWN,
        READING, /* locked until READY_USEC: it can't be dropped */
};

struct model {
        unsigned char pages[N_PAGES];
        uint64_t now_usec, ready_usec;
        bool sees_reading; /* as cachestat() does, and mincore() does not */
        bool no_counters;  /* of what is in flight, as without queue/iostats */
        unsigned n_looks, n_pauses;
        int error;
};

static uint64_t model_now(void *userdata) {
        return ((struct model *)userdata)->now_usec;
}

static void model_pause(void *userdata, uint64_t usec) {
        struct model *model = userdata;

        model->now_usec += usec;
        model->n_pauses++;
        for (unsigned i = 0; i < N_PAGES && model->now_usec >= model->ready_usec; i++)
                if (model->pages[i] == READING)
                        model->pages[i] = OWN;
}

static int model_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        struct model *model = userdata;

        assert_true(bytes > 0);
        for (uint64_t i = (offset + PAGE - 1) / PAGE; i < (offset + bytes) / PAGE; i++)
                if (model->pages[i] != READING)
                        model->pages[i] = ABSENT;
        return 0;
}

static int model_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_bytes) {
        struct model *model = userdata;

        model->n_looks++;
        *ret_bytes = 0;
        for (uint64_t i = offset / PAGE; i < (offset + bytes + PAGE - 1) / PAGE; i++)
                if (model->pages[i] != ABSENT && (model->pages[i] != READING || model->sees_reading))
                        *ret_bytes += PAGE;
        return model->error;
}

static int model_in_flight(void *userdata, int fd, uint64_t *ret) {
        const struct model *model = userdata;

        *ret = !model->no_counters && model->now_usec < model->ready_usec;
        return 0;
}

static struct probe_ops ops_of(struct model *model) {
        return (struct probe_ops){.now_usec = model_now,
                        .pause = model_pause,
                        .drop = model_drop,
                        .cached = model_cached,
                        .in_flight = model_in_flight,
                        .userdata = model};
}

static void fill(struct model *model, unsigned from, unsigned n, enum page page) {
        memset(model->pages + from, page, n);
}

static unsigned count(const struct model *model, enum page page) {
        unsigned n = 0;

        for (unsigned i = 0; i < N_PAGES; i++)
                n += model->pages[i] == page;
        return n;
}

static void test_look(void **state) {
        static const struct { unsigned from, n; } extents[] = {{100, 1}, {1000, 7}, {1023, 2}, {8191, 2}, {16000, 300}};
        struct model model = {};
        struct probe_ops ops = ops_of(&model);
        struct probe_held held;

        assert_int_equal(probe_cache_look(&ops, 3, 0, N_PAGES * PAGE, &held), 0);
        assert_int_equal(held.n, 0);
        assert_int_equal(model.n_looks, 1);
        for (size_t i = 0; i < ARRAY_SIZE(extents); i++)
                fill(&model, extents[i].from, extents[i].n, OTHERS);
        /* From page 96 on, and not in halves of a power of two. */
        assert_int_equal(probe_cache_look(&ops, 3, 96 * PAGE, 16100 * PAGE, &held), 0);
        assert_int_equal(held.n, ARRAY_SIZE(extents));
        for (size_t i = 0; i < ARRAY_SIZE(extents); i++) {
                unsigned end = extents[i].from + extents[i].n < 16196 ? extents[i].from + extents[i].n : 16196;

                assert_int_equal(held.extents[i].offset_bytes, extents[i].from * PAGE);
                assert_int_equal(held.extents[i].bytes, (end - extents[i].from) * PAGE);
        }
        assert_int_equal(held.bytes, (1 + 7 + 2 + 2 + 196) * PAGE);
        assert_true(model.n_looks < 200);
        assert_int_equal(probe_cache_look(&ops, 3, 0, 0, &held), 0);
        assert_int_equal(held.n, 0);
}

/* As many parts as can be kept, and one more. */
static void test_look_is_bounded(void **state) {
        struct model model = {};
        struct probe_ops ops = ops_of(&model);
        struct probe_held held;

        for (unsigned i = 0; i < PROBE_HELD_MAX; i++)
                fill(&model, 1 + i * 200, 1, OTHERS);
        assert_int_equal(probe_cache_look(&ops, 3, 0, N_PAGES * PAGE, &held), 0);
        assert_int_equal(held.n, PROBE_HELD_MAX);
        fill(&model, N_PAGES - 1, 1, OTHERS);
        held.n = 42;
        assert_int_equal(probe_cache_look(&ops, 3, 0, N_PAGES * PAGE, &held), -E2BIG);
        assert_int_equal(held.n, 42);
        model.error = -EPERM;
        assert_int_equal(probe_cache_look(&ops, 3, 0, N_PAGES * PAGE, &held), -EPERM);
}

static void test_drop_keeps_what_was_there(void **state) {
        struct model model = {.now_usec = 1};
        struct probe_ops ops = ops_of(&model);
        struct probe_held held;

        fill(&model, 0, 2, OTHERS);
        fill(&model, 100, 5, OTHERS);
        fill(&model, 300, 1, OTHERS);
        fill(&model, 1000, 10, OTHERS);
        assert_int_equal(probe_cache_look(&ops, 3, 0, 1000 * PAGE, &held), 0);
        fill(&model, 2, 98, OWN);
        fill(&model, 105, 195, OWN);
        fill(&model, 301, 699, OWN);
        assert_int_equal(probe_cache_drop(&ops, 3, 0, 1000 * PAGE, &held, UINT64_MAX), 0);
        assert_int_equal(count(&model, OTHERS), 2 + 5 + 1 + 10);
        assert_int_equal(count(&model, OWN), 0);
        assert_int_equal(model.n_pauses, 0);
        /* A part of the range that was looked at; an extent reaches into it, one is before it, one behind. */
        fill(&model, 105, 10, OWN);
        assert_int_equal(probe_cache_drop(&ops, 3, 102 * PAGE, 20 * PAGE, &held, UINT64_MAX), 0);
        assert_int_equal(count(&model, OTHERS), 2 + 5 + 1 + 10);
        assert_int_equal(count(&model, OWN), 0);
        assert_int_equal(probe_cache_drop(&ops, 3, 0, N_PAGES * PAGE, NULL, UINT64_MAX), 0);
        assert_int_equal(count(&model, ABSENT), N_PAGES);
}

/* What is being read is waited for, whichever way the kernel tells of it. */
static void test_drop_waits(void **state) {
        for (unsigned i = 0; i < 3; i++) {
                struct model model = {
                                .now_usec = 5000, .ready_usec = 45000, .sees_reading = i > 0, .no_counters = i > 1};
                struct probe_ops ops = ops_of(&model);

                fill(&model, 10, 20, OWN);
                fill(&model, 30, 20, READING);
                assert_int_equal(probe_cache_drop(&ops, 3, 0, 100 * PAGE, NULL, UINT64_MAX), 0);
                assert_int_equal(count(&model, ABSENT), N_PAGES);
                assert_true(model.now_usec >= 45000 && model.now_usec < 70000);
        }
}

static void test_drop_is_bounded(void **state) {
        struct model model = {.now_usec = 5000, .ready_usec = UINT64_MAX};
        struct probe_ops ops = ops_of(&model);

        fill(&model, 10, 20, OWN);
        fill(&model, 30, 20, READING);
        assert_int_equal(probe_cache_drop(&ops, 3, 0, 100 * PAGE, NULL, UINT64_MAX), 0);
        assert_int_equal(count(&model, OWN), 0);
        assert_int_equal(model.now_usec, 5000 + PROBE_DROP_MSEC * 1000);
        assert_true(model.n_pauses < 25);
        assert_int_equal(probe_cache_drop(&ops, 3, 0, 100 * PAGE, NULL, model.now_usec + 3000), 0);
        assert_int_equal(model.now_usec, 5000 + PROBE_DROP_MSEC * 1000 + 3000);
        /* No time is left: it is dropped all the same. */
        fill(&model, 10, 20, OWN);
        assert_int_equal(probe_cache_drop(&ops, 3, 0, 100 * PAGE, NULL, 0), 0);
        assert_int_equal(count(&model, OWN), 0);
        assert_int_equal(model.now_usec, 5000 + PROBE_DROP_MSEC * 1000 + 3000);
}

/* Both ways in which the kernel tells, of a file in memory: its pages are there once they have been written. */
static void test_resident(void **state) {
        _cleanup_(closep) int fd = memfd_create("pages", MFD_CLOEXEC);
        const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), file = 40000 * page;
        static const char byte = 1;
        uint64_t bytes[2];

        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, (off_t)file), 0);
        for (unsigned i = 0; i < 10; i++)
                assert_int_equal(pwrite(fd, &byte, 1, (off_t)((4090 + i) * page)), 1);
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)(30000 * page)), 1);
        const struct {
                uint64_t from, n, cached;
        } cases[] = {{0, 40000, 11}, {0, 4090, 0}, {4090, 1, 1}, {4095, 3, 3}, {4098, 100, 2}, {30001, 9999, 0},
                        {0, 0, 0}, {39999, 1000, 0}};
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                assert_int_equal(probe_resident_bytes(NULL, fd, cases[i].from * page, cases[i].n * page, &bytes[0]), 0);
                assert_int_equal(probe_resident_by_mincore(fd, cases[i].from * page, cases[i].n * page, &bytes[1]), 0);
                assert_int_equal(bytes[0], cases[i].cached * page);
                assert_int_equal(bytes[1], cases[i].cached * page);
        }
        assert_int_equal(probe_resident_bytes(NULL, -1, 0, page, &bytes[0]), -EBADF);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_look),
                        cmocka_unit_test(test_look_is_bounded),
                        cmocka_unit_test(test_drop_keeps_what_was_there),
                        cmocka_unit_test(test_drop_waits),
                        cmocka_unit_test(test_drop_is_bounded),
                        cmocka_unit_test(test_resident),
        };

        return cmocka_run_group_tests_name("probe-cache", tests, NULL, NULL);
}
