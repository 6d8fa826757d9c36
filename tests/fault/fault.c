/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fault/fault.h"

#define FRAMES_MAX 16
#define FRAMES_WAY 5

/* From the linker: where the program's own code begins and ends. */
extern const char __executable_start[], etext[];

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

/* FNV-1a */
static uint64_t hash(uint64_t so_far, uint64_t number) {
        return (so_far ^ number) * UINT64_C(0x100000001b3);
}

static bool is_of_program(const void *address) {
        return (uintptr_t)address >= (uintptr_t)__executable_start && (uintptr_t)address < (uintptr_t)etext;
}

/*
 * CALLER is where what is in the place of the call returns to; how many frames are before that sanitizers decide. If it is
 * in a library (jansson takes memory by the program's malloc()), the place is where that was called.
 */
static void find_place(const char *call, const void *caller, struct fault_place *ret) {
        void *frames[FRAMES_MAX];
        int n = backtrace(frames, FRAMES_MAX), at = 0;

        while (at < n && frames[at] != caller)
                at++;
        while (at < n && !is_of_program(frames[at]))
                at++;
        ret->call = UINT64_C(0xcbf29ce484222325);
        for (; *call; call++)
                ret->call = hash(ret->call, (unsigned char)*call);
        ret->way = ret->call = hash(ret->call, at < n ? (uintptr_t)frames[at] : 0);
        for (int i = at + 1; i < n && i < at + FRAMES_WAY; i++)
                ret->way = hash(ret->way, (uintptr_t)frames[i]);
}

static void note_what(const char *what, int fd) {
        char link[32], *end = shared->what + sizeof(shared->what);
        ssize_t n = 0;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        if (fd >= 0 && (!what || what[0] != '/'))
                n = readlink(link, shared->what, sizeof(shared->what) - 1);
        n = n > 0 ? n : 0;
        snprintf(shared->what + n, (size_t)(end - shared->what - n), "%s%s", n > 0 && what ? "/" : "", what ?: "");
}

bool fault_hits(const char *call, const char *what, int fd, const int *errors, const void *caller) {
        unsigned n, n_errors = 0;

        if (!shared || !shared->armed)
                return false;
        n = __atomic_add_fetch(&shared->n, 1, __ATOMIC_RELAXED);
        while (errors[n_errors] != 0)
                n_errors++;
        if (shared->target == 0 && n <= FAULT_CALLS_MAX) {
                find_place(call, caller, &shared->calls[n - 1].place);
                shared->calls[n - 1].n_errors = n_errors;
        }
        if (n != shared->target)
                return false;
        find_place(call, caller, &shared->place);
        shared->hit = true;
        shared->error = n_errors > 0 ? errors[shared->variant % n_errors] : 0;
        snprintf(shared->call, sizeof(shared->call), "%s", call);
        note_what(what, fd);
        errno = shared->error;
        return true;
}
