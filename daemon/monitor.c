/* SPDX-License-Identifier: MIT */

/* What tells of news: udev's events, and the mount table. What they say is not relied on: a scan reads how things are. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <syslog.h>

#include "common/clock.h"
#include "daemon/journal.h"
#include "daemon/manager-private.h"

#define RECEIVE_BUFFER_BYTES (4 * 1024 * 1024)

#define OVERFLOW_QUIET_USEC UINT64_C(60000000)

/* So many events are taken in before signals and workers have their turn. */
#define EVENTS_AT_ONCE 256

DEFINE_CLEANUP(struct udev_device *, udev_device_unref);

/* The name as sysfs has it; udev_device_get_sysname() has its '!' undone. */
static const char *device_sysname(struct udev_device *device) {
        const char *path = udev_device_get_syspath(device), *slash = path ? strrchr(path, '/') : NULL;

        return slash ? slash + 1 : NULL;
}

static void take_event(struct manager *manager, struct udev_device *device) {
        const char *sysname = device_sysname(device), *action = udev_device_get_action(device);

        if (sysname && action && strcmp(action, "change") == 0 && strncmp(sysname, "dm-", 3) == 0)
                manager_note_reload(manager, sysname);
        manager_news(manager, sysname);
}

/* Where events keep coming too fast, once a minute is enough. */
static void tell_overflow(struct manager *manager, int error) {
        uint64_t now = monotonic_usec();

        if (manager->overflow_usec > 0 && now - manager->overflow_usec < OVERFLOW_QUIET_USEC)
                return;
        manager->overflow_usec = now;
        journal_overflow(error);
}

static int on_uevent(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct manager *manager = userdata;

        for (unsigned i = 0; i < EVENTS_AT_ONCE; i++) {
                _cleanup_(udev_device_unrefp) struct udev_device *device = NULL;

                errno = 0;
                device = udev_monitor_receive_device(manager->monitor);
                if (device) {
                        take_event(manager, device);
                        continue;
                }
                /* That event is gone. */
                if (errno == ENOBUFS || errno == ENOMEM || errno == EMFILE) {
                        tell_overflow(manager, -errno);
                        manager_note_reload(manager, NULL);
                        manager_news(manager, NULL);
                }
                break;
        }
        return 0;
}

int manager_watch_udev(struct manager *manager) {
        int r;

        manager->udev = udev_new();
        if (!manager->udev)
                return -ENOMEM;
        manager->monitor = udev_monitor_new_from_netlink(manager->udev, "udev");
        if (!manager->monitor)
                return -errno;
        r = udev_monitor_filter_add_match_subsystem_devtype(manager->monitor, "block", NULL);
        if (r < 0)
                return r;
        /* Without CAP_NET_ADMIN the kernel's limit is what there is; the scan after an overflow makes up for it. */
        (void)udev_monitor_set_receive_buffer_size(manager->monitor, RECEIVE_BUFFER_BYTES);
        r = udev_monitor_enable_receiving(manager->monitor);
        if (r < 0)
                return r;
        return sd_event_add_io(
                        manager->event, NULL, udev_monitor_get_fd(manager->monitor), EPOLLIN, on_uevent, manager);
}

static int on_mounts(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        manager_news_of_mounts(userdata);
        return 0;
}

int manager_watch_mounts(struct manager *manager) {
        _cleanup_(closep) int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        int r;

        if (fd < 0)
                return -errno;
        /* The kernel wakes once for each change of the table; nothing has to be read for that. */
        r = sd_event_add_io(manager->event, &manager->mounts_source, fd, EPOLLPRI, on_mounts, manager);
        if (r < 0)
                return r;
        r = sd_event_source_set_io_fd_own(manager->mounts_source, true);
        if (r < 0)
                return r;
        TAKE_FD(fd);
        return 0;
}
