/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The daemon's event loop: when to scan, what to say about it, and the workers that make the changes. It knows nothing
 * of how a layer is read or a target worked out: that is survey_look()'s.
 */

#include "common/cleanup.h"

struct manager;

/* The event loop, signals and udev's monitor. Returns 0 or a negative errno. */
int manager_new(struct manager **ret);
void manager_free(struct manager *manager);
DEFINE_CLEANUP(struct manager *, manager_free);

/* Loads the policy, scans, tells systemd, and runs until SIGTERM or SIGINT. Returns 0 or a negative errno. */
int manager_run(struct manager *manager);
