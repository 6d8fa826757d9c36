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

static const char *const changed[] = {"dm-0", "dm-1", "loop0"};
static unsigned n_points, n_sweeps;
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

static bool is_gone(void) {
        return faults()->error == ENODEV || faults()->error == ENOENT;
}

static bool have_all(bool applied) {
        for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
                if ((machine_readahead(changed[i]) == machine_first_readahead(changed[i])) == applied)
                        return false;
        return true;
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
        const char *complaint = machine_complaint(is_gone());

        if (complaint)
                return complaint;
        if (is_told(got) || is_gone())
                return NULL;
        if (got->status != 0)
                return "it fails without the reason";
        if (!have_all(applied))
                return "not all devices have what they should, without a word about it";
        return tells_no_less(whole, got) ? NULL : "what is told is less, without the reason";
}

static const char *check_applied(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check(whole, got, true);
}

static const char *check_reverted(const struct outcome *whole, const struct outcome *got, void *userdata) {
        return check(whole, got, false);
}

static void sweep_and_count(const struct sweep *s) {
        machine_forget_given();
        n_points += sweep(s);
        n_sweeps++;
}

static void test_serve(void **state) {
        static const struct service_life life = {.map = "/sys/class/block/dm-1", .reload = true, .state = true};

        set_on_stop("keep");
        sweep_and_count(&(struct sweep){.name = "service",
                        .prepare = prepare,
                        .run = serve,
                        .check = check_applied,
                        .userdata = (void *)(uintptr_t)&life,
                        .stride = STRIDE});
}

static void test_stop(void **state) {
        static const struct service_life life = {};

        set_on_stop("keep");
        machine_enter(tree);
        assert_int_equal(serve((void *)(uintptr_t)&life), 0);
        assert_true(have_all(true));
        machine_keep();
        set_on_stop("revert");
        sweep_and_count(&(struct sweep){.name = "service that puts back",
                        .prepare = prepare_applied,
                        .run = serve,
                        .check = check_reverted,
                        .userdata = (void *)(uintptr_t)&life,
                        .stride = STRIDE});
}

static void test_count(void **state) {
        unsigned n_ways, n_places = sweep_count_places(&n_ways);

        assert_int_equal(n_sweeps, SWEEPS);
        print_message("note: the service: %u distinct failure points, at %u places of the program, %u runs\n", n_ways,
                        n_places, n_points);
        assert_true(n_places >= PLACES_MIN && n_ways >= WAYS_MIN);
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
