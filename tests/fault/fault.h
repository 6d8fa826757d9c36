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

#define FAULT_SITES_MAX 8192

/* What a call was, in the order in which they are counted. */
struct fault_site {
        uint64_t path; /* the place in the program, and the functions that it was called by */
        const char *call;
        unsigned n_errors;
};

/* Shared with the children of the run. */
struct faults {
        bool armed;
        unsigned n;       /* calls so far */
        unsigned target;  /* that which fails, from 1; 0: none */
        unsigned variant; /* which of its errors */
        unsigned n_sites;
        struct fault_site sites[FAULT_SITES_MAX]; /* filled where target is 0 */

        /* What has failed. */
        bool hit;
        int error; /* 0 where the call has none */
        char call[32], what[128];
};

/* Before anything else; once. */
void faults_set_up(void);
struct faults *faults(void);

/* Counts from here, up to faults_stop(). */
void faults_start(unsigned target, unsigned variant);
void faults_stop(void);

/*
 * Whether this call is the one; then errno is one of ERRORS, which end with 0 (an empty list: no errno). WHAT is what it
 * is about, or NULL.
 */
bool fault_hits(const char *call, const char *what, const int *errors);

/* Not while the test itself looks at something within a call. Returns what to give to fault_resume(). */
bool fault_pause(void);
void fault_resume(bool armed);

#define FAULT(call, what, ...) fault_hits(call, what, (const int[]){__VA_ARGS__, 0})
