/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a machine was like when each of its devices was looked at last, device by device: what was read of it, and what it
 * lies over; the tables of mounts and of setrad's own changes; and how much memory there is. discover_news() takes from here what an event does not concern; so what an event costs follows from what lies
 * below and above its device, not from how many devices there are.
 */

#include "mount-table.h"
#include "topology.h"

struct inventory;

/* Of all of a machine, as discover() has read it. Returns 0 or -ENOMEM. */
int inventory_new(const struct topology *topology, struct inventory **ret);
void inventory_free(struct inventory *inventory);
DEFINE_CLEANUP(struct inventory *, inventory_free);

/*
 * What discover_news() has read and found gone; what TOPOLOGY carries is there already. Returns 0 or -ENOMEM: the inventory
 * has lost some then: another one has to be made.
 */
int inventory_update(struct inventory *inventory, const struct topology *topology);

/*
 * Devices that are a top now, or no longer one, by the last update, which did not have them read: sysnames,
 * NULL-terminated. They stay until the next update.
 */
char *const *inventory_turned(const struct inventory *inventory);

size_t inventory_count(const struct inventory *inventory);

/*
 * What was read of a device, and whether it was reloaded, a top, and set; neighbours, parent and uses are none. NULL if it
 * is not known. It stays until the next update.
 */
const struct layer *inventory_find(const struct inventory *inventory, const char *sysname);

/* Calls HANDLER for each device that lies beneath SYSNAME's, at any depth. */
void inventory_walk_below(struct inventory *inventory, const char *sysname,
                void (*handler)(const char *sysname, void *userdata), void *userdata);

/* The mount table is not what it was: discover_news() is to read it anew. */
void inventory_forget_mounts(struct inventory *inventory);
