/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/probe-cells.h"
#include "common/probe-compare.h"
#include "common/probe-fault.h"

#define KIB       (UINT64_C(1) << 10)
#define MIB       (UINT64_C(1) << 20)
#define GIB       (UINT64_C(1) << 30)
#define TIB       (UINT64_C(1) << 40)
#define PAGE      4096U
#define SEEK_USEC 10000U
#define FDS       (_PROBE_ROLE_MAX * PROBE_FDS_MAX)
#define READS     (FDS * PROBE_READS_MAX)

/* A device with a disk's head: each request takes a seek and its bytes. Its cache is kept as ranges. */
struct range {
        uint64_t offset, bytes;
};

struct model {
        uint64_t now_usec, size_bytes, bytes_per_usec;
        uint64_t windows[FDS];
        enum probe_workload workload;
        struct range reads[READS], drops[READS];
        int fds[READS]; /* that made the reads */
        unsigned n_reads, n_drops, n_reads_of[FDS];
        struct range others; /* what is cached already */
        bool all_cached;
        unsigned fail_at;
};

static uint64_t model_now(void *userdata) {
        return ((struct model *)userdata)->now_usec;
}

static void model_pause(void *userdata, uint64_t usec) {
        ((struct model *)userdata)->now_usec += usec;
}

static bool overlap(const struct range *a, const struct range *b) {
        return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static bool contains(const struct range *a, const struct range *b) {
        return a->offset <= b->offset && b->offset + b->bytes <= a->offset + a->bytes;
}

static int model_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        struct model *model = userdata;

        assert_true(model->n_drops < READS);
        model->drops[model->n_drops++] = (struct range){offset, bytes};
        assert_false(overlap(&model->drops[model->n_drops - 1], &model->others));
        return 0;
}

static int model_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_bytes) {
        const struct model *model = userdata;
        struct range asked = {offset, bytes};

        *ret_bytes = model->all_cached || overlap(&asked, &model->others) ? PAGE : 0;
        for (unsigned i = 0; i < model->n_reads; i++) {
                bool dropped = false;

                for (unsigned j = 0; j < model->n_drops && !dropped; j++)
                        dropped = contains(&model->drops[j], &model->reads[i]);
                if (!dropped && overlap(&asked, &model->reads[i]))
                        *ret_bytes += PAGE;
        }
        return 0;
}

/* What the device gives for one read, and the time that it takes. */
static int model_get(struct model *model, int fd, uint64_t offset, uint64_t before, uint64_t bytes) {
        struct range read = {offset - before, bytes};

        assert_true(before <= offset && read.offset + bytes <= model->size_bytes);
        assert_true(model->n_reads < READS);
        assert_int_equal(offset % PAGE, 0);
        if (model->fail_at > 0 && model->n_reads + 1 == model->fail_at)
                return -EIO;
        model->reads[model->n_reads] = read;
        model->fds[model->n_reads++] = fd;
        model->n_reads_of[fd]++;
        model->now_usec += SEEK_USEC + bytes / model->bytes_per_usec;
        return 0;
}

static int model_fault(void *userdata, int fd, uint64_t offset) {
        struct model *model = userdata;

        assert_int_not_equal(model->workload, PROBE_RANDOM_READ);
        return model_get(model, fd, offset, model->windows[fd] / 2, model->windows[fd]);
}

static ssize_t model_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct model *model = userdata;
        int r;

        assert_int_not_equal(model->workload, PROBE_RANDOM_MAPPED);
        assert_true(size == PAGE || model->workload == PROBE_SEQUENTIAL);
        memset(buffer, 0, size);
        r = model_get(model, fd, offset, 0, size);
        return r < 0 ? r : (ssize_t)size;
}

static int model_in_flight(void *userdata, int fd, uint64_t *ret) {
        *ret = 0;
        return 0;
}

static int model_fetched(void *userdata, int fd, uint64_t *ret_bytes) {
        const struct model *model = userdata;

        *ret_bytes = 0;
        for (unsigned i = 0; i < model->n_reads; i++)
                *ret_bytes += model->reads[i].bytes;
        return 0;
}

struct setup {
        struct model model;
        int fds[_PROBE_ROLE_MAX][PROBE_FDS_MAX];
        struct probe_source sources[_PROBE_ROLE_MAX];
        struct probe_limits limits;
        struct probe_ops ops;
        struct probe_result result;
};

