/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "common/change.h"
#include "common/ledger-record.h"
#include "daemon/attempts.h"
#include "daemon/budget.h"
#include "daemon/changes.h"
#include "daemon/driftlimit.h"
#include "daemon/job.h"
#include "daemon/journal.h"

#define RETRY_USEC UINT64_C(1000000)

/* Who has the ledger for so long hangs, or has been stopped: that is told, and asked for less often. */
#define LOCKED_LONG_USEC UINT64_C(10000000)
#define RETRY_LATER_USEC UINT64_C(10000000)

struct running {
        struct running *next;
        struct changes *changes;
        struct job *job;
        uint64_t start_usec;
        uint64_t probe_usec, probe_bytes; /* taken of the budget */
        bool stuck;                       /* it holds its device, and nobody else up */
};

struct changes {
        sd_event *event;
        const struct sysroot *root;
        changes_handler handler;
        void *userdata;
        struct changes_limits limits;
        struct running *running;
        size_t n_running;
        struct nameset left_over;      /* devices whose change waits for a worker, or the ledger */
        sd_event_source *retry_source; /* for the ledger */
        bool locked;                   /* another program had it, when a change was to be started */
        bool locked_told;
        uint64_t locked_usec; /* since then */
        struct attempts attempts;
        struct driftlimit *driftlimit;
        struct budget budget;
};

/* What is to be started. */
struct start {
        struct changes *changes;
        struct survey *survey;
        const struct decision *decision;
        struct apply_request request;
        uint64_t probe_usec, probe_bytes; /* taken of the budget */
};

int changes_new(sd_event *event, const struct sysroot *root, changes_handler handler, void *userdata,
                struct changes **ret) {
        _cleanup_(changes_freep) struct changes *changes = calloc(1, sizeof(*changes));

        if (!changes)
                return -ENOMEM;
        *changes = (struct changes){.event = event, .root = root, .handler = handler, .userdata = userdata};
        changes->driftlimit = driftlimit_new();
        if (!changes->driftlimit)
                return -ENOMEM;
        *ret = TAKE_PTR(changes);
        return 0;
}

void changes_set_limits(struct changes *changes, const struct changes_limits *limits) {
        changes->limits = *limits;
        changes->budget.time_usec = limits->probe_usec;
        changes->budget.bytes = limits->probe_bytes;
}

void changes_free(struct changes *changes) {
        if (!changes)
                return;
        /* All at once, so that they need not be waited for one after the other. */
        for (struct running *running = changes->running; running; running = running->next)
                job_kill(running->job);
        while (changes->running) {
                struct running *running = changes->running;

                changes->running = running->next;
                job_free(running->job);
                free(running);
        }
        sd_event_source_disable_unref(changes->retry_source);
        driftlimit_free(changes->driftlimit);
        nameset_done(&changes->left_over);
        attempts_done(&changes->attempts);
        free(changes);
}

void changes_forgive(struct changes *changes) {
        attempts_forgive(&changes->attempts, NULL);
        driftlimit_forgive(changes->driftlimit, NULL);
}

static uint64_t now_usec(const struct changes *changes) {
        uint64_t now = 0;

        (void)sd_event_now(changes->event, CLOCK_MONOTONIC, &now);
        return now;
}

bool changes_are_under_way(const struct changes *changes, const struct device_identity *device) {
        for (const struct running *running = changes->running; running; running = running->next)
                if (device_identity_equal(&job_request(running->job)->device, device))
                        return true;
        return false;
}

static bool changes_are_left(const struct changes *changes) {
        return changes->left_over.n > 0 || changes->left_over.all;
}

static void leave_over(const struct start *start) {
        nameset_add(&start->changes->left_over, start->decision->layer->sysname);
}

void changes_take_left(struct changes *changes, struct nameset *ret) {
        *ret = changes->left_over;
        changes->left_over = (struct nameset){};
}

static bool is_waited_for(const struct running *running) {
        return !running->stuck;
}

/* What the probe has not used of the budget. */
static void give_back(struct running *running) {
        uint64_t took = now_usec(running->changes) - running->start_usec;
        uint64_t read = job_result(running->job)->probe.bytes_read;

        budget_give_back(&running->changes->budget, took < running->probe_usec ? running->probe_usec - took : 0,
                        read < running->probe_bytes ? running->probe_bytes - read : 0);
}

