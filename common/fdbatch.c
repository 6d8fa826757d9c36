/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fdbatch.h"

/* Few enough for a process that may have but 64; what can't be opened would be missing without a word. */
#define WAITING_MAX 48

static bool is_waiting(const struct fdbatch *batch, unsigned fd) {
        return fd < FDBATCH_FDS && (batch->waiting[fd / 64] >> fd % 64 & 1) != 0;
}

/* By one call; by one each before Linux 5.9, or where it may not be called. */
static void close_all(unsigned first, unsigned last) {
        if (syscall(SYS_close_range, first, last, 0) == 0)
                return;
        for (unsigned fd = first; fd <= last; fd++)
                close((int)fd);
}

void fdbatch_flush(struct fdbatch *batch) {
        for (unsigned first = 0; first < FDBATCH_FDS && batch->n > 0; first++) {
                unsigned end = first;

                while (is_waiting(batch, end))
                        end++;
                if (end == first)
                        continue;
                close_all(first, end - 1);
                batch->n -= end - first;
                first = end;
        }
        *batch = (struct fdbatch){};
}

void fdbatch_add(struct fdbatch *batch, int fd) {
        if (fd >= FDBATCH_FDS) {
                close(fd);
                return;
        }
        batch->waiting[fd / 64] |= UINT64_C(1) << fd % 64;
        if (++batch->n >= WAITING_MAX)
                fdbatch_flush(batch);
}
