/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/policy-error.h"
#include "config/policy-rule.h"

/* A rule that is right but for what a case puts in. */
#define RULE(match)     "version: 1\nrules:\n  - match: {" match "}\n    readahead: auto\n"
#define SETTING(text)   "version: 1\nrules:\n  - match: {vg: data}\n    readahead: auto\n    " text "\n"
#define READAHEAD(text) "version: 1\nrules:\n  - match: {vg: data}\n    readahead: " text "\n"

static struct policy *load(const char *text) {
        struct policy_errors errors = {0};
        struct policy *policy = NULL;
        int r;

        r = policy_load_text("p", text, strlen(text), &policy, &errors);
        for (size_t i = 0; i < errors.n_items; i++)
                print_message("%s\n", errors.items[i].text);
        assert_int_equal(r, 0);
        assert_int_equal(errors.n_items, 0);
        return policy;
}

/* All errors of TEXT, a line each. */
static void assert_errors(const char *text, const char *expected) {
        struct policy_errors errors = {0};
        struct policy *policy = NULL;
        char lines[4096] = "";

        assert_int_equal(policy_load_text("p", text, strlen(text), &policy, &errors), -EINVAL);
        assert_null(policy);
        for (size_t i = 0; i < errors.n_items; i++) {
                _cleanup_(freep) char *line = policy_error_format(&errors.items[i]);
                size_t n = strlen(lines);

                snprintf(lines + n, sizeof(lines) - n, "%s%s", n > 0 ? "\n" : "", line);
        }
        policy_errors_done(&errors);
        assert_string_equal(lines, expected);
}

static void test_defaults_in_code(void **state) {
        _cleanup_(policy_freep) struct policy *policy = load(RULE("kind: md"));
        const struct policy_rule *rule = policy->rules;

        assert_int_equal(policy_count_rules(policy), 1);
        assert_int_equal(policy_count_files(policy), 1);
        assert_string_equal(rule->name, "p:3");
        assert_int_equal(rule->action.readahead.mode, READAHEAD_AUTO);
        assert_int_equal(rule->action.direction, DIRECTION_RAISE);
        assert_int_equal(rule->action.on_drift, DRIFT_RESPECT);
        assert_int_equal(rule->action.limits.min_sectors, 0);
        assert_int_equal(rule->action.limits.max_sectors, READAHEAD_MAX_DEFAULT_SECTORS);
        assert_int_equal(rule->action.limits.memory_share_ppm, MEMORY_SHARE_DEFAULT_PPM);
        assert_true(rule->action.probe.on_change);
        assert_int_equal(rule->action.probe.time_msec, 5000);
        assert_int_equal(rule->action.probe.workload, PROBE_SEQUENTIAL);
        assert_true(rule->action.probe.bytes > 0);
        assert_in_range(rule->action.probe.runs, 1, 16);
        assert_false(rule->action.probe.keep_if.given);
        assert_false(rule->action.hold.always);
        assert_int_equal(rule->action.hold.states, 0);
}

