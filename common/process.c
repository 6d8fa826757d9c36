/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/process.h"

#define STAT_BYTES  1024
#define FIELD_STATE 3
#define FIELD_START 22

/* The text of field NUMBER, from the state on. A process gives itself its name, which is before it, in parentheses. */
static const char *find_field(const char *stat, unsigned number) {
        const char *p = strrchr(stat, ')');

        for (unsigned i = FIELD_STATE; p && i <= number; i++) {
                p = strchr(p, ' ');
                if (p)
                        p++;
        }
        return p;
}

/* Returns 0, -ESRCH if it is dead, or another negative errno. */
static int read_start(const struct sysroot *root, uint64_t pid, uint64_t *ret_ticks) {
        char stat[STAT_BYTES];
        const char *state, *start;
        int r;

        r = sysroot_read(root, stat, sizeof(stat), "proc/%" PRIu64 "/stat", pid);
        if (r < 0)
                return r;
        state = find_field(stat, FIELD_STATE);
        start = find_field(stat, FIELD_START);
        if (!state || !start || sscanf(start, "%19" SCNu64, ret_ticks) != 1)
                return -EBADMSG;
        return *state == 'Z' || *state == 'X' ? -ESRCH : 0;
}

int process_self(struct process *ret) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct process self = {.pid = (uint64_t)getpid()};
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0)
                return r;
        r = read_start(root, self.pid, &self.start_ticks);
        if (r < 0)
                return r;
        *ret = self;
        return 0;
}

bool process_equal(const struct process *a, const struct process *b) {
        return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

bool process_is_alive(const struct sysroot *root, const struct process *process) {
        uint64_t start_ticks;
        int r;

        if (process->pid == 0)
                return false;
        r = read_start(root, process->pid, &start_ticks);
        if (r < 0)
                return r != -ENOENT && r != -ENOTDIR && r != -ESRCH && r != -EBADMSG;
        return start_ticks == process->start_ticks;
}
