/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/ledger.h"
#include "tests/support/record.h"
#include "tests/support/tree.h"

static const struct device_identity map = {.name = "dm-3", .major = 253, .minor = 3, .diskseq = 7, .dm_uuid = "LVM-x"};
static const struct device_identity next_map = {
                .name = "dm-3", .major = 253, .minor = 3, .diskseq = 8, .dm_uuid = "LVM-y"};
static const struct device_identity array = {.name = "md0", .major = 9, .minor = 0, .diskseq = 2};

/* A directory that is not there yet, as /run/setrad after a boot. */
static const char *directory(const struct tree *tree) {
        static char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/setrad", tree_path(tree));
        return path;
}

static const char *file(const struct tree *tree, const char *name) {
        static char path[PATH_MAX + 64];

        snprintf(path, sizeof(path), "%s/%s", directory(tree), name);
        return path;
}

static struct ledger *load(const struct tree *tree) {
        struct ledger *ledger;

        assert_int_equal(ledger_load(file(tree, "ledger.json"), &ledger), 0);
        return ledger;
}

static int try_begin(const char *where, const struct device_identity *device, uint64_t from, uint64_t to,
                bool *ret_damaged) {
        const struct ledger_change change = {
                        .label = "vg0/lv0", .rule = "a rule", .from_sectors = from, .to_sectors = to, .stack = 5};

        return record_begin(where, device, &change, ret_damaged);
}

static void begin(const struct tree *tree, const struct device_identity *device, uint64_t original, uint64_t new) {
        bool damaged = true;

        assert_int_equal(try_begin(directory(tree), device, original, new, &damaged), 0);
        assert_false(damaged);
}

static void end(const struct tree *tree, const struct device_identity *device, bool made) {
        bool damaged = true;

        assert_int_equal(record_end(directory(tree), device, made ? LEDGER_CONFIRMED : LEDGER_STANDS, NULL, &damaged),
                        0);
        assert_false(damaged);
}

static void check_entry(const struct tree *tree, const struct device_identity *device, uint64_t original, uint64_t new,
                bool pending) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
        const struct ledger_entry *entry = ledger_find(ledger, device);

        assert_non_null(entry);
        assert_int_equal(entry->original_sectors, original);
        assert_int_equal(entry->new_sectors, new);
        assert_int_equal(entry->pending, pending);
        assert_string_equal(entry->label, "vg0/lv0");
        assert_string_equal(entry->rule, "a rule");
        assert_true(entry->time_usec > 0);
}

static size_t count(const struct tree *tree) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

        return ledger_count(ledger);
}

/* On record before it is made; the first value stays through all that follow. */
static void test_changes(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        begin(tree, &map, 256, 3072);
        check_entry(tree, &map, 256, 3072, true);
        end(tree, &map, true);
        check_entry(tree, &map, 256, 3072, false);

        begin(tree, &map, 3072, 4096);
        check_entry(tree, &map, 256, 4096, true);
        end(tree, &map, true);
        check_entry(tree, &map, 256, 4096, false);

        begin(tree, &array, 512, 1024);
        end(tree, &array, true);
        check_entry(tree, &map, 256, 4096, false);
        check_entry(tree, &array, 512, 1024, false);
        assert_int_equal(count(tree), 2);
}

static void test_change_not_made(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        begin(tree, &map, 256, 3072);
        end(tree, &map, false);
        assert_int_equal(count(tree), 0);

        begin(tree, &map, 256, 3072);
        end(tree, &map, true);
        begin(tree, &map, 3072, 4096);
        end(tree, &map, false);
        check_entry(tree, &map, 256, 3072, false);
}

/* A device that has the number of one that is gone has a first value of its own. */
static void test_another_device(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        begin(tree, &map, 256, 3072);
        end(tree, &map, true);
        begin(tree, &next_map, 512, 8192);
        end(tree, &next_map, true);
        assert_int_equal(count(tree), 1);
        check_entry(tree, &next_map, 512, 8192, false);
}

/* Ends that nothing began. */
static void test_end_alone(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        end(tree, &map, true);
        end(tree, &map, false);
        assert_int_equal(count(tree), 0);
}