static void test_settings(void **state) {
        _cleanup_(policy_freep) struct policy *policy =
                        load("rules:\n"
                             "  - name: all of it\n"
                             "    match: {vg: other}\n"
                             "    readahead: 2 stripes\n"
                             "    direction: both\n"
                             "    on-drift: reassert\n"
                             "    min: 512s\n"
                             "    max: 8MiB\n"
                             "    memory-share: 2%\n"
                             "    probe:\n"
                             "      when: never\n"
                             "      workload: sequential\n"
                             "      time: 500ms\n"
                             "      bytes: 16MiB\n"
                             "      runs: 3\n"
                             "      keep-if: \"gain > 1.1\"\n"
                             "  - name: defaults\n"
                             "    match: {vg: data}\n"
                             "    readahead: keep\n"
                             "    probe: {runs: 7}\n"
                             "defaults:\n"
                             "  direction: report\n"
                             "  max: 4MiB\n"
                             "  memory-share: off\n"
                             "  probe: {time: 9s, workload: random, keep-if: \"gain >= 0.9\"}\n"
                             "version: 1\n");
        const struct policy_rule *rule = policy->rules;

        assert_string_equal(rule->name, "all of it");
        assert_int_equal(rule->line, 2);
        assert_int_equal(rule->action.readahead.mode, READAHEAD_STRIPES);
        assert_int_equal(rule->action.readahead.stripes, 2);
        assert_int_equal(rule->action.direction, DIRECTION_BOTH);
        assert_int_equal(rule->action.on_drift, DRIFT_REASSERT);
        assert_int_equal(rule->action.limits.min_sectors, 512);
        assert_int_equal(rule->action.limits.max_sectors, 16384);
        assert_int_equal(rule->action.limits.memory_share_ppm, 20000);
        assert_false(rule->action.probe.on_change);
        assert_int_equal(rule->action.probe.workload, PROBE_SEQUENTIAL);
        assert_int_equal(rule->action.probe.time_msec, 500);
        assert_int_equal(rule->action.probe.bytes, 16777216);
        assert_int_equal(rule->action.probe.runs, 3);
        assert_true(rule->action.probe.keep_if.given && !rule->action.probe.keep_if.or_equal);
        assert_float_equal(rule->action.probe.keep_if.min_gain, 1.1, 1e-9);

        rule = rule->next;
        assert_null(rule->next);
        assert_int_equal(rule->action.readahead.mode, READAHEAD_KEEP);
        assert_int_equal(rule->action.direction, DIRECTION_REPORT);
        assert_int_equal(rule->action.limits.max_sectors, 8192);
        assert_int_equal(rule->action.limits.memory_share_ppm, 0);
        assert_int_equal(rule->action.probe.workload, PROBE_RANDOM_MAPPED);
        assert_int_equal(rule->action.probe.time_msec, 9000);
        assert_int_equal(rule->action.probe.runs, 7);
        assert_true(rule->action.probe.keep_if.or_equal);
        assert_float_equal(rule->action.probe.keep_if.min_gain, 0.9, 1e-9);
}

