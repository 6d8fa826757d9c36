/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/policy.h"

struct machine {
        struct topology *topology;
        struct arena *arena;
        struct finding findings[2];
};

static struct layer *add(
                struct topology *topology, const char *name, enum layer_kind kind, unsigned major, unsigned minor) {
        struct layer *layer;

        assert_int_equal(topology_add(topology, name, &layer), 0);
        layer->kind = kind;
        layer->has_devno = true;
        layer->major = major;
        layer->minor = minor;
        return layer;
}

static struct layer *add_map(
                struct topology *topology, const char *name, enum layer_kind kind, unsigned minor, struct dm_info dm) {
        struct layer *layer = add(topology, name, kind, 253, minor);

        layer->dm = arena_alloc(topology->arena, sizeof(*layer->dm));
        assert_non_null(layer->dm);
        *layer->dm = dm;
        return layer;
}

static void mount_layer(struct topology *topology, const struct layer *layer, const char *path, const char *fs) {
        struct mount mount = {.path = path, .fs = fs, .major = layer->major, .minor = layer->minor};

        assert_int_equal(topology_add_mount(topology, &mount), 0);
}

/*
 * sda (sda1) and sdb; md0 over both; vg0/root (dm-0) and vg0/data-1 (dm-1, its origin dm-2 "vg0/data-1-real") over md0;
 * luks (dm-3) over vg0/root; loop0 over dm-3; cciss/c0d0 by itself.
 */
static void build_layers(struct topology *t) {
        struct layer *sda = add(t, "sda", KIND_DISK, 8, 0), *sda1 = add(t, "sda1", KIND_PARTITION, 8, 1);
        struct layer *sdb = add(t, "sdb", KIND_DISK, 8, 16), *md0 = add(t, "md0", KIND_MD_RAID5, 9, 0);
        struct layer *loop0 = add(t, "loop0", KIND_LOOP, 7, 0);
        struct layer *root = add_map(t, "dm-0", KIND_DM_LINEAR, 0,
                        (struct dm_info){.name = "vg0-root", .uuid = "LVM-abc", .vg = "vg0", .lv = "root"});
        struct layer *data = add_map(t, "dm-1", KIND_DM_SNAPSHOT_ORIGIN, 1,
                        (struct dm_info){.name = "vg0-data--1", .uuid = "LVM-def", .vg = "vg0", .lv = "data-1"});
        struct layer *real = add_map(t, "dm-2", KIND_DM_LINEAR, 2,
                        (struct dm_info){.name = "vg0-data--1-real",
                                        .uuid = "LVM-def-real",
                                        .vg = "vg0",
                                        .lv = "data-1",
                                        .lvm_suffix = "real"});
        struct layer *luks = add_map(
                        t, "dm-3", KIND_DM_CRYPT, 3, (struct dm_info){.name = "my luks", .uuid = "CRYPT-LUKS2-1"});

        add(t, "cciss!c0d0", KIND_DISK, 104, 0);
        sda->serial = "S1";
        sda->serial_long = "Make_S1";
        sdb->serial_long = "Make_S2";
        sda->model = "Big Disk";
        sda->transport = "usb";
        sda->rotational = opt_some(1);
        sdb->rotational = opt_some(0);
        sda->size_sectors = opt_some(INT64_C(1) << 31);
        sdb->size_sectors = opt_some(INT64_C(1) << 30);
        root->filesystem = "crypto_LUKS";
        sda1->parent = sda;

        assert_int_equal(topology_link(t, md0, sda), 0);
        assert_int_equal(topology_link(t, md0, sdb), 0);
        assert_int_equal(topology_link(t, root, md0), 0);
        assert_int_equal(topology_link(t, real, md0), 0);
        assert_int_equal(topology_link(t, data, real), 0);
        assert_int_equal(topology_link(t, luks, root), 0);
        assert_int_equal(topology_link(t, loop0, luks), 0);
        mount_layer(t, luks, "/", "xfs");
        mount_layer(t, luks, "/srv/a b", "xfs");
        mount_layer(t, data, "/var/lib/mongodb", "ext4");
}

