/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "common/change.h"
#include "common/ledger-record.h"
#include "common/worker.h"
#include "daemon/changes.h"
#include "daemon/journal.h"

#define WORKERS_MAX         16U
#define DEADLINE_MSEC       10000U /* for the ioctls alone; probes come on top */
#define LOCK_WAIT_MSEC      500U
#define KILL_GRACE_MSEC     100U
#define KILL_AGAIN_USEC     10000000U
#define ATTEMPTS_MAX        3U
#define FAILURES_KEPT_MAX   64U
#define DEADLINE_SLACK_USEC 100000U

/* A survey that jobs still refer to. */
struct batch {
        struct survey *survey;
        size_t n_jobs;
};

struct job {
        struct job *next;
        struct changes *changes;
        struct batch *batch;
        const struct decision *decision; /* in the batch's survey */
        struct apply_request request;
        struct worker *worker;
        sd_event_source *io_source, *deadline_source;
        bool stuck; /* killed, but it does not die */
};

/* A device that could not be given a value. */
struct failure {
        struct device_identity device;
        uint64_t to_sectors;
        unsigned attempts;
};

struct changes {
        sd_event *event;
        const struct sysroot *root;
        changes_room_handler room;
        void *userdata;
        struct job *jobs;
        size_t n_jobs;
        bool left_over; /* a change waits for a worker */
        struct failure failures[FAILURES_KEPT_MAX];
        size_t n_failures;
};

int changes_new(sd_event *event, const struct sysroot *root, changes_room_handler room, void *userdata,
                struct changes **ret) {
        struct changes *changes = calloc(1, sizeof(*changes));

        if (!changes)
                return -ENOMEM;
        changes->event = event;
        changes->root = root;
        changes->room = room;
        changes->userdata = userdata;
        *ret = changes;
        return 0;
}

static void batch_release(struct batch *batch) {
        if (--batch->n_jobs > 0)
                return;
        survey_free(batch->survey);
        free(batch);
}

static void job_free(struct job *job) {
        sd_event_source_disable_unref(job->io_source);
        sd_event_source_disable_unref(job->deadline_source);
        worker_freep(&job->worker);
        batch_release(job->batch);
        free(job);
}

DEFINE_CLEANUP(struct job *, job_free);

static struct failure *find_failure(struct changes *changes, const struct apply_request *request) {
        for (size_t i = 0; i < changes->n_failures; i++)
                if (device_identity_equal(&changes->failures[i].device, &request->device) &&
                                changes->failures[i].to_sectors == request->to_sectors)
                        return &changes->failures[i];
        return NULL;
}

static void count_failure(struct job *job) {
        struct changes *changes = job->changes;
        struct failure *failure = find_failure(changes, &job->request);

        if (!failure) {
                if (changes->n_failures == FAILURES_KEPT_MAX)
                        changes->n_failures = 0;
                failure = &changes->failures[changes->n_failures++];
                *failure = (struct failure){.device = job->request.device, .to_sectors = job->request.to_sectors};
        }
        if (++failure->attempts == ATTEMPTS_MAX)
                journal_gave_up(job->decision, ATTEMPTS_MAX);
}

void changes_forgive(struct changes *changes) {
        changes->n_failures = 0;
}

static bool is_under_way(const struct changes *changes, const struct apply_request *request) {
        for (const struct job *job = changes->jobs; job; job = job->next)
                if (device_identity_equal(&job->request.device, &request->device))
                        return true;
        return false;
}

static void drop_job(struct job *job) {
        struct changes *changes = job->changes;
        struct job **link = &changes->jobs;
        bool left_over = changes->left_over;

        while (*link != job)
                link = &(*link)->next;
        *link = job->next;
        changes->n_jobs--;
        job_free(job);

        changes->left_over = false;
        if (left_over)
                changes->room(changes->userdata);
}

/* What the change is about: the first finding of the layer that concerns its readahead. */
static const char *finding_code_of(const struct job *job) {
        size_t n;
        const struct finding *items = findings_of(&job->batch->survey->findings, job->decision->layer, &n);

        for (size_t i = 0; i < n; i++)
                if (items[i].code <= FINDING_READAHEAD_IMPLAUSIBLE)
                        return finding_code_name(items[i].code);
        return NULL;
}

static void record_end(const struct job *job, bool made, const struct probe_result *probe) {
        bool damaged = false;
        int r;

        r = ledger_record_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &job->request.device, made, probe, &damaged);
        if (damaged)
                journal_ledger_damaged();
        if (r < 0)
                journal_ledger_failed(job->decision, r);
}

bool changes_was_made(const struct ledger_entry *entry, void *userdata) {
        const struct sysroot *root = userdata;
        struct opt_int kib = sysroot_read_int(
                        root, "sys/dev/block/%u:%u/queue/read_ahead_kb", entry->device.major, entry->device.minor);

        return kib.known && (uint64_t)kib.value * 1024 / SECTOR_BYTES == entry->new_sectors;
}

/* The worker is gone without a word: sysfs says whether it came as far as the change. ERROR is why it is gone. */
static void resolve_lost(struct job *job, int error) {
        const struct ledger_entry asked = {.device = job->request.device, .new_sectors = job->request.to_sectors};
        struct apply_result result = {
                        .step = APPLY_PROBE,
                        .changed = true,
                        .before_sectors = job->request.from_sectors,
                        .after_sectors = job->request.to_sectors,
                        .probe = {.skipped = "it was cut short"},
        };
        bool made = changes_was_made(&asked, (void *)job->changes->root);

        record_end(job, made, NULL);
        if (made)
                journal_changed(job->decision, &result, finding_code_of(job));
        else
                journal_worker_lost(job->decision, error);
}

