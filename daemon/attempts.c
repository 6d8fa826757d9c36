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

void attempts_forgive(struct attempts *attempts, const struct device_identity *device) {
        for (struct attempt **link = &attempts->items; *link;) {
                struct attempt *attempt = *link;

                if (device && !device_identity_equal(&attempt->device, device)) {
                        link = &attempt->next;
                        continue;
                }
                *link = attempt->next;
                free(attempt);
        }
}

void attempts_done(struct attempts *attempts) {
        attempts_forgive(attempts, NULL);
}

static void forget_old(struct attempts *attempts, uint64_t now_usec) {
        for (struct attempt **link = &attempts->items; *link;) {
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
        forget_old(attempts, now_usec);
        for (struct attempt *attempt = attempts->items; attempt; attempt = attempt->next)
                if (attempt->to_sectors == to_sectors && device_identity_equal(&attempt->device, device))
                        return attempt;
        return NULL;
}

bool attempts_count(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec) {
        struct attempt *attempt = find(attempts, device, to_sectors, now_usec);

        if (!attempt) {
                attempt = calloc(1, sizeof(*attempt));
                if (!attempt)
                        return false;
                *attempt = (struct attempt){.next = attempts->items, .device = *device, .to_sectors = to_sectors};
                attempts->items = attempt;
        }
        attempt->last_usec = now_usec;
        return ++attempt->n == ATTEMPTS_MAX;
}

bool attempts_exhausted(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec) {
        const struct attempt *attempt = find(attempts, device, to_sectors, now_usec);

        return attempt && attempt->n >= ATTEMPTS_MAX;
}
