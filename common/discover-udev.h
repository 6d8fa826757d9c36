/* SPDX-License-Identifier: MIT */
#pragma once

/* udev: the properties its rules have given the devices. */

#include "sysroot.h"
#include "topology.h"

/* Fills in what udev knows of all layers; notes where it knows nothing. Returns 0 or -ENOMEM. */
int udev_read_properties(const struct sysroot *root, struct topology *topology);
