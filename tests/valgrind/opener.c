/* SPDX-License-Identifier: MIT */

/*
 * opener SOCKET: makes the calls of openat2(2) that openat2.so asks for. Ends when its standard input does. What may wait,
 * as a FIFO makes it, holds up one of its processes.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/valgrind/descriptor.h"
#include "tests/valgrind/openat2.h"

#define PROCESSES 4

static void answer_one(int connection) {
        struct opener_request request;
        struct opener_answer answer = {};
        _cleanup_(closep) int directory = -1, fd = -1;

        if (receive_descriptor(connection, &request, sizeof(request), MSG_CMSG_CLOEXEC, &directory) < 0)
                return;
        request.path[sizeof(request.path) - 1] = '\0';
        fd = (int)syscall(SYS_openat2, directory, request.path, &request.how, sizeof(request.how));
        if (fd < 0)
                answer.error = errno;
        (void)send_descriptor(connection, &answer, sizeof(answer), fd);
}

static void serve(int socket) {
        for (;;) {
                _cleanup_(closep) int connection = accept4(socket, NULL, NULL, SOCK_CLOEXEC);

                if (connection >= 0)
                        answer_one(connection);
        }
}

static int listen_at(const char *path) {
        _cleanup_(closep) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        struct sockaddr_un address;

        if (fd < 0 || !set_address(&address, path) || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
                        chmod(path, 0666) < 0 || listen(fd, SOMAXCONN) < 0)
                return -1;
        return TAKE_FD(fd);
}

int main(int argc, char **argv) {
        int socket = argc == 2 ? listen_at(argv[1]) : -1;
        char byte;

        if (socket < 0) {
                perror("opener");
                return EXIT_FAILURE;
        }
        umask(0);
        if (setpgid(0, 0) < 0)
                return EXIT_FAILURE;
        for (size_t i = 0; i < PROCESSES; i++)
                if (fork() == 0)
                        serve(socket);
        while (read(STDIN_FILENO, &byte, 1) > 0)
                ;
        kill(0, SIGKILL);
        return EXIT_SUCCESS;
}
