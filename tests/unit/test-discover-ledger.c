/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/discover.h"
#include "common/ledger-fate.h"
#include "common/ledger.h"
#include "tests/support/tree.h"

#define DISK(name, devno, diskseq)                                                                                     \
        {"sys/class/block/" name "/dev", devno "\n"}, {                                                                \
                "sys/class/block/" name "/diskseq", diskseq "\n"                                                       \
        }
#define READAHEAD(name, kib)                                                                                           \
        { "sys/class/block/" name "/queue/read_ahead_kb", kib "\n" }

static struct topology *discover_tree(struct tree *tree) {
        static const struct tree_file files[] = {
                        DISK("sda", "8:0", "1"),
                        DISK("sdb", "8:16", "2"),
                        DISK("sdc", "8:32", "3"),
                        DISK("sdd", "8:48", "4"),
                        DISK("sde", "8:64", "5"),
                        DISK("sdf", "8:80", "6"),
                        DISK("sdg", "8:96", "7"),
        };
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct topology *topology = NULL;

        tree_write_all(tree, files, ARRAY_SIZE(files));
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &topology), 0);
        return topology;
}

static struct device_identity disk(const char *name, unsigned minor, uint64_t diskseq) {
        struct device_identity device = {.major = 8, .minor = minor, .diskseq = diskseq};

        snprintf(device.name, sizeof(device.name), "%s", name);
        return device;
}

/* Given 3072 sectors, which is confirmed. */
static void add_entry(struct ledger *ledger, struct device_identity device, uint64_t stack) {
        const struct ledger_change change = {.rule = "a rule", .from_sectors = 256, .to_sectors = 3072, .stack = stack};

        assert_int_equal(ledger_begin(ledger, &device, &change, 1), 0);
        ledger_confirm(ledger, &device, NULL);
}

static void write_ledger(struct tree *tree) {
        static const struct ledger_change next = {.rule = "next", .from_sectors = 3072, .to_sectors = 4096};
        static const struct ledger_change first = {.rule = "first", .from_sectors = 256, .to_sectors = 1024};
        static const struct ledger_change tried = {
                        .rule = "a rule", .from_sectors = 1024, .to_sectors = 3072, .stack = 5};
        static const struct ledger_revert revert = {
                        .from_sectors = 3072, .original_sectors = 256, .stack = 255, .keep = true};
        static const struct process alive = {.pid = 77, .start_ticks = 4242};
        const struct device_identity reverted = disk("sda", 0, 1), changing = disk("sdd", 48, 4),
                                     reverting = disk("sde", 64, 5), put_back = disk("sdg", 96, 7);
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        char path[512];

        add_entry(ledger, reverted, 5);
        assert_int_equal(ledger_begin_revert(ledger, &reverted, &revert, 2), 0);
        ledger_confirm(ledger, &reverted, NULL);
        add_entry(ledger, disk("sdb", 16, 2), 0);
        add_entry(ledger, disk("sdc", 32, 99), 5);
        add_entry(ledger, changing, 5);
        assert_int_equal(ledger_begin(ledger, &changing, &next, 2), 0);
        ledger_own(ledger, &changing, &alive);
        add_entry(ledger, reverting, 5);
        assert_int_equal(ledger_begin_revert(ledger, &reverting, &revert, 2), 0);
        ledger_own(ledger, &reverting, &alive);
        add_entry(ledger, disk("sdz", 99, 9), 5);
        assert_int_equal(ledger_begin(ledger, &put_back, &first, 1), 0);
        ledger_confirm(ledger, &put_back, NULL);
        assert_int_equal(ledger_begin(ledger, &put_back, &tried, 2), 0);
        ledger_put_back(ledger, &put_back, 1024, NULL);

        tree_directory(tree, "run/setrad");
        snprintf(path, sizeof(path), "%s/run/setrad/ledger.json", tree_path(tree));
        assert_int_equal(ledger_save(ledger, path), 0);
}

static void check_note(const struct ledger_note *note, uint64_t stack, bool reverted, bool put_back) {
        assert_non_null(note);
        assert_int_equal(note->sectors, 3072);
        assert_string_equal(note->rule, "a rule");
        assert_int_equal(note->stack_known, stack != 0);
        assert_int_equal(note->stack, stack);
        assert_int_equal(note->reverted, reverted);
        assert_int_equal(note->put_back, put_back);
}

static void test_notes(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(topology_freep) struct topology *topology = NULL;

        tree_write(tree, "proc/77/stat", "77 (setrad) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1\n");
        write_ledger(tree);
        topology = discover_tree(tree);
        check_note(topology_find(topology, "sda")->set, 255, true, false);
        check_note(topology_find(topology, "sdb")->set, 0, false, false);
        assert_null(topology_find(topology, "sdc")->set);                  /* another device */
        assert_null(topology_find(topology, "sdd")->set);                  /* which of two values is right is unknown */
        check_note(topology_find(topology, "sde")->set, 255, true, false); /* already while it is put back */
        check_note(topology_find(topology, "sdg")->set, 5, true, true);    /* of what was tried */
        assert_null(topology_find(topology, "sdf")->set);
}

