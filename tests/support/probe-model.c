/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/probe-model.h"

/* A thread that does not come for so long has ended. */
#define TURN_MSEC 300

/* The one that this thread reads as. */
static __thread struct model_reader *reader_here;

static void need(bool holds) {
        /* Not assert_true(), which must not be called in a thread. */
        if (!holds)
                abort();
}

void probe_model_init(struct probe_model *model, uint64_t size_bytes) {
        *model = (struct probe_model){
                        .now_usec = 1000000, .latency_usec = 10000, .size_bytes = size_bytes, .main = pthread_self()};
        pthread_mutex_init(&model->mutex, NULL);
        pthread_cond_init(&model->turn, NULL);
}

void probe_model_done(struct probe_model *model) {
        pthread_mutex_destroy(&model->mutex);
        pthread_cond_destroy(&model->turn);
}

static void model_pause(void *userdata, uint64_t usec) {
        ((struct probe_model *)userdata)->now_usec += usec;
}

static void insert(struct probe_model *model, const struct model_extent *extent) {
        if (extent->offset >= extent->end)
                return;
        need(model->n_extents < MODEL_EXTENTS);
        model->extents[model->n_extents++] = *extent;
}

void probe_model_hold(struct probe_model *model, uint64_t offset, uint64_t bytes) {
        insert(model, &(struct model_extent){.offset = offset, .end = offset + bytes, .others = true});
}

static uint64_t sum(const struct probe_model *model, bool others) {
        uint64_t bytes = 0;

        for (unsigned i = 0; i < model->n_extents; i++)
                if (model->extents[i].others == others)
                        bytes += model->extents[i].end - model->extents[i].offset;
        return bytes;
}

uint64_t probe_model_held(const struct probe_model *model) {
        return sum(model, true);
}

uint64_t probe_model_own(const struct probe_model *model) {
        return sum(model, false);
}

static uint64_t later(uint64_t a, uint64_t b) {
        return a > b ? a : b;
}

static uint64_t sooner(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* After its threads, the clock of the one that had started them is that of the last one. */
static uint64_t model_now(void *userdata) {
        struct probe_model *model = userdata;
        uint64_t now;

        if (reader_here)
                return reader_here->usec;
        pthread_mutex_lock(&model->mutex);
        for (unsigned i = 0; i < MODEL_READERS && pthread_equal(pthread_self(), model->main); i++)
                if (model->readers[i].active)
                        model->now_usec = later(model->now_usec, model->readers[i].usec);
        now = model->now_usec;
        pthread_mutex_unlock(&model->mutex);
        return now;
}

/* Cuts a range out of an extent; what is left behind it becomes one more. */
static void cut(struct probe_model *model, unsigned i, uint64_t offset, uint64_t end) {
        struct model_extent *extent = &model->extents[i], rest = *extent;

        if (extent->end <= offset || extent->offset >= end)
                return;
        rest.offset = later(extent->offset, end);
        extent->end = later(extent->offset, offset);
        if (rest.offset < rest.end)
                insert(model, &rest);
}

static void remove_empty(struct probe_model *model) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->n_extents; i++)
                if (model->extents[i].offset < model->extents[i].end)
                        model->extents[n++] = model->extents[i];
        model->n_extents = n;
}

static int model_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        struct probe_model *model = userdata;
        struct model_reader *reader = &model->readers[fd];
        unsigned n = model->n_extents;

        assert_true(bytes > 0 && bytes <= model->size_bytes && offset <= model->size_bytes - bytes);
        assert_true(reader->begun);
        reader->active = false;
        for (unsigned i = 0; i < n; i++)
                if (model->extents[i].ready_usec <= model->now_usec)
                        cut(model, i, offset, offset + bytes);
        remove_empty(model);
        return 0;
}

static int model_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_bytes) {
        const struct probe_model *model = userdata;

        assert_true(bytes > 0 && bytes <= model->size_bytes && offset <= model->size_bytes - bytes);
        if (model->blind)
                return -EPERM;
        *ret_bytes = 0;
        for (unsigned i = 0; i < model->n_extents; i++) {
                const struct model_extent *extent = &model->extents[i];
                uint64_t from = later(extent->offset, offset), to = sooner(extent->end, offset + bytes);

                if (from < to && extent->ready_usec <= model->now_usec)
                        *ret_bytes += to - from;
        }
        return 0;
}

static int model_in_flight(void *userdata, int fd, uint64_t *ret) {
        const struct probe_model *model = userdata;

        *ret = 0;
        for (unsigned i = 0; i < model->n_extents; i++)
                *ret += model->extents[i].ready_usec > model->now_usec;
        return 0;
}

