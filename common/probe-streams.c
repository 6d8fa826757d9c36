/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/probe-private.h"

/*
 * No reader waits for another: the one that waits would find its next windows read ahead, and all would seem faster than
 * they are. All read on while the last one ramps up, which starts the clock of all, and until the first one is to end,
 * which ends them all. Within that time each counts its own whole pairs of windows, so that as much has been read ahead
 * at the end of what it counts as at the start. The rate of all is the sum of theirs.
 */

struct mark {
        bool set;
        uint64_t usec, position_bytes;
};

/* From one mark to the other; nothing where the second is not set. */
struct span {
        struct mark first, last;
};

struct streams;

struct stream {
        struct streams *all;
        struct probe_reading reading;
        struct span units, blocks;
        pthread_t thread;
        int error;
};

/* What the threads share. */
struct streams {
        const struct probing *probing;
        unsigned n;
        pthread_mutex_t gate;                 /* closed until all threads are there */
        _Atomic unsigned n_ramped, n_counted; /* streams: at full speed; with a whole unit to count */
        _Atomic bool over;
        struct stream streams[PROBE_STREAMS_MAX];
};

/* The next block of a stream, and when it was there. */
static int read_on(struct stream *stream, uint64_t *ret_usec) {
        int r = probe_read_next(&stream->reading);

        *ret_usec = probing_now(stream->all->probing);
        return r;
}

static void extend(struct span *span, uint64_t usec, uint64_t position_bytes) {
        struct mark *mark = span->first.set ? &span->last : &span->first;

        *mark = (struct mark){.set = true, .usec = usec, .position_bytes = position_bytes};
}

/* That the time is up is for all, once each has something to count. */
static bool is_over(struct stream *stream, uint64_t now) {
        struct streams *all = stream->all;

        if (stream->reading.position_bytes >= stream->reading.end_bytes || now >= all->probing->deadline_usec ||
                        (now >= stream->reading.run->soft_usec && all->n_counted == all->n))
                all->over = true;
        return all->over;
}

/* Notes what is read while all are reading, where blocks and units end. */
static void count(struct stream *stream, uint64_t usec, uint64_t unit) {
        uint64_t position_bytes = stream->reading.position_bytes;
        bool counted = stream->units.last.set;

        if (stream->all->n_ramped < stream->all->n)
                return;
        extend(&stream->blocks, usec, position_bytes);
        if ((position_bytes - stream->reading.run->offset_bytes) % unit != 0)
                return;
        extend(&stream->units, usec, position_bytes);
        if (!counted && stream->units.last.set)
                stream->all->n_counted++;
}

static int read_stream(struct stream *stream) {
        struct streams *all = stream->all;
        uint64_t now = probing_now(all->probing), unit, ramp = probe_ramp_bytes(stream->reading.run);
        int r;

        while (stream->reading.position_bytes - stream->reading.run->offset_bytes < ramp && !is_over(stream, now)) {
                r = read_on(stream, &now);
                if (r < 0)
                        return r;
        }
        unit = probe_unit_bytes(&stream->reading);
        all->n_ramped++;
        count(stream, now, unit);
        while (!is_over(stream, now)) {
                r = read_on(stream, &now);
                if (r < 0)
                        return r;
                /* What another one's end has come before is not in the time of all. */
                if (!all->over)
                        count(stream, now, unit);
        }
        return 0;
}

static void *run_thread(void *userdata) {
        struct stream *stream = userdata;

        pthread_mutex_lock(&stream->all->gate);
        pthread_mutex_unlock(&stream->all->gate);
        stream->error = read_stream(stream);
        if (stream->error < 0)
                stream->all->over = true;
        return NULL;
}

/* Starts all or ends those that were started; signals are for the thread that began. */
static int start_threads(struct streams *all, unsigned *ret_n_started) {
        sigset_t every, before;
        unsigned n = 0;
        int r = 0;

        sigfillset(&every);
        pthread_sigmask(SIG_BLOCK, &every, &before);
        pthread_mutex_lock(&all->gate);
        while (n < all->n && r == 0) {
                r = pthread_create(&all->streams[n].thread, NULL, run_thread, &all->streams[n]);
                n += r == 0;
        }
        all->over = r != 0;
        pthread_mutex_unlock(&all->gate);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        *ret_n_started = n;
        return -r;
}

static double span_mbps(const struct span *span) {
        if (!span->last.set || span->last.usec <= span->first.usec)
                return 0;
        return (double)(span->last.position_bytes - span->first.position_bytes) /
               (double)(span->last.usec - span->first.usec);
}

/* All in the same way: in whole units, or else in blocks. 0 where a stream has neither. */
static double total_mbps(const struct streams *all) {
        const bool by_units = all->n_counted == all->n;
        double total = 0;

        for (unsigned i = 0; i < all->n; i++) {
                double mbps = span_mbps(by_units ? &all->streams[i].units : &all->streams[i].blocks);

                if (mbps <= 0)
                        return 0;
                total += mbps;
        }
        return total;
}

static int finish(struct probing *probing, struct streams *all, unsigned n_started) {
        int r = 0;

        for (unsigned i = 0; i < n_started; i++)
                pthread_join(all->streams[i].thread, NULL);
        for (unsigned i = 0; i < n_started; i++) {
                int dropped = probe_reading_done(probing, &all->streams[i].reading);

                if (r == 0)
                        r = all->streams[i].error < 0 ? all->streams[i].error : dropped;
        }
        return r;
}

int probe_run_streams(struct probing *probing, const struct probe_run *runs, unsigned n, double *ret_mbps) {
        _cleanup_(freep) struct streams *all = calloc(1, sizeof(*all));
        _cleanup_(freep) char *buffers = malloc((size_t)n * probing->block_bytes);
        unsigned n_started;
        int r, started;

        if (!all || !buffers)
                return -ENOMEM;
        all->probing = probing;
        all->n = n;
        pthread_mutex_init(&all->gate, NULL);
        for (unsigned i = 0; i < n; i++)
                all->streams[i] = (struct stream){
                                .all = all,
                                .reading = {.probing = probing,
                                                .run = &runs[i],
                                                .buffer = buffers + (size_t)i * probing->block_bytes,
                                                .position_bytes = runs[i].offset_bytes,
                                                .end_bytes = runs[i].offset_bytes + runs[i].bytes},
                };
        started = start_threads(all, &n_started);
        r = finish(probing, all, n_started);
        pthread_mutex_destroy(&all->gate);
        if (started < 0)
                return started;
        if (r == 0)
                *ret_mbps = total_mbps(all);
        return r;
}
