/* SPDX-License-Identifier: MIT */

/* Measuring over a fake device: what it has afterwards, whatever happens, and what the ledger says. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tune-run.h"
#include "tests/support/record.h"
#include "tests/support/tree.h"

#define FDS_MAX    1024
#define NOW        256U
#define MIB        (UINT64_C(1) << 20)
#define KNEE       4096.0 /* sectors */
#define STEPS_MAX  400U
#define RATE_BYTES 400 /* a microsecond */

/*
 * Descriptors are real ones (of /dev/null), so that those which are left open can be counted. Shared with a child, so that
 * the readahead outlives it.
 */
struct machine {
        volatile uint64_t sectors;
        uint64_t at_open[FDS_MAX]; /* by descriptor */
        uint64_t size_bytes, now_usec, n_reads;
        unsigned steps, die_at; /* calls that reach the device; before this one the process is killed, 0: never */
        unsigned n_set, meddle_at, fail_at; /* the set after which somebody else sets 777; which fails */
        uint64_t meddle_sectors;
        int open_error, read_error, restore_error;
        unsigned opens_left; /* 0: no limit */
        unsigned n_drops;
        uint64_t slow_usec; /* each read takes so much longer; in every other run half of it */
        struct io_counters counters;
        unsigned others; /* reads that others make while it is looked at */
        bool mixed;
        uint64_t bytes_per_run, stripe_sectors;
        struct opt_int plan_sectors;
        uint64_t position;    /* where the last read ended */
        unsigned n_misplaced; /* runs whose windows begin neither at the device's start nor at a stripe */
        int signal;           /* that is raised before each set */
        struct tune tune;
};

static void step(struct machine *m) {
        if (++m->steps == m->die_at)
                kill(getpid(), SIGKILL);
}

static int fake_open(void *userdata, const struct device_identity *identity) {
        struct machine *m = userdata;
        int fd;

        step(m);
        if (m->open_error < 0)
                return m->open_error;
        if (m->opens_left > 0 && --m->opens_left == 0)
                return -EMFILE;
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fd >= FDS_MAX)
                abort();
        m->at_open[fd] = m->sectors;
        return fd;
}

static int fake_get(void *userdata, int fd, uint64_t *ret) {
        struct machine *m = userdata;

        step(m);
        *ret = m->sectors;
        return 0;
}

static int fake_set(void *userdata, int fd, uint64_t sectors) {
        struct machine *m = userdata;

        step(m);
        if (m->restore_error < 0 && sectors == NOW)
                return m->restore_error;
        if (++m->n_set == m->fail_at)
                return -EPERM;
        m->sectors = m->n_set == m->meddle_at ? m->meddle_sectors : sectors;
        step(m);
        return 0;
}

static int fake_size(void *userdata, int fd, uint64_t *ret) {
        *ret = ((struct machine *)userdata)->size_bytes;
        return 0;
}

static int fake_counters(void *userdata, const struct device_identity *identity, struct io_counters *ret) {
        *ret = ((struct machine *)userdata)->counters;
        return 0;
}

static void fake_pause(void *userdata, unsigned msec) {
        struct machine *m = userdata;

        m->counters.reads += m->others;
}

static uint64_t fake_now(void *userdata) {
        return ((struct machine *)userdata)->now_usec;
}

/* Each run is followed by one as well. */
static int fake_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        ((struct machine *)userdata)->n_drops++;
        return 0;
}

/* As fast as the readahead that the descriptor was opened with, up to the knee. */
static ssize_t fake_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct machine *m = userdata;
        double part = (double)m->at_open[fd] / KNEE;

        if (m->read_error < 0)
                return m->read_error;
        if (offset + size > m->size_bytes)
                return -EIO;
        /* The device has what it had, as long as it is read. */
        if (m->sectors != NOW)
                abort();
        if (m->stripe_sectors > 0 && offset != m->position && offset > 0)
                m->n_misplaced += (offset + (m->at_open[fd] < 256 ? 0 : PROBE_BLOCK_BYTES)) %
                                                  (m->stripe_sectors * SECTOR_BYTES) !=
                                  0;
        m->position = offset + size;
        m->n_reads++;
        m->counters.sectors_read += size / SECTOR_BYTES;
        m->now_usec += (uint64_t)((double)size / RATE_BYTES / (part < 1 ? part : 1));
        m->now_usec += m->n_drops / 2 % 2 ? m->slow_usec / 2 : m->slow_usec;
        return (ssize_t)size;
}

