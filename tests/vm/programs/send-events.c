/* SPDX-License-Identifier: MIT */

/*
 * send-events COUNT SECONDS DEVICE…: sends COUNT events "change" of these block devices (kernel names), in turn and
 * evenly spread over SECONDS (0: as fast as it goes), to all who listen to udev, as udevd would send them. udevd itself
 * takes a hundredth of a second and more for an event, so a storm of its own would measure udevd.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/cleanup.h"

#define GROUP_UDEV      2U
#define MESSAGE_MAX     8192U
#define LEARN_MSEC      10000
#define NSEC_PER_SECOND UINT64_C(1000000000)

/* What libudev puts before the properties, which are "KEY=value" each with its NUL. */
struct event_header {
        char prefix[8];
        uint32_t magic;
        uint32_t header_size;
        uint32_t properties_offset;
        uint32_t properties_length;
        uint32_t subsystem_hash, devtype_hash; /* the kernel compares them for listeners that filter */
        uint32_t tag_bloom[2];
};

struct message {
        size_t size;
        char data[MESSAGE_MAX];
};

static _Noreturn void die(const char *what) {
        fprintf(stderr, "send-events: %s: %s\n", what, strerror(errno));
        exit(1);
}

static uint64_t now_nsec(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * NSEC_PER_SECOND + (uint64_t)now.tv_nsec;
}

static int open_netlink(uint32_t groups) {
        const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
        int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

        if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
                die("netlink");
        return fd;
}

static void trigger(const char *device) {
        _cleanup_(freep) char *path = NULL;
        _cleanup_(closep) int fd = -1;

        if (asprintf(&path, "/sys/class/block/%s/uevent", device) < 0)
                die("memory");
        fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write(fd, "change", 6) != 6)
                die(path);
}

/* The header of one true event: it has the version of the format and the hashes of "block" and "disk". */
static struct event_header learn_header(const char *device) {
        _cleanup_(closep) int fd = open_netlink(GROUP_UDEV);
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        struct event_header header;
        char data[MESSAGE_MAX];

        trigger(device);
        for (;;) {
                ssize_t n;

                if (poll(&wait, 1, LEARN_MSEC) != 1)
                        die("udevd sends no event");
                n = recv(fd, data, sizeof(data), 0);
                if (n < (ssize_t)sizeof(header))
                        continue;
                memcpy(&header, data, sizeof(header));
                if (memmem(data, (size_t)n, "SUBSYSTEM=block", sizeof("SUBSYSTEM=block")) &&
                                memmem(data, (size_t)n, "DEVTYPE=disk", sizeof("DEVTYPE=disk")))
                        break;
        }
        header.header_size = header.properties_offset = sizeof(header);
        /* Tags are what systemd listens for; it has no part in this. */
        memset(header.tag_bloom, 0, sizeof(header.tag_bloom));
        return header;
}

static void add(struct message *message, const char *key, const char *value) {
        int n = snprintf(message->data + message->size, sizeof(message->data) - message->size, "%s%s", key, value);

        if (n < 0 || message->size + (size_t)n + 1 > sizeof(message->data)) {
                errno = EMSGSIZE;
                die(key);
        }
        message->size += (size_t)n + 1;
}

/* What the kernel says of the device itself: MAJOR, MINOR, DEVNAME, DEVTYPE, DISKSEQ. */
static void add_kernel_properties(struct message *message, const char *syspath) {
        _cleanup_(freep) char *path = NULL;
        _cleanup_(fclosep) FILE *file = NULL;
        char line[256];

        if (asprintf(&path, "%s/uevent", syspath) < 0)
                die("memory");
        file = fopen(path, "re");
        if (!file)
                die(path);
        while (fgets(line, sizeof(line), file)) {
                line[strcspn(line, "\n")] = '\0';
                add(message, line, "");
        }
}

static void make_message(const struct event_header *header, const char *device, struct message *ret) {
        _cleanup_(freep) char *link = NULL, *syspath = NULL;
        struct event_header own = *header;

        if (asprintf(&link, "/sys/class/block/%s", device) < 0)
                die("memory");
        syspath = realpath(link, NULL);
        if (!syspath)
                die(link);

        *ret = (struct message){.size = sizeof(own)};
        add(ret, "ACTION=", "change");
        add(ret, "DEVPATH=", syspath + strlen("/sys"));
        add(ret, "SUBSYSTEM=", "block");
        add(ret, "SEQNUM=", "1");
        add_kernel_properties(ret, syspath);
        own.properties_length = (uint32_t)(ret->size - sizeof(own));
        memcpy(ret->data, &own, sizeof(own));
}

static void wait_until(uint64_t nsec) {
        const struct timespec time = {
                        .tv_sec = (time_t)(nsec / NSEC_PER_SECOND), .tv_nsec = (long)(nsec % NSEC_PER_SECOND)};

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void send_all(const struct message *messages, size_t n_messages, uint64_t count, uint64_t seconds) {
        const struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = GROUP_UDEV};
        _cleanup_(closep) int fd = open_netlink(0);
        uint64_t start = now_nsec(), bytes = 0;

        for (uint64_t i = 0; i < count; i++) {
                const struct message *message = &messages[i % n_messages];

                wait_until(start + seconds * NSEC_PER_SECOND * i / count);
                if (sendto(fd, message->data, message->size, 0, (const struct sockaddr *)&group, sizeof(group)) < 0)
                        die("send");
                bytes += message->size;
        }
        printf("%llu events, %llu bytes, %.1f s\n", (unsigned long long)count, (unsigned long long)bytes,
                        (double)(now_nsec() - start) / (double)NSEC_PER_SECOND);
}

int main(int argc, char **argv) {
        _cleanup_(freep) struct message *messages = NULL;
        struct event_header header;
        size_t n;

        if (argc < 4) {
                fprintf(stderr, "Usage: send-events COUNT SECONDS DEVICE...\n");
                return 2;
        }
        n = (size_t)argc - 3;
        messages = calloc(n, sizeof(*messages));
        if (!messages)
                die("memory");
        header = learn_header(argv[3]);
        for (size_t i = 0; i < n; i++)
                make_message(&header, argv[3 + i], &messages[i]);
        send_all(messages, n, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
        return 0;
}
