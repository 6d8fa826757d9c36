/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/graph.h"
#include "common/cleanup.h"

/* What dot is to read: no pipe, so that nobody has to write and wait at the same time. */
static int make_input(const struct graph *graph, int *ret) {
        _cleanup_(closep) int fd = memfd_create("graph", MFD_CLOEXEC);
        FILE *f;
        int r, copy;

        if (fd < 0)
                return -errno;
        copy = dup(fd);
        f = copy < 0 ? NULL : fdopen(copy, "w");
        if (!f)
                return -errno;
        r = graph_print_dot(f, graph);
        if (fclose(f) != 0 && r == 0)
                r = -errno;
        if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
                r = -errno;
        if (r == 0)
                *ret = TAKE_FD(fd);
        return r;
}

static int spawn_dot(int input, pid_t *ret) {
        char program[] = "dot", format[] = "-Tsvg";
        char *arguments[] = {program, format, NULL};
        posix_spawn_file_actions_t actions;
        int r;

        r = posix_spawn_file_actions_init(&actions);
        if (r != 0)
                return -r;
        r = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        if (r == 0)
                r = posix_spawnp(ret, program, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        return -r;
}

int graph_print_svg(const struct graph *graph) {
        _cleanup_(closep) int input = -1;
        int r, status;
        pid_t pid = -1;

        r = make_input(graph, &input);
        if (r < 0)
                return r;
        if (fflush(stdout) != 0)
                return -errno;
        r = spawn_dot(input, &pid);
        if (r < 0)
                return r;
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return -errno;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                return -ENOENT;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPIPE;
}
