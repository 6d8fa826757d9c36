/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/apply.h"
#include "common/cleanup.h"

#define FDS_MAX 1024

/*
 * Devices as a kernel has them: each a readahead of its own, which a descriptor copies when it is opened. Descriptors
 * are real ones (of /dev/null), so that those which are left open can be counted.
 */
struct machine {
        uint64_t device_sectors, array_sectors;
        uint64_t at_open[FDS_MAX]; /* by descriptor */
        bool of_array[FDS_MAX];
        uint64_t now_usec;
        unsigned n_open, n_set, n_set_while_read;
        int open_error, get_error, set_error, array_error, read_error;
        unsigned opens_left; /* 0: no limit */
        uint64_t page_sectors;
        bool all_alike;                     /* every descriptor is as fast */
        void (*on_read)(struct machine *m); /* what happens meanwhile */
        void (*on_pause)(struct machine *m);
        struct io_counters device_counters, array_counters;
        int counters_error;
        char log[512]; /* o: device opened, a: array opened, g: got, s: set, c: counters, p: pause, r: reading began */
};

static void note(struct machine *m, char c) {
        size_t n = strlen(m->log);

        if (n + 1 < sizeof(m->log) && (c != 'r' || (n > 0 && m->log[n - 1] != 'r')))
                m->log[n] = c;
}

static int fake_open(void *userdata, const struct device_identity *identity) {
        struct machine *m = userdata;
        bool array = strcmp(identity->name, "md0") == 0;
        int fd, error = array ? m->array_error : m->open_error;

        if (error < 0)
                return error;
        if (m->opens_left > 0 && --m->opens_left == 0)
                return -EMFILE;
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0 && fd < FDS_MAX);
        m->at_open[fd] = array ? m->array_sectors : m->device_sectors;
        m->of_array[fd] = array;
        note(m, array ? 'a' : 'o');
        return fd;
}

static int fake_get(void *userdata, int fd, uint64_t *ret) {
        struct machine *m = userdata;

        note(m, 'g');
        if (m->get_error < 0)
                return m->get_error;
        *ret = m->of_array[fd] ? m->array_sectors : m->device_sectors;
        return 0;
}

static int fake_set(void *userdata, int fd, uint64_t sectors) {
        struct machine *m = userdata;

        note(m, 's');
        assert_false(m->of_array[fd]);
        if (m->set_error < 0)
                return m->set_error;
        m->n_set++;
        m->device_sectors = sectors - sectors % m->page_sectors;
        return 0;
}

static int fake_size(void *userdata, int fd, uint64_t *ret) {
        *ret = UINT64_C(1) << 40;
        return 0;
}

static uint64_t fake_now(void *userdata) {
        return ((struct machine *)userdata)->now_usec;
}

static int fake_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        return 0;
}

/* The readahead that the descriptor was opened with says how fast it is. */
static ssize_t fake_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct machine *m = userdata;

        note(m, 'r');
        if (m->read_error < 0)
                return m->read_error;
        if (m->on_read)
                m->on_read(m);
        if (!m->of_array[fd])
                m->device_counters.sectors_read += size / SECTOR_BYTES;
        m->now_usec += 1000000 / ((m->all_alike ? 1024 : m->at_open[fd]) + 1) + 10;
        return (ssize_t)size;
}

/* The larger the readahead, the longer it takes to read around a page. */
static int fake_fault(void *userdata, int fd, uint64_t offset) {
        struct machine *m = userdata;

        note(m, 'r');
        if (!m->of_array[fd])
                m->device_counters.sectors_read += m->at_open[fd];
        m->now_usec += m->at_open[fd];
        return 0;
}

/* Nobody else uses the device, and nothing is read ahead. */
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

static int fake_counters(void *userdata, const struct device_identity *identity, struct io_counters *ret) {
        struct machine *m = userdata;

        note(m, 'c');
        *ret = strcmp(identity->name, "md0") == 0 ? m->array_counters : m->device_counters;
        return m->counters_error;
}

