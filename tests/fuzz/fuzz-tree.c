/* SPDX-License-Identifier: MIT */

/*
 * Whole machines (machine.h), the whole way: a captured root directory is read, planned for, and shown in every way
 * there is. The first byte says by which policy, the second which layer is looked at in particular, the third what is made of
 * it all: everything, or one part, which is faster.
 */

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "cli/explain.h"
#include "cli/graph.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/table.h"
#include "common/capture-record.h"
#include "common/capture.h"
#include "common/survey.h"
#include "config/policy.h"
#include "daemon/metrics.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/output.h"
#include "tests/support/stack.h"

#define INPUT_MAX 1024U

/* NULL: the one that setrad comes with. */
static const char *const policies[] = {
                NULL,
                "version: 1\nrules:\n  - match: {kind: \"*\"}\n    readahead: auto\n    direction: both\n",
                "version: 1\nrules:\n  - match: {kind: \"*\"}\n    readahead: array\n    direction: both\n",
                "version: 1\ndefaults: {max: 2MiB, direction: both}\nrules:\n  - match: {kind: md}\n"
                "    readahead: 3 stripes\n    max: 64MiB\n  - match: {kind: dm-striped}\n    readahead: off\n"
                "  - match: {kind: \"*\"}\n    readahead: 4MiB\n",
                "version: 1\ndefaults: {direction: both}\nrules:\n"
                "  - match: {kind: [dm-*, loop], not: {over: md}}\n    readahead: keep\n"
                "  - match: {kind: dm-*, size: \">= 1MiB\", rotational: true}\n"
                "    readahead: auto\n    min: 1MiB\n    direction: report\n"
                "  - match: {mountpoint: \"/mnt/*\", filesystem: [xfs, ext4]}\n    readahead: 2 stripes\n"
                "  - match: {kind: md, not: {top: true}}\n    readahead: off\n"
                "  - match: {uuid: \"LVM-*\"}\n    readahead: auto\n    min: 1MiB\n",
};

static struct policy *load(const char *text) {
        struct policy_errors errors = {};
        struct policy *policy = NULL;

        if (text)
                (void)policy_load_text("input", text, strlen(text), &policy, &errors);
        else
                (void)policy_load_builtin(&policy, &errors);
        FUZZ_CHECK(policy && errors.n_items == 0);
        policy_errors_done(&errors);
        return policy;
}

/* --- what is shown */

/* One of four: a tree, two for programs, and a tree upside down with the usual columns only. */
static void print_table(const struct survey *survey, const struct forest *forest, unsigned form) {
        static const char every[] = "NAME,KNAME,MAJ:MIN,KIND,SIZE,RA,TARGET,STRIPE,CHUNK,DATA,FROM,IO-MIN,IO-OPT,ALIGN,"
                                    "USE,RULE,STATE,REASON,FINDING";
        static const enum table_form forms[] = {TABLE_TREE, TABLE_RAW, TABLE_PAIRS, TABLE_TREE};
        struct column_list columns;
        const struct table table = {
                        .survey = survey,
                        .forest = forest,
                        .columns = &columns,
                        .form = forms[form],
                        .width = 80,
        };
        struct output output;

        FUZZ_CHECK(columns_parse(form == ARRAY_SIZE(forms) - 1 ? NULL : every, &columns) == 0);
        output_begin(&output);
        FUZZ_CHECK(table_print(output.stream, &table) == 0);
        output_end(&output);
}

static void print_tree(const struct survey *survey, unsigned chosen) {
        _cleanup_(forest_done) struct forest forest = {}, inverse = {};
        unsigned form = chosen % 4;

        FUZZ_CHECK(forest_build(survey, true, &forest) == 0);
        if (form == 3)
                FUZZ_CHECK(forest_invert(survey, &forest, &inverse) == 0);
        print_table(survey, form == 3 ? &inverse : &forest, form);
}

static void print_graph(const struct survey *survey) {
        _cleanup_(graph_done) struct graph graph = {};
        struct output dot, mermaid;

        FUZZ_CHECK(graph_build(survey, true, NULL, 0, &graph) == 0);
        output_begin(&dot);
        FUZZ_CHECK(graph_print_dot(dot.stream, &graph) == 0);
        output_end(&dot);
        output_begin(&mermaid);
        FUZZ_CHECK(graph_print_mermaid(mermaid.stream, &graph) == 0);
        output_end(&mermaid);
}

static void print_explanation(const struct survey *survey, const struct policy *policy, const struct layer *layer) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct explanation explanation;
        struct output output;

        FUZZ_CHECK(arena && explain_build(survey, policy, NULL, layer, arena, &explanation) == 0);
        output_check_json(json_explain(&explanation));
        output_begin(&output);
        FUZZ_CHECK(explain_print(output.stream, &explanation, false, 80) == 0);
        output_end(&output);
}

