/* SPDX-License-Identifier: MIT */

/* What only reads: each call that can fail fails once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/inventory.h"
#include "common/survey.h"
#include "config/policy.h"
#include "config/settings.h"
#include "tests/fault/fault.h"
#include "tests/fault/machine.h"
#include "tests/fault/setractl.h"
#include "tests/fault/sweep.h"

#define ARGUMENTS_MAX 8
#define STRIDE        10
#define POLICY_TEXT                                                                                                    \
        "version: 1\nrules:\n  - name: stacks\n    match: {kind: [dm-*, loop], over: md, not: {size: '< 1MiB'}}\n"     \
        "    readahead: auto\n    direction: both\n"

#define SWEEPS     16
#define WAYS_MIN   900
#define PLACES_MIN 200

static struct tree *tree;
static char policy_path[4096], archive_path[4096];

struct command {
        const char *arguments[ARGUMENTS_MAX];
        bool live, without_root, without_policy;
};

static void prepare_command(void *userdata) {
        const struct command *command = userdata;

        machine_enter(command->live ? tree : NULL);
}

static int run_command(void *userdata) {
        const struct command *command = userdata;
        char *argv[ARGUMENTS_MAX + 6] = {(char *)"setractl"};
        int argc = 1;

        for (const char *const *argument = command->arguments; *argument; argument++)
                argv[argc++] = (char *)*argument;
        if (!command->live && !command->without_root) {
                argv[argc++] = (char *)"--root";
                argv[argc++] = (char *)tree_path(tree);
        }
        if (!command->without_policy) {
                argv[argc++] = (char *)"--policy";
                argv[argc++] = policy_path;
        }
        optind = 0;
        return setractl_main(argc, argv);
}

static void sweep_command(const struct command *command, const char *name, unsigned stride, unsigned variants) {
        sweep(&(struct sweep){
                        .name = name,
                        .prepare = prepare_command,
                        .run = run_command,
                        .check = sweep_check_told,
                        .userdata = (void *)(uintptr_t)command,
                        .stride = stride,
                        .variants = variants,
        });
}

static void test_scan_captured(void **state) {
        sweep_command(&(struct command){.arguments = {"scan", "--all"}}, "scan of a capture", 1, 4);
}

static void test_scan_live(void **state) {
        sweep_command(&(struct command){.arguments = {"scan"}, .live = true}, "scan", 1, 4);
}

static void test_scan_json(void **state) {
        sweep_command(&(struct command){.arguments = {"scan", "--json"}}, "scan --json", STRIDE, 1);
}

static void test_plan(void **state) {
        sweep_command(&(struct command){.arguments = {"plan"}}, "plan", STRIDE, 1);
}

static void test_plan_json(void **state) {
        sweep_command(&(struct command){.arguments = {"plan", "--json"}}, "plan --json", STRIDE, 1);
}

static void test_explain(void **state) {
        sweep_command(&(struct command){.arguments = {"explain", "dm-1"}}, "explain", STRIDE, 1);
}

static void test_explain_json(void **state) {
        sweep_command(&(struct command){.arguments = {"explain", "dm-1", "--json"}}, "explain --json", STRIDE, 1);
}

static void test_graph(void **state) {
        sweep_command(&(struct command){.arguments = {"graph", "--format", "dot"}}, "graph", STRIDE, 1);
}

static void test_dry_revert(void **state) {
        sweep_command(&(struct command){.arguments = {"revert", "--all", "--dry-run"}, .without_policy = true},
                        "revert --dry-run", STRIDE, 1);
}

static void test_check_policy(void **state) {
        const struct command command = {
                        .arguments = {"check-policy", policy_path}, .without_root = true, .without_policy = true};

        sweep_command(&command, "check-policy", 1, 1);
}

static void test_capture(void **state) {
        const struct command command = {.arguments = {"capture", archive_path, "--force"}, .without_policy = true};

        sweep_command(&command, "capture", STRIDE, 1);
}

/* As its sender would have it: of the machine by its capture, and by what other tools have written down. */
static void test_archive(void **state) {
        const struct command make = {.arguments = {"capture", archive_path, "--force"}, .without_policy = true};
        const struct command scan = {.arguments = {"scan", "--root", archive_path}, .without_root = true};

        machine_enter(NULL);
        assert_int_equal(run_command((void *)(uintptr_t)&make), 0);
        sweep_command(&scan, "scan of an archive", STRIDE, 2);
}

/* --- policy and settings */

static void print_refusal(const struct policy_errors *errors, int r) {
        for (size_t i = 0; i < errors->n_items; i++)
                fprintf(stderr, "%s: %s\n", errors->items[i].file, errors->items[i].text);
        fprintf(stderr, "%s\n", strerror(-r));
}

static int load_policy(void *userdata) {
        char path[4200];
        const char *directories[] = {path, NULL};
        struct policy_errors errors = {};
        struct policy *policy = NULL;
        int r;

        snprintf(path, sizeof(path), "%s/policy.d", tree_path(tree));
        r = policy_load_directories(directories, &policy, &errors);
        if (r < 0)
                print_refusal(&errors, r);
        else
                printf("%zu files, %zu rules\n", (size_t)policy_count_files(policy),
                                (size_t)policy_count_rules(policy));
        policy_free(policy);
        policy_errors_done(&errors);
        return r < 0;
}

