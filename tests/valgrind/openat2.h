/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Valgrind before 3.20 has no openat2(2): it answers ENOSYS for the kernel, and all that reads below a root would fail.
 * What runs under Valgrind has openat2.so in it (LD_PRELOAD), which asks a process outside (opener) to make the very same
 * call, with the same directory, path and flags, and to hand back what came of it. Only tests are run so.
 */

#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>

/* The socket of the opener. */
#define OPENER_ENVIRONMENT "SETRAD_TEST_OPENER"

/* Goes with the directory's descriptor. */
struct opener_request {
        struct open_how how;
        char path[PATH_MAX];
};

/* Comes with a descriptor where ERROR is 0. */
struct opener_answer {
        int32_t error;
};