/* What a rule says of hold replaces what the defaults say, as a whole. */
static void test_hold(void **state) {
        static const struct {
                const char *defaults, *rule;
                struct hold_spec hold;
        } cases[] = {
                        {"false", "true", {.always = true}},
                        {"true", "false", {}},
                        {"true", "array-degraded", {.states = UINT64_C(1) << FINDING_ARRAY_DEGRADED}},
                        {"array-resyncing", "[array-degraded]", {.states = UINT64_C(1) << FINDING_ARRAY_DEGRADED}},
                        {"array-resyncing", "true", {.always = true}},
                        {"array-resyncing", "false", {}},
                        {"false", "[array-degraded, array-resyncing, array-reshaping, array-inactive, suspended]",
                                        {.states = UINT64_C(1) << FINDING_ARRAY_DEGRADED |
                                                        UINT64_C(1) << FINDING_ARRAY_RESYNCING |
                                                        UINT64_C(1) << FINDING_ARRAY_RESHAPING |
                                                        UINT64_C(1) << FINDING_ARRAY_INACTIVE |
                                                        UINT64_C(1) << FINDING_SUSPENDED}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[512];

                snprintf(text, sizeof(text),
                                "version: 1\ndefaults: {hold: %s}\nrules:\n  - {match: {vg: a}, readahead: auto, hold: "
                                "%s}\n",
                                cases[i].defaults, cases[i].rule);
                _cleanup_(policy_freep) struct policy *policy = load(text);

                print_message("%s\n", text);
                assert_int_equal(policy->rules->action.hold.always, cases[i].hold.always);
                assert_int_equal(policy->rules->action.hold.states, cases[i].hold.states);
        }
}

static void test_good(void **state) {
        static const struct {
                const char *text;
                size_t n_rules;
        } cases[] = {
                        {"version: 1\nrules: []\n", 0},
                        {"{version: 1, rules: [{match: {vg: a}, readahead: auto}]}", 1},
                        {"version: 1\r\nrules:\r\n- match: {vg: a}\r\n  readahead: auto\r\n", 1},
                        {"version: 1\nrules:\n- match:\n    kind:\n    - md\n    - dm-*\n  readahead: off\n", 1},
                        {"version: 1\nrules: [{match: {vg: &a b}, readahead: &r auto}, {match: {lv: *a}, readahead: "
                         "*r}]\n",
                                        2},
                        {RULE("kind: '*'"), 1},
                        {RULE("not: {kind: [disk, partition]}"), 1},
                        {RULE("not: [{kind: disk}, {top: false}], vg: a"), 1},
                        {RULE("over: [md, dm, disk, md0, dm-3, vg0/pool, /dev/mapper/x, '9:0', sda1]"), 1},
                        {RULE("size: ['>= 1TiB', '< 1GiB'], rotational: true, top: false, transport: usb"), 1},
                        {RULE("finding: [readahead-implausible, geometry-stale, io-opt-implausible]"), 1},
                        {RULE("mountpoint: [/, /srv, '*', '?srv', '[/]srv']"), 1},
                        {RULE("device: ['8:16', sda, /dev/sd*, /dev/mapper/a, vg/lv]"), 1},
                        {RULE("lv: 123, vg: 'null', serial: ABC, model: 'X Y*', uuid: LVM-*, filesystem: xfs, name: a"),
                                        1},
                        {SETTING("probe: {}"), 1},
                        {SETTING("min: 0s"), 1},
                        {SETTING("max: 64KiB"), 1},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                _cleanup_(policy_freep) struct policy *policy = load(cases[i].text);

                assert_int_equal(policy_count_rules(policy), cases[i].n_rules);
        }
}

static const char *const documents[][2] = {
                {"", "p: no policy in this file: it begins with version: 1 and rules:"},
                {"# rules to come\n", "p: no policy in this file: it begins with version: 1 and rules:"},
                {"hello\n", "p:1:1: a policy must be a mapping (key: value), not a text"},
                {"- a\n", "p:1:1: a policy must be a mapping (key: value), not a list"},
                {"rules: []\n", "p:1:1: no version: write version: 1 above the rules"},
                {"version: 1\n", "p:1:1: no rules: write rules: [] if that is meant"},
                {"version: 2\nrules: []\n", "p:1:10: version \"2\" is not known here: write version: 1"},
                {"version: '1'\nrules: []\n", "p:1:10: version is a number: write version: 1, without quotes"},
                {"version:\nrules: []\n", "p:1:9: version has no value"},
                {"version: 1\nrulez: []\n", "p:2:1: unknown key \"rulez\" in a policy: did you mean \"rules\"?"},
                {"version: 1\nrules: []\nfoo: 1\n",
                                "p:3:1: unknown key \"foo\" in a policy, which may have version, defaults, rules"},
                {"version: 1\nversion: 1\nrules: []\n", "p:2:1: \"version\" is given twice, first in line 1"},
                {"version: 1\nrules: {a: b}\n", "p:2:8: rules must be a list (- name: …), not a mapping"},
                {"version: 1\nrules:\n", "p:2:7: rules must be a list (- name: …), not a text"},
                {"version: 1\nrules: [x]\n", "p:2:9: a rule must be a mapping (key: value), not a text"},
                {"version: 1\ndefaults: {readahead: auto}\nrules: []\n",
                                "p:2:12: \"readahead\" has no place in defaults"},
                {"version: 1\ndefaults:\nrules: []\n", "p:2:10: defaults is empty"},
                {"version: 1\ndefaults: {min: 32MiB}\nrules: []\n", "p:2:11: min (65536s) is above max (32768s)"},
                {"version: 1\nrules: [{}]\n",
                                "p:2:9: a rule without match: say for which layers, as in match: {vg: data}\n"
                                "p:2:9: a rule without readahead: say what the layers get, as in readahead: auto"},
};

static const char *const matches[][2] = {
                {RULE(""), "p:3:12: match is empty: for all layers write {kind: \"*\"}"},
                {RULE("not: {}"), "p:3:18: not is empty: say what must not hold, as in not: {vg: data}"},
                {RULE("not: {knd: md}"), "p:3:19: unknown key \"knd\" in not: did you mean \"kind\"?"},
                {RULE("knd: md"), "p:3:13: unknown key \"knd\" in match: did you mean \"kind\"?"},
                {RULE("mount: /srv"), "p:3:13: unknown key \"mount\" in match: did you mean \"mountpoint\"?"},
                {RULE("vg: a, vg: b"), "p:3:20: \"vg\" is given twice, first in line 3"},
                {RULE("vg: []"), "p:3:17: vg is an empty list"},
                {RULE("vg: ''"), "p:3:17: vg is empty"},
                {RULE("vg: [a, ~]"), "p:3:21: vg has no value"},
                {RULE("vg: [a, [b]]"), "p:3:21: vg must be a single value, not a list"},
                {RULE("vg: {a: b}"), "p:3:17: vg must be a single value or a list, not a mapping"},
                {RULE("name: 'a[1'"), "p:3:19: \"a[1\" is no glob: [ without ]; write [[] for the character itself"},
                {RULE("name: 'a\\'"), "p:3:19: \"a\\\" ends in a \\, which quotes the next character"},
                {RULE("kind: md-raid55"), "p:3:19: no kind of layer \"md-raid55\": did you mean \"md-raid5\"?"},
                {RULE("kind: raid5"), "p:3:19: no kind of layer \"raid5\": did you mean \"md-raid5\"?"},
                {RULE("kind: crypt"), "p:3:19: no kind of layer \"crypt\": did you mean \"dm-crypt\"?"},
                {RULE("kind: 'x*'"), "p:3:19: no kind of layer \"x*\": kinds are as md-raid5, dm-crypt, loop, disk; md "
                                     "and dm take "
                                     "in all of theirs"},
                {RULE("over: lopp"), "p:3:19: no kind of layer \"lopp\": did you mean \"loop\"?"},
                {RULE("over: md-raid7"), "p:3:19: no kind of layer \"md-raid7\": did you mean \"md-raid0\"?"},
                {RULE("over: raid10"), "p:3:19: no kind of layer \"raid10\": did you mean \"md-raid10\"?"},
                {RULE("finding: geometry-stael"),
                                "p:3:22: no finding \"geometry-stael\": did you mean \"geometry-stale\"?"},
                {RULE("finding: slow"),
                                "p:3:22: no finding \"slow\": codes are as geometry-stale or readahead-implausible"},
                {RULE("size: 1TiB"),
                                "p:3:19: \"1TiB\" compares with nothing: write it as in \">= 1TiB\" or \"< 100GiB\""},
                {RULE("top: maybe"), "p:3:18: top cannot be \"maybe\": it may be true or false"},
                {RULE("mountpoint: srv"), "p:3:25: \"srv\" is no mount point: write its whole path, from / on"},
                {RULE("mountpoint: /srv/"), "p:3:25: \"/srv/\" ends in /, which no mount point does: write /srv"},
                {RULE("lv: vg0/root"), "p:3:17: no LVM name has a /: for the LV of one group write {vg: \"vg0\", lv: "
                                       "\"root\"}, or "
                                       "name: \"vg0/root\""},
                {RULE("vg: /dev/vg0"), "p:3:17: no LVM name has a /: for a path write device: \"/dev/vg0\""},
                {RULE("device: /dev/disk/by-id/a"),
                                "p:3:21: \"/dev/disk/by-id/a\" is a link, and links are not followed: use the "
                                "kernel's name, or serial, uuid or name"},
};

static const char *const settings[][2] = {
                {READAHEAD("8192"), "p:4:16: 8192: sectors or KiB? write 8192s (which is 4096KiB) or 8192KiB"},
                {READAHEAD("atuo"), "p:4:16: no readahead \"atuo\": did you mean \"auto\"?"},
                {READAHEAD("[auto]"), "p:4:16: readahead must be a single value, not a list"},
                {READAHEAD(""), "p:4:15: readahead has no value"},
                {SETTING("direction: riase"), "p:5:16: direction cannot be \"riase\": did you mean \"raise\"? It may "
                                              "be raise, lower, both, report"},
                {SETTING("direction: up"), "p:5:16: direction cannot be \"up\": it may be raise, lower, both, report"},
                {SETTING("on-drift: fight"), "p:5:15: on-drift cannot be \"fight\": it may be respect, reassert"},
                {SETTING("on_drift: respect"), "p:5:5: unknown key \"on_drift\" in a rule: did you mean \"on-drift\"?"},
                {SETTING("memory-share: 0.005"), "p:5:19: 0.005: of what? write 0.005% of memory"},
                {SETTING("max: 16"), "p:5:10: 16: sectors or KiB? write 16s (which is 8KiB) or 16KiB"},
                {SETTING("max: 0s"), "p:5:10: max is 0: for no readahead at all write readahead: off"},
                {SETTING("min: 32MiB"), "p:3:5: min (65536s) is above max (32768s)"},
                {SETTING("name: ''"), "p:5:11: name is empty"},
                {SETTING("name: \"a\\nb\""), "p:5:11: name has a control character in it"},
                {SETTING("readahead: auto"), "p:5:5: \"readahead\" is given twice, first in line 4"},
                {SETTING("probe: never"), "p:5:12: probe must be a mapping (key: value), not a text"},
                {SETTING("probe: {when: always}"), "p:5:19: when cannot be \"always\": it may be never, change"},
                {SETTING("probe: {workload: both}"),
                                "p:5:23: workload cannot be \"both\": it may be sequential, random"},
                {SETTING("probe: {time: 3}"), "p:5:19: 3: seconds or milliseconds? write 3s or 3ms"},
                {SETTING("probe: {time: 1ms}"), "p:5:19: time is not between 100ms and 10min"},
                {SETTING("probe: {bytes: 1KiB}"), "p:5:20: bytes is not between 128KiB and 1TiB"},
                {SETTING("probe: {runs: 17}"), "p:5:19: \"17\" is no whole number from 1 to 16"},
                {SETTING("probe: {keep-if: gain is good}"), "p:5:22: \"gain is good\" needs > or >= after \"gain\": "
                                                            "write it as in \"gain >= 0.97\""},
                {SETTING("\"a\\eb\": 1"), "p:5:5: unknown key \"a?b\" in a rule, which may have name, match, "
                                          "readahead, direction, "
                                          "min, max, memory-share, on-drift, hold, probe"},
};

static void assert_table(const char *const (*cases)[2], size_t n) {
        for (size_t i = 0; i < n; i++)
                assert_errors(cases[i][0], cases[i][1]);
}

static void test_documents(void **state) {
        assert_table(documents, ARRAY_SIZE(documents));
}

static void test_matches(void **state) {
        assert_table(matches, ARRAY_SIZE(matches));
}

static void test_bad_settings(void **state) {
        assert_table(settings, ARRAY_SIZE(settings));
}

/* All that is wrong, in the order of the file, an anchor's errors once. */
static void test_all_errors(void **state) {
        assert_errors("rules:\n"
                      "  - match: {vgg: a, kind: md-raid55}\n"
                      "    readahead: 256\n"
                      "    direction: up\n"
                      "  - &r {match: {top: 5}, readahead: auto}\n"
                      "  - *r\n"
                      "defaults: {max: 5}\n",
                        "p:1:1: no version: write version: 1 above the rules\n"
                        "p:2:13: unknown key \"vgg\" in match: did you mean \"vg\"?\n"
                        "p:2:27: no kind of layer \"md-raid55\": did you mean \"md-raid5\"?\n"
                        "p:3:16: 256: sectors or KiB? write 256s (which is 128KiB) or 256KiB\n"
                        "p:4:16: direction cannot be \"up\": it may be raise, lower, both, report\n"
                        "p:5:22: top cannot be \"5\": it may be true or false\n"
                        "p:7:17: 5: sectors or KiB? write 5s or 5KiB");
}

/* Past a hundred errors the rest is counted, each once. */
static void test_bounded_errors(void **state) {
        static const struct {
                unsigned n_rules, n_aliases; /* each rule is wrong twice; aliases of the last one */
                const char *last;
        } cases[] = {
                        {50, 0, "1: sectors or KiB? write 1s or 1KiB"},
                        {50, 100, "1: sectors or KiB? write 1s or 1KiB"},
                        {51, 0, "… and 2 more errors"},
                        {51, 200, "… and 2 more errors"},
                        {1000, 3, "… and 1900 more errors"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct policy_errors errors = {0};
                struct policy *policy = NULL;
                char text[65536] = "version: 1\nrules:\n";
                size_t n = strlen(text), n_kept = cases[i].n_rules == 50 ? 100 : 101;

                for (unsigned j = 0; j < cases[i].n_rules; j++)
                        n += (size_t)snprintf(text + n, sizeof(text) - n, "  - &a {match: {vg: ''}, readahead: 1}\n");
                for (unsigned j = 0; j < cases[i].n_aliases; j++)
                        n += (size_t)snprintf(text + n, sizeof(text) - n, "  - *a\n");
                assert_int_equal(policy_load_text("p", text, n, &policy, &errors), -EINVAL);
                assert_int_equal(errors.n_items, n_kept);
                assert_int_equal(errors.items[0].line, 3);
                assert_string_equal(errors.items[errors.n_items - 1].text, cases[i].last);
                policy_errors_done(&errors);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_defaults_in_code),
                        cmocka_unit_test(test_settings),
                        cmocka_unit_test(test_hold),
                        cmocka_unit_test(test_good),
                        cmocka_unit_test(test_documents),
                        cmocka_unit_test(test_matches),
                        cmocka_unit_test(test_bad_settings),
                        cmocka_unit_test(test_all_errors),
                        cmocka_unit_test(test_bounded_errors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