static void fake_pause(void *userdata, unsigned msec) {
        struct machine *m = userdata;

        note(m, 'p');
        assert_int_equal(msec, 200);
        m->now_usec += msec * 1000;
        if (m->on_pause)
                m->on_pause(m);
}

static unsigned count_descriptors(void) {
        unsigned n = 0;

        for (int fd = 0; fd < FDS_MAX; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

static struct machine machine(void) {
        return (struct machine){.device_sectors = 256, .array_sectors = 3072, .now_usec = 1, .page_sectors = 8};
}

static struct apply_request request(void) {
        struct apply_request r = {.device = {.name = "dm-3"},
                        .from_sectors = 256,
                        .to_sectors = 3072,
                        .probe = true,
                        .probe_limits = {.time_msec = 60000, .bytes_per_run = 8 << 20, .runs = 5},
                        .has_array = true,
                        .array = {.name = "md0"}};

        return r;
}

static int apply(struct machine *m, const struct apply_request *r, struct apply_result *ret) {
        struct probe_ops probe = {.now_usec = fake_now,
                        .drop = fake_drop,
                        .read = fake_read,
                        .fault = fake_fault,
                        .cached = fake_cached,
                        .in_flight = fake_in_flight,
                        .fetched = fake_fetched,
                        .userdata = m};
        struct apply_ops ops = {.device = {.open = fake_open,
                                                .get_readahead = fake_get,
                                                .get_size = fake_size,
                                                .get_counters = fake_counters,
                                                .pause = fake_pause,
                                                .userdata = m},
                        .set_readahead = fake_set,
                        .probe = &probe};
        unsigned before = count_descriptors();
        int error = apply_change_with(&ops, r, ret);

        assert_int_equal(count_descriptors(), before);
        assert_int_equal(error, ret->error);
        return error;
}

#define ORDER_OF_ALL                                                                                                   \
        "og"                                                                                                           \
        "oooooo"                                                                                                       \
        "sg"                                                                                                           \
        "ccpcc"                                                                                                        \
        "oooooo"                                                                                                       \
        "aaaaaa"                                                                                                       \
        "grc"

static void test_order(void **state) {
        struct machine m = machine();
        struct apply_request r = request();
        struct probe_progress progress = {};
        struct apply_result result;

        r.progress = &progress;
        assert_int_equal(apply(&m, &r, &result), 0);
        /* Five runs and a warm-up: six descriptors each, before, after, of the array. */
        assert_string_equal(m.log, ORDER_OF_ALL);
        assert_int_equal(m.n_set, 1);
        assert_int_equal(result.step, APPLY_DONE);
        assert_true(result.changed);
        assert_int_equal(result.before_sectors, 256);
        assert_int_equal(result.after_sectors, 3072);
        assert_int_equal(m.device_sectors, 3072);
        assert_int_equal(m.array_sectors, 3072);
        assert_int_equal(result.probe.verdict, PROBE_FASTER);
        assert_int_equal(result.probe.series[PROBE_ARRAY].n_runs, 5);
        assert_true(result.probe.series[PROBE_ARRAY].median_mbps == result.probe.series[PROBE_AFTER].median_mbps);
        assert_int_equal(progress.runs_done, 16); /* of three series; one warms up */
        assert_int_equal(progress.runs_done, progress.runs_planned);
        assert_int_equal(progress.bytes_read, result.probe.bytes_read);
}

/* With the same descriptors, and windows are its own reads, not those of others. */
static void test_random(void **state) {
        struct machine m = machine();
        struct apply_request r = request();
        struct apply_result result;

        r.workload = PROBE_RANDOM_MAPPED;
        assert_int_equal(apply(&m, &r, &result), 0);
        assert_string_equal(m.log, ORDER_OF_ALL);
        assert_string_equal(result.probe.skipped, "");
        assert_int_equal(result.probe.workload, PROBE_RANDOM_MAPPED);
        assert_int_equal(result.probe.verdict, PROBE_SLOWER);
        assert_int_equal(result.probe.series[PROBE_ARRAY].n_runs, 5);
        assert_float_equal(result.probe.gain, 256.0 / 3072, 0.001);
        r.keep_if = (struct keep_condition){.given = true, .or_equal = true, .min_gain = 0.97};
        m = machine();
        assert_int_equal(apply(&m, &r, &result), 0);
        assert_true(result.put_back);
        assert_int_equal(m.device_sectors, 256);
}

static void test_without_probe(void **state) {
        struct machine m = machine();
        struct apply_request r = request();
        struct apply_result result;

        r.probe = false;
        snprintf(r.probe_skipped, sizeof(r.probe_skipped), "md0 is degraded");
        assert_int_equal(apply(&m, &r, &result), 0);
        assert_string_equal(m.log, "ogsg");
        assert_int_equal(result.probe.verdict, PROBE_NONE);
        assert_string_equal(result.probe.skipped, "md0 is degraded");
}

/* The plan is of an older value: whatever it has become, somebody wanted that. */
static void test_changed_meanwhile(void **state) {
        static const uint64_t now[] = {0, 248, 264, 1024, 3064, 3072, 6144};

        for (size_t i = 0; i < ARRAY_SIZE(now); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                m.device_sectors = now[i];
                assert_int_equal(apply(&m, &r, &result), -EAGAIN);
                assert_int_equal(m.device_sectors, now[i]);
                assert_int_equal(result.before_sectors, now[i]);
                assert_int_equal(result.step, APPLY_GET);
                assert_false(result.changed);
                assert_string_equal(m.log, "og");
        }
}

static void test_failures(void **state) {
        static const struct {
                int open_error, get_error, set_error;
                uint64_t page_sectors;
                int error;
                enum apply_step step;
                bool changed;
        } cases[] = {
                        {-ESTALE, 0, 0, 8, -ESTALE, APPLY_OPEN, false},
                        {-ENODEV, 0, 0, 8, -ENODEV, APPLY_OPEN, false},
                        {0, -ENOTTY, 0, 8, -ENOTTY, APPLY_GET, false},
                        {0, 0, -EPERM, 8, -EPERM, APPLY_SET, false},
                        {0, 0, 0, 4096, -EREMOTEIO, APPLY_VERIFY, true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                m.open_error = cases[i].open_error;
                m.get_error = cases[i].get_error;
                m.set_error = cases[i].set_error;
                m.page_sectors = cases[i].page_sectors;
                assert_int_equal(apply(&m, &r, &result), cases[i].error);
                assert_int_equal(result.step, cases[i].step);
                assert_int_equal(result.changed, cases[i].changed);
                assert_int_equal(result.after_sectors, cases[i].step < APPLY_SET ? 0 : m.device_sectors);
                assert_null(strchr(m.log, 'r'));
                assert_int_equal(m.n_set, cases[i].changed);
        }
}

/* What goes wrong with the probe does not undo the change. */
static void test_probe_failures(void **state) {
        struct machine m = machine();
        struct apply_request r = request();
        struct apply_result result;

        m.read_error = -EIO;
        assert_int_equal(apply(&m, &r, &result), 0);
        assert_int_equal(result.step, APPLY_PROBE);
        assert_true(result.changed);
        assert_string_equal(result.probe.skipped, "reading failed: Input/output error");
        assert_int_equal(result.probe.verdict, PROBE_NONE);

        /* No more descriptors: at the first one of each series, and in its midst. */
        for (unsigned opens = 2; opens <= 14; opens++) {
                m = machine();
                m.opens_left = opens;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_true(result.changed);
                if (opens <= 13)
                        assert_non_null(strstr(result.probe.skipped, "Too many open files"));
                else
                        assert_int_equal(result.probe.verdict, PROBE_FASTER);
        }

        /* The array is gone: the rest is measured. */
        m = machine();
        m.array_error = -ESTALE;
        assert_int_equal(apply(&m, &r, &result), 0);
        assert_int_equal(result.probe.verdict, PROBE_FASTER);
        assert_int_equal(result.probe.series[PROBE_ARRAY].n_runs, 0);
}

static void test_keep_if(void **state) {
        static const struct {
                uint64_t from_sectors, to_sectors;
                bool all_alike;
                struct keep_condition keep_if;
                enum probe_verdict verdict;
                bool put_back;
        } cases[] = {
                        /* Faster by a factor of eleven, slower by as much, and neither. */
                        {256, 3072, false, {true, true, 0.97}, PROBE_FASTER, false},
                        {256, 3072, false, {true, true, 2}, PROBE_FASTER, false},
                        {256, 3072, false, {true, true, 20}, PROBE_FASTER, true},
                        {3072, 256, false, {true, true, 0.97}, PROBE_SLOWER, true},
                        {3072, 256, false, {true, true, 0.01}, PROBE_SLOWER, false},
                        {3072, 256, false, {false, true, 0.97}, PROBE_SLOWER, false},
                        {256, 3072, true, {true, true, 0.97}, PROBE_NO_DIFFERENCE, false},
                        {256, 3072, true, {true, false, 1.05}, PROBE_NO_DIFFERENCE, true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                uint64_t from = cases[i].from_sectors, to = cases[i].to_sectors;
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                m.device_sectors = r.from_sectors = from;
                r.to_sectors = to;
                m.all_alike = cases[i].all_alike;
                r.keep_if = cases[i].keep_if;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_int_equal(result.probe.verdict, cases[i].verdict);
                assert_int_equal(result.probe.series[PROBE_AFTER].n_runs, 5);
                assert_int_equal(result.put_back, cases[i].put_back);
                assert_int_equal(result.put_back_error, 0);
                assert_int_equal(result.changed, !cases[i].put_back);
                assert_int_equal(result.before_sectors, from);
                assert_int_equal(result.after_sectors, cases[i].put_back ? from : to);
                assert_int_equal(m.device_sectors, result.after_sectors);
                assert_string_equal(m.log, cases[i].put_back ? ORDER_OF_ALL "ogsg" : ORDER_OF_ALL);
        }
}

/* What was not measured is no loss. */
static void test_keep_if_without_probe(void **state) {
        for (unsigned i = 0; i < 2; i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                r.keep_if = (struct keep_condition){.given = true, .min_gain = 50};
                r.probe = i == 0;
                m.read_error = -EIO;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_true(result.changed && !result.put_back);
                assert_int_equal(m.device_sectors, 3072);
        }
}

static void become_1024(struct machine *m) {
        m->device_sectors = 1024;
}

static void become_256(struct machine *m) {
        m->device_sectors = 256;
}

static void vanish(struct machine *m) {
        m->open_error = -ESTALE;
}

static void refuse_to_set(struct machine *m) {
        m->set_error = -EPERM;
}

static void refuse_to_get(struct machine *m) {
        m->get_error = -EIO;
}

static void take_large_pages_only(struct machine *m) {
        m->page_sectors = 200;
}

/* What somebody else has done while it was measured stands; what fails is told, and the change stands. */
static void test_put_back_failures(void **state) {
        static const struct {
                void (*on_read)(struct machine *m);
                int error;
                uint64_t after_sectors;
                const char *log;
        } cases[] = {
                        {become_1024, -EAGAIN, 1024, "og"},
                        {become_256, -EAGAIN, 256, "og"},
                        {vanish, -ESTALE, 3072, ""},
                        {refuse_to_get, -EIO, 3072, "og"},
                        {refuse_to_set, -EPERM, 3072, "ogs"},
                        {take_large_pages_only, -EREMOTEIO, 200, "ogsg"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                r.keep_if = (struct keep_condition){.given = true, .min_gain = 50};
                m.on_read = cases[i].on_read;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_int_equal(result.put_back_error, cases[i].error);
                assert_false(result.put_back);
                assert_int_equal(result.after_sectors, cases[i].after_sectors);
                assert_int_equal(result.changed, cases[i].after_sectors != 256);
                assert_int_equal(m.device_sectors, cases[i].after_sectors);
                assert_int_equal(result.probe.verdict, PROBE_FASTER);
                assert_string_equal(m.log + strlen(ORDER_OF_ALL), cases[i].log);
        }
}

static void read_array_five_times(struct machine *m) {
        m->array_counters.reads += 5;
}

static void read_and_write_four_times(struct machine *m) {
        m->device_counters.reads += 2;
        m->device_counters.writes += 2;
}

static void write_device(struct machine *m) {
        m->device_counters.writes += 31;
}

static void begin_to_write_array(struct machine *m) {
        m->array_counters.in_flight = 1;
}

/* The change is made all the same, and stays. */
static void test_busy(void **state) {
        static const struct {
                void (*on_pause)(struct machine *m);
                const char *skipped;
        } cases[] = {
                        {NULL, ""},
                        {read_and_write_four_times, ""},
                        {read_array_five_times, "md0 is busy: others made 5 reads and writes in 0.2 s"},
                        {write_device, "dm-3 is busy: others made 31 reads and writes in 0.2 s"},
                        {begin_to_write_array, "md0 is busy: 1 read or write of others is under way"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                r.keep_if = (struct keep_condition){.given = true, .min_gain = 2};
                m.device_counters.reads = 1000;
                m.on_pause = cases[i].on_pause;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_string_equal(result.probe.skipped, cases[i].skipped);
                assert_int_equal(result.probe.verdict, cases[i].skipped[0] ? PROBE_NONE : PROBE_FASTER);
                assert_int_equal(strchr(m.log, 'r') == NULL, cases[i].skipped[0] != '\0');
                assert_true(result.changed);
                assert_int_equal(m.device_sectors, 3072);

                /* Nothing is known of it: nothing is said. */
                m = machine();
                m.counters_error = -ENOENT;
                m.on_pause = cases[i].on_pause;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_int_equal(result.probe.verdict, PROBE_FASTER);
        }
}

static void others_read_half_as_much(struct machine *m) {
        m->device_counters.sectors_read += 128;
}

static void others_read_little(struct machine *m) {
        m->device_counters.sectors_read += 16;
}

static void test_others_reading(void **state) {
        static const struct {
                void (*on_read)(struct machine *m);
                bool disturbed;
        } cases[] = {{others_read_little, false}, {others_read_half_as_much, true}};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                r.has_array = false;
                r.probe_limits.bytes_per_run = 256 << 20; /* next to that what is read ahead is little */
                r.keep_if = (struct keep_condition){.given = true, .min_gain = 50};
                m.on_read = cases[i].on_read;
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_string_equal(result.probe.skipped, cases[i].disturbed ? "others were reading meanwhile" : "");
                assert_int_equal(result.probe.verdict, cases[i].disturbed ? PROBE_NONE : PROBE_FASTER);
                assert_int_equal(result.put_back, !cases[i].disturbed);
        }
}

static void test_hostile_limits(void **state) {
        static const unsigned runs[] = {0, 1, 16, 17, UINT32_MAX};

        for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
                struct machine m = machine();
                struct apply_request r = request();
                struct apply_result result;

                r.probe_limits.runs = runs[i];
                assert_int_equal(apply(&m, &r, &result), 0);
                assert_true(result.probe.series[PROBE_AFTER].n_runs >= 1);
                assert_true(result.probe.series[PROBE_AFTER].n_runs <= PROBE_RUNS_MAX);
        }
}

static void test_step_names(void **state) {
        assert_string_equal(apply_step_name(APPLY_OPEN), "open");
        assert_string_equal(apply_step_name(APPLY_SET), "BLKRASET");
        assert_string_equal(apply_step_name(APPLY_DONE), "done");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_order),
                        cmocka_unit_test(test_random),
                        cmocka_unit_test(test_without_probe),
                        cmocka_unit_test(test_changed_meanwhile),
                        cmocka_unit_test(test_failures),
                        cmocka_unit_test(test_probe_failures),
                        cmocka_unit_test(test_keep_if),
                        cmocka_unit_test(test_keep_if_without_probe),
                        cmocka_unit_test(test_put_back_failures),
                        cmocka_unit_test(test_busy),
                        cmocka_unit_test(test_others_reading),
                        cmocka_unit_test(test_hostile_limits),
                        cmocka_unit_test(test_step_names),
        };

        return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