static void fake_rest(void *userdata, uint64_t usec) {
        ((struct machine *)userdata)->now_usec += usec;
}

static int fake_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret) {
        *ret = 0;
        return 0;
}

static int fake_in_flight(void *userdata, int fd, uint64_t *ret) {
        *ret = 0;
        return 0;
}

static int fake_fetched(void *userdata, int fd, uint64_t *ret) {
        *ret = ((struct machine *)userdata)->counters.sectors_read * SECTOR_BYTES;
        return 0;
}

/* Half a window before and after. */
static int fake_fault(void *userdata, int fd, uint64_t offset) {
        struct machine *m = userdata;

        if (offset >= m->size_bytes)
                return -EIO;
        m->counters.sectors_read += m->at_open[fd];
        m->now_usec += 1000;
        return 0;
}

static const struct device_identity device = {.name = "md0", .major = 4095, .minor = 7, .diskseq = 5};

static int run(struct machine *m, const struct tree *tree, struct tune_result *ret) {
        const struct probe_device_ops device_ops = {.open = fake_open,
                        .get_readahead = fake_get,
                        .get_size = fake_size,
                        .get_counters = fake_counters,
                        .pause = fake_pause,
                        .userdata = m};
        const struct probe_ops probe_ops = {.now_usec = fake_now,
                        .pause = fake_rest,
                        .drop = fake_drop,
                        .read = fake_read,
                        .fault = fake_fault,
                        .cached = fake_cached,
                        .in_flight = fake_in_flight,
                        .fetched = fake_fetched,
                        .userdata = m};
        const struct tune_ops ops = {
                        .device = &device_ops, .set_readahead = fake_set, .probe = &probe_ops, .userdata = m};
        const struct tune_bounds bounds = {.page_bytes = 4096,
                        .max_sectors = 16384,
                        .now_sectors = opt_some(NOW),
                        .stripe_sectors = m->stripe_sectors,
                        .plan_sectors = m->plan_sectors,
                        .bytes_per_run = m->bytes_per_run};
        const struct tune_request request = {.device = device,
                        .label = "md0",
                        .now_sectors = NOW,
                        .stack = 3,
                        .time_msec = 60000,
                        .mixed = m->mixed,
                        .ledger_directory = tree_path(tree),
                        .tune = &m->tune};

        tune_begin(&m->tune, &bounds);
        return tune_run_with(&ops, &request, ret);
}

static struct machine new_machine(void) {
        return (struct machine){.sectors = NOW, .size_bytes = 4096 * MIB, .bytes_per_run = 64 * MIB, .now_usec = 1};
}

static struct ledger *load(const struct tree *tree) {
        struct ledger *ledger;
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/ledger.json", tree_path(tree));
        assert_int_equal(ledger_load(path, &ledger), 0);
        return ledger;
}

static size_t count(const struct tree *tree) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

        return ledger_count(ledger);
}