static void print_plan(const struct survey *survey) {
        struct output output;

        output_begin(&output);
        report_plan(output.stream, &survey->plan, false);
        output_end(&output);
        output_check_json(json_plan(survey));
        output_check_json(json_scan(survey));
}

static const char *skip_labels(const char *p) {
        for (bool quoted = false; *p != '}' || quoted; p++) {
                FUZZ_CHECK(*p);
                if (*p == '"')
                        quoted = !quoted;
                else if (quoted && *p == '\\') {
                        p++;
                        FUZZ_CHECK(*p && strchr("\\\"n", *p));
                }
        }
        return p + 1;
}

/* NAME{LABEL="VALUE",…} NUMBER */
static void check_metric(const char *line) {
        const char *p = line + strspn(line, "abcdefghijklmnopqrstuvwxyz_");
        char *end;

        if (*line == '#')
                return;
        FUZZ_CHECK(p > line);
        p = *p == '{' ? skip_labels(p) : p;
        FUZZ_CHECK(*p == ' ');
        (void)strtod(p + 1, &end);
        FUZZ_CHECK(end > p + 1 && !*end);
}

/* What is no terminal gets labels as they are, but for what is no UTF-8. */
static void print_metrics(const struct survey *survey, const struct layer *layer) {
        const struct apply_result result = {.changed = true, .probe.verdict = PROBE_FASTER};
        _cleanup_(metrics_freep) struct metrics *metrics = metrics_new();
        _cleanup_(tally_freep) struct tally *tally = tally_new();
        _cleanup_(freep) char *text = NULL;
        struct output output;
        const char *characters;
        mbstate_t state = {};

        FUZZ_CHECK(metrics && tally && tally_take(tally, survey, true) == 0);
        metrics_count_change(metrics, &survey->plan.decisions[layer->index], &result);
        output_begin(&output);
        FUZZ_CHECK(metrics_print(output.stream, metrics, tally_sums(tally)) == 0);
        FUZZ_CHECK(fclose(output.stream) == 0);
        characters = text = output.text;
        FUZZ_CHECK(mbsrtowcs(NULL, &characters, 0, &state) != (size_t)-1);
        for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
                check_metric(line);
}

/* --- what is decided */

static void check_decision(const struct topology *topology, const struct decision *decision) {
        const struct target *target = &decision->target;
        uint64_t page_sectors = topology->page_bytes / SECTOR_BYTES;
        int64_t had = opt_or(decision->layer->readahead_sectors, -1);

        FUZZ_CHECK(decision->reason && (!decision->rule == !decision->rule_action));
        if (decision_is_change(decision)) {
                FUZZ_CHECK(target->sectors.known && decision->layer->readahead_sectors.known);
                FUZZ_CHECK(decision->action == ACTION_RAISE ? target->sectors.value > had
                                                            : target->sectors.value < had);
                FUZZ_CHECK(decision->layer->has_devno && decision->layer->kind != KIND_PARTITION);
        }
        if (!target->sectors.known)
                return;
        FUZZ_CHECK(target->sectors.value >= 0 && (uint64_t)target->sectors.value % page_sectors == 0);
        if (target->origin != TARGET_LITERAL && decision->rule_action)
                FUZZ_CHECK((uint64_t)target->sectors.value <= decision->rule_action->limits.max_sectors &&
                                target->sectors.value > 0);
}

static void check_plan(const struct survey *survey) {
        size_t n_changes = 0, n_held = 0;

        FUZZ_CHECK(survey->plan.n_decisions == survey->topology->n_layers);
        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                const struct decision *decision = &survey->plan.decisions[i];

                FUZZ_CHECK(decision->layer == survey->topology->layers[i]);
                check_decision(survey->topology, decision);
                n_changes += decision_is_change(decision);
                n_held += decision->action == ACTION_HOLD;
        }
        FUZZ_CHECK(n_changes == survey->plan.n_changes && n_held == survey->plan.n_held);
}

/* Whether something was set before: what becomes of that depends on more than the values. */
static bool has_record(const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->set)
                        return true;
        return false;
}

/* What the plan asks for; a partition has what its disk has. */
static void carry_out(const struct survey *survey) {
        for (size_t i = 0; i < survey->topology->n_layers; i++) {
                struct layer *layer = survey->topology->layers[i];

                if (decision_is_change(&survey->plan.decisions[i]))
                        layer->readahead_sectors = survey->plan.decisions[i].target.sectors;
                else if (layer->kind == KIND_PARTITION && layer->parent)
                        layer->readahead_sectors = layer->parent->readahead_sectors;
        }
}

