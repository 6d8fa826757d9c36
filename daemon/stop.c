/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "common/apply.h"
#include "common/discover-ledger.h"
#include "common/discover.h"
#include "common/ledger-record.h"
#include "common/revert.h"
#include "common/worker.h"
#include "daemon/journal.h"
#include "daemon/stop.h"

#define LOCK_WAIT_MSEC 500U

/* For all of them; the unit's TimeoutStopSec= is 10 s. */
#define STOP_MSEC UINT64_C(7000)

struct job {
        struct revert revert;
        struct worker *worker; /* NULL: none was needed, or could be had */
};

struct stop {
        const struct sysroot *root;
        struct topology *topology;
        struct ledger *ledger;
        struct job *jobs;
        unsigned n_jobs, n_jobs_max;
        uint64_t end_msec;
};

static uint64_t now_msec(void) {
        struct timespec now = {};

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void stop_done(struct stop *stop) {
        for (unsigned i = 0; i < stop->n_jobs; i++)
                worker_free(stop->jobs[i].worker);
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

/* RESULT as in revert.h. */
static void end(const struct revert *revert, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = revert_sentence(revert, result);
        enum ledger_outcome outcome = revert_outcome(revert, result, false);
        bool damaged = false;
        int r;

        r = ledger_record_revert_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &revert->entry->device, outcome, &damaged);
        tell_ledger(r, damaged);
        journal_reverted(revert, sentence, revert_has_failed(revert, result));
}

static int start(struct stop *stop, const struct revert *revert) {
        const struct ledger_revert record = revert_record(revert, false);
        struct job *job = &stop->jobs[stop->n_jobs];
        struct apply_request request;
        bool damaged = false;
        int r;

        r = ledger_record_revert_begin(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, &revert->entry->device, &record, &damaged);
        tell_ledger(r, damaged);
        if (r < 0)
                return r;
        revert_request(revert, &request);
        *job = (struct job){.revert = *revert};
        r = worker_start(run_apply, &request, sizeof(struct apply_result), &job->worker);
        if (r < 0)
                return r;
        stop->n_jobs++;
        return 0;
}

/* Whether there is something to collect before the time is over. */
static bool wait_for(const struct stop *stop, const struct worker *worker) {
        struct pollfd pollfd = {.fd = worker_fd(worker), .events = POLLIN};
        uint64_t now = now_msec();

        return poll(&pollfd, 1, now < stop->end_msec ? (int)(stop->end_msec - now) : 0) > 0;
}

static void collect(const struct stop *stop, const struct job *job) {
        struct apply_result result = {};
        int r = -EAGAIN;

        while (r == -EAGAIN && wait_for(stop, job->worker))
                r = worker_collect(job->worker, &result);
        /* Its entry stays, as pending: the next start finds out. */
        if (r < 0)
                journal_reverted(&job->revert, "no answer in the time that there is; 'setractl revert' can try again",
                                true);
        else
                end(&job->revert, &result);
}

static void collect_all(struct stop *stop) {
        for (unsigned i = 0; i < stop->n_jobs; i++) {
                collect(stop, &stop->jobs[i]);
                worker_free(stop->jobs[i].worker);
        }
        stop->n_jobs = 0;
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

void stop_revert(const struct sysroot *root, unsigned workers) {
        _cleanup_(stop_done) struct stop stop = {.root = root, .n_jobs_max = workers};
        int r;

        stop.end_msec = now_msec() + STOP_MSEC;
        r = open_stop(&stop);
        if (r < 0) {
                journal_printf(LOG_WARNING, "nothing is put back: %s", strerror(-r));
                return;
        }
        for (size_t i = 0; i < ledger_count(stop.ledger) && now_msec() < stop.end_msec; i++) {
                struct revert revert = revert_find(stop.ledger, ledger_get(stop.ledger, i), stop.topology);

                if (revert.state != REVERT_WANTED) {
                        end(&revert, NULL);
                        continue;
                }
                if (stop.n_jobs == stop.n_jobs_max)
                        collect_all(&stop);
                r = start(&stop, &revert);
                if (r < 0)
                        journal_reverted(&revert, strerror(-r), true);
        }
        collect_all(&stop);
}