static void test_probe(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct probe_result probe = {.verdict = PROBE_FASTER, .gain = 2.5};
        bool damaged;

        probe.series[PROBE_BEFORE] = (struct probe_series){.n_runs = 1, .median_mbps = 50};
        probe.series[PROBE_AFTER] = (struct probe_series){.n_runs = 1, .median_mbps = 125};
        begin(tree, &map, 256, 3072);
        assert_int_equal(record_end(directory(tree), &map, LEDGER_CONFIRMED, &probe, &damaged), 0);

        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
        const struct ledger_entry *entry = ledger_find(ledger, &map);
        assert_true(entry->before_mbps > 49.9 && entry->before_mbps < 50.1);
        assert_true(entry->after_mbps > 124.9 && entry->after_mbps < 125.1);
        assert_true(entry->gain > 2.49 && entry->gain < 2.51);
}

static const struct probe_result slower = {
                .verdict = PROBE_SLOWER,
                .gain = 0.8,
                .series = {[PROBE_BEFORE] = {.median_mbps = 100}, [PROBE_AFTER] = {.median_mbps = 80}},
};

static void put_back(const struct tree *tree, uint64_t to, const struct probe_result *probe) {
        bool damaged = true;

        assert_int_equal(record_put_back(directory(tree), &map, to, probe, &damaged), 0);
        assert_false(damaged);
}

/* Tried and taken back: it is known what was tried, and that the value now is the one to start from. */
static void test_put_back(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged = true;

        for (unsigned i = 0; i < 2; i++) {
                const uint64_t from = i == 0 ? 256 : 512;

                begin(tree, &map, from, 3072);
                put_back(tree, from, &slower);
                check_entry(tree, &map, from, 3072, false);

                _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
                const struct ledger_entry *entry = ledger_find(ledger, &map);

                assert_true(entry->put_back);
                assert_false(entry->reverted || entry->kept_sectors.known);
                assert_float_equal(entry->gain, 0.8, 1e-9);
                assert_float_equal(entry->before_mbps, 100, 1e-9);
        }
        assert_int_equal(count(tree), 1);

        /* An entry that is not there is none. */
        assert_int_equal(record_put_back(directory(tree), &array, 256, NULL, &damaged), 0);
        assert_int_equal(count(tree), 1);
}

/* The first value is not lost where only what was tried on top of an earlier change is taken back. */
static void test_put_back_after_change(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        begin(tree, &map, 256, 1024);
        end(tree, &map, true);
        begin(tree, &map, 1024, 3072);
        put_back(tree, 1024, &slower);
        check_entry(tree, &map, 256, 3072, false);

        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
        const struct ledger_entry *entry = ledger_find(ledger, &map);

        assert_true(entry->put_back && !entry->reverted);
        assert_int_equal(opt_or(entry->kept_sectors, -1), 1024);
        assert_float_equal(entry->gain, 0.8, 1e-9);
}

/* What can't be read is set aside, told of once, and does not stop a change. */
static void test_damaged(void **state) {
        static const char *const texts[] = {
                        "", "{", "{\"version\":1", "[]", "{\"version\":99,\"entries\":[]}", "\xff\xfe"};

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                struct stat st;
                bool damaged = false;

                print_message("%s\n", texts[i]);
                tree_write(tree, "setrad/ledger.json", texts[i]);
                assert_int_equal(try_begin(directory(tree), &map, 256, 3072, &damaged), 0);
                assert_true(damaged);
                assert_int_equal(stat(file(tree, "ledger.json.damaged"), &st), 0);
                assert_int_equal(st.st_size, strlen(texts[i]));
                check_entry(tree, &map, 256, 3072, true);
                end(tree, &map, true);
        }
}

/* A number that JSON can't hold: nothing is written, and what was there stays. */
static void test_refused(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged;

        begin(tree, &array, 512, 1024);
        assert_int_equal(try_begin(directory(tree), &map, UINT64_MAX, 1, &damaged), -ERANGE);
        assert_int_equal(try_begin(directory(tree), &map, 1, UINT64_MAX, &damaged), -ERANGE);
        assert_int_equal(count(tree), 1);
        check_entry(tree, &array, 512, 1024, true);
}

