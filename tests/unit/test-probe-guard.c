/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/cleanup.h"
#include "common/probe-guard.h"

#define DIAMONDS 60

static struct md_info healthy(void) {
        return (struct md_info){.level = "raid5",
                        .array_state = "clean",
                        .sync_action = "idle",
                        .raid_disks = opt_some(4),
                        .degraded = opt_some(0)};
}

static struct layer layer(size_t index, const char *name, enum layer_kind kind) {
        return (struct layer){.index = index,
                        .name = name,
                        .sysname = name,
                        .label = name,
                        .kind = kind,
                        .has_devno = true,
                        .size_sectors = opt_some(1000000)};
}

static bool is_obstacle(const char *reason) {
        static const char *const words[] = {"inactive", "container", "suspended", "no table", "paths", "no device node",
                        "not ready", "size of"};

        for (size_t i = 0; reason && i < ARRAY_SIZE(words); i++)
                if (strstr(reason, words[i]))
                        return true;
        return false;
}

/* NULL wanted: may be read. Checks LAYER, and a map over it. */
static void assert_reason(struct layer *below, const char *wanted) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct layer top = layer(below->index + 1, "dm-9", KIND_DM_LINEAR), *list[] = {below};
        struct dm_info dm = {.name = "top", .uuid = "", .has_table = true, .tables_known = true};
        const struct layer *checked[] = {below, &top};

        top.dm = &dm;
        top.below = list;
        top.n_below = 1;
        for (size_t i = 0; i < ARRAY_SIZE(checked); i++) {
                const char *reason = probe_guard_reason(checked[i], arena);
                const char *obstacle = probe_guard_obstacle(checked[i], arena);

                assert_true(is_obstacle(wanted) ? obstacle && strcmp(obstacle, wanted) == 0 : !obstacle);
                if (wanted)
                        assert_non_null(reason);
                else
                        assert_null(reason);
                if (wanted)
                        assert_string_equal(reason, wanted);
        }
}

