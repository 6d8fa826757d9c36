/* SPDX-License-Identifier: MIT */

/* setractl apply: makes the changes of the plan, bottom up, each in a worker with a deadline and noted in the ledger. */

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/apply.h"
#include "common/change.h"
#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/worker.h"

/* For the ioctls alone; what a probe may take is added to it. */
#define CHANGE_DEADLINE_MSEC 10000U

static bool may_administer(void) {
        struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

        if (syscall(SYS_capget, &header, data) < 0)
                return false;
        return data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

/* Says on stderr what is wrong with the ledger, if anything. Returns R. */
static int check_ledger(int r, bool damaged) {
        if (damaged)
                text_note("the ledger was damaged; it is set aside as %s/ledger.json.damaged", LEDGER_DIRECTORY);
        if (r == -ETIMEDOUT)
                text_error("another program has the ledger in %s locked", LEDGER_DIRECTORY);
        else if (r < 0)
                text_error("cannot write the ledger in %s: %s", LEDGER_DIRECTORY, strerror(-r));
        return r;
}

static int note_before(const struct decision *decision, const struct apply_request *request) {
        const struct ledger_change change = change_record(decision, request);
        bool damaged = false;
        int r;

        r = ledger_record_begin(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &request->device, &change, &damaged);
        return check_ledger(r, damaged);
}

static int note_after(const struct apply_request *request, const struct apply_result *result) {
        bool damaged = false;
        int r;

        r = ledger_record_end(LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &request->device, result->changed,
                        &result->probe, &damaged);
        return check_ledger(r, damaged);
}

static int apply_job(const void *input, void *result) {
        return apply_change(input, result) < 0;
}

static void report_lost_worker(const struct layer *layer, int error) {
        _cleanup_(freep) char *title = text_layer_title(layer);

        if (error == -ETIMEDOUT)
                text_error("%s: no answer within the deadline; whether it was changed is not known", title ?: "");
        else if (error == -EBUSY)
                text_error("%s: it hangs, and the process that waits for it can't be killed", title ?: "");
        else
                text_error("%s: the process that was to change it failed: %s", title ?: "", strerror(-error));
}

static void report_result(const struct decision *decision, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = change_sentence(decision, result);

        if (result->error < 0) {
                text_error("%s", sentence ?: strerror(-result->error));
                return;
        }
        text_print(stdout, "%s", sentence ?: "");
        fflush(stdout); /* the next one may take its time */
}

/* 0, or a negative errno after saying on stderr what is wrong. */
static int make_change(const struct context *context, const struct decision *decision) {
        struct apply_request request = {};
        struct apply_result result = {};
        int r, failed;

        r = change_request(context->survey, decision, &request);
        if (r < 0) {
                text_error("%s: cannot be changed: %s", decision->layer->name, strerror(-r));
                return r;
        }
        if (context->options.no_probe) {
                request.probe = false;
                request.probe_skipped[0] = '\0';
        }
        r = note_before(decision, &request);
        if (r < 0)
                return r;
        r = worker_run(apply_job, &request, &result, sizeof(result),
                        change_deadline_msec(&request, CHANGE_DEADLINE_MSEC));
        if (r < 0)
                report_lost_worker(decision->layer, r);
        else
                report_result(decision, &result);
        if (r == -ETIMEDOUT || r == -EBUSY || r == -EPIPE)
                return r; /* it may have been changed: its entry in the ledger stays, as pending */
        failed = r < 0 ? r : result.error;
        r = note_after(&request, &result);
        return failed < 0 ? failed : r;
}

static enum exit_status make_changes(const struct context *context) {
        const struct plan *plan = &context->survey->plan;
        enum exit_status status = STATUS_DONE;

        for (size_t i = 0; i < plan->n_decisions; i++)
                if (decision_is_change(&plan->decisions[i]) && make_change(context, &plan->decisions[i]) < 0)
                        status = STATUS_FAILED;
        report_held(stdout, plan);
        if (plan->n_changes == 0)
                text_print(stdout, "Nothing to change.");
        return status;
}

enum exit_status verb_apply(struct context *context) {
        if (!context->options.dry_run && !may_administer()) {
                text_error("apply needs CAP_SYS_ADMIN to set a device's readahead: run it as root; 'setractl plan' "
                           "shows what it would do");
                return STATUS_FAILED;
        }
        if (context_survey(context, POLICY_INSTALLED) < 0)
                return STATUS_FAILED;
        if (context->options.dry_run) {
                report_plan(stdout, &context->survey->plan);
                return STATUS_DONE;
        }
        return make_changes(context);
}
