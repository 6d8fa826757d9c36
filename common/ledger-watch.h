/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether the ledger was written between two moments. Nothing but its file is looked at, and nothing is locked.
 */

#include <stdbool.h>

/*
 * Takes hold of the ledger at PATH as it is now: a descriptor that the caller closes; -ENOENT if there is none, or another
 * negative errno.
 */
int ledger_watch(const char *path);

/*
 * Whether the ledger at PATH is still the one that WATCH, what ledger_watch() returned, stands for; also if there was none
 * and is none. False where that can't be told.
 */
bool ledger_watch_is_same(int watch, const char *path);
