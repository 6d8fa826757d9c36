/* SPDX-License-Identifier: MIT */

/* setractl apply: makes the changes of the plan, bottom up, each in a worker with a deadline and noted in the ledger. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"
#include "cli/device-change.h"
#include "cli/find-layer.h"
#include "cli/measure.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/apply.h"
#include "common/change.h"
#include "common/ledger-fate.h"
#include "common/ledger-lock.h"
#include "common/ledger-record.h"

static int note_before(const struct decision *decision, const struct apply_request *request) {
        const struct ledger_change change = change_record(decision, request);
        bool damaged = false;
        int r;

        r = ledger_record_begin(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &request->device, &change, &damaged);
        return change_check_ledger(r, damaged);
}

static int note_after(const struct apply_request *request, const struct apply_result *result) {
        bool damaged = false;
        int r;

        if (result->put_back)
                r = ledger_record_put_back(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &request->device,
                                result->before_sectors, &result->probe, &damaged);
        else
                r = ledger_record_end(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &request->device, result->changed,
                                &result->probe, &damaged);
        return change_check_ledger(r, damaged);
}

static int apply_job(const void *input, void *result) {
        return apply_change(input, result) < 0;
}

/* 0, or why the device does not have what the rule asks for. */
static int error_of(const struct apply_result *result) {
        return result->error < 0 ? result->error : result->put_back_error;
}

static void report_result(const struct decision *decision, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = change_sentence(decision, result), *title = NULL;
        int error = error_of(result);

        if (error == -EINTR) {
                title = text_layer_title(decision->layer);
                text_error("%s: interrupted before it was changed", title ?: decision->layer->label);
                return;
        }
        if (error < 0) {
                text_error("%s", sentence ?: strerror(-error));
                return;
        }
        text_print(stdout, "%s", sentence ?: "");
        fflush(stdout); /* the next one may take its time */
}

static void report_lost(const struct layer *layer, int error) {
        _cleanup_(freep) char *title = text_layer_title(layer);

        change_report_lost(title ?: layer->label, error);
}

/* Its worker was ended before it could say anything: the device itself says whether it was changed. */
static void find_result(const struct context *context, const struct apply_request *request, struct apply_result *ret) {
        const struct ledger_entry asked = {.device = request->device, .new_sectors = request->to_sectors};
        bool made = ledger_judge_value(&asked, context->root) == LEDGER_MADE;

        *ret = (struct apply_result){
                        .error = made ? 0 : -EINTR,
                        .step = made ? APPLY_PROBE : APPLY_SET,
                        .before_sectors = request->from_sectors,
                        .after_sectors = made ? request->to_sectors : request->from_sectors,
                        .changed = made,
                        .probe = {.skipped = "it was interrupted"},
        };
}

/* In a worker. *RET_SIGNAL is the signal that has ended it, or 0. */
static int run_change(const struct context *context, const struct decision *decision,
                const struct apply_request *request, struct apply_result *result, int *ret_signal) {
        _cleanup_(freep) char *title = text_layer_title(decision->layer);
        const struct measure measure = {
                        .title = title,
                        .job = apply_job,
                        .input = request,
                        .result = result,
                        .result_size = sizeof(*result),
                        .deadline_msec = change_deadline_msec(request, CHANGE_DEADLINE_MSEC),
                        .progress = request->progress,
        };
        int r;

        r = measure_run(&measure, ret_signal);
        if (r == -EINTR)
                find_result(context, request, result);
        return r == -EINTR ? 0 : r;
}

static int run_on_record(const struct context *context, const struct decision *decision,
                const struct apply_request *request, int *ret_signal) {
        struct apply_result result = {};
        int r, failed;

        r = note_before(decision, request);
        if (r < 0)
                return r;
        r = run_change(context, decision, request, &result, ret_signal);
        if (r < 0)
                report_lost(decision->layer, r);
        else
                report_result(decision, &result);
        if (change_may_be_made(r))
                return r;
        failed = r < 0 ? r : error_of(&result);
        r = note_after(request, &result);
        return failed < 0 ? failed : r;
}

