/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A device node, opened so that nothing is disturbed, and known to be the device that was meant. Every call here can
 * block for ever on a suspended map or a dead path: only workers make them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology.h"

#define DEVICE_NAME_MAX 256
#define DEVICE_UUID_MAX 192
#define DEVICE_MAP_MAX  128 /* DM_NAME_LEN */

/* What makes a device the same one. Plain data: it crosses fork() and goes to the ledger. */
struct device_identity {
        char name[DEVICE_NAME_MAX]; /* kernel name */
        unsigned major, minor;
        uint64_t diskseq;              /* 0: unknown (before Linux 5.15) */
        char dm_uuid[DEVICE_UUID_MAX]; /* "" if it is no map, or has none */
        char dm_name[DEVICE_MAP_MAX];  /* of a map without uuid, demangled; else "" */
};

/* -EINVAL if the layer has no device number; -ENAMETOOLONG. */
int device_identity_from_layer(const struct layer *layer, struct device_identity *ret);

/*
 * Same number, same dm uuid, and same disk sequence where both are known; where they are not, the names of maps without
 * uuid count, if both are known. The kernel name does not count.
 */
bool device_identity_equal(const struct device_identity *a, const struct device_identity *b);

/* Of two that are equal the same: by their number alone. */
size_t device_number_hash(const struct device_identity *device);

/* Of two that are equal: whether more than the number says so. */
bool device_identity_is_certain(const struct device_identity *a, const struct device_identity *b);

/*
 * Opens /dev/NAME (or /dev/block/M:m) with O_RDONLY|O_NONBLOCK|O_CLOEXEC: a descriptor opened for writing makes udev
 * send a change event when it is closed. Checks on the descriptor that it is a block device of that number, disk
 * sequence and dm uuid, and, where no disk sequence is known, dm name. Returns a descriptor; -ENODEV if it is gone, -ESTALE if the number now belongs to another
 * device, or a negative errno.
 */
int device_open(const struct device_identity *identity);

/* BLKRAGET. Returns 0 or a negative errno. */
int device_get_readahead(int fd, uint64_t *ret_sectors);

/* BLKRASET (needs CAP_SYS_ADMIN). Returns 0, -ERANGE, or another negative errno. */
int device_set_readahead(int fd, uint64_t sectors);

/* BLKGETSIZE64. Returns 0 or a negative errno. */
int device_get_size(int fd, uint64_t *ret_bytes);