/* Nothing is left to change once the plan is carried out. The survey is of no use afterwards. */
static void check_fixed_point(struct survey **survey, const struct policy *policy) {
        struct survey *after;

        if (has_record((*survey)->topology))
                return;
        carry_out(*survey);
        FUZZ_CHECK(survey_topology(TAKE_PTR((*survey)->topology), policy, &after) == 0);
        FUZZ_CHECK(after->plan.n_changes == 0);
        survey_unref(after);
}

static void compare_layers(const json_t *all, const json_t *news) {
        if (!json_equal(all, news)) {
                (void)json_dumpf(all, stderr, JSON_INDENT(1));
                (void)json_dumpf(news, stderr, JSON_INDENT(1));
        }
        FUZZ_CHECK(json_equal(all, news));
}

/* What the two scans say of each layer that was read anew is the same. */
static void compare_scans(const struct survey *all, const struct survey *news) {
        _cleanup_(json_decrefp) json_t *scan_of_all = json_scan(all), *scan_of_news = json_scan(news);

        FUZZ_CHECK(scan_of_all && scan_of_news);
        for (size_t i = 0; i < news->topology->n_layers; i++) {
                const struct layer *layer = news->topology->layers[i];
                const struct layer *original = topology_find(all->topology, layer->sysname);

                FUZZ_CHECK(original);
                if (layer->carried)
                        continue;
                FUZZ_CHECK(layer->depth == original->depth && layer->in_cycle == original->in_cycle);
                compare_layers(json_array_get(json_object_get(scan_of_all, "layers"), original->index),
                                json_array_get(json_object_get(scan_of_news, "layers"), i));
        }
}

/* A capture may have partitions over something else than their disk; a machine that has events has none. */
static bool may_be_live(const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->kind == KIND_PARTITION && topology->layers[i]->slaves)
                        return false;
        return true;
}

/* Where nothing has changed, what is said of a device after an event is what a scan of all says. */
static void check_news(const struct sysroot *root, const struct survey *all, const struct policy *policy,
                const struct layer *layer) {
        char *touched[] = {layer ? (char *)(uintptr_t)layer->sysname : NULL, NULL};
        _cleanup_(inventory_freep) struct inventory *inventory = NULL;
        _cleanup_(survey_unrefp) struct survey *news = NULL;

        FUZZ_CHECK(inventory_new(all->topology, &inventory) == 0);
        if (layer && layer->index % 2 == 0)
                inventory_forget_mounts(inventory);
        const struct survey_scope scope = {.inventory = inventory, .news_only = true, .touched = touched};
        FUZZ_CHECK(survey_look(root, &scope, policy, &news) == 0);
        FUZZ_CHECK(!layer || topology_find(news->topology, layer->sysname));
        compare_scans(all, news);
        FUZZ_CHECK(inventory_update(inventory, news->topology) == 0);
        FUZZ_CHECK(!*inventory_turned(inventory) && inventory_count(inventory) == all->topology->n_layers);
}

static void write_record(struct record *record, struct files *files) {
        const struct record_entry *list;
        size_t n;

        FUZZ_CHECK(record_list(record, &list, &n) == 0);
        files_begin(files);
        for (size_t i = 0; i < n; i++)
                switch (list[i].type) {
                case RECORD_DIRECTORY: files_directory(files, list[i].path); break;
                case RECORD_FILE: files_write(files, list[i].path, list[i].text, list[i].size); break;
                case RECORD_LINK: files_link(files, list[i].path, list[i].text); break;
                }
        files_commit(files);
}

/* Of a capture the same is said as of the machine; but what setrad has on record is in no capture. */
static struct survey *survey_capture(struct record *record, const struct policy *policy) {
        static struct files *files;
        _cleanup_(sysroot_freep) struct sysroot *captured = NULL;
        struct survey *survey = NULL;

        if (!files)
                files = files_new();
        write_record(record, files);
        FUZZ_CHECK(sysroot_open(files_path(files), &captured) == 0);
        FUZZ_CHECK(survey_run(captured, policy, &survey) == 0);
        return survey;
}

static void check_capture(struct sysroot *root, const struct survey *survey, const struct policy *policy) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(record_freep) struct record *record = NULL;
        _cleanup_(survey_unrefp) struct survey *again = NULL;

        FUZZ_CHECK(capture_take(root, true, &record, &topology) == 0);
        again = survey_capture(record, policy);
        FUZZ_CHECK(again->topology->n_layers == survey->topology->n_layers);
        compare_scans(survey, again);
}

