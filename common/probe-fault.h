/* SPDX-License-Identifier: MIT */
#pragma once

/* Reading through a mapping. Private to the probe. */

#include <stdint.h>

/*
 * probe_ops.fault. The kernel takes the fault for us, as it copies from the mapping: an I/O error is -EIO then, where
 * a program that touches the page itself is killed by SIGBUS. (MADV_POPULATE_READ tells of errors as well, but there is
 * none before 5.14, and before 6.9 it may try again for ever.)
 */
int probe_fault(void *userdata, int fd, uint64_t offset_bytes);
