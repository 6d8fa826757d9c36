/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/probe-report.h"
#include "common/cleanup.h"
#include "common/probe-interval.h"
#include "common/probe-members.h"

#define TIME_MSEC      10000U
#define TIME_EACH_MSEC 2000U /* where many are measured */
#define HDPARM_MSEC    3000U
#define DD_MSEC        3600000U
#define HDPARM_BYTES   (2U << 20)
#define DD_BYTES       (10U << 20)
#define HDPARM_RUN_BYTES                                                                                               \
        (UINT64_C(32) << 30) /* more than is read in its time; a whole large disk takes long to look at */
#define DD_COUNT             400U
#define RUN_BYTES            (UINT64_C(256) << 20)
#define RUN_WINDOWS          16U
#define READAHEAD_BYTES_MOST (UINT64_C(1) << 40) /* a number above it is no readahead */

/* Goes down from a layer, each one once. */
struct descent {
        struct probe_report *report;
        /* By layer->index: */
        const struct layer **beneath; /* all */
        const struct layer **wanted;  /* to be measured or watched */
        const struct layer **arrays;  /* that it is a member of */
        bool *holds_array;            /* is one, or lies over one */
};

static bool has_node(const struct layer *layer) {
        return layer->has_devno && !layer->hidden;
}

static bool is_dm_array(enum layer_kind kind) {
        return (kind >= KIND_DM_RAID0 && kind <= KIND_DM_RAID10) || kind == KIND_DM_STRIPED || kind == KIND_DM_MIRROR;
}

/* A spare, a journal, or a member that has failed says nothing of the array. */
static bool is_member(const struct md_member *member) {
        return member->layer && (member->states & MD_MEMBER_IN_SYNC) && !(member->states & MD_MEMBER_FAULTY);
}

static void mark_member(struct descent *descent, const struct layer *array, const struct layer *member) {
        if (member && member->index < array->index && has_node(member))
                descent->arrays[member->index] = array;
}

static void mark_members(struct descent *descent, const struct layer *array) {
        if (array->md && array->kind != KIND_MD_CONTAINER)
                for (size_t i = 0; i < array->md->n_members; i++)
                        if (is_member(&array->md->members[i]))
                                mark_member(descent, array, array->md->members[i].layer);
        for (size_t i = 0; array->dm && i < array->dm->n_segments; i++) {
                const struct dm_segment *segment = &array->dm->segments[i];

                for (size_t j = 0; is_dm_array(segment->kind) && j < segment->n_legs; j++)
                        if (segment->legs[j].role == LEG_DATA)
                                mark_member(descent, array, segment->legs[j].layer);
        }
}

static bool has_members(const struct descent *descent, const struct layer *layer) {
        for (size_t i = 0; i < layer->n_below; i++)
                if (descent->arrays[layer->below[i]->index] == layer)
                        return true;
        return false;
}

/* What is beneath a layer has a smaller index, so that one way down, or up, is enough. */
static void find_beneath(struct descent *descent, const struct layer *top) {
        descent->beneath[top->index] = top;
        for (size_t i = top->index + 1; i > 0 && i--;) {
                const struct layer *layer = descent->beneath[i];

                for (size_t j = 0; layer && j < layer->n_below; j++)
                        if (layer->below[j]->index < i)
                                descent->beneath[layer->below[j]->index] = layer->below[j];
        }
        for (size_t i = top->index + 1; i > 0 && i--;)
                if (descent->beneath[i])
                        mark_members(descent, descent->beneath[i]);
        for (size_t i = 0; i <= top->index; i++) {
                const struct layer *layer = descent->beneath[i];

                for (size_t j = 0; layer && j < layer->n_below; j++)
                        if (descent->arrays[layer->below[j]->index] == layer ||
                                        descent->holds_array[layer->below[j]->index])
                                descent->holds_array[i] = true;
        }
}

/* Of an array only the members count. What is beneath a member is the member once more, unless there is an array. */
static void want_below(struct descent *descent, const struct layer *layer) {
        bool is_array = has_members(descent, layer), is_member_only = descent->arrays[layer->index] && !is_array;

        for (size_t i = 0; i < layer->n_below; i++) {
                const struct layer *below = layer->below[i];

                if (below->index >= layer->index || (is_array && descent->arrays[below->index] != layer) ||
                                (is_member_only && !descent->holds_array[below->index]))
                        continue;
                descent->wanted[below->index] = below;
        }
}

static void want_stack(struct descent *descent, const struct layer *top) {
        find_beneath(descent, top);
        descent->wanted[top->index] = top;
        for (size_t i = top->index + 1; i > 0 && i--;)
                if (descent->wanted[i])
                        want_below(descent, descent->wanted[i]);
}

static struct probe_item *add_item(struct probe_report *report, const struct layer *layer) {
        struct probe_item *item = &report->items[report->n_items++];

