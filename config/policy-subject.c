/* SPDX-License-Identifier: MIT */

/* What of each layer is compared, worked out once for all rules. */

#include <errno.h>
#include <string.h>

#include "config/policy-match.h"

static bool add_text(const char **texts, size_t *n_texts, const char *text) {
        if (!text)
                return false;
        for (size_t i = 0; i < *n_texts; i++)
                if (strcmp(texts[i], text) == 0)
                        return true;
        texts[(*n_texts)++] = text;
        return true;
}

/* The LV's own name, by which people know it. Its private volumes have names of their own ("lv-real"). */
static const char *lv_name(const struct layer *layer) {
        size_t n;

        if (!layer->dm || !layer->dm->vg || !layer->dm->lv)
                return NULL;
        n = strlen(layer->dm->vg);
        if (layer->label && strncmp(layer->label, layer->dm->vg, n) == 0 && layer->label[n] == '/')
                return layer->label + n + 1;
        return layer->dm->lv;
}

static void collect_labels(struct match_subject *subject) {
        const struct layer *layer = subject->layer;

        add_text(subject->labels, &subject->n_labels, layer->name);
        if (layer->label)
                add_text(subject->labels, &subject->n_labels, layer->label);
        if (layer->dm && layer->dm->name && *layer->dm->name)
                add_text(subject->labels, &subject->n_labels, layer->dm->name);
}

/* The names of the device's nodes, and the shorter forms of them that tools take. */
static int collect_devices(struct match_subject *subject, struct arena *arena) {
        const struct layer *layer = subject->layer;
        const char **nodes = subject->nodes, **paths = subject->paths;
        size_t *n_nodes = &subject->n_nodes, *n_paths = &subject->n_paths;
        bool ok;

        if (strchr(layer->name, '/'))
                ok = add_text(paths, n_paths, layer->name);
        else
                ok = add_text(nodes, n_nodes, layer->name);
        ok = ok && add_text(paths, n_paths, arena_printf(arena, "/dev/%s", layer->name));
        if (layer->sysname)
                ok = ok && add_text(nodes, n_nodes, layer->sysname);
        if (layer->has_devno)
                ok = ok && add_text(nodes, n_nodes, arena_printf(arena, "%u:%u", layer->major, layer->minor));
        if (layer->dm && layer->dm->name && *layer->dm->name)
                ok = ok && add_text(paths, n_paths, arena_printf(arena, "/dev/mapper/%s", layer->dm->name));
        if (layer->dm && subject->lv)
                ok = ok && add_text(paths, n_paths, arena_printf(arena, "%s/%s", layer->dm->vg, subject->lv)) &&
                     add_text(paths, n_paths, arena_printf(arena, "/dev/%s/%s", layer->dm->vg, subject->lv));
        return ok ? 0 : -ENOMEM;
}

static bool matches_one(const struct pattern *pattern, const char *const *texts, size_t n_texts) {
        for (size_t i = 0; i < n_texts; i++)
                if (pattern_matches(pattern, texts[i]))
                        return true;
        return false;
}

bool match_subject_has_label(const struct match_subject *subject, const struct pattern_list *patterns) {
        for (size_t i = 0; i < patterns->n_items; i++)
                if (matches_one(&patterns->items[i], subject->labels, subject->n_labels))
                        return true;
        return false;
}

/* "sd*" means sda, not the LV sdata/root: * takes in a / as well. */
bool match_subject_has_device(const struct match_subject *subject, const struct pattern_list *patterns) {
        for (size_t i = 0; i < patterns->n_items; i++) {
                const struct pattern *pattern = &patterns->items[i];

                if (pattern->is_path ? matches_one(pattern, subject->paths, subject->n_paths)
                                     : matches_one(pattern, subject->nodes, subject->n_nodes))
                        return true;
        }
        return false;
}

/* Layers come after those beneath them, so one pass sees every depth. */
static void collect_kinds(struct match_subjects *subjects) {
        for (size_t i = 0; i < subjects->n_items; i++) {
                struct match_subject *subject = &subjects->items[i];

                subject->kind = UINT64_C(1) << subject->layer->kind;
                for (size_t j = 0; j < subject->layer->n_below; j++) {
                        const struct match_subject *below = &subjects->items[subject->layer->below[j]->index];

                        subject->kinds_beneath |= below->kind | below->kinds_beneath;
                }
        }
}

/* Which layers lie over one that the term names. */
static int collect_over(const struct match_subjects *subjects, const struct match_term *term, struct arena *arena,
                const bool **ret) {
        bool *named = arena_alloc_array(arena, subjects->n_items, sizeof(*named));
        bool *over = arena_alloc_array(arena, subjects->n_items, sizeof(*over));

        if (!named || !over)
                return -ENOMEM;
        for (size_t i = 0; i < subjects->n_items; i++) {
                const struct layer *layer = subjects->items[i].layer;

                named[i] = match_subject_has_label(&subjects->items[i], &term->patterns) ||
                           match_subject_has_device(&subjects->items[i], &term->patterns);
                for (size_t j = 0; j < layer->n_below && !over[i]; j++)
                        over[i] = named[layer->below[j]->index] || over[layer->below[j]->index];
        }
        *ret = over;
        return 0;
}

static int collect_overs(struct match_subjects *subjects, const struct match_index *index, struct arena *arena) {
        const bool **overs = arena_alloc_array(arena, index->n_overs, sizeof(*overs));

        if (!overs)
                return -ENOMEM;
        for (const struct match_over *over = index->overs; over; over = over->next) {
                int r = collect_over(subjects, over->term, arena, &overs[over->term->over]);

                if (r < 0)
                        return r;
        }
        for (size_t i = 0; i < subjects->n_items; i++)
                subjects->items[i].overs = overs;
        return 0;
}

static void collect_findings(struct match_subjects *subjects, const struct findings *findings) {
        for (size_t i = 0; findings && i < findings->n_items; i++) {
                const struct finding *finding = &findings->items[i];

                subjects->items[finding->layer->index].findings |= UINT64_C(1) << finding->code;
        }
}

int match_subjects_build(const struct topology *topology, const struct findings *findings,
                const struct match_index *index, struct arena *arena, struct match_subjects *ret) {
        struct match_subjects subjects = {.n_items = topology->n_layers};
        int r;

        subjects.items = arena_alloc_array(arena, subjects.n_items, sizeof(*subjects.items));
        if (!subjects.items)
                return -ENOMEM;
        for (size_t i = 0; i < subjects.n_items; i++) {
                struct match_subject *subject = &subjects.items[i];

                subject->layer = topology->layers[i];
                subject->lv = lv_name(subject->layer);
                collect_labels(subject);
                r = collect_devices(subject, arena);
                if (r < 0)
                        return r;
        }
        collect_kinds(&subjects);
        collect_findings(&subjects, findings);
        r = collect_overs(&subjects, index, arena);
        if (r < 0)
                return r;
        *ret = subjects;
        return 0;
}
