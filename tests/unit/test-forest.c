/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "cli/forest.h"
#include "cli/table.h"
#include "common/cleanup.h"
#include "tests/support/append.h"

#define LAYERS_MAX 8

/* Layers by hand, bottom up; each edge is "upper, lower" by index. */
struct machine {
        struct layer layers[LAYERS_MAX], *all[LAYERS_MAX];
        struct layer *below[LAYERS_MAX][LAYERS_MAX], *above[LAYERS_MAX][LAYERS_MAX];
        struct decision decisions[LAYERS_MAX];
        struct geometry geometry[LAYERS_MAX];
        struct topology topology;
        struct survey survey;
};

static void machine_init(struct machine *m) {
        memset(m, 0, sizeof(*m));
        m->topology.layers = m->all;
        m->survey = (struct survey){.topology = &m->topology, .geometry = m->geometry};
        m->survey.plan.decisions = m->decisions;
}

static size_t machine_add(struct machine *m, const char *name, enum layer_kind kind) {
        size_t i = m->topology.n_layers++;

        m->layers[i] = (struct layer){.index = i,
                        .name = name,
                        .label = name,
                        .kind = kind,
                        .size_sectors = opt_some(2048),
                        .below = m->below[i],
                        .above = m->above[i]};
        m->all[i] = &m->layers[i];
        m->decisions[i] = (struct decision){.layer = &m->layers[i], .action = ACTION_IGNORE};
        m->survey.plan.n_decisions = m->topology.n_layers;
        return i;
}

static void machine_link(struct machine *m, size_t upper, size_t lower) {
        m->below[upper][m->layers[upper].n_below++] = &m->layers[lower];
        m->above[lower][m->layers[lower].n_above++] = &m->layers[upper];
}

static void assert_names(const struct layer *const *layers, size_t n, const char *expected) {
        char names[256] = "";

        for (size_t i = 0; i < n; i++) {
                append(names, sizeof(names), i ? " " : "");
                append(names, sizeof(names), layers[i]->name);
        }
        assert_string_equal(names, expected);
}

static void check(const struct machine *m, bool all, const char *stacks, const char *plain) {
        _cleanup_(forest_done) struct forest forest = {};

        assert_int_equal(forest_build(&m->survey, all, &forest), 0);
        assert_names(forest.stacks, forest.n_stacks, stacks);
        assert_names(forest.plain, forest.n_plain, plain);
}

static void test_plain_machine(void **state) {
        struct machine m;
        size_t disk, empty, part;

        machine_init(&m);
        disk = machine_add(&m, "sda", KIND_DISK);
        empty = machine_add(&m, "loop0", KIND_LOOP);
        machine_add(&m, "sr0", KIND_ROM);
        part = machine_add(&m, "sda1", KIND_PARTITION);
        machine_link(&m, part, disk);
        m.layers[empty].size_sectors = opt_some(0);
        check(&m, false, "", "sda");
        check(&m, true, "", "loop0 sda1 sr0");
}

static void test_stack_and_plain_disk(void **state) {
        struct machine m;
        size_t member, array, map, root_disk, root_part;

        machine_init(&m);
        member = machine_add(&m, "sdb", KIND_DISK);
        root_disk = machine_add(&m, "sda", KIND_DISK);
        machine_add(&m, "sdc", KIND_DISK);
        array = machine_add(&m, "md10", KIND_MD_RAID1);
        root_part = machine_add(&m, "sda1", KIND_PARTITION);
        map = machine_add(&m, "md9", KIND_MD_RAID0);
        machine_link(&m, array, member);
        machine_link(&m, map, member);
        machine_link(&m, root_part, root_disk);
        check(&m, false, "md9 md10", "sda sdc");
}

/* One partition of a disk in an array, another one mounted: the disk is shown in the stack only. */
static void test_disk_half_in_a_stack(void **state) {
        struct machine m;
        size_t disk, part1, part2, array;

        machine_init(&m);
        disk = machine_add(&m, "sda", KIND_DISK);
        part1 = machine_add(&m, "sda1", KIND_PARTITION);
        part2 = machine_add(&m, "sda2", KIND_PARTITION);
        array = machine_add(&m, "md0", KIND_MD_RAID1);
        machine_link(&m, part1, disk);
        machine_link(&m, part2, disk);
        machine_link(&m, array, part1);
        check(&m, false, "md0", "");
        check(&m, true, "md0", "sda2");
}

