/* SPDX-License-Identifier: MIT */

/* What only the service calls: its event loop, udev's events, the journal. */

#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "tests/fault/fault.h"
#include "tests/fault/service.h"
#include "tests/fault/wrap.h"

void *__real_calloc(size_t n, size_t size);
int __real_fstat64(int fd, struct stat *st);

/* --- the event loop. Timers are as exact as can be: nobody waits for them longer than needed. */

WRAP(int, sd_event_new, sd_event **ret) {
        return FAULT("sd_event_new", NULL, ENOMEM, EMFILE) ? -errno : __real_sd_event_new(ret);
}

WRAP(int, sd_event_set_watchdog, sd_event *event, int b) {
        return FAULT("sd_event_set_watchdog", NULL, ENOMEM, EMFILE) ? -errno : __real_sd_event_set_watchdog(event, b);
}

WRAP(int, sd_event_add_signal, sd_event *event, sd_event_source **ret, int number, sd_event_signal_handler_t handler,
                void *userdata) {
        return FAULT("sd_event_add_signal", NULL, ENOMEM, EMFILE)
                               ? -errno
                               : __real_sd_event_add_signal(event, ret, number, handler, userdata);
}

/* A file of the machine is no file of sysfs, which wakes: what never does takes its place. */
static void make_pollable(int fd) {
        struct stat st;
        int other;

        if (__real_fstat64(fd, &st) < 0 || !S_ISREG(st.st_mode))
                return;
        other = eventfd(0, EFD_CLOEXEC);
        if (dup3(other, fd, O_CLOEXEC) < 0)
                abort();
        close(other);
}

WRAP(int, sd_event_add_io, sd_event *event, sd_event_source **ret, int fd, uint32_t events,
                sd_event_io_handler_t handler, void *userdata) {
        if (FAULT_AT("sd_event_add_io", fd, NULL, ENOMEM, ENOSPC))
                return -errno;
        make_pollable(fd);
        return __real_sd_event_add_io(event, ret, fd, events, handler, userdata);
}

WRAP(int, sd_event_add_time, sd_event *event, sd_event_source **ret, clockid_t clock, uint64_t usec, uint64_t accuracy,
                sd_event_time_handler_t handler, void *userdata) {
        int r;

        if (FAULT("sd_event_add_time", NULL, ENOMEM, EMFILE))
                return -errno;
        r = __real_sd_event_add_time(event, ret, clock, usec, 1, handler, userdata);
        if (r >= 0)
                service_add_timer(*ret);
        return r;
}

WRAP(int, sd_event_add_time_relative, sd_event *event, sd_event_source **ret, clockid_t clock, uint64_t usec,
                uint64_t accuracy, sd_event_time_handler_t handler, void *userdata) {
        int r;

        if (FAULT("sd_event_add_time_relative", NULL, ENOMEM, EMFILE))
                return -errno;
        r = __real_sd_event_add_time_relative(event, ret, clock, usec, 1, handler, userdata);
        if (r >= 0)
                service_add_timer(*ret);
        return r;
}

WRAP(int, sd_event_source_set_time, sd_event_source *source, uint64_t usec) {
        return FAULT("sd_event_source_set_time", NULL, ENOMEM) ? -errno : __real_sd_event_source_set_time(source, usec);
}

WRAP(int, sd_event_source_set_time_relative, sd_event_source *source, uint64_t usec) {
        return FAULT("sd_event_source_set_time_relative", NULL, ENOMEM)
                               ? -errno
                               : __real_sd_event_source_set_time_relative(source, usec);
}

/* Switching one off takes nothing that could be short. */
WRAP(int, sd_event_source_set_enabled, sd_event_source *source, int enabled) {
        return enabled != SD_EVENT_OFF && FAULT("sd_event_source_set_enabled", NULL, ENOMEM)
                               ? -errno
                               : __real_sd_event_source_set_enabled(source, enabled);
}

WRAP(sd_event_source *, sd_event_source_disable_unref, sd_event_source *source) {
        service_drop_timer(source);
        return __real_sd_event_source_disable_unref(source);
}

WRAP(int, sd_event_loop, sd_event *event) {
        return FAULT("sd_event_loop", NULL, ENOMEM, EIO) ? -errno : service_live(event);
}

/* --- udev's events */

struct udev_monitor {
        int fd;
};

struct udev_device {
        const char *path;
};

WRAP(struct udev_monitor *, udev_monitor_new_from_netlink, struct udev *udev, const char *name) {
        struct udev_monitor *monitor;

        if (FAULT("udev_monitor_new_from_netlink", NULL, EMFILE, ENOMEM))
                return NULL;
        monitor = __real_calloc(1, sizeof(*monitor));
        if (monitor)
                monitor->fd = service_open_events();
        return monitor;
}

WRAP(struct udev_monitor *, udev_monitor_unref, struct udev_monitor *monitor) {
        if (monitor)
                close(monitor->fd);
        free(monitor);
        return NULL;
}

WRAP(int, udev_monitor_filter_add_match_subsystem_devtype, struct udev_monitor *monitor, const char *subsystem,
                const char *type) {
        return FAULT("udev_monitor_filter_add_match_subsystem_devtype", NULL, ENOMEM) ? -errno : 0;
}

WRAP(int, udev_monitor_set_receive_buffer_size, struct udev_monitor *monitor, int size) {
        return FAULT("udev_monitor_set_receive_buffer_size", NULL, EPERM) ? -errno : 0;
}

WRAP(int, udev_monitor_enable_receiving, struct udev_monitor *monitor) {
        return FAULT("udev_monitor_enable_receiving", NULL, ENOMEM) ? -errno : 0;
}

WRAP(int, udev_monitor_get_fd, struct udev_monitor *monitor) {
        return monitor->fd;
}

/* An event that can't be received is gone. */
WRAP(struct udev_device *, udev_monitor_receive_device, struct udev_monitor *monitor) {
        const char *path = service_take_event();
        struct udev_device *device;

        if (path && FAULT("udev_monitor_receive_device", path, ENOMEM, ENOBUFS, EMFILE))
                return NULL;
        if (!path) {
                errno = EAGAIN;
                return NULL;
        }
        device = __real_calloc(1, sizeof(*device));
        if (device)
                device->path = path;
        return device;
}

WRAP(struct udev_device *, udev_device_unref, struct udev_device *device) {
        free(device);
        return NULL;
}

WRAP(const char *, udev_device_get_syspath, struct udev_device *device) {
        return device->path;
}

WRAP(const char *, udev_device_get_action, struct udev_device *device) {
        return "change";
}

/* --- the journal, and what has no room elsewhere */

/* As who reads the journal sees it. */
WRAP(int, sd_journal_sendv, const struct iovec *fields, int n) {
        static const char name[] = "MESSAGE=";

        if (FAULT("sd_journal_sendv", NULL, ENOMEM, EMFILE, EAGAIN))
                return -errno;
        for (int i = 0; i < n; i++)
                if (strncmp(fields[i].iov_base, name, strlen(name)) == 0)
                        fprintf(stderr, "setrad: %.*s\n", (int)(fields[i].iov_len - strlen(name)),
                                        (const char *)fields[i].iov_base + strlen(name));
        return 0;
}

WRAP(ssize_t, getrandom, void *buffer, size_t size, unsigned flags) {
        return FAULT("getrandom", NULL, EAGAIN, ENOSYS) ? -1 : __real_getrandom(buffer, size, flags);
}

WRAP(int, ftruncate64, int fd, off_t size) {
        return FAULT_AT("ftruncate", fd, NULL, EIO, EPERM) ? -1 : __real_ftruncate64(fd, size);
}