static unsigned count_descriptors(void) {
        unsigned n = 0;

        for (int fd = 0; fd < FDS_MAX; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

static void test_measures_and_restores(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;
        struct tune_choice choice;
        unsigned before = count_descriptors();

        assert_int_equal(run(&m, tree, &result), 0);
        assert_int_equal(result.step, TUNE_DONE);
        assert_int_equal(m.sectors, NOW);
        assert_int_equal(count(tree), 0);
        assert_int_equal(count_descriptors(), before);
        assert_true(tune_choose(&m.tune, &choice));
        assert_true(choice.finished && choice.is_certain);
        assert_int_equal(m.tune.values[choice.chosen].sectors, 4096);
        assert_true(m.tune.bytes_read <= 64 * MIB * TUNE_RUNS_OF_BYTES);
        assert_false(result.disturbed || result.time_is_over);
        assert_string_equal(result.skipped, "");
}

static void test_windows_begin_at_stripes(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.stripe_sectors = 3584;
        m.plan_sectors = opt_some(128); /* less than a block: read ahead at once */
        assert_int_equal(run(&m, tree, &result), 0);
        assert_int_equal(m.n_misplaced, 0);
}

/* A page that is touched through a mapping makes the kernel fetch a window. */
static void test_mixed(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.mixed = true;
        assert_int_equal(run(&m, tree, &result), 0);
        for (size_t i = 0; i < m.tune.n_values; i++) {
                const struct tune_value *value = &m.tune.values[i];

                if (value->n_runs > 0)
                        assert_int_equal((int)(tune_amplification(value) + 0.5), value->sectors / 8);
                else
                        assert_int_equal(value->bytes_asked, 0);
        }
}

/* Of a device that is too small for a place for each run they share places; nothing is read beyond its end. */
static void test_small_device(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.size_bytes = 80 * MIB;
        assert_int_equal(run(&m, tree, &result), 0);
        assert_int_equal(result.step, TUNE_DONE);

        /* None of the values is too large for a run, where a run is no larger than the device. */
        for (unsigned mib = 1; mib <= 64; mib *= 2) {
                m = new_machine();
                m.size_bytes = m.bytes_per_run = mib * MIB;
                assert_int_equal(run(&m, tree, &result), 0);
                assert_false(result.time_is_over);
                assert_string_equal(result.skipped, "");
        }
}

static void test_busy(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.others = 100;
        assert_int_equal(run(&m, tree, &result), 0);
        assert_non_null(strstr(result.skipped, "busy"));
        assert_int_equal(m.n_set + m.n_reads, 0);
}

/* It is not what was seen: nothing is touched. */
static void test_changed_before(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.sectors = 1024;
        assert_int_equal(run(&m, tree, &result), -EAGAIN);
        assert_int_equal(result.left_sectors, 1024);
        assert_int_equal(m.n_set, 0);
        assert_int_equal(m.sectors, 1024);
}

/* Somebody sets it in between: that stays, and nothing is left on record. */
static void test_changed_meanwhile(void **state) {
        for (unsigned at = 1; at <= 5; at++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                struct machine m = new_machine();
                struct tune_result result;

                m.meddle_at = at;
                m.meddle_sectors = 776;
                assert_int_equal(run(&m, tree, &result), -EAGAIN);
                assert_int_equal(m.sectors, 776);
                assert_int_equal(result.left_sectors, 776);
                assert_false(result.is_left);
                assert_int_equal(m.n_set, at);
                assert_int_equal(count(tree), 0);
        }
}

static void test_set_fails(void **state) {
        for (unsigned at = 1; at <= 3; at += 2) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                struct machine m = new_machine();
                struct tune_result result;

                m.fail_at = at;
                assert_int_equal(run(&m, tree, &result), -EPERM);
                assert_int_equal(result.step, TUNE_SET);
                assert_int_equal(m.sectors, NOW);
                assert_false(result.is_left);
                assert_int_equal(count(tree), 0);
        }
}

/* No more descriptors: what was set last is put back. */
static void test_open_fails(void **state) {
        for (unsigned opens = 1; opens < 60; opens++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                struct machine m = new_machine();
                struct tune_result result;
                unsigned before = count_descriptors();

                m.opens_left = opens;
                assert_int_equal(run(&m, tree, &result), -EMFILE);
                assert_int_equal(result.step, TUNE_OPEN);
                assert_int_equal(m.sectors, NOW);
                assert_int_equal(count_descriptors(), before);
        }
}

/* What can't be put back is on record, with what it is to have again. */
static void test_restore_fails(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        struct machine m = new_machine();
        struct tune_result result;
        const struct ledger_entry *entry;

        m.restore_error = -EIO;
        assert_int_equal(run(&m, tree, &result), -EIO);
        assert_int_equal(result.step, TUNE_RESTORE);
        assert_true(result.is_left);
        assert_int_equal(result.left_sectors, m.sectors);
        ledger = load(tree);
        entry = ledger_find(ledger, &device);
        assert_non_null(entry);
        assert_true(entry->pending && entry->trial_from_sectors.known);
        assert_int_equal(entry->trial_from_sectors.value, NOW);
        assert_int_equal(entry->new_sectors, m.sectors);
}

static void test_read_fails(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.read_error = -EIO;
        assert_int_equal(run(&m, tree, &result), -EIO);
        assert_int_equal(result.step, TUNE_READ);
        assert_int_equal(m.sectors, NOW);
        assert_int_equal(count(tree), 0);
}

static void test_time_is_over(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct machine m = new_machine();
        struct tune_result result;

        m.slow_usec = 50000; /* less than three megabytes a second */
        assert_int_equal(run(&m, tree, &result), 0);
        assert_true(result.time_is_over);
        assert_true(m.now_usec < 75 * UINT64_C(1000000));
}

/* Another process is changing it. */
static void test_change_under_way(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        const struct ledger_change change = {.label = "md0", .from_sectors = NOW, .to_sectors = 512};
        struct machine m = new_machine();
        struct tune_result result;
        bool damaged;

        assert_int_equal(record_begin(tree_path(tree), &device, &change, &damaged), 0);
        assert_int_equal(run(&m, tree, &result), -EBUSY);
        assert_int_equal(result.step, TUNE_LEDGER);
        assert_int_equal(m.n_set, 0);
        assert_int_equal(count(tree), 1);
}

/* What setrad had given it, and what it had first, stands on record as before. */
static void test_keeps_what_is_on_record(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        const struct ledger_change change = {
                        .label = "md0", .rule = "a rule", .from_sectors = 128, .to_sectors = NOW, .stack = 3};
        struct machine m = new_machine();
        struct tune_result result;
        const struct ledger_entry *entry;
        bool damaged;

        assert_int_equal(record_begin(tree_path(tree), &device, &change, &damaged), 0);
        assert_int_equal(record_end(tree_path(tree), &device, LEDGER_CONFIRMED, NULL, &damaged), 0);
        assert_int_equal(run(&m, tree, &result), 0);
        ledger = load(tree);
        entry = ledger_find(ledger, &device);
        assert_non_null(entry);
        assert_false(entry->pending || entry->trial_from_sectors.known);
        assert_int_equal(entry->original_sectors, 128);
        assert_int_equal(entry->new_sectors, NOW);
        assert_string_equal(entry->rule, "a rule");
}

static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        const struct machine *m = userdata;

        return m->sectors == entry->new_sectors ? LEDGER_MADE : LEDGER_NOT_MADE;
}

