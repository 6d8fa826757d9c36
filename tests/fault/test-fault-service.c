/* SPDX-License-Identifier: MIT */

/* The service from its start to its end: each call that can fail fails once, in it and in its workers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/fault/fault.h"
#include "tests/fault/machine.h"
#include "tests/fault/service.h"
#include "tests/fault/sweep.h"

#define SWEEPS     2
#define WAYS_MIN   800
#define PLACES_MIN 250
#define STRIDE     13
#define POLICY_TEXT                                                                                                    \
        "version: 1\nrules:\n  - name: stacks\n    match: {kind: [dm-*, loop], over: md}\n    readahead: auto\n"       \
        "    direction: both\n    probe: {when: never}\n"

static struct tree *tree;

static int serve(void *userdata) {
        char *argv[] = {(char *)"setrad", NULL};

        service_set_life(userdata);
        optind = 0;
        return setrad_main(1, argv);
}

static void set_on_stop(const char *on_stop) {
        char text[256];

        snprintf(text, sizeof(text),
                        "version: 1\nsettle: 10ms\nsettle-max: 10ms\nworkers: 2\non-stop: %s\n"
                        "metrics-file: /run/metrics.prom\n",
                        on_stop);
        tree_write(tree, "etc/setrad/setrad.yaml", text);
}

static void prepare(void *userdata) {
        machine_enter(tree);
}

/* All changed, by setrad. */
static void prepare_applied(void *userdata) {
        machine_enter(tree);
        machine_set_kept();
}

/* In whatever order: what could not be begun at once comes later. */
static bool tells_no_less(const struct outcome *whole, const struct outcome *got) {
        for (const char *line = whole->err; *line;) {
                size_t n = strcspn(line, "\n") + 1;
                char text[1024];

                snprintf(text, sizeof(text), "%.*s", (int)n, line);
                if (!strstr(got->err, text))
                        return false;
                line += n;
        }
        return true;
}

/* With other words than those of the error. */
static bool is_told(const struct outcome *got) {
        static const char *const words[] = {"the process that was to change it failed", "it was cut short",
                        "events came faster than they could be read"};

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (strstr(got->err, words[i]))
                        return true;
        return sweep_is_told(got);
}

static const char *check(const struct outcome *whole, const struct outcome *got, bool applied) {
        const char *complaint = machine_complaint(sweep_is_gone());

        if (complaint)
                return complaint;
        if (is_told(got) || sweep_is_gone())
                return NULL;
        if (got->status != 0)
                return "it fails without the reason";
        if (!machine_all_are(applied))
                return "not all devices have what they should, without a word about it";
        return tells_no_less(whole, got) ? NULL : "what is told is less, without the reason";
}

static const char *check_applied(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check(whole, got, true);
}

static const char *check_reverted(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check(whole, got, false);
}

static void sweep_service(const char *name, const struct service_life *life, void (*prepare_it)(void *),
                const char *(*check_it)(const struct outcome *, const struct outcome *, void *)) {
        machine_forget_given();
        sweep(&(struct sweep){.name = name,
                        .prepare = prepare_it,
                        .run = serve,
                        .check = check_it,
                        .userdata = (void *)life,
                        .stride = STRIDE});
}

static void test_serve(void **state) {
        static const struct service_life life = {.map = "/sys/class/block/dm-1", .reload = true, .state = true};

        set_on_stop("keep");
        sweep_service("service", &life, prepare, check_applied);
}

static void test_stop(void **state) {
        static const struct service_life life = {};

        set_on_stop("keep");
        machine_enter(tree);
        assert_int_equal(serve((void *)&life), 0);
        assert_true(machine_all_are(true));
        machine_keep();
        set_on_stop("revert");
        sweep_service("service that puts back", &life, prepare_applied, check_reverted);
}

static void test_count(void **state) {
        sweep_assert_enough("the service", SWEEPS, PLACES_MIN, WAYS_MIN);
}

static int set_up(void **state) {
        faults_set_up();
        json_set_alloc_funcs(malloc, free);
        tree = machine_new();
        tree_write(tree, "usr/lib/setrad/policy.d/50-a.yaml", POLICY_TEXT);
        tree_write(tree, "etc/setrad/policy.d/60-b.yaml", "version: 1\nrules: []\n");
        tree_write(tree, "run/systemd/journal/socket", "");
        return 0;
}

static int tear_down(void **state) {
        tree_free(tree);
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_serve),
                        cmocka_unit_test(test_stop),
                        cmocka_unit_test(test_count),
        };

        return cmocka_run_group_tests(tests, set_up, tear_down);
}
