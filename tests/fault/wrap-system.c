/* SPDX-License-Identifier: MIT */

/* Calls of the system. Absolute paths lead to the machine that is made of files, where there is one. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/fault.h"
#include "tests/fault/machine.h"
#include "tests/fault/wrap.h"

#define OPEN_ERRORS EMFILE, EACCES, ENFILE, ENOMEM, EIO
#define PATH(path)  machine_path(path, (char[MACHINE_PATH]){})

/* --- files are opened */

WRAP(int, open64, const char *path, int flags, ...) {
        mode_t mode = 0;

        if (flags & (O_CREAT | O_TMPFILE)) {
                va_list arguments;

                va_start(arguments, flags);
                mode = va_arg(arguments, mode_t);
                va_end(arguments);
        }
        if (FAULT("open", path, OPEN_ERRORS))
                return -1;
        return __real_open64(PATH(path), flags, mode);
}

WRAP(int, __open64_2, const char *path, int flags) {
        if (FAULT("open", path, OPEN_ERRORS))
                return -1;
        return __real___open64_2(PATH(path), flags);
}

WRAP(int, openat64, int fd, const char *path, int flags, ...) {
        mode_t mode = 0;

        if (flags & (O_CREAT | O_TMPFILE)) {
                va_list arguments;

                va_start(arguments, flags);
                mode = va_arg(arguments, mode_t);
                va_end(arguments);
        }
        if (FAULT_AT("openat", fd, path, OPEN_ERRORS))
                return -1;
        return __real_openat64(fd, PATH(path), flags, mode);
}

WRAP(int, __openat64_2, int fd, const char *path, int flags) {
        if (FAULT_AT("openat", fd, path, OPEN_ERRORS))
                return -1;
        return __real___openat64_2(fd, PATH(path), flags);
}

WRAP(long, syscall, long number, long a, long b, long c, long d, long e, long f) {
        if (number == SYS_openat2 && FAULT_AT("openat2", (int)a, (const char *)b, OPEN_ERRORS))
                return -1;
        if (number != SYS_openat2 && number != SYS_capget && FAULT("syscall", NULL, ENOSYS, EPERM))
                return -1;
        return __real_syscall(number, a, b, c, d, e, f);
}

WRAP(DIR *, opendir, const char *path) {
        if (FAULT("opendir", path, OPEN_ERRORS))
                return NULL;
        return __real_opendir(PATH(path));
}

WRAP(int, access, const char *path, int mode) {
        if (FAULT("access", path, EACCES, EIO))
                return -1;
        return __real_access(PATH(path), mode);
}

/* --- and read */

WRAP(ssize_t, read, int fd, void *buffer, size_t size) {
        if (FAULT_AT("read", fd, NULL, EIO, EINTR, ENOMEM, ENODEV))
                return -1;
        return __real_read(fd, buffer, size);
}

WRAP(ssize_t, __read_chk, int fd, void *buffer, size_t size, size_t room) {
        if (FAULT_AT("read", fd, NULL, EIO, EINTR, ENOMEM, ENODEV))
                return -1;
        return __real___read_chk(fd, buffer, size, room);
}

WRAP(ssize_t, pread64, int fd, void *buffer, size_t size, off_t offset) {
        if (FAULT_AT("pread", fd, NULL, EIO, EINTR))
                return -1;
        return __real_pread64(fd, buffer, size, offset);
}

WRAP(ssize_t, getdents64, int fd, void *buffer, size_t size) {
        if (FAULT_AT("getdents64", fd, NULL, EIO, ENOMEM))
                return -1;
        return __real_getdents64(fd, buffer, size);
}

WRAP(struct dirent64 *, readdir64, DIR *directory) {
        if (FAULT("readdir", NULL, EIO))
                return NULL;
        return __real_readdir64(directory);
}

WRAP(ssize_t, readlinkat, int fd, const char *path, char *buffer, size_t size) {
        if (FAULT_AT("readlinkat", fd, path, EIO, EACCES))
                return -1;
        return __real_readlinkat(fd, path, buffer, size);
}

