/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/dmtable.h"
#include "common/mdattr.h"
#include "tests/support/stack.h"

#define WORDS_MAX 256

#define MAJOR_PLAIN 8U
#define MAJOR_MD    9U
#define MAJOR_DM    253U

struct statement {
        char *words[WORDS_MAX];
        size_t n_words;
};

static void check(bool ok, const char *what, const char *where) {
        if (ok)
                return;
        fprintf(stderr, "test stack: %s: %s\n", what, where);
        abort();
}

static bool is(const char *a, const char *b) {
        return strcmp(a, b) == 0;
}

uint64_t stack_number(const char *text) {
        char *end;
        uint64_t value = strtoull(text, &end, 10);
        const char *unit = *end ? strchr("KMGT", *end) : "";

        check(end > text && unit && (!*end || !end[1]), "no number", text);
        return *end ? value << (10 * (unit - "KMGT" + 1)) : value;
}

static struct opt_int number_or_unknown(const char *text) {
        if (is(text, "?"))
                return (struct opt_int){0};
        if (*text == '-')
                return opt_some(-(int64_t)stack_number(text + 1));
        return opt_some((int64_t)stack_number(text));
}

static struct layer *find(const struct topology *topology, const char *name) {
        struct layer *layer = topology_find(topology, name);

        check(layer, "no such layer", name);
        return layer;
}

struct layer *stack_layer(const struct stack *stack, const char *name) {
        return find(stack->topology, name);
}

const struct geometry *stack_geometry(const struct stack *stack, const char *name) {
        return &stack->geometry[stack_layer(stack, name)->index];
}

static struct layer *add(struct topology *topology, const char *name, enum layer_kind kind, unsigned major) {
        struct layer *layer;

        check(topology_add(topology, name, &layer) == 0, "topology_add", name);
        layer->kind = kind;
        layer->has_devno = true;
        layer->major = major;
        layer->minor = (unsigned)layer->index;
        layer->size_sectors = opt_some(INT64_C(1) << 31);
        layer->readahead_sectors = opt_some(256);
        layer->io_min_bytes = layer->physical_block_bytes = opt_some(512);
        layer->io_opt_bytes = layer->alignment_offset_bytes = opt_some(0);
        return layer;
}

static void *allocate(struct topology *topology, size_t count, size_t size) {
        void *p = arena_alloc_array(topology->arena, count, size);

        check(p, "no memory", "");
        return p;
}

static void add_map(struct topology *topology, const char *name) {
        struct layer *layer = add(topology, name, KIND_DM_UNKNOWN, MAJOR_DM);

        layer->dm = allocate(topology, 1, sizeof(*layer->dm));
        layer->dm->name = layer->name;
        layer->dm->uuid = "";
        layer->dm->tables_known = true;
}

/* First pass: all layers, so that they can refer to each other. */
static void declare(struct topology *topology, const struct statement *s) {
        const char *verb = s->words[0];

        if (is(verb, "disk"))
                for (size_t i = 1; i < s->n_words; i++)
                        add(topology, s->words[i], KIND_DISK, MAJOR_PLAIN);
        else if (is(verb, "part"))
                add(topology, s->words[1], KIND_PARTITION, MAJOR_PLAIN);
        else if (is(verb, "loop"))
                add(topology, s->words[1], KIND_LOOP, MAJOR_PLAIN);
        else if (is(verb, "other"))
                add(topology, s->words[1], kind_from_name(s->words[2]), MAJOR_PLAIN);
        else if (is(verb, "md"))
                add(topology, s->words[1], KIND_MD_INACTIVE, MAJOR_MD);
        else if (is(verb, "map") && !topology_find(topology, s->words[1]))
                add_map(topology, s->words[1]);
}

static void fill_partition(struct topology *topology, const struct statement *s) {
        struct layer *layer = find(topology, s->words[1]);

        layer->parent = find(topology, s->words[2]);
        layer->start_sectors = opt_some((int64_t)stack_number(s->words[3]));
        layer->readahead_sectors = layer->parent->readahead_sectors;
}

static struct md_member member(const char *word, int slot) {
        const char *states = strchr(word, ':');
        struct md_member m = {.name = word, .slot = slot, .states = MD_MEMBER_IN_SYNC};

        if (states) {
                m.states = mdattr_parse_states(states + 1);
                check(m.states, "no states", word);
                if (m.states & (MD_MEMBER_SPARE | MD_MEMBER_FAULTY | MD_MEMBER_JOURNAL))
                        m.slot = -1;
        }
        return m;
}

