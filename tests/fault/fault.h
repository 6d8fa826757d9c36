/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The one seam through which calls fail. The test programs are linked with --wrap for each call of the system or of a
 * library that can fail (wrap*.c); what the programs call is counted here, and the call of a chosen number fails. What
 * libraries call among themselves is not: a function of theirs fails as a whole.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_CALLS_MAX 16384

/* Where in the program a call is made: numbers that are one for each. */
struct fault_place {
        uint64_t call; /* which call, and the place that it is made at */
        uint64_t way;  /* and by which functions that was come to */
};

/* Shared with the children of the run. */
struct faults {
        bool armed;
        unsigned n;       /* calls so far */
        unsigned target;  /* that which fails, from 1; 0: none */
        unsigned variant; /* which of its errors */

        /* In their order; filled where target is 0. */
        struct {
                struct fault_place place;
                unsigned n_errors;
        } calls[FAULT_CALLS_MAX];

        /* What has failed. */
        bool hit;
        int error; /* 0 where the call has none */
        struct fault_place place;
        char call[32], what[512];
};

/* Before anything else; once. */
void faults_set_up(void);
struct faults *faults(void);

/* Counts from here, up to faults_stop(). */
void faults_start(unsigned target, unsigned variant);
void faults_stop(void);

/*
 * Whether this call is the one; then errno is one of ERRORS, which end with 0 (an empty list: no errno). WHAT is what it
 * is about, or NULL; if it is no absolute path, below the directory FD. -1: none. CALLER is where it returns to.
 */
bool fault_hits(const char *call, const char *what, int fd, const int *errors, const void *caller);

/* Not while the test itself looks at something within a call. Returns what to give to fault_resume(). */
bool fault_pause(void);
void fault_resume(bool armed);

#define FAULT_AT(call, fd, what, ...)                                                                                  \
        fault_hits(call, what, fd, (const int[]){__VA_ARGS__, 0}, __builtin_return_address(0))
#define FAULT(call, what, ...) FAULT_AT(call, -1, what, __VA_ARGS__)
