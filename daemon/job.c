/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <sys/epoll.h>

#include "common/change.h"
#include "common/ledger-fate.h"
#include "common/ledger-record.h"
#include "common/worker.h"
#include "daemon/job.h"
#include "daemon/journal.h"

#define LOCK_WAIT_MSEC      500U
#define KILL_GRACE_MSEC     100U
#define DEADLINE_SLACK_USEC UINT64_C(100000)

struct job {
        struct survey *survey;
        const struct decision *decision;
        const struct sysroot *root;
        struct apply_request request;
        struct apply_result result;
        job_handler handler;
        void *userdata;
        struct worker *worker;
        sd_event_source *io_source, *deadline_source;
        bool over;  /* told of */
        bool stuck; /* killed, but it does not die */
};

const struct decision *job_decision(const struct job *job) {
        return job->decision;
}

const struct apply_request *job_request(const struct job *job) {
        return &job->request;
}

const struct apply_result *job_result(const struct job *job) {
        return &job->result;
}

/* What the change is about: the first finding of the layer that concerns its readahead. */
static const char *finding_code_of(const struct job *job) {
        size_t n;
        const struct finding *items = findings_of(&job->survey->findings, job->decision->layer, &n);

        for (size_t i = 0; i < n; i++)
                if (items[i].code <= FINDING_READAHEAD_IMPLAUSIBLE)
                        return finding_code_name(items[i].code);
        return NULL;
}

static void tell_record(const struct job *job, int error, bool damaged) {
        if (damaged)
                journal_ledger_damaged();
        if (error < 0)
                journal_ledger_failed(job->decision, error);
}

static void record_end(const struct job *job, bool made, const struct probe_result *probe) {
        bool damaged = false;
        int r;

        r = ledger_record_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &job->request.device, made, probe, &damaged);
        tell_record(job, r, damaged);
}

static void record_put_back(const struct job *job, const struct apply_result *result) {
        bool damaged = false;
        int r;

        r = ledger_record_put_back(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &job->request.device, result->before_sectors,
                        &result->probe, &damaged);
        tell_record(job, r, damaged);
}

/*
 * The worker is gone without a word: sysfs says whether it came as far as the change, which is returned. ERROR is why it
 * is gone.
 */
static bool resolve_lost(struct job *job, int error) {
        const struct ledger_entry asked = {.device = job->request.device, .new_sectors = job->request.to_sectors};
        struct apply_result result = {
                        .step = APPLY_PROBE,
                        .changed = true,
                        .before_sectors = job->request.from_sectors,
                        .after_sectors = job->request.to_sectors,
                        .probe = {.skipped = "it was cut short"},
        };
        bool made = ledger_judge_value(&asked, job->root) == LEDGER_MADE;

        job->over = true;
        record_end(job, made, NULL);
        if (!made) {
                journal_worker_lost(job->decision, error);
                return false;
        }
        job->result = result;
        journal_changed(job->decision, &result, finding_code_of(job));
        return true;
}

void job_kill(struct job *job) {
        if (!job->over)
                (void)worker_kill(job->worker, 0);
}

void job_free(struct job *job) {
        if (!job)
                return;
        if (job->worker && !job->over) {
                (void)worker_kill(job->worker, KILL_GRACE_MSEC);
                (void)resolve_lost(job, -ECANCELED);
        }
        sd_event_source_disable_unref(job->io_source);
        sd_event_source_disable_unref(job->deadline_source);
        worker_freep(&job->worker);
        survey_unref(job->survey);
        free(job);
}

static enum job_news tell_result(struct job *job, const struct apply_result *result) {
        job->over = true;
        job->result = *result;
        if (result->put_back)
                record_put_back(job, result);
        else
                record_end(job, result->changed, &result->probe);
        switch (result->error) {
        case 0:
                if (result->changed || result->put_back)
                        journal_changed(job->decision, result, finding_code_of(job));
                return JOB_DONE;
        case -ENODEV:
        case -ENXIO:
        case -ESTALE:
        case -ENOENT: journal_vanished(job->decision); return JOB_DONE;
        case -EAGAIN: return JOB_STALE;
        default: journal_change_failed(job->decision, result); return JOB_FAILED;
        }
}

static enum job_news collect_news(struct job *job, int error, const struct apply_result *result) {
        if (job->stuck)
                return JOB_FREED;
        if (error == 0)
                return tell_result(job, result);
        return resolve_lost(job, error) ? JOB_DONE : JOB_FAILED;
}

static int on_worker(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct job *job = userdata;
        struct apply_result result = {};
        int r;

        r = worker_collect(job->worker, &result);
        if (r != -EAGAIN)
                job->handler(job, collect_news(job, r, &result), job->userdata);
        return 0;
}

/* A worker that does not die closes its pipe when it does at last, which on_worker() hears of. */
static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata) {
        struct job *job = userdata;
        bool made;
        int r;

        r = worker_kill(job->worker, KILL_GRACE_MSEC);
        job->stuck = r == -EBUSY;
        made = resolve_lost(job, job->stuck ? -EBUSY : -ETIMEDOUT);
        job->handler(job, job->stuck ? JOB_STUCK : made ? JOB_DONE : JOB_FAILED, job->userdata);
        return 0;
}

static int run_apply(const void *input, void *result) {
        return apply_change(input, result);
}

static int watch(struct job *job, sd_event *event, unsigned deadline_msec) {
        uint64_t deadline_usec = UINT64_C(1000) * change_deadline_msec(&job->request, deadline_msec);
        int r;

        r = sd_event_add_io(event, &job->io_source, worker_fd(job->worker), EPOLLIN, on_worker, job);
        if (r < 0)
                return r;
        return sd_event_add_time_relative(event, &job->deadline_source, CLOCK_MONOTONIC, deadline_usec,
                        DEADLINE_SLACK_USEC, on_deadline, job);
}

/* On record first: an original value that is not known could not be put back. */
static int start_recorded(struct job *job, const struct job_setup *setup) {
        const struct ledger_change change = change_record(job->decision, &job->request);
        bool damaged = false;
        int r;

        r = ledger_record_begin(LEDGER_DIRECTORY, 0, &job->request.device, &change, &damaged);
        if (damaged)
                journal_ledger_damaged();
        if (r < 0)
                return r;

        r = worker_start(run_apply, &job->request, sizeof(struct apply_result), &job->worker);
        if (r >= 0)
                r = watch(job, setup->event, setup->deadline_msec);
        if (r < 0) {
                worker_freep(&job->worker);
                job->worker = NULL;
                record_end(job, false, NULL);
        }
        return r;
}

int job_start(const struct job_setup *setup, struct job **ret) {
        _cleanup_(job_freep) struct job *job = calloc(1, sizeof(*job));
        int r;

        if (!job)
                return -ENOMEM;
        *job = (struct job){
                        .survey = survey_ref(setup->survey),
                        .decision = setup->decision,
                        .root = setup->root,
                        .request = *setup->request,
                        .handler = setup->handler,
                        .userdata = setup->userdata,
        };
        r = start_recorded(job, setup);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(job);
        return 0;
}