/* 0, or a negative errno after saying on stderr what is wrong. */
static int make_change(const struct context *context, const struct decision *decision, int *ret_signal) {
        _cleanup_(measure_progress_freep) struct probe_progress *progress = NULL;
        struct apply_request request = {};
        sigset_t before;
        int r;

        r = change_request(context->survey, decision, &request);
        if (r < 0) {
                text_error("%s: cannot be changed: %s", decision->layer->name, strerror(-r));
                return r;
        }
        if (context->options.no_probe) {
                request.probe = false;
                request.probe_skipped[0] = '\0';
        }
        request.progress = progress = measure_progress_new();
        measure_hold_signals(&before);
        r = run_on_record(context, decision, &request, ret_signal);
        measure_release_signals(&before);
        return r;
}

/* *ASKS is whether the next one is asked about, too. */
static enum answer ask_about(const struct context *context, const struct decision *decision, bool *asks) {
        enum answer answer;

        if (!*asks)
                return ANSWER_YES;
        report_change(stderr, decision, context->colors && isatty(STDERR_FILENO));
        answer = ask(stdin, stderr, "Make this change?");
        *asks = answer != ANSWER_ALL;
        return answer;
}

static enum exit_status make_changes(const struct context *context) {
        const struct plan *plan = &context->survey->plan;
        enum exit_status status = STATUS_DONE;
        bool asks = context->options.interactive;
        int signal_number = 0;

        for (size_t i = 0; i < plan->n_decisions && signal_number == 0; i++) {
                enum answer answer;

                if (!decision_is_change(&plan->decisions[i]))
                        continue;
                answer = ask_about(context, &plan->decisions[i], &asks);
                if (answer == ANSWER_QUIT)
                        break;
                if (answer != ANSWER_NO && make_change(context, &plan->decisions[i], &signal_number) < 0)
                        status = STATUS_FAILED;
        }
        if (signal_number != 0)
                measure_end_by(signal_number);
        report_held(stdout, plan, context->colors);
        if (plan->n_changes == 0)
                text_print(stdout, "Nothing to change.");
        return status;
}

/* 0, or a negative errno after saying on stderr what is wrong. */
static int choose_layer(struct topology *topology, const char *text, bool *chosen) {
        const struct layer *layer = find_layer_on_machine(topology, text);

        if (layer && layer->kind == KIND_PARTITION && layer->parent)
                layer = layer->parent; /* which it shares its readahead with */
        if (!layer) {
                text_error("there is no device '%s'; 'setractl scan' shows those that are there", text);
                return -ENOENT;
        }
        chosen[layer->index] = true;
        /* Who names a device means it, whatever somebody has set it to since. */
        topology->layers[layer->index]->set = NULL;
        return 0;
}

/* The plan for the devices that are named, or all. 0, or a negative errno after saying on stderr what is wrong. */
static int survey_chosen(struct context *context) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(freep) bool *chosen = NULL;
        int r;

        r = context_discover(context, POLICY_INSTALLED, &topology);
        if (r < 0)
                return r;
        chosen = calloc(topology->n_layers + 1, sizeof(*chosen));
        if (!chosen) {
                text_error("%s", strerror(ENOMEM));
                return -ENOMEM;
        }
        for (size_t i = 0; i < context->options.n_arguments; i++) {
                r = choose_layer(topology, context->options.arguments[i], chosen);
                if (r < 0)
                        return r;
        }
        r = context_work_out(context, TAKE_PTR(topology));
        if (r == 0 && context->options.n_arguments > 0)
                plan_restrict(&context->survey->plan, chosen);
        return r;
}

static enum exit_status check_interactive(const struct options *options) {
        if (!options->interactive)
                return STATUS_DONE;
        if (options->dry_run) {
                text_error("--dry-run changes nothing: there is nothing to ask with --interactive");
                return STATUS_USAGE;
        }
        if (isatty(STDIN_FILENO))
                return STATUS_DONE;
        text_error("--interactive needs a terminal to ask on, and standard input is none");
        return STATUS_FAILED;
}

enum exit_status verb_apply(struct context *context) {
        enum exit_status status;

        status = check_interactive(&context->options);
        if (status != STATUS_DONE)
                return status;
        if (!context->options.dry_run && !change_is_permitted("apply", "'setractl plan' shows what it would do"))
                return STATUS_FAILED;
        if (!context->options.dry_run && change_mend_trials() < 0)
                return STATUS_FAILED;
        if (survey_chosen(context) < 0)
                return STATUS_FAILED;
        if (context->options.dry_run) {
                report_plan(stdout, &context->survey->plan, context->colors);
                return STATUS_DONE;
        }
        return make_changes(context);
}
