/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/json.h"
#include "common/cleanup.h"

/* Three layers made by hand: disk "sda", array "md0" over it, map "dm-0" over that. */
struct stack {
        struct layer layers[3];
        struct layer *all[3], *below_md[1], *below_dm[1], *above_disk[1], *above_md[1];
        const struct layer *from[1];
        struct topology topology;
        struct md_member members[2];
        struct md_info md;
        struct use uses[2];
        struct geometry geometry[3];
        struct finding finding;
        struct decision decisions[3];
        struct survey survey;
};

static void link_layers(struct stack *s) {
        struct layer *disk = &s->layers[0], *md = &s->layers[1], *dm = &s->layers[2];

        s->below_md[0] = disk;
        s->below_dm[0] = md;
        s->above_disk[0] = md;
        s->above_md[0] = dm;
        disk->above = s->above_disk;
        md->below = s->below_md;
        md->above = s->above_md;
        dm->below = s->below_dm;
        disk->n_above = md->n_below = md->n_above = dm->n_below = 1;
        for (size_t i = 0; i < 3; i++) {
                s->layers[i].index = i;
                s->all[i] = &s->layers[i];
                s->decisions[i] = (struct decision){.layer = &s->layers[i], .action = ACTION_IGNORE};
        }
        s->topology.layers = s->all;
        s->topology.n_layers = 3;
}

static void fill_layers(struct stack *s) {
        s->members[0] = (struct md_member){
                        .name = "sda", .slot = 2, .states = MD_MEMBER_IN_SYNC | MD_MEMBER_WRITE_MOSTLY};
        s->members[1] = (struct md_member){.name = "sdb", .slot = -1, .states = MD_MEMBER_SPARE};
        s->md = (struct md_info){.level = "raid5", .members = s->members, .n_members = 2};
        s->layers[0] = (struct layer){.name = "sda", .sysname = "sda", .label = "sda", .kind = KIND_DISK};
        s->layers[1] = (struct layer){.name = "md0",
                        .sysname = "md0",
                        .label = "md0",
                        .kind = KIND_MD_RAID5,
                        .has_devno = true,
                        .major = 9,
                        .readahead_sectors = opt_some(7168),
                        .md = &s->md};
        s->uses[0] = (struct use){.type = USE_MOUNT, .path = "/srv", .fs = "xfs"};
        s->uses[1] = (struct use){.type = USE_SWAP};
        s->layers[2] = (struct layer){.name = "dm-0",
                        .sysname = "dm-0",
                        .label = "vg0/data",
                        .kind = KIND_DM_LINEAR,
                        .has_devno = true,
                        .major = 253,
                        .minor = 3,
                        .size_sectors = opt_some(1000),
                        .readahead_sectors = opt_some(256),
                        .io_min_bytes = opt_some(262144),
                        .io_opt_bytes = opt_some(0),
                        .alignment_offset_bytes = opt_some(-1),
                        .uses = s->uses,
                        .n_uses = 2,
                        .top = true};
}

static void make_stack(struct stack *s) {
        memset(s, 0, sizeof(*s));
        fill_layers(s);
        link_layers(s);
        s->from[0] = &s->layers[1];
        s->geometry[2] = (struct geometry){.known = true,
                        .chunk_bytes = 262144,
                        .data_disks = 7,
                        .stripe_bytes = 1835008,
                        .from = s->from,
                        .n_from = 1};
        s->finding = (struct finding){.code = FINDING_READAHEAD_BELOW_ARRAY,
                        .severity = SEVERITY_WARNING,
                        .layer = &s->layers[2],
                        .text = "256 is less"};
        s->decisions[2] = (struct decision){.layer = &s->layers[2],
                        .action = ACTION_RAISE,
                        .target.sectors = opt_some(7168),
                        .rule = "stacks",
                        .reason = "2 × stripe"};
        s->survey = (struct survey){.topology = &s->topology,
                        .geometry = s->geometry,
                        .findings = {.items = &s->finding, .n_items = 1},
                        .plan = {.decisions = s->decisions, .n_decisions = 3, .n_changes = 1}};
}

