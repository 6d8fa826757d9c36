/* SPDX-License-Identifier: MIT */
#pragma once

/* Devices that could not be given a value, and how often that was tried of late. The time is given. */

#include <stdbool.h>
#include <stdint.h>

#include "common/device.h"

#define ATTEMPTS_MAX 3U

struct attempt;

#define ATTEMPTS_BUCKETS 256U

struct attempts {
        struct attempt *buckets[ATTEMPTS_BUCKETS]; /* by number of the device */
};

void attempts_done(struct attempts *attempts);

/*
 * One more has failed. True if that was the last one: it is given up, until attempts_forgive() or until nothing has been
 * tried for an hour.
 */
bool attempts_count(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec);

/* Whether no more are to be made now. */
bool attempts_exhausted(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors,
                uint64_t now_usec);

/* Those of DEVICE, or (NULL) of all, are forgotten. */
void attempts_forgive(struct attempts *attempts, const struct device_identity *device);
