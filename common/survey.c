/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/discover.h"
#include "common/survey.h"

void survey_free(struct survey *survey) {
        if (!survey)
                return;
        topology_freep(&survey->topology);
        arena_freep(&survey->arena);
        free(survey);
}

/* Without a policy no rule matches anything. */
static int match(struct survey *s, const struct policy *policy, struct verdict **ret) {
        if (policy)
                return policy_match(policy, s->topology, &s->findings, s->arena, ret);
        *ret = arena_alloc_array(s->arena, s->topology->n_layers, sizeof(**ret));
        return *ret ? 0 : -ENOMEM;
}

static int work_out(struct survey *s, const struct policy *policy) {
        struct verdict *verdicts;
        int r;

        r = geometry_compute(s->topology, s->arena, &s->geometry);
        if (r < 0)
                return r;
        r = findings_compute(s->topology, s->geometry, s->arena, &s->findings);
        if (r < 0)
                return r;
        r = match(s, policy, &verdicts);
        if (r < 0)
                return r;
        return plan_build(s->topology, s->geometry, &s->findings, verdicts, s->arena, &s->plan);
}

int survey_topology(struct topology *topology, const struct policy *policy, struct survey **ret) {
        _cleanup_(topology_freep) struct topology *owned = topology;
        _cleanup_(survey_freep) struct survey *survey = calloc(1, sizeof(*survey));
        int r;

        if (!survey)
                return -ENOMEM;
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

int survey_run(const struct sysroot *root, const struct policy *policy, struct survey **ret) {
        struct topology *topology;
        int r;

        r = discover(root, &topology);
        if (r < 0)
                return r;
        return survey_topology(topology, policy, ret);
}
