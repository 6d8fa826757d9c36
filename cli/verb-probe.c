/* SPDX-License-Identifier: MIT */

/* setractl probe: measures how fast a device is read. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/find-layer.h"
#include "cli/json.h"
#include "cli/measure.h"
#include "cli/probe-job.h"
#include "cli/probe-request.h"
#include "cli/probe-text.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/discover.h"
#include "common/probe-guard.h"

#define DEADLINE_MSEC 15000U /* for opening devices and the like; the time of the runs is added to it */

struct probing_context {
        struct arena *arena;
        struct topology *topology;
        struct probe_report report;
        struct probe_desk *desk;
        struct device_identity *devices, *watched;
        char *title;
        bool json;
};

static void done(struct probing_context *c) {
        free(c->title);
        free(c->devices);
        free(c->watched);
        if (c->desk)
                measure_shared_free(c->desk, probe_desk_size(&c->report));
        topology_freep(&c->topology);
        arena_freep(&c->arena);
}

static int print_json(const struct probing_context *c, const char *skipped) {
        int r = json_print(stdout, probe_json(&c->report, skipped));

        if (r < 0)
                text_error("cannot print JSON: %s", strerror(-r));
        return r;
}

/* Says why nothing is measured. */
static enum exit_status refuse(const struct probing_context *c, const char *reason, bool force_helps) {
        if (c->json)
                (void)print_json(c, reason);
        text_error("%s: not measured: %s%s", c->title, reason, force_helps ? "; --force reads it all the same" : "");
        return STATUS_FAILED;
}

static int find_target(struct context *context, struct probing_context *c, const struct layer **ret) {
        const char *text = context->options.arguments[0];
        int r;

        r = context_open(context);
        if (r < 0)
                return r;
        r = context_check_discovery(context, discover(context->root, &c->topology));
        if (r < 0)
                return r;
        *ret = find_layer_on_machine(c->topology, text);
        if (*ret)
                return 0;
        text_error("no block device or mount point '%s'; 'setractl scan --all' lists what there is", text);
        return -ENOENT;
}

static int identify(const struct layer *const *layers, size_t n, struct device_identity *ret) {
        for (size_t i = 0; i < n; i++) {
                int r = device_identity_from_layer(layers[i], &ret[i]);

                if (r < 0)
                        return r;
        }
        return 0;
}

/* What the worker needs. Returns 0 or a negative errno. */
static int prepare(struct probing_context *c) {
        const struct probe_report *report = &c->report;
        int r;

        c->desk = measure_shared_new(probe_desk_size(report));
        c->devices = calloc(report->n_items, sizeof(*c->devices));
        c->watched = calloc(report->n_watched, sizeof(*c->watched));
        if (!c->desk || !c->devices || !c->watched)
                return -ENOMEM;
        for (size_t i = 0; i < report->n_items; i++) {
                r = identify(&report->items[i].layer, 1, &c->devices[i]);
                if (r < 0)
                        return r;
        }
        return identify(report->watched, report->n_watched, c->watched);
}

static int run(struct probing_context *c, int *ret_signal) {
        const struct probe_job job = {
                        .report = &c->report,
                        .devices = c->devices,
                        .watched = c->watched,
                        .desk = c->desk,
                        .device_ops = &probe_device_ops_real,
                        .probe_ops = &probe_ops_real,
        };
        const struct measure measure = {
                        .title = c->title,
                        .jobs = {.job = probe_job_run, .inputs = &job, .n = 1},
                        .deadline_msec = (unsigned)probe_report_msec(&c->report) + DEADLINE_MSEC,
                        .progress = &c->desk->progress,
        };

        return measure_run(&measure, ret_signal);
}

static int print_report(const struct probing_context *c) {
        _cleanup_(freep) char *sentence = NULL;

        if (c->json)
                return print_json(c, NULL);
        if (c->report.request.form == PROBE_FORM_BELOW)
                return probe_print_tree(stdout, &c->report);
        sentence = probe_sentence(&c->report);
        if (!sentence)
                return -ENOMEM;
        /* Of a name nothing else than text may reach the terminal; the tools' forms are lines. */
        for (char *line = sentence, *end; line; line = end) {
                end = strchr(line, '\n');
                if (end)
                        *end++ = '\0';
                text_print(stdout, "%s", line);
        }
        return 0;
}

