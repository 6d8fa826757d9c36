/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/temporary.h"

struct temporary {
        char *path;
        int fd; /* the child reads the other end, and sees it close however this process ends */
        pid_t child;
};

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk) {
        (void)remove(path);
        return 0;
}

/* No link is followed. What others may wait for, the ends of pipes above all, is not kept open. */
_Noreturn static void guard(const char *path, int fd) {
        char byte;

        (void)setsid();
        if (dup2(fd, STDIN_FILENO) < 0)
                _exit(EXIT_FAILURE);
        (void)close_range(STDIN_FILENO + 1, UINT_MAX, 0);
        /* What fails for any other reason says nothing of the end: the directory is in use as long as there is none. */
        while (read(STDIN_FILENO, &byte, sizeof(byte)) < 0 && errno != EBADF)
                ;
        (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        _exit(EXIT_SUCCESS);
}

/* The child keeps the signals blocked that the caller has blocked. */
static int make_guarded(struct temporary *temporary, int read_fd) {
        if (!mkdtemp(temporary->path))
                return -errno;
        temporary->child = fork();
        if (temporary->child < 0) {
                int r = -errno;

                (void)remove(temporary->path);
                return r;
        }
        if (temporary->child == 0)
                guard(temporary->path, read_fd);
        return 0;
}

/* A signal that would end this process waits until there is a child to clear up. */
static int make_undisturbed(struct temporary *temporary, int read_fd) {
        sigset_t all, before;
        int r;

        (void)sigfillset(&all);
        r = pthread_sigmask(SIG_SETMASK, &all, &before);
        if (r != 0)
                return -r;
        r = make_guarded(temporary, read_fd);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        return r;
}

int temporary_new(struct temporary **ret) {
        _cleanup_(temporary_freep) struct temporary *temporary = malloc(sizeof(*temporary));
        _cleanup_(closep) int read_fd = -1;
        const char *parent = secure_getenv("TMPDIR");
        int fds[2], r;

        if (!temporary)
                return -ENOMEM;
        *temporary = (struct temporary){.fd = -1, .child = -1};
        if (asprintf(&temporary->path, "%s/setrad-capture-XXXXXX", parent && *parent ? parent : "/tmp") < 0) {
                temporary->path = NULL;
                return -ENOMEM;
        }
        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        read_fd = fds[0];
        temporary->fd = fds[1];
        r = make_undisturbed(temporary, read_fd);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(temporary);
        return 0;
}

void temporary_free(struct temporary *temporary) {
        if (!temporary)
                return;
        closep(&temporary->fd);
        if (temporary->child > 0)
                while (waitpid(temporary->child, NULL, 0) < 0 && errno == EINTR)
                        ;
        free(temporary->path);
        free(temporary);
}

const char *temporary_path(const struct temporary *temporary) {
        return temporary->path;
}
