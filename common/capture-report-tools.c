/* SPDX-License-Identifier: MIT */

/* Output of tools, written for people: only what stands in a place of its own is taken, and only where it makes sense. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "common/capture-report.h"
#include "common/discover-line.h"

#define TOOL_LINE_MAX 8192
#define LEVELS_MAX    32 /* of lsblk's tree */

/* A device as sysfs would have it: '/' as '!'. False if that can't be its name. */
static bool sysname(const char *name, char buffer[static NAME_MAX + 1]) {
        size_t n = strlen(name);

        if (n == 0 || n > NAME_MAX || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return false;
        memcpy(buffer, name, n + 1);
        for (char *p = buffer; *p; p++)
                if (*p == '/')
                        *p = '!';
        return true;
}

/* One attribute of a device, unless it is known already. */
__attribute__((format(printf, 4, 5))) static void attribute(
                struct record *record, const char *name, const char *path, const char *format, ...) {
        char full[2 * NAME_MAX], text[PATH_MAX];
        va_list arguments;
        int n;

        if (snprintf(full, sizeof(full), REPORT_BLOCK_DIRECTORY "/%s/%s", name, path) >= (int)sizeof(full) ||
                        record_has(record, full))
                return;
        va_start(arguments, format);
        n = vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        if (n >= 0 && n < (int)sizeof(text))
                record_file(record, full, text, (size_t)n);
}

static bool known(const struct record *record, const char *name, const char *path) {
        char full[2 * NAME_MAX];

        return snprintf(full, sizeof(full), REPORT_BLOCK_DIRECTORY "/%s/%s", name, path) < (int)sizeof(full) &&
               record_has(record, full);
}

static void entry(struct record *record, const char *name, const char *directory, const char *other) {
        char full[3 * NAME_MAX];

        if (snprintf(full, sizeof(full), REPORT_BLOCK_DIRECTORY "/%s/%s%s", name, directory, other) < (int)sizeof(full))
                record_directory(record, full);
}

/* What udev's database says of one device. */
struct stanza {
        char name[NAME_MAX + 1], disk[NAME_MAX + 1];
        bool block, partition;
        int major, minor; /* as they are printed: below 0 makes no sense, but scanf(3) takes a sign with %u, too */
        char *properties; /* lines "E:KEY=VALUE" */
        size_t size;
};

static void stanza_done(struct stanza *stanza) {
        free(stanza->properties);
}

/* "/devices/…/block/sda/sda1": the device's name is the last part, its disk's the one before. */
static void read_devpath(char *path, struct stanza *stanza) {
        char *slash = strrchr(path, '/');

        if (!strstr(path, "/block/") || !slash || !sysname(slash + 1, stanza->name))
                return;
        stanza->block = true;
        *slash = 0;
        slash = strrchr(path, '/');
        if (!slash || !sysname(slash + 1, stanza->disk))
                stanza->disk[0] = 0;
}

static void write_property(struct record *record, const struct stanza *stanza, const char *key, const char *value) {
        static const struct {
                const char *key, *path;
        } attributes[] = {
                        {"PARTN", "partition"},
                        {"ID_PART_ENTRY_OFFSET", "start"},
                        {"DISKSEQ", "diskseq"},
                        {"DM_NAME", "dm/name"},
                        {"DM_UUID", "dm/uuid"},
                        {"DM_SUSPENDED", "dm/suspended"},
                        {"MD_LEVEL", "md/level"},
                        {"MD_DEVICES", "md/raid_disks"},
                        {"MD_METADATA", "md/metadata_version"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
                if (strcmp(attributes[i].key, key) != 0)
                        continue;
                /* Members have their array's properties, too. */
                if (attributes[i].path[0] == 'm' && strncmp(stanza->name, "md", 2) != 0)
                        continue;
                if (strcmp(attributes[i].path, "start") == 0 && !stanza->partition)
                        continue;
                attribute(record, stanza->name, attributes[i].path, "%s\n", value);
        }
}

static void write_stanza(struct record *record, const struct stanza *stanza) {
        char path[64];

        attribute(record, stanza->name, "dev", "%d:%d\n", stanza->major, stanza->minor);
        if (stanza->partition) {
                attribute(record, stanza->name, "partition", "%s", "");
                if (stanza->disk[0])
                        entry(record, stanza->disk, "", stanza->name);
        }
        snprintf(path, sizeof(path), "run/udev/data/b%d:%d", stanza->major, stanza->minor);
        if (!record_has(record, path))
                record_append(record, path, stanza->properties, stanza->size);
        for (char *line = stanza->properties; line && *line;) {
                char *end = strchr(line, '\n'), *equals = strchr(line, '=');

                if (!end)
                        return;
                if (equals && equals < end) {
                        *end = *equals = 0;
                        write_property(record, stanza, line + 2, equals + 1);
                        *end = '\n';
                        *equals = '=';
                }
                line = end + 1;
        }
}

static void read_property(const char *text, struct stanza *stanza, FILE *properties) {
        (void)sscanf(text, "MAJOR=%9d", &stanza->major);
        (void)sscanf(text, "MINOR=%9d", &stanza->minor);
        if (strcmp(text, "DEVTYPE=partition") == 0)
                stanza->partition = true;
        fprintf(properties, "E:%s\n", text);
}

/* Lines "P: PATH", "E: KEY=VALUE" and others, up to an empty one. False at the end of the file. */
static bool read_stanza(FILE *stream, struct record *record) {
        _cleanup_(stanza_done) struct stanza stanza = {};
        char line[TOOL_LINE_MAX];
        FILE *properties = open_memstream(&stanza.properties, &stanza.size);
        bool more;

        if (!properties) {
                record_fail(record);
                return false;
        }
        while ((more = line_read(stream, line, sizeof(line))) && line[0]) {
                if (strncmp(line, "P: ", 3) == 0)
                        read_devpath(line + 3, &stanza);
                else if (strncmp(line, "E: ", 3) == 0 && stanza.block)
                        read_property(line + 3, &stanza, properties);
        }
        if (fclose(properties) != 0)
                record_fail(record);
        else if (stanza.block && stanza.major >= 0 && stanza.minor >= 0 && stanza.major + stanza.minor > 0)
                write_stanza(record, &stanza);
        return more;
}

void report_read_udev(FILE *stream, struct record *record) {
        while (read_stanza(stream, record))
                ;
}

/* "NAME MAJOR MINOR STATE OPEN TARGETS EVENT UUID" in columns; names are mangled. */
void report_read_dmsetup(FILE *stream, struct record *record) {
        char line[TOOL_LINE_MAX], map[1024], state[16], uuid[1024], name[32];
        int major, minor;

        while (line_read(stream, line, sizeof(line))) {
                int n = sscanf(line, "%1023s %9d %9d %15s %*s %*s %*s %1023s", map, &major, &minor, state, uuid);

                if (n < 4 || major < 0 || minor < 0)
                        continue;
                snprintf(name, sizeof(name), "dm-%d", minor);
                attribute(record, name, "dev", "%d:%d\n", major, minor);
                attribute(record, name, "dm/name", "%s\n", map);
                attribute(record, name, "dm/uuid", "%s\n", n > 4 ? uuid : "");
                attribute(record, name, "dm/suspended", "%d\n", strpbrk(state, "sS") != NULL);
        }
}

/* "/dev/loop0: [DEVICE]:INODE (FILE), offset N" */
void report_read_losetup(FILE *stream, struct record *record) {
        char line[TOOL_LINE_MAX], device[NAME_MAX + 1], name[NAME_MAX + 1];

        while (line_read(stream, line, sizeof(line))) {
                char *file = strstr(line, " ("), *end = strrchr(line, ')');

                if (sscanf(line, "/dev/%255[^:]:", device) != 1 || !sysname(device, name) || !file || !end ||
                                end < file + 2)
                        continue;
                *end = 0;
                attribute(record, name, "loop/backing_file", "%s\n", file + 2);
        }
}

/* What stands before a name in a tree, in columns: in ASCII or UTF-8. */
static const char *skip_tree(const char *line, size_t *ret_columns) {
        size_t columns = 0;

        for (; *line == ' ' || *line == '|' || *line == '`' || *line == '-' || (*line & 0x80); line++)
                columns += (*line & 0xc0) != 0x80;
        *ret_columns = columns;
        return line;
}

/* lsblk calls maps by their own names: their numbers give away those of the kernel. */
static bool kernel_name(const char *shown, const char *type, int minor, char buffer[static NAME_MAX + 1]) {
        static const char *const maps[] = {"lvm", "crypt", "mpath", "dm"};

        for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
                if (strcmp(type, maps[i]) == 0) {
                        snprintf(buffer, NAME_MAX + 1, "dm-%d", minor);
                        return true;
                }
        return sysname(shown, buffer);
}

/* An array that nothing else is known of. */
static void write_array(struct record *record, const char *name, const char *type) {
        if (strncmp(name, "md", 2) == 0 && (strncmp(type, "raid", 4) == 0 || strcmp(type, "linear") == 0) &&
                        !known(record, name, "md"))
                attribute(record, name, "md/level", "%s\n", type);
}

/* What lies between a device and that above it in the tree, which it is over; PARENT is "" if that is not known. */
static void write_edge(struct record *record, const char *name, const char *type, const char *parent) {
        if (strcmp(type, "part") == 0)
                attribute(record, name, "partition", "%s", "");
        if (!*parent)
                return;
        if (strcmp(type, "part") == 0)
                entry(record, parent, "", name);
        else
                entry(record, name, "slaves/", parent);
}

/* "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT" as a tree, in which what lies over a device is below it. */
void report_read_lsblk(FILE *stream, struct record *record) {
        char line[TOOL_LINE_MAX], shown[NAME_MAX + 1], type[16], names[LEVELS_MAX][NAME_MAX + 1] = {};

        while (line_read(stream, line, sizeof(line))) {
                int major, minor;
                size_t columns, level;
                const char *text = skip_tree(line, &columns);

                level = columns / 2;
                if (level >= LEVELS_MAX)
                        continue;
                names[level][0] = 0;
                if (sscanf(text, "%255s %9d:%9d %*s %*s %*s %15s", shown, &major, &minor, type) != 4 || major < 0 ||
                                minor < 0 || !kernel_name(shown, type, minor, names[level]))
                        continue;
                attribute(record, names[level], "dev", "%d:%d\n", major, minor);
                write_array(record, names[level], type);
                if (strncmp(names[level], "dm-", 3) == 0)
                        attribute(record, names[level], "dm/name", "%s\n", shown);
                write_edge(record, names[level], type, level > 0 ? names[level - 1] : "");
        }
}

/* "NAME ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA …"; of devices that are known, as maps have other names there. */
void report_read_limits(FILE *stream, struct record *record) {
        static const char *const paths[] = {"alignment_offset", "queue/minimum_io_size", "queue/optimal_io_size",
                        "queue/physical_block_size", "queue/logical_block_size", "queue/rotational"};
        char line[TOOL_LINE_MAX], shown[NAME_MAX + 1], name[NAME_MAX + 1];
        int64_t values[ARRAY_SIZE(paths)];

        while (line_read(stream, line, sizeof(line))) {
                size_t columns;
                const char *text = skip_tree(line, &columns);

                if (sscanf(text,
                                    "%255s %18" SCNd64 " %18" SCNd64 " %18" SCNd64 " %18" SCNd64 " %18" SCNd64
                                    " %18" SCNd64,
                                    shown, &values[0], &values[1], &values[2], &values[3], &values[4],
                                    &values[5]) != 7 ||
                                !sysname(shown, name) || !known(record, name, "dev"))
                        continue;
                for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                        if (i == 0 || !known(record, name, "partition"))
                                attribute(record, name, paths[i], "%" PRId64 "\n", values[i]);
        }
}

/* "RO RA SSZ BSZ StartSec Size Device", size in bytes. */
void report_read_blockdev(FILE *stream, struct record *record) {
        char line[TOOL_LINE_MAX], mode[3], device[NAME_MAX + 1], name[NAME_MAX + 1];
        int64_t readahead, sector, start, size;

        while (line_read(stream, line, sizeof(line))) {
                if (sscanf(line, "%2s %18" SCNd64 " %18" SCNd64 " %*d %18" SCNd64 " %18" SCNd64 " /dev/%255s", mode,
                                    &readahead, &sector, &start, &size, device) != 6 ||
                                !sysname(device, name) || readahead < 0 || size < 0)
                        continue;
                attribute(record, name, "size", "%" PRId64 "\n", size / 512);
                attribute(record, name, "ro", "%d\n", strcmp(mode, "ro") == 0);
                if (known(record, name, "partition")) {
                        attribute(record, name, "start", "%" PRId64 "\n", start);
                        continue;
                }
                attribute(record, name, "queue/read_ahead_kb", "%" PRId64 "\n", readahead / 2);
                attribute(record, name, "queue/logical_block_size", "%" PRId64 "\n", sector);
        }
}