/* Of 100 MB/s. Freed by the caller. */
static struct setup *set_up(enum probe_workload workload, uint64_t size, uint64_t before, uint64_t after) {
        struct setup *s = calloc(1, sizeof(*s));
        const uint64_t windows[_PROBE_ROLE_MAX] = {before, after};

        assert_non_null(s);
        s->model = (struct model){.now_usec = 1000000, .size_bytes = size, .bytes_per_usec = 100, .workload = workload};
        s->ops = (struct probe_ops){
                        .now_usec = model_now,
                        .pause = model_pause,
                        .drop = model_drop,
                        .read = model_read,
                        .fault = model_fault,
                        .cached = model_cached,
                        .in_flight = model_in_flight,
                        .fetched = model_fetched,
                        .userdata = &s->model,
        };
        s->limits = (struct probe_limits){.time_msec = 60000, .bytes_per_run = 64 * MIB, .runs = 5};
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++) {
                for (unsigned j = 0; j < PROBE_FDS_MAX; j++) {
                        s->fds[i][j] = (int)(i * PROBE_FDS_MAX + j);
                        s->model.windows[s->fds[i][j]] = windows[i];
                }
                if (windows[i] > 0)
                        s->sources[i] = (struct probe_source){
                                        .fds = s->fds[i],
                                        .size_bytes = size,
                                        .readahead_bytes = windows[i],
                                        .workload = workload,
                        };
        }
        return s;
}

static int compare(struct setup *s) {
        return probe_compare(&s->ops, &s->limits, s->sources, NULL, &s->result);
}

/* Bytes asked for in the time that a seek and a window take. */
static double rate(uint64_t window) {
        return (double)PAGE / (double)(SEEK_USEC + window / 100);
}

static void test_mapped(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 128 * KIB, 16 * MIB);
        const struct probe_series *series = s->result.series;

        assert_int_equal(compare(s), 0);
        assert_string_equal(s->result.skipped, "");
        assert_int_equal(s->result.workload, PROBE_RANDOM_MAPPED);
        assert_int_equal(s->result.verdict, PROBE_SLOWER);
        assert_int_equal(series[PROBE_BEFORE].n_runs, 5);
        assert_float_equal(series[PROBE_BEFORE].median_mbps, rate(128 * KIB), 0.01 * rate(128 * KIB));
        assert_float_equal(series[PROBE_AFTER].median_mbps, rate(16 * MIB), 0.01 * rate(16 * MIB));
        /* 64 MiB are four windows of 16 MiB; as many reads before. Windows count, and the warm-up. */
        for (unsigned i = 0; i < 5; i++)
                assert_int_equal(s->model.n_reads_of[i], 4);
        assert_int_equal(series[PROBE_BEFORE].bytes_read, UINT64_C(5) * 4 * 128 * KIB);
        assert_int_equal(series[PROBE_AFTER].bytes_read, UINT64_C(6) * 4 * 16 * MIB);
        /* What was asked for, and fetched, in the runs that count. */
        assert_int_equal(series[PROBE_BEFORE].bytes_asked, 5 * 4 * PAGE);
        assert_int_equal(series[PROBE_AFTER].bytes_asked, 5 * 4 * PAGE);
        assert_float_equal(probe_amplification(&series[PROBE_BEFORE]), 32, 1e-9);
        assert_float_equal(probe_amplification(&series[PROBE_AFTER]), 4096, 1e-9);
}

static void test_read(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_READ, 100 * GIB, 128 * KIB, 16 * MIB);
        const struct probe_series *series = s->result.series;

        assert_int_equal(compare(s), 0);
        assert_int_equal(s->result.verdict, PROBE_NO_DIFFERENCE);
        assert_float_equal(series[PROBE_AFTER].median_mbps, rate(PAGE), 0.01 * rate(PAGE));
        assert_int_equal(series[PROBE_AFTER].bytes_read, UINT64_C(6) * PROBE_READS_MAX * PAGE);
        assert_float_equal(probe_amplification(&series[PROBE_AFTER]), 1, 1e-9);
        for (unsigned i = 0; i < 5; i++)
                assert_int_equal(s->model.n_reads_of[i], PROBE_READS_MAX);
}