/* All that does not have the names in it that people gave. */
static json_t *scan_without_names(const struct survey *survey) {
        static const char *const keys[] = {"label", "use", "reason", "findings"};
        json_t *scan = json_scan(survey), *layer;
        size_t i;

        FUZZ_CHECK(scan);
        json_array_foreach(json_object_get(scan, "layers"), i, layer) {
                for (size_t j = 0; j < ARRAY_SIZE(keys); j++)
                        FUZZ_CHECK(json_object_del(layer, keys[j]) == 0);
        }
        return scan;
}

/* Udev's models stay as they are, whatever they are. */
static void check_hidden(struct record *record, const char *text) {
        const struct record_entry *list;
        size_t n;

        FUZZ_CHECK(record_list(record, &list, &n) == 0);
        for (size_t i = 0; i < n; i++)
                FUZZ_CHECK(strncmp(list[i].path, "run/udev/", 9) == 0 ||
                                (!strstr(list[i].path, text) &&
                                                !memmem(list[i].text, list[i].size, text, strlen(text))));
}

/* Of one with stand-ins for identifiers, too; and no WWID of a multipath map is in it. */
static void check_pseudonyms(struct sysroot *root, const struct survey *survey, const struct policy *policy) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(record_freep) struct record *record = NULL;
        _cleanup_(survey_unrefp) struct survey *again = NULL;
        _cleanup_(json_decrefp) json_t *before = scan_without_names(survey), *after = NULL;

        FUZZ_CHECK(capture_take(root, false, &record, &topology) == 0);
        again = survey_capture(record, policy);
        after = scan_without_names(again);
        compare_layers(json_object_get(before, "layers"), json_object_get(after, "layers"));
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct dm_info *dm = topology->layers[i]->dm;

                if (dm && strcmp(dm->uuid, "mpath-" MACHINE_WWID) == 0)
                        check_hidden(record, MACHINE_WWID);
        }
}

enum view {
        VIEW_ALL,
        VIEW_PLAN,
        VIEW_TREE,
        VIEW_GRAPH,
        VIEW_EXPLANATION,
        VIEW_NEWS,
        VIEW_CAPTURE,
        VIEW_PSEUDONYMS,
        VIEW_METRICS,
        N_VIEWS
};

struct choice {
        unsigned policy, layer;
        enum view view;
};

static void look_at(struct sysroot *root, const struct survey *survey, const struct policy *policy,
                const struct choice *choice) {
        const struct topology *topology = survey->topology;
        const struct layer *layer =
                        topology->n_layers > 0 ? topology->layers[choice->layer % topology->n_layers] : NULL;
        const bool all = choice->view == VIEW_ALL;

        if (all || choice->view == VIEW_PLAN)
                print_plan(survey);
        if (all || choice->view == VIEW_TREE)
                print_tree(survey, choice->layer);
        if (all || choice->view == VIEW_GRAPH)
                print_graph(survey);
        if (layer && (all || choice->view == VIEW_EXPLANATION))
                print_explanation(survey, policy, layer);
        if ((all || choice->view == VIEW_NEWS) && may_be_live(topology))
                check_news(root, survey, policy, layer);
        if ((all || choice->view == VIEW_CAPTURE) && !has_record(topology))
                check_capture(root, survey, policy);
        if ((all || choice->view == VIEW_PSEUDONYMS) && !has_record(topology))
                check_pseudonyms(root, survey, policy);
        if (layer && (all || choice->view == VIEW_METRICS))
                print_metrics(survey, layer);
}

/* Constant once they are loaded. */
static const struct policy *get_policy(unsigned i) {
        static struct policy *loaded[ARRAY_SIZE(policies)];

        if (!loaded[i])
                loaded[i] = load(policies[i]);
        return loaded[i];
}

static struct files *get_files(void) {
        static struct files *files;

        if (!files) {
                FUZZ_CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
                files = files_new();
        }
        return files;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct bytes bytes = {.at = data, .end = data + (size < INPUT_MAX ? size : INPUT_MAX)};
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        struct files *files = get_files();
        struct choice choice;
        const struct policy *policy;

        choice.policy = bytes_pick(&bytes, ARRAY_SIZE(policies));
        choice.layer = bytes_pick(&bytes, UINT8_MAX);
        choice.view = (enum view)bytes_pick(&bytes, N_VIEWS);
        policy = get_policy(choice.policy);
        files_begin(files);
        machine_write(bytes, files);
        files_commit(files);
        FUZZ_CHECK(sysroot_open(files_path(files), &root) == 0);
        FUZZ_CHECK(survey_run(root, policy, &survey) == 0);
        FUZZ_CHECK(stack_is_in_order(survey->topology));
        for (const struct topology_note *note = survey->topology->notes; note; note = note->next)
                FUZZ_CHECK(*note->text);
        check_plan(survey);
        look_at(root, survey, policy, &choice);
        check_fixed_point(&survey, policy);
        return 0;
}
