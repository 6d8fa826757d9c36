/* SPDX-License-Identifier: MIT */

#include "daemon/driftlimit.h"

#define HOUR_USEC UINT64_C(3600000000)

struct driven {
        struct driven *next;
        struct device_identity device;
        enum drift drift;
        bool stopped;
        uint64_t last_usec;
        unsigned n_times;
        uint64_t times_usec[DRIFTLIMIT_PER_HOUR_MAX]; /* in no order */
};

#define BUCKETS 256U

struct driftlimit {
        struct driven *buckets[BUCKETS]; /* by number of the device */
};

struct driftlimit *driftlimit_new(void) {
        return calloc(1, sizeof(struct driftlimit));
}

static size_t bucket_of(const struct device_identity *device) {
        return device_number_hash(device) % BUCKETS;
}

/* That of DEVICE, or (NULL) all that are in that bucket. */
static void forgive(struct driven **link, const struct device_identity *device) {
        while (*link) {
                struct driven *driven = *link;

                if (device && !device_identity_equal(&driven->device, device)) {
                        link = &driven->next;
                        continue;
                }
                *link = driven->next;
                free(driven);
        }
}

void driftlimit_forgive(struct driftlimit *limit, const struct device_identity *device) {
        if (device)
                forgive(&limit->buckets[bucket_of(device)], device);
        for (size_t i = 0; i < BUCKETS && !device; i++)
                forgive(&limit->buckets[i], NULL);
}

void driftlimit_free(struct driftlimit *limit) {
        if (!limit)
                return;
        driftlimit_forgive(limit, NULL);
        free(limit);
}

/* What has been quiet for an hour counts for nothing any more, unless setrad gave up against somebody. */
static void forget_old(struct driven **link, uint64_t now_usec) {
        while (*link) {
                struct driven *driven = *link;
                bool for_good = driven->stopped && driven->drift == DRIFT_OTHER;

                if (for_good || now_usec - driven->last_usec < HOUR_USEC) {
                        link = &driven->next;
                        continue;
                }
                *link = driven->next;
                free(driven);
        }
}

static struct driven *find(const struct driftlimit *limit, const struct device_identity *device, enum drift drift) {
        for (struct driven *driven = limit->buckets[bucket_of(device)]; driven; driven = driven->next)
                if (driven->drift == drift && device_identity_equal(&driven->device, device))
                        return driven;
        return NULL;
}

static struct driven *add(struct driftlimit *limit, const struct device_identity *device, enum drift drift) {
        struct driven **bucket = &limit->buckets[bucket_of(device)];
        struct driven *driven = calloc(1, sizeof(*driven));

        if (!driven)
                return NULL;
        driven->device = *device;
        driven->drift = drift;
        driven->next = *bucket;
        *bucket = driven;
        return driven;
}

static unsigned drop_older(struct driven *driven, uint64_t now_usec) {
        unsigned n = 0;

        for (unsigned i = 0; i < driven->n_times; i++)
                if (now_usec - driven->times_usec[i] < HOUR_USEC)
                        driven->times_usec[n++] = driven->times_usec[i];
        driven->n_times = n;
        return n;
}

enum driftlimit_answer driftlimit_ask(struct driftlimit *limit, const struct device_identity *device, enum drift drift,
                unsigned per_hour, uint64_t now_usec) {
        struct driven *driven;

        forget_old(&limit->buckets[bucket_of(device)], now_usec);
        driven = find(limit, device, drift);
        if (!driven)
                return DRIFTLIMIT_GO;
        if (driven->stopped && drift == DRIFT_OTHER)
                return DRIFTLIMIT_STOPPED;
        if (drop_older(driven, now_usec) < per_hour)
                return DRIFTLIMIT_GO;
        return driven->stopped ? DRIFTLIMIT_STOPPED : DRIFTLIMIT_STOP;
}

enum driftlimit_answer driftlimit_take(struct driftlimit *limit, const struct device_identity *device, enum drift drift,
                unsigned per_hour, uint64_t now_usec) {
        enum driftlimit_answer answer = driftlimit_ask(limit, device, drift, per_hour, now_usec);
        struct driven *driven = find(limit, device, drift);

        if (!driven)
                driven = add(limit, device, drift);
        if (!driven)
                return DRIFTLIMIT_STOPPED;
        driven->stopped = answer != DRIFTLIMIT_GO;
        if (answer == DRIFTLIMIT_GO) {
                driven->last_usec = now_usec;
                driven->times_usec[driven->n_times++] = now_usec;
        }
        return answer;
}