static void end_running(struct running *running) {
        struct changes *changes = running->changes;
        struct running **link = &changes->running;

        while (*link != running)
                link = &(*link)->next;
        *link = running->next;
        changes->n_running -= is_waited_for(running);
        give_back(running);
        job_free(running->job);
        free(running);
}

static void count_failure(
                struct changes *changes, const struct decision *decision, const struct apply_request *request) {
        if (attempts_count(&changes->attempts, &request->device, request->to_sectors, now_usec(changes)))
                journal_gave_up(decision, ATTEMPTS_MAX);
}

static void on_job(struct job *job, enum job_news news, void *userdata) {
        struct running *running = userdata;
        struct changes *changes = running->changes;
        const struct decision *decision = job_decision(job);
        bool left_over = changes_are_left(changes);

        if (news == JOB_FAILED || news == JOB_STUCK)
                count_failure(changes, decision, job_request(job));
        else if (news == JOB_DONE)
                attempts_forgive(&changes->attempts, &job_request(job)->device);
        if (news == JOB_STUCK) {
                journal_stuck(decision);
                running->stuck = true;
                changes->n_running--;
        } else {
                if (news == JOB_FREED)
                        journal_released(decision->layer->label);
                changes->handler(decision, job_result(job), changes->userdata);
                end_running(running);
        }

        if (left_over)
                changes->handler(NULL, NULL, changes->userdata);
}

static unsigned drift_per_hour(const struct start *start) {
        const struct changes_limits *limits = &start->changes->limits;

        return start->decision->drift == DRIFT_RESET ? limits->resets_per_hour : limits->reasserts_per_hour;
}

/* What was set behind setrad's back is set again so often and no more. */
static bool drift_allows(const struct start *start) {
        struct changes *changes = start->changes;
        const struct device_identity *device = &start->request.device;
        enum drift drift = start->decision->drift;
        uint64_t now = now_usec(changes);

        if (drift == DRIFT_NONE) {
                driftlimit_forgive(changes->driftlimit, device);
                return true;
        }
        switch (driftlimit_ask(changes->driftlimit, device, drift, drift_per_hour(start), now)) {
        case DRIFTLIMIT_GO: return true;
        case DRIFTLIMIT_STOP:
                (void)driftlimit_take(changes->driftlimit, device, drift, drift_per_hour(start), now);
                journal_drift_gave_up(start->decision, drift_per_hour(start));
                return false;
        case DRIFTLIMIT_STOPPED: break;
        }
        return false;
}

/* It is being set again: that counts. */
static void note_drift(const struct start *start) {
        if (start->decision->drift == DRIFT_NONE)
                return;
        (void)driftlimit_take(start->changes->driftlimit, &start->request.device, start->decision->drift,
                        drift_per_hour(start), now_usec(start->changes));
        journal_drift(start->decision);
}

static void skip_probe(struct apply_request *request, const char *reason, const char *detail) {
        request->probe = false;
        snprintf(request->probe_skipped, sizeof(request->probe_skipped), "%s%s", detail, reason);
}

/*
 * One probe at a time, or they would measure each other. A change does not wait for its turn: while it is measured a
 * device can't be removed, and LVM's patience with that ends after five seconds.
 */
static void limit_probe(struct start *start) {
        struct changes *changes = start->changes;
        struct apply_request *request = &start->request;
        uint64_t usec = request->probe_limits.time_msec * 1000, bytes;

        if (request->probe && start->decision->drift != DRIFT_NONE)
                skip_probe(request, "it only puts back what was there before", "");
        for (const struct running *running = changes->running; running && request->probe; running = running->next)
                if (is_waited_for(running) && job_request(running->job)->probe)
                        skip_probe(request, " is being measured at the moment",
                                        job_decision(running->job)->layer->label);
        if (!request->probe)
                return;
        if (__builtin_mul_overflow(request->probe_limits.bytes_per_run,
                            (uint64_t)request->probe_limits.runs * (request->has_array ? 3 : 2), &bytes))
                bytes = UINT64_MAX;
        if (!budget_take(&changes->budget, usec, bytes, now_usec(changes))) {
                skip_probe(request, "this hour's probe-budget is used up", "");
                return;
        }
        start->probe_usec = usec;
        start->probe_bytes = bytes;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        struct changes *changes = userdata;

        changes->retry_source = sd_event_source_disable_unref(changes->retry_source);
        changes->handler(NULL, NULL, changes->userdata);
        return 0;
}

