/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Keeps programs that rewrite the ledger out of each other's way: load, change and save it under this lock, and hold
 * the lock for no longer.
 */

#define LEDGER_LOCK_TIMEOUT_MSEC 10000U

/*
 * Creates DIRECTORY (0755) and its file "lock" where they are missing, and takes an exclusive flock(2) on it. Closing
 * the descriptor that is returned gives it back. -ETIMEDOUT where another program holds it for all of TIMEOUT_MSEC; or
 * another negative errno.
 */
int ledger_lock(const char *directory, unsigned timeout_msec);

/*
 * A shared one, for who reads what must not change meanwhile. Creates nothing: -ENOENT where nobody has ever locked it,
 * -EACCES for who is not root.
 */
int ledger_lock_shared(const char *directory, unsigned timeout_msec);
