/* SPDX-License-Identifier: MIT */
#pragma once

/* A run, once for each call in it that can fail, with just that one failing. */

#include <stdbool.h>
#include <stddef.h>

/* What a run has come to. Its text is that of standard output and error. */
struct outcome {
        int status;
        char *out, *err;
};

struct sweep {
        const char *name;
        void (*prepare)(void *userdata); /* before each run; may be NULL */
        int (*run)(void *userdata);
        /* What is wrong with what a run has come to where one call failed: NULL: nothing. May itself be NULL. */
        const char *(*check)(const struct outcome *whole, const struct outcome *got, void *userdata);
        void *userdata;
        unsigned stride;   /* of calls that are come to by a way known already only every so many; 0, 1: all */
        unsigned variants; /* how many of the errors that a call may have are tried; 0: one */
};

/*
 * Runs it in children, so that whatever happens is seen: that one ends by a signal, hangs, leaves descriptors open or, where
 * there is LeakSanitizer, memory. Whatever is wrong is printed, and fails the test.
 */
void sweep(const struct sweep *sweep);

/*
 * After all sweeps: prints at how many different places of WHAT a call has failed, and by how many ways to these, and fails
 * where these are fewer than so many, or there were not so many sweeps.
 */
void sweep_assert_enough(const char *what, unsigned sweeps, unsigned places_min, unsigned ways_min);

/* Whether what has failed was there no longer. */
bool sweep_is_gone(void);

/* Whether the reason of the failure is in what was printed. */
bool sweep_is_told(const struct outcome *got);

/*
 * The usual check: the same as where nothing failed; or all else with a message that has the reason in it; and success
 * without one only where what failed was there no longer (ENOENT, ENODEV). Where memory or descriptors are short it is
 * the one or the other: what is printed is never less.
 */
const char *sweep_check_told(const struct outcome *whole, const struct outcome *got, void *userdata);
