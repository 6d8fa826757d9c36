/* SPDX-License-Identifier: MIT */

/*
 * cached-pages FILE: what of a file or of a block device is in the page cache, one "FIRST COUNT" in pages a line, by
 * mincore(). Page by page, and not by what setrad looks with.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void die(const char *what) {
        fprintf(stderr, "cached-pages: %s: %s\n", what, strerror(errno));
        exit(1);
}

int main(int argc, char **argv) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        unsigned char *resident;
        size_t n, first = 0;
        void *mapping;
        off_t size;
        int fd;

        if (argc != 2) {
                fprintf(stderr, "Usage: cached-pages FILE\n");
                return 2;
        }
        fd = open(argv[1], O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                die(argv[1]);
        size = lseek(fd, 0, SEEK_END);
        if (size <= 0)
                die(argv[1]);
        n = ((size_t)size + page - 1) / page;
        mapping = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
        resident = malloc(n);
        if (mapping == MAP_FAILED || !resident || mincore(mapping, (size_t)size, resident) < 0)
                die("mincore");
        for (size_t i = 0; i < n; i++) {
                if (!(resident[i] & 1))
                        continue;
                if (i == 0 || !(resident[i - 1] & 1))
                        first = i;
                if (i + 1 == n || !(resident[i + 1] & 1))
                        printf("%zu %zu\n", first, i + 1 - first);
        }
        free(resident);
        return 0;
}
