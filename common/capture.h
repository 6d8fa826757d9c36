/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Captures: a tar archive with everything that discovery reads of a machine, and nothing else. It is read back through
 * the same struct sysroot as a directory. What says what belongs in it is discovery itself, by reading it, so that the
 * two can't drift apart.
 */

#include <stdbool.h>

#include "sysroot.h"
#include "topology.h"

/*
 * Opens what PATH is: a directory as sysroot_open(), anything else as an archive (tar, with any of libarchive's own
 * compressions), which is unpacked into a private directory below $TMPDIR that goes with the root. One that holds a
 * single directory with all else in it will do. Returns 0, or a negative errno; where the archive is not to be had or
 * not to be trusted, *ret_reason says why, for people; else it is NULL. The caller frees it.
 */
int capture_open(const char *path, struct sysroot **ret, char **ret_reason);

struct record;

/*
 * Discovers a machine, live or captured, and writes down what was read of it: without serial numbers, WWIDs and host
 * name, unless WITH_IDENTIFIERS. The topology is there for its notes. Returns 0 or a negative errno as discover().
 */
int capture_take(struct sysroot *root, bool with_identifiers, struct record **ret, struct topology **ret_topology);

enum capture_compression {
        CAPTURE_PLAIN,
        CAPTURE_GZIP,
        CAPTURE_XZ,
        CAPTURE_ZSTD,
};

/* By the name's end: ".tar", ".tar.gz" or ".tgz", ".tar.xz" or ".txz", ".tar.zst" or ".tzst"; -EINVAL for any other. */
int capture_compression_by_name(const char *name, enum capture_compression *ret);

/* Writes a record as a tar archive. *ret_reason as capture_open(). */
int capture_write(struct record *record, int fd, enum capture_compression compression, char **ret_reason);

/*
 * The same into the file PATH, with mode 0600, which is there only once it is complete. Returns 0, or a negative errno:
 * -EEXIST if there is a file and not REPLACE, or there is something else.
 */
int capture_write_file(struct record *record, const char *path, enum capture_compression compression, bool replace,
                char **ret_reason);
