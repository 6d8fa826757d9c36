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
#define PATIENCE_MSEC  UINT64_C(250)  /* with one that others wait for */

/* One entry of the ledger. */
struct put_back {
        struct revert revert;
        struct apply_request request;
        struct apply_result result;
        bool is_over; /* there is a result */
        int lost;     /* why there will be none, though it may have been made; 0: there is, or it was not begun */
        int error;    /* it could not be begun */
};

/* Some of those that are wanted, in one worker. */
struct part {
        struct worker *worker;
        size_t first, next, end;
        uint64_t since_msec; /* since when it has been at the next one */
};

struct stop {
        const struct sysroot *root;
        struct topology *topology;
        struct ledger *ledger;
        struct put_back *items; /* the wanted ones first, and of these those that are on record */
        size_t n_items, n_wanted, n_recorded;
        struct part parts[SETTINGS_WORKERS_MAX + 1];
        unsigned n_parts, n_parts_max;
        uint64_t end_msec;
        size_t n_failed;
};

/* A worker that hangs is left behind: it dies with this process, if it can. */
static void stop_done(struct stop *stop) {
        free(stop->items);
        topology_freep(&stop->topology);
        ledger_freep(&stop->ledger);
}

static int run_apply(const void *input, void *result) {
        return apply_change(input, result);
}

/* --- on record */

static void tell_ledger(int error, bool damaged) {
        if (damaged)
                journal_ledger_damaged();
        if (error < 0)
                journal_printf(LOG_WARNING, "what was put back can't be put on record in " LEDGER_DIRECTORY ": %s",
                                strerror(-error));
}

static void sort_recorded(struct stop *stop) {
        stop->n_recorded = stop->n_wanted;
        for (size_t i = 0; i < stop->n_recorded;) {
                const struct put_back item = stop->items[i];

                if (item.error == 0) {
                        i++;
                        continue;
                }
                stop->items[i] = stop->items[--stop->n_recorded];
                stop->items[stop->n_recorded] = item;
        }
}

static int record_begin(struct stop *stop) {
        _cleanup_(freep) struct ledger_intent *intents = calloc(stop->n_wanted + 1, sizeof(*intents));
        bool damaged = false;
        int r;

        if (!intents)
                return -ENOMEM;
        for (size_t i = 0; i < stop->n_wanted; i++) {
                const struct revert *revert = &stop->items[i].revert;

                intents[i] = (struct ledger_intent){.device = &revert->entry->device,
                                .is_revert = true,
                                .revert = revert_record(revert, false)};
        }
        r = ledger_record_begin(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, intents, stop->n_wanted, &damaged);
        tell_ledger(0, damaged);
        for (size_t i = 0; i < stop->n_wanted; i++)
                stop->items[i].error = r < 0 ? r : intents[i].error;
        sort_recorded(stop);
        return 0;
}

/* One that is lost stays, as pending: whoever reads the ledger once this process is gone finds out. */
static bool find_end(const struct stop *stop, size_t i, struct ledger_end *ret) {
        const struct put_back *item = &stop->items[i];
        const struct apply_result *result = item->is_over ? &item->result : NULL;
        bool wanted = i < stop->n_wanted;

        *ret = (struct ledger_end){.device = &item->revert.entry->device, .outcome = LEDGER_STANDS};
        if (!wanted || item->is_over)
                ret->outcome = revert_outcome(&item->revert, result, false);
        return wanted ? i < stop->n_recorded && item->lost == 0 : ret->outcome != LEDGER_STANDS;
}

static void record_end(const struct stop *stop) {
        _cleanup_(freep) struct ledger_end *ends = calloc(stop->n_items + 1, sizeof(*ends));
        bool damaged = false;
        size_t n = 0;
        int r = 0;

        for (size_t i = 0; ends && i < stop->n_items; i++)
                n += find_end(stop, i, &ends[n]);
        if (!ends)
                r = -ENOMEM;
        else if (n > 0)
                r = ledger_record_end(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, ends, n, &damaged);
        tell_ledger(r, damaged);
}

/* --- told of */

static void fail(struct stop *stop, const struct revert *revert, const char *reason) {
        stop->n_failed++;
        journal_revert_failed(revert, reason);
}

/* RESULT as in revert.h. */
static void tell(struct stop *stop, const struct revert *revert, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = revert_sentence(revert, result);
        bool failed = revert_has_failed(revert, result);

        stop->n_failed += failed;
        journal_reverted(revert, result, sentence, failed);
}

static const char *lost_reason(int error) {
        switch (error) {
        case -ETIMEDOUT: return "no answer in the time that there is; 'setractl revert' can try again";
        case -EPIPE: return "the process that was to change it failed; 'setractl revert' can try again";
        default: return strerror(-error);
        }
}

static void tell_all(struct stop *stop) {
        for (size_t i = 0; i < stop->n_items; i++) {
                const struct put_back *item = &stop->items[i];

                if (i >= stop->n_wanted)
                        tell(stop, &item->revert, NULL);
                else if (item->is_over)
                        tell(stop, &item->revert, &item->result);
                else if (item->error < 0)
                        fail(stop, &item->revert, strerror(-item->error));
                else if (item->lost < 0)
                        fail(stop, &item->revert, lost_reason(item->lost));
                else
                        fail(stop, &item->revert, "there was no time for it; 'setractl revert' can do it");
        }
}

/* --- put back */