static json_t *layer_of(json_t *document, size_t i) {
        return json_array_get(json_object_get(document, "layers"), i);
}

/* The text of a value as it is printed, in BUFFER. */
static const char *printed(char *buffer, size_t size, const json_t *value) {
        size_t n = json_dumpb(value, buffer, size - 1, JSON_COMPACT | JSON_ENCODE_ANY);

        assert_true(n < size);
        buffer[n] = '\0';
        return buffer;
}

static void assert_member(json_t *object, const char *key, const char *expected) {
        char buffer[1024];
        json_t *value = json_object_get(object, key);

        if (!value)
                fail_msg("no member %s", key);
        assert_string_equal(printed(buffer, sizeof(buffer), value), expected);
}

static void assert_keys(json_t *object, const char *const *keys, size_t n) {
        const char *key;
        json_t *value;
        size_t i = 0;

        json_object_foreach(object, key, value) {
                assert_true(i < n);
                assert_string_equal(key, keys[i++]);
        }
        assert_int_equal(i, n);
}

static void test_layer_members_in_order(void **state) {
        static const char *const keys[] = {"name", "label", "kind", "devno", "size_sectors", "below", "above", "top",
                        "use", "readahead_sectors", "target_sectors", "geometry", "io_min_bytes", "io_opt_bytes",
                        "alignment_offset", "action", "rule", "reason", "findings", "members"};
        struct stack s;

        make_stack(&s);
        _cleanup_(json_decrefp) json_t *document = json_scan(&s.survey);
        assert_member(document, "version", "1");
        assert_int_equal(json_array_size(json_object_get(document, "layers")), 3);
        for (size_t i = 0; i < 3; i++)
                assert_keys(layer_of(document, i), keys, ARRAY_SIZE(keys));
}

static void test_layer_values(void **state) {
        static const struct {
                size_t layer;
                const char *key, *expected;
        } cases[] = {
                        {2, "name", "\"dm-0\""},
                        {2, "label", "\"vg0/data\""},
                        {2, "kind", "\"dm-linear\""},
                        {2, "devno", "\"253:3\""},
                        {2, "size_sectors", "1000"},
                        {2, "below", "[\"md0\"]"},
                        {2, "above", "[]"},
                        {2, "top", "true"},
                        {2, "use",
                                        "[{\"type\":\"mount\",\"path\":\"/srv\",\"fs\":\"xfs\"},"
                                        "{\"type\":\"swap\",\"path\":null,\"fs\":null}]"},
                        {2, "readahead_sectors", "256"},
                        {2, "target_sectors", "7168"},
                        {2, "geometry",
                                        "{\"chunk_bytes\":262144,\"data_disks\":7,\"stripe_bytes\":1835008,"
                                        "\"from\":[\"md0\"]}"},
                        {2, "io_opt_bytes", "0"},
                        {2, "alignment_offset", "-1"},
                        {2, "action", "\"raise\""},
                        {2, "rule", "\"stacks\""},
                        {2, "reason", "\"2 × stripe\""},
                        {2, "findings",
                                        "[{\"code\":\"readahead-below-array\",\"severity\":\"warning\","
                                        "\"text\":\"256 is less\"}]"},
                        {2, "members", "null"},
                        {1, "above", "[\"dm-0\"]"},
                        {1, "members",
                                        "[{\"name\":\"sda\",\"slot\":2,\"states\":[\"in_sync\",\"write_mostly\"]},"
                                        "{\"name\":\"sdb\",\"slot\":null,\"states\":[\"spare\"]}]"},
                        {1, "findings", "[]"},
                        /* Unknown is null, never 0. */
                        {0, "devno", "null"},
                        {0, "size_sectors", "null"},
                        {0, "readahead_sectors", "null"},
                        {0, "target_sectors", "null"},
                        {0, "geometry", "null"},
                        {0, "io_min_bytes", "null"},
                        {0, "io_opt_bytes", "null"},
                        {0, "alignment_offset", "null"},
                        {0, "action", "\"ignore\""},
                        {0, "rule", "null"},
                        {0, "reason", "null"},
                        {0, "top", "false"},
        };
        struct stack s;

        make_stack(&s);
        _cleanup_(json_decrefp) json_t *document = json_scan(&s.survey);
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_member(layer_of(document, cases[i].layer), cases[i].key, cases[i].expected);
}