static void fill_array(struct topology *topology, const struct statement *s) {
        struct layer *layer = find(topology, s->words[1]);
        struct md_info *md = allocate(topology, 1, sizeof(*md));
        int slot = 0, missing = 0;

        *md = (struct md_info){
                        .level = s->words[2],
                        .metadata = "1.2",
                        .array_state = "clean",
                        .chunk_bytes = opt_some((int64_t)stack_number(s->words[3])),
                        .layout = opt_some(is(s->words[2], "raid10") ? 0x102 : 0),
                        .members = allocate(topology, s->n_words, sizeof(*md->members)),
        };
        for (size_t i = 4; i < s->n_words; i++) {
                struct md_member m = member(s->words[i], slot);

                slot += m.slot >= 0;
                missing += is(m.name, "-");
                if (is(m.name, "-"))
                        continue;
                if (strchr(m.name, ':'))
                        m.name = arena_strndup(topology->arena, m.name, strcspn(m.name, ":"));
                md->members[md->n_members++] = m;
        }
        md->raid_disks = opt_some(slot);
        md->degraded = opt_some(missing);
        layer->md = md;
        layer->kind = mdattr_kind(md);
}

/* "linear md0 2048" → "9:3 2048" */
static const char *table_parameters(struct topology *topology, const struct statement *s) {
        const char *text = "";

        for (size_t i = 5; i < s->n_words; i++) {
                const struct layer *layer = topology_find(topology, s->words[i]);

                if (layer)
                        text = arena_printf(topology->arena, "%s %u:%u", text, layer->major, layer->minor);
                else
                        text = arena_printf(topology->arena, "%s %s", text, s->words[i]);
                check(text, "no memory", "");
        }
        return text;
}

static void fill_map(struct topology *topology, const struct statement *s) {
        struct dm_info *dm = find(topology, s->words[1])->dm;

        if (s->n_words == 2)
                return;
        check(s->n_words >= 5 && dm->n_segments < WORDS_MAX, "bad map", s->words[1]);
        if (!dm->segments)
                dm->segments = allocate(topology, WORDS_MAX, sizeof(*dm->segments));
        dm->has_table = true;
        check(dmtable_parse_target(topology->arena, stack_number(s->words[2]), stack_number(s->words[3]), s->words[4],
                              table_parameters(topology, s), &dm->segments[dm->n_segments++]) == 0,
                        "bad target", s->words[4]);
        find(topology, s->words[1])->kind = dmtable_kind(dm->segments, dm->n_segments);
}

static void fill_status(struct topology *topology, const struct statement *s) {
        struct dm_info *dm = find(topology, s->words[1])->dm;
        const char *text = "";

        for (size_t i = 2; i < s->n_words; i++) {
                text = arena_printf(topology->arena, "%s %s", text, s->words[i]);
                check(text, "no memory", "");
        }
        check(dm->n_segments > 0 && (dmtable_apply_raid_status(&dm->segments[0], text) == 0 ||
                                                    dmtable_apply_multipath_status(&dm->segments[0], text) == 0),
                        "bad status", s->words[1]);
}

static void fill_volume(struct topology *topology, const struct statement *s) {
        struct dm_info *dm = find(topology, s->words[1])->dm;
        char *slash = strchr(s->words[2], '/'), name[256] = "";
        size_t n = 0;

        for (const char *p = s->words[2]; *p && n < sizeof(name) - 2; p++) {
                name[n++] = p == slash ? '-' : *p;
                if (*p == '-')
                        name[n++] = '-';
        }
        dm->uuid = arena_printf(topology->arena, "LVM-%064zu%s%s", find(topology, s->words[1])->index,
                        s->n_words > 3 ? "-" : "", s->n_words > 3 ? s->words[3] : "");
        dm->name = arena_printf(
                        topology->arena, "%s%s%s", name, s->n_words > 3 ? "-" : "", s->n_words > 3 ? s->words[3] : "");
        check(dmname_split_lvm(topology->arena, dm->name, dm->uuid, &dm->vg, &dm->lv, &dm->lvm_suffix) == 0, "bad lv",
                        s->words[2]);
}

static const char *with_blanks(struct topology *topology, const char *text) {
        char *copy = arena_strdup(topology->arena, text), *end = copy;

        check(copy, "no memory", "");
        for (const char *p = copy; *p; p++) {
                bool blank = p[0] == '\\' && p[1] == 's';

                *end++ = blank ? ' ' : *p;
                p += blank;
        }
        *end = 0;
        return copy;
}

static void fill_below(struct topology *topology, const struct statement *s, size_t first) {
        struct layer *layer = find(topology, s->words[1]);

        for (size_t i = first; i < s->n_words; i++)
                check(topology_link(topology, layer, find(topology, s->words[i])) == 0, "topology_link", s->words[1]);
}

