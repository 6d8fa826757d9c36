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
#include "daemon/deviceset.h"
#include "daemon/driftlimit.h"
#include "daemon/job.h"
#include "daemon/journal.h"

#define RETRY_USEC UINT64_C(1000000)

/* Who has the ledger for so long hangs, or has been stopped: that is told, and asked for less often. */
#define LOCKED_LONG_USEC UINT64_C(10000000)
#define RETRY_LATER_USEC UINT64_C(10000000)

/* So many changes one worker is given at most. */
#define BATCH_MAX 1000U

/* One worker, and what it is given. */
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
        struct deviceset under_way;
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
        struct job_change *items; /* that are not measured; BATCH_MAX */
        size_t n;
        struct job_change measured; /* in a worker of its own */
        bool has_measured;
        uint64_t probe_usec, probe_bytes; /* taken of the budget for it */
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
        deviceset_done(&changes->under_way);
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
        return deviceset_contains(&changes->under_way, device);
}

static bool changes_are_left(const struct changes *changes) {
        return changes->left_over.n > 0 || changes->left_over.all;
}

static void leave_over(struct changes *changes, const struct decision *decision) {
        nameset_add(&changes->left_over, decision->layer->sysname);
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
        uint64_t read = job_first(running->job)->result.probe.bytes_read;

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

static void add_running(struct running *running) {
        struct changes *changes = running->changes;

        changes->n_running++;
        running->next = changes->running;
        changes->running = running;
}

static void count_failure(
                struct changes *changes, const struct decision *decision, const struct apply_request *request) {
        if (attempts_count(&changes->attempts, &request->device, request->to_sectors, now_usec(changes)))
                journal_gave_up(decision, ATTEMPTS_MAX);
}

/* What its worker has not begun goes on in another one, or (without memory for that) is refused. */
static void split(struct running *running) {
        struct changes *changes = running->changes;
        struct running *rest = calloc(1, sizeof(*rest));
        struct job *none;

        if (!rest) {
                (void)job_split(running->job, NULL, &none);
                return;
        }
        *rest = (struct running){.changes = changes, .start_usec = now_usec(changes)};
        if (job_split(running->job, rest, &rest->job) < 0 || !rest->job)
                free(rest);
        else
                add_running(rest);
}

/* What was left for want of a worker, or as its device was under way, can be looked at again. */
static void tell_left_over(struct changes *changes) {
        if (changes_are_left(changes))
                changes->handler(NULL, NULL, changes->userdata);
}

static void end_change(struct changes *changes, const struct job_change *change, enum job_news news) {
        const struct decision *decision = change->decision;
        const struct apply_request *request = &change->request;

        if (news == JOB_FAILED || news == JOB_REFUSED)
                count_failure(changes, decision, request);
        else if (news == JOB_DONE)
                attempts_forgive(&changes->attempts, &request->device);
        else if (news == JOB_FREED)
                journal_released(decision->layer->label);
        deviceset_remove(&changes->under_way, &request->device);
        if (news != JOB_REFUSED)
                changes->handler(decision, &change->result, changes->userdata);
}

static void on_job(struct job *job, const struct job_change *change, enum job_news news, void *userdata) {
        struct running *running = userdata;
        struct changes *changes = running->changes;

        switch (news) {
        case JOB_DONE:
        case JOB_STALE:
        case JOB_FAILED:
        case JOB_REFUSED:
        case JOB_FREED: end_change(changes, change, news); break;
        case JOB_STUCK:
                count_failure(changes, change->decision, &change->request);
                journal_stuck(change->decision);
                running->stuck = true;
                changes->n_running--;
                split(running);
                tell_left_over(changes);
                break;
        case JOB_STALLED:
                if (changes->n_running < changes->limits.workers)
                        split(running);
                break;
        case JOB_OVER:
                split(running);
                end_running(running);
                tell_left_over(changes);
                break;
        }
}

static unsigned drift_per_hour(const struct changes *changes, enum drift drift) {
        return drift == DRIFT_RESET ? changes->limits.resets_per_hour : changes->limits.reasserts_per_hour;
}

/* What was set behind setrad's back is set again so often and no more. */
static bool drift_allows(struct changes *changes, const struct job_change *item) {
        const struct device_identity *device = &item->request.device;
        enum drift drift = item->decision->drift;
        unsigned per_hour = drift_per_hour(changes, drift);
        uint64_t now = now_usec(changes);

        if (drift == DRIFT_NONE) {
                driftlimit_forgive(changes->driftlimit, device);
                return true;
        }
        switch (driftlimit_ask(changes->driftlimit, device, drift, per_hour, now)) {
        case DRIFTLIMIT_GO: return true;
        case DRIFTLIMIT_STOP:
                (void)driftlimit_take(changes->driftlimit, device, drift, per_hour, now);
                journal_drift_gave_up(item->decision, per_hour);
                return false;
        case DRIFTLIMIT_STOPPED: break;
        }
        return false;
}

/* It is being set again: that counts. */
static void note_drift(struct changes *changes, const struct job_change *item) {
        enum drift drift = item->decision->drift;

        if (drift == DRIFT_NONE)
                return;
        (void)driftlimit_take(changes->driftlimit, &item->request.device, drift, drift_per_hour(changes, drift),
                        now_usec(changes));
        journal_drift(item->decision);
}

static void skip_probe(struct apply_request *request, const char *reason, const char *detail) {
        request->probe = false;
        snprintf(request->probe_skipped, sizeof(request->probe_skipped), "%s%s", detail, reason);
}

/*
 * One probe at a time, or they would measure each other. A change does not wait for its turn: while it is measured a
 * device can't be removed, and LVM's patience with that ends after five seconds.
 */
static void limit_probe(struct start *start, struct job_change *item) {
        struct changes *changes = start->changes;
        static const char being_measured[] = " is being measured at the moment";
        struct apply_request *request = &item->request;
        uint64_t usec = request->probe_limits.time_msec * 1000, bytes;

        if (request->probe && item->decision->drift != DRIFT_NONE)
                skip_probe(request, "it only puts back what was there before", "");
        for (const struct running *running = changes->running; running && request->probe; running = running->next)
                if (is_waited_for(running) && job_first(running->job)->request.probe)
                        skip_probe(request, being_measured, job_first(running->job)->decision->layer->label);
        if (request->probe && start->has_measured)
                skip_probe(request, being_measured, start->measured.decision->layer->label);
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
static void tell_not_started(struct changes *changes, const struct job_change *item, int error) {
        if (error == -ETIMEDOUT) {
                leave_over(changes, item->decision);
                return;
        }
        journal_not_started(item->decision, error);
        count_failure(changes, item->decision, &item->request);
}

static int add_under_way(struct changes *changes, const struct job_change *items, size_t n) {
        int r = 0;

        for (size_t i = 0; i < n && r == 0; i++)
                r = deviceset_add(&changes->under_way, &items[i].request.device);
        return r;
}

/* Returns 1, 0 if all have been refused, or a negative errno. */
static int run(const struct start *start, const struct job_change *items, size_t n) {
        struct changes *changes = start->changes;
        _cleanup_(freep) struct running *running = calloc(1, sizeof(*running));
        int r;

        if (!running)
                return -ENOMEM;
        *running = (struct running){.changes = changes, .start_usec = now_usec(changes)};
        if (items[0].request.probe) {
                running->probe_usec = start->probe_usec;
                running->probe_bytes = start->probe_bytes;
        }
        const struct job_setup setup = {
                        .event = changes->event,
                        .root = changes->root,
                        .deadline_msec = changes->limits.deadline_msec,
                        .survey = start->survey,
                        .changes = items,
                        .n = n,
                        .handler = on_job,
                        .userdata = running,
        };
        r = add_under_way(changes, items, n);
        if (r == 0)
                r = job_start(&setup, &running->job);
        if (r < 0 || !running->job)
                return r;
        add_running(TAKE_PTR(running));
        return 1;
}

/* Those that have been refused are told of, and no longer under way. */
static void settle_start(struct changes *changes, const struct job_change *items, size_t n, int r) {
        for (size_t i = 0; i < n; i++) {
                if (!changes_are_under_way(changes, &items[i].request.device))
                        continue;
                if (r > 0) {
                        note_drift(changes, &items[i]);
                        continue;
                }
                deviceset_remove(&changes->under_way, &items[i].request.device);
                tell_not_started(changes, &items[i], r);
        }
}

/* Returns whether they are under way. */
static bool start_items(const struct start *start, const struct job_change *items, size_t n) {
        struct changes *changes = start->changes;
        int r;

        if (changes->n_running >= changes->limits.workers) {
                for (size_t i = 0; i < n; i++)
                        leave_over(changes, items[i].decision);
                return false;
        }
        r = run(start, items, n);
        settle_start(changes, items, n, r);
        if (r == -ETIMEDOUT)
                retry_later(changes);
        return r > 0;
}

/* What has been gathered until now. */
static void start_gathered(struct start *start) {
        if (start->has_measured && !start_items(start, &start->measured, 1))
                budget_give_back(&start->changes->budget, start->probe_usec, start->probe_bytes);
        start->has_measured = false;
        if (start->n > 0)
                (void)start_items(start, start->items, start->n);
        start->n = 0;
}

/* Whether there will be a worker for one that is measured beside those that have been gathered. */
static bool has_room_to_measure(const struct start *start) {
        bool others = start->n > 0 && !start->has_measured;

        return start->changes->n_running + others < start->changes->limits.workers;
}

static void gather(struct start *start, const struct decision *decision) {
        struct changes *changes = start->changes;
        struct job_change *item = &start->items[start->n];
        int r;

        *item = (struct job_change){.decision = decision};
        r = change_request(start->survey, decision, &item->request);
        if (r < 0) {
                journal_not_started(decision, r);
                return;
        }
        if (attempts_exhausted(&changes->attempts, &item->request.device, item->request.to_sectors, now_usec(changes)))
                return;
        if (changes_are_under_way(changes, &item->request.device)) {
                /* One whose worker does not die is looked at when it does. */
                if (changes->n_running > 0)
                        leave_over(changes, decision);
                return;
        }
        if (item->request.probe && !has_room_to_measure(start)) {
                leave_over(changes, decision);
                return;
        }
        if (!drift_allows(changes, item))
                return;
        limit_probe(start, item);
        if (item->request.probe) {
                start->measured = *item;
                start->has_measured = true;
        } else if (++start->n == BATCH_MAX)
                start_gathered(start);
}

static void start_all(struct changes *changes, struct survey *survey) {
        _cleanup_(freep) struct job_change *items = NULL;
        struct start start = {.changes = changes, .survey = survey};

        if (survey->plan.n_changes == 0)
                return;
        start.items = items = calloc(BATCH_MAX, sizeof(*items));
        if (!items) {
                journal_printf(LOG_ERR, "nothing is changed: %s", strerror(ENOMEM));
                return;
        }
        for (size_t i = 0; i < survey->plan.n_decisions; i++)
                if (!survey->plan.decisions[i].layer->carried && decision_is_change(&survey->plan.decisions[i]))
                        gather(&start, &survey->plan.decisions[i]);
        start_gathered(&start);
}

void changes_start(struct changes *changes, struct survey *survey, bool all) {
        changes->locked = false;
        if (all)
                nameset_done(&changes->left_over);
        start_all(changes, survey);
        /* A scan of something else has not tried. */
        if (!changes->locked && !changes->retry_source) {
                changes->locked_told = false;
                changes->locked_usec = 0;
        }
        /* With no worker that would say so when it is done, nor a time for the next attempt. */
        if (changes_are_left(changes) && changes->n_running == 0 && !changes->retry_source)
                changes->handler(NULL, NULL, changes->userdata);
}