/* Of sources that are read in different ways each has its own places and limits. */
static void test_mixed(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_SEQUENTIAL, 100 * GIB, 128 * KIB, MIB);
        const struct probe_series *series = s->result.series;
        double sequential = (double)PROBE_BLOCK_BYTES / (SEEK_USEC + PROBE_BLOCK_BYTES / 100.0);
        uint64_t ends[_PROBE_ROLE_MAX] = {0};

        s->limits.bytes_per_run = 8 * MIB;
        s->sources[PROBE_AFTER].workload = PROBE_RANDOM_MAPPED;
        s->sources[PROBE_AFTER].size_bytes = GIB;
        assert_int_equal(compare(s), 0);
        assert_string_equal(s->result.skipped, "");
        assert_float_equal(series[PROBE_BEFORE].median_mbps, sequential, 0.01 * sequential);
        assert_float_equal(series[PROBE_AFTER].median_mbps, rate(MIB), 0.01 * rate(MIB));
        assert_int_equal(series[PROBE_AFTER].bytes_asked, 5 * 8 * PAGE);
        assert_int_equal(series[PROBE_BEFORE].bytes_asked, series[PROBE_BEFORE].bytes_read);
        for (unsigned i = 0; i < s->model.n_reads; i++) {
                uint64_t *end = &ends[s->model.fds[i] / PROBE_FDS_MAX];

                if (s->model.reads[i].offset + s->model.reads[i].bytes > *end)
                        *end = s->model.reads[i].offset + s->model.reads[i].bytes;
        }
        assert_true(ends[PROBE_BEFORE] > 50 * GIB);
        assert_in_range(ends[PROBE_AFTER], GIB / 2, GIB);
}

/* What one read has fetched is not another's, all over the device; and all of it is taken out of the cache. */
static void test_places(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 8 * GIB, 128 * KIB, 4 * MIB);
        unsigned quarters[4] = {0}, ascending = 0;

        assert_int_equal(compare(s), 0);
        assert_int_equal(s->model.n_reads, 11 * 16);
        for (unsigned i = 0; i < s->model.n_reads; i++) {
                unsigned n_drops = 0;

                for (unsigned j = 0; j < i; j++)
                        assert_false(overlap(&s->model.reads[i], &s->model.reads[j]));
                for (unsigned j = 0; j < s->model.n_drops; j++)
                        n_drops += contains(&s->model.drops[j], &s->model.reads[i]);
                assert_int_equal(n_drops, 1);
                quarters[s->model.reads[i].offset / (2 * GIB)]++;
                ascending += i > 0 && s->model.reads[i].offset > s->model.reads[i - 1].offset;
        }
        for (unsigned i = 0; i < 4; i++)
                assert_in_range(quarters[i], s->model.n_reads / 5, s->model.n_reads / 3);
        assert_in_range(ascending, s->model.n_reads * 2 / 5, s->model.n_reads * 3 / 5);
}

static void test_same_places_again(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 8 * GIB, 128 * KIB, 4 * MIB);
        _cleanup_(freep) struct setup *t = set_up(PROBE_RANDOM_MAPPED, 8 * GIB, 128 * KIB, 4 * MIB);

        assert_int_equal(compare(s), 0);
        assert_int_equal(compare(t), 0);
        assert_int_equal(s->model.n_reads, t->model.n_reads);
        assert_memory_equal(s->model.reads, t->model.reads, sizeof(s->model.reads));
}

/* Others' pages stay, and nothing is read next to them; where they are all over the device there is nothing to measure. */
static void test_cached(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 8 * GIB, 128 * KIB, 4 * MIB);
        _cleanup_(freep) struct setup *t = set_up(PROBE_RANDOM_MAPPED, 8 * GIB, 128 * KIB, 4 * MIB);

        s->model.others = (struct range){GIB, 200 * MIB};
        assert_int_equal(compare(s), 0);
        assert_int_equal(s->result.verdict, PROBE_SLOWER);
        /* Another place is found for each of them. */
        assert_int_equal(s->model.n_reads, 11 * 16);
        for (unsigned i = 0; i < s->model.n_reads; i++)
                assert_false(overlap(&s->model.reads[i], &s->model.others));
        t->model.all_cached = true;
        assert_int_equal(compare(t), 0);
        assert_int_equal(t->result.verdict, PROBE_NONE);
        assert_int_equal(t->model.n_reads, 0);
        assert_memory_equal(t->result.skipped, "its pages are in use: ", 22);
}

