/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/change-batch.h"
#include "cli/device-change.h"
#include "cli/measure.h"
#include "common/change.h"
#include "common/ledger-fate.h"
#include "common/ledger-lock.h"

enum state {
        STATE_IDLE,    /* there is nothing to do to it */
        STATE_WAITING, /* on record, and not begun */
        STATE_REFUSED, /* it could not be put on record */
        STATE_DONE,
        STATE_LOST, /* nobody knows whether it was made: its entry stays, as pending */
};

struct change_item {
        const void *subject;
        struct device_identity device;
        enum state state;
        int error; /* STATE_REFUSED: why; 0 where that has been said */
        struct apply_request request;
        struct ledger_intent intent;
        struct apply_result result;
};

/* A batch that is run. */
struct run {
        struct change_batch *batch;
        struct apply_request *requests; /* of those that are on record */
        size_t n_requests, next;        /* the first that has no result */
        size_t at;                      /* the first item that has not been told of */
        struct apply_result result;
        int error; /* the first */
};

static int apply_job(const void *input, void *result) {
        return apply_change(input, result) < 0;
}

int change_batch_init(struct change_batch *batch, const struct change_batch_ops *ops, const struct sysroot *root) {
        *batch = (struct change_batch){
                        .ops = ops,
                        .root = root,
                        .items = calloc(CHANGE_BATCH_MAX, sizeof(*batch->items)),
                        .lock_msec = LEDGER_LOCK_TIMEOUT_MSEC,
                        .deadline_msec = CHANGE_DEADLINE_MSEC,
                        .directory = LEDGER_DIRECTORY,
                        .job = apply_job,
        };
        return batch->items ? 0 : -ENOMEM;
}

void change_batch_done(struct change_batch *batch) {
        freep(&batch->items);
}

void change_batch_add(struct change_batch *batch, const void *subject, const struct device_identity *device,
                const struct apply_request *request, const struct ledger_intent *intent) {
        struct change_item *item = &batch->items[batch->n++];

        *item = (struct change_item){
                        .subject = subject, .device = *device, .state = intent ? STATE_WAITING : STATE_IDLE};
        if (!intent)
                return;
        item->request = *request;
        item->intent = *intent;
        item->intent.device = &item->device;
}

static void note_error(struct run *run, int error) {
        if (run->error == 0 && error < 0)
                run->error = error;
}

/* --- on record */

/* They are not made. */
static void refuse_all(struct run *run, int error) {
        for (size_t i = 0; i < run->batch->n; i++)
                if (run->batch->items[i].state == STATE_WAITING)
                        run->batch->items[i].state = STATE_REFUSED;
        note_error(run, error);
}

static int record_intents(struct change_batch *batch, struct ledger_intent *intents, size_t n) {
        bool damaged = false;
        size_t next = 0;
        int r;

        r = ledger_record_begin(batch->directory, batch->lock_msec, intents, n, &damaged);
        r = change_check_ledger(r, damaged);
        for (size_t i = 0; r == 0 && i < batch->n; i++) {
                struct change_item *item = &batch->items[i];

                if (item->state != STATE_WAITING)
                        continue;
                item->error = intents[next++].error;
                if (item->error < 0)
                        item->state = STATE_REFUSED;
        }
        return r;
}

static int record_begin(struct change_batch *batch) {
        _cleanup_(freep) struct ledger_intent *intents = calloc(batch->n, sizeof(*intents));
        size_t n = 0;

        if (!intents)
                return change_check_ledger(-ENOMEM, false);
        for (size_t i = 0; i < batch->n; i++)
                if (batch->items[i].state == STATE_WAITING)
                        intents[n++] = batch->items[i].intent;
        return n > 0 ? record_intents(batch, intents, n) : 0;
}

/* Of what has been told; what waits still was not made. */
static bool find_end(const struct run *run, size_t i, struct ledger_end *ret) {
        const struct change_batch_ops *ops = run->batch->ops;
        const struct change_item *item = &run->batch->items[i];

        *ret = (struct ledger_end){.device = &item->device, .outcome = LEDGER_STANDS};
        switch (item->state) {
        case STATE_WAITING: return true;
        case STATE_DONE: return ops->end(item->subject, &item->result, ret);
        case STATE_IDLE: return i < run->at && ops->end(item->subject, NULL, ret);
        case STATE_REFUSED:
        case STATE_LOST: break;
        }
        return false;
}