static bool set_flag(struct layer *layer, const char *key) {
        if (is(key, "reshape"))
                layer->md->reshaping = true;
        else if (is(key, "inactive"))
                layer->kind = KIND_MD_INACTIVE;
        else if (is(key, "container"))
                layer->kind = KIND_MD_CONTAINER;
        else if (is(key, "suspended"))
                layer->dm->suspended = true;
        else if (is(key, "no-tables"))
                layer->dm->tables_known = layer->dm->has_table = false;
        else if (is(key, "other-rules-off"))
                layer->udev_other_rules_disabled = true;
        else if (is(key, "not-ready"))
                layer->udev_not_ready = true;
        else if (is(key, "hidden"))
                layer->hidden = true;
        else if (is(key, "nodev"))
                layer->has_devno = false;
        else
                return false;
        return true;
}

static bool set_text(struct topology *topology, struct layer *layer, const char *key, const char *value) {
        if (is(key, "sync"))
                layer->md->sync_action = value;
        else if (is(key, "level"))
                layer->md->level = with_blanks(topology, value);
        else if (is(key, "state"))
                layer->md->array_state = is(value, "?") ? NULL : value;
        else if (is(key, "dmname"))
                layer->dm->name = value;
        else if (is(key, "uuid"))
                layer->dm->uuid = value;
        else
                return false;
        return true;
}

/* What setrad has on record. */
static bool set_record(struct topology *topology, struct layer *layer, const char *key, const char *value) {
        struct ledger_note *note;

        if (!is(key, "given"))
                return false;
        note = allocate(topology, 1, sizeof(*note));
        *note = (struct ledger_note){.sectors = stack_number(value), .rule = ""};
        layer->set = note;
        return true;
}

static struct opt_int *number_of(struct layer *layer, const char *key) {
        const struct {
                const char *key;
                struct opt_int *number;
        } numbers[] = {
                        {"ra", &layer->readahead_sectors},
                        {"min", &layer->io_min_bytes},
                        {"opt", &layer->io_opt_bytes},
                        {"pbs", &layer->physical_block_bytes},
                        {"align", &layer->alignment_offset_bytes},
                        {"size", &layer->size_sectors},
                        {"rot", &layer->rotational},
                        {"request", &layer->max_request_bytes},
                        {"layout", layer->md ? &layer->md->layout : NULL},
                        {"disks", layer->md ? &layer->md->raid_disks : NULL},
                        {"chunk", layer->md ? &layer->md->chunk_bytes : NULL},
                        {"old-disks", layer->md ? &layer->md->old.raid_disks : NULL},
                        {"old-chunk", layer->md ? &layer->md->old.chunk_bytes : NULL},
                        {"old-layout", layer->md ? &layer->md->old.layout : NULL},
                        {"synced", layer->md ? &layer->md->synced_sectors : NULL},
                        {"to-sync", layer->md ? &layer->md->sync_sectors : NULL},
                        {"degraded", layer->md ? &layer->md->degraded : NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                if (is(numbers[i].key, key))
                        return numbers[i].number;
        return NULL;
}

static void fill_settings(struct topology *topology, const struct statement *s) {
        struct layer *layer = find(topology, s->words[1]);

        for (size_t i = 2; i < s->n_words; i++) {
                char *key = s->words[i], *value = strchr(key, '=');

                if (!value) {
                        check(set_flag(layer, key), "no such flag", key);
                        continue;
                }
                *value++ = 0;
                if (set_text(topology, layer, key, value) || set_record(topology, layer, key, value))
                        continue;
                struct opt_int *number = number_of(layer, key);
                check(number, "no such key", key);
                *number = number_or_unknown(value);
        }
}

static void fill_mount(struct topology *topology, const struct statement *s) {
        const struct layer *layer = find(topology, s->words[1]);
        bool anonymous = is(s->words[3], "btrfs");
        const char *source = layer->dm ? arena_printf(topology->arena, "/dev/mapper/%s", layer->dm->name)
                                       : arena_printf(topology->arena, "/dev/%s", layer->name);
        struct mount mount = {
                        .path = with_blanks(topology, s->words[2]),
                        .fs = s->words[3],
                        .source = source,
                        .major = anonymous ? 0 : layer->major,
                        .minor = anonymous ? 40 : layer->minor,
        };

        check(topology_add_mount(topology, &mount) == 0, "topology_add_mount", s->words[2]);
}

static void fill_swap(struct topology *topology, const struct statement *s) {
        const char *path = arena_printf(topology->arena, "/dev/%s", find(topology, s->words[1])->name);

        check(path && topology_add_swap(topology, path) == 0, "topology_add_swap", s->words[1]);
}

/* Second pass: everything but the layers themselves. */
static void fill(struct topology *topology, const struct statement *s) {
        const char *verb = s->words[0];

        if (is(verb, "part"))
                fill_partition(topology, s);
        else if (is(verb, "md"))
                fill_array(topology, s);
        else if (is(verb, "map"))
                fill_map(topology, s);
        else if (is(verb, "status"))
                fill_status(topology, s);
        else if (is(verb, "lv"))
                fill_volume(topology, s);
        else if (is(verb, "loop"))
                find(topology, s->words[1])->backing_file = with_blanks(topology, s->words[2]);
        else if (is(verb, "other"))
                fill_below(topology, s, 3);
        else if (is(verb, "over"))
                fill_below(topology, s, 2);
        else if (is(verb, "backing"))
                find(topology, s->words[1])->backing = find(topology, s->words[2]);
        else if (is(verb, "set"))
                fill_settings(topology, s);
        else if (is(verb, "mount"))
                fill_mount(topology, s);
        else if (is(verb, "swap"))
                fill_swap(topology, s);
        else if (is(verb, "memory"))
                topology->memory_bytes = number_or_unknown(s->words[1]);
        else if (is(verb, "page"))
                topology->page_bytes = stack_number(s->words[1]);
        else
                check(is(verb, "disk"), "no such statement", verb);
}

static void split_words(char *text, struct statement *ret) {
        char *rest;

        *ret = (struct statement){};
        for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
                check(ret->n_words < WORDS_MAX - 1, "too many words", word);
                ret->words[ret->n_words++] = word;
        }
}

static void run_pass(
                struct topology *topology, const char *text, void (*run)(struct topology *, const struct statement *)) {
        char *copy = arena_strdup(topology->arena, text), *rest;
        struct statement s;

