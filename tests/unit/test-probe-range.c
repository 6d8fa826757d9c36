/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/probe-range.h"

#define KIB   (UINT64_C(1) << 10)
#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define BLOCK (128 * KIB)

struct layout_case {
        uint64_t size, bytes, window;
        unsigned rounds, series;
        bool fits;
        unsigned n_zones, n_slots;
        uint64_t run_bytes;
};

static const struct layout_case cases[] = {
                /* Large: every run has a range of its own. */
                {GIB * 1024, 64 * MIB, 3 * MIB / 2, 6, 3, true, 6, 3, 64 * MIB},
                {GIB, 64 * MIB, BLOCK, 6, 3, true, 6, 3, GIB / 18 / BLOCK *BLOCK - 2 * BLOCK},
                /* 300 MiB: the series of a round share one. */
                {300 * MIB, 64 * MIB, 3 * MIB / 2, 6, 3, true, 6, 1,
                                300 * MIB / 6 / (3 * MIB / 2) * (3 * MIB / 2) - 3 * MIB},
                /* Smaller: rounds share them as well. */
                {64 * MIB, 64 * MIB, 2 * MIB, 6, 3, true, 2, 1, 28 * MIB},
                {24 * MIB, 64 * MIB, 2 * MIB, 6, 3, true, 1, 1, 24 * MIB},
                {8 * MIB, 64 * MIB, 2 * MIB, 6, 3, true, 1, 1, 8 * MIB},
                {7 * MIB, 64 * MIB, 2 * MIB, 6, 3, false, 0, 0, 0},
                {512 * KIB, 64 * MIB, BLOCK, 6, 3, false, 0, 0, 0},
                {0, 64 * MIB, BLOCK, 6, 3, false, 0, 0, 0},
                /* A limit of bytes is kept, and costs no places. */
                {GIB, 2 * MIB, 4 * MIB, 6, 3, true, 6, 3, 2 * MIB},
                {GIB, 512 * KIB, BLOCK, 6, 3, false, 0, 0, 0},
                {GIB, 0, BLOCK, 6, 3, false, 0, 0, 0},
                /* Readahead of 4 GiB on a small device, and beyond all bounds. */
                {GIB, 64 * MIB, 4 * GIB, 6, 3, true, 1, 1, 64 * MIB},
                {GIB, 64 * MIB, UINT64_MAX, 6, 3, false, 0, 0, 0},
                {UINT64_MAX, UINT64_MAX, BLOCK, 17, 3, true, 17, 3, UINT64_MAX / 17 / 3 / BLOCK *BLOCK - 2 * BLOCK},
                {GIB, 64 * MIB, BLOCK, 0, 3, false, 0, 0, 0},
                {GIB, 64 * MIB, BLOCK, 6, 0, false, 0, 0, 0},
                {GIB, 64 * MIB, 0, 6, 3, false, 0, 0, 0},
};

static struct probe_extent extent_of(const struct layout_case *c) {
        return (struct probe_extent){.size_bytes = c->size,
                        .bytes_per_run = c->bytes,
                        .block_bytes = BLOCK,
                        .window_bytes = c->window};
}

static void test_table(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layout_case *c = &cases[i];
                struct probe_extent extent = extent_of(c);
                struct probe_layout layout = {};

                assert_int_equal(probe_layout_compute(&extent, c->rounds, c->series, &layout), c->fits);
                assert_int_equal(layout.n_zones, c->n_zones);
                assert_int_equal(layout.n_slots, c->n_slots);
                assert_int_equal(layout.run_bytes, c->run_bytes);
        }
}

/* All ranges are on the device, and two of them are the same or so far apart that readahead does not reach across. */
static void test_ranges(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layout_case *c = &cases[i];
                struct probe_extent extent = extent_of(c);
                struct probe_layout layout;

                if (!probe_layout_compute(&extent, c->rounds, c->series, &layout))
                        continue;
                for (unsigned a = 0; a < c->rounds * c->series; a++) {
                        uint64_t x = probe_layout_offset(&layout, a / c->series, a % c->series);

                        assert_true(x <= c->size && layout.run_bytes <= c->size - x);
                        for (unsigned b = 0; b < a; b++) {
                                uint64_t y = probe_layout_offset(&layout, b / c->series, b % c->series);
                                uint64_t distance = x > y ? x - y : y - x;

                                assert_true(distance == 0 || distance >= layout.run_bytes + 2 * c->window);
                        }
                }
        }
}

