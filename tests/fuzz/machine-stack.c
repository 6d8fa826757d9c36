/* SPDX-License-Identifier: MIT */

/* Arrays, maps, and attributes that are not as they should be. */

#include <inttypes.h>

#include "common/cleanup.h"
#include "tests/fuzz/machine-private.h"

#define MEMBERS_MAX  9U
#define SEGMENTS_MAX 6U

/* --- arrays */

struct array_state {
        const char *array_state, *sync_action, *completed, *position, *metadata;
        const char *old; /* behind numbers */
        unsigned degraded;
        const char *member;
};

static const struct array_state array_states[] = {
                {"clean", "idle", "none", "none", "1.2", "", 0, "in_sync"},
                {"active", "resync", "1000 / 2000", "none", "1.2", "", 0, "in_sync"},
                {"active", "reshape", "1000 / 2000", "4096", "1.2", " (3)", 0, "in_sync"},
                {"active", "recover", "1 / 3", "none", "0.90", "", 1, "spare"},
                {"inactive", "idle", "none", "none", "1.2", "", 2, "faulty"},
                {"clean", "idle", "none", "none", "external:imsm", "", 0, "in_sync,write_mostly"},
                {"readonly", "frozen", "delayed", "none", "external:/md127/0", "", 0, "in_sync,want_replacement"},
                {"active", "check", "9223372036854775807 / 1", "-1", "none", "(", 4294967295, "journal"},
};

static void write_members(struct machine *machine, struct bytes *bytes, const struct device *array,
                const struct array_state *state, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
                const struct device *member = machine_pick(machine, bytes);
                char path[MACHINE_NAME_MAX + 32];

                snprintf(path, sizeof(path), "md/dev-%s/slot", member->name);
                machine_attribute(machine, array, path, "%u\n", i);
                snprintf(path, sizeof(path), "md/dev-%s/state", member->name);
                machine_attribute(machine, array, path, "%s\n", i == 0 ? state->member : "in_sync");
                machine_link(machine, array, member, 0);
        }
}

void machine_array(struct machine *machine, struct bytes *bytes) {
        static const char *const levels[] = {"raid5", "raid0", "raid1", "raid4", "raid6", "raid10", "linear",
                        "raid5 (raid6)", "container", "", "multipath", "raid10\033"};
        static const unsigned chunks[] = {262144, 65536, 524288, 4096, 0, 1, 1073741824, 2147483648, 4294967295, 49152};
        static const unsigned layouts[] = {2, 258, 65794, 131330, 0, 1, 33554947, 4294967295, 514};
        const char *level = levels[bytes_pick(bytes, ARRAY_SIZE(levels))];
        unsigned chunk = chunks[bytes_pick(bytes, ARRAY_SIZE(chunks))],
                 layout = layouts[bytes_pick(bytes, ARRAY_SIZE(layouts))];
        const struct array_state *state = &array_states[bytes_pick(bytes, ARRAY_SIZE(array_states))];
        unsigned n = bytes_pick(bytes, MEMBERS_MAX + 1);
        struct device *device = machine_add(machine, 'm', 9, "md%u", machine->n);

        if (!device)
                return;
        machine_device(machine, device);
        machine_attribute(machine, device, "size", "3145728\n");
        machine_attribute(machine, device, "queue/read_ahead_kb", "%u\n", chunk / 512);
        machine_attribute(machine, device, "queue/optimal_io_size", "%" PRIu64 "\n",
                        (uint64_t)chunk * (n > 1 ? n - 1 : n));
        machine_attribute(machine, device, "queue/minimum_io_size", "%u\n", chunk);
        machine_attribute(machine, device, "md/level", "%s\n", level);
        machine_attribute(machine, device, "md/chunk_size", "%u\n", chunk);
        machine_attribute(machine, device, "md/layout", "%u\n", layout);
        machine_attribute(machine, device, "md/raid_disks", "%u%s\n", n, state->old);
        machine_attribute(machine, device, "md/metadata_version", "%s\n", state->metadata);
        machine_attribute(machine, device, "md/array_state", "%s\n", state->array_state);
        machine_attribute(machine, device, "md/sync_action", "%s\n", state->sync_action);
        machine_attribute(machine, device, "md/sync_completed", "%s\n", state->completed);
        machine_attribute(machine, device, "md/reshape_position", "%s\n", state->position);
        machine_attribute(machine, device, "md/degraded", "%u\n", state->degraded);
        write_members(machine, bytes, device, state, n);
}

/* --- maps */

