/* SPDX-License-Identifier: MIT */

/* What changes devices and the ledger: each call that can fail fails once, in the program and in its workers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/ledger-private.h"
#include "common/ledger-record.h"
#include "tests/fault/fault.h"
#include "tests/fault/machine.h"
#include "tests/fault/setractl.h"
#include "tests/fault/sweep.h"

#define SWEEPS     3
#define WAYS_MIN   500
#define PLACES_MIN 100
#define POLICY_TEXT                                                                                                    \
        "version: 1\nrules:\n  - name: stacks\n    match: {kind: [dm-*, loop], over: md}\n    readahead: auto\n"       \
        "    direction: both\n"

static struct tree *tree;
static char policy_path[4096];

static int run_setractl(int argc, char *argv[]) {
        optind = 0;
        return setractl_main(argc, argv);
}

static int apply(void *userdata) {
        char *argv[] = {(char *)"setractl", (char *)"apply", (char *)"--no-probe", (char *)"--policy", policy_path,
                        NULL};

        return run_setractl(5, argv);
}

static int revert(void *userdata) {
        char *argv[] = {(char *)"setractl", (char *)"revert", (char *)"--all", NULL};

        return run_setractl(3, argv);
}

static void prepare(void *userdata) {
        machine_enter(tree);
}

/* All changed, by setrad. */
static void prepare_applied(void *userdata) {
        machine_enter(tree);
        machine_set_kept();
}

/* --- what must be true after each run */

/* What ends a worker its own process can't say: then it is the device that is named. */
static bool is_told(const struct outcome *got) {
        return sweep_is_told(got) || strstr(got->err, "the process that was to change it failed") ||
               strstr(got->err, "can't be read");
}

/* A sentence that there is no memory for may be a shorter one. */
static bool names_all(const struct outcome *got) {
        return strstr(got->out, "luks-md0") && strstr(got->out, "vg/home") && strstr(got->out, "loop0");
}

static const char *check_machine(const struct outcome *whole, const struct outcome *got, bool applied) {
        const char *complaint = machine_complaint(sweep_is_gone());
        bool all = machine_all_are(applied);

        if (complaint)
                return complaint;
        if (got->status != 0)
                return is_told(got) ? NULL : "it fails without the reason";
        if (!all && !sweep_is_told(got) && !sweep_is_gone() && !strstr(got->out, "left alone"))
                return "success is said, and not all devices have what they should";
        return all && names_all(got) ? NULL : sweep_check_told(whole, got, NULL);
}

static const char *check_applied(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check_machine(whole, got, true);
}

static const char *check_reverted(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check_machine(whole, got, false);
}

static void sweep_changes(const struct sweep *s) {
        machine_forget_given();
        sweep(s);
}

static void test_apply(void **state) {
        sweep_changes(&(struct sweep){.name = "apply", .prepare = prepare, .run = apply, .check = check_applied});
}

static void test_revert(void **state) {
        machine_enter(tree);
        assert_int_equal(apply(NULL), 0);
        machine_keep();
        sweep_changes(&(struct sweep){
                        .name = "revert --all",
                        .prepare = prepare_applied,
                        .run = revert,
                        .check = check_reverted,
        });
}

/* --- the ledger alone */

static const struct device_identity device = {.name = "dm-7", .dm_uuid = "LVM-x", .major = 253, .minor = 7};

static void make_directory(char path[static MACHINE_PATH]) {
        snprintf(path, MACHINE_PATH, "%s/ledger", tree_path(tree));
}

static int record(uint64_t from_sectors, uint64_t to_sectors) {
        struct ledger_intent intent = {.device = &device,
                        .change = {.label = "vg/x",
                                        .rule = "r",
                                        .from_sectors = from_sectors,
                                        .to_sectors = to_sectors,
                                        .stack = 1}};
        const struct ledger_end end = {.device = &device, .outcome = LEDGER_CONFIRMED};
        char directory[MACHINE_PATH];
        bool damaged = false;
        int r;

        make_directory(directory);
        r = ledger_record_begin(directory, 1000, &intent, 1, &damaged);
        if (r == 0)
                r = intent.error;
        if (r == 0)
                r = ledger_record_end(directory, 1000, &end, 1, &damaged);
        return damaged ? -EBADMSG : r;
}

static void prepare_ledger(void *userdata) {
        char path[2 * MACHINE_PATH], directory[MACHINE_PATH];

        machine_enter(NULL);
        make_directory(directory);
        snprintf(path, sizeof(path), "%s/ledger.json", directory);
        (void)unlink(path);
        if (record(256, 512) < 0)
                abort();
}

static int edit_ledger(void *userdata) {
        int r = record(512, 1024);

        if (r < 0)
                fprintf(stderr, "%s\n", strerror(-r));
        return r < 0;
}

/* Either one, and whole; the new one where nothing was said to be wrong. */
static const char *check_edited(const struct outcome *whole, const struct outcome *got, void *userdata) {
        char path[2 * MACHINE_PATH], directory[MACHINE_PATH];
        const struct ledger_entry *entry;
        struct ledger *ledger = NULL;
        const char *complaint = NULL;

        make_directory(directory);
        snprintf(path, sizeof(path), "%s/ledger.json", directory);
        if (ledger_peek(path, &ledger) < 0)
                return "the ledger can't be read any longer";
        entry = ledger_find(ledger, &device);
        if (!entry || entry->original_sectors != 256 || (entry->new_sectors != 512 && entry->new_sectors != 1024))
                complaint = "the ledger is neither the old nor the new one";
        else if (got->status == 0 && (entry->new_sectors != 1024 || entry->pending))
                complaint = "success is said of a ledger that is not the new one";
        ledger_free(ledger);
        return complaint ?: sweep_check_told(whole, got, NULL);
}

static void test_ledger(void **state) {
        sweep_changes(&(struct sweep){.name = "ledger",
                        .prepare = prepare_ledger,
                        .run = edit_ledger,
                        .check = check_edited,
                        .variants = 5});
}

static void test_count(void **state) {
        sweep_assert_enough("what changes", SWEEPS, PLACES_MIN, WAYS_MIN);
}

static int set_up(void **state) {
        faults_set_up();
        json_set_alloc_funcs(malloc, free);
        tree = machine_new();
        tree_write(tree, "policy.yaml", POLICY_TEXT);
        snprintf(policy_path, sizeof(policy_path), "%s/policy.yaml", tree_path(tree));
        return 0;
}

static int tear_down(void **state) {
        tree_free(tree);
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_apply),
                        cmocka_unit_test(test_revert),
                        cmocka_unit_test(test_ledger),
                        cmocka_unit_test(test_count),
        };

        return cmocka_run_group_tests(tests, set_up, tear_down);
}