static void test_bad_directory(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        char longest[PATH_MAX + 32];
        bool damaged;

        memset(longest, 'x', sizeof(longest) - 1);
        longest[sizeof(longest) - 1] = 0;
        assert_int_equal(try_begin(longest, &map, 1, 2, &damaged), -ENAMETOOLONG);
        assert_int_equal(record_end(longest, &map, LEDGER_CONFIRMED, NULL, &damaged), -ENAMETOOLONG);

        assert_int_equal(try_begin("/nonexistent/setrad", &map, 1, 2, &damaged), -ENOENT);
        tree_write(tree, "setrad", "a file");
        assert_true(try_begin(directory(tree), &map, 1, 2, &damaged) < 0);
        assert_true(record_end(directory(tree), &map, LEDGER_CONFIRMED, NULL, &damaged) < 0);
}

/* As on a full disk: the ledger stays as it was, and nothing else stays. */
static _Noreturn void begin_without_room(const struct tree *tree) {
        const struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};
        bool damaged;
        int r;

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        r = try_begin(directory(tree), &map, 256, 3072, &damaged);
        _exit(r == -EFBIG && access(file(tree, "ledger.json.new"), F_OK) < 0 ? 0 : 1);
}

static void test_no_room(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        int status;
        pid_t pid;

        begin(tree, &array, 512, 1024);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
                begin_without_room(tree);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(count(tree), 1);
        check_entry(tree, &array, 512, 1024, true);
}

/* What a writer that was killed has left behind is in nobody's way, whatever it is. */
static void test_leftovers(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        tree_write(tree, "setrad/ledger.json.new", "{\"version\":1,\"entr");
        begin(tree, &array, 512, 1024);
        assert_int_equal(access(file(tree, "ledger.json.new"), F_OK), -1);
        tree_link(tree, "setrad/ledger.json.new", "ledger.json");
        end(tree, &array, true);
        assert_int_equal(access(file(tree, "ledger.json.new"), F_OK), -1);
        check_entry(tree, &array, 512, 1024, false);
}

static void begin_revert(const struct tree *tree) {
        const struct ledger_revert revert = {.from_sectors = 3072, .original_sectors = 256, .stack = 6, .keep = true};
        bool damaged = true;

        assert_int_equal(record_revert(directory(tree), &map, &revert, &damaged), 0);
        assert_false(damaged);
}

static void end_revert(const struct tree *tree, enum ledger_outcome outcome) {
        bool damaged = true;

        assert_int_equal(record_end(directory(tree), &map, outcome, NULL, &damaged), 0);
        assert_false(damaged);
}

static void check_reverted(const struct tree *tree, bool reverted) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

        assert_int_equal(ledger_find(ledger, &map)->reverted, reverted);
        assert_int_equal(ledger_find(ledger, &map)->stack, reverted ? 6 : 5);
}

static void test_revert(void **state) {
        static const struct ledger_revert revert = {.from_sectors = 3072, .original_sectors = 256};
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged;

        assert_int_equal(record_revert(directory(tree), &map, &revert, &damaged), -ENOENT);
        begin(tree, &map, 256, 3072);
        end(tree, &map, true);

        begin_revert(tree);
        check_entry(tree, &map, 256, 256, true);
        end_revert(tree, LEDGER_STANDS);
        check_entry(tree, &map, 256, 3072, false);
        check_reverted(tree, false);

        begin_revert(tree);
        end_revert(tree, LEDGER_RELEASED);
        check_entry(tree, &map, 256, 3072, false);
        check_reverted(tree, true);

        end_revert(tree, LEDGER_REMOVED);
        assert_int_equal(count(tree), 0);
}

static void assert_lock_is_free(const struct tree *tree) {
        _cleanup_(closep) int fd = ledger_lock(directory(tree), 0);

        assert_true(fd >= 0);
}

/* Whether it went well or not, the lock is given back. */
static void test_lock_is_given_back(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged;

        begin(tree, &map, 256, 3072);
        assert_lock_is_free(tree);
        end(tree, &map, true);
        assert_lock_is_free(tree);
        assert_true(try_begin(directory(tree), &map, UINT64_MAX, 1, &damaged) < 0);
        assert_lock_is_free(tree);
}

#define WRITERS 4
#define CHANGES 6

static void write_changes(const struct tree *tree, unsigned writer) {
        struct device_identity device = {.name = "sdx", .major = 8};

        for (unsigned i = 0; i < CHANGES; i++) {
                bool damaged;

                device.minor = writer * CHANGES + i;
                if (try_begin(directory(tree), &device, 1, 2, &damaged) < 0 ||
                                record_end(directory(tree), &device, LEDGER_CONFIRMED, NULL, &damaged) < 0)
                        _exit(1);
        }
        _exit(0);
}

