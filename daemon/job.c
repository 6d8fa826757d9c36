/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <syslog.h>

#include "common/change.h"
#include "common/clock.h"
#include "common/ledger-fate.h"
#include "common/ledger-record.h"
#include "common/worker.h"
#include "daemon/job.h"
#include "daemon/journal.h"

#define LOCK_WAIT_MSEC   500U
#define KILL_GRACE_MSEC  100U
#define PATIENCE_USEC    UINT64_C(250000) /* with one that others wait for */
#define TIMER_SLACK_USEC UINT64_C(50000)

struct job {
        sd_event *event;
        struct survey *survey;
        const struct sysroot *root;
        unsigned deadline_msec;
        job_handler handler;
        void *userdata;
        struct job_change *changes;
        size_t n, n_ended, n_told; /* ended: there is a result, or it is lost */
        uint64_t since_usec;       /* since when the worker has been at the first that has not ended */
        struct worker *worker;
        sd_event_source *io_source, *timer_source;
        bool stuck; /* killed, but it does not die; the last change is what it is at */
};

const struct job_change *job_first(const struct job *job) {
        return &job->changes[0];
}

static void give_news(struct job *job, const struct job_change *change, enum job_news news) {
        if (job->handler)
                job->handler(job, change, news, job->userdata);
}

/* What the change is about: the first finding of the layer that concerns its readahead. */
static const char *finding_code_of(const struct job *job, const struct job_change *change) {
        size_t n;
        const struct finding *items = findings_of(&job->survey->findings, change->decision->layer, &n);

        for (size_t i = 0; i < n; i++)
                if (items[i].code <= FINDING_READAHEAD_IMPLAUSIBLE)
                        return finding_code_name(items[i].code);
        return NULL;
}

/* --- what has ended goes on record, and is told of */

/* Its worker is gone without a word: sysfs says whether it came as far as the change. */
static void find_result(const struct job *job, struct job_change *change) {
        const struct apply_request *request = &change->request;
        const struct ledger_entry asked = {.device = request->device, .new_sectors = request->to_sectors};
        const enum ledger_fate fate = ledger_judge_value(&asked, job->root);

        change->stays_pending = fate == LEDGER_UNDECIDED;
        if (fate != LEDGER_MADE)
                return;
        change->result = (struct apply_result){
                        .step = APPLY_PROBE,
                        .changed = true,
                        .before_sectors = request->from_sectors,
                        .after_sectors = request->to_sectors,
                        .probe = {.skipped = "it was cut short"},
        };
}

static enum ledger_outcome outcome_of(const struct apply_result *result) {
        if (result->put_back)
                return LEDGER_PUT_BACK;
        return result->changed ? LEDGER_CONFIRMED : LEDGER_STANDS;
}

/* Of changes FIRST to N. */
static int record_ends(const struct job *job, size_t first, size_t n, bool *ret_damaged) {
        _cleanup_(freep) struct ledger_end *ends = calloc(n - first, sizeof(*ends));
        size_t n_ends = 0;

        if (!ends)
                return -ENOMEM;
        for (size_t i = first; i < n; i++) {
                const struct apply_result *result = &job->changes[i].result;

                if (job->changes[i].stays_pending)
                        continue;
                ends[n_ends++] = (struct ledger_end){
                                .device = &job->changes[i].request.device,
                                .outcome = outcome_of(result),
                                .back_to_sectors = result->before_sectors,
                                .probe = &result->probe,
                };
        }
        return n_ends > 0 ? ledger_record_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, ends, n_ends, ret_damaged) : 0;
}

static void put_on_record(const struct job *job, size_t first, size_t n) {
        bool damaged = false;
        int r;

        if (first == n)
                return;
        r = record_ends(job, first, n, &damaged);
        if (damaged)
                journal_ledger_damaged();
        for (size_t i = first; i < n && r < 0; i++)
                journal_ledger_failed(job->changes[i].decision, r);
}

static enum job_news tell_lost(const struct job *job, const struct job_change *change) {
        if (change->result.changed)
                journal_changed(change->decision, &change->result, finding_code_of(job, change));
        else
                journal_worker_lost(change->decision, change->lost);
        if (job->stuck && change == &job->changes[job->n_ended - 1])
                return JOB_STUCK;
        return change->result.changed ? JOB_DONE : JOB_FAILED;
}

static enum job_news tell_result(const struct job *job, const struct job_change *change) {
        const struct apply_result *result = &change->result;

        switch (result->error) {
        case 0:
                if (result->changed || result->put_back)
                        journal_changed(change->decision, result, finding_code_of(job, change));
                return JOB_DONE;
        case -ENODEV:
        case -ENXIO:
        case -ESTALE:
        case -ENOENT: journal_vanished(change->decision); return JOB_DONE;
        case -EAGAIN: return JOB_STALE;
        default: journal_change_failed(change->decision, result); return JOB_FAILED;
        }
}

