/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether the service runs. */

#include "common/sysroot.h"

enum service_state {
        SERVICE_UNKNOWN, /* there is no systemd, or no unit of setrad's */
        SERVICE_STOPPED,
        SERVICE_RUNNING,
};

/* By the files of its unit, and by its control group, which is there as long as there is a process in it. */
enum service_state service_state(const struct sysroot *root);
