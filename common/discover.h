/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads a machine, live or captured, into a topology. Live: sysfs, udev's database by libudev, dm tables by
 * libdevmapper. Captured: the same files below the root, dm tables from dmsetup/table (or a support report's).
 * What is missing is noted in the topology, not fatal.
 */

#include "sysroot.h"
#include "topology.h"

/*
 * Returns 0, -ENOENT where the root has no sys/ at all, or -ENOMEM. The topology is finished.
 */
int discover(const struct sysroot *root, struct topology **ret);
