/* SPDX-License-Identifier: MIT */

#include "cli/service.h"

#define UNIT "setrad.service"

static bool is_installed(const struct sysroot *root) {
        static const char *const directories[] = {"etc/systemd/system", "run/systemd/system",
                        "usr/local/lib/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"};

        for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
                if (sysroot_exists(root, "%s/" UNIT, directories[i]))
                        return true;
        return false;
}

/* In the one hierarchy of version 2, or in that which systemd has of its own beside those of version 1. */
static bool has_control_group(const struct sysroot *root) {
        return sysroot_is_directory(root, "sys/fs/cgroup/system.slice/" UNIT) ||
               sysroot_is_directory(root, "sys/fs/cgroup/systemd/system.slice/" UNIT);
}

/* Where the groups of services can't be seen, that of this one can't either. */
static bool has_services(const struct sysroot *root) {
        return sysroot_is_directory(root, "run/systemd/system") &&
               (sysroot_is_directory(root, "sys/fs/cgroup/system.slice") ||
                               sysroot_is_directory(root, "sys/fs/cgroup/systemd/system.slice"));
}

enum service_state service_state(const struct sysroot *root) {
        if (has_control_group(root))
                return SERVICE_RUNNING;
        return has_services(root) && is_installed(root) ? SERVICE_STOPPED : SERVICE_UNKNOWN;
}
