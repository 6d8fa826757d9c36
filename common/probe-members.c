/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-members.h"
#include "common/units.h"

/* What is said of one member goes by what all have. */
struct members {
        const struct layer *array;
        const struct probe_member *items;
        size_t n;
        double usual_mbps; /* median of the faster half */
        double least_mbps; /* of all runs of those that are not slow */
};

static double least_of(const struct probe_series *series) {
        double least = series->mbps[0];

        for (unsigned i = 1; i < series->n_runs; i++)
                least = series->mbps[i] < least ? series->mbps[i] : least;
        return least;
}

static double most_of(const struct probe_series *series) {
        double most = series->mbps[0];

        for (unsigned i = 1; i < series->n_runs; i++)
                most = series->mbps[i] > most ? series->mbps[i] : most;
        return most;
}

static bool can_be_compared(const struct probe_member *members, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (members[i].series->n_runs < PROBE_MEMBER_RUNS)
                        return false;
        return n > 1;
}

/* Of an odd number the half is the larger one, so that two members have one. */
static int find_usual(struct members *members) {
        _cleanup_(freep) double *medians = calloc(members->n, sizeof(*medians));
        size_t half = (members->n + 1) / 2;

        if (!medians)
                return -ENOMEM;
        for (size_t i = 0; i < members->n; i++)
                medians[i] = members->items[i].series->median_mbps;
        (void)probe_median(medians, members->n);
        members->usual_mbps = probe_median(medians + (members->n - half), half);
        return 0;
}

static bool is_slow(const struct members *members, const struct probe_member *member) {
        return member->series->median_mbps < PROBE_MEMBER_SLOW * members->usual_mbps;
}

static void find_least(struct members *members) {
        bool first = true;

        for (size_t i = 0; i < members->n; i++) {
                const struct probe_member *member = &members->items[i];
                double least = least_of(member->series);

                if (is_slow(members, member))
                        continue;
                if (first || least < members->least_mbps)
                        members->least_mbps = least;
                first = false;
        }
}

/* In its place by layer and code. */
static int insert(struct findings *findings, struct arena *arena, const struct finding *finding) {
        struct finding *items = arena_alloc(arena, (findings->n_items + 1) * sizeof(*items));
        size_t at = 0;

        if (!items)
                return -ENOMEM;
        while (at < findings->n_items && (findings->items[at].layer->index < finding->layer->index ||
                                                         (findings->items[at].layer == finding->layer &&
                                                                         findings->items[at].code <= finding->code)))
                at++;
        if (findings->n_items > 0) {
                memcpy(items, findings->items, at * sizeof(*items));
                memcpy(items + at + 1, findings->items + at, (findings->n_items - at) * sizeof(*items));
        }
        items[at] = *finding;
        findings->items = items;
        findings->n_items++;
        return 0;
}

static int add(const struct members *members, const struct probe_member *member, struct arena *arena,
                struct findings *findings) {
        char own[UNITS_BUFFER], usual[UNITS_BUFFER], part[UNITS_BUFFER];
        struct finding finding = {.code = FINDING_MEMBER_SLOW, .severity = SEVERITY_WARNING, .layer = member->layer};

        finding.text = arena_printf(arena,
                        "reads %s MB/s, %s of the %s MB/s that the faster half of the members of %s read (median of %u "
                        "runs)",
                        units_format_mbps(own, member->series->median_mbps),
                        units_format_ratio(part, member->series->median_mbps / members->usual_mbps),
                        units_format_mbps(usual, members->usual_mbps), members->array->label, member->series->n_runs);
        return finding.text ? insert(findings, arena, &finding) : -ENOMEM;
}

int probe_members_find(const struct layer *array, const struct probe_member *items, size_t n, struct arena *arena,
                struct findings *findings) {
        struct members members = {.array = array, .items = items, .n = n};
        int r;

        if (!can_be_compared(items, n))
                return 0;
        r = find_usual(&members);
        if (r < 0)
                return r;
        find_least(&members);
        for (size_t i = 0; i < n; i++) {
                if (!is_slow(&members, &items[i]) || most_of(items[i].series) >= members.least_mbps)
                        continue;
                r = add(&members, &items[i], arena, findings);
                if (r < 0)
                        return r;
        }
        return 0;
}
