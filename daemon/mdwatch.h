/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What md tells by sysfs only: a member that fails, a resync or reshape that begins or ends. udev sends no events of
 * these; the kernel wakes whoever polls md/array_state, md/sync_action and md/degraded.
 */

#include <systemd/sd-event.h>

#include "common/cleanup.h"
#include "common/topology.h"

struct mdwatch;

/* The array has news: also when it is first watched, as it may have changed since it was read. */
typedef void (*mdwatch_handler)(const char *sysname, void *userdata);

/* Returns 0 or -ENOMEM. EVENT is borrowed. */
int mdwatch_new(sd_event *event, mdwatch_handler handler, void *userdata, struct mdwatch **ret);
void mdwatch_free(struct mdwatch *watch);
DEFINE_CLEANUP(struct mdwatch *, mdwatch_free);

/*
 * From now on the arrays of TOPOLOGY are watched: and no others, if it is ALL of the machine; else those that were, but for
 * what it has found gone. An array that has taken the place of one of the same name
 * is a new one. What can't be opened is not watched: it is gone, or the kernel has no such attribute. Returns 0 or a
 * negative errno; what was watched before may then be watched only in part.
 */
int mdwatch_follow(struct mdwatch *watch, const struct topology *topology, bool all);