static void test_md(void **state) {
        static const struct {
                enum layer_kind kind;
                const char *array_state, *sync_action;
                struct opt_int raid_disks, degraded;
                bool reshaping;
                const char *reason;
        } cases[] = {
                        {KIND_MD_RAID5, "clean", "idle", {4, true}, {0, true}, false, NULL},
                        {KIND_MD_RAID5, "active", "frozen", {4, true}, {0, true}, false, NULL},
                        {KIND_MD_RAID0, "clean", NULL, {4, true}, {0, false}, false, NULL},
                        {KIND_MD_RAID0, NULL, "", {4, true}, {0, false}, false, NULL},
                        {KIND_MD_RAID1, "clean", "idle", {2, true}, {1, true}, false,
                                        "md0 is degraded (1 of 2 members missing)"},
                        {KIND_MD_RAID6, "clean", "recover", {8, true}, {2, true}, false,
                                        "md0 is degraded (2 of 8 members missing)"},
                        {KIND_MD_RAID5, "clean", "idle", {0, false}, {1, true}, false,
                                        "md0 is degraded (1 member missing)"},
                        {KIND_MD_RAID5, "clean", "resync", {4, true}, {0, true}, false, "md0 is resyncing"},
                        {KIND_MD_RAID5, "clean", "recover", {4, true}, {0, true}, false, "md0 is recovering"},
                        {KIND_MD_RAID5, "clean", "check", {4, true}, {0, true}, false, "md0 is being checked"},
                        {KIND_MD_RAID5, "clean", "repair", {4, true}, {0, true}, false, "md0 is being repaired"},
                        {KIND_MD_RAID5, "clean", "something", {4, true}, {0, true}, false, "md0 is busy with itself"},
                        {KIND_MD_RAID5, "clean", "reshape", {5, true}, {0, true}, true, "md0 is being reshaped"},
                        {KIND_MD_RAID5, "inactive", "idle", {4, true}, {0, true}, false, "md0 is inactive"},
                        {KIND_MD_RAID5, "clear", "idle", {4, true}, {0, true}, false, "md0 is inactive"},
                        {KIND_MD_INACTIVE, NULL, NULL, {0, false}, {0, false}, false, "md0 is inactive"},
                        {KIND_MD_CONTAINER, "inactive", NULL, {0, false}, {0, false}, false,
                                        "md0 is a container and holds no data"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct layer md0 = layer(3, "md0", cases[i].kind);
                struct md_info md = healthy();

                md.array_state = cases[i].array_state;
                md.sync_action = cases[i].sync_action;
                md.raid_disks = cases[i].raid_disks;
                md.degraded = cases[i].degraded;
                md.reshaping = cases[i].reshaping;
                md0.md = &md;
                assert_reason(&md0, cases[i].reason);
        }
}

static void test_dm(void **state) {
        struct dm_segment linear = {.kind = KIND_DM_LINEAR}, dead = {.kind = KIND_DM_MULTIPATH};
        struct dm_leg leg = {.role = LEG_DATA};
        struct dm_segment reshaping = {.kind = KIND_DM_RAID5, .reshaping = true};
        struct dm_segment lost = {.kind = KIND_DM_MULTIPATH, .legs = &leg, .n_legs = 1, .paths = {true, 4, 0}};
        struct dm_segment left = {.kind = KIND_DM_MULTIPATH, .legs = &leg, .n_legs = 1, .paths = {true, 4, 1}};
        struct dm_segment degraded = {
                        .kind = KIND_DM_RAID6, .raid_disks = 5, .sync = {.degraded = opt_some(2), .action = "recover"}};
        struct dm_segment checked = {
                        .kind = KIND_DM_RAID1, .raid_disks = 2, .sync = {.degraded = opt_some(0), .action = "check"}};
        struct dm_segment well = {
                        .kind = KIND_DM_RAID1, .raid_disks = 2, .sync = {.degraded = opt_some(0), .action = "frozen"}};
        struct dm_segment several[] = {linear, well, checked, well};
        struct dm_segment alive = {.kind = KIND_DM_MULTIPATH, .legs = &leg, .n_legs = 1};
        const struct {
                struct dm_info dm;
                const char *reason;
        } cases[] = {
                        {{.has_table = true, .tables_known = true, .segments = &linear, .n_segments = 1}, NULL},
                        {{.has_table = false, .tables_known = false}, NULL},
                        {{.has_table = true, .tables_known = true, .segments = &alive, .n_segments = 1}, NULL},
                        {{.has_table = true, .tables_known = true, .segments = &dead, .n_segments = 1},
                                        "vg0/lv0 has no paths"},
                        {{.has_table = true, .tables_known = true, .segments = &left, .n_segments = 1}, NULL},
                        {{.has_table = true, .tables_known = true, .segments = &lost, .n_segments = 1},
                                        "map vg0/lv0 has none of its 4 paths left"},
                        {{.has_table = false, .tables_known = true}, "vg0/lv0 has no table"},
                        {{.has_table = true, .tables_known = true, .segments = &reshaping, .n_segments = 1},
                                        "vg0/lv0 is being reshaped"},
                        {{.has_table = true, .tables_known = true, .segments = &degraded, .n_segments = 1},
                                        "vg0/lv0 is degraded (2 of 5 members missing)"},
                        {{.has_table = true, .tables_known = true, .segments = several, .n_segments = 4},
                                        "vg0/lv0 is being checked"},
                        {{.has_table = true, .tables_known = true, .segments = several, .n_segments = 2}, NULL},
                        {{.suspended = true, .has_table = true, .tables_known = true}, "vg0/lv0 is suspended"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct layer map = layer(2, "dm-2", KIND_DM_LINEAR);
                struct dm_info dm = cases[i].dm;

                map.label = "vg0/lv0";
                map.dm = &dm;
                assert_reason(&map, cases[i].reason);
        }
}

static void test_asleep(void **state) {
        struct layer sda = layer(0, "sda", KIND_DISK);

        assert_reason(&sda, NULL);
        sda.asleep = true;
        assert_reason(&sda, "sda is asleep");
}

/* These concern the layer that is read, not what lies beneath it. */
static void test_layer_itself(void **state) {
        static const struct {
                bool has_devno, hidden, not_ready, disabled;
                struct opt_int size;
                const char *reason;
        } cases[] = {
                        {true, false, false, false, {8, true}, NULL},
                        {false, false, false, false, {8, true}, "sda has no device node"},
                        {true, true, false, false, {8, true}, "sda has no device node"},
                        {true, false, true, false, {8, true}, "sda is not ready, udev says"},
                        {true, false, false, true, {8, true}, "sda is not ready, udev says"},
                        {true, false, false, false, {0, false}, "the size of sda is not known"},
                        {true, false, false, false, {0, true}, "the size of sda is not known"},
        };
        _cleanup_(arena_freep) struct arena *arena = arena_new();

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct layer sda = layer(0, "sda", KIND_DISK), top = layer(1, "dm-0", KIND_DM_LINEAR), *list[] = {&sda};
                const char *reason;

                sda.has_devno = cases[i].has_devno;
                sda.hidden = cases[i].hidden;
                sda.udev_not_ready = cases[i].not_ready;
                sda.udev_other_rules_disabled = cases[i].disabled;
                sda.size_sectors = cases[i].size;
                top.below = list;
                top.n_below = 1;
                reason = probe_guard_reason(&sda, arena);
                if (cases[i].reason)
                        assert_string_equal(reason, cases[i].reason);
                else
                        assert_null(reason);
                assert_null(probe_guard_reason(&top, arena));
        }
}

/* Sixty diamonds on end have 2^60 ways down; the array at the bottom is found all the same. */
static void test_diamonds(void **state) {
        static struct layer layers[DIAMONDS * 3 + 1];
        static struct layer *lists[DIAMONDS * 3 + 1][2];
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct md_info md = healthy();

        layers[0] = layer(0, "md0", KIND_MD_RAID5);
        layers[0].md = &md;
        for (size_t i = 0; i < DIAMONDS; i++) {
                size_t bottom = i * 3;

                for (size_t j = 1; j <= 3; j++) {
                        layers[bottom + j] = layer(bottom + j, "dm-1", KIND_DM_LINEAR);
                        layers[bottom + j].below = lists[bottom + j];
                        layers[bottom + j].n_below = j == 3 ? 2 : 1;
                        lists[bottom + j][0] = j == 3 ? &layers[bottom + 1] : &layers[bottom];
                }
                lists[bottom + 3][1] = &layers[bottom + 2];
        }
        assert_null(probe_guard_reason(&layers[DIAMONDS * 3], arena));
        md.degraded = opt_some(1);
        assert_string_equal(
                        probe_guard_reason(&layers[DIAMONDS * 3], arena), "md0 is degraded (1 of 4 members missing)");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_md),
                        cmocka_unit_test(test_dm),
                        cmocka_unit_test(test_asleep),
                        cmocka_unit_test(test_layer_itself),
                        cmocka_unit_test(test_diamonds),
        };

        return cmocka_run_group_tests_name("probe-guard", tests, NULL, NULL);
}
