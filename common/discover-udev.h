/* SPDX-License-Identifier: MIT */
#pragma once

/* udev: which devices there are (live), and the properties its rules have given them. */

#include "sysroot.h"
#include "topology.h"

/* The names that sysfs gives the block devices of this machine, to be freed as sysroot_list()'s. A negative errno. */
int udev_list_block(char ***ret);

/* Fills in what udev knows of all layers; notes where it knows nothing. Returns 0 or -ENOMEM. */
int udev_read_properties(const struct sysroot *root, struct topology *topology);
