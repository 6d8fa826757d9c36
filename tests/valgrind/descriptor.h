/* SPDX-License-Identifier: MIT */
#pragma once

/* A message with at most one descriptor, over a socket of the kind SOCK_SEQPACKET. */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* FD: -1 for none. */
static inline int send_descriptor(int socket, const void *data, size_t data_bytes, int fd) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control = {};
        struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = data_bytes};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

        if (fd >= 0) {
                message.msg_control = control.bytes;
                message.msg_controllen = sizeof(control.bytes);
                control.header.cmsg_level = SOL_SOCKET;
                control.header.cmsg_type = SCM_RIGHTS;
                control.header.cmsg_len = CMSG_LEN(sizeof(int));
                memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
        }
        return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* RET_FD is -1 where none came. FLAGS: MSG_CMSG_CLOEXEC, or none. */
static inline int receive_descriptor(int socket, void *data, size_t data_bytes, int flags, int *ret_fd) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control = {};
        struct iovec part = {.iov_base = data, .iov_len = data_bytes};
        struct msghdr message = {.msg_iov = &part,
                        .msg_iovlen = 1,
                        .msg_control = control.bytes,
                        .msg_controllen = sizeof(control.bytes)};
        const struct cmsghdr *header;
        ssize_t n;

        *ret_fd = -1;
        do
                n = recvmsg(socket, &message, flags);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        header = CMSG_FIRSTHDR(&message);
        if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
                memcpy(ret_fd, CMSG_DATA(header), sizeof(*ret_fd));
        return (size_t)n == data_bytes ? 0 : -EBADMSG;
}

static inline bool set_address(struct sockaddr_un *address, const char *path) {
        size_t length = strlen(path);

        *address = (struct sockaddr_un){.sun_family = AF_UNIX};
        if (length >= sizeof(address->sun_path))
                return false;
        memcpy(address->sun_path, path, length + 1);
        return true;
}