static int model_fetched(void *userdata, int fd, uint64_t *ret_bytes) {
        const struct probe_model *model = userdata;

        *ret_bytes = model->fetched_bytes;
        return model->counts ? 0 : -ENOENT;
}

/* What others have is not fetched again. */
static void bring_in(struct probe_model *model, const struct model_extent *extent) {
        insert(model, extent);
        for (unsigned i = 0; i < model->n_extents; i++)
                for (unsigned j = 0; model->extents[i].others && j < model->n_extents; j++)
                        if (!model->extents[j].others)
                                cut(model, j, model->extents[i].offset, model->extents[i].end);
        remove_empty(model);
}

/* A window, and what is read ahead of it. In one piece, as it comes to that of the one before. */
static void fetch_window(struct probe_model *model, struct model_reader *reader) {
        uint64_t latency = reader->latency_usec > 0 ? reader->latency_usec : model->latency_usec;
        uint64_t from = reader->ahead_end, to, next;

        reader->usec += latency;
        to = sooner(from + reader->window_bytes, model->size_bytes);
        reader->window_bytes = sooner(reader->window_bytes * 2, reader->readahead_bytes);
        next = sooner(to + reader->window_bytes, model->size_bytes);
        for (unsigned i = 0; i < model->n_extents; i++)
                if (!model->extents[i].others)
                        cut(model, i, from, to);
        remove_empty(model);
        bring_in(model, &(struct model_extent){.offset = from, .end = to});
        bring_in(model, &(struct model_extent){.offset = to, .end = next, .ready_usec = reader->usec + latency});
        model->fetched_bytes += to - from;
        reader->ahead_end = to;
}

static unsigned count_active(const struct probe_model *model) {
        unsigned n = 0;

        for (unsigned i = 0; i < MODEL_READERS; i++)
                n += model->readers[i].active;
        return n;
}

static bool is_first(const struct probe_model *model, const struct model_reader *reader) {
        for (unsigned i = 0; i < MODEL_READERS; i++)
                if (model->readers[i].active && model->readers[i].usec < reader->usec)
                        return false;
        return true;
}

static void wait_for_turn(struct probe_model *model, struct model_reader *reader, bool begins) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TURN_MSEC * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while ((begins && count_active(model) < model->n_streams) || !is_first(model, reader))
                if (pthread_cond_timedwait(&model->turn, &model->mutex, &until) == ETIMEDOUT)
                        break;
}

static void begin(struct probe_model *model, int fd, uint64_t offset) {
        struct model_reader *reader = &model->readers[fd];

        model->order[model->n_order++] = fd;
        model->latency_usec = (uint64_t)((double)model->latency_usec * (1 + model->slowdown_per_run));
        reader->start = reader->position = reader->ahead_end = offset;
        reader->window_bytes = PROBE_BLOCK_BYTES;
        reader->usec = model->now_usec;
        reader->begun = reader->active = true;
}

static ssize_t read_locked(struct probe_model *model, int fd, size_t size, uint64_t offset) {
        struct model_reader *reader = &model->readers[fd];
        bool begins = !reader->begun;

        if (begins)
                begin(model, fd, offset);
        need(offset == reader->position);
        need(size <= model->size_bytes && offset <= model->size_bytes - size);
        if (model->n_streams > 0) {
                sigset_t blocked;

                /* A signal is for the thread that started this one. */
                pthread_sigmask(SIG_BLOCK, NULL, &blocked);
                need(sigismember(&blocked, SIGTERM) == 1);
                reader_here = reader;
                pthread_cond_broadcast(&model->turn);
                wait_for_turn(model, reader, begins);
        } else
                reader->usec = model->now_usec;
        model->bytes += size;
        if (model->fail_after_bytes > 0 && model->bytes > model->fail_after_bytes &&
                        (model->only_fails == 0 || model->only_fails == fd))
                return -EIO;
        if (model->ends)
                return 0;
        while (offset + size > reader->ahead_end)
                fetch_window(model, reader);
        reader->usec += MODEL_COPY_USEC;
        reader->position += size;
        if (model->n_streams == 0)
                model->now_usec = reader->usec;
        pthread_cond_broadcast(&model->turn);
        return (ssize_t)size;
}

static ssize_t model_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct probe_model *model = userdata;
        ssize_t n;

        memset(buffer, 0, size);
        pthread_mutex_lock(&model->mutex);
        n = read_locked(model, fd, size, offset);
        pthread_mutex_unlock(&model->mutex);
        return n;
}

struct probe_ops probe_model_ops(struct probe_model *model) {
        return (struct probe_ops){.now_usec = model_now,
                        .pause = model_pause,
                        .drop = model_drop,
                        .read = model_read,
                        .cached = model_cached,
                        .in_flight = model_in_flight,
                        .fetched = model_fetched,
                        .userdata = model};
}
