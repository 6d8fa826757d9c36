/* SPDX-License-Identifier: MIT */

/* setractl apply: makes the changes of the plan, bottom up, in a worker, each with a deadline and noted in the ledger. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"
#include "cli/change-batch.h"
#include "cli/device-change.h"
#include "cli/find-layer.h"
#include "cli/measure.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/apply.h"
#include "common/change.h"
#include "common/ledger-record.h"

/* 0, or why the device does not have what the rule asks for. */
static int error_of(const struct apply_result *result) {
        return result->error < 0 ? result->error : result->put_back_error;
}

static int report_result(const void *subject, const struct apply_result *result) {
        const struct decision *decision = subject;
        _cleanup_(freep) char *sentence = change_sentence(decision, result), *title = NULL;
        int error = error_of(result);

        if (error == -EINTR) {
                title = text_layer_title(decision->layer);
                text_error("%s: interrupted%s", title ?: decision->layer->label,
                                result->changed ? "; whether it was changed is not known" : " before it was changed");
                return error;
        }
        if (error < 0 && sentence)
                text_error("%s", sentence);
        else if (error < 0)
                text_error("%s: %s: %s", decision->layer->label, apply_step_name(result->step), strerror(-error));
        else if (sentence)
                text_print(stdout, "%s", sentence);
        else
                text_print(stdout, "%s: readahead %" PRIu64 " → %" PRIu64 " sectors", decision->layer->label,
                                result->before_sectors, result->after_sectors);
        if (error < 0)
                return error;
        fflush(stdout); /* the next one may take its time */
        return 0;
}

static void report_lost(const void *subject, int error) {
        const struct decision *decision = subject;
        _cleanup_(freep) char *title = text_layer_title(decision->layer);

        change_report_lost(title ?: decision->layer->label, error);
}

static bool find_end(const void *subject, const struct apply_result *result, struct ledger_end *ret) {
        if (result->put_back)
                ret->outcome = LEDGER_PUT_BACK;
        else
                ret->outcome = result->changed ? LEDGER_CONFIRMED : LEDGER_STANDS;
        ret->back_to_sectors = result->before_sectors;
        ret->probe = &result->probe;
        return true;
}

static const struct change_batch_ops ops = {.report = report_result, .report_lost = report_lost, .end = find_end};

static void add_change(
                struct change_batch *batch, const struct decision *decision, const struct apply_request *request) {
        const struct ledger_intent intent = {.change = change_record(decision, request)};

        change_batch_add(batch, decision, &request->device, request, &intent);
}

/* Alone, so that nothing is between its two measurements and the reader is told how far it is. */
static int make_measured(struct change_batch *batch, const struct decision *decision, struct apply_request *request) {
        _cleanup_(measure_progress_freep) struct probe_progress *progress = measure_progress_new();
        _cleanup_(freep) char *title = text_layer_title(decision->layer);
        int r;

        r = change_batch_run(batch);
        if (batch->signal_number != 0)
                return r;
        request->progress = progress;
        batch->title = title;
        add_change(batch, decision, request);
        if (change_batch_run(batch) < 0)
                r = -EIO;
        batch->title = NULL;
        return r;
}

/* With those that come after it, or now. 0, or a negative errno after saying on stderr what is wrong. */
static int make_change(const struct context *context, struct change_batch *batch, const struct decision *decision) {
        struct apply_request request = {};
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
        if (request.probe)
                return make_measured(batch, decision, &request);
        add_change(batch, decision, &request);
        return change_batch_is_full(batch) ? change_batch_run(batch) : 0;
}

/* *ASKS is whether the next one is asked about, too. */
static enum answer ask_on(bool *asks) {
        enum answer answer;

        if (!*asks)
                return ANSWER_YES;
        answer = ask(stdin, stderr, "Make this change?");
        *asks = answer != ANSWER_ALL;
        return answer;
}

/* What is asked about. Says on stderr if it can't be shown. */
static bool show_change(const struct context *context, const struct decision *decision) {
        int r = report_change(stderr, decision, context->colors && isatty(STDERR_FILENO));

        if (r < 0)
                text_error("cannot show what would be changed: %s", strerror(-r));
        return r == 0;
}

/* Those that are asked about are made one by one. */
static enum exit_status make_batches(const struct context *context, struct change_batch *batch) {
        const struct plan *plan = &context->survey->plan;
        enum exit_status status = STATUS_DONE;
        bool asks = context->options.interactive;

        for (size_t i = 0; i < plan->n_decisions && batch->signal_number == 0; i++) {
                enum answer answer;

                if (!decision_is_change(&plan->decisions[i]))
                        continue;
                if (asks && !show_change(context, &plan->decisions[i])) {
                        status = STATUS_FAILED;
                        break;
                }
                answer = ask_on(&asks);
                if (answer == ANSWER_QUIT)
                        break;
                if (answer != ANSWER_NO && make_change(context, batch, &plan->decisions[i]) < 0)
                        status = STATUS_FAILED;
                if (asks && change_batch_run(batch) < 0)
                        status = STATUS_FAILED;
        }
        if (batch->signal_number == 0 && change_batch_run(batch) < 0)
                status = STATUS_FAILED;
        return status;
}

static enum exit_status make_changes(const struct context *context) {
        const struct plan *plan = &context->survey->plan;
        struct change_batch batch;
        enum exit_status status;

        if (change_batch_init(&batch, &ops, context->root) < 0) {
                text_error("%s", strerror(ENOMEM));
                return STATUS_FAILED;
        }
        status = make_batches(context, &batch);
        change_batch_done(&batch);
        if (batch.signal_number != 0)
                measure_end_by(batch.signal_number);
        if (report_held(stdout, plan, context->colors) < 0) {
                text_error("cannot print what is held: %s", strerror(ENOMEM));
                status = STATUS_FAILED;
        }
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
                if (report_plan(stdout, &context->survey->plan, context->colors) == 0)
                        return STATUS_DONE;
                text_error("cannot print the plan: %s", strerror(ENOMEM));
                return STATUS_FAILED;
        }
        return make_changes(context);
}
