/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/discover.h"
#include "common/survey.h"

struct survey *survey_ref(struct survey *survey) {
        if (survey)
                survey->n_refs++;
        return survey;
}

void survey_unref(struct survey *survey) {
        if (!survey || --survey->n_refs > 0)
                return;
        topology_freep(&survey->topology);
        arena_freep(&survey->arena);
        free(survey);
}

/* Without a policy no rule matches anything. */
static int match(const struct survey *s, const struct policy *policy, struct arena *arena, struct verdict **ret) {
        if (policy)
                return policy_match(policy, s->topology, &s->matched, arena, ret);
        *ret = arena_alloc_array(arena, s->topology->n_layers, sizeof(**ret));
        return *ret ? 0 : -ENOMEM;
}

static int work_out(struct survey *s, const struct policy *policy) {
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct verdict *verdicts;
        int r;

        if (!scratch)
                return -ENOMEM;
        r = geometry_compute(s->topology, s->arena, &s->geometry);
        if (r < 0)
                return r;
        r = findings_compute(s->topology, s->geometry, s->arena, &s->matched);
        if (r < 0)
                return r;
        r = match(s, policy, scratch, &verdicts);
        if (r < 0)
                return r;
        r = plan_build(s->topology, s->geometry, &s->matched, verdicts, s->arena, &s->plan);
        if (r < 0)
                return r;
        return findings_settle(&s->matched, &s->plan, s->arena, &s->findings);
}

int survey_topology(struct topology *topology, const struct policy *policy, struct survey **ret) {
        _cleanup_(topology_freep) struct topology *owned = topology;
        _cleanup_(survey_unrefp) struct survey *survey = calloc(1, sizeof(*survey));
        int r;

        if (!survey)
                return -ENOMEM;
        survey->n_refs = 1;
        survey->topology = TAKE_PTR(owned);
        survey->arena = arena_new();
        if (!survey->arena)
                return -ENOMEM;
        r = work_out(survey, policy);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(survey);
        return 0;
}

static bool is_named(char *const *names, const char *name) {
        for (; names && *names; names++)
                if (strcmp(*names, name) == 0)
                        return true;
        return false;
}

static bool has_what_was_set(const struct layer *layer) {
        return layer->set && opt_or(layer->readahead_sectors, -1) == (int64_t)layer->set->sectors;
}

/*
 * A change event counts if the value came with it: one that was there before has other reasons. Once it counts it does so
 * until the map is seen with what setrad gave it.
 */
static bool is_reloaded(const struct survey_scope *scope, const struct layer *layer) {
        const struct layer *before = scope->inventory ? inventory_find(scope->inventory, layer->sysname) : NULL;

        if (!layer->dm || has_what_was_set(layer))
                return false;
        if (before && opt_or(before->readahead_sectors, -1) == opt_or(layer->readahead_sectors, -1))
                return before->reloaded;
        return scope->all_reloaded || is_named(scope->reloaded, layer->sysname);
}

static void note_reloaded(const struct survey_scope *scope, const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                topology->layers[i]->reloaded = is_reloaded(scope, topology->layers[i]);
}

int survey_look(const struct sysroot *root, const struct survey_scope *scope, const struct policy *policy,
                struct survey **ret) {
        struct topology *topology;
        int r;

        r = scope->news_only ? discover_news(root, scope->inventory, scope->touched, &topology)
                             : discover(root, &topology);
        if (r < 0)
                return r;
        note_reloaded(scope, topology);
        return survey_topology(topology, policy, ret);
}

int survey_run(const struct sysroot *root, const struct policy *policy, struct survey **ret) {
        const struct survey_scope all = {};

        return survey_look(root, &all, policy, ret);
}
