/* SPDX-License-Identifier: MIT */

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/machine-private.h"

#define STATEMENTS_MAX 400U

/* --- devices */

void machine_attribute(
                struct machine *machine, const struct device *device, const char *path, const char *format, ...) {
        char full[MACHINE_PATH_MAX + NAME_MAX], text[PATH_MAX];
        va_list arguments;
        int n;

        if (!machine->writes)
                return;
        va_start(arguments, format);
        n = vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        if (n >= 0 && n < (int)sizeof(text) &&
                        snprintf(full, sizeof(full), "%s/%s", device->path, path) < (int)sizeof(full))
                files_write(machine->files, full, text, (size_t)n);
}

const struct device *machine_pick(struct machine *machine, struct bytes *bytes) {
        static const struct device absent = {
                        .name = "absent", .path = "sys/absent", .major = 9, .minor = 99, .uuid = ""};
        uint8_t byte = bytes_take(bytes);

        if (byte == '?' || machine->n_all == 0)
                return &absent;
        return &machine->devices[(uint8_t)(byte - 'a') % machine->n_all];
}

/* In sys/class/block, unless there is none. */
static void list_device(struct machine *machine, const struct device *device, const char *directory) {
        char path[MACHINE_PATH_MAX], target[MACHINE_PATH_MAX + 16];

        snprintf(path, sizeof(path), "%s/%s", directory, device->name);
        snprintf(target, sizeof(target), "%s%s", strcmp(directory, "sys/block") == 0 ? "../../" : "../../../",
                        device->path);
        if (!(machine->options & 1U << OPTION_DIRECTORIES))
                files_link(machine->files, path, target);
}

void machine_device(struct machine *machine, const struct device *device) {
        if (!machine->writes)
                return;
        files_directory(machine->files, device->path);
        if (!(machine->options & 1U << OPTION_SYS_BLOCK_ONLY))
                list_device(machine, device, "sys/class/block");
        else if (device->type != 'p')
                list_device(machine, device, "sys/block");
        if (device->has_node)
                machine_attribute(machine, device, "dev", "%u:%u\n", device->major, device->minor);
}

struct device *machine_add(struct machine *machine, char type, unsigned major, const char *format, ...) {
        const char *parent = machine->options & 1U << OPTION_DIRECTORIES
                                             ? machine->options & 1U << OPTION_SYS_BLOCK_ONLY ? "sys/block"
                                                                                              : "sys/class/block"
                                             : "sys/devices/virtual/block";
        struct device *device = &machine->devices[machine->n];
        char name[MACHINE_NAME_MAX];
        va_list arguments;

        if (machine->n == MACHINE_DEVICES_MAX)
                return NULL;
        *device = (struct device){.type = type, .major = major, .minor = machine->n, .has_node = true, .uuid = ""};
        va_start(arguments, format);
        vsnprintf(name, sizeof(name), format, arguments);
        va_end(arguments);
        snprintf(device->name, sizeof(device->name), "%s", name);
        snprintf(device->path, sizeof(device->path), "%s/%s", parent, name);
        machine->n++;
        return device;
}

void machine_link(struct machine *machine, const struct device *upper, const struct device *lower, unsigned style) {
        static const char *const targets[] = {"../../", "/sys/class/block/", "../../../../../../../", "/etc/", ""};
        char path[MACHINE_PATH_MAX + 64], target[MACHINE_PATH_MAX];

        if (!machine->writes)
                return;
        style %= ARRAY_SIZE(targets) + 2;
        snprintf(path, sizeof(path), "%s/slaves/%s", upper->path, lower->name);
        if (style >= ARRAY_SIZE(targets)) {
                style == ARRAY_SIZE(targets) ? files_directory(machine->files, path) : files_fifo(machine->files, path);
                return;
        }
        snprintf(target, sizeof(target), "%s%s", targets[style], lower->name);
        files_link(machine->files, path, target);
        if (style > 0)
                return;
        snprintf(path, sizeof(path), "%s/holders/%s", lower->path, upper->name);
        files_link(machine->files, path, upper->name);
}

/* --- statements of one device */

