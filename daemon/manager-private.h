/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files of the daemon that make up the manager. */

#include <libudev.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "common/survey.h"
#include "common/sysroot.h"
#include "config/policy.h"
#include "config/settings.h"
#include "daemon/changes.h"
#include "daemon/manager.h"
#include "daemon/mdwatch.h"
#include "daemon/memory.h"
#include "daemon/metrics.h"
#include "daemon/nameset.h"
#include "daemon/schedule.h"
#include "daemon/tally.h"

struct manager {
        sd_event *event;
        struct sysroot *root;
        struct settings settings;
        struct policy *policy; /* NULL: none that is good */
        struct schedule *schedule;
        struct changes *changes;
        struct memory *said; /* findings, holds and notes that have been told of */
        struct metrics *metrics;
        struct udev *udev;
        struct udev_monitor *monitor;
        struct mdwatch *mdwatch;
        sd_event_source *mounts_source, *waiting_source, *late_source;

        struct inventory *
                        inventory; /* the devices as they were when last looked at; NULL: not yet, or too little memory */
        struct tally *tally;       /* what the last scans say of them in numbers */
        bool read_failed;          /* both are older, or know less, than they should */
        struct nameset reloaded;   /* maps that a change event has come of lately */
        bool late;                 /* it is time to forget these, once they have been looked at */
        uint64_t n_scans;
        uint64_t overflow_usec; /* when it was last told of; 0: never */
};

/* Why a scan is made. */
enum scan_reason { SCAN_START, SCAN_NEWS, SCAN_RELOAD, SCAN_ASKED };

/* Reads what there is news of (all, unless it is SCAN_NEWS), says what is new about it and starts the changes. */
void manager_scan(struct manager *manager, enum scan_reason reason);

/* A scan soon, of a device (NULL: of all), or of those whose mounts have changed. */
void manager_news(struct manager *manager, const char *sysname);
void manager_news_of_mounts(struct manager *manager);

/* Loads settings and policy; the old ones stay if the new ones are not good. */
void manager_load(struct manager *manager);

/* Says what every layer is and why (SIGUSR2). */
void manager_tell_state(struct manager *manager);

/* What is new about the survey, which is of ALL or of news, goes to the journal, and the sum of all to systemd. */
void manager_tell_news(struct manager *manager, const struct survey *survey, bool all);

/* A change event of a map (NULL: of any). The first returns 0 or a negative errno. */
int manager_watch_reloads(struct manager *manager);
void manager_note_reload(struct manager *manager, const char *sysname);
/* After a survey. */
void manager_forget_reloads(struct manager *manager);

/* Looks after what the last survey holds, from time to time. The first returns 0 or a negative errno. */
int manager_watch_holds(struct manager *manager);
void manager_follow_holds(struct manager *manager);

/* udev's events of block devices; changes of the mount table. Return 0 or a negative errno. */
int manager_watch_udev(struct manager *manager);
int manager_watch_mounts(struct manager *manager);
