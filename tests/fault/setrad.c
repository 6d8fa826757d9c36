/* SPDX-License-Identifier: MIT */

/* All of setrad, with a main() that can be called. */

#include "tests/fault/service.h"

#define main setrad_main
#include "daemon/setrad.c" // NOLINT