static void finish_ended(struct job *job) {
        size_t first = job->n_told;

        for (size_t i = first; i < job->n_ended; i++)
                if (job->changes[i].lost < 0)
                        find_result(job, &job->changes[i]);
        put_on_record(job, first, job->n_ended);
        job->n_told = job->n_ended;
        for (size_t i = first; i < job->n_ended; i++) {
                const struct job_change *change = &job->changes[i];

                give_news(job, change, change->lost < 0 ? tell_lost(job, change) : tell_result(job, change));
        }
}

/* --- the worker */

/* Takes what there is of results: as worker_collect(), but not 0. */
static int take_results(struct job *job) {
        struct apply_result result;
        int r;

        while ((r = worker_collect(job->worker, &result)) == 0) {
                job->changes[job->n_ended++].result = result;
                job->since_usec = monotonic_usec();
        }
        return r;
}

/*
 * The worker is gone, or at least is waited for no longer: so is what it has begun and not told of. One that is gone by itself
 * has not come to the next for a reason that may hold for every worker: that one is lost, too.
 */
static void lose(struct job *job, int error) {
        size_t n_begun = worker_cut(job->worker);

        if (error == -EPIPE && n_begun == job->n_ended)
                n_begun++;
        while (job->n_ended < n_begun && job->n_ended < job->n)
                job->changes[job->n_ended++].lost = error;
}

static uint64_t deadline_usec(const struct job *job) {
        return job->since_usec +
               UINT64_C(1000) * change_deadline_msec(&job->changes[job->n_ended].request, job->deadline_msec);
}

static void arm(struct job *job, uint64_t patience_from_usec) {
        uint64_t due = deadline_usec(job), patience = patience_from_usec + PATIENCE_USEC;
        int r;

        if (job->n_ended + 1 < job->n && patience < due)
                due = patience;
        r = sd_event_source_set_time(job->timer_source, due);
        if (r >= 0)
                r = sd_event_source_set_enabled(job->timer_source, SD_EVENT_ONESHOT);
        if (r < 0)
                journal_printf(LOG_ERR, "a deadline can't be set: %s", strerror(-r));
}

/* The worker is gone. R as take_results(). */
static void finish(struct job *job, int r) {
        (void)sd_event_source_set_enabled(job->timer_source, SD_EVENT_OFF);
        (void)sd_event_source_set_enabled(job->io_source, SD_EVENT_OFF);
        if (r != -ENODATA)
                lose(job, r);
        finish_ended(job);
        give_news(job, NULL, JOB_OVER);
}

/*
 * ERROR is why the worker is waited for no longer. It must not go on: what it has begun is looked for in sysfs. One that does
 * not die closes its pipe when it does at last, which on_worker() hears of.
 */
static void cut_short(struct job *job, int error) {
        bool stuck = worker_kill(job->worker, KILL_GRACE_MSEC) == -EBUSY;
        int r = take_results(job);

        if (!stuck) {
                finish(job, r == -ENODATA ? r : error);
                return;
        }
        lose(job, -EBUSY);
        job->stuck = true;
        finish_ended(job);
}

/* R as take_results(). */
static void go_on(struct job *job, int r) {
        if (r == -EAGAIN)
                arm(job, job->since_usec);
        else if (r == -ENODATA || r == -EPIPE)
                finish(job, r);
        else
                cut_short(job, r);
}

static int on_worker(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct job *job = userdata;
        struct apply_result result;

        if (!job->stuck)
                go_on(job, take_results(job));
        else if (worker_collect(job->worker, &result) != -EAGAIN) {
                give_news(job, &job->changes[job->n_ended - 1], JOB_FREED);
                give_news(job, NULL, JOB_OVER);
        }
        return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata) {
        struct job *job = userdata;
        size_t n_ended = job->n_ended;
        int r;

        r = take_results(job);
        if (r != -EAGAIN || job->n_ended > n_ended) {
                go_on(job, r);
                return 0;
        }
        if (monotonic_usec() >= deadline_usec(job)) {
                cut_short(job, -ETIMEDOUT);
                return 0;
        }
        finish_ended(job);
        give_news(job, NULL, JOB_STALLED);
        /* Of one that has come to a halt between two changes nothing is waited for any more. */
        if (job->n_ended == job->n)
                go_on(job, -ENODATA);
        else
                arm(job, monotonic_usec());
        return 0;
}

static int run_apply(const void *input, void *result) {
        return apply_change(input, result);
}

static int watch(struct job *job) {
        int r;

        job->since_usec = monotonic_usec();
        r = sd_event_add_io(job->event, &job->io_source, worker_fd(job->worker), EPOLLIN, on_worker, job);
        if (r < 0)
                return r;
        r = sd_event_add_time(job->event, &job->timer_source, CLOCK_MONOTONIC, deadline_usec(job), TIMER_SLACK_USEC,
                        on_timer, job);
        if (r >= 0)
                arm(job, job->since_usec);
        return r;
}

