/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/probe-job.h"
#include "common/cleanup.h"
#include "tests/support/stack.h"

#define FDS_MAX 4096
#define MIB     (UINT64_C(1) << 20)
#define STACK   "disk a b; md md0 raid1 0 a b; set md0 ra=512; map dm-0 0 9 linear md0 0;"

/* Devices whose rate is that of their number, in MB/s; each run a little off it. */
struct machine {
        _Atomic uint64_t now_usec; /* of threads as well */
        char device[FDS_MAX];      /* which one a descriptor is of: last letter of its name */
        unsigned n_opened;
        double spread; /* of runs, as a part of their rate */
        const char *busy, *gone, *deaf;
        uint64_t others_bytes; /* read by others with each look */
        uint64_t looks;
};

static int fake_open(void *userdata, const struct device_identity *identity) {
        struct machine *m = userdata;
        int fd;

        if (m->gone && strcmp(m->gone, identity->name) == 0)
                return -EACCES;
        fd = dup(STDERR_FILENO);
        assert_in_range(fd, 0, FDS_MAX - 1);
        m->device[fd] = identity->name[strlen(identity->name) - 1];
        m->n_opened++;
        return fd;
}

static int fake_readahead(void *userdata, int fd, uint64_t *ret_sectors) {
        const struct machine *m = userdata;

        *ret_sectors = m->device[fd] == '0' ? 512 : 256;
        return 0;
}

static int fake_size(void *userdata, int fd, uint64_t *ret_bytes) {
        *ret_bytes = 4096 * MIB;
        return 0;
}

static int fake_counters(void *userdata, const struct device_identity *identity, struct io_counters *ret) {
        struct machine *m = userdata;

        *ret = (struct io_counters){};
        if (m->busy && strcmp(m->busy, identity->name) == 0)
                ret->reads = 100 * m->looks;
        ret->sectors_read = m->others_bytes / 512 * m->looks;
        m->looks++;
        return 0;
}

static void fake_pause_msec(void *userdata, unsigned msec) {
        ((struct machine *)userdata)->now_usec += msec * 1000;
}

static uint64_t fake_now(void *userdata) {
        return ((struct machine *)userdata)->now_usec;
}

static void fake_pause(void *userdata, uint64_t usec) {
        ((struct machine *)userdata)->now_usec += usec;
}

static int fake_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        return 0;
}

/* A disk "a" reads 100 MB/s, "b" 50, anything else 200. */
static ssize_t fake_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct machine *m = userdata;
        double rate = m->device[fd] == 'a' ? 100 : m->device[fd] == 'b' ? 50 : 200;

        if (m->deaf && m->device[fd] == m->deaf[strlen(m->deaf) - 1])
                return -EIO;
        rate *= 1 + m->spread * (fd % 3 - 1);
        m->now_usec += (uint64_t)((double)size / rate);
        return (ssize_t)size;
}

static int fake_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_bytes) {
        *ret_bytes = 0;
        return 0;
}

static int fake_in_flight(void *userdata, int fd, uint64_t *ret) {
        *ret = 0;
        return 0;
}

static int fake_fetched(void *userdata, int fd, uint64_t *ret_bytes) {
        return -ENOENT;
}

