/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/fault/fault.h"

#define FRAMES_OWN  3 /* the seam itself */
#define FRAMES_PATH 5

static struct faults *shared;

void faults_set_up(void) {
        void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (memory == MAP_FAILED)
                abort();
        shared = memory;
}

struct faults *faults(void) {
        return shared;
}

void faults_start(unsigned target, unsigned variant) {
        shared->n = 0;
        shared->target = target;
        shared->variant = variant;
        shared->hit = false;
        if (target == 0)
                shared->n_sites = 0;
        shared->armed = true;
}

void faults_stop(void) {
        shared->armed = false;
}

bool fault_pause(void) {
        bool armed = shared && shared->armed;

        if (armed)
                shared->armed = false;
        return armed;
}

void fault_resume(bool armed) {
        if (armed)
                shared->armed = true;
}

/* FNV-1a of where it returns to, and where that was called from. */
static uint64_t find_path(void) {
        void *frames[FRAMES_OWN + FRAMES_PATH];
        int n = backtrace(frames, FRAMES_OWN + FRAMES_PATH);
        uint64_t path = UINT64_C(0xcbf29ce484222325);

        for (int i = FRAMES_OWN; i < n; i++)
                path = (path ^ (uintptr_t)frames[i]) * UINT64_C(0x100000001b3);
        return path;
}

__attribute__((noinline)) static void note_site(unsigned n, const char *call, unsigned n_errors) {
        if (n > FAULT_SITES_MAX)
                return;
        shared->sites[n - 1] = (struct fault_site){.path = find_path(), .call = call, .n_errors = n_errors};
        shared->n_sites = n;
}

bool fault_hits(const char *call, const char *what, const int *errors) {
        unsigned n, n_errors = 0;

        if (!shared || !shared->armed)
                return false;
        n = ++shared->n;
        while (errors[n_errors] != 0)
                n_errors++;
        if (shared->target == 0)
                note_site(n, call, n_errors);
        if (n != shared->target)
                return false;
        shared->hit = true;
        shared->error = n_errors > 0 ? errors[shared->variant % n_errors] : 0;
        snprintf(shared->call, sizeof(shared->call), "%s", call);
        snprintf(shared->what, sizeof(shared->what), "%s", what ?: "");
        errno = shared->error;
        return true;
}