WRAP(int, fstat64, int fd, struct stat *st) {
        int r;

        if (FAULT_AT("fstat", fd, NULL, EIO, ENOMEM))
                return -1;
        r = __real_fstat64(fd, st);
        if (r == 0)
                machine_stat(fd, st);
        return r;
}

WRAP(int, stat64, const char *path, struct stat *st) {
        if (FAULT("stat", path, EACCES, EIO, ENOMEM))
                return -1;
        return __real_stat64(PATH(path), st);
}

WRAP(int, lstat64, const char *path, struct stat *st) {
        if (FAULT("lstat", path, EACCES, EIO))
                return -1;
        return __real_lstat64(PATH(path), st);
}

/* --- what is written */

WRAP(ssize_t, write, int fd, const void *buffer, size_t size) {
        if (FAULT_AT("write", fd, NULL, ENOSPC, EIO, EINTR))
                return -1;
        return __real_write(fd, buffer, size);
}

WRAP(int, fsync, int fd) {
        return FAULT_AT("fsync", fd, NULL, EIO, ENOSPC) ? -1 : __real_fsync(fd);
}

WRAP(int, fchmod, int fd, mode_t mode) {
        return FAULT_AT("fchmod", fd, NULL, EPERM, EIO) ? -1 : __real_fchmod(fd, mode);
}

WRAP(int, rename, const char *from, const char *to) {
        char buffers[2][MACHINE_PATH];

        if (FAULT("rename", to, EIO, ENOSPC, EACCES))
                return -1;
        return __real_rename(machine_path(from, buffers[0]), machine_path(to, buffers[1]));
}

WRAP(int, unlink, const char *path) {
        return FAULT("unlink", path, EACCES, EIO) ? -1 : __real_unlink(PATH(path));
}

WRAP(int, mkdir, const char *path, mode_t mode) {
        return FAULT("mkdir", path, EACCES, ENOSPC) ? -1 : __real_mkdir(PATH(path), mode);
}

WRAP(int, flock, int fd, int operation) {
        return FAULT("flock", NULL, ENOLCK, EINTR) ? -1 : __real_flock(fd, operation);
}

/* --- devices and processes */

WRAP(int, ioctl, int fd, unsigned long request, unsigned long argument) {
        int r;

        if (FAULT_AT("ioctl", fd, NULL, EIO, ENOMEM, EACCES))
                return -1;
        r = machine_ioctl(fd, request, argument);
        return r <= 0 ? r : __real_ioctl(fd, request, argument);
}

WRAP(int, pipe2, int fds[2], int flags) {
        return FAULT("pipe2", NULL, EMFILE, ENFILE) ? -1 : __real_pipe2(fds, flags);
}

WRAP(pid_t, fork, void) {
        return FAULT("fork", NULL, EAGAIN, ENOMEM) ? -1 : __real_fork();
}

WRAP(int, fcntl64, int fd, int command, long argument) {
        return FAULT("fcntl", NULL, EPERM) ? -1 : __real_fcntl64(fd, command, argument);
}

WRAP(int, dup2, int from, int to) {
        return FAULT("dup2", NULL, EMFILE, EINTR) ? -1 : __real_dup2(from, to);
}

WRAP(int, poll, struct pollfd *fds, nfds_t n, int timeout) {
        return FAULT("poll", NULL, ENOMEM, EINTR) ? -1 : __real_poll(fds, n, timeout);
}

WRAP(pid_t, waitpid, pid_t pid, int *status, int options) {
        return FAULT("waitpid", NULL, EINTR) ? -1 : __real_waitpid(pid, status, options);
}

WRAP(int, signalfd, int fd, const void *mask, int flags) {
        return FAULT("signalfd", NULL, EMFILE, ENOMEM) ? -1 : __real_signalfd(fd, mask, flags);
}

WRAP(void *, mmap64, void *address, size_t size, int protection, int flags, int fd, off_t offset) {
        return FAULT("mmap", NULL, ENOMEM) ? (void *)-1 : __real_mmap64(address, size, protection, flags, fd, offset);
}