/* Those that are wanted from FIRST to END. */
static void start(struct stop *stop, size_t first, size_t end) {
        const struct worker_jobs jobs = {
                        .job = run_apply,
                        .inputs = &stop->items[first].request,
                        .n = end - first,
                        .input_size = sizeof(*stop->items),
                        .result_size = sizeof(struct apply_result),
        };
        struct part part = {.first = first, .next = first, .end = end, .since_msec = monotonic_msec()};
        int r;

        if (first == end)
                return;
        r = worker_start(&jobs, &part.worker);
        for (size_t i = first; i < end && r < 0; i++)
                stop->items[i].error = r;
        if (r == 0)
                stop->parts[stop->n_parts++] = part;
}

/* As worker_collect(), of all that there is. */
static int take_results(struct stop *stop, struct part *part) {
        struct apply_result result;
        int r;

        while ((r = worker_collect(part->worker, &result)) == 0) {
                stop->items[part->next].result = result;
                stop->items[part->next++].is_over = true;
                part->since_msec = monotonic_msec();
        }
        return r;
}

/* Those that the worker has not begun go on in another one; the first N that have no result do not. */
static void split(struct stop *stop, struct part *part, size_t n) {
        size_t end = part->end, begun = part->first + worker_cut(part->worker);

        part->end = begun > part->next + n ? begun : part->next + n;
        start(stop, part->end, end);
}

/* It is waited for no longer; what it has begun may have been made. */
static void lose(struct stop *stop, struct part *part, int error) {
        split(stop, part, 1);
        while (part->next < part->end)
                stop->items[part->next++].lost = error;
        worker_free(part->worker);
}

/* Whether it is over, one way or another. */
static bool advance(struct stop *stop, struct part *part) {
        int r = take_results(stop, part);
        uint64_t waited = monotonic_msec() - part->since_msec;

        if (r == -ENODATA) {
                worker_free(part->worker);
                return true;
        }
        if (r != -EAGAIN || waited >= JOB_MSEC) {
                lose(stop, part, r == -EAGAIN ? -ETIMEDOUT : r);
                return true;
        }
        if (waited >= PATIENCE_MSEC && stop->n_parts < stop->n_parts_max)
                split(stop, part, 0);
        return false;
}

static void wait_for_news(const struct stop *stop) {
        struct pollfd pollfds[SETTINGS_WORKERS_MAX + 1];

        for (unsigned i = 0; i < stop->n_parts; i++)
                pollfds[i] = (struct pollfd){.fd = worker_fd(stop->parts[i].worker), .events = POLLIN};
        (void)poll(pollfds, stop->n_parts, 100);
}

/* There is no time for what the worker has not begun, nor for more of what it is at. */
static void cut_off(struct stop *stop, struct part *part) {
        size_t begun = part->first + worker_cut(part->worker);

        (void)take_results(stop, part);
        while (part->next < begun)
                stop->items[part->next++].lost = -ETIMEDOUT;
        worker_free(part->worker);
}

static void put_back(struct stop *stop) {
        start(stop, 0, stop->n_recorded);
        while (stop->n_parts > 0 && monotonic_msec() < stop->end_msec) {
                wait_for_news(stop);
                for (unsigned i = stop->n_parts; i > 0 && i--;)
                        if (advance(stop, &stop->parts[i]))
                                stop->parts[i] = stop->parts[--stop->n_parts];
        }
        /* All at once, so that they need not be waited for one after the other. */
        for (unsigned i = 0; i < stop->n_parts; i++)
                (void)worker_kill(stop->parts[i].worker, 0);
        for (unsigned i = 0; i < stop->n_parts; i++)
                cut_off(stop, &stop->parts[i]);
}

/* --- all of it */

static void add_items(struct stop *stop, bool wanted) {
        for (size_t i = 0; i < ledger_count(stop->ledger); i++) {
                struct revert revert = revert_find(stop->ledger, ledger_get(stop->ledger, i), stop->topology);
                struct put_back *item = &stop->items[stop->n_items];

                if ((revert.state == REVERT_WANTED) != wanted)
                        continue;
                item->revert = revert;
                if (wanted)
                        revert_request(&revert, &item->request);
                stop->n_items++;
        }
}

static int find_items(struct stop *stop) {
        stop->items = calloc(ledger_count(stop->ledger) + 1, sizeof(*stop->items));
        if (!stop->items)
                return -ENOMEM;
        add_items(stop, true);
        stop->n_wanted = stop->n_items;
        add_items(stop, false);
        return 0;
}

static int open_stop(struct stop *stop) {
        int r;

        r = ledger_read(stop->root, &stop->ledger);
        if (r < 0)
                return r;
        r = discover(stop->root, &stop->topology);
        if (r < 0)
                return r;
        journal_incomplete(stop->topology);
        return find_items(stop);
}

bool stop_revert(const struct sysroot *root, unsigned workers, unsigned msec) {
        _cleanup_(stop_done) struct stop stop = {
                        .root = root,
                        .n_parts_max = workers < SETTINGS_WORKERS_MAX ? workers : SETTINGS_WORKERS_MAX,
                        .end_msec = monotonic_msec() + msec,
        };
        int r;

        r = open_stop(&stop);
        if (r == 0 && stop.n_wanted > 0)
                r = record_begin(&stop);
        if (r < 0) {
                journal_printf(LOG_WARNING, "nothing is put back: %s", strerror(-r));
                return false;
        }
        put_back(&stop);
        record_end(&stop);
        tell_all(&stop);
        return stop.n_failed == 0;
}
