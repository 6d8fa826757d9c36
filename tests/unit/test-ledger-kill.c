/* SPDX-License-Identifier: MIT */

/* A process that changes devices and puts them back is killed at any moment: the ledger always knows the way back. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/ledger-record.h"
#include "tests/support/record.h"
#include "tests/support/tree.h"

#define KILLS         200
#define DEVICES       5
#define DELAY_USEC    4000
#define LOCK_MSEC     1000
#define BASE(i)       (256U + 8 * (i))
#define FILE_NAME_MAX 512

/* What outlives the process: the devices' readahead. */
struct machine {
        volatile uint64_t sectors[DEVICES];
        volatile unsigned long steps;
        char directory[FILE_NAME_MAX], path[FILE_NAME_MAX + 16];
};

/* No number of a device that this machine has. */
static struct device_identity identity(unsigned i) {
        return (struct device_identity){.name = "dm", .major = 4095, .minor = i, .diskseq = i + 1};
}

static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        const struct machine *m = userdata;

        return m->sectors[entry->device.minor] == entry->new_sectors ? LEDGER_MADE : LEDGER_NOT_MADE;
}

/* Only what must not happen in the child ends it by itself. */
static void must(bool good) {
        if (!good)
                _exit(1);
}

static void change(struct machine *m, unsigned i, bool succeeds) {
        const struct device_identity device = identity(i);
        const struct ledger_change asked = {.label = "vg0/lv0",
                        .rule = "a rule",
                        .from_sectors = m->sectors[i],
                        .to_sectors = 1024 + 8 * ((unsigned)rand() % 100),
                        .stack = 1};
        bool damaged;

        must(record_begin(m->directory, &device, &asked, &damaged) == 0 && !damaged);
        if (succeeds)
                m->sectors[i] = asked.to_sectors;
        must(record_end(m->directory, &device, succeeds ? LEDGER_CONFIRMED : LEDGER_STANDS, NULL, &damaged) == 0 &&
                        !damaged);
}

/* A change that keep-if has put back. */
static void try_change(struct machine *m, unsigned i) {
        const struct device_identity device = identity(i);
        const struct ledger_change asked = {.label = "vg0/lv0",
                        .rule = "a rule",
                        .from_sectors = m->sectors[i],
                        .to_sectors = 2048 + 8 * ((unsigned)rand() % 100),
                        .stack = 1};
        bool damaged;

        must(record_begin(m->directory, &device, &asked, &damaged) == 0 && !damaged);
        m->sectors[i] = asked.to_sectors;
        m->sectors[i] = asked.from_sectors;
        must(record_put_back(m->directory, &device, asked.from_sectors, NULL, &damaged) == 0 && !damaged);
}

/* All devices at once, some in vain. */
static void change_all(struct machine *m) {
        struct device_identity devices[DEVICES];
        struct ledger_intent intents[DEVICES] = {};
        struct ledger_end ends[DEVICES] = {};
        bool damaged;

        for (unsigned i = 0; i < DEVICES; i++) {
                devices[i] = identity(i);
                intents[i].device = ends[i].device = &devices[i];
                intents[i].change = (struct ledger_change){.label = "vg0/lv0",
                                .rule = "a rule",
                                .from_sectors = m->sectors[i],
                                .to_sectors = 4096 + 8 * ((unsigned)rand() % 100),
                                .stack = 1};
        }
        must(ledger_record_begin(m->directory, LOCK_MSEC, intents, DEVICES, &damaged) == 0 && !damaged);
        for (unsigned i = 0; i < DEVICES; i++) {
                bool succeeds = rand() % 4 > 0;

                must(intents[i].error == 0);
                if (succeeds)
                        m->sectors[i] = intents[i].change.to_sectors;
                ends[i].outcome = succeeds ? LEDGER_CONFIRMED : LEDGER_STANDS;
        }
        must(ledger_record_end(m->directory, LOCK_MSEC, ends, DEVICES, &damaged) == 0 && !damaged);
}

static bool can_be_reverted(const struct machine *m, const struct device_identity *device) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        const struct ledger_entry *entry;

        must(ledger_load(m->path, &ledger) == 0);
        entry = ledger_find(ledger, device);
        return entry && (entry->pending || !entry->reverted);
}