static void test_disk_with_something_to_say(void **state) {
        struct machine m;
        struct finding findings[] = {
                        {.code = FINDING_IO_OPT_IMPLAUSIBLE, .severity = SEVERITY_WARNING},
                        {.code = FINDING_FILESYSTEM_OWN_READAHEAD, .severity = SEVERITY_INFO},
        };

        machine_init(&m);
        machine_add(&m, "sda", KIND_DISK);
        machine_add(&m, "sdb", KIND_DISK);
        machine_add(&m, "sdc", KIND_DISK);
        machine_add(&m, "sdd", KIND_DISK);
        findings[0].layer = &m.layers[1];
        findings[1].layer = &m.layers[3];
        m.survey.findings = (struct findings){.items = findings, .n_items = ARRAY_SIZE(findings)};
        m.decisions[2].action = ACTION_LOWER;
        check(&m, false, "sdb sdc", "sda sdd");
}

/* Two maps over one array: its members are shown once, and the second time its name ends in "…". */
static void check_shared(bool utf8) {
        _cleanup_(forest_done) struct forest forest = {};
        _cleanup_(freep) char *text = NULL;
        struct column_list columns;
        struct machine m;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);
        size_t disk, array, one, two;

        machine_init(&m);
        disk = machine_add(&m, "sda", KIND_DISK);
        array = machine_add(&m, "md0", KIND_MD_RAID0);
        one = machine_add(&m, "dm-0", KIND_DM_LINEAR);
        two = machine_add(&m, "dm-1", KIND_DM_LINEAR);
        machine_link(&m, array, disk);
        machine_link(&m, one, array);
        machine_link(&m, two, array);
        m.layers[two].label = "z\x1bz";

        assert_int_equal(columns_parse("kname,name,target,state", &columns), 0);
        assert_int_equal(forest_build(&m.survey, false, &forest), 0);
        assert_int_equal(table_print(stream, &(struct table){.survey = &m.survey,
                                                             .forest = &forest,
                                                             .columns = &columns,
                                                             .form = TABLE_PAIRS}),
                        0);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, "KNAME=\"dm-0\" NAME=\"dm-0\" TARGET=\"\" STATE=\"ignore\"\n"
                                  "KNAME=\"md0\" NAME=\"md0\" TARGET=\"\" STATE=\"ignore\"\n"
                                  "KNAME=\"sda\" NAME=\"sda\" TARGET=\"\" STATE=\"ignore\"\n"
                                  "KNAME=\"dm-1\" NAME=\"z\\x1bz\" TARGET=\"\" STATE=\"ignore\"\n");

        free(TAKE_PTR(text));
        stream = open_memstream(&text, &length);
        assert_int_equal(columns_parse("target,name", &columns), 0);
        assert_int_equal(table_print(stream, &(struct table){.survey = &m.survey,
                                                             .forest = &forest,
                                                             .columns = &columns,
                                                             .no_headings = true}),
                        0);
        assert_int_equal(fclose(stream), 0);
        assert_non_null(strstr(text, "md0\n"));
        assert_non_null(strstr(text, utf8 ? "md0 …\n" : "md0 \\xe2\\x80\\xa6\n"));
        assert_non_null(strstr(text, "z\\x1bz (dm-1)\n"));
        assert_ptr_equal(strstr(strstr(text, "sda") + 1, "sda"), NULL);
}

static void test_table_shows_shared_layers_once(void **state) {
        check_shared(false);
        assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
        check_shared(true);
}

static void assert_rows(const struct machine *m, const struct forest *forest, const char *expected) {
        _cleanup_(freep) char *text = NULL;
        struct column_list columns;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        assert_int_equal(columns_parse("kname", &columns), 0);
        assert_int_equal(table_print(stream, &(struct table){.survey = &m->survey,
                                                             .forest = forest,
                                                             .columns = &columns,
                                                             .form = TABLE_RAW,
                                                             .no_headings = true}),
                        0);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, expected);
}

static void check_inverse(const struct machine *m, bool all, const char *stacks, const char *plain, const char *over,
                const char *rows) {
        _cleanup_(forest_done) struct forest forest = {}, inverse = {};
        const struct layer *marked[LAYERS_MAX];
        size_t n = 0;

        assert_int_equal(forest_build(&m->survey, all, &forest), 0);
        assert_int_equal(forest_invert(&m->survey, &forest, &inverse), 0);
        for (size_t i = 0; i < m->topology.n_layers; i++)
                if (inverse.over[i])
                        marked[n++] = &m->layers[i];
        assert_names(inverse.stacks, inverse.n_stacks, stacks);
        assert_names(inverse.plain, inverse.n_plain, plain);
        assert_names(marked, n, over);
        assert_rows(m, &inverse, rows);
}

