/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/change.h"
#include "daemon/attempts.h"
#include "daemon/budget.h"
#include "daemon/changes.h"
#include "daemon/driftlimit.h"
#include "daemon/job.h"
#include "daemon/journal.h"

struct running {
        struct running *next;
        struct changes *changes;
        struct job *job;
        uint64_t start_usec;
};

struct changes {
        sd_event *event;
        const struct sysroot *root;
        changes_handler handler;
        void *userdata;
        struct changes_limits limits;
        struct running *running;
        size_t n_running;
        bool left_over; /* a change waits for a worker */
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
        while (changes->running) {
                struct running *running = changes->running;

                changes->running = running->next;
                job_free(running->job);
                free(running);
        }
        driftlimit_free(changes->driftlimit);
        free(changes);
}

void changes_forgive(struct changes *changes) {
        attempts_forgive(&changes->attempts);
        driftlimit_forgive(changes->driftlimit, NULL);
}

static uint64_t now_usec(const struct changes *changes) {
        uint64_t now = 0;

        (void)sd_event_now(changes->event, CLOCK_MONOTONIC, &now);
        return now;
}

static bool is_under_way(const struct changes *changes, const struct apply_request *request) {
        for (const struct running *running = changes->running; running; running = running->next)
                if (device_identity_equal(&job_request(running->job)->device, &request->device))
                        return true;
        return false;
}

static uint64_t probe_usec(const struct apply_request *request) {
        return request->probe ? request->probe_limits.time_msec * 1000 : 0;
}

static void end_running(struct running *running) {
        struct changes *changes = running->changes;
        struct running **link = &changes->running;

        while (*link != running)
                link = &(*link)->next;
        *link = running->next;
        changes->n_running--;
        budget_give_back(&changes->budget, probe_usec(job_request(running->job)),
                        now_usec(changes) - running->start_usec);
        job_free(running->job);
        free(running);
}

static void on_job(struct job *job, enum job_news news, void *userdata) {
        struct running *running = userdata;
        struct changes *changes = running->changes;
        const struct decision *decision = job_decision(job);
        const struct apply_request *request = job_request(job);
        bool failed = news == JOB_FAILED || news == JOB_STUCK, left_over = changes->left_over;

        if (failed && attempts_count(&changes->attempts, &request->device, request->to_sectors))
                journal_gave_up(decision, ATTEMPTS_MAX);
        if (news == JOB_STUCK) {
                journal_stuck(decision);
                return;
        }
        if (news == JOB_FREED)
                journal_released(decision->layer->label);
        changes->handler(decision, job_result(job), changes->userdata);
        end_running(running);

        changes->left_over = false;
        if (left_over)
                changes->handler(NULL, NULL, changes->userdata);
}

/* What was set behind setrad's back is set again so often and no more. */
static bool drift_allows(struct changes *changes, const struct start *start) {
        enum drift drift = start->decision->drift;
        unsigned per_hour = drift == DRIFT_RESET ? changes->limits.resets_per_hour : changes->limits.reasserts_per_hour;

        if (drift == DRIFT_NONE) {
                driftlimit_forgive(changes->driftlimit, &start->request.device);
                return true;
        }
        switch (driftlimit_take(changes->driftlimit, &start->request.device, drift, per_hour, now_usec(changes))) {
        case DRIFTLIMIT_GO: journal_drift(start->decision); return true;
        case DRIFTLIMIT_STOP: journal_drift_gave_up(start->decision, per_hour); return false;
        case DRIFTLIMIT_STOPPED: break;
        }
        return false;
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
        uint64_t bytes;

        if (request->probe && start->decision->drift != DRIFT_NONE)
                skip_probe(request, "it only puts back what was there before", "");
        for (const struct running *running = changes->running; running && request->probe; running = running->next)
                if (job_request(running->job)->probe)
                        skip_probe(request, " is being measured at the moment",
                                        job_decision(running->job)->layer->label);
        if (!request->probe)
                return;
        if (__builtin_mul_overflow(request->probe_limits.bytes_per_run,
                            (uint64_t)request->probe_limits.runs * (request->has_array ? 3 : 2), &bytes))
                bytes = UINT64_MAX;
        if (!budget_take(&changes->budget, probe_usec(request), bytes, now_usec(changes)))
                skip_probe(request, "this hour's probe-budget is used up", "");
}

/* What keeps the loop from starting a worker: another program with the ledger, or want of something. */
static void tell_not_started(const struct start *start, int error) {
        struct changes *changes = start->changes;

        if (error == -ETIMEDOUT) {
                changes->left_over = true;
                return;
        }
        journal_not_started(start->decision, error);
        if (attempts_count(&changes->attempts, &start->request.device, start->request.to_sectors))
                journal_gave_up(start->decision, ATTEMPTS_MAX);
}

static int run(const struct start *start) {
        struct changes *changes = start->changes;
        _cleanup_(freep) struct running *running = calloc(1, sizeof(*running));
        int r;

        if (!running)
                return -ENOMEM;
        *running = (struct running){.changes = changes, .start_usec = now_usec(changes)};
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
        if (attempts_exhausted(&changes->attempts, &start->request.device, start->request.to_sectors))
                return;
        if (changes->n_running >= changes->limits.workers || is_under_way(changes, &start->request)) {
                changes->left_over = true;
                return;
        }
        if (!drift_allows(changes, start))
                return;
        limit_probe(start);
        r = run(start);
        if (r < 0)
                tell_not_started(start, r);
}

void changes_start(struct changes *changes, struct survey *survey) {
        changes->left_over = false;
        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                struct start start = {
                                .changes = changes,
                                .survey = survey,
                                .decision = &survey->plan.decisions[i],
                };

                if (decision_is_change(start.decision))
                        start_change(&start);
        }
        /* With no worker that would say so when it is done. */
        if (changes->left_over && changes->n_running == 0)
                changes->handler(NULL, NULL, changes->userdata);
}