        check(copy, "no memory", "");
        for (char *line = strtok_r(copy, ";\n", &rest); line; line = strtok_r(NULL, ";\n", &rest)) {
                split_words(line, &s);
                if (s.n_words > 0)
                        run(topology, &s);
        }
}

/* A partition has its disk's limits and readahead. */
static void share_limits(struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                if (layer->parent)
                        layer->readahead_sectors = layer->parent->readahead_sectors;
        }
}

static void work_out(struct stack *stack) {
        check(topology_finish(stack->topology) == 0, "topology_finish", "");
        check(geometry_compute(stack->topology, stack->arena, &stack->geometry) == 0, "geometry_compute", "");
        check(findings_compute(stack->topology, stack->geometry, stack->arena, &stack->findings) == 0,
                        "findings_compute", "");
}

static struct stack *stack_new(const char *text) {
        struct stack *stack = calloc(1, sizeof(*stack));

        check(stack, "no memory", "");
        stack->topology = topology_new();
        stack->arena = arena_new();
        check(stack->topology && stack->arena, "no memory", "");
        run_pass(stack->topology, text, declare);
        run_pass(stack->topology, text, fill);
        share_limits(stack->topology);
        return stack;
}

struct stack *stack_build(const char *text) {
        struct stack *stack = stack_new(text);

        work_out(stack);
        return stack;
}

struct stack *stack_build_chain(const char *bottom_text, const char *bottom, size_t length) {
        struct stack *stack = stack_new(bottom_text);
        struct layer *below = stack_layer(stack, bottom);

        /* By hand: the text of so long a chain would cost more than the chain. */
        for (size_t i = 0; i < length; i++) {
                const char *name = arena_printf(stack->arena, "dm-%zu", i);
                struct layer *layer;

                add_map(stack->topology, name);
                layer = find(stack->topology, name);
                layer->kind = KIND_DM_LINEAR;
                layer->dm->has_table = true;
                layer->dm->n_segments = 1;
                layer->dm->segments = allocate(stack->topology, 1, sizeof(*layer->dm->segments));
                layer->dm->segments[0] = (struct dm_segment){
                                .length_sectors = 1024, .target = "linear", .kind = KIND_DM_LINEAR, .n_legs = 1};
                layer->dm->segments[0].legs = allocate(stack->topology, 1, sizeof(struct dm_leg));
                layer->dm->segments[0].legs[0] = (struct dm_leg){.major = below->major, .minor = below->minor};
                below = layer;
        }
        work_out(stack);
        return stack;
}

void stack_free(struct stack *stack) {
        if (!stack)
                return;
        topology_free(stack->topology);
        arena_free(stack->arena);
        free(stack);
}
