/* SPDX-License-Identifier: MIT */
#pragma once

/* One setrad a machine: two would undo each other's work. */

#include <sys/types.h>

/*
 * Takes the lock of DIRECTORY, which is made if need be, for as long as the descriptor in *ret is open. Returns 0;
 * -EBUSY if another process has it, then *ret_other is that one's PID, or 0 where it has not said; or another negative
 * errno.
 */
int instance_lock(const char *directory, int *ret, pid_t *ret_other);

/*
 * The process that has that lock. Returns 0; -ESRCH if none has, or it has not said; -EACCES for who is not root; or another
 * negative errno.
 */
int instance_find(const char *directory, pid_t *ret);