static void test_limits(void **state) {
        static const struct probe_limits limits[] = {
                        {.time_msec = 3000, .bytes_per_run = 64 * MIB, .runs = 5},
                        {.time_msec = 500, .bytes_per_run = 64 * MIB, .runs = 16},
                        {.time_msec = 60000, .bytes_per_run = 17 * MIB, .runs = 3},
                        {.time_msec = 60000, .bytes_per_run = 64 * MIB, .runs = 16, .bytes = 100 * MIB},
                        {.time_msec = 60000, .bytes_per_run = GIB, .runs = 5},
        };

        for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
                _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 128 * KIB, 4 * MIB);
                uint64_t bytes = 0;

                s->limits = limits[i];
                assert_int_equal(compare(s), 0);
                /* One read may be on its way when the time is up. */
                assert_true(s->model.now_usec - 1000000 <=
                                limits[i].time_msec * 1000 + SEEK_USEC + 4 * MIB / s->model.bytes_per_usec);
                for (unsigned j = 0; j < FDS; j++) {
                        assert_true(s->model.n_reads_of[j] <= PROBE_READS_MAX);
                        assert_true(s->model.n_reads_of[j] * s->model.windows[j] <= limits[i].bytes_per_run);
                        bytes += s->model.n_reads_of[j] * s->model.windows[j];
                }
                assert_true(limits[i].bytes == 0 || bytes <= limits[i].bytes);
                assert_int_equal(s->result.bytes_read, bytes);
                /* A figure is one of four reads at least. */
                for (unsigned j = 0; j < 2; j++)
                        for (unsigned k = 0, n = 0; k < s->result.series[j].n_runs; k++, n++) {
                                while (s->model.n_reads_of[s->fds[j][n]] < PROBE_READS_LEAST)
                                        n++;
                                assert_true(n < limits[i].runs);
                        }
        }
}

/* The runs share the time, so that each series has all of its runs; and where bytes are too few, that is said. */
static void test_shares(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 128 * KIB, 4 * MIB);
        _cleanup_(freep) struct setup *t = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 128 * KIB, 4 * MIB);

        s->limits.time_msec = 4000;
        assert_int_equal(compare(s), 0);
        assert_int_equal(s->result.series[PROBE_BEFORE].n_runs, 5);
        assert_int_equal(s->result.series[PROBE_AFTER].n_runs, 5);
        t->limits.bytes = 15 * MIB;
        assert_int_equal(compare(t), 0);
        assert_string_equal(t->result.skipped, "15728640 bytes were not enough for one run in each series");
        assert_int_equal(t->model.n_reads, 0);
}

static void test_skipped(void **state) {
        static const struct {
                uint64_t size, bytes_per_run, after;
                const char *skipped;
        } cases[] = {
                        {100 * GIB, 64 * MIB, 17 * MIB,
                                        "67108864 bytes a run are too few for 4 random reads that fetch 17825792 each"},
                        {7 * 32 * MIB, 64 * MIB, 16 * MIB, ""},
                        {4 * 32 * MIB - 1, 64 * MIB, 16 * MIB, "it is too small for random reads (134217727 bytes)"},
                        {0, 64 * MIB, 16 * MIB, "it is too small for random reads (0 bytes)"},
                        {GIB, 64 * MIB, UINT64_MAX,
                                        "67108864 bytes a run are too few for 4 random reads that fetch "
                                        "18446744073709551615 each"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) struct setup *s =
                                set_up(PROBE_RANDOM_MAPPED, cases[i].size, 128 * KIB, cases[i].after);

                s->limits.bytes_per_run = cases[i].bytes_per_run;
                assert_int_equal(compare(s), 0);
                assert_string_equal(s->result.skipped, cases[i].skipped);
                assert_int_equal(s->result.verdict == PROBE_NONE, *cases[i].skipped != '\0');
                assert_int_equal(s->model.n_reads > 0, *cases[i].skipped == '\0');
        }
}

/* Of a run that fails, too, nothing stays in the cache. */
static void test_error(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 128 * KIB, MIB);
        unsigned n_dropped = 0;

        s->model.fail_at = 7;
        assert_int_equal(compare(s), -EIO);
        for (unsigned i = 0; i < s->model.n_reads; i++)
                for (unsigned j = 0; j < s->model.n_drops; j++)
                        n_dropped += contains(&s->model.drops[j], &s->model.reads[i]);
        assert_int_equal(n_dropped, 6);
}