static int record_end(const struct run *run) {
        _cleanup_(freep) struct ledger_end *ends = calloc(run->batch->n, sizeof(*ends));
        bool damaged = false;
        size_t n = 0;
        int r;

        if (!ends)
                return change_check_ledger(-ENOMEM, false);
        for (size_t i = 0; i < run->batch->n; i++)
                n += find_end(run, i, &ends[n]);
        if (n == 0)
                return 0;
        r = ledger_record_end(run->batch->directory, run->batch->lock_msec, ends, n, &damaged);
        return change_check_ledger(r, damaged);
}

/* --- made */

/* Tells of what comes before the next that a worker is to do. */
static void pass(struct run *run) {
        struct change_batch *batch = run->batch;

        for (; run->at < batch->n; run->at++) {
                const struct change_item *item = &batch->items[run->at];

                if (item->state == STATE_IDLE)
                        note_error(run, batch->ops->report(item->subject, NULL));
                else if (item->state == STATE_REFUSED && item->error < 0)
                        note_error(run, change_check_ledger(item->error, false));
                else if (item->state == STATE_WAITING)
                        return;
        }
}

/* The next one has come to its end, as far as RUN->RESULT says. */
static void finish(struct run *run) {
        struct change_item *item = &run->batch->items[run->at];

        item->result = run->result;
        item->state = STATE_DONE;
        note_error(run, run->batch->ops->report(item->subject, &item->result));
        run->next++;
        if (run->batch->signal_number == 0)
                pass(run);
}

static void on_result(void *userdata) {
        finish(userdata);
}

/* Its worker was ended before it could say anything: the device itself says whether it was changed. */
static void find_result(struct run *run) {
        const struct apply_request *request = &run->requests[run->next];
        const struct ledger_entry asked = {.device = request->device, .new_sectors = request->to_sectors};
        struct change_item *item = &run->batch->items[run->at];
        const enum ledger_fate fate = ledger_judge_value(&asked, run->batch->root);
        const bool made = fate == LEDGER_MADE;

        run->result = (struct apply_result){
                        .error = made ? 0 : -EINTR,
                        .step = made ? APPLY_PROBE : APPLY_SET,
                        .before_sectors = request->from_sectors,
                        .after_sectors = made ? request->to_sectors : request->from_sectors,
                        .changed = fate != LEDGER_NOT_MADE,
                        .probe = {.skipped = "it was interrupted"},
        };
        finish(run);
        if (fate == LEDGER_UNDECIDED)
                item->state = STATE_LOST;
}

/* The worker of the next one is gone. */
static void lose(struct run *run, int error) {
        struct change_item *item = &run->batch->items[run->at];

        run->batch->ops->report_lost(item->subject, error);
        if (change_may_be_made(error))
                item->state = STATE_LOST;
        note_error(run, error);
        run->next++;
        run->at++;
        pass(run);
}

/* By one worker, as far as it comes. */
static void make_next(struct run *run) {
        const struct apply_request *request = &run->requests[run->next];
        const size_t first = run->next;
        size_t n_begun = 0;
        const struct measure measure = {
                        .title = run->batch->title,
                        .jobs = {.job = run->batch->job,
                                        .inputs = request,
                                        .n = run->n_requests - run->next,
                                        .input_size = sizeof(*request),
                                        .result_size = sizeof(run->result)},
                        .result = &run->result,
                        .deadline_msec = change_deadline_msec(request, run->batch->deadline_msec),
                        .progress = request->progress,
                        .handler = on_result,
                        .userdata = run,
                        .ret_n_begun = &n_begun,
        };
        int r;

        r = measure_run(&measure, &run->batch->signal_number);
        if (run->next == run->n_requests)
                return;
        if (r == -EINTR)
                find_result(run);
        else if (r < 0)
                lose(run, r);
        /* It may have done more than could be heard of. */
        while (r < 0 && r != -EINTR && run->next < run->n_requests && run->next < first + n_begun)
                lose(run, r);
}

static int make_all(struct run *run) {
        struct change_batch *batch = run->batch;

        run->requests = calloc(batch->n, sizeof(*run->requests));
        if (!run->requests)
                return change_check_ledger(-ENOMEM, false);
        for (size_t i = 0; i < batch->n; i++)
                if (batch->items[i].state == STATE_WAITING)
                        run->requests[run->n_requests++] = batch->items[i].request;
        pass(run);
        while (run->next < run->n_requests && batch->signal_number == 0)
                make_next(run);
        return 0;
}

int change_batch_run(struct change_batch *batch) {
        struct run run = {.batch = batch};
        sigset_t before;
        int r;

        if (batch->n == 0)
                return 0;
        measure_hold_signals(&before);
        r = record_begin(batch);
        if (r < 0)
                refuse_all(&run, r);
        note_error(&run, make_all(&run));
        note_error(&run, record_end(&run));
        free(run.requests);
        batch->n = 0;
        measure_release_signals(&before);
        return run.error;
}