static void make_disk(struct machine *machine, struct bytes *bytes) {
        static const struct {
                const char *before, *after; /* the number */
        } names[] = {{"sd", ""}, {"nvme", "n1"}, {"vd", ""}, {"cciss!c0d", ""}, {"nvme", "c0n1"}, {"zram", ""},
                        {"sr", ""}, {"zd", ""}, {"nbd", ""}, {"rbd", ""}, {"drbd", ""}, {"x\033[31m", ""},
                        {"\xff\xc3", ""}, {"mmcblk", "boot0"}, {"\u202e", ""}};
        static const unsigned readaheads[] = {128, 0, 4, 512, 4096, 65536, 3, 1048576, 2147483647, 64};
        static const char *const sizes[] = {
                        "512", "4096", "65536", "0", "33553920", "16773120", "4293918720", "16777216", "524288", "3"};
        unsigned name = bytes_pick(bytes, ARRAY_SIZE(names)), readahead = bytes_pick(bytes, ARRAY_SIZE(readaheads)),
                 least = bytes_pick(bytes, ARRAY_SIZE(sizes)), best = (bytes_pick(bytes, ARRAY_SIZE(sizes)) + 3) % 10;
        struct device *device;

        device = machine_add(machine, 'd', 8, "%s%u%s", names[name].before, machine->n, names[name].after);
        if (!device)
                return;
        device->has_node = name != 4;
        machine_device(machine, device);
        if (!device->has_node)
                machine_attribute(machine, device, "hidden", "1\n");
        machine_attribute(machine, device, "size", "2147483648\n");
        machine_attribute(machine, device, "queue/read_ahead_kb", "%u\n", readaheads[readahead]);
        machine_attribute(machine, device, "queue/minimum_io_size", "%s\n", sizes[least]);
        machine_attribute(machine, device, "queue/optimal_io_size", "%s\n", sizes[best]);
        machine_attribute(machine, device, "queue/rotational", "%u\n", least % 2);
}

/* Below its disk's directory, if that is one of those that are there. */
static void make_partition(struct machine *machine, struct bytes *bytes) {
        static const unsigned starts[] = {2048, 0, 1, 63, 1024, 1000000, 4294967295};
        const struct device *disk = machine_pick(machine, bytes);
        unsigned start = starts[bytes_pick(bytes, ARRAY_SIZE(starts))];
        char name[MACHINE_NAME_MAX];
        struct device *device;

        snprintf(name, sizeof(name), "%.30sp%u", disk->name, machine->n);
        device = machine_add(machine, 'p', 259, "%s", name);
        if (!device)
                return;
        if (disk < device && strlen(disk->path) + strlen(device->name) + 1 < sizeof(device->path) - NAME_MAX / 2) {
                char path[2 * MACHINE_PATH_MAX];

                snprintf(path, sizeof(path), "%s/%s", disk->path, device->name);
                memcpy(device->path, path, strlen(path) + 1);
        }
        machine_device(machine, device);
        machine_attribute(machine, device, "partition", "1\n");
        machine_attribute(machine, device, "start", "%u\n", start);
        machine_attribute(machine, device, "size", "1048576\n");
}

static void make_loop(struct machine *machine, struct bytes *bytes) {
        static const char *const files[] = {"/srv/disk.img", "/mnt/0/disk.img", "/disk.img (deleted)", "/srv/a b.img",
                        "relative.img", "", "/", "/mnt/1/\xff\033]0;x", "/srv//../mnt/2/x"};
        unsigned file = bytes_pick(bytes, ARRAY_SIZE(files));
        struct device *device = machine_add(machine, 'l', 7, "loop%u", machine->n);

        if (!device)
                return;
        machine_device(machine, device);
        machine_attribute(machine, device, "size", "204800\n");
        machine_attribute(machine, device, "loop/backing_file", "%s\n", files[file]);
        machine_attribute(machine, device, "queue/read_ahead_kb", "128\n");
}

static void make_bcache(struct machine *machine, struct bytes *bytes) {
        const struct device *backing = machine_pick(machine, bytes), *cache = machine_pick(machine, bytes);
        struct device *device = machine_add(machine, 'b', 250, "bcache%u", machine->n);
        char path[MACHINE_PATH_MAX + 16], target[MACHINE_NAME_MAX + 16];

        if (!device)
                return;
        machine_device(machine, device);
        machine_attribute(machine, device, "size", "204800\n");
        machine_attribute(machine, device, "queue/read_ahead_kb", "128\n");
        machine_link(machine, device, backing, 0);
        machine_link(machine, device, cache, 0);
        snprintf(path, sizeof(path), "%s/bcache", device->path);
        snprintf(target, sizeof(target), "../%s/bcache", backing->name);
        if (machine->writes)
                files_link(machine->files, path, target);
}

static void make_link(struct machine *machine, struct bytes *bytes) {
        const struct device *upper = machine_pick(machine, bytes), *lower = machine_pick(machine, bytes);

        machine_link(machine, upper, lower, bytes_pick(bytes, UINT8_MAX));
}

/* --- statements of the machine */