static void revert(struct machine *m, unsigned i, bool succeeds, bool keep) {
        const struct device_identity device = identity(i);
        const struct ledger_revert asked = {
                        .from_sectors = m->sectors[i], .original_sectors = BASE(i), .stack = 1, .keep = keep};
        enum ledger_outcome outcome = keep ? LEDGER_RELEASED : LEDGER_REMOVED;
        bool damaged;

        if (!can_be_reverted(m, &device))
                return;
        if (m->sectors[i] != BASE(i)) {
                must(record_revert(m->directory, &device, &asked, &damaged) == 0 && !damaged);
                if (succeeds)
                        m->sectors[i] = BASE(i);
                else
                        outcome = LEDGER_STANDS;
        }
        must(record_end(m->directory, &device, outcome, NULL, &damaged) == 0 && !damaged);
}

static void work(struct machine *m, unsigned seed) {
        srand(seed);
        for (;;) {
                unsigned i = (unsigned)rand() % DEVICES;
                bool damaged;

                m->steps++;
                switch (rand() % 12) {
                case 0:
                case 1:
                case 2: change(m, i, true); break;
                case 3: change(m, i, false); break;
                case 4: revert(m, i, true, true); break;
                case 5: revert(m, i, true, false); break;
                case 6: revert(m, i, false, rand() % 2); break;
                case 7: must(ledger_record_settle(m->directory, LOCK_MSEC, judge, m, &damaged) == 0 && !damaged); break;
                case 8:
                case 9: try_change(m, i); break;
                case 10:
                case 11: change_all(m); break;
                }
        }
}

/* Once it has begun, it is killed after a while. */
static void run_and_kill(struct machine *m, unsigned seed) {
        unsigned long before = m->steps;
        int status;
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
                work(m, seed);
        while (m->steps == before && waitpid(pid, &status, WNOHANG) == 0)
                usleep(50);
        usleep((unsigned)rand() % DELAY_USEC);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
}

/* What is right at any moment; SETTLED: nothing is pending. */
static void check_ledger(const struct machine *m, bool settled) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;

        assert_int_equal(ledger_load(m->path, &ledger), 0);
        for (unsigned i = 0; i < DEVICES; i++) {
                const struct device_identity device = identity(i);
                const struct ledger_entry *entry = ledger_find(ledger, &device);

                if (!entry) {
                        assert_int_equal(m->sectors[i], BASE(i));
                        continue;
                }
                assert_int_equal(entry->original_sectors, BASE(i));
                assert_string_equal(entry->label, "vg0/lv0");
                assert_true(ledger_gave(ledger, &device, m->sectors[i]) || m->sectors[i] == BASE(i));
                if (!entry->pending && entry->reverted)
                        assert_int_equal(m->sectors[i], BASE(i));
                assert_true(!settled || !entry->pending);
                if (settled && !entry->reverted)
                        assert_int_equal(ledger_given(ledger, entry), m->sectors[i]);
        }
}

static void check_files(const struct machine *m) {
        DIR *directory = opendir(m->directory);
        const struct dirent *file;

        /* Killed before anything was on record: check_ledger() has seen that nothing was changed either. */
        if (!directory && errno == ENOENT)
                return;
        assert_non_null(directory);
        while ((file = readdir(directory)))
                assert_true(file->d_name[0] == '.' || strcmp(file->d_name, "lock") == 0 ||
                                strcmp(file->d_name, "ledger.json") == 0 ||
                                strcmp(file->d_name, "ledger.json.new") == 0);
        closedir(directory);
}

/* In memory where there is such a file system: on a disk most of the time would go to fsync(). */
static struct tree *new_tree(void) {
        if (access("/dev/shm", W_OK | X_OK) == 0)
                setenv("TMPDIR", "/dev/shm", 1);
        return tree_new();
}

static void test_killed(void **state) {
        _cleanup_(tree_freep) struct tree *tree = new_tree();
        struct machine *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bool damaged;

        assert_true(m != MAP_FAILED);
        snprintf(m->directory, sizeof(m->directory), "%s/setrad", tree_path(tree));
        snprintf(m->path, sizeof(m->path), "%s/ledger.json", m->directory);
        for (unsigned i = 0; i < DEVICES; i++)
                m->sectors[i] = BASE(i);
        srand(1);
        for (unsigned n = 0; n < KILLS; n++) {
                run_and_kill(m, n);
                check_ledger(m, false);
                check_files(m);
                if (n % 3 > 0)
                        continue;
                assert_int_equal(ledger_record_settle(m->directory, LOCK_MSEC, judge, m, &damaged), 0);
                assert_false(damaged);
                check_ledger(m, true);
        }
        print_message("%d kills, %lu steps\n", KILLS, m->steps);
        munmap(m, sizeof(*m));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_killed),
        };

        return cmocka_run_group_tests_name("ledger-kill", tests, NULL, NULL);
}
