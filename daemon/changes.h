/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Changes under way: many in one worker, one after the other, but those that are measured each in its own; workers are
 * bounded in number, and those of one device never twice. Decides
 * whether a change that the plan asks for is made now: not if it has failed too often, or if somebody sets another value
 * again and again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "common/cleanup.h"
#include "common/device.h"
#include "common/survey.h"
#include "common/sysroot.h"
#include "daemon/nameset.h"

struct changes;

struct changes_limits {
        unsigned workers;
        unsigned deadline_msec;
        unsigned resets_per_hour, reasserts_per_hour; /* of one device */
        uint64_t probe_usec, probe_bytes;             /* in an hour, for all; a time of 0: nothing is measured */
};

/*
 * A change is over, RESULT is what came of it. DECISION and RESULT are NULL: changes were left for want of a worker, which
 * may be free now: changes_take_left().
 */
typedef void (*changes_handler)(const struct decision *decision, const struct apply_result *result, void *userdata);

/* Returns 0 or -ENOMEM. EVENT and ROOT are borrowed. */
int changes_new(sd_event *event, const struct sysroot *root, changes_handler handler, void *userdata,
                struct changes **ret);

/* Kills the workers; how far they came goes to journal and ledger. */
void changes_free(struct changes *changes);
DEFINE_CLEANUP(struct changes *, changes_free);

/* For what is started from now on. */
void changes_set_limits(struct changes *changes, const struct changes_limits *limits);

/*
 * Starts what the survey's plan asks for, be it of ALL or of news, bottom up; takes references of its own. What finds no free worker, or is under
 * way already, is left; the handler is called when that may have changed.
 */
void changes_start(struct changes *changes, struct survey *survey, bool all);

/* The devices whose changes were left, which *ret takes over. */
void changes_take_left(struct changes *changes, struct nameset *ret);

/* Whether a worker is at the device. */
bool changes_are_under_way(const struct changes *changes, const struct device_identity *device);

/* Devices that could not be changed, or were given up, are tried again: the next scan was asked for. */
void changes_forgive(struct changes *changes);
