/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <string.h>

#include "common/units.h"
#include "config/policy-match-describe.h"

#define TEXTS_MAX 12U /* listed; of more there is a "…" */

/* Texts, each once, to be listed with commas. */
struct texts {
        const char *items[TEXTS_MAX];
        size_t n;
        bool more;
};

/* NULL and "" are nothing. */
static void add_text(struct texts *texts, const char *text) {
        if (!text || !*text)
                return;
        for (size_t i = 0; i < texts->n; i++)
                if (strcmp(texts->items[i], text) == 0)
                        return;
        if (texts->n < TEXTS_MAX)
                texts->items[texts->n++] = text;
        else
                texts->more = true;
}

static const char *list_texts(const struct texts *texts, struct arena *arena) {
        const char *list = "";

        for (size_t i = 0; list && i < texts->n; i++)
                list = i == 0 ? texts->items[0] : arena_printf(arena, "%s, %s", list, texts->items[i]);
        return list && texts->more ? arena_printf(arena, "%s, …", list) : list;
}

const char *match_describe_device(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        for (size_t i = 0; i < subject->n_nodes; i++)
                add_text(&texts, subject->nodes[i]);
        for (size_t i = 0; i < subject->n_paths; i++)
                add_text(&texts, subject->paths[i]);
        return list_texts(&texts, arena);
}

const char *match_describe_name(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        for (size_t i = 0; i < subject->n_labels; i++)
                add_text(&texts, subject->labels[i]);
        return list_texts(&texts, arena);
}

const char *match_describe_vg(const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->layer->dm && subject->layer->dm->vg ? subject->layer->dm->vg : "";
}

const char *match_describe_lv(const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->lv ?: "";
}

const char *match_describe_kind(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return kind_name(subject->layer->kind);
}

/* The layers beneath by their names, the near ones first; a graph can be far larger than a list is of use. */
static void add_names_beneath(struct texts *texts, const struct layer *layer) {
        const struct layer *queue[TEXTS_MAX + 1] = {layer};
        size_t n = 1;

        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < queue[i]->n_below; j++) {
                        add_text(texts, queue[i]->below[j]->label);
                        if (n == ARRAY_SIZE(queue))
                                texts->more = true;
                        else
                                queue[n++] = queue[i]->below[j];
                }
}

const char *match_describe_over(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        if (term->patterns.n_items > 0)
                add_names_beneath(&texts, subject->layer);
        for (enum layer_kind kind = 0; kind < _KIND_MAX && (term->mask != 0 || term->patterns.n_items == 0); kind++)
                if (subject->kinds_beneath & UINT64_C(1) << kind)
                        add_text(&texts, kind_name(kind));
        return list_texts(&texts, arena);
}

const char *match_describe_uuid(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->layer->dm && subject->layer->dm->uuid ? subject->layer->dm->uuid : "";
}

const char *match_describe_serial(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        add_text(&texts, subject->layer->serial);
        add_text(&texts, subject->layer->serial_long);
        return list_texts(&texts, arena);
}

const char *match_describe_model(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->layer->model ?: "";
}

static const char *yes_or_no(bool yes) {
        return yes ? "true" : "false";
}

const char *match_describe_rotational(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->layer->rotational.known ? yes_or_no(subject->layer->rotational.value != 0) : "";
}

const char *match_describe_transport(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return subject->layer->transport ?: "";
}

const char *match_describe_size(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct opt_int size = subject->layer->size_sectors;
        char buffer[UNITS_BUFFER];

        if (!size.known || size.value < 0)
                return "";
        return arena_strdup(arena, units_format_sectors(buffer, (uint64_t)size.value));
}

const char *match_describe_filesystem(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        for (size_t i = 0; i < subject->layer->n_uses; i++)
                add_text(&texts, subject->layer->uses[i].fs);
        add_text(&texts, subject->layer->filesystem);
        return list_texts(&texts, arena);
}

const char *match_describe_mountpoint(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        for (size_t i = 0; i < subject->layer->n_uses; i++)
                add_text(&texts, subject->layer->uses[i].path);
        return list_texts(&texts, arena);
}

const char *match_describe_top(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return yes_or_no(subject->layer->top);
}

const char *match_describe_finding(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        struct texts texts = {};

        for (enum finding_code code = 0; code < _FINDING_CODE_MAX; code++)
                if (subject->findings & UINT64_C(1) << code)
                        add_text(&texts, finding_code_name(code));
        return list_texts(&texts, arena);
}

/* It fails where the whole of what it excludes holds: there is no one value. */
const char *match_describe_not(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena) {
        return "";
}
