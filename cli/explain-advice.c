/* SPDX-License-Identifier: MIT */

/* What to type: a rule for just this layer that loads and wins as it stands, and what puts it in force. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/explain.h"
#include "cli/match-text.h"
#include "common/layer.h"
#include "common/plan-reason.h"
#include "config/policy-value.h"

#define LOCAL_FILE "10-local.yaml"

static int add_advice(struct explanation *e, const char *purpose, const char *text) {
        if (!purpose || !text)
                return -ENOMEM;
        e->advice[e->n_advice++] = (struct explain_advice){.purpose = purpose, .text = text};
        return 0;
}

/* The rule that keeps a layer that would be changed, or has one changed that would not be. */
static const char *format_rule(
                const struct explanation *e, const struct layer *layer, const char **ret_purpose, struct arena *arena) {
        const struct decision *decision = &e->survey->plan.decisions[layer->index];
        enum plan_action action = decision->action;
        int64_t now = layer->readahead_sectors.value;
        int64_t number = now > 0 && now <= (int64_t)VALUE_SECTORS_MAX ? now : (int64_t)READAHEAD_FLOOR_SECTORS;

        if (decision_is_change(decision) || action == ACTION_HOLD) {
                *ret_purpose = arena_printf(arena, "To keep %s as it is", layer->label);
                return "readahead: keep";
        }
        *ret_purpose = arena_printf(
                        arena, "To set %s to a number of your own, here %" PRId64 " sectors", layer->label, number);
        return arena_printf(arena, "readahead: %" PRId64 "s\n    direction: both", number);
}

/* Where a rule is to stand so that it comes before the one that wins now. */
struct place {
        const char *text;
        bool in_file; /* one that has rules already */
};

static struct place find_place(const struct policy_step *winner, const char *policy_file, struct arena *arena) {
        const char *slash = winner ? strrchr(winner->file, '/') : NULL;

        if (policy_file && !winner)
                return (struct place){arena_printf(arena, "put into %s, first of its rules", policy_file), true};
        if (policy_file || (slash && strcmp(slash + 1, LOCAL_FILE) <= 0))
                return (struct place){
                                arena_printf(arena, "put into %s, above line %u", winner->file, winner->line), true};
        return (struct place){"put into " POLICY_DIRECTORY_LOCAL "/" LOCAL_FILE ", first of its rules", false};
}

/* A partition has no readahead of its own. */
static int add_disk(struct explanation *e, struct arena *arena) {
        const struct layer *disk = e->layer->parent;

        if (!disk)
                return 0;
        return add_advice(e, arena_printf(arena, "To see what comes of %s, whose number it has:", disk->label),
                        arena_printf(arena, "setractl explain %s", disk->name));
}

/* Where a readahead of the layer's own has an effect on anything. */
static bool has_effect(const struct layer *layer) {
        bool swap_only = layer->n_uses == 1 && layer_is_swap(layer);

        return !layer->hidden && layer->has_devno && layer->readahead_sectors.known &&
               layer->kind != KIND_MD_CONTAINER && !swap_only && !layer_reads_past_device(layer, NULL);
}

static int add_rule(struct explanation *e, const char *policy_file, struct arena *arena) {
        const struct layer *layer = e->layer;
        const char *purpose, *setting, *match;
        struct place place;

        if (!has_effect(layer))
                return 0;
        setting = format_rule(e, layer, &purpose, arena);
        match = match_text(layer, e->survey->topology, arena);
        place = find_place(policy_trace_winner(e->trace), policy_file, arena);
        if (!setting || !purpose || !match || !place.text)
                return -ENOMEM;
        return add_advice(e, arena_printf(arena, "%s, %s:", purpose, place.text),
                        arena_printf(arena, "%s  - name: my rule for %s\n    match: {%s}\n    %s",
                                        place.in_file ? "" : "version: 1\nrules:\n",
                                        match_rule_name(layer, e->survey->topology), match, setting));
}

/* A file that was given is not the service's. */
static int add_reload(struct explanation *e, const char *policy_file, struct arena *arena) {
        if (policy_file)
                return add_advice(e, "Then look whether that is right:",
                                arena_printf(arena, "setractl plan --policy %s", policy_file));
        return add_advice(e, "Then look whether that is right, and put it in force:",
                        "setractl plan\nsystemctl reload setrad");
}

/* The kernel's list of arrays lacks those of device-mapper. */
static int add_progress(struct explanation *e) {
        const struct layer *array = plan_find_reshaping(e->survey->geometry, e->layer);

        return add_advice(e, "To see how far the reshape is:",
                        array && array->dm ? "dmsetup status --target raid" : "cat /proc/mdstat");
}

int explain_advice(struct explanation *e, const char *policy_file, struct arena *arena) {
        size_t n_before;
        int r = 0;

        if (e->layer->kind == KIND_PARTITION)
                return add_disk(e, arena);
        if (decision_is_change(e->decision))
                r = add_advice(e, "To have it done now, with all else that setractl plan shows:", "setractl apply");
        else if (e->decision->action == ACTION_HOLD && e->survey->geometry[e->layer->index].reshaping)
                r = add_progress(e);
        if (r < 0)
                return r;
        n_before = e->n_advice;
        r = add_rule(e, policy_file, arena);
        if (r < 0 || e->n_advice == n_before)
                return r;
        return add_reload(e, policy_file, arena);
}