        *item = (struct probe_item){
                        .layer = layer,
                        .workload = PROBE_SEQUENTIAL,
                        .streams = 1,
                        .readahead_sectors = (uint64_t)opt_or(layer->readahead_sectors, 0),
        };
        return item;
}

/* The members of an array one after the other. */
static void add_members(const struct descent *descent, const struct layer *array) {
        for (size_t i = 0; i < array->n_below; i++)
                if (descent->arrays[array->below[i]->index] == array)
                        add_item(descent->report, array->below[i])->array = array;
}

static int add_stack(const struct descent *descent, struct arena *arena) {
        struct probe_report *report = descent->report;
        size_t n = report->layer->index + 1;

        report->items = arena_alloc_array(arena, n, sizeof(*report->items));
        if (!report->items)
                return -ENOMEM;
        for (size_t i = n; i > 0 && i--;)
                if (descent->wanted[i] && !descent->arrays[i] && has_node(descent->wanted[i]))
                        add_item(report, descent->wanted[i]);
        report->n_layers = report->n_items;
        for (size_t i = n; i > 0 && i--;)
                if (descent->wanted[i])
                        add_members(descent, descent->wanted[i]);
        return 0;
}

static int watch(const struct descent *descent, struct arena *arena) {
        struct probe_report *report = descent->report;

        report->watched = arena_alloc_array(arena, report->layer->index + 1, sizeof(*report->watched));
        if (!report->watched)
                return -ENOMEM;
        report->watched[report->n_watched++] = report->layer;
        for (size_t i = report->layer->index; i > 0 && i--;)
                if (descent->wanted[i] && has_node(descent->wanted[i]) && has_members(descent, descent->wanted[i]))
                        report->watched[report->n_watched++] = descent->wanted[i];
        return 0;
}

/* One or two series of the layer itself. */
static int add_layer(struct probe_report *report, struct arena *arena) {
        static const enum probe_workload workloads[][2] = {
                        [PROBE_FORM_RATE] = {PROBE_SEQUENTIAL},
                        [PROBE_FORM_HDPARM] = {PROBE_SEQUENTIAL_COLD},
                        [PROBE_FORM_DD] = {PROBE_SEQUENTIAL_COLD},
                        [PROBE_FORM_STREAMS] = {PROBE_SEQUENTIAL, PROBE_SEQUENTIAL},
                        [PROBE_FORM_RANDOM] = {PROBE_RANDOM_MAPPED, PROBE_RANDOM_READ},
        };
        enum probe_form form = report->request.form;
        size_t n = form == PROBE_FORM_STREAMS || form == PROBE_FORM_RANDOM ? 2 : 1;

        report->items = arena_alloc_array(arena, n, sizeof(*report->items));
        if (!report->items)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                add_item(report, report->layer)->workload = workloads[form][i];
        if (form == PROBE_FORM_STREAMS)
                report->items[1].streams = report->request.streams;
        report->n_layers = n;
        return 0;
}

/* Enough for readahead to be under way for a while, and not so much that others lose their page cache to it. */
static uint64_t run_bytes(const struct probe_report *report, const struct probe_pass *pass) {
        uint64_t most_bytes = RUN_BYTES;

        for (size_t i = 0; i < pass->n; i++) {
                const struct probe_item *item = &report->items[pass->first + i];
                uint64_t window_bytes = sectors_to_bytes_at_most(item->readahead_sectors);

                if (window_bytes < READAHEAD_BYTES_MOST && window_bytes * RUN_WINDOWS * item->streams > most_bytes)
                        most_bytes = window_bytes * RUN_WINDOWS * item->streams;
        }
        return most_bytes;
}

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* The tools begin at the beginning of the device, each time: each run is a pass. */
static bool is_tool(enum probe_form form) {
        return form == PROBE_FORM_HDPARM || form == PROBE_FORM_DD;
}

/* The part of the budget of bytes that a pass has. */
static uint64_t pass_bytes(const struct probe_report *report, const struct probe_pass *pass) {
        if (is_tool(report->request.form))
                return report->request.bytes / report->request.runs;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a pass is one of items */
        return report->request.bytes / report->n_items * pass->n;
}

/* It is to last for as many runs as make the median certain at best, and the warm-up. */
static uint64_t share_of_bytes(const struct probe_pass *pass) {
        return pass->limits.bytes / (pass->n * (least(pass->limits.runs, PROBE_INTERVAL_RUNS) + 1));
}

