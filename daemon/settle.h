/* SPDX-License-Identifier: MIT */
#pragma once

/* What became of changes that nobody has told the end of. */

#include "common/survey.h"
#include "common/sysroot.h"
#include "daemon/changes.h"

/*
 * Confirms or drops in the ledger what was left pending: by a process that is gone, or by this one, where it is not under
 * way any more (its end could not be put on record). What can't be settled now is left to the next call.
 */
void settle_ledger(const struct sysroot *root, const struct changes *changes);

/*
 * Puts on record which stack each device is of that still has what setrad gave it, where that is another one now: a grow,
 * on kernels that keep the value over it. Else a value that somebody sets later would seem to have come with that.
 */
void settle_stacks(const struct survey *survey);