void changes_free(struct changes *changes) {
        if (!changes)
                return;
        while (changes->jobs) {
                struct job *job = changes->jobs;

                changes->jobs = job->next;
                if (!job->stuck) {
                        (void)worker_kill(job->worker, KILL_GRACE_MSEC);
                        resolve_lost(job, -ECANCELED);
                }
                job_free(job);
        }
        free(changes);
}

static void job_done(struct job *job, const struct apply_result *result) {
        record_end(job, result->changed, &result->probe);
        if (result->error == -ENODEV || result->error == -ENXIO || result->error == -ESTALE ||
                        result->error == -ENOENT) {
                journal_vanished(job->decision);
        } else if (result->error == -EAGAIN) {
                /* The plan is out of date: make another. */
                job->changes->left_over = true;
        } else if (result->error < 0) {
                journal_change_failed(job->decision, result);
                count_failure(job);
        } else if (result->changed) {
                journal_changed(job->decision, result, finding_code_of(job));
        }
        drop_job(job);
}

static int on_worker(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct job *job = userdata;
        struct apply_result result = {};
        int r;

        r = worker_collect(job->worker, &result);
        if (r == -EAGAIN)
                return 0;
        if (r < 0) {
                resolve_lost(job, r);
                count_failure(job);
                drop_job(job);
                return 0;
        }
        job_done(job, &result);
        return 0;
}

/* The deadline has passed, or it is time to see whether a worker that would not die is gone. */
static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata) {
        struct job *job = userdata;
        int r;

        r = worker_kill(job->worker, KILL_GRACE_MSEC);
        if (!job->stuck) {
                resolve_lost(job, r == -EBUSY ? -EBUSY : -ETIMEDOUT);
                count_failure(job);
        }
        if (r != -EBUSY) {
                drop_job(job);
                return 0;
        }

        job->stuck = true;
        sd_event_source_set_enabled(job->io_source, SD_EVENT_OFF);
        sd_event_source_set_time_relative(source, KILL_AGAIN_USEC);
        sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        return 0;
}

static int apply_job(const void *input, void *result) {
        return apply_change(input, result);
}

static int watch_job(struct job *job) {
        struct changes *changes = job->changes;
        uint64_t deadline_usec = UINT64_C(1000) * change_deadline_msec(&job->request, DEADLINE_MSEC);
        int r;

        r = sd_event_add_io(changes->event, &job->io_source, worker_fd(job->worker), EPOLLIN, on_worker, job);
        if (r < 0)
                return r;
        return sd_event_add_time_relative(changes->event, &job->deadline_source, CLOCK_MONOTONIC, deadline_usec,
                        DEADLINE_SLACK_USEC, on_deadline, job);
}

/* On record first: an original value that is not known could not be put back. */
static int start_recorded(struct job *job) {
        const struct ledger_change change = change_record(job->decision, &job->request);
        bool damaged = false;
        int r;

        r = ledger_record_begin(LEDGER_DIRECTORY, 0, &job->request.device, &change, &damaged);
        if (damaged)
                journal_ledger_damaged();
        if (r < 0)
                return r;

        r = worker_start(apply_job, &job->request, sizeof(struct apply_result), &job->worker);
        if (r >= 0)
                r = watch_job(job);
        if (r < 0)
                record_end(job, false, NULL);
        return r;
}

/* What keeps the loop from starting a worker: another program with the ledger, or want of something. */
static void tell_not_started(struct job *job, int error) {
        if (error == -ETIMEDOUT) {
                job->changes->left_over = true;
                return;
        }
        journal_not_started(job->decision, error);
        count_failure(job);
}

/*
 * One probe at a time, or they would measure each other. A change does not wait for its turn: while it is measured a
 * device can't be removed, and LVM's patience with that ends after five seconds.
 */
static void yield_probe(const struct changes *changes, struct apply_request *request) {
        for (const struct job *job = changes->jobs; job && request->probe; job = job->next)
                if (job->request.probe) {
                        request->probe = false;
                        snprintf(request->probe_skipped, sizeof(request->probe_skipped),
                                        "%s is being measured at the moment", job->decision->layer->label);
                }
}

static void start_job(struct changes *changes, struct batch *batch, const struct decision *decision) {
        _cleanup_(job_freep) struct job *job = calloc(1, sizeof(*job));
        const struct failure *failure;
        int r;

        if (!job)
                return;
        batch->n_jobs++;
        *job = (struct job){.changes = changes, .batch = batch, .decision = decision};

        if (change_request(batch->survey, decision, &job->request) < 0)
                return;
        failure = find_failure(changes, &job->request);
        if (failure && failure->attempts >= ATTEMPTS_MAX)
                return;
        if (changes->n_jobs == WORKERS_MAX || is_under_way(changes, &job->request)) {
                changes->left_over = true;
                return;
        }
        yield_probe(changes, &job->request);
        r = start_recorded(job);
        if (r < 0) {
                tell_not_started(job, r);
                return;
        }

        changes->n_jobs++;
        job->next = changes->jobs;
        changes->jobs = TAKE_PTR(job);
}

void changes_start(struct changes *changes, struct survey *survey) {
        struct batch *batch = malloc(sizeof(*batch));

        if (!batch) {
                survey_free(survey);
                return;
        }
        *batch = (struct batch){.survey = survey, .n_jobs = 1};
        changes->left_over = false;
        for (size_t i = 0; i < survey->plan.n_decisions; i++)
                if (decision_is_change(&survey->plan.decisions[i]))
                        start_job(changes, batch, &survey->plan.decisions[i]);
        batch_release(batch);
        /* With no worker that would say so when it is done. */
        if (changes->left_over && changes->n_jobs == 0)
                changes->room(changes->userdata);
}
