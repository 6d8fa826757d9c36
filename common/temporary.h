/* SPDX-License-Identifier: MIT */
#pragma once

#include "cleanup.h"

struct temporary;

/*
 * Makes a private directory below $TMPDIR, or /tmp, that goes with all that is in it when it is let go of, and also when
 * this process ends in any other way: a child that no signal but SIGKILL ends waits for that. Returns 0 or a negative
 * errno.
 */
int temporary_new(struct temporary **ret);
void temporary_free(struct temporary *temporary);
DEFINE_CLEANUP(struct temporary *, temporary_free);

const char *temporary_path(const struct temporary *temporary);