static void set_limits(const struct probe_report *report, struct probe_pass *pass) {
        const struct probe_request *request = &report->request;
        struct probe_limits *limits = &pass->limits;
        uint64_t usual_msec = TIME_MSEC;

        *limits = (struct probe_limits){.time_msec = request->time_msec,
                        .bytes = pass_bytes(report, pass),
                        .runs = is_tool(request->form) ? 1 : request->runs,
                        .block_bytes = request->block_bytes,
                        .no_warm_up = is_tool(request->form)};
        switch (request->form) {
        case PROBE_FORM_HDPARM:
                usual_msec = HDPARM_MSEC;
                limits->block_bytes = HDPARM_BYTES;
                limits->bytes_per_run = HDPARM_RUN_BYTES;
                break;
        case PROBE_FORM_DD:
                usual_msec = DD_MSEC;
                limits->block_bytes = request->block_bytes ?: DD_BYTES;
                limits->bytes_per_run = limits->block_bytes * (request->count ?: DD_COUNT);
                break;
        default:
                usual_msec = pass->n * TIME_EACH_MSEC > usual_msec ? pass->n * TIME_EACH_MSEC : usual_msec;
                limits->bytes_per_run = run_bytes(report, pass);
                if (limits->bytes > 0)
                        limits->bytes_per_run = least(limits->bytes_per_run, share_of_bytes(pass));
        }
        if (limits->time_msec == 0)
                limits->time_msec = usual_msec;
}

static void add_pass(struct probe_report *report, size_t first, size_t n) {
        struct probe_pass *pass = &report->passes[report->n_passes++];

        *pass = (struct probe_pass){.first = first, .n = n, .ends_early = !is_tool(report->request.form)};
        set_limits(report, pass);
}

static int add_passes(struct probe_report *report, struct arena *arena) {
        size_t n = is_tool(report->request.form) ? report->request.runs : 2;

        report->passes = arena_alloc_array(arena, n, sizeof(*report->passes));
        if (!report->passes)
                return -ENOMEM;
        if (is_tool(report->request.form)) {
                while (report->n_passes < n)
                        add_pass(report, 0, report->n_items);
                return 0;
        }
        add_pass(report, 0, report->n_layers);
        if (report->n_items > report->n_layers)
                add_pass(report, report->n_layers, report->n_items - report->n_layers);
        return 0;
}

static int find_series(struct probe_report *report, struct arena *arena) {
        size_t n = report->layer->index + 1;
        _cleanup_(freep) const struct layer **lists = calloc(n, 3 * sizeof(*lists));
        _cleanup_(freep) bool *holds_array = calloc(n, sizeof(*holds_array));
        struct descent descent = {.report = report, .holds_array = holds_array};
        int r;

        if (!lists || !holds_array)
                return -ENOMEM;
        descent.beneath = lists;
        descent.wanted = lists + n;
        descent.arrays = lists + 2 * n;
        want_stack(&descent, report->layer);
        r = watch(&descent, arena);
        if (r < 0)
                return r;
        return report->request.form == PROBE_FORM_BELOW ? add_stack(&descent, arena) : add_layer(report, arena);
}

int probe_report_plan(const struct layer *layer, const struct probe_request *request, struct arena *arena,
                struct probe_report *ret) {
        struct probe_report report = {.layer = layer, .request = *request};
        int r;

        r = find_series(&report, arena);
        if (r < 0)
                return r;
        if (report.n_layers > PROBE_SOURCES_MAX || report.n_items - report.n_layers > PROBE_SOURCES_MAX)
                return -E2BIG;
        r = add_passes(&report, arena);
        if (r < 0)
                return r;
        *ret = report;
        return 0;
}

uint64_t probe_report_msec(const struct probe_report *report) {
        uint64_t msec = 0;

        for (size_t i = 0; i < report->n_passes; i++)
                msec += report->passes[i].limits.time_msec;
        return msec;
}

unsigned probe_item_block_bytes(const struct probe_report *report, const struct probe_item *item) {
        if (probe_workload_is_random(item->workload))
                return PROBE_RANDOM_BYTES;
        return report->passes[0].limits.block_bytes ?: PROBE_BLOCK_BYTES;
}

static int judge_members(struct probe_report *report, size_t first, size_t n, struct arena *arena) {
        _cleanup_(freep) struct probe_member *members = calloc(n, sizeof(*members));

        if (!members)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                members[i] = (struct probe_member){
                                .layer = report->items[first + i].layer, .series = &report->items[first + i].series};
        return probe_members_find(report->items[first].array, members, n, arena, &report->findings);
}

int probe_report_judge(struct probe_report *report, struct arena *arena) {
        size_t first, n;
        int r;

        for (size_t i = 0; i < report->n_items; i++)
                probe_series_judge(&report->items[i].series);
        for (first = report->n_layers; first < report->n_items; first += n) {
                for (n = 1; first + n < report->n_items; n++)
                        if (report->items[first + n].array != report->items[first].array)
                                break;
                r = judge_members(report, first, n, arena);
                if (r < 0)
                        return r;
        }
        return 0;
}

const struct probe_item *probe_report_find(const struct probe_report *report, const struct layer *layer) {
        for (size_t i = 0; i < report->n_items; i++)
                if (report->items[i].layer == layer)
                        return &report->items[i];
        return NULL;
}
