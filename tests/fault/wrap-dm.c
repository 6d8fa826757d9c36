/* SPDX-License-Identifier: MIT */

/* libdevmapper, which has the maps of the machine that is made of files. */

#include <errno.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "tests/fault/fault.h"
#include "tests/fault/machine.h"
#include "tests/fault/wrap.h"

void *__real_calloc(size_t n, size_t size);

struct dm_task {
        int type, minor, error;
        struct dm_deps *deps;
};

static const struct map {
        const char *path, *name, *uuid;
        uint64_t sectors;
        const char *target, *params;
} maps[] = {
                {"/dev/dm-0", "luks-md0", MACHINE_LUKS_UUID, 8388608, "crypt",
                                "aes-xts-plain64 :64:logon:x 0 9:0 32768"},
                {"/dev/dm-1", "vg-home", MACHINE_LVM_UUID, 4194304, "linear", "253:0 2048"},
                {"/dev/dm-2", "vg-swap", "LVM-swap", 4194304, "linear", "253:0 4196352"},
                {"/dev/dm-3", "vg2-raid", "LVM-raid", 2048, "raid", "raid1 3 0 region_size 1024 2 - 253:4 - 253:5"},
                {"/dev/dm-4", "vg2-raid_rimage_0", "LVM-rimage0", 2048, "linear", "8:48 0"},
                {"/dev/dm-5", "vg2-raid_rimage_1", "LVM-rimage1", 2048, "linear", "8:48 2048"},
                {"/dev/dm-6", "odd", "", 2048, "mystery", "x"},
};

#define NAME(task) ((task)->minor >= 0 ? maps[(task)->minor % (int)ARRAY_SIZE(maps)].path : NULL)

WRAP(struct dm_task *, dm_task_create, int type) {
        struct dm_task *task;

        if (FAULT("dm_task_create", NULL, ENOMEM, EMFILE))
                return NULL;
        task = __real_calloc(1, sizeof(*task));
        if (task)
                *task = (struct dm_task){.type = type, .minor = -1};
        return task;
}

WRAP(void, dm_task_destroy, struct dm_task *task) {
        free(task->deps);
        free(task);
}

WRAP(int, dm_task_set_major, struct dm_task *task, int major) {
        return !FAULT("dm_task_set_major", NULL, ENOMEM);
}

WRAP(int, dm_task_set_minor, struct dm_task *task, int minor) {
        task->minor = minor;
        return !FAULT("dm_task_set_minor", NAME(task), ENOMEM);
}

WRAP(int, dm_task_no_open_count, struct dm_task *task) {
        return !FAULT("dm_task_no_open_count", NAME(task), ENOMEM);
}

WRAP(int, dm_task_no_flush, struct dm_task *task) {
        return !FAULT("dm_task_no_flush", NAME(task), ENOMEM);
}

WRAP(int, dm_task_secure_data, struct dm_task *task) {
        return !FAULT("dm_task_secure_data", NAME(task), ENOMEM);
}

WRAP(int, dm_task_run, struct dm_task *task) {
        if (FAULT("dm_task_run", NAME(task), EMFILE, EIO, ENOMEM)) {
                task->error = errno;
                return 0;
        }
        if (task->type == DM_DEVICE_DEPS) {
                task->deps = __real_calloc(1, sizeof(*task->deps) + sizeof(task->deps->device[0]));
                if (!task->deps)
                        abort();
                task->deps->count = 1;
                task->deps->device[0] = makedev(8, 48);
        }
        return 1;
}

WRAP(int, dm_task_get_errno, struct dm_task *task) {
        return task->error;
}

WRAP(int, dm_task_get_info, struct dm_task *task, struct dm_info *info) {
        *info = (struct dm_info){.exists = task->minor >= 0 && task->minor < (int)ARRAY_SIZE(maps)};
        return 1;
}

WRAP(const char *, dm_task_get_name, const struct dm_task *task) {
        return maps[task->minor].name;
}

WRAP(const char *, dm_task_get_uuid, const struct dm_task *task) {
        return maps[task->minor].uuid;
}

/* Of the map whose target nobody knows. */
WRAP(struct dm_deps *, dm_task_get_deps, struct dm_task *task) {
        return task->deps;
}

WRAP(void *, dm_get_next_target, struct dm_task *task, void *next, uint64_t *start, uint64_t *length, char **target,
                char **params) {
        const struct map *map = &maps[task->minor];

        *start = 0;
        *length = map->sectors;
        *target = (char *)map->target;
        *params = (char *)map->params;
        if (task->type == DM_DEVICE_STATUS && strcmp(map->target, "raid") == 0)
                *params = (char *)"raid1 2 AA 2048/2048 idle 0 0 -";
        return NULL;
}

WRAP(void, dm_lib_release, void) {
}
