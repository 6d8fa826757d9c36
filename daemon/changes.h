/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Changes under way: each in a worker of its own, a bounded number at a time, those of one device never twice. A change
 * is put on record before it is made, and told of in the journal when it is done. A worker that hangs in the kernel
 * keeps its device held; the daemon goes on.
 */

#include <stddef.h>
#include <systemd/sd-event.h>

#include "common/cleanup.h"
#include "common/survey.h"

struct changes;

/* Called when a worker is done and a change was left for want of one. */
typedef void (*changes_room_handler)(void *userdata);

/* Returns 0 or -ENOMEM. EVENT is borrowed. */
int changes_new(sd_event *event, changes_room_handler room, void *userdata, struct changes **ret);

/* Kills the workers. */
void changes_free(struct changes *changes);
DEFINE_CLEANUP(struct changes *, changes_free);

/*
 * Starts what the survey's plan asks for, bottom up, and takes the survey over. What finds no free worker, or is under
 * way already, is left; ROOM is called when that may have changed.
 */
void changes_start(struct changes *changes, struct survey *survey);

/* Devices that could not be changed are tried again: the next scan was asked for. */
void changes_forgive(struct changes *changes);

/* Workers at work. */
size_t changes_count(const struct changes *changes);
