/* SPDX-License-Identifier: MIT */
#pragma once

/* A record without what tells the machine and its disks from all others. Shared by the files capture*.c only. */

#include "capture-record.h"
#include "topology.h"

/*
 * Copies FROM with stand-ins for the WWIDs of the topology's multipath maps, and for what record_identifier() was told
 * of, in all names that people chose: those of maps, mount points and files. The same text has the same stand-in
 * everywhere, so that what belongs together still does. Returns 0 or -ENOMEM.
 */
int capture_pseudonymize(struct record *from, const struct topology *topology, struct record **ret);