/* A target, with @ for a device, its second one +, and # for a number. */
static const struct {
        const char *target, *parameters;
} targets[] = {
                {"linear", "@ #"},
                {"striped", "2 # @ 0 + 0"},
                {"striped", "3 # @ 0 + 8 + #"},
                {"crypt", "aes-xts-plain64 :64:logon:k 0 @ #"},
                {"raid", "raid5_ls 3 # region_size 1024 3 - @ - + - +"},
                {"raid", "raid10 5 # raid10_copies 2 raid10_format near 4 - @ - + - @ - -"},
                {"raid", "raid1 1 0 2 - @ - +"},
                {"raid", "raid6_zr 5 # data_offset 0 delta_disks 1 4 - @ - + - + - -"},
                {"mirror", "core 2 1024 nosync 2 @ 0 + 0 1 handle_errors"},
                {"thin-pool", "@ + # 32768 1 skip_block_zeroing"},
                {"thin", "@ 1"},
                {"snapshot", "@ + P 8"},
                {"snapshot-origin", "@"},
                {"cache", "@ + + # 1 writethrough smq 0"},
                {"writecache", "s @ + 4096 0"},
                {"integrity", "@ 0 32 J 1 interleave_sectors:#"},
                {"verity", "1 @ + 4096 4096 # 1 sha256 00 00"},
                {"multipath", "0 0 2 1 service-time 0 2 1 @ 1 + 1 service-time 0 1 1 @ 1"},
                {"vdo", "V4 @ 1310720 4096 32768 16380"},
                {"delay", "@ # 5"},
                {"zero", ""},
                {"error", ""},
                {"weird\033", "@ + #"},
                {"linear", "@ 18446744073709551615"},
                {"striped", "4294967295 # @ 0"},
                {"raid", "raid5_ls 3 # 1 - @"},
};

static const char *const statuses[] = {
                "",
                "raid5_ls 3 AAA 100/100 idle 0 0 -",
                "raid5_ls 3 AaD 5/100 recover 0 0 -",
                "raid10 4 AAAA 7/9 reshape 0 512 -",
                "raid1 2 DA 18446744073709551615/1 resync 3 0 A",
                "2 0 0 0 2 1 E 0 2 0 8:0 A 0 8:1 F 1 E 0 1 0 8:0 A 0",
                "2 0 0 0 1 1 A 0 1 0 8:0 F 9",
                "raid6_zr 4 AAA 1/2 check",
                "\xff \033",
};

static const uint64_t table_numbers[] = {128, 0, 8, 512, 2048, 1, 1048576, 4294967296, UINT64_MAX, 96};

static void print_parameters(FILE *stream, const char *form, const struct device *first, const struct device *second,
                uint64_t number) {
        for (; *form; form++)
                if (*form == '@')
                        fprintf(stream, "%u:%u", first->major, first->minor);
                else if (*form == '+')
                        fprintf(stream, "%u:%u", second->major, second->minor);
                else if (*form == '#')
                        fprintf(stream, "%" PRIu64, number);
                else
                        fputc(*form, stream);
}

static void write_segment(struct machine *machine, struct bytes *bytes, const struct device *map, const char *name,
                uint64_t start) {
        unsigned target = bytes_pick(bytes, ARRAY_SIZE(targets));
        uint64_t number = table_numbers[bytes_pick(bytes, ARRAY_SIZE(table_numbers))];
        const struct device *first = machine_pick(machine, bytes), *second = machine_pick(machine, bytes);
        const char *status = statuses[bytes_pick(bytes, ARRAY_SIZE(statuses))];
        FILE *table = machine->streams.table;

        if (!machine->writes)
                return;
        fprintf(table, "%s: %" PRIu64 " 2048 %s ", name, start, targets[target].target);
        print_parameters(table, targets[target].parameters, first, second, number);
        fputc('\n', table);
        if (*status)
                fprintf(machine->streams.status, "%s: %" PRIu64 " 2048 %s %s\n", name, start, targets[target].target,
                                status);
        machine_link(machine, map, first, 0);
        if (strchr(targets[target].parameters, '+'))
                machine_link(machine, map, second, 0);
}

#define LVM_UUID "LVM-abcdefghijklmnopqrstuvwxyzABCDEFabcdefghijklmnopqrstuvwxyzABCDEF"

static const struct {
        const char *name, *uuid;
} map_names[] = {
                {"map-", ""},
                {"vg-lv", LVM_UUID},
                {"vg--a-lv--b", LVM_UUID},
                {"vg-pool_tdata", LVM_UUID "-tdata"},
                {"vg-lv-real", LVM_UUID "-real"},
                {"luks-", "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-luks"},
                {"mpath", "mpath-" MACHINE_WWID},
                {"a\\x20b\\x1b", "CRYPT-VERITY-"},
                {"-", "LVM-"},
                {"vg-pvmove", LVM_UUID},
                {"vg-lv_rimage_0\\xff", LVM_UUID "-\033"},
                {MACHINE_WWID "-part", "part1-mpath-" MACHINE_WWID},
                {"vg--" MACHINE_WWID "-lv", LVM_UUID},
};