static void note_locked(struct changes *changes) {
        uint64_t now = now_usec(changes);

        if (changes->locked_usec == 0)
                changes->locked_usec = now;
        changes->locked = true;
        if (changes->locked_told || now - changes->locked_usec < LOCKED_LONG_USEC)
                return;
        changes->locked_told = true;
        journal_printf(LOG_WARNING,
                        "another program has had the ledger in " LEDGER_DIRECTORY " locked for %" PRIu64
                        " s: no readahead is changed until it lets go",
                        (now - changes->locked_usec) / 1000000);
}

/* Another program has the ledger: later, then. */
static void retry_later(struct changes *changes) {
        int r;

        note_locked(changes);
        if (changes->retry_source)
                return;
        r = sd_event_add_time_relative(changes->event, &changes->retry_source, CLOCK_MONOTONIC,
                        changes->locked_told ? RETRY_LATER_USEC : RETRY_USEC, 0, on_retry, changes);
        if (r < 0)
                journal_printf(LOG_ERR, "another attempt can't be scheduled: %s", strerror(-r));
}

/* What keeps the loop from starting a worker: another program with the ledger, or want of something. */
static void tell_not_started(const struct start *start, int error) {
        if (error == -ETIMEDOUT) {
                leave_over(start);
                retry_later(start->changes);
                return;
        }
        journal_not_started(start->decision, error);
        count_failure(start->changes, start->decision, &start->request);
}

static int run(const struct start *start) {
        struct changes *changes = start->changes;
        _cleanup_(freep) struct running *running = calloc(1, sizeof(*running));
        int r;

        if (!running)
                return -ENOMEM;
        *running = (struct running){
                        .changes = changes,
                        .start_usec = now_usec(changes),
                        .probe_usec = start->probe_usec,
                        .probe_bytes = start->probe_bytes,
        };
        const struct job_setup setup = {
                        .event = changes->event,
                        .root = changes->root,
                        .deadline_msec = changes->limits.deadline_msec,
                        .survey = start->survey,
                        .decision = start->decision,
                        .request = &start->request,
                        .handler = on_job,
                        .userdata = running,
        };
        r = job_start(&setup, &running->job);
        if (r < 0)
                return r;
        changes->n_running++;
        running->next = changes->running;
        changes->running = TAKE_PTR(running);
        return 0;
}

static void start_change(struct start *start) {
        struct changes *changes = start->changes;
        int r;

        if (change_request(start->survey, start->decision, &start->request) < 0)
                return;
        if (attempts_exhausted(
                            &changes->attempts, &start->request.device, start->request.to_sectors, now_usec(changes)))
                return;
        if (changes->n_running >= changes->limits.workers || changes_are_under_way(changes, &start->request.device)) {
                leave_over(start);
                return;
        }
        if (!drift_allows(start))
                return;
        limit_probe(start);
        r = run(start);
        if (r < 0) {
                budget_give_back(&changes->budget, start->probe_usec, start->probe_bytes);
                tell_not_started(start, r);
                return;
        }
        note_drift(start);
}

void changes_start(struct changes *changes, struct survey *survey, bool all) {
        changes->locked = false;
        if (all)
                nameset_done(&changes->left_over);
        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                struct start start = {
                                .changes = changes,
                                .survey = survey,
                                .decision = &survey->plan.decisions[i],
                };

                if (!start.decision->layer->carried && decision_is_change(start.decision))
                        start_change(&start);
        }
        if (!changes->locked) {
                changes->locked_told = false;
                changes->locked_usec = 0;
        }
        /* With no worker that would say so when it is done. */
        if (changes_are_left(changes) && changes->n_running == 0)
                changes->handler(NULL, NULL, changes->userdata);
}
