/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads a machine, live or captured, into a topology. Live: sysfs, udev's database, dm tables by libdevmapper.
 * Captured: the same files below the root, dm tables from dmsetup/table (or a support report's).
 * What is missing is noted in the topology, not fatal.
 */

#include "inventory.h"
#include "sysroot.h"
#include "topology.h"

/*
 * Returns 0, -ENOENT where the root has no sys/ at all, or -ENOMEM, -EMFILE or -ENFILE. The topology is finished. After
 * an error sysroot_failures() knows what could not be read.
 */
int discover(const struct sysroot *root, struct topology **ret);

/*
 * After an event: of the devices in TOUCHED (NULL-terminated sysnames; NULL: none), and of those whose mounts have changed
 * since INVENTORY was told of it, reads what there is now, and what lies over them, by INVENTORY or by their holders/ as
 * they are. A disk and its partitions count as one device. Read each time is what is in a cycle, and maps whose tables
 * could not be read. What is not there any more is in topology->gone.
 *
 * The topology is finished. Beside what was read it has what lies beneath, as INVENTORY has it: carried over, so with only
 * some of what lies over it. Of what was read the topology says what discover()'s would, if TOUCHED has all that changed; a
 * change without an event (a readahead that was set, a member that an array lost) has to be put there by whoever knows of
 * it.
 *
 * Returns 0, or -ENOMEM, -EMFILE or -ENFILE: what INVENTORY knows of mounts may be newer than the rest of it then, so another
 * one is needed.
 */
int discover_news(const struct sysroot *root, struct inventory *inventory, char *const *touched, struct topology **ret);
