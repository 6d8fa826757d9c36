/* SPDX-License-Identifier: MIT */

/* openat2.so: takes the place of syscall(3), and passes on all but openat2(2) as it is. */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/valgrind/descriptor.h"
#include "tests/valgrind/openat2.h"

#define ARGUMENTS_MAX 6

static int connect_opener(void) {
        _cleanup_(closep) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        const char *path = getenv(OPENER_ENVIRONMENT);
        struct sockaddr_un address;

        if (fd < 0 || !path || !set_address(&address, path))
                return -ENOSYS;
        if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
                return -errno;
        return TAKE_FD(fd);
}

/* A descriptor, or a negative errno. A connection for each, so that nothing is left open between, or in a child. */
static int ask(int directory, const char *path, const struct open_how *how) {
        struct opener_request request = {.how = *how};
        struct opener_answer answer;
        _cleanup_(closep) int fd = -1;
        size_t length = strlen(path);
        int result, r;

        if (length >= sizeof(request.path))
                return -ENAMETOOLONG;
        memcpy(request.path, path, length + 1);
        fd = connect_opener();
        if (fd < 0)
                return fd;
        r = send_descriptor(fd, &request, sizeof(request), directory);
        if (r >= 0)
                r = receive_descriptor(
                                fd, &answer, sizeof(answer), (how->flags & O_CLOEXEC) ? MSG_CMSG_CLOEXEC : 0, &result);
        if (r < 0)
                return r;
        if (answer.error == 0 && result < 0)
                return -EMFILE;
        return answer.error != 0 ? -answer.error : result;
}

long syscall(long number, ...) {
        long arguments[ARGUMENTS_MAX];
        va_list list;

        va_start(list, number);
        for (size_t i = 0; i < ARGUMENTS_MAX; i++)
                arguments[i] = va_arg(list, long);
        va_end(list);
        if (number == SYS_openat2) {
                int fd = ask((int)arguments[0], (const char *)arguments[1], (const struct open_how *)arguments[2]);

                if (fd >= 0)
                        return fd;
                errno = -fd;
                return -1;
        }

        long (*next)(long number, ...) = (long (*)(long number, ...))dlsym(RTLD_NEXT, "syscall");
        return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