/* For several readers at once each part is laid out as a device of its own, but for the gap to the next one. */
static void test_parts(void **state) {
        struct probe_extent extent = {.size_bytes = 400 * GIB,
                        .bytes_per_run = 64 * MIB,
                        .block_bytes = BLOCK,
                        .window_bytes = MIB,
                        .n_parts = 4};
        struct probe_layout layout;

        assert_true(probe_layout_compute(&extent, 6, 3, &layout));
        assert_int_equal(layout.n_parts, 4);
        assert_int_equal(layout.part_bytes, 100 * GIB);
        assert_int_equal(layout.room_bytes, 100 * GIB - 2 * MIB);
        assert_int_equal(layout.run_bytes, 64 * MIB);
        for (unsigned round = 0; round < 6; round++)
                for (unsigned i = 0; i < 4; i++)
                        assert_int_equal(probe_layout_part(&layout, round, i, 4), (i + round) % 4 * 100 * GIB);
        /* Fewer readers than there are parts are far apart, too. */
        assert_int_equal(probe_layout_part(&layout, 1, 0, 2), 100 * GIB);
        assert_int_equal(probe_layout_part(&layout, 1, 1, 2), 300 * GIB);
        assert_int_equal(probe_layout_part(&layout, 1, 0, 1), 100 * GIB);
        extent.size_bytes = 40 * MIB;
        assert_true(probe_layout_compute(&extent, 6, 3, &layout));
        assert_int_equal(layout.n_slots, 1);
        assert_int_equal(layout.run_bytes, 8 * MIB);
        extent.size_bytes = 20 * MIB;
        assert_false(probe_layout_compute(&extent, 6, 3, &layout));
}

/* One place, as large as the limit allows, whatever the number of runs; a shorter one is worth four windows. */
static void test_cold(void **state) {
        struct probe_extent extent = {.size_bytes = 400 * GIB,
                        .bytes_per_run = 16 * GIB,
                        .block_bytes = BLOCK,
                        .window_bytes = MIB,
                        .cold = true};
        struct probe_layout layout;

        assert_true(probe_layout_compute(&extent, 6, 3, &layout));
        assert_int_equal(layout.run_bytes, 16 * GIB);
        assert_int_equal(layout.least_bytes, 4 * MIB);
        for (unsigned round = 0; round < 6; round++)
                assert_int_equal(probe_layout_offset(&layout, round, round % 3), 0);
        extent.size_bytes = GIB;
        assert_true(probe_layout_compute(&extent, 6, 3, &layout));
        assert_int_equal(layout.run_bytes, GIB);
}

/* No series has the same place in its zone in every round. */
static void test_slots_rotate(void **state) {
        struct probe_layout layout = {.run_bytes = MIB, .slot_bytes = 2 * MIB, .n_zones = 6, .n_slots = 3};

        assert_int_equal(probe_layout_offset(&layout, 0, 0), 0);
        assert_int_equal(probe_layout_offset(&layout, 0, 1), 2 * MIB);
        assert_int_equal(probe_layout_offset(&layout, 1, 0), 6 * MIB + 2 * MIB);
        assert_int_equal(probe_layout_offset(&layout, 1, 2), 6 * MIB);
        assert_int_equal(probe_layout_offset(&layout, 5, 1), 30 * MIB);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_table),
                        cmocka_unit_test(test_ranges),
                        cmocka_unit_test(test_parts),
                        cmocka_unit_test(test_cold),
                        cmocka_unit_test(test_slots_rotate),
        };

        return cmocka_run_group_tests_name("probe-range", tests, NULL, NULL);
}
