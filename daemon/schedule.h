/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When to scan, and how much to read then. News of a device are one scan once they have been quiet for a while, and no
 * later than a bound after the first of them. All is read anew at a slow interval, for what nobody tells of.
 */

#include <stdint.h>
#include <systemd/sd-event.h>

#include "common/cleanup.h"
#include "daemon/nameset.h"

struct schedule;

struct schedule_times {
        uint64_t settle_usec, settle_max_usec;
        uint64_t reconcile_usec; /* 0: never; else about so often: the machines of a room need not do it all at once */
};

/* Time for a scan, of what schedule_take() says. */
typedef void (*schedule_handler)(void *userdata);

/* Returns 0 or a negative errno. EVENT is borrowed. */
int schedule_new(sd_event *event, schedule_handler handler, void *userdata, struct schedule **ret);
void schedule_free(struct schedule *schedule);
DEFINE_CLEANUP(struct schedule *, schedule_free);

/* From now on. Returns 0 or a negative errno. */
int schedule_set_times(struct schedule *schedule, const struct schedule_times *times);

/* There is news of a device, or (NULL) of what can't be said. Returns 0 or a negative errno. */
int schedule_add(struct schedule *schedule, const char *sysname);

/* A scan of what is mounted where and of devices that are new, nothing else. Returns 0 or a negative errno. */
int schedule_look(struct schedule *schedule);

/*
 * What to read now, which *ret takes over: names that there is news of, or all. Whatever was due is no longer; the slow
 * interval begins anew if all is to be read.
 */
void schedule_take(struct schedule *schedule, struct nameset *ret);

/* A scan is over that took USEC: the next one comes no sooner than as much later, so that scans take half the time at most. */
void schedule_rest(struct schedule *schedule, uint64_t usec);
