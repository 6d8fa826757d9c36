/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The kernel's device-mapper, asked through libdevmapper: queries only, so no udev cookies. Not thread-safe, as the
 * library is not. It has types of the same names as topology.h, so the two can't be included in one file.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Makes ready. -ENOENT: there is no control node (no device-mapper in this kernel, or nobody has made the node);
 * -EACCES: no permission to open it, or no CAP_SYS_ADMIN.
 */
int dmquery_open(void);

/* Gives the library's descriptor back. */
void dmquery_close(void);

/* Called for each line of a table or status, in order; a negative return value ends that. */
typedef int (*dmquery_handler)(void *userdata, uint64_t start_sectors, uint64_t length_sectors, const char *target,
                const char *params);

/* What is said of a map beside its table: names as the kernel has them. They stay until the handler returns. */
struct dmquery_map {
        const char *name, *uuid;
        bool suspended;
};

typedef int (*dmquery_map_handler)(void *userdata, const struct dmquery_map *map);

/*
 * The live table of a map, after what else comes with it; HANDLER is not called where it has none. Returns 0, the handler's error, -ENXIO if there is
 * no such map, or another negative errno.
 */
int dmquery_table(unsigned major, unsigned minor, dmquery_map_handler map_handler, dmquery_handler handler,
                void *userdata);

/* As dmquery_table(): what each target says of its state. Without a flush, so that nothing waits for writes. */
int dmquery_status(unsigned major, unsigned minor, dmquery_handler handler, void *userdata);

/* The devices that a map has open: *ret_n of them in an array that the caller frees. Errors as dmquery_table(). */
int dmquery_dependencies(unsigned major, unsigned minor, dev_t **ret, size_t *ret_n);
