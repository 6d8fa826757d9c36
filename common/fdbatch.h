/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Descriptors that are to be closed, many of them by one call: a machine with thousands of devices has a hundred thousand
 * attributes, and each is open for one read only.
 */

#include <stdint.h>

/* What the kernel gives out are the lowest numbers, so those that wait are next to each other. Others are closed at once. */
#define FDBATCH_FDS 512

struct fdbatch {
        uint64_t waiting[FDBATCH_FDS / 64];
        unsigned n;
};

/* Takes FD over. */
void fdbatch_add(struct fdbatch *batch, int fd);

/* Closes all that wait; it can be used again. */
void fdbatch_flush(struct fdbatch *batch);