/* Daemon and command line at once: no change of either is lost. */
static void test_writers_at_once(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        pid_t pids[WRITERS];

        for (unsigned i = 0; i < WRITERS; i++) {
                pids[i] = fork();
                assert_true(pids[i] >= 0);
                if (pids[i] == 0)
                        write_changes(tree, i);
        }
        for (unsigned i = 0; i < WRITERS; i++) {
                int status;

                assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
                assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        assert_int_equal(count(tree), WRITERS * CHANGES);
}

/* Only the map was really changed. */
static enum ledger_fate is_map(const struct ledger_entry *entry, void *userdata) {
        unsigned *n = userdata;

        (*n)++;
        return device_identity_equal(&entry->device, &map) ? LEDGER_MADE : LEDGER_NOT_MADE;
}

static void test_settle(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        unsigned n = 0;
        bool damaged = true;

        begin(tree, &array, 1024, 2048);
        end(tree, &array, true);
        begin(tree, &map, 256, 3072);
        begin(tree, &array, 2048, 4096);
        assert_int_equal(ledger_record_settle(directory(tree), 1000, is_map, &n, &damaged), 0);
        assert_false(damaged);
        assert_int_equal(n, 4); /* with a first look */

        ledger = load(tree);
        assert_int_equal(ledger_count(ledger), 2);
        assert_false(ledger_find(ledger, &map)->pending);
        assert_int_equal(ledger_find(ledger, &map)->new_sectors, 3072);
        assert_false(ledger_find(ledger, &array)->pending);
        assert_int_equal(ledger_find(ledger, &array)->new_sectors, 2048);
        assert_int_equal(ledger_find(ledger, &array)->original_sectors, 1024);
}

/* The stack is noted of what stands, and never of what is pending. */
static void test_stack(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged;

        begin(tree, &map, 256, 3072);
        assert_int_equal(record_stack(directory(tree), &map, 77, &damaged), 0);
        end(tree, &map, true);
        {
                _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

                assert_true(ledger_find(ledger, &map)->stack != 77);
        }
        assert_int_equal(record_stack(directory(tree), &map, 77, &damaged), 0);
        assert_int_equal(record_stack(directory(tree), &array, 78, &damaged), 0);
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

        assert_true(ledger_find(ledger, &map)->stack == 77);
        assert_int_equal(ledger_count(ledger), 1);
        check_entry(tree, &map, 256, 3072, false);
}

static enum ledger_fate is_new(const struct ledger_entry *entry, void *userdata) {
        const uint64_t *sectors = userdata;

        return entry->new_sectors == *sectors ? LEDGER_MADE : LEDGER_NOT_MADE;
}

/* Two processes were killed before they had made their change: each is settled, none is left pending. */
static void test_settle_twice(void **state) {
        static const struct {
                uint64_t now;
                size_t n_entries;
        } cases[] = {{256, 0}, {3072, 1}, {4096, 1}};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                uint64_t now = cases[i].now;
                bool damaged;

                begin(tree, &map, 256, 3072);
                begin(tree, &map, 256, 4096);
                assert_int_equal(ledger_record_settle(directory(tree), 1000, is_new, &now, &damaged), 0);
                assert_int_equal(count(tree), cases[i].n_entries);
                if (cases[i].n_entries > 0)
                        check_entry(tree, &map, 256, now, false);
        }
}

/* Without the lock, as long as there is nothing to settle. */
static void test_settle_nothing(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        bool damaged = true;
        unsigned n = 0;

        /* No ledger, not even its directory, and none is made. */
        assert_int_equal(ledger_record_settle(directory(tree), 0, is_map, &n, &damaged), 0);
        assert_int_equal(access(directory(tree), F_OK), -1);

        begin(tree, &map, 256, 3072);
        end(tree, &map, true);
        _cleanup_(closep) int lock = ledger_lock(directory(tree), 0);
        assert_true(lock >= 0);
        assert_int_equal(ledger_record_settle(directory(tree), 0, is_map, &n, &damaged), 0);
        assert_false(damaged);
        assert_int_equal(n, 0);
        closep(&lock);

        begin(tree, &map, 3072, 4096);
        lock = ledger_lock(directory(tree), 0);
        assert_int_equal(ledger_record_settle(directory(tree), 0, is_map, &n, &damaged), -ETIMEDOUT);
        closep(&lock);
        lock = -1;

        /* What is damaged is set aside, under the lock. */
        tree_write(tree, "setrad/ledger.json", "{");
        assert_int_equal(ledger_record_settle(directory(tree), 0, is_map, &n, &damaged), 0);
        assert_true(damaged);
        assert_int_equal(access(file(tree, "ledger.json.damaged"), F_OK), 0);
}

