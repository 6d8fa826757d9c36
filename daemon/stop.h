/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * on-stop: revert. Puts back what devices had before setrad changed them, in one worker, or, where that is held up, in
 * WORKERS of them, and says of each what became of it. Takes MSEC at most, or little more: what is not done by then stays on record, to be put back by
 * "setractl revert". Returns whether all was put back that was to be.
 */

#include <stdbool.h>

#include "common/sysroot.h"

bool stop_revert(const struct sysroot *root, unsigned workers, unsigned msec);
