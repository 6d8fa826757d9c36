/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A machine made of files, which setractl takes for the one it runs on: what it opens by absolute path in /dev, /proc, /run
 * and /sys is below a directory instead. Nodes in /dev are devices with a readahead; maps have tables.
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

/*
 * Why a change that was made must not have been: it was not on record, or the value is one that no run gives of which nothing
 * failed. NULL: none.
 */
const char *machine_complaint(void);

/* Before runs of something else. A machine must have been entered. */
void machine_forget_given(void);