static int setup(void **state) {
        struct machine *m = calloc(1, sizeof(*m));

        assert_non_null(m);
        m->topology = topology_new();
        m->arena = arena_new();
        assert_non_null(m->topology);
        assert_non_null(m->arena);
        build_layers(m->topology);
        assert_int_equal(topology_finish(m->topology), 0);
        m->findings[0] = (struct finding){
                        .code = FINDING_IO_OPT_IMPLAUSIBLE, .layer = topology_find(m->topology, "sda")};
        m->findings[1] = (struct finding){.code = FINDING_ARRAY_DEGRADED, .layer = topology_find(m->topology, "md0")};
        *state = m;
        return 0;
}

static int teardown(void **state) {
        struct machine *m = *state;

        arena_free(m->arena);
        topology_free(m->topology);
        free(m);
        return 0;
}

static struct policy *load(const char *text) {
        struct policy_errors errors = {0};
        struct policy *policy = NULL;

        if (policy_load_text("p", text, strlen(text), &policy, &errors) < 0)
                fail_msg("%s: %s", text, errors.items[0].text);
        return policy;
}

static struct verdict *match_all(struct machine *m, const struct policy *policy) {
        const struct findings findings = {.items = m->findings, .n_items = 2};
        struct verdict *verdicts;

        assert_int_equal(policy_match(policy, m->topology, &findings, m->arena, &verdicts), 0);
        return verdicts;
}

/* The kernel names of the layers that a rule has won, in a fixed order. */
static const char *winners(struct machine *m, const struct verdict *verdicts, char *buffer, size_t size) {
        static const char *const order[] = {
                        "sda", "sda1", "sdb", "md0", "dm-0", "dm-1", "dm-2", "dm-3", "loop0", "cciss/c0d0"};

        assert_int_equal(m->topology->n_layers, ARRAY_SIZE(order));
        buffer[0] = '\0';
        for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
                size_t n = strlen(buffer);

                if (verdicts[topology_find(m->topology, order[i])->index].rule)
                        snprintf(buffer + n, size - n, "%s%s", n > 0 ? " " : "", order[i]);
        }
        return buffer;
}

