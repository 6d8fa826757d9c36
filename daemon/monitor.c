/* SPDX-License-Identifier: MIT */

/* udev's events. What they say is not looked at: a scan reads how things are now. */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <syslog.h>

#include "daemon/journal.h"
#include "daemon/manager-private.h"

#define RECEIVE_BUFFER_BYTES (4 * 1024 * 1024)

static int on_uevent(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct manager *manager = userdata;
        struct udev_device *device;

        errno = 0;
        while ((device = udev_monitor_receive_device(manager->monitor)))
                udev_device_unref(device);
        /* After an overflow (ENOBUFS) events are missing, which a full scan makes up for. */
        if (errno == ENOBUFS)
                journal_printf(LOG_NOTICE, "events came faster than they could be read; everything is read anew");
        manager_scan_soon(manager);
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
