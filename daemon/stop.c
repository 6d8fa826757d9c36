/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <syslog.h>

#include "common/apply.h"
#include "common/clock.h"
#include "common/discover-ledger.h"
#include "common/discover.h"
#include "common/ledger-record.h"
#include "common/revert.h"
#include "common/worker.h"
#include "config/settings.h"
#include "daemon/journal.h"
#include "daemon/stop.h"

#define LOCK_WAIT_MSEC 500U
#define JOB_MSEC       UINT64_C(2000) /* for one of them */

struct put_back {
        struct revert revert;
        struct worker *worker;
        uint64_t end_msec;
};

struct stop {
        const struct sysroot *root;
        struct topology *topology;
        struct ledger *ledger;
        struct put_back *jobs;
        unsigned n_jobs, n_jobs_max;
        uint64_t end_msec;
        size_t n_failed;
};

/* A worker that hangs is left behind: it dies with this process, if it can. */
static void stop_done(struct stop *stop) {
        free(stop->jobs);
        topology_freep(&stop->topology);
        ledger_freep(&stop->ledger);
}

static int run_apply(const void *input, void *result) {
        return apply_change(input, result);
}

static void tell_ledger(int error, bool damaged) {
        if (damaged)
                journal_ledger_damaged();
        if (error < 0)
                journal_printf(LOG_WARNING, "what was put back can't be put on record in " LEDGER_DIRECTORY ": %s",
                                strerror(-error));
}

static void fail(struct stop *stop, const struct revert *revert, const char *reason) {
        stop->n_failed++;
        journal_revert_failed(revert, reason);
}

/* RESULT as in revert.h. */
static void end(struct stop *stop, const struct revert *revert, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = revert_sentence(revert, result);
        enum ledger_outcome outcome = revert_outcome(revert, result, false);
        bool damaged = false, failed = revert_has_failed(revert, result);
        int r = 0;

        if (result || outcome != LEDGER_STANDS)
                r = ledger_record_revert_end(
                                LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &revert->entry->device, outcome, &damaged);
        tell_ledger(r, damaged);
        stop->n_failed += failed;
        journal_reverted(revert, result, sentence, failed);
}

static void start(struct stop *stop, const struct revert *revert) {
        const struct ledger_revert record = revert_record(revert, false);
        struct put_back job = {.revert = *revert, .end_msec = monotonic_msec() + JOB_MSEC};
        struct apply_request request;
        bool damaged = false;
        int r;

        r = ledger_record_revert_begin(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &revert->entry->device, &record, &damaged);
        tell_ledger(0, damaged);
        if (r < 0) {
                fail(stop, revert, strerror(-r));
                return;
        }
        revert_request(revert, &request);
        r = worker_start(run_apply, &request, sizeof(struct apply_result), &job.worker);
        if (r < 0) {
                tell_ledger(ledger_record_revert_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &revert->entry->device,
                                            LEDGER_STANDS, &damaged),
                                damaged);
                fail(stop, revert, strerror(-r));
                return;
        }
        stop->jobs[stop->n_jobs++] = job;
}

/* Whether it is over, one way or another. */
static bool collect(struct stop *stop, struct put_back *job) {
        struct apply_result result = {};
        int r;

        r = worker_collect(job->worker, &result);
        if (r == -EAGAIN && monotonic_msec() < job->end_msec && monotonic_msec() < stop->end_msec)
                return false;
        if (r == 0) {
                end(stop, &job->revert, &result);
                worker_free(job->worker);
                return true;
        }
        /* Its entry stays, as pending: whoever reads the ledger once this process is gone finds out. */
        fail(stop, &job->revert, "no answer in the time that there is; 'setractl revert' can try again");
        (void)worker_kill(job->worker, 0);
        return true;
}

/* Until one is over at least. */
static void wait_for_one(struct stop *stop) {
        unsigned n = stop->n_jobs;

        while (stop->n_jobs == n) {
                struct pollfd pollfds[SETTINGS_WORKERS_MAX];

                for (unsigned i = 0; i < n; i++)
                        pollfds[i] = (struct pollfd){.fd = worker_fd(stop->jobs[i].worker), .events = POLLIN};
                (void)poll(pollfds, n, 100);
                for (unsigned i = n; i-- > 0;)
                        if (collect(stop, &stop->jobs[i]))
                                stop->jobs[i] = stop->jobs[--stop->n_jobs];
        }
}

static void put_back(struct stop *stop, const struct ledger_entry *entry) {
        struct revert revert = revert_find(stop->ledger, entry, stop->topology);

        if (revert.state != REVERT_WANTED) {
                end(stop, &revert, NULL);
                return;
        }
        if (stop->n_jobs == stop->n_jobs_max)
                wait_for_one(stop);
        if (monotonic_msec() < stop->end_msec)
                start(stop, &revert);
        else
                fail(stop, &revert, "there was no time for it; 'setractl revert' can do it");
}

static int open_stop(struct stop *stop) {
        int r;

        r = ledger_read(stop->root, &stop->ledger);
        if (r < 0)
                return r;
        stop->jobs = calloc(stop->n_jobs_max, sizeof(*stop->jobs));
        if (!stop->jobs)
                return -ENOMEM;
        return discover(stop->root, &stop->topology);
}

bool stop_revert(const struct sysroot *root, unsigned workers, unsigned msec) {
        _cleanup_(stop_done) struct stop stop = {
                        .root = root,
                        .n_jobs_max = workers < SETTINGS_WORKERS_MAX ? workers : SETTINGS_WORKERS_MAX,
                        .end_msec = monotonic_msec() + msec,
        };
        int r;

        r = open_stop(&stop);
        if (r < 0) {
                journal_printf(LOG_WARNING, "nothing is put back: %s", strerror(-r));
                return false;
        }
        for (size_t i = 0; i < ledger_count(stop.ledger); i++)
                put_back(&stop, ledger_get(stop.ledger, i));
        while (stop.n_jobs > 0)
                wait_for_one(&stop);
        return stop.n_failed == 0;
}
