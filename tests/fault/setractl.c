/* SPDX-License-Identifier: MIT */

/* All of setractl, with a main() that can be called. */

#include "tests/fault/setractl.h"

#define main setractl_main
#include "cli/setractl.c" // NOLINT
