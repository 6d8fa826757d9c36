/* SPDX-License-Identifier: MIT */
#pragma once

/* A set of devices, told apart as device_identity_equal() does. */

#include <stdbool.h>

#include "common/device.h"

#define DEVICESET_BUCKETS 256U

struct deviceset_node;

struct deviceset {
        struct deviceset_node *buckets[DEVICESET_BUCKETS];
};

void deviceset_done(struct deviceset *set);

/* One that is there already is there once. Returns 0 or -ENOMEM. */
int deviceset_add(struct deviceset *set, const struct device_identity *device);
void deviceset_remove(struct deviceset *set, const struct device_identity *device);
bool deviceset_contains(const struct deviceset *set, const struct device_identity *device);
