/* SPDX-License-Identifier: MIT */
#pragma once

/* What sysfs says of every block device: kind, size, queue limits, partitions, and what it lies over. */

#include <limits.h>

#include "sysdir.h"
#include "topology.h"

struct block_device {
        struct layer *layer;
        const char *path;  /* its directory below the root */
        char **partitions; /* names of those in it, NULL-terminated; NULL: none, or carried over */
};

/* What is needed of them only until the topology has all that was read. */
struct block_devices {
        struct arena *arena; /* of the items and what they point to; the caller's */
        struct block_device *items;
        size_t n, allocated;
        struct fdbatch *batch; /* the caller's, who flushes it when all are read */
};

/*
 * Reads the device that sysfs calls SYSNAME and has at PATH. One that is gone, or is nothing yet (a loop device without
 * a file, an nbd or zram device without a size), is passed over. Returns 0 or -ENOMEM.
 */
int block_add(const struct sysroot *root, struct topology *topology, struct block_devices *devices, const char *sysname,
                const char *path);

/* Sets slaves of LAYER, whose directory it is. Returns 0 or -ENOMEM. */
int block_read_slaves(struct sysdir *dir, struct topology *topology, struct layer *layer);

/* Adds a copy of LAYER, which was read before, in place of reading the device. Returns 0 or -ENOMEM. */
int block_carry(struct topology *topology, struct block_devices *devices, const struct layer *layer, const char *path);

/*
 * Finds the partitions in the directories of DEVICES, adds those that are not known yet, and gives them their disk and
 * what they share with it; but for disks that are carried over. Returns 0 or -ENOMEM.
 */
int block_adopt_partitions(const struct sysroot *root, struct topology *topology, struct block_devices *devices);

/*
 * Reads once more the readahead of what was read, not carried over: the first may be one that a device had for a moment
 * only.
 */
void block_read_readaheads(const struct sysroot *root, struct topology *topology);

/*
 * Which disks are asleep: of those that were read, and of those beneath, as they may have been woken up since. After
 * topology_finish(). Returns 0 or -ENOMEM.
 */
int block_read_power(const struct sysroot *root, struct topology *topology);

/* The name of a bcache's backing device. Returns its length, or a negative errno where that is not known, or no bcache. */
int block_read_backing_name(
                const struct sysroot *root, const struct block_device *device, char buffer[static NAME_MAX + 1]);

/* Links each device to those in its slaves/ that are there, and bcache to its backing device. Returns 0 or -ENOMEM. */
int block_link_slaves(const struct sysroot *root, struct topology *topology, const struct block_devices *devices);