static void test_chunks_that_differ(void **state) {
        struct stack s;

        make_stack(&s);
        s.geometry[2].chunk_bytes = 0;
        _cleanup_(json_decrefp) json_t *document = json_scan(&s.survey);
        assert_member(json_object_get(layer_of(document, 2), "geometry"), "chunk_bytes", "null");
        assert_member(json_object_get(layer_of(document, 2), "geometry"), "stripe_bytes", "1835008");
}

static void test_hostile_names(void **state) {
        struct stack s;

        make_stack(&s);
        s.layers[2].label = "\xff\"\x1b[2J\n\xc3\xa9\xed\xa0\x80";
        s.uses[0].path = "/\xf0\x9f";
        s.finding.text = "\xc0\x80";
        _cleanup_(json_decrefp) json_t *document = json_scan(&s.survey);
        assert_non_null(document);
        assert_string_equal(json_string_value(json_object_get(layer_of(document, 2), "label")),
                        "\\xff\"\x1b[2J\n\xc3\xa9\\xed\\xa0\\x80");

        _cleanup_(freep) char *text = json_dumps(document, 0);
        _cleanup_(json_decrefp) json_t *again = json_loads(text, 0, NULL);
        assert_true(json_equal(document, again));
}

static void test_no_layers(void **state) {
        char buffer[64];
        struct topology topology = {};
        struct survey survey = {.topology = &topology};
        _cleanup_(json_decrefp) json_t *scan = json_scan(&survey);
        _cleanup_(json_decrefp) json_t *plan = json_plan(&survey);

        assert_string_equal(printed(buffer, sizeof(buffer), scan), "{\"version\":1,\"layers\":[]}");
        assert_string_equal(printed(buffer, sizeof(buffer), plan), "{\"version\":1,\"changes\":[],\"held\":[]}");
}

static void test_plan(void **state) {
        static const char *const change_keys[] = {"name", "label", "from_sectors", "to_sectors", "rule", "reason"};
        struct stack s;

        make_stack(&s);
        s.decisions[1] = (struct decision){.layer = &s.layers[1], .action = ACTION_HOLD, .reason = "reshape"};
        _cleanup_(json_decrefp) json_t *document = json_plan(&s.survey);
        json_t *changes = json_object_get(document, "changes");

        assert_member(document, "version", "1");
        assert_int_equal(json_array_size(changes), 1);
        assert_keys(json_array_get(changes, 0), change_keys, ARRAY_SIZE(change_keys));
        assert_member(document, "changes",
                        "[{\"name\":\"dm-0\",\"label\":\"vg0/data\",\"from_sectors\":256,\"to_sectors\":7168,"
                        "\"rule\":\"stacks\",\"reason\":\"2 × stripe\"}]");
        assert_member(document, "held", "[{\"name\":\"md0\",\"label\":\"md0\",\"reason\":\"reshape\"}]");
}

static void test_print(void **state) {
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        assert_int_equal(json_print(stream, json_pack("{s:i}", "version", 1)), 0);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, "{\n  \"version\": 1\n}\n");
        assert_int_not_equal(json_print(stdout, NULL), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_layer_members_in_order),
                        cmocka_unit_test(test_layer_values),
                        cmocka_unit_test(test_chunks_that_differ),
                        cmocka_unit_test(test_hostile_names),
                        cmocka_unit_test(test_no_layers),
                        cmocka_unit_test(test_plan),
                        cmocka_unit_test(test_print),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
