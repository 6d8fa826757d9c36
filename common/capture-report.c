/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/capture-report.h"
#include "common/discover-line.h"

#define COMMANDS      "sos_commands"
#define DEPTH_MAX     4 /* DEVICE/md/dev-MEMBER, or one more below a disk's partition */
#define ATTRIBUTE_MAX 4200
#define FILE_MAX      (16 << 20)

bool report_is_one(const struct sysroot *root) {
        return sysroot_is_directory(root, COMMANDS) && !sysroot_is_directory(root, REPORT_BLOCK_DIRECTORY);
}

/* PATH is a device's directory, or one in it. Links lead to other devices: what slaves/ names is all that matters. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH levels */
static void copy_directory(
                const struct sysroot *root, const char *path, struct record *record, const char *to, unsigned depth) {
        _cleanup_(freep) char **names = NULL;

        record_directory(record, to);
        if (depth == 0 || sysroot_list(root, "", &names, "%s", path) < 0)
                return;
        for (char **name = names; *name; name++) {
                char from[PATH_MAX], target[PATH_MAX], text[ATTRIBUTE_MAX];
                const size_t n = strlen(to);
                int length;

                if (snprintf(from, sizeof(from), "%s/%s", path, *name) >= (int)sizeof(from) ||
                                snprintf(target, sizeof(target), "%s/%s", to, *name) >= (int)sizeof(target))
                        continue;
                if (n > 7 && strcmp(to + n - 7, "/slaves") == 0)
                        record_directory(record, target);
                else if (sysroot_link_name(root, text, sizeof(text), "%s", from) >= 0)
                        continue;
                else if (sysroot_is_directory(root, "%s", from))
                        copy_directory(root, from, record, target, depth - 1);
                else if ((length = sysroot_read(root, text, sizeof(text), "%s", from)) >= 0)
                        record_file(record, target, text, (size_t)length);
        }
}

/* In sys/block a device is a link, or in some reports a directory. */
static void copy_devices(const struct sysroot *root, struct record *record) {
        _cleanup_(freep) char **names = NULL;

        if (sysroot_list(root, "", &names, "sys/block") < 0)
                return;
        for (char **name = names; *name; name++) {
                char from[NAME_MAX + 16], to[NAME_MAX + 32];

                snprintf(from, sizeof(from), "sys/block/%s", *name);
                snprintf(to, sizeof(to), REPORT_BLOCK_DIRECTORY "/%s", *name);
                if (sysroot_is_directory(root, "%s", from))
                        copy_directory(root, from, record, to, DEPTH_MAX);
        }
}

/* Returns whether there is such a file. */
static bool copy_file(const struct sysroot *root, const char *from, struct record *record, const char *to) {
        _cleanup_(fclosep) FILE *stream = NULL;
        char block[4096];
        size_t n, sum = 0;

        if (sysroot_fopen(root, &stream, "%s", from) < 0)
                return false;
        record_presence(record, to);
        while (sum < FILE_MAX && (n = fread(block, 1, sizeof(block), stream)) > 0) {
                record_append(record, to, block, n);
                sum += n;
        }
        return true;
}

/* The output of a command has a name made from the command; some versions add to it. */
static bool find_output(const struct sysroot *root, const char *plugin, const char *command, bool exact, FILE **ret) {
        _cleanup_(freep) char **names = NULL;

        if (sysroot_list(root, command, &names, COMMANDS "/%s", plugin) < 0)
                return false;
        for (char **name = names; *name; name++)
                if ((!exact || strcmp(*name, command) == 0) &&
                                sysroot_fopen(root, ret, COMMANDS "/%s/%s", plugin, *name) == 0)
                        return true;
        return false;
}

static void read_outputs(const struct sysroot *root, struct record *record) {
        /* In this order: what is known already stays. */
        static const struct {
                const char *plugin, *command;
                bool exact;
                void (*read)(FILE *stream, struct record *record);
        } outputs[] = {
                        {"devices", "udevadm_info_--export-db", false, report_read_udev},
                        {"block", "udevadm_info_--export-db", false, report_read_udev},
                        {"devicemapper", "dmsetup_info_-c", false, report_read_dmsetup},
                        {"block", "losetup_-a", false, report_read_losetup},
                        {"block", "lsblk", true, report_read_lsblk},
                        {"block", "lsblk_-t", false, report_read_limits},
                        {"block", "blockdev_--report", false, report_read_blockdev},
        };

        for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
                _cleanup_(fclosep) FILE *stream = NULL;

                if (find_output(root, outputs[i].plugin, outputs[i].command, outputs[i].exact, &stream))
                        outputs[i].read(stream, record);
        }
}

/* The first file there is of those that COMMAND's output may be in. */
static void copy_output(const struct sysroot *root, const char *command, struct record *record, const char *to) {
        _cleanup_(freep) char **names = NULL;

        if (sysroot_list(root, command, &names, COMMANDS "/devicemapper") < 0)
                return;
        for (char **name = names; *name; name++) {
                char path[NAME_MAX + 32];

                snprintf(path, sizeof(path), COMMANDS "/devicemapper/%s", *name);
                if (copy_file(root, path, record, to))
                        return;
        }
}

/* Of each file the first that is there. A report's own process may be in a container: init's mounts are the machine's. */
static void copy_files(const struct sysroot *root, struct record *record) {
        static const struct {
                const char *from, *to;
        } files[] = {
                        {"proc/1/mountinfo", "proc/self/mountinfo"},
                        {"proc/self/mountinfo", "proc/self/mountinfo"},
                        {"proc/mounts", "proc/mounts"},
                        {"proc/swaps", "proc/swaps"},
                        {"proc/meminfo", "proc/meminfo"},
                        {"proc/self/smaps", "proc/self/smaps"},
                        {"proc/sys/kernel/hostname", "proc/sys/kernel/hostname"},
                        {"etc/hostname", "proc/sys/kernel/hostname"},
                        {"sos_commands/host/hostname", "proc/sys/kernel/hostname"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(files); i++)
                if (!record_has(record, files[i].to))
                        (void)copy_file(root, files[i].from, record, files[i].to);
}

int report_import(const struct sysroot *root, struct record *record) {
        const struct record_entry *list;
        size_t n;
        int r;

        copy_devices(root, record);
        read_outputs(root, record);
        r = record_list(record, &list, &n);
        if (r < 0)
                return r;
        if (n == 0)
                return -ENOENT;
        copy_files(root, record);
        copy_output(root, "dmsetup_table", record, "dmsetup/table");
        copy_output(root, "dmsetup_status", record, "dmsetup/status");
        return record_list(record, &list, &n);
}