static void add_mount(struct machine *machine, struct bytes *bytes) {
        static const char *const paths[] = {
                        "/", "/srv", "/mnt/0", "/mnt/1", "/mnt\\0402", "/proc", "/\\033[2J", "//", "x"};
        static const char *const types[] = {"xfs", "ext4", "btrfs", "overlay", "\\377", "zfs"};
        static const struct {
                const char *text;
                bool has_name; /* behind it */
        } sources[] = {{"/dev/", true}, {"/dev/mapper/map-", true}, {"/dev/root", false}, {"none", false},
                        {"UUID=", true}, {"/dev/mapper/vg-lv", true}};
        const struct device *device = machine_pick(machine, bytes);
        unsigned path = bytes_pick(bytes, ARRAY_SIZE(paths)), type = bytes_pick(bytes, ARRAY_SIZE(types)),
                 source = bytes_pick(bytes, ARRAY_SIZE(sources));
        char text[MACHINE_NAME_MAX + 32];

        if (!machine->writes)
                return;
        snprintf(text, sizeof(text), "%s%s", sources[source].text, sources[source].has_name ? device->name : "");
        fprintf(machine->streams.mountinfo, "%u 1 %u:%u / %s rw shared:1 - %s %s rw\n", 20 + path,
                        type < 2 ? device->major : 0, device->minor, paths[path], types[type], text);
        fprintf(machine->streams.mounts, "%s %s %s rw 0 0\n", text, paths[path], types[type]);
}

static void add_swap(struct machine *machine, struct bytes *bytes) {
        const struct device *device = machine_pick(machine, bytes);

        if (machine->writes)
                fprintf(machine->streams.swaps, "/dev/%s partition 1048572 0 -2\n", device->name);
}

static void add_property(struct machine *machine, struct bytes *bytes) {
        static const char *const keys[] = {"ID_FS_TYPE", "ID_SERIAL", "ID_SERIAL_SHORT", "ID_MODEL", "ID_BUS",
                        "SYSTEMD_READY", "DM_UDEV_DISABLE_OTHER_RULES_FLAG", "ID_WWN"};
        const struct device *device = machine_pick(machine, bytes);
        const char *key = keys[bytes_pick(bytes, ARRAY_SIZE(keys))];
        struct bytes text = bytes_take_until(bytes, '\n');
        size_t i = (size_t)(device - machine->devices);
        char *before, *after = NULL;

        if (!machine->writes || i >= machine->n_all)
                return;
        before = machine->properties[i];
        if (asprintf(&after, "%sE:%s=%.*s\n", before ?: "", key, (int)bytes_left(&text), (const char *)text.at) < 0)
                abort();
        free(before);
        machine->properties[i] = after;
}

static void add_record(struct machine *machine, struct bytes *bytes) {
        static const char *const states[] = {"\"pending\":false", "\"pending\":true",
                        "\"pending\":false,\"reverted\":true", "\"pending\":false,\"put_back\":true",
                        "\"pending\":true,\"trial_from_sectors\":256",
                        "\"pending\":false,\"stack\":\"00000000000000ff\"",
                        "\"pending\":true,\"owner_pid\":1,\"owner_start_ticks\":1",
                        "\"pending\":false,\"put_back\":true,\"kept_sectors\":512"};
        static const unsigned numbers[] = {256, 0, 512, 3072, 8192, 32768, 131072, 1};
        const struct device *device = machine_pick(machine, bytes);
        unsigned from = numbers[bytes_pick(bytes, ARRAY_SIZE(numbers))],
                 to = numbers[bytes_pick(bytes, ARRAY_SIZE(numbers))];
        const char *state = states[bytes_pick(bytes, ARRAY_SIZE(states))];
        FILE *ledger = machine->streams.ledger;

        if (!machine->writes)
                return;
        fprintf(ledger,
                        "%s{\"major\":%u,\"minor\":%u,\"diskseq\":null,\"name\":\"%s\",\"dm_uuid\":\"%s\","
                        "\"original_sectors\":%u,\"previous\":null,\"change\":{%s,\"label\":\"l\","
                        "\"rule\":\"r\",\"new_sectors\":%u,\"time_usec\":1,\"before_mbps\":null,"
                        "\"after_mbps\":null,\"gain\":null}}",
                        ftello(ledger) > 0 ? "," : "", device->major, device->minor, device->name, device->uuid, from,
                        state, to);
}

static void add_line(struct machine *machine, struct bytes *bytes) {
        const struct streams *streams = &machine->streams;
        FILE *const files[] = {streams->table, streams->status, streams->mountinfo, streams->mounts, streams->swaps,
                        streams->info, streams->ledger};
        unsigned file = bytes_pick(bytes, ARRAY_SIZE(files));
        struct bytes text = bytes_take_until(bytes, '\n');

        if (!machine->writes)
                return;
        (void)fwrite(text.at, 1, bytes_left(&text), files[file]);
        if (files[file] != streams->ledger)
                fputc('\n', files[file]);
}

