/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/probe-fault.h"

/* By the same way as one of the program's own, with all that is read around it. */
static int touch(const void *address) {
        _cleanup_(closep) int from = -1, to = -1;
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) < 0)
                return -errno;
        from = ends[0];
        to = ends[1];
        if (write(to, address, 1) == 1)
                return 0;
        return errno == EFAULT ? -EIO : -errno;
}

int probe_fault(void *userdata, int fd, uint64_t offset_bytes) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        void *mapping;
        int r;

        mapping = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)(offset_bytes - offset_bytes % page));
        if (mapping == MAP_FAILED)
                return -errno;
        r = touch(mapping);
        /* What is mapped can't be taken out of the cache. */
        munmap(mapping, page);
        return r;
}
