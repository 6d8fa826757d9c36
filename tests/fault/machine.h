/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A machine made of files, which setractl and setrad take for the one they run on: what they open by absolute path in /dev,
 * /etc, /proc, /run, /sys and /usr/lib/setrad is below a directory instead. Nodes in /dev are devices with a readahead; maps have tables.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tests/support/tree.h"

#define MACHINE_LUKS_UUID "CRYPT-LUKS2-00000000000000000000000000000000-luks-md0"
#define MACHINE_LVM_UUID  "LVM-D55UY1JCZrIo7l4DJCUEaNt7m2FRHGnjuW0GieerUopsntjphuwbxaYh53MczA8K"

/* The directory with the machine in it. */
struct tree *machine_new(void);

/* From now on absolute paths lead there; NULL: no longer. Readaheads are as at first, and there is no ledger. */
void machine_enter(struct tree *tree);

/* Keeps readaheads and ledger as they are now; sets them so, once entered. */
void machine_keep(void);
void machine_set_kept(void);

/* Where PATH leads; BUFFER is for it. PATH itself where nobody has entered, or where it leads nowhere else. */
#define MACHINE_PATH 4200
const char *machine_path(const char *path, char buffer[static MACHINE_PATH]);

/* What is told of a descriptor that such a node was opened as. */
void machine_stat(int fd, struct stat *st);

/* 0, -1 with errno, or 1 where the descriptor is no device of the machine. */
int machine_ioctl(int fd, unsigned long request, unsigned long argument);

/* -1: there is no such device. */
int64_t machine_readahead(const char *name);
int64_t machine_first_readahead(const char *name);

/* Whether each of the layers over md0 that a rule for all of them changes has another readahead than at first; or (not CHANGED) none. */
bool machine_all_are(bool changed);

/*
 * What is wrong with the changes that were made: one was not on record, or is of a value that no run of which nothing failed
 * gives; or the ledger does not know the original value of what has another one (unless that is GONE). NULL: nothing.
 */
const char *machine_complaint(bool gone);

/* Before runs of something else. */
void machine_forget_given(void);