static const struct {
        const char *match, *layers;
        bool names;
} cases[] = {
                /* device */
                {"device: sda", "sda", true},
                {"device: /dev/sda", "sda", true},
                {"device: '8:0'", "sda", true},
                {"device: '8:*'", "sda sda1 sdb", true},
                {"device: sda*", "sda sda1", true},
                {"device: /dev/sda?", "sda1", true},
                {"device: [dm-0, sdb, sdc]", "sdb dm-0", true},
                {"device: vg0/root", "dm-0", true},
                {"device: /dev/vg0/root", "dm-0", true},
                {"device: /dev/mapper/vg0-data--1", "dm-1", true},
                {"device: '/dev/mapper/*'", "dm-0 dm-1 dm-2 dm-3", true},
                {"device: '/dev/mapper/my luks'", "dm-3", true},
                {"device: vg0-root", "", true},
                {"device: 'vg*'", "", true},
                {"device: 'vg0/*'", "dm-0 dm-1 dm-2", true},
                {"device: [cciss/c0d0]", "cciss/c0d0", true},
                {"device: 'cciss!c0d0'", "cciss/c0d0", true},
                {"device: /dev/cciss/c0d0", "cciss/c0d0", true},
                /* name */
                {"name: vg0/root", "dm-0", true},
                {"name: vg0-root", "dm-0", true},
                {"name: dm-0", "dm-0", true},
                {"name: 'vg0/*'", "dm-0 dm-1 dm-2", true},
                {"name: md0", "md0", true},
                {"name: my*", "dm-3", true},
                {"name: /dev/sda", "", true},
                /* LVM */
                {"vg: vg0", "dm-0 dm-1 dm-2", false},
                {"vg: vg", "", false},
                {"lv: root", "dm-0", true},
                {"lv: data-1", "dm-1", true},
                {"lv: data-1-real", "dm-2", true},
                {"vg: vg0, lv: [root, 'data*']", "dm-0 dm-1 dm-2", true},
                {"vg: vg1, lv: root", "", true},
                {"uuid: LVM-*", "dm-0 dm-1 dm-2", true},
                {"uuid: CRYPT-LUKS2-1", "dm-3", true},
                /* kinds */
                {"kind: md", "md0", false},
                {"kind: dm", "dm-0 dm-1 dm-2 dm-3", false},
                {"kind: [dm-linear, loop]", "dm-0 dm-2 loop0", false},
                {"kind: '*raid[456]'", "md0", false},
                {"kind: '*'", "sda sda1 sdb md0 dm-0 dm-1 dm-2 dm-3 loop0 cciss/c0d0", false},
                {"over: md", "dm-0 dm-1 dm-2 dm-3 loop0", false},
                {"over: [md-raid5, md-raid6]", "dm-0 dm-1 dm-2 dm-3 loop0", false},
                {"over: md-raid0", "", false},
                {"over: dm-crypt", "loop0", false},
                {"over: dm", "dm-1 dm-3 loop0", false},
                {"over: disk", "sda1 md0 dm-0 dm-1 dm-2 dm-3 loop0", false},
                {"kind: dm-*, over: md", "dm-0 dm-1 dm-2 dm-3", false},
                {"over: md0", "dm-0 dm-1 dm-2 dm-3 loop0", false},
                {"over: vg0/root", "dm-3 loop0", false},
                {"over: vg0-root", "dm-3 loop0", false},
                {"over: /dev/mapper/vg0-root", "dm-3 loop0", false},
                {"over: ['253:2', dm-3]", "dm-1 loop0", false},
                {"over: [dm-9, md-raid1]", "", false},
                {"over: sdb", "md0 dm-0 dm-1 dm-2 dm-3 loop0", false},
                {"over: [dm-3, dm-thin]", "loop0", false},
                /* the rest */
                {"serial: S1", "sda", false},
                {"serial: Make_S1", "sda", false},
                {"serial: [S2, '*_S2']", "sdb", false},
                {"kind: disk, not: {serial: Make_S1}", "sdb cciss/c0d0", false},
                {"model: Big*", "sda", false},
                {"transport: [usb, ata]", "sda", false},
                {"rotational: true", "sda", false},
                {"rotational: false", "sdb", false},
                {"size: '>= 1TiB'", "sda", false},
                {"size: '< 1TiB'", "sdb", false},
                {"size: ['< 1GiB', '= 1TiB']", "sda", false},
                {"filesystem: xfs", "dm-3", false},
                {"filesystem: [crypto*, ext4]", "dm-0 dm-1", false},
                {"mountpoint: /", "dm-3", false},
                {"mountpoint: '/srv/a b'", "dm-3", false},
                {"mountpoint: [/var/lib/mongo*, /var/lib/postgresql*]", "dm-1", false},
                {"mountpoint: /var", "", false},
                {"top: true", "sda1 dm-1 dm-3 loop0 cciss/c0d0", false},
                {"top: false", "sda sdb md0 dm-0 dm-2", false},
                {"finding: io-opt-implausible", "sda", false},
                {"finding: [io-opt-implausible, array-degraded]", "sda md0", false},
                {"finding: suspended", "", false},
                /* not */
                {"not: {kind: dm}", "sda sda1 sdb md0 loop0 cciss/c0d0", false},
                {"kind: dm, not: {name: vg0/root}", "dm-1 dm-2 dm-3", false},
                {"kind: dm, not: {vg: vg0, lv: root}", "dm-1 dm-2 dm-3", false},
                {"kind: dm, not: [{lv: root}, {mountpoint: /}]", "dm-1 dm-2", false},
                {"kind: dm, not: {not: {lv: root}}", "dm-0", false},
                {"kind: disk, not: {rotational: true}", "sdb cciss/c0d0", false},
};