/* Nothing is known then, and the file is left to those who write it. */
static void test_damaged(void **state) {
        static const char *const texts[] = {"", "{", "{\"version\":2,\"entries\":[]}"};

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                _cleanup_(topology_freep) struct topology *topology = NULL;
                char path[512];

                tree_write(tree, "run/setrad/ledger.json", texts[i]);
                topology = discover_tree(tree);
                assert_null(topology_find(topology, "sda")->set);
                snprintf(path, sizeof(path), "%s/run/setrad/ledger.json", tree_path(tree));
                assert_int_equal(access(path, F_OK), 0);
        }
}

static void begin_change(struct ledger *ledger, struct device_identity device, uint64_t from, uint64_t to,
                const struct process *owner) {
        const struct ledger_change change = {.rule = "next", .from_sectors = from, .to_sectors = to, .stack = 7};

        assert_int_equal(ledger_begin(ledger, &device, &change, 2), 0);
        ledger_own(ledger, &device, owner);
}

/* What a process has left pending that is gone tells by its value what became of it. */
static void test_owner_is_gone(void **state) {
        static const struct tree_file files[] = {
                        READAHEAD("sda", "2048"),
                        READAHEAD("sdb", "2048"),
                        READAHEAD("sdc", "1536"),
                        READAHEAD("sdd", "1536"),
                        READAHEAD("sde", "2048"),
                        READAHEAD("sdf", "512"),
                        {"proc/77/stat", "77 (setractl) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1\n"},
        };
        static const struct process alive = {.pid = 77, .start_ticks = 4242}, gone = {.pid = 77, .start_ticks = 4241};
        const struct device_identity reverting = disk("sde", 64, 5);
        static const struct ledger_revert revert = {
                        .from_sectors = 3072, .original_sectors = 256, .stack = 255, .keep = true};
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        char path[512];

        begin_change(ledger, disk("sda", 0, 1), 256, 4096, &gone);
        begin_change(ledger, disk("sdb", 16, 2), 256, 4096, &alive);
        add_entry(ledger, disk("sdc", 32, 3), 5);
        begin_change(ledger, disk("sdc", 32, 3), 3072, 4096, &gone);
        begin_change(ledger, disk("sdd", 48, 4), 3072, 4096, &gone);
        add_entry(ledger, reverting, 5);
        assert_int_equal(ledger_begin_revert(ledger, &reverting, &revert, 2), 0);
        add_entry(ledger, disk("sdf", 80, 6), 5);
        begin_change(ledger, disk("sdf", 80, 6), 3072, 4096, &gone);

        tree_directory(tree, "run/setrad");
        snprintf(path, sizeof(path), "%s/run/setrad/ledger.json", tree_path(tree));
        assert_int_equal(ledger_save(ledger, path), 0);
        tree_write_all(tree, files, ARRAY_SIZE(files));
        topology = discover_tree(tree);

        const struct ledger_note *made = topology_find(topology, "sda")->set;
        assert_non_null(made);
        assert_int_equal(made->sectors, 4096);
        assert_string_equal(made->rule, "next");
        assert_int_equal(made->stack, 7);
        assert_null(topology_find(topology, "sdb")->set);
        check_note(topology_find(topology, "sdc")->set, 5, false, false); /* what it was given before */
        assert_null(topology_find(topology, "sdd")->set);                 /* not made, and nothing before */
        check_note(topology_find(topology, "sde")->set, 5, false, false); /* not put back */
        check_note(topology_find(topology, "sdf")->set, 5, false, false); /* somebody has set it since */
}

/* Numbers that wrap around to the one that was given prove nothing, and what is no number decides nothing. */
static void test_value_judged(void **state) {
        static const struct {
                const char *kib;
                uint64_t sectors;
                enum ledger_fate fate;
        } cases[] = {
                        {"1536\n", 3072, LEDGER_MADE},
                        {"1536\n", 256, LEDGER_NOT_MADE},
                        {"0\n", 0, LEDGER_MADE},
                        {"4611686018427387903\n", INT64_MAX - 1, LEDGER_MADE},
                        {"18014398509481984\n", 0, LEDGER_NOT_MADE},    /* 2^64 bytes */
                        {"18014398509483520\n", 3072, LEDGER_NOT_MADE}, /* and 1536 KiB */
                        {"9223372036854775807\n", 0, LEDGER_UNDECIDED}, /* KiB that no sectors can be */
                        {"-1536\n", 3072, LEDGER_UNDECIDED},
                        {"18446744073709551615\n", 3072, LEDGER_UNDECIDED},
                        {"\n", 0, LEDGER_UNDECIDED},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct ledger_entry entry = {.device = disk("sda", 0, 1), .new_sectors = cases[i].sectors};
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                _cleanup_(sysroot_freep) struct sysroot *root = NULL;

                tree_write(tree, "sys/dev/block/8:0/queue/read_ahead_kb", cases[i].kib);
                assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
                assert_int_equal(ledger_judge_value(&entry, root), cases[i].fate);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_notes),
                        cmocka_unit_test(test_owner_is_gone),
                        cmocka_unit_test(test_damaged),
                        cmocka_unit_test(test_value_judged),
        };

        return cmocka_run_group_tests_name("discover-ledger", tests, NULL, NULL);
}
