/* SPDX-License-Identifier: MIT */

#include <stdlib.h>

#include "daemon/attempts.h"

#define HOUR_USEC UINT64_C(3600000000)

struct attempt {
        struct attempt *next;
        struct device_identity device;
        uint64_t to_sectors, last_usec;
        unsigned n;
};

static struct attempt **bucket_of(struct attempts *attempts, const struct device_identity *device) {
        return &attempts->buckets[device_number_hash(device) % ATTEMPTS_BUCKETS];
}

/* Those of DEVICE, or (NULL) all that are in that bucket. */
static void forgive(struct attempt **link, const struct device_identity *device) {
        while (*link) {
                struct attempt *attempt = *link;

                if (device && !device_identity_equal(&attempt->device, device)) {
                        link = &attempt->next;
                        continue;
                }
                *link = attempt->next;
                free(attempt);
        }
}

void attempts_forgive(struct attempts *attempts, const struct device_identity *device) {
        if (device)
                forgive(bucket_of(attempts, device), device);
        for (size_t i = 0; i < ATTEMPTS_BUCKETS && !device; i++)
                forgive(&attempts->buckets[i], NULL);
}

void attempts_done(struct attempts *attempts) {
        attempts_forgive(attempts, NULL);
}

static void forget_old(struct attempt **link, uint64_t now_usec) {
        while (*link) {
                struct attempt *attempt = *link;

                if (now_usec - attempt->last_usec < HOUR_USEC) {
                        link = &attempt->next;
                        continue;
                }
                *link = attempt->next;
                free(attempt);
        }
}

static struct attempt *find(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec) {
        struct attempt **bucket = bucket_of(attempts, device);

        forget_old(bucket, now_usec);
        for (struct attempt *attempt = *bucket; attempt; attempt = attempt->next)
                if (attempt->to_sectors == to_sectors && device_identity_equal(&attempt->device, device))
                        return attempt;
        return NULL;
}

bool attempts_count(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec) {
        struct attempt *attempt = find(attempts, device, to_sectors, now_usec);
        struct attempt **bucket = bucket_of(attempts, device);

        if (!attempt) {
                attempt = calloc(1, sizeof(*attempt));
                if (!attempt)
                        return false;
                *attempt = (struct attempt){.next = *bucket, .device = *device, .to_sectors = to_sectors};
                *bucket = attempt;
        }
        attempt->last_usec = now_usec;
        return ++attempt->n == ATTEMPTS_MAX;
}

bool attempts_exhausted(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec) {
        const struct attempt *attempt = find(attempts, device, to_sectors, now_usec);

        return attempt && attempt->n >= ATTEMPTS_MAX;
}
