/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files capture*.c only. Each returns 0 (or a descriptor) or a negative errno. */

#include <stddef.h>

/* Unpacks the archive that FD is read from into a directory. *ret_reason as capture_open(). */
int capture_unpack(int fd, int directory, char **ret_reason);

/* Opens an entry in the directory, without going through a link; a file that is made has mode 0600. */
int capture_open_below(int directory, const char *name, int flags);

int capture_write_all(int fd, const char *text, size_t size);
