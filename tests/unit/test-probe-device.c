/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "common/probe-device.h"

#define MIB (UINT64_C(1) << 20)

/* What the counters of each device say, look by look. */
struct machine {
        struct io_counters looks[2][3];
        unsigned n_looks[2];
        bool hidden[2]; /* it has no counters */
        unsigned paused_msec;
        unsigned n_opened, open_fails_at;
};

static const struct device_identity identities[] = {{.name = "dm-0", .minor = 0}, {.name = "md0", .minor = 1}};

static int fake_counters(void *userdata, const struct device_identity *identity, struct io_counters *ret) {
        struct machine *m = userdata;

        if (m->hidden[identity->minor])
                return -ENOENT;
        *ret = m->looks[identity->minor][m->n_looks[identity->minor]++];
        return 0;
}

static void fake_pause(void *userdata, unsigned msec) {
        ((struct machine *)userdata)->paused_msec += msec;
}

static int fake_open(void *userdata, const struct device_identity *identity) {
        struct machine *m = userdata;

        return m->n_opened++ == m->open_fails_at ? -EIO : dup(STDERR_FILENO);
}

static int fake_size(void *userdata, int fd, uint64_t *ret_bytes) {
        *ret_bytes = 8 * MIB;
        return fd < 0 ? -EBADF : 0;
}

static struct probe_device_ops ops_of(struct machine *m) {
        return (struct probe_device_ops){.open = fake_open,
                        .get_size = fake_size,
                        .get_counters = fake_counters,
                        .pause = fake_pause,
                        .userdata = m};
}

static bool look(struct machine *m, struct probe_seen seen[2], char *reason, size_t size) {
        const struct device_identity *devices[] = {&identities[0], &identities[1]};
        const struct probe_device_ops ops = ops_of(m);

        return probe_devices_are_busy(&ops, devices, 2, seen, reason, size);
}

static void test_busy(void **state) {
        struct machine idle = {}, upper = {.looks = {{{}, {.reads = 100}}}},
                       lower = {.looks = {{}, {{}, {.writes = 9}}}};
        struct machine unknown = {.looks = {{{}, {.reads = 100}}}, .hidden = {true, false}};
        struct probe_seen seen[2] = {};
        char reason[128] = "";

        assert_false(look(&idle, seen, reason, sizeof(reason)));
        assert_int_equal(idle.paused_msec, PROBE_LOOK_MSEC);
        assert_true(seen[0].known && seen[1].known);
        assert_true(look(&upper, seen, reason, sizeof(reason)));
        assert_string_equal(reason, "dm-0 is busy: others made 100 reads and writes in 0.2 s");
        assert_true(look(&lower, seen, reason, sizeof(reason)));
        assert_string_equal(reason, "md0 is busy: others made 9 reads and writes in 0.2 s");
        assert_false(look(&unknown, seen, reason, sizeof(reason)));
        assert_true(!seen[0].known && seen[1].known);
}

/* What others read while they were looked at is not what they read afterwards. */
static void test_disturbed(void **state) {
        struct io_counters much = {.sectors_read = 100 * MIB / 512}, more = {.sectors_read = 200 * MIB / 512};
        struct machine before = {.looks = {{{}, much, much}}}, after = {.looks = {{{}, {}, much}}};
        struct machine own = {.looks = {{{}, much, more}}};
        struct machine *machines[] = {&before, &after, &own};
        static const bool disturbed[] = {false, true, false};
        static const uint64_t own_bytes[] = {MIB, MIB, 100 * MIB};

        for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
                const struct probe_device_ops ops = ops_of(machines[i]);
                struct probe_seen seen[2] = {};
                char reason[128];

                (void)look(machines[i], seen, reason, sizeof(reason));
                assert_int_equal(probe_device_was_disturbed(&ops, &identities[0], &seen[0], own_bytes[i], 0),
                                disturbed[i]);
        }
}

static void test_ahead(void **state) {
        uint64_t bytes = 0;

        /* Two windows of 128 KiB at the end of each of ten runs. */
        assert_true(probe_bytes_ahead(256, 10, &bytes));
        assert_int_equal(bytes, 10 * 2 * 131072);
        assert_false(probe_bytes_ahead(UINT64_MAX / 2, 10, &bytes));
        assert_false(probe_bytes_ahead(UINT64_MAX / 20, 10, &bytes));
}

/* As many as the probe reads, whatever it is asked. */
static void test_descriptors_needed(void **state) {
        static const struct {
                struct probe_limits limits;
                unsigned streams, n;
        } cases[] = {
                        {{.runs = 5}, 1, 6},
                        {{.runs = 5}, 0, 6},
                        {{.runs = 5, .no_warm_up = true}, 1, 5},
                        {{.runs = 5}, 4, 24},
                        {{.runs = 0}, 1, 2},
                        {{.runs = UINT_MAX}, 1, PROBE_FDS_MAX},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_int_equal(probe_fds_needed(&cases[i].limits, cases[i].streams), cases[i].n);
}

static void test_descriptors_allowed(void **state) {
        struct rlimit before, after;

        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        after = (struct rlimit){.rlim_cur = 64, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &after), 0);
        probe_fds_allow();
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
        assert_int_equal(after.rlim_cur, before.rlim_max);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void test_descriptors(void **state) {
        struct machine m = {.open_fails_at = 100}, fails = {.open_fails_at = 2};
        struct probe_device_ops ops = ops_of(&m), failing = ops_of(&fails);
        struct probe_fds fds = {}, none = {};
        struct probe_source source = {.workload = PROBE_RANDOM_READ, .streams = 3};
        int lowest = dup(STDERR_FILENO), now;

        close(lowest);
        assert_int_equal(probe_fds_open(&ops, &identities[0], 3, &fds), 0);
        assert_int_equal(fds.n, 3);
        assert_int_equal(probe_source_set(&ops, &fds, 256, &source), 0);
        assert_ptr_equal(source.fds, fds.fds);
        assert_int_equal(source.size_bytes, 8 * MIB);
        assert_int_equal(source.readahead_bytes, 131072);
        assert_int_equal(source.workload, PROBE_RANDOM_READ);
        assert_int_equal(source.streams, 3);
        assert_int_equal(probe_source_set(&ops, &fds, UINT64_MAX / 2, &source), -ERANGE);
        assert_int_equal(source.readahead_bytes, 131072);
        probe_fds_close(&fds);
        probe_fds_close(&fds);

        /* Those that were opened before the one that can't be are closed. */
        assert_int_equal(probe_fds_open(&failing, &identities[0], 3, &none), -EIO);
        assert_null(none.fds);
        now = dup(STDERR_FILENO);
        assert_int_equal(now, lowest);
        close(now);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_busy),
                        cmocka_unit_test(test_disturbed),
                        cmocka_unit_test(test_ahead),
                        cmocka_unit_test(test_descriptors_needed),
                        cmocka_unit_test(test_descriptors_allowed),
                        cmocka_unit_test(test_descriptors),
        };

        return cmocka_run_group_tests_name("probe-device", tests, NULL, NULL);
}