/* What there is of the figures. False: none. */
static bool judge(struct probing_context *c) {
        return probe_desk_take(c->desk, &c->report) && probe_report_judge(&c->report, c->arena) == 0;
}

static enum exit_status report_error(const struct probing_context *c) {
        const struct probe_desk *desk = c->desk;
        const struct layer *layer = c->report.items[desk->failed].layer;
        _cleanup_(freep) char *title = text_layer_title(layer);
        const char *label = title ?: layer->label;
        int error = desk->error;

        if (error == -EACCES || error == -EPERM)
                text_error("%s: it takes permission to read it: run probe as root, or as a member of the group disk",
                                label);
        else if (error == -ESTALE || error == -ENODEV)
                text_error("%s: it is gone, or another device has its number", label);
        else
                text_error("%s: cannot %s it: %s", label, desk->step == PROBE_STEP_OPEN ? "open" : "read",
                                strerror(-error));
        return STATUS_FAILED;
}

static enum exit_status report_lost(const struct probing_context *c, int error) {
        if (error == -ETIMEDOUT)
                text_error("%s: no answer within the deadline", c->title);
        else if (error == -EBUSY)
                text_error("%s: it hangs, and the process that reads it can't be killed", c->title);
        else
                text_error("%s: the process that was to read it failed: %s", c->title, strerror(-error));
        return STATUS_FAILED;
}

static _Noreturn void end_interrupted(struct probing_context *c, int signal_number) {
        bool measured = judge(c);

        text_note(measured ? "interrupted; this is what was measured until then" : "interrupted");
        if (measured)
                (void)print_report(c);
        measure_end_by(signal_number);
}

static enum exit_status measure(struct probing_context *c) {
        int r, signal_number;

        r = prepare(c);
        if (r < 0) {
                text_error("%s: cannot be measured: %s", c->title, strerror(-r));
                return STATUS_FAILED;
        }
        r = run(c, &signal_number);
        if (signal_number != 0)
                end_interrupted(c, signal_number);
        if (r < 0)
                return report_lost(c, r);
        if (c->desk->error < 0)
                return report_error(c);
        if (c->desk->skipped[0] != '\0')
                return refuse(c, c->desk->skipped, c->desk->step == PROBE_STEP_LOOK);
        if (!judge(c)) {
                text_error("%s: there was no time for a run", c->title);
                return STATUS_FAILED;
        }
        if (c->report.disturbed)
                text_note("others were reading %s meanwhile: its figures are theirs as well", c->title);
        return print_report(c) < 0 ? STATUS_FAILED : STATUS_DONE;
}

static enum exit_status probe(struct context *context, struct probing_context *c, const struct probe_request *request) {
        const struct layer *layer;
        const char *reason;
        int r;

        if (find_target(context, c, &layer) < 0)
                return STATUS_FAILED;
        c->arena = arena_new();
        c->title = text_layer_title(layer);
        r = c->arena && c->title ? probe_report_plan(layer, request, c->arena, &c->report) : -ENOMEM;
        if (r < 0) {
                text_error("%s: cannot be measured: %s", layer->label,
                                r == -E2BIG ? "it lies over too many devices" : strerror(-r));
                return STATUS_FAILED;
        }
        reason = probe_guard_obstacle(layer, c->arena);
        if (reason)
                return refuse(c, reason, false);
        reason = request->force ? NULL : probe_guard_reason(layer, c->arena);
        return reason ? refuse(c, reason, true) : measure(c);
}

enum exit_status verb_probe(struct context *context) {
        _cleanup_(done) struct probing_context c = {.json = context->options.json};
        struct probe_request request;

        if (probe_request_parse(&context->options, &request) < 0)
                return STATUS_USAGE;
        return probe(context, &c, &request);
}