/* What it has not begun is not told of. */
static void cancel(struct job *job) {
        size_t n = job->n;

        job->handler = NULL;
        job->n = worker_cut(job->worker);
        (void)worker_kill(job->worker, KILL_GRACE_MSEC);
        (void)take_results(job);
        lose(job, -ECANCELED);
        put_on_record(job, job->n, n);
        finish_ended(job);
}

static int start_worker(struct job *job) {
        const struct worker_jobs jobs = {
                        .job = run_apply,
                        .inputs = &job->changes[0].request,
                        .n = job->n,
                        .input_size = sizeof(*job->changes),
                        .result_size = sizeof(struct apply_result),
        };
        int r;

        r = worker_start(&jobs, &job->worker);
        if (r < 0) {
                put_on_record(job, 0, job->n);
                return r;
        }
        r = watch(job);
        /* It may have begun already. */
        if (r < 0)
                cancel(job);
        return r < 0 ? r : 0;
}

/* --- the job */

void job_kill(struct job *job) {
        if (job->n_ended < job->n)
                (void)worker_kill(job->worker, 0);
}

void job_free(struct job *job) {
        if (!job)
                return;
        if (job->worker && job->n_told < job->n)
                cancel(job);
        sd_event_source_disable_unref(job->io_source);
        sd_event_source_disable_unref(job->timer_source);
        worker_freep(&job->worker);
        survey_unref(job->survey);
        free(job->changes);
        free(job);
}

static int job_new(const struct job_setup *setup, struct job **ret) {
        _cleanup_(freep) struct job *job = calloc(1, sizeof(*job));
        _cleanup_(freep) struct job_change *changes = calloc(setup->n, sizeof(*changes));

        if (!job || !changes)
                return -ENOMEM;
        memcpy(changes, setup->changes, setup->n * sizeof(*changes));
        *job = (struct job){
                        .event = setup->event,
                        .survey = survey_ref(setup->survey),
                        .root = setup->root,
                        .deadline_msec = setup->deadline_msec,
                        .handler = setup->handler,
                        .userdata = setup->userdata,
                        .changes = TAKE_PTR(changes),
                        .n = setup->n,
        };
        *ret = TAKE_PTR(job);
        return 0;
}

static void refuse(struct job *job, const struct job_change *change, int error) {
        journal_not_started(change->decision, error);
        give_news(job, change, JOB_REFUSED);
}

/* On record first: an original value that is not known could not be put back. Those that can't be there go. */
static int record_begin(struct job *job) {
        _cleanup_(freep) struct ledger_intent *intents = calloc(job->n, sizeof(*intents));
        bool damaged = false;
        size_t n = 0;
        int r;

        if (!intents)
                return -ENOMEM;
        for (size_t i = 0; i < job->n; i++)
                intents[i] = (struct ledger_intent){.device = &job->changes[i].request.device,
                                .change = change_record(job->changes[i].decision, &job->changes[i].request)};
        r = ledger_record_begin(LEDGER_DIRECTORY, 0, intents, job->n, &damaged);
        if (damaged)
                journal_ledger_damaged();
        for (size_t i = 0; r >= 0 && i < job->n; i++) {
                if (intents[i].error < 0)
                        refuse(job, &job->changes[i], intents[i].error);
                else
                        job->changes[n++] = job->changes[i];
        }
        job->n = r < 0 ? job->n : n;
        return r;
}

int job_start(const struct job_setup *setup, struct job **ret) {
        _cleanup_(job_freep) struct job *job = NULL;
        int r;

        *ret = NULL;
        r = job_new(setup, &job);
        if (r < 0)
                return r;
        r = record_begin(job);
        if (r < 0 || job->n == 0)
                return r;
        r = start_worker(job);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(job);
        return 0;
}

int job_split(struct job *job, void *userdata, struct job **ret) {
        _cleanup_(job_freep) struct job *rest = NULL;
        size_t n_begun = worker_cut(job->worker), first = n_begun > job->n_ended ? n_begun : job->n_ended;
        const struct job_setup setup = {
                        .event = job->event,
                        .root = job->root,
                        .deadline_msec = job->deadline_msec,
                        .survey = job->survey,
                        .changes = job->changes + first,
                        .n = job->n - first,
                        .handler = job->handler,
                        .userdata = userdata,
        };
        int r;

        *ret = NULL;
        if (setup.n == 0)
                return 0;
        job->n = first;
        r = userdata ? job_new(&setup, &rest) : -ENOMEM;
        if (r == 0)
                r = start_worker(rest);
        for (size_t i = 0; r < 0 && i < setup.n; i++)
                refuse(job, &setup.changes[i], r);
        if (r == 0)
                *ret = TAKE_PTR(rest);
        return r;
}