static bool find_readahead(struct device_identity *device, uint64_t *ret_sectors) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(freep) char **names = NULL;

        assert_int_equal(sysroot_open(NULL, &root), 0);
        if (sysroot_list(root, "", &names, "sys/dev/block") < 0)
                return false;
        for (char **name = names; *name; name++) {
                struct opt_int kib = sysroot_read_int(root, "sys/dev/block/%s/queue/read_ahead_kb", *name);

                if (!kib.known || sscanf(*name, "%9u:%9u", &device->major, &device->minor) != 2)
                        continue;
                *ret_sectors = (uint64_t)kib.value * 2;
                return true;
        }
        return false;
}

/* Another process begins changes of both devices and is killed. */
static void begin_and_die(const struct tree *tree, const struct device_identity *a, uint64_t to,
                const struct device_identity *b) {
        pid_t pid = fork();
        bool damaged;

        assert_true(pid >= 0);
        if (pid == 0) {
                if (try_begin(directory(tree), a, to + 8, to, &damaged) == 0 &&
                                try_begin(directory(tree), b, 256, 3072, &damaged) == 0)
                        raise(SIGKILL);
                _exit(1);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
}

/* Whoever writes the ledger next settles it, by what a device has, or leaves it where there is no such device. */
static void test_orphans(void **state) {
        struct device_identity real = {.name = "real"}, none = {.name = "none", .major = 4095, .minor = 1};
        uint64_t sectors;

        if (!find_readahead(&real, &sectors))
                skip();
        for (unsigned i = 0; i < 6; i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                const struct ledger_revert revert = {.from_sectors = 3072, .original_sectors = 256};
                bool damaged, made = i % 2 == 0;

                print_message("%u\n", i);
                begin(tree, &map, 256, 3072);
                begin_and_die(tree, &real, made ? sectors : sectors + 8, &none);
                check_entry(tree, &real, made ? sectors + 8 : sectors + 16, made ? sectors : sectors + 8, true);
                if (i / 2 == 0)
                        end(tree, &map, true);
                else if (i / 2 == 1)
                        begin(tree, &array, 512, 1024);
                else
                        assert_int_equal(record_revert(directory(tree), &map, &revert, &damaged), 0);
                if (made)
                        check_entry(tree, &real, sectors + 8, sectors, false);
                assert_int_equal(count(tree), (i / 2 == 1) + 2 + made);
                check_entry(tree, &none, 256, 3072, true);
        }
}

/* A process that lives knows itself how it ends. */
static void test_owner_is_alive(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct device_identity real = {.name = "real"};
        uint64_t sectors;

        if (!find_readahead(&real, &sectors))
                skip();
        begin(tree, &real, 8, sectors + 8);
        begin(tree, &map, 256, 3072);
        end(tree, &map, true);
        check_entry(tree, &real, 8, sectors + 8, true);
        end(tree, &real, true);
        check_entry(tree, &real, 8, sectors + 8, false);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_changes),
                        cmocka_unit_test(test_change_not_made),
                        cmocka_unit_test(test_another_device),
                        cmocka_unit_test(test_end_alone),
                        cmocka_unit_test(test_probe),
                        cmocka_unit_test(test_put_back),
                        cmocka_unit_test(test_put_back_after_change),
                        cmocka_unit_test(test_damaged),
                        cmocka_unit_test(test_refused),
                        cmocka_unit_test(test_bad_directory),
                        cmocka_unit_test(test_no_room),
                        cmocka_unit_test(test_leftovers),
                        cmocka_unit_test(test_revert),
                        cmocka_unit_test(test_lock_is_given_back),
                        cmocka_unit_test(test_writers_at_once),
                        cmocka_unit_test(test_settle),
                        cmocka_unit_test(test_stack),
                        cmocka_unit_test(test_settle_twice),
                        cmocka_unit_test(test_settle_nothing),
                        cmocka_unit_test(test_orphans),
                        cmocka_unit_test(test_owner_is_alive),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