static void set_option(struct machine *machine, struct bytes *bytes) {
        machine->options |= 1U << bytes_pick(bytes, N_OPTIONS);
}

/* --- all of it */

static const struct {
        char letter;
        void (*make)(struct machine *machine, struct bytes *bytes);
} statements[] = {
                {'d', make_disk},
                {'p', make_partition},
                {'m', machine_array},
                {'x', machine_map},
                {'l', make_loop},
                {'b', make_bcache},
                {'h', make_link},
                {'a', machine_odd_attribute},
                {'M', add_mount},
                {'w', add_swap},
                {'u', add_property},
                {'j', add_record},
                {'f', add_line},
                {'o', set_option},
};

/* Another byte is passed over, so that a newline may be anywhere between. */
static void read_statements(struct machine *machine, struct bytes bytes) {
        machine->n = 0;
        for (unsigned i = 0; i < STATEMENTS_MAX && bytes_left(&bytes) > 0; i++) {
                char letter = (char)bytes_take(&bytes);

                for (size_t j = 0; j < ARRAY_SIZE(statements); j++)
                        if (statements[j].letter == letter)
                                statements[j].make(machine, &bytes);
        }
        machine->n_all = machine->n;
}

static void open_streams(struct streams *streams, char *texts[], size_t sizes[]) {
        FILE **all[] = {&streams->table, &streams->status, &streams->mountinfo, &streams->mounts, &streams->swaps,
                        &streams->ledger, &streams->info};

        for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
                *all[i] = open_memstream(&texts[i], &sizes[i]);
                if (!*all[i])
                        abort();
        }
        fputs("Filename Type Size Used Priority\n", streams->swaps);
}

static void close_streams(struct streams *streams) {
        FILE *all[] = {streams->table, streams->status, streams->mountinfo, streams->mounts, streams->swaps,
                        streams->ledger, streams->info};

        for (size_t i = 0; i < ARRAY_SIZE(all); i++)
                if (fclose(all[i]) != 0)
                        abort();
}

static bool has_option(const struct machine *machine, enum machine_option option) {
        return machine->options & 1U << option;
}

/* In the order of open_streams(). */
static void write_streams(const struct machine *machine, char *const texts[], const size_t sizes[]) {
        const char *const tables = has_option(machine, OPTION_REPORT_TABLES) ? "sos_commands/devicemapper/dmsetup_table"
                                                                             : "dmsetup/table";
        const char *const paths[] = {has_option(machine, OPTION_NO_TABLES) ? NULL : tables,
                        has_option(machine, OPTION_REPORT_TABLES) ? "sos_commands/devicemapper/dmsetup_status"
                                                                  : "dmsetup/status",
                        has_option(machine, OPTION_PROC_MOUNTS) ? NULL : "proc/self/mountinfo",
                        has_option(machine, OPTION_PROC_MOUNTS) ? "proc/mounts" : NULL, "proc/swaps", NULL,
                        "dmsetup/info"};

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                if (paths[i] && sizes[i] > 0)
                        files_write(machine->files, paths[i], texts[i], sizes[i]);
        if (sizes[5] > 0)
                files_print(machine->files, "run/setrad/ledger.json", "{\"version\":1,\"entries\":[%s]}", texts[5]);
}

static void write_rest(struct machine *machine) {
        files_directory(machine->files, "sys/block");
        if (!has_option(machine, OPTION_NO_MEMORY))
                files_print(machine->files, "proc/meminfo", "MemTotal: %s kB\n",
                                has_option(machine, OPTION_SMALL_MEMORY) ? "4096" : "16384000");
        if (has_option(machine, OPTION_LARGE_PAGES))
                files_print(machine->files, "proc/self/smaps", "KernelPageSize: 64 kB\n");
        for (unsigned i = 0; i < machine->n_all; i++) {
                char path[64];

                if (!machine->properties[i])
                        continue;
                snprintf(path, sizeof(path), "run/udev/data/b%u:%u", machine->devices[i].major,
                                machine->devices[i].minor);
                files_write(machine->files, path, machine->properties[i], strlen(machine->properties[i]));
                free(machine->properties[i]);
        }
}

/* Twice, so that what comes first can name what comes later. */
void machine_write(struct bytes bytes, struct files *files) {
        struct machine *machine = calloc(1, sizeof(*machine));
        char *texts[7] = {};
        size_t sizes[7] = {};

        if (!machine)
                abort();
        machine->files = files;
        read_statements(machine, bytes);
        machine->writes = true;
        open_streams(&machine->streams, texts, sizes);
        read_statements(machine, bytes);
        close_streams(&machine->streams);
        write_streams(machine, texts, sizes);
        write_rest(machine);
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                free(texts[i]);
        free(machine);
}
