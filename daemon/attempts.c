/* SPDX-License-Identifier: MIT */

#include "daemon/attempts.h"

/* ATTEMPTS_KEPT_MAX where there is none. */
static size_t find(const struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors) {
        for (size_t i = 0; i < attempts->n_items; i++)
                if (attempts->items[i].to_sectors == to_sectors &&
                                device_identity_equal(&attempts->items[i].device, device))
                        return i;
        return ATTEMPTS_KEPT_MAX;
}

bool attempts_count(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors) {
        size_t i = find(attempts, device, to_sectors);

        if (i == ATTEMPTS_KEPT_MAX) {
                if (attempts->n_items == ATTEMPTS_KEPT_MAX)
                        attempts->n_items = 0;
                i = attempts->n_items++;
                attempts->items[i].device = *device;
                attempts->items[i].to_sectors = to_sectors;
                attempts->items[i].n = 0;
        }
        return ++attempts->items[i].n == ATTEMPTS_MAX;
}

bool attempts_exhausted(const struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors) {
        size_t i = find(attempts, device, to_sectors);

        return i < ATTEMPTS_KEPT_MAX && attempts->items[i].n >= ATTEMPTS_MAX;
}

void attempts_forgive(struct attempts *attempts) {
        attempts->n_items = 0;
}