static void test_policy(void **state) {
        sweep(&(struct sweep){.name = "policy", .run = load_policy, .check = sweep_check_told, .variants = 5});
}

static int load_settings(void *userdata) {
        struct policy_errors errors = {};
        struct settings settings = {};
        char path[4200];
        int r;

        snprintf(path, sizeof(path), "%s/setrad.yaml", tree_path(tree));
        r = settings_load(path, &settings, &errors);
        if (r < 0)
                print_refusal(&errors, r);
        else
                printf("loaded\n");
        settings_done(&settings);
        policy_errors_done(&errors);
        return r < 0;
}

static void test_settings(void **state) {
        sweep(&(struct sweep){.name = "settings", .run = load_settings, .check = sweep_check_told, .variants = 5});
}

/* --- the daemon's scan after an event */

static struct {
        struct sysroot *root;
        struct policy *policy;
        struct survey *before;
        struct inventory *inventory;
} daemon_state;

/* What an event leaves of it is not what the next one finds. */
static void prepare_news(void *userdata) {
        machine_enter(tree);
        inventory_freep(&daemon_state.inventory);
        assert_int_equal(inventory_new(daemon_state.before->topology, &daemon_state.inventory), 0);
}

static void print_survey(const struct survey *survey) {
        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                const struct decision *decision = &survey->plan.decisions[i];

                printf("%s %lld: %s\n", decision->layer->name, (long long)opt_or(decision->target.sectors, -1),
                                decision->reason ?: "");
        }
        for (const struct topology_note *note = survey->topology->notes; note; note = note->next)
                fprintf(stderr, "%s\n", note->text);
}

static int look(const struct survey_scope *scope) {
        struct inventory *all = NULL;
        struct survey *survey = NULL;
        int r;

        r = survey_look(daemon_state.root, scope, daemon_state.policy, &survey);
        if (r >= 0)
                r = scope->news_only ? inventory_update(scope->inventory, survey->topology)
                                     : inventory_new(survey->topology, &all);
        if (r < 0)
                fprintf(stderr, "%s\n", strerror(-r));
        else
                print_survey(survey);
        inventory_free(all);
        survey_unref(survey);
        return r < 0;
}

static int look_at_news(void *userdata) {
        char *touched[] = {(char *)"dm-0", NULL};

        return look(&(struct survey_scope){.inventory = daemon_state.inventory, .news_only = true, .touched = touched});
}

static int look_at_all(void *userdata) {
        return look(&(struct survey_scope){.inventory = daemon_state.inventory});
}

static void test_service(void **state) {
        struct policy_errors errors = {};

        machine_enter(tree);
        assert_int_equal(sysroot_open(NULL, &daemon_state.root), 0);
        assert_true(sysroot_is_live(daemon_state.root));
        assert_int_equal(policy_load_file(policy_path, &daemon_state.policy, &errors), 0);
        assert_int_equal(survey_run(daemon_state.root, daemon_state.policy, &daemon_state.before), 0);
        sweep(&(struct sweep){.name = "the service's scan of all",
                        .prepare = prepare_news,
                        .run = look_at_all,
                        .check = sweep_check_told});
        sweep(&(struct sweep){.name = "scan after an event",
                        .prepare = prepare_news,
                        .run = look_at_news,
                        .check = sweep_check_told,
                        .variants = 2});
        inventory_freep(&daemon_state.inventory);
        survey_unref(daemon_state.before);
        policy_free(daemon_state.policy);
        sysroot_free(daemon_state.root);
        policy_errors_done(&errors);
        machine_enter(NULL);
}

static void test_count(void **state) {
        sweep_assert_enough("what only reads", SWEEPS, PLACES_MIN, WAYS_MIN);
}

static int set_up(void **state) {
        static const struct tree_file files[] = {
                        {"policy.yaml", POLICY_TEXT},
                        {"policy.d/10-a.yaml", POLICY_TEXT},
                        {"policy.d/20-b.yaml", "version: 1\nrules:\n  - name: b\n    match: {mountpoint: /srv}\n"
                                               "    readahead: 64KiB\n"},
                        {"setrad.yaml", "version: 1\non-stop: revert\nmetrics-file: /run/setrad/metrics.prom\n"},
        };

        faults_set_up();
        json_set_alloc_funcs(malloc, free);
        tree = machine_new();
        tree_write_all(tree, files, ARRAY_SIZE(files));
        snprintf(policy_path, sizeof(policy_path), "%s/policy.yaml", tree_path(tree));
        snprintf(archive_path, sizeof(archive_path), "%s/machine.tar", tree_path(tree));
        return 0;
}

static int tear_down(void **state) {
        tree_free(tree);
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_scan_captured),
                        cmocka_unit_test(test_scan_live),
                        cmocka_unit_test(test_scan_json),
                        cmocka_unit_test(test_plan),
                        cmocka_unit_test(test_plan_json),
                        cmocka_unit_test(test_explain),
                        cmocka_unit_test(test_explain_json),
                        cmocka_unit_test(test_graph),
                        cmocka_unit_test(test_dry_revert),
                        cmocka_unit_test(test_check_policy),
                        cmocka_unit_test(test_capture),
                        cmocka_unit_test(test_archive),
                        cmocka_unit_test(test_policy),
                        cmocka_unit_test(test_settings),
                        cmocka_unit_test(test_service),
                        cmocka_unit_test(test_count),
        };

        return cmocka_run_group_tests(tests, set_up, tear_down);
}
