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
#include "common/ledger.h"
#include "common/survey.h"
#include "common/sysroot.h"

struct changes;

/* Called when a worker is done and a change was left for want of one. */
typedef void (*changes_room_handler)(void *userdata);

/* Returns 0 or -ENOMEM. EVENT and ROOT are borrowed. */
int changes_new(sd_event *event, const struct sysroot *root, changes_room_handler room, void *userdata,
                struct changes **ret);

/* Kills the workers; how far they came goes to journal and ledger. */
void changes_free(struct changes *changes);
DEFINE_CLEANUP(struct changes *, changes_free);

/*
 * Starts what the survey's plan asks for, bottom up, and takes the survey over. What finds no free worker, or is under
 * way already, is left; ROOM is called when that may have changed.
 */
void changes_start(struct changes *changes, struct survey *survey);

/* Devices that could not be changed are tried again: the next scan was asked for. */
void changes_forgive(struct changes *changes);

/* Whether the device of ENTRY has the value that it was to get, by sysfs of the struct sysroot that USERDATA is. */
bool changes_was_made(const struct ledger_entry *entry, void *userdata);