/* After a kill: the device has what it had, or the ledger says what it has and what it had. */
static void check_after_kill(struct machine *m, const struct tree *tree, unsigned at) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
        const struct ledger_entry *entry = ledger_find(ledger, &device);

        if (m->sectors != NOW) {
                assert_non_null(entry);
                assert_true(entry->pending && entry->trial_from_sectors.known);
                assert_int_equal(entry->new_sectors, m->sectors);
                assert_int_equal(entry->trial_from_sectors.value, NOW);
                /* Settled as a trial is: it waits to be put back, and is done with then. */
                assert_false(ledger_settle(ledger, judge, m));
                assert_true(ledger_find(ledger, &device)->pending);
                m->sectors = (uint64_t)entry->trial_from_sectors.value;
        }
        (void)ledger_settle(ledger, judge, m);
        assert_int_equal(ledger_count(ledger), 0);
}

static void test_killed_at_each_step(void **state) {
        struct machine *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        unsigned killed = 0, left = 0;

        assert_true(m != MAP_FAILED);
        for (unsigned at = 1; at <= STEPS_MAX; at++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                int status;
                pid_t pid;

                *m = new_machine();
                m->die_at = at;
                m->read_error = -EIO; /* reading is no step */
                pid = fork();
                assert_true(pid >= 0);
                if (pid == 0) {
                        struct tune_result result;

                        (void)run(m, tree, &result);
                        _exit(0);
                }
                assert_int_equal(waitpid(pid, &status, 0), pid);
                if (WIFSIGNALED(status)) {
                        assert_int_equal(WTERMSIG(status), SIGKILL);
                        killed++;
                }
                left += m->sectors != NOW;
                check_after_kill(m, tree, at);
        }
        print_message("killed %u times, %u of these between set and put back\n", killed, left);
        assert_true(killed > 100 && left > 50);
        munmap(m, sizeof(*m));
}

