/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * on-stop: revert. Puts back what devices had before setrad changed them, WORKERS of them at a time, and says of each
 * what became of it. Waits for all, but never longer than a service manager does: what takes longer than that stays on
 * record, to be put back by "setractl revert".
 */

#include "common/sysroot.h"

void stop_revert(const struct sysroot *root, unsigned workers);
