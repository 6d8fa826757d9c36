/* SPDX-License-Identifier: MIT */
#pragma once

/* Devices that could not be given a value, and how often that was tried. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/device.h"

#define ATTEMPTS_MAX      3U
#define ATTEMPTS_KEPT_MAX 64U

struct attempts {
        struct {
                struct device_identity device;
                uint64_t to_sectors;
                unsigned n;
        } items[ATTEMPTS_KEPT_MAX];
        size_t n_items;
};

/* One more has failed. True if that was the last one. */
bool attempts_count(struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors);

/* Whether no more are to be made. */
bool attempts_exhausted(const struct attempts *attempts, const struct device_identity *device, uint64_t to_sectors);

/* All devices are tried again. */
void attempts_forgive(struct attempts *attempts);
