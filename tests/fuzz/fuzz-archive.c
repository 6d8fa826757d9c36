/* SPDX-License-Identifier: MIT */

/*
 * Archives. After "r" the input is the bytes of one; else each line is an entry, a letter for its type as in tar's
 * header, its name, and behind a tab the target of a link or the content of a file. Nothing outside of the directory
 * changes, and nothing but directories, files and links is in it.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/capture-private.h"
#include "common/cleanup.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/fuzz.h"

DEFINE_CLEANUP(DIR *, closedir);

#define BLOCK  512
#define SECRET "not to be changed"

/* POSIX' ustar: offsets of what is needed of it. */
enum { AT_NAME = 0, AT_MODE = 100, AT_SIZE = 124, AT_CHECKSUM = 148, AT_TYPE = 156, AT_TARGET = 157, AT_MAGIC = 257 };
#define NAME_SIZE 100

static size_t copy(uint8_t *to, struct bytes text, size_t max) {
        size_t n = bytes_left(&text) < max ? bytes_left(&text) : max;

        if (n > 0)
                memcpy(to, text.at, n);
        return n;
}

static void write_all(int fd, const void *bytes, size_t size) {
        FUZZ_CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static void write_header(int fd, uint8_t type, struct bytes name, struct bytes target, size_t size) {
        uint8_t block[BLOCK] = {};
        unsigned sum = 0;

        copy(block + AT_NAME, name, NAME_SIZE);
        copy(block + AT_TARGET, target, NAME_SIZE);
        memcpy(block + AT_MODE, "0007777", 7);
        snprintf((char *)block + AT_SIZE, 12, "%011zo", size);
        block[AT_TYPE] = type;
        memcpy(block + AT_MAGIC, "ustar\00000", 8);
        memset(block + AT_CHECKSUM, ' ', 8);
        for (size_t i = 0; i < BLOCK; i++)
                sum += block[i];
        snprintf((char *)block + AT_CHECKSUM, 8, "%06o", sum);
        write_all(fd, block, sizeof(block));
}

/* Links have no content, all else may. */
static void write_entry(int fd, struct bytes line) {
        static const uint8_t zeros[BLOCK] = {};
        uint8_t type = bytes_take(&line);
        struct bytes name = bytes_take_until(&line, '\t'), none = {};
        size_t size = type == '1' || type == '2' ? 0 : bytes_left(&line);

        write_header(fd, type, name, size > 0 ? none : line, size);
        if (size == 0)
                return;
        write_all(fd, line.at, size);
        write_all(fd, zeros, (BLOCK - size % BLOCK) % BLOCK);
}

static int make_archive(struct bytes bytes) {
        static const uint8_t end[2 * BLOCK] = {};
        int fd = memfd_create("archive", MFD_CLOEXEC);

        FUZZ_CHECK(fd >= 0);
        if (bytes_left(&bytes) > 0 && *bytes.at == 'r')
                write_all(fd, bytes.at + 1, bytes_left(&bytes) - 1);
        else {
                while (bytes_left(&bytes) > 0)
                        write_entry(fd, bytes_take_until(&bytes, '\n'));
                write_all(fd, end, sizeof(end));
        }
        FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
        return fd;
}

/* Looks at what was unpacked, and removes it. */
static int check_and_remove(const char *path, const struct stat *st, int type, struct FTW *walk) {
        FUZZ_CHECK(S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode) || (S_ISREG(st->st_mode) && st->st_nlink == 1));
        FUZZ_CHECK(S_ISLNK(st->st_mode) || (st->st_mode & 07177) == (S_ISDIR(st->st_mode) ? 0100 : 0));
        return walk->level > 0 ? remove(path) : 0;
}

/* What is around the directory is as it was, and nothing more has come. */
static void check_outside(const char *base) {
        char path[PATH_MAX], text[sizeof(SECRET) + 1] = {};
        _cleanup_(closedirp) DIR *directory = opendir(base);
        _cleanup_(closep) int fd = -1;
        unsigned n = 0;

        FUZZ_CHECK(directory);
        while (readdir(directory))
                n++;
        FUZZ_CHECK(n == 4); /* with "." and ".." */
        FUZZ_CHECK(snprintf(path, sizeof(path), "%s/secret", base) < (int)sizeof(path));
        fd = open(path, O_RDONLY | O_CLOEXEC);
        FUZZ_CHECK(fd >= 0 && read(fd, text, sizeof(text)) == sizeof(SECRET) - 1 && strcmp(text, SECRET) == 0);
}

static struct files *make_directory(void) {
        struct files *files = files_new();

        files_begin(files);
        files_write(files, "secret", SECRET, strlen(SECRET));
        files_directory(files, "in");
        files_commit(files);
        return files;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct files *files;
        struct bytes bytes = {.at = data, .end = data + size};
        _cleanup_(closep) int archive = make_archive(bytes), directory = -1;
        _cleanup_(freep) char *reason = NULL;
        char path[PATH_MAX];
        int r;

        if (!files)
                files = make_directory();
        FUZZ_CHECK(snprintf(path, sizeof(path), "%s/in", files_path(files)) < (int)sizeof(path));
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        FUZZ_CHECK(directory >= 0);
        r = capture_unpack(archive, directory, &reason);
        FUZZ_CHECK(r <= 0 && (r == 0 || r == -ENOMEM) == !reason);
        check_outside(files_path(files));
        FUZZ_CHECK(nftw(path, check_and_remove, 16, FTW_DEPTH | FTW_PHYS) == 0);
        return 0;
}
