/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/probe-resident.h"

/* Pages that are looked at at once. */
#define PAGES_MAX 4096U

/* Headers that are older than the kernel do not know it. Where numbers are not the same as everywhere, it is not used. */
#if defined(SYS_cachestat)
#define CACHESTAT_NUMBER SYS_cachestat
#elif !defined(__alpha__) && !defined(__mips__) && !(defined(__x86_64__) && defined(__ILP32__))
#define CACHESTAT_NUMBER 451
#endif

/* As the kernel has it. */
struct cachestat_extent {
        uint64_t offset_bytes, bytes;
};

struct cachestat_pages {
        uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static uint64_t page_bytes(void) {
        return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int by_cachestat(int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes) {
#ifdef CACHESTAT_NUMBER
        struct cachestat_extent extent = {.offset_bytes = offset_bytes, .bytes = bytes};
        struct cachestat_pages pages = {};

        if (syscall(CACHESTAT_NUMBER, fd, &extent, &pages, 0) < 0)
                return -errno;
        *ret_bytes = pages.cached * page_bytes();
        return 0;
#else
        return -ENOSYS;
#endif
}

/* To all others mincore() says that everything is there: where the truth would be of use to spies. */
static bool may_see(int fd) {
        char path[64];
        struct stat st;

        if (fstat(fd, &st) < 0)
                return false;
        if (st.st_uid == geteuid())
                return true;
        snprintf(path, sizeof(path), "/proc/self/fd/%i", fd);
        return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

static int count_pages(int fd, uint64_t offset_bytes, size_t bytes, uint64_t *pages) {
        unsigned char resident[PAGES_MAX];
        uint64_t page = page_bytes();
        void *mapping;
        int r;

        mapping = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset_bytes);
        if (mapping == MAP_FAILED)
                return -errno;
        r = mincore(mapping, bytes, resident) < 0 ? -errno : 0;
        munmap(mapping, bytes);
        for (size_t i = 0; r == 0 && i < (bytes + page - 1) / page; i++)
                *pages += resident[i] & 1;
        return r;
}

int probe_resident_by_mincore(int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes) {
        uint64_t page = page_bytes(), pages = 0, position_bytes = offset_bytes - offset_bytes % page,
                 end_bytes = offset_bytes + bytes;

        if (!may_see(fd))
                return -EPERM;
        while (position_bytes < end_bytes) {
                uint64_t size = end_bytes - position_bytes < PAGES_MAX * page ? end_bytes - position_bytes
                                                                              : PAGES_MAX * page;
                int r = count_pages(fd, position_bytes, (size_t)size, &pages);

                if (r < 0)
                        return r;
                position_bytes += size;
        }
        *ret_bytes = pages * page;
        return 0;
}

int probe_resident_bytes(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes) {
        int r;

        /* No bytes would mean all. */
        if (bytes == 0) {
                *ret_bytes = 0;
                return 0;
        }
        r = by_cachestat(fd, offset_bytes, bytes, ret_bytes);
        /* There is none, or it is not allowed: to the service, by a unit that is older; or to anybody, on this file. */
        if (r == -ENOSYS || r == -EPERM || r == -EOPNOTSUPP)
                r = probe_resident_by_mincore(fd, offset_bytes, bytes, ret_bytes);
        return r;
}