/* Two arrays share a disk; of the disk's other partition nothing is shown without all, nor of the empty loop device. */
static void test_inverse(void **state) {
        struct machine m;
        size_t a, b, one, two, md0, map;

        machine_init(&m);
        b = machine_add(&m, "sdb", KIND_DISK);
        a = machine_add(&m, "sda", KIND_DISK);
        machine_add(&m, "sdc", KIND_DISK);
        one = machine_add(&m, "sda1", KIND_PARTITION);
        two = machine_add(&m, "sda2", KIND_PARTITION);
        md0 = machine_add(&m, "md0", KIND_MD_RAID0);
        map = machine_add(&m, "dm-0", KIND_DM_LINEAR);
        m.layers[machine_add(&m, "loop0", KIND_LOOP)].size_sectors = opt_some(0);
        machine_link(&m, one, a);
        machine_link(&m, two, a);
        machine_link(&m, md0, one);
        machine_link(&m, md0, b);
        machine_link(&m, map, md0);

        check_inverse(&m, false, "sda sdb", "sdc", "sdb sda sdc sda1 md0 dm-0", "sda\nsda1\nmd0\ndm-0\nsdb\nsdc\n");
        check_inverse(&m, true, "sda sdb", "loop0 sdc", "sdb sda sdc sda1 sda2 md0 dm-0 loop0",
                        "sda\nsda1\nmd0\ndm-0\nsda2\nsdb\nloop0\nsdc\n");
}

/* Deeper than what is shown, and than libsmartcols could bear. */
static void test_table_bounds_depth(void **state) {
        enum { DEPTH = 5000 };
        _cleanup_(freep) struct layer *layers = calloc(DEPTH, sizeof(*layers));
        _cleanup_(freep) struct layer **all = calloc(DEPTH, sizeof(*all));
        _cleanup_(freep) struct decision *decisions = calloc(DEPTH, sizeof(*decisions));
        _cleanup_(freep) struct geometry *geometry = calloc(DEPTH, sizeof(*geometry));
        _cleanup_(freep) char *text = NULL;
        struct topology topology = {.layers = all, .n_layers = DEPTH};
        struct survey survey = {.topology = &topology, .geometry = geometry, .plan.decisions = decisions};
        const struct layer *top = &layers[DEPTH - 1];
        struct forest forest = {.stacks = &top, .n_stacks = 1};
        struct column_list columns;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        for (size_t i = 0; i < DEPTH; i++) {
                layers[i] = (struct layer){.index = i, .name = "dm", .label = "dm", .kind = KIND_DM_LINEAR};
                layers[i].below = i > 0 ? &all[i - 1] : NULL;
                layers[i].n_below = i > 0;
                all[i] = &layers[i];
        }
        assert_int_equal(columns_parse("name", &columns), 0);
        assert_int_equal(
                        table_print(stream, &(struct table){.survey = &survey, .forest = &forest, .columns = &columns}),
                        0);
        assert_int_equal(fclose(stream), 0);
        assert_non_null(strstr(text, "dm …\n")); /* in UTF-8, as the test before left it */
}

static void test_columns_parse(void **state) {
        struct column_list list = {}, usual;

        assert_int_equal(columns_parse(NULL, &usual), 0);
        assert_true(usual.n > 3);
        assert_string_equal(usual.items[0]->name, "NAME");
        assert_int_equal(columns_parse("+finding", &list), 0);
        assert_int_equal(list.n, usual.n + 1);
        assert_string_equal(list.items[usual.n]->name, "FINDING");
        assert_int_equal(columns_parse("io-opt,RA", &list), 0);
        assert_int_equal(list.n, 2);
        assert_string_equal(list.items[0]->name, "IO-OPT");
        assert_int_not_equal(columns_parse("", &list), 0);
        assert_int_not_equal(columns_parse("RA,", &list), 0);
        assert_int_not_equal(columns_parse("RA,nonsense", &list), 0);
        assert_int_equal(list.n, 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_plain_machine),
                        cmocka_unit_test(test_stack_and_plain_disk),
                        cmocka_unit_test(test_disk_half_in_a_stack),
                        cmocka_unit_test(test_disk_with_something_to_say),
                        cmocka_unit_test(test_table_shows_shared_layers_once),
                        cmocka_unit_test(test_inverse),
                        cmocka_unit_test(test_table_bounds_depth),
                        cmocka_unit_test(test_columns_parse),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