void machine_map(struct machine *machine, struct bytes *bytes) {
        unsigned form = bytes_pick(bytes, ARRAY_SIZE(map_names)), n = bytes_pick(bytes, SEGMENTS_MAX + 1);
        struct device *device = machine_add(machine, 'x', 253, "dm-%u", machine->n);
        char name[MACHINE_NAME_MAX];

        if (!device)
                return;
        snprintf(name, sizeof(name), "%s%u", map_names[form].name, device->minor);
        device->uuid = map_names[form].uuid;
        machine_device(machine, device);
        machine_attribute(machine, device, "size", "%u\n", 2048 * n);
        machine_attribute(machine, device, "queue/read_ahead_kb", "128\n");
        machine_attribute(machine, device, "dm/name", "%s\n", name);
        machine_attribute(machine, device, "dm/uuid", "%s\n", device->uuid);
        machine_attribute(machine, device, "dm/suspended", "0\n");
        for (unsigned i = 0; i < n; i++)
                write_segment(machine, bytes, device, name, (uint64_t)i * 2048);
        if (n == 0 && machine->writes)
                fprintf(machine->streams.table, "%s: \n", name);
}

/* --- attributes */

static const char *const attributes[] = {"dev", "size", "queue/read_ahead_kb", "queue/minimum_io_size",
                "queue/optimal_io_size", "queue/rotational", "queue/max_sectors_kb", "queue/physical_block_size",
                "alignment_offset", "hidden", "diskseq", "start", "partition", "slaves", "queue", "md", "dm",
                "md/level", "md/chunk_size", "md/raid_disks", "md/layout", "md/array_state", "md/metadata_version",
                "md/sync_action", "md/sync_completed", "md/degraded", "md/reshape_position", "dm/name", "dm/uuid",
                "dm/suspended", "loop/backing_file", "bcache", "device/power/runtime_status", "device/serial", "serial",
                "device/subsystem", "loop", "md/dev-absent/slot"};

/* Numbers that are none, or no sensible ones. */
static const char *const odd_texts[] = {"0", "-1\n", "", "0x1000\n", "0100\n", "9223372036854775807\n",
                "9223372036854775808\n", "18446744073709551616\n", "-9223372036854775808\n", "4294967295", " 12\n",
                "12 \n", "+5\n", "1e6\n", "1\n2\n", "\n", "5 (4)\n", "5 (-4)\n", "none\n", "\xff\xfe\xc3\n",
                "\033[2J\033]0;x\a\n", "4294967296:4294967296\n", "253:0\n", "suspended\n", "1\r\n", "33553920\n"};

enum odd_form { ODD_TEXT, ODD_OWN, ODD_NUL, ODD_LARGE, ODD_FIFO, ODD_DIRECTORY, ODD_LINK, N_ODD_FORMS };

static void write_odd(struct files *files, const char *path, enum odd_form form, struct bytes text) {
        char large[5000];

        switch (form) {
        case ODD_OWN: files_write(files, path, (const char *)text.at, bytes_left(&text)); break;
        case ODD_NUL: files_write(files, path, "1\0002\n", 4); break;
        case ODD_LARGE:
                memset(large, '1', sizeof(large));
                files_write(files, path, large, sizeof(large));
                break;
        case ODD_FIFO: files_fifo(files, path); break;
        case ODD_DIRECTORY: files_directory(files, path); break;
        default: files_link(files, path, "../../../../../../../../proc/cmdline"); break;
        }
}

void machine_odd_attribute(struct machine *machine, struct bytes *bytes) {
        const struct device *device = machine_pick(machine, bytes);
        const char *attribute = attributes[bytes_pick(bytes, ARRAY_SIZE(attributes))];
        enum odd_form form = (enum odd_form)bytes_pick(bytes, N_ODD_FORMS);
        const char *odd = form == ODD_TEXT ? odd_texts[bytes_pick(bytes, ARRAY_SIZE(odd_texts))] : "";
        struct bytes text = form == ODD_OWN ? bytes_take_until(bytes, '\n') : (struct bytes){};
        char path[MACHINE_PATH_MAX + 64];

        /* What is a partition and an array, or a map, at once is none. */
        if (!machine->writes || (device->type == 'p' && (*attribute == 'm' || strncmp(attribute, "dm", 2) == 0)))
                return;
        snprintf(path, sizeof(path), "%s/%s", device->path, attribute);
        if (form == ODD_TEXT)
                files_write(machine->files, path, odd, strlen(odd));
        else
                write_odd(machine->files, path, form, text);
}
