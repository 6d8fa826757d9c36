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

/*
 * The same, where PREVIOUS is what the machine was like before the devices in TOUCHED (NULL-terminated sysnames, NULL:
 * none) changed. Read are only these, what lies over them, and devices that PREVIOUS has not; of any other, what was
 * read for PREVIOUS is carried over, with the notes about it, and neither its directory, udev's database nor
 * device-mapper is asked. A disk and its partitions count as one device. Mounts, swaps, memory and the ledger are read
 * as ever. common/discover-scope.h has all that is read beside what is touched.
 *
 * The result is that of discover() if TOUCHED has all that changed. A change without an event has to be put there by
 * whoever knows of it: a readahead that was set, a member that an array lost.
 *
 * PREVIOUS may be NULL: all is read. So it is, too, where what is read is being recorded. It can be freed afterwards.
 * Errors as discover().
 */
int discover_update(const struct sysroot *root, const struct topology *previous, char *const *touched,
                struct topology **ret);