static unsigned count_descriptors(void) {
        unsigned n = 0;

        for (int fd = 0; fd < FDS_MAX; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

/* All of one job, in this process. */
struct set {
        struct machine machine;
        struct stack *stack;
        struct probe_report report;
        struct probe_desk *desk;
};

static void identify(const struct layer *layer, struct device_identity *ret) {
        snprintf(ret->name, sizeof(ret->name), "%s", layer->name);
}

static void run_job(struct set *set, const char *name, struct probe_request request) {
        const struct probe_device_ops device_ops = {.open = fake_open,
                        .get_readahead = fake_readahead,
                        .get_size = fake_size,
                        .get_counters = fake_counters,
                        .pause = fake_pause_msec,
                        .userdata = &set->machine};
        const struct probe_ops probe_ops = {.now_usec = fake_now,
                        .pause = fake_pause,
                        .drop = fake_drop,
                        .read = fake_read,
                        .cached = fake_cached,
                        .in_flight = fake_in_flight,
                        .fetched = fake_fetched,
                        .userdata = &set->machine};
        struct device_identity devices[8] = {}, watched[8] = {};
        struct probe_job job = {
                        .devices = devices, .watched = watched, .device_ops = &device_ops, .probe_ops = &probe_ops};
        unsigned before = count_descriptors();

        set->stack = stack_build(STACK);
        assert_int_equal(
                        probe_report_plan(stack_layer(set->stack, name), &request, set->stack->arena, &set->report), 0);
        set->desk = calloc(1, probe_desk_size(&set->report));
        assert_non_null(set->desk);
        for (size_t i = 0; i < set->report.n_items; i++)
                identify(set->report.items[i].layer, &devices[i]);
        for (size_t i = 0; i < set->report.n_watched; i++)
                identify(set->report.watched[i], &watched[i]);
        job.report = &set->report;
        job.desk = set->desk;
        assert_int_equal(probe_job_run(&job, NULL), 0);
        assert_int_equal(count_descriptors(), before);
}

static void set_done(struct set *set) {
        free(set->desk);
        stack_free(set->stack);
}

static void assert_rate(const struct probe_series *series, double mbps) {
        assert_true(fabs(series->median_mbps - mbps) < mbps * 0.02);
}

static void test_rate(void **state) {
        _cleanup_(set_done) struct set set = {};

        run_job(&set, "dm-0", (struct probe_request){.runs = PROBE_REQUEST_RUNS});
        assert_int_equal(set.desk->error, 0);
        assert_int_equal(set.desk->step, PROBE_STEP_DONE);
        assert_string_equal(set.desk->skipped, "");
        assert_true(probe_desk_take(set.desk, &set.report));
        /* All alike: the fewest runs that make the median certain. */
        assert_int_equal(set.report.items[0].series.n_runs, 5);
        assert_int_equal(set.machine.n_opened, PROBE_REQUEST_RUNS + 1);
        assert_rate(&set.report.items[0].series, 200);
        assert_int_equal(set.report.items[0].readahead_sectors, 512); /* as its descriptors have it */
        assert_false(set.report.disturbed);
        assert_int_equal(set.desk->progress.runs_planned, PROBE_REQUEST_RUNS + 1);
        assert_int_equal(set.desk->progress.runs_done, 6);
}

static void test_goes_on_while_uncertain(void **state) {
        _cleanup_(set_done) struct set set = {.machine = {.spread = 0.2}};

        run_job(&set, "dm-0", (struct probe_request){.runs = 9});
        assert_true(probe_desk_take(set.desk, &set.report));
        assert_int_equal(set.report.items[0].series.n_runs, 9);
}

static void test_time_is_kept(void **state) {
        _cleanup_(set_done) struct set set = {.machine = {.spread = 0.2}};

        run_job(&set, "dm-0", (struct probe_request){.runs = 15, .time_msec = 1000});
        assert_true(set.machine.now_usec >= 1000000 && set.machine.now_usec < 1400000);
}

static void test_below(void **state) {
        _cleanup_(set_done) struct set set = {};

        run_job(&set, "dm-0", (struct probe_request){.form = PROBE_FORM_BELOW, .runs = 5});
        assert_true(probe_desk_take(set.desk, &set.report));
        assert_int_equal(set.report.n_items, 4);
        assert_rate(&set.report.items[0].series, 200);
        assert_rate(&set.report.items[1].series, 200);
        assert_rate(&set.report.items[2].series, 100);
        assert_rate(&set.report.items[3].series, 50);
        assert_int_equal(probe_report_judge(&set.report, set.stack->arena), 0);
        assert_int_equal(set.report.findings.n_items, 1);
        assert_string_equal(set.report.findings.items[0].layer->name, "b");
}

/* Each run is a measuring of its own; runs and bytes of all are kept. */
static void test_tool(void **state) {
        _cleanup_(set_done) struct set set = {};
        const struct probe_item *item;

        run_job(&set, "a", (struct probe_request){.form = PROBE_FORM_DD, .runs = 3, .count = 6});
        assert_true(probe_desk_take(set.desk, &set.report));
        item = &set.report.items[0];
        assert_int_equal(item->series.n_runs, 3);
        assert_int_equal(item->series.bytes_read, 180 * MIB);
        for (unsigned i = 0; i < 3; i++)
                assert_int_equal(item->run_bytes[i], 60 * MIB);
        assert_rate(&item->series, 100);
        assert_int_equal(set.machine.n_opened, 3);
}

static void test_streams(void **state) {
        _cleanup_(set_done) struct set set = {};

        run_job(&set, "a", (struct probe_request){.form = PROBE_FORM_STREAMS, .streams = 3, .runs = 2});
        assert_int_equal(set.machine.n_opened, 3 + 3 * 3);
}

static void test_busy(void **state) {
        static const char *const devices[] = {"dm-0", "md0"};

        for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
                _cleanup_(set_done) struct set set = {.machine = {.busy = devices[i]}}, forced = set;

                run_job(&set, "dm-0", (struct probe_request){.runs = 5});
                assert_int_equal(set.desk->step, PROBE_STEP_LOOK);
                assert_int_equal(strncmp(set.desk->skipped, devices[i], strlen(devices[i])), 0);
                assert_non_null(strstr(set.desk->skipped, "is busy"));
                assert_int_equal(set.machine.n_opened, 0);
                assert_false(probe_desk_take(set.desk, &set.report));

                run_job(&forced, "dm-0", (struct probe_request){.runs = 5, .force = true});
                assert_true(probe_desk_take(forced.desk, &forced.report));
                assert_rate(&forced.report.items[0].series, 200);
        }
}

static void test_disturbed(void **state) {
        _cleanup_(set_done) struct set set = {.machine = {.others_bytes = 4096 * MIB}};

        run_job(&set, "a", (struct probe_request){.runs = 5});
        assert_true(probe_desk_take(set.desk, &set.report));
        assert_true(set.report.disturbed);
}

static void test_errors(void **state) {
        _cleanup_(set_done) struct set gone = {.machine = {.gone = "b"}}, deaf = {.machine = {.deaf = "a"}};

        run_job(&gone, "md0", (struct probe_request){.form = PROBE_FORM_BELOW, .runs = 5});
        assert_int_equal(gone.desk->error, -EACCES);
        assert_int_equal(gone.desk->step, PROBE_STEP_OPEN);
        assert_string_equal(gone.report.items[gone.desk->failed].layer->name, "b");
        run_job(&deaf, "a", (struct probe_request){.runs = 5});
        assert_int_equal(deaf.desk->error, -EIO);
        assert_int_equal(deaf.desk->step, PROBE_STEP_READ);
}

/* A worker that is ended while it writes leaves nothing to be trusted. */
static void test_half_written(void **state) {
        _cleanup_(set_done) struct set set = {};

        run_job(&set, "a", (struct probe_request){.runs = 5});
        set.desk->in_writing = true;
        assert_false(probe_desk_take(set.desk, &set.report));
        set.desk->in_writing = false;
        assert_true(probe_desk_take(set.desk, &set.report));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_rate),
                        cmocka_unit_test(test_goes_on_while_uncertain),
                        cmocka_unit_test(test_time_is_kept),
                        cmocka_unit_test(test_below),
                        cmocka_unit_test(test_tool),
                        cmocka_unit_test(test_streams),
                        cmocka_unit_test(test_busy),
                        cmocka_unit_test(test_disturbed),
                        cmocka_unit_test(test_errors),
                        cmocka_unit_test(test_half_written),
        };

        return cmocka_run_group_tests_name("probe-job", tests, NULL, NULL);
}
