/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From a device to what a probe reads of it: descriptors that keep the readahead it has now, its size, and whether others
 * use it. May block on the device for ever, so it is called in a worker.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "probe-busy.h"
#include "probe.h"

/* Seams for tests: the device. As the functions of device.h; a descriptor from open is closed with close(). */
struct probe_device_ops {
        int (*open)(void *userdata, const struct device_identity *identity);
        int (*get_readahead)(void *userdata, int fd, uint64_t *ret_sectors);
        int (*get_size)(void *userdata, int fd, uint64_t *ret_bytes);
        /* Returns 0, or a negative errno where they are not known. */
        int (*get_counters)(void *userdata, const struct device_identity *identity, struct io_counters *ret);
        void (*pause)(void *userdata, unsigned msec);
        void *userdata;
};

extern const struct probe_device_ops probe_device_ops_real;

/* The descriptors of one series, all opened at the same readahead. */
struct probe_fds {
        int *fds;
        unsigned n;
};

/* So many of them probe_measure() takes for a source: for each run and the warm-up one, times streams. */
unsigned probe_fds_needed(const struct probe_limits *limits, unsigned streams);

/* Lets this process have as many descriptors as its hard limit allows: many runs of many readers need many. */
void probe_fds_allow(void);

/* Opens N > 0 of them. Returns 0 or a negative errno, *ret being as it was then. */
int probe_fds_open(const struct probe_device_ops *ops, const struct device_identity *identity, unsigned n,
                struct probe_fds *ret);
void probe_fds_close(struct probe_fds *fds);

/* Descriptors, size and readahead of *ret: FDS were opened at READAHEAD_SECTORS. Returns 0 or a negative errno. */
int probe_source_set(const struct probe_device_ops *ops, const struct probe_fds *fds, uint64_t readahead_sectors,
                struct probe_source *ret);

/* What a device's counters said just before it was read. */
struct probe_seen {
        bool known;
        struct io_counters counters;
};

/* Looks at N devices for PROBE_LOOK_MSEC, and fills SEEN. Why they must not be read now; false if nothing is against it. */
bool probe_devices_are_busy(const struct probe_device_ops *ops, const struct device_identity *const *devices, size_t n,
                struct probe_seen *seen, char *reason, size_t size);

/* Whether others have read much of a device since it was seen, during which time the probe has read OWN_BYTES of it. */
bool probe_device_was_disturbed(const struct probe_device_ops *ops, const struct device_identity *device,
                const struct probe_seen *seen, uint64_t own_bytes, uint64_t ahead_bytes);

/*
 * What may have been read ahead beyond the ends of so many runs at that readahead: what is under way then, two windows at
 * most each. False where that is no number.
 */
bool probe_bytes_ahead(uint64_t readahead_sectors, unsigned runs, uint64_t *ret_bytes);