/* A signal waits until the device has what it had; one that stops it, too: nobody else gets the ledger until then. */
static int set_and_signal(void *userdata, int fd, uint64_t sectors) {
        struct machine *m = userdata;

        raise(m->signal);
        return fake_set(userdata, fd, sectors);
}

static void check_signal(int signal_number) {
        struct machine *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        int status;
        pid_t pid;

        assert_true(m != MAP_FAILED);
        *m = new_machine();
        m->signal = signal_number;
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                const struct probe_device_ops device_ops = {.open = fake_open,
                                .get_readahead = fake_get,
                                .get_size = fake_size,
                                .get_counters = fake_counters,
                                .pause = fake_pause,
                                .userdata = m};
                const struct tune_ops ops = {.device = &device_ops,
                                .set_readahead = set_and_signal,
                                .probe = &probe_ops_real,
                                .userdata = m};
                const struct tune_bounds bounds = {.page_bytes = 4096, .max_sectors = 16384, .bytes_per_run = 64 * MIB};
                const struct tune_request request = {.device = device,
                                .label = "md0",
                                .now_sectors = NOW,
                                .ledger_directory = tree_path(tree),
                                .tune = &m->tune};
                const struct rlimit no_core = {};
                struct tune_result result;

                /* A job of its own, as only such a one is stopped by a terminal's signals. */
                if (setpgid(0, 0) < 0 || setrlimit(RLIMIT_CORE, &no_core) < 0)
                        _exit(1);
                /* Whoever runs this in the background may have it ignored. */
                signal(signal_number, SIG_DFL);
                tune_begin(&m->tune, &bounds);
                (void)tune_run_with(&ops, &request, &result);
                _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
        if (WIFSTOPPED(status)) {
                kill(pid, SIGKILL);
                assert_int_equal(waitpid(pid, NULL, 0), pid);
                assert_int_equal(WSTOPSIG(status), signal_number);
        } else
                assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal_number);
        assert_true(m->n_set >= 2);
        assert_int_equal(m->sectors, NOW);
        assert_int_equal(count(tree), 0);
        munmap(m, sizeof(*m));
}

static void test_signal_waits(void **state) {
        static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM};

        for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
                check_signal(signals[i]);
}

static void test_stop_waits(void **state) {
        static const int signals[] = {SIGTSTP, SIGTTIN, SIGTTOU};

        /* Valgrind, which sets this (tests/run-checks), stops no program for them. */
        if (getenv("VALGRIND_HERE"))
                skip();
        for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
                check_signal(signals[i]);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_measures_and_restores),
                        cmocka_unit_test(test_windows_begin_at_stripes),
                        cmocka_unit_test(test_mixed),
                        cmocka_unit_test(test_small_device),
                        cmocka_unit_test(test_busy),
                        cmocka_unit_test(test_changed_before),
                        cmocka_unit_test(test_changed_meanwhile),
                        cmocka_unit_test(test_set_fails),
                        cmocka_unit_test(test_open_fails),
                        cmocka_unit_test(test_restore_fails),
                        cmocka_unit_test(test_read_fails),
                        cmocka_unit_test(test_time_is_over),
                        cmocka_unit_test(test_change_under_way),
                        cmocka_unit_test(test_keeps_what_is_on_record),
                        cmocka_unit_test(test_killed_at_each_step),
                        cmocka_unit_test(test_signal_waits),
                        cmocka_unit_test(test_stop_waits),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