/* Without readahead a fault fetches a page. */
static void test_no_readahead(void **state) {
        _cleanup_(freep) struct setup *s = set_up(PROBE_RANDOM_MAPPED, 100 * GIB, 1, 1);

        s->sources[PROBE_BEFORE].readahead_bytes = 0;
        s->sources[PROBE_AFTER].readahead_bytes = 0;
        assert_int_equal(compare(s), 0);
        assert_int_equal(s->result.verdict, PROBE_NO_DIFFERENCE);
        assert_int_equal(s->result.series[PROBE_AFTER].bytes_read, UINT64_C(6) * PROBE_READS_MAX * PAGE);
}

/* Sizes and windows of all kinds: cells do not overlap, and all is on the device. */
static void test_cells(void **state) {
        static const uint64_t sizes[] = {16 * MIB, 100 * MIB + 4096, GIB - 512, 5 * TIB + 12345, UINT64_C(1) << 62};
        static const uint64_t windows[] = {0, 4096, 4097, 64 * KIB, 132 * KIB, 192 * KIB, MIB + 4096, 2 * MIB};

        for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(windows); i++) {
                struct probe_field field = {
                                .size_bytes = sizes[i % ARRAY_SIZE(sizes)],
                                .bytes_per_run = 64 * MIB,
                                .bytes_per_read = windows[i / ARRAY_SIZE(sizes)] + PAGE,
                                .window_bytes = windows[i / ARRAY_SIZE(sizes)],
                };
                struct probe_cells cells;
                struct range around[17];

                assert_true(probe_cells_compute(&field, &cells));
                assert_in_range(cells.n_reads, PROBE_READS_LEAST, PROBE_READS_MAX);
                for (unsigned run = 0; run < 17; run++) {
                        uint64_t offset = probe_cells_offset(&cells, run, 0, cells.n_reads - 1);

                        assert_true(offset >= PAGE);
                        probe_cells_around(offset, field.window_bytes, &around[run].offset, &around[run].bytes);
                        assert_true(around[run].offset + around[run].bytes <= field.size_bytes);
                        assert_true(around[run].offset + field.window_bytes / 2 <= offset);
                        assert_true(around[run].offset + around[run].bytes >= offset + PAGE + field.window_bytes / 2);
                        assert_true(around[run].offset >= (cells.n_reads - 1) * cells.part_bytes);
                        for (unsigned j = 0; j < run && cells.n_cells >= 17; j++)
                                assert_false(overlap(&around[run], &around[j]));
                }
        }
}

/* Each part once, whatever the run, and not always in the same order. */
static void test_order(void **state) {
        const struct probe_cells cells = {.n_reads = PROBE_READS_MAX};
        unsigned first[PROBE_READS_MAX], parts[PROBE_READS_MAX];

        probe_cells_order(&cells, 0, first);
        for (unsigned run = 0; run < 20; run++) {
                bool seen[PROBE_READS_MAX] = {false};

                probe_cells_order(&cells, run, parts);
                for (unsigned i = 0; i < PROBE_READS_MAX; i++) {
                        assert_true(parts[i] < PROBE_READS_MAX && !seen[parts[i]]);
                        seen[parts[i]] = true;
                }
                assert_true(run == 0 || memcmp(first, parts, sizeof(parts)) != 0);
        }
}

/* Behind the end of a file a fault is an error, and not the end of the process. */
static void test_fault(void **state) {
        _cleanup_(closep) int fd = memfd_create("probe", MFD_CLOEXEC);
        size_t page = (size_t)sysconf(_SC_PAGESIZE);

        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, (off_t)page), 0);
        assert_int_equal(probe_fault(NULL, fd, 0), 0);
        assert_int_equal(probe_fault(NULL, fd, page - 1), 0);
        assert_int_equal(probe_fault(NULL, fd, page), -EIO);
        assert_int_equal(probe_fault(NULL, -1, 0), -EBADF);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_mapped),
                        cmocka_unit_test(test_read),
                        cmocka_unit_test(test_mixed),
                        cmocka_unit_test(test_places),
                        cmocka_unit_test(test_same_places_again),
                        cmocka_unit_test(test_cached),
                        cmocka_unit_test(test_limits),
                        cmocka_unit_test(test_shares),
                        cmocka_unit_test(test_skipped),
                        cmocka_unit_test(test_error),
                        cmocka_unit_test(test_no_readahead),
                        cmocka_unit_test(test_cells),
                        cmocka_unit_test(test_order),
                        cmocka_unit_test(test_fault),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