static void test_keys(void **state) {
        struct machine *m = *state;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[256], found[256];
                _cleanup_(policy_freep) struct policy *policy = NULL;
                struct verdict *verdicts;

                snprintf(text, sizeof(text), "version: 1\nrules: [{name: r, match: {%s}, readahead: auto}]\n",
                                cases[i].match);
                policy = load(text);
                verdicts = match_all(m, policy);
                if (strcmp(winners(m, verdicts, found, sizeof(found)), cases[i].layers) != 0)
                        fail_msg("%s: \"%s\", not \"%s\"", cases[i].match, found, cases[i].layers);
                for (size_t j = 0; j < m->topology->n_layers; j++) {
                        if (verdicts[j].names_layer != (verdicts[j].rule && cases[i].names))
                                fail_msg("%s: names_layer of %s", cases[i].match, m->topology->layers[j]->name);
                        assert_true(!verdicts[j].rule == !verdicts[j].action);
                }
        }
}

/* Of clauses that hold, one that names the layer counts. */
static void test_clauses(void **state) {
        struct machine *m = *state;
        _cleanup_(policy_freep) struct policy *policy =
                        load("version: 1\nrules:\n  - match: [{lv: root}, {kind: dm-linear}]\n    readahead: auto\n");
        struct verdict *verdicts = match_all(m, policy);
        char found[256];

        assert_string_equal(winners(m, verdicts, found, sizeof(found)), "dm-0 dm-2");
        assert_true(verdicts[topology_find(m->topology, "dm-0")->index].names_layer);
        assert_false(verdicts[topology_find(m->topology, "dm-2")->index].names_layer);
}

static void test_first_rule_wins(void **state) {
        struct machine *m = *state;
        _cleanup_(policy_freep) struct policy *policy = load("version: 1\n"
                                                             "rules:\n"
                                                             "  - {name: first, match: {lv: root}, readahead: 32s}\n"
                                                             "  - {name: second, match: {vg: vg0}, readahead: keep}\n"
                                                             "  - {name: third, match: {kind: dm}, readahead: auto}\n");
        struct verdict *verdicts = match_all(m, policy);
        const struct verdict *root = &verdicts[topology_find(m->topology, "dm-0")->index];
        const struct verdict *data = &verdicts[topology_find(m->topology, "dm-1")->index];
        const struct verdict *luks = &verdicts[topology_find(m->topology, "dm-3")->index];
        const struct verdict *disk = &verdicts[topology_find(m->topology, "sda")->index];

        assert_string_equal(root->rule, "first");
        assert_int_equal(root->action->readahead.sectors, 32);
        assert_string_equal(data->rule, "second");
        assert_int_equal(data->action->readahead.mode, READAHEAD_KEEP);
        assert_string_equal(luks->rule, "third");
        assert_null(disk->rule);
        assert_null(disk->action);
}

static void test_empty(void **state) {
        struct machine *m = *state;
        _cleanup_(policy_freep) struct policy *none = load("version: 1\nrules: []\n");
        _cleanup_(policy_freep) struct policy *findings =
                        load("version: 1\nrules: [{match: {finding: cycle}, readahead: auto}]\n");
        _cleanup_(topology_freep) struct topology *nothing = topology_new();
        struct verdict *verdicts = match_all(m, none);
        char found[256];

        assert_string_equal(winners(m, verdicts, found, sizeof(found)), "");

        assert_int_equal(policy_match(findings, m->topology, NULL, m->arena, &verdicts), 0);
        assert_string_equal(winners(m, verdicts, found, sizeof(found)), "");

        assert_non_null(nothing);
        assert_int_equal(policy_match(findings, nothing, NULL, m->arena, &verdicts), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_clauses, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_first_rule_wins, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
