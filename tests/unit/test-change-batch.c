/* SPDX-License-Identifier: MIT */

/* Many changes at once, as apply and revert make them: what is told, in which order, and what is on record then. */

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
#include <sys/mman.h>
#include <unistd.h>

#include "cli/change-batch.h"
#include "tests/support/tree.h"

#define DEVICES 12U
#define FROM    256U
#define TO      1024U

enum deed { SUCCEED, FAIL, HANG, CRASH, SIGNAL_BEFORE, SIGNAL_AFTER };

/* What outlives the worker. */
struct machine {
        enum deed deeds[DEVICES];
        uint64_t sectors[DEVICES];
        pid_t pids[DEVICES];
        bool was_on_record; /* all of them, when the first was begun */
        char directory[PATH_MAX], ledger[PATH_MAX + 16], sysfs[PATH_MAX];
};

static struct machine *machine;

/* What has been told of, in order: the minor number, and 'd'one, 'f'ailed, 'l'ost or 'i'dle. */
static char told[512];

static struct device_identity identity(unsigned i) {
        return (struct device_identity){.name = "dm", .major = 4095, .minor = i, .diskseq = i + 1};
}

static void tell(const void *subject, char what) {
        size_t n = strlen(told);

        snprintf(told + n, sizeof(told) - n, "%s%u%c", n > 0 ? " " : "", *(const unsigned *)subject, what);
}

static int report(const void *subject, const struct apply_result *result) {
        if (!result)
                tell(subject, 'i');
        else
                tell(subject, result->error < 0 ? 'f' : 'd');
        return result ? result->error : 0;
}

static void report_lost(const void *subject, int error) {
        tell(subject, 'l');
}

static bool find_end(const void *subject, const struct apply_result *result, struct ledger_end *ret) {
        if (result)
                ret->outcome = result->changed ? LEDGER_CONFIRMED : LEDGER_STANDS;
        return result;
}

static const struct change_batch_ops ops = {.report = report, .report_lost = report_lost, .end = find_end};

static size_t count_pending(const char *path) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        size_t n = 0;

        if (ledger_load(path, &ledger) < 0)
                return 0;
        for (size_t i = 0; i < ledger_count(ledger); i++)
                n += ledger_get(ledger, i)->pending;
        return n;
}

/* As sysfs has it. */
static void set_sectors(unsigned i, uint64_t sectors) {
        char path[PATH_MAX + 64];
        FILE *f;

        machine->sectors[i] = sectors;
        snprintf(path, sizeof(path), "%s/sys/dev/block/4095:%u/queue/read_ahead_kb", machine->sysfs, i);
        f = fopen(path, "we");
        if (!f)
                _exit(1);
        fprintf(f, "%u\n", (unsigned)sectors / 2);
        fclose(f);
}

static int work(const void *input, void *ret) {
        const struct apply_request *request = input;
        struct apply_result *result = ret;
        unsigned i = request->device.minor;

        machine->pids[i] = getpid();
        machine->was_on_record |= count_pending(machine->ledger) >= 3;
        switch (machine->deeds[i]) {
        case SIGNAL_AFTER:
        case CRASH: set_sectors(i, request->to_sectors); break;
        default: break;
        }
        switch (machine->deeds[i]) {
        case SUCCEED: break;
        case FAIL: *result = (struct apply_result){.error = -ENODEV, .step = APPLY_OPEN}; return 0;
        case CRASH: raise(SIGKILL); break;
        case SIGNAL_BEFORE:
        case SIGNAL_AFTER: kill(getppid(), SIGTERM); __attribute__((fallthrough));
        case HANG:
                for (;;)
                        pause();
        }
        set_sectors(i, request->to_sectors);
        *result = (struct apply_result){.before_sectors = request->from_sectors,
                        .after_sectors = request->to_sectors,
                        .changed = true,
                        .step = APPLY_DONE};
        return 0;
}

/* --- a batch, and what becomes of it */

struct trial {
        struct tree *tree;
        struct sysroot *root;
        struct change_batch batch;
};

static unsigned numbers[DEVICES];

static int setup(void **state) {
        struct trial *trial = calloc(1, sizeof(*trial));

        assert_non_null(trial);
        machine = mmap(NULL, sizeof(*machine), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(machine != MAP_FAILED);
        trial->tree = tree_new();
        snprintf(machine->sysfs, sizeof(machine->sysfs), "%s", tree_path(trial->tree));
        snprintf(machine->directory, sizeof(machine->directory), "%s/setrad", tree_path(trial->tree));
        snprintf(machine->ledger, sizeof(machine->ledger), "%s/ledger.json", machine->directory);
        for (unsigned i = 0; i < DEVICES; i++) {
                char name[64];

                numbers[i] = i;
                snprintf(name, sizeof(name), "sys/dev/block/4095:%u/queue/read_ahead_kb", i);
                tree_write(trial->tree, name, "128\n");
                set_sectors(i, FROM);
        }
        assert_int_equal(sysroot_open(tree_path(trial->tree), &trial->root), 0);
        assert_int_equal(change_batch_init(&trial->batch, &ops, trial->root), 0);
        trial->batch.directory = machine->directory;
        trial->batch.job = work;
        trial->batch.deadline_msec = 5000;
        trial->batch.lock_msec = 100;
        told[0] = '\0';
        *state = trial;
        return 0;
}

static int teardown(void **state) {
        struct trial *trial = *state;

        change_batch_done(&trial->batch);
        sysroot_freep(&trial->root);
        tree_freep(&trial->tree);
        munmap(machine, sizeof(*machine));
        free(trial);
        return 0;
}

static void add(struct trial *trial, unsigned i, uint64_t from) {
        const struct device_identity device = identity(i);
        const struct apply_request request = {.device = device, .from_sectors = FROM, .to_sectors = TO};
        const struct ledger_intent intent = {
                        .change = {.label = "a map", .rule = "a rule", .from_sectors = from, .to_sectors = TO}};

        change_batch_add(&trial->batch, &numbers[i], &device, &request, &intent);
}

static void add_all(struct trial *trial) {
        for (unsigned i = 0; i < DEVICES; i++)
                add(trial, i, FROM);
}

/* One letter a device: '-' not on record, 'p'ending, 'c'onfirmed; with its original value. */
static void assert_record(const char *wanted) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        char got[DEVICES + 1] = "";

        assert_int_equal(ledger_load(machine->ledger, &ledger), 0);
        for (unsigned i = 0; i < DEVICES; i++) {
                const struct device_identity device = identity(i);
                const struct ledger_entry *entry = ledger_find(ledger, &device);

                got[i] = !entry ? '-' : entry->pending ? 'p' : 'c';
                if (entry)
                        assert_int_equal(entry->original_sectors, FROM);
        }
        assert_string_equal(got, wanted);
}

