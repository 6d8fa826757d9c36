/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files of the daemon. */

#include <libudev.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "common/survey.h"
#include "common/sysroot.h"
#include "config/policy.h"
#include "daemon/changes.h"
#include "daemon/manager.h"
#include "daemon/memory.h"

struct manager {
        sd_event *event;
        struct sysroot *root;
        struct policy *policy; /* NULL: none that is good */
        struct changes *changes;
        struct memory *said; /* findings, holds and notes that have been told of */
        struct udev *udev;
        struct udev_monitor *monitor;

        uint64_t n_scans;
        sd_event_source *settle_source; /* the scan that is due */
        uint64_t first_event_usec;      /* since when events wait for it; 0: none do */
};

/* Why a scan is made. */
enum scan_reason { SCAN_START, SCAN_EVENTS, SCAN_RELOAD, SCAN_ASKED };

/* Once, before any scan. Returns 0 or a negative errno. */
int manager_prepare_scans(struct manager *manager);

/* Reads the machine now, says what is new about it and starts the changes. */
void manager_scan(struct manager *manager, enum scan_reason reason);

/* A scan soon: once events have been quiet for a while, but not much later than the first of them. */
void manager_scan_soon(struct manager *manager);

/* Loads the policy; the old one stays if the new one is not good. */
void manager_load_policy(struct manager *manager);

/* Says what every layer is and why (SIGUSR2). */
void manager_tell_state(struct manager *manager);

/* udev's events of block devices. Returns 0 or a negative errno. */
int manager_watch_udev(struct manager *manager);
