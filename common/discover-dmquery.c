/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <libdevmapper.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/discover-dmquery.h"

#define CONTROL_PATH "/dev/mapper/control"

DEFINE_CLEANUP(struct dm_task *, dm_task_destroy);

/* The library would print; callers note what matters. */
__attribute__((format(printf, 5, 6))) static void ignore_log(
                int level, const char *file, int line, int dm_errno, const char *format, ...) {
}

/* The library asks for the kernel's version, and with that for permission, before it makes the first task. */
static int new_task(int type, struct dm_task **ret) {
        errno = 0;
        *ret = dm_task_create(type);
        if (!*ret)
                return errno > 0 ? -errno : -EIO;
        return 0;
}

int dmquery_open(void) {
        _cleanup_(dm_task_destroyp) struct dm_task *task = NULL;
        int r;

        /* Looked at first, since the library makes the node where it is missing. */
        if (access(CONTROL_PATH, R_OK | W_OK) < 0)
                return errno == ENOTDIR ? -ENOENT : -errno;
        dm_log_with_errno_init(ignore_log);
        r = new_task(DM_DEVICE_TABLE, &task);
        if (r < 0)
                dm_lib_release();
        return r;
}

void dmquery_close(void) {
        dm_lib_release();
}

/* Secure data: dm-crypt's tables may hold keys, which the kernel and the library then wipe. */
static int run_query(int type, unsigned major, unsigned minor, struct dm_task **ret) {
        _cleanup_(dm_task_destroyp) struct dm_task *task = NULL;
        struct dm_info info;
        int r;

        r = new_task(type, &task);
        if (r < 0)
                return r;
        if (!dm_task_set_major(task, (int)major) || !dm_task_set_minor(task, (int)minor) ||
                        !dm_task_no_open_count(task) || !dm_task_no_flush(task) || !dm_task_secure_data(task))
                return -ENOMEM;
        if (!dm_task_run(task)) {
                int error = dm_task_get_errno(task);

                return error > 0 ? -error : -EIO;
        }
        if (!dm_task_get_info(task, &info) || !info.exists)
                return -ENXIO;

        *ret = TAKE_PTR(task);
        return 0;
}

static bool is_suspended(struct dm_task *task) {
        struct dm_info info;

        return dm_task_get_info(task, &info) && info.suspended;
}

static int tell_targets(struct dm_task *task, dmquery_handler handler, void *userdata) {
        uint64_t start_sectors, length_sectors;
        void *next = NULL;
        char *target, *params;

        do {
                int r;

                next = dm_get_next_target(task, next, &start_sectors, &length_sectors, &target, &params);
                if (!target) /* no table at all */
                        break;
                r = handler(userdata, start_sectors, length_sectors, target, params ?: "");
                if (r < 0)
                        return r;
        } while (next);
        return 0;
}

static int tell_map(struct dm_task *task, dmquery_map_handler handler, void *userdata) {
        const struct dmquery_map map = {
                        .name = dm_task_get_name(task) ?: "",
                        .uuid = dm_task_get_uuid(task) ?: "",
                        .suspended = is_suspended(task),
        };

        return handler(userdata, &map);
}

int dmquery_table(unsigned major, unsigned minor, dmquery_map_handler map_handler, dmquery_handler handler,
                void *userdata) {
        _cleanup_(dm_task_destroyp) struct dm_task *task = NULL;
        int r;

        r = run_query(DM_DEVICE_TABLE, major, minor, &task);
        if (r < 0)
                return r;
        r = tell_map(task, map_handler, userdata);
        return r < 0 ? r : tell_targets(task, handler, userdata);
}

int dmquery_status(unsigned major, unsigned minor, dmquery_handler handler, void *userdata) {
        _cleanup_(dm_task_destroyp) struct dm_task *task = NULL;
        int r;

        r = run_query(DM_DEVICE_STATUS, major, minor, &task);
        return r < 0 ? r : tell_targets(task, handler, userdata);
}

int dmquery_dependencies(unsigned major, unsigned minor, dev_t **ret, size_t *ret_n) {
        _cleanup_(dm_task_destroyp) struct dm_task *task = NULL;
        const struct dm_deps *deps;
        dev_t *devices;
        int r;

        r = run_query(DM_DEVICE_DEPS, major, minor, &task);
        if (r < 0)
                return r;
        deps = dm_task_get_deps(task);
        if (!deps)
                return -ENXIO;

        devices = calloc((size_t)deps->count + 1, sizeof(*devices));
        if (!devices)
                return -ENOMEM;
        for (size_t i = 0; i < deps->count; i++)
                devices[i] = deps->device[i];
        *ret = devices;
        *ret_n = deps->count;
        return 0;
}