static void test_all(void **state) {
        struct trial *trial = *state;

        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), 0);
        assert_string_equal(told, "0d 1d 2d 3d 4d 5d 6d 7d 8d 9d 10d 11d");
        assert_record("cccccccccccc");
        assert_true(machine->was_on_record);
        for (unsigned i = 0; i < DEVICES; i++) {
                assert_int_equal(machine->sectors[i], TO);
                assert_int_equal(machine->pids[i], machine->pids[0]);
        }
        /* It is empty, and can be used again. */
        assert_int_equal(trial->batch.n, 0);
        assert_int_equal(change_batch_run(&trial->batch), 0);
}

static void test_some_fail(void **state) {
        struct trial *trial = *state;

        machine->deeds[0] = machine->deeds[5] = machine->deeds[11] = FAIL;
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), -ENODEV);
        assert_string_equal(told, "0f 1d 2d 3d 4d 5f 6d 7d 8d 9d 10d 11f");
        assert_record("-cccc-ccccc-");
}

/* Its entry stays pending, as nobody knows; the others go on in another worker. */
static void test_worker_dies(void **state) {
        struct trial *trial = *state;

        machine->deeds[0] = machine->deeds[4] = machine->deeds[11] = CRASH;
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), -EPIPE);
        assert_string_equal(told, "0l 1d 2d 3d 4l 5d 6d 7d 8d 9d 10d 11l");
        assert_record("pcccpccccccp");
        assert_int_equal(machine->pids[1], machine->pids[4]);
        assert_true(machine->pids[4] != machine->pids[5]);
}

static void test_one_hangs(void **state) {
        struct trial *trial = *state;

        machine->deeds[3] = machine->deeds[4] = HANG;
        trial->batch.deadline_msec = 200;
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), -ETIMEDOUT);
        assert_string_equal(told, "0d 1d 2d 3l 4l 5d 6d 7d 8d 9d 10d 11d");
        assert_record("cccppccccccc");
}

/* What it was at has its value or not, and that is told; what comes after it was not made, and is not on record. */
static void test_signal(void **state) {
        struct trial *trial = *state;

        machine->deeds[3] = SIGNAL_BEFORE;
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), -EINTR);
        assert_int_equal(trial->batch.signal_number, SIGTERM);
        assert_string_equal(told, "0d 1d 2d 3f");
        assert_record("ccc---------");
        assert_int_equal(machine->sectors[3], FROM);
        assert_int_equal(machine->pids[4], 0);
}

static void test_signal_after_change(void **state) {
        struct trial *trial = *state;

        machine->deeds[3] = SIGNAL_AFTER;
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), 0);
        assert_int_equal(trial->batch.signal_number, SIGTERM);
        assert_string_equal(told, "0d 1d 2d 3d");
        assert_record("cccc--------");
        assert_int_equal(machine->pids[4], 0);
}

/* One that can't be on record is not made. */
static void test_refused(void **state) {
        struct trial *trial = *state;

        add(trial, 0, FROM);
        add(trial, 1, UINT64_MAX);
        add(trial, 2, FROM);
        add(trial, 3, UINT64_MAX);
        add(trial, 4, FROM);
        assert_int_equal(change_batch_run(&trial->batch), -ERANGE);
        assert_string_equal(told, "0d 2d 4d");
        assert_record("c-c-c-------");
        assert_int_equal(machine->pids[1], 0);
        assert_int_equal(machine->pids[3], 0);
}

/* No record, no change. */
static void test_no_record(void **state) {
        struct trial *trial = *state;

        trial->batch.directory = "/nonexistent/setrad";
        add_all(trial);
        assert_int_equal(change_batch_run(&trial->batch), -ENOENT);
        assert_string_equal(told, "");
        for (unsigned i = 0; i < DEVICES; i++)
                assert_int_equal(machine->pids[i], 0);
}

/* What needs no worker is told of in its place. */
static void test_idle(void **state) {
        struct trial *trial = *state;

        for (unsigned i = 0; i < DEVICES; i++) {
                const struct device_identity device = identity(i);

                if (i % 3 == 1)
                        add(trial, i, FROM);
                else
                        change_batch_add(&trial->batch, &numbers[i], &device, NULL, NULL);
        }
        machine->deeds[4] = CRASH;
        assert_int_equal(change_batch_run(&trial->batch), -EPIPE);
        assert_string_equal(told, "0i 1d 2i 3i 4l 5i 6i 7d 8i 9i 10d 11i");
        assert_record("-c--p--c--c-");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_all, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_some_fail, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_worker_dies, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_one_hangs, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_signal, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_signal_after_change, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_no_record, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
        };

        return cmocka_run_group_tests_name("change-batch", tests, NULL, NULL);
}
