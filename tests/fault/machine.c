/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/ledger-private.h"
#include "tests/fault/fault.h"
#include "tests/fault/machine.h"

#define BLOCK     "sys/class/block/"
#define GIVEN_MAX 4

#define ATTRIBUTES(path, devno)                                                                                        \
        {path "/dev", devno "\n"}, {path "/size", "8388608\n"}, {path "/alignment_offset", "0\n"}, {                   \
                "run/udev/data/b" devno, "E:ID_SERIAL_SHORT=s" devno "\nE:ID_MODEL=disk\n"                             \
        }
#define DEVICE(name, devno, readahead_kib, io_opt)                                                                     \
        ATTRIBUTES(BLOCK name, devno), {BLOCK name "/queue/read_ahead_kb", readahead_kib "\n"},                        \
                        {BLOCK name "/queue/minimum_io_size", "512\n"},                                                \
                        {BLOCK name "/queue/optimal_io_size", io_opt "\n"}, {BLOCK name "/queue/rotational", "1\n"},   \
                        {BLOCK name "/queue/max_sectors_kb", "1280\n"}, {                                              \
                "dev/" name, ""                                                                                        \
        }
#define PARTITION(disk, name, devno)                                                                                   \
        ATTRIBUTES(BLOCK disk "/" name, devno), {BLOCK disk "/" name "/partition", "1\n"}, {                           \
                BLOCK disk "/" name "/start", "2048\n"                                                                 \
        }
#define MEMBER(name, slot)                                                                                             \
        {BLOCK "md0/md/dev-" name "/slot", slot "\n"}, {                                                               \
                BLOCK "md0/md/dev-" name "/state", "in_sync\n"                                                         \
        }
#define MAP(name, devno, readahead_kib, map, uuid)                                                                     \
        DEVICE(name, devno, readahead_kib, "0"), {BLOCK name "/dm/name", map "\n"},                                    \
                        {BLOCK name "/dm/uuid", uuid "\n"}, {                                                          \
                BLOCK name "/dm/suspended", "0\n"                                                                      \
        }

/*
 * dm-1 (vg-home: LV, mounted, its file is loop0) and dm-2 (swap) over dm-0 (LUKS) over md0 (raid5 of sda1, sdb1, sdc1). And
 * where nothing is to be changed: a RAID volume of LVM's, and a map whose target nobody knows, over sdd.
 */
static const struct tree_file files[] = {
                DEVICE("sda", "8:0", "128", "0"),
                PARTITION("sda", "sda1", "8:1"),
                DEVICE("sdb", "8:16", "128", "0"),
                PARTITION("sdb", "sdb1", "8:17"),
                DEVICE("sdc", "8:32", "128", "0"),
                PARTITION("sdc", "sdc1", "8:33"),
                DEVICE("md0", "9:0", "1024", "524288"),
                {BLOCK "md0/md/level", "raid5\n"},
                {BLOCK "md0/md/metadata_version", "1.2\n"},
                {BLOCK "md0/md/array_state", "clean\n"},
                {BLOCK "md0/md/sync_action", "idle\n"},
                {BLOCK "md0/md/sync_completed", "none\n"},
                {BLOCK "md0/md/reshape_position", "none\n"},
                {BLOCK "md0/md/degraded", "0\n"},
                {BLOCK "md0/md/chunk_size", "262144\n"},
                {BLOCK "md0/md/layout", "2\n"},
                {BLOCK "md0/md/raid_disks", "3\n"},
                MEMBER("sda1", "0"),
                MEMBER("sdb1", "1"),
                MEMBER("sdc1", "2"),
                {BLOCK "md0/slaves/sda1", ""},
                {BLOCK "md0/slaves/sdb1", ""},
                {BLOCK "md0/slaves/sdc1", ""},
                MAP("dm-0", "253:0", "128", "luks-md0", MACHINE_LUKS_UUID),
                {BLOCK "dm-0/slaves/md0", ""},
                MAP("dm-1", "253:1", "128", "vg-home", MACHINE_LVM_UUID),
                {BLOCK "dm-1/slaves/dm-0", ""},
                MAP("dm-2", "253:2", "128", "vg-swap", "LVM-swap"),
                {BLOCK "dm-2/slaves/dm-0", ""},
                DEVICE("sdd", "8:48", "128", "0"),
                MAP("dm-3", "253:3", "128", "vg2-raid", "LVM-raid"),
                {BLOCK "dm-3/slaves/dm-4", ""},
                {BLOCK "dm-3/slaves/dm-5", ""},
                MAP("dm-4", "253:4", "128", "vg2-raid_rimage_0", "LVM-rimage0"),
                {BLOCK "dm-4/slaves/sdd", ""},
                MAP("dm-5", "253:5", "128", "vg2-raid_rimage_1", "LVM-rimage1"),
                {BLOCK "dm-5/slaves/sdd", ""},
                MAP("dm-6", "253:6", "128", "odd", ""),
                {BLOCK "dm-6/slaves/sdd", ""},
                DEVICE("loop0", "7:0", "128", "0"),
                {BLOCK "loop0/loop/backing_file", "/home/image\n"},
                {"dmsetup/table", "luks-md0: 0 8388608 crypt aes-xts-plain64 :64:logon:x 0 9:0 32768\n"
                                  "vg-home: 0 4194304 linear 253:0 2048\nvg-swap: 0 4194304 linear 253:0 4196352\n"
                                  "vg2-raid: 0 2048 raid raid1 3 0 region_size 1024 2 - 253:4 - 253:5\n"
                                  "vg2-raid_rimage_0: 0 2048 linear 8:48 0\n"
                                  "vg2-raid_rimage_1: 0 2048 linear 8:48 2048\nodd: 0 2048 mystery x\n"},
                {"dmsetup/status", "vg2-raid: 0 2048 raid raid1 2 AA 2048/2048 idle 0 0 -\n"},
                {"proc/self/mountinfo", "21 1 253:1 / /home rw - ext4 /dev/mapper/vg-home rw\n"
                                        "22 1 7:0 / /mnt rw - xfs /dev/loop0 rw\n"},
                {"proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-2 partition\t8\t0\t-2\n"},
                {"proc/meminfo", "MemTotal: 8388608 kB\n"},
                {"proc/self/smaps", "KernelPageSize: 4 kB\n"},
                {"run/udev/control", ""},
                {"dev/mapper/control", ""},
};

struct device {
        const char *name;
        unsigned major, minor;
        int64_t first_sectors;
};

static const struct device devices[] = {
                {"sda", 8, 0, 256},
                {"sdb", 8, 16, 256},
                {"sdc", 8, 32, 256},
                {"md0", 9, 0, 2048},
                {"dm-0", 253, 0, 256},
                {"dm-1", 253, 1, 256},
                {"dm-2", 253, 2, 256},
                {"loop0", 7, 0, 256},
};

/* Of the machine that was entered; shared with workers. */
static struct {
        struct tree *tree;
        struct state {
                int64_t sectors[ARRAY_SIZE(devices)], kept[ARRAY_SIZE(devices)];
                int64_t given[ARRAY_SIZE(devices)][GIVEN_MAX]; /* by a run of which nothing failed; 0: no more */
                char complaint[256];
        } * state;
} machine;

struct tree *machine_new(void) {
        struct tree *tree = tree_new();
        static const char *const disks[] = {"sda", "sdb", "sdc"};

        tree_write_all(tree, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
                char path[64], target[64];

                snprintf(path, sizeof(path), BLOCK "%s1", disks[i]);
                snprintf(target, sizeof(target), "%s/%s1", disks[i], disks[i]);
                tree_link(tree, path, target);
        }
        for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
                char path[64], target[64];

                snprintf(path, sizeof(path), "sys/dev/block/%u:%u", devices[i].major, devices[i].minor);
                snprintf(target, sizeof(target), "../../class/block/%s", devices[i].name);
                tree_link(tree, path, target);
        }
        return tree;
}

/* A worker has none of the tree's descriptors. */
static void show_readahead(size_t i) {
        char path[MACHINE_PATH];
        FILE *stream;

        snprintf(path, sizeof(path), "%s/" BLOCK "%s/queue/read_ahead_kb", tree_path(machine.tree), devices[i].name);
        stream = fopen(path, "we");
        if (!stream || fprintf(stream, "%" PRId64 "\n", machine.state->sectors[i] / 2) < 0 || fclose(stream) != 0)
                abort();
}

static void clear_ledger(void) {
        static const char *const names[] = {
                        "ledger.json", "ledger.json.new", "ledger.json.damaged", "lock", "setrad.pid"};

        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                char path[MACHINE_PATH];

                snprintf(path, sizeof(path), "%s/run/setrad/%s", tree_path(machine.tree), names[i]);
                (void)unlink(path);
        }
}

static void link_process(void) {
        char path[MACHINE_PATH], target[32];

        snprintf(path, sizeof(path), "%s/proc/%d", tree_path(machine.tree), (int)getpid());
        snprintf(target, sizeof(target), "/proc/%d", (int)getpid());
        if (symlink(target, path) < 0 && errno != EEXIST)
                abort();
}

void machine_enter(struct tree *tree) {
        void *memory;

        machine.tree = tree;
        if (!tree)
                return;
        if (!machine.state) {
                memory = mmap(NULL, sizeof(*machine.state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                if (memory == MAP_FAILED)
                        abort();
                machine.state = memory;
        }
        machine.state->complaint[0] = 0;
        for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
                machine.state->sectors[i] = devices[i].first_sectors;
                show_readahead(i);
        }
        clear_ledger();
        link_process();
}

static void kept_paths(char ledger[static MACHINE_PATH], char kept[static MACHINE_PATH]) {
        snprintf(ledger, MACHINE_PATH, "%s" LEDGER_PATH, tree_path(machine.tree));
        snprintf(kept, MACHINE_PATH, "%s/kept.json", tree_path(machine.tree));
}

void machine_keep(void) {
        char ledger[MACHINE_PATH], kept[MACHINE_PATH];

        kept_paths(ledger, kept);
        if (rename(ledger, kept) < 0)
                abort();
        memcpy(machine.state->kept, machine.state->sectors, sizeof(machine.state->kept));
}

/* What is saved takes the place of the name, so that a link to what was kept stays what it is. */
void machine_set_kept(void) {
        char ledger[MACHINE_PATH], kept[MACHINE_PATH];

        kept_paths(ledger, kept);
        if (link(kept, ledger) < 0)
                abort();
        memcpy(machine.state->sectors, machine.state->kept, sizeof(machine.state->kept));
        for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
                show_readahead(i);
}

const char *machine_path(const char *path, char buffer[static MACHINE_PATH]) {
        static const char *const directories[] = {"/dev/", "/etc/", "/proc/", "/run/", "/sys/", "/usr/lib/setrad/"};

        if (!machine.tree || strncmp(path, tree_path(machine.tree), strlen(tree_path(machine.tree))) == 0)
                return path;
        if (strcmp(path, "/") == 0)
                return tree_path(machine.tree);
        for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
                if (strncmp(path, directories[i], strlen(directories[i])) == 0 && strcmp(path, "/dev/null") != 0) {
                        snprintf(buffer, MACHINE_PATH, "%s%s", tree_path(machine.tree), path);
                        return buffer;
                }
        return path;
}

/* The device that a descriptor is of; -1: none. */
static int find_device(int fd) {
        char link[32], target[MACHINE_PATH];
        ssize_t n;

        if (!machine.tree)
                return -1;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, target, sizeof(target) - 1);
        if (n < 0)
                return -1;
        target[n] = 0;
        for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
                const char *name = strrchr(target, '/') ?: target;

                if (strstr(target, "/dev/") && strcmp(name + 1, devices[i].name) == 0)
                        return (int)i;
        }
        return -1;
}

void machine_stat(int fd, struct stat *st) {
        int i = find_device(fd);

        if (i < 0)
                return;
        st->st_mode = S_IFBLK | 0660;
        st->st_rdev = makedev(devices[i].major, devices[i].minor);
}

/* Whether the ledger says at this moment that the device may be given that value, and what it had before. */
static bool is_on_record(size_t i, int64_t sectors) {
        struct ledger *ledger = NULL;
        char path[MACHINE_PATH];
        bool found = false;

        snprintf(path, sizeof(path), "%s" LEDGER_PATH, tree_path(machine.tree));
        if (ledger_peek(path, &ledger) < 0)
                return false;
        for (size_t j = 0; j < ledger_count(ledger); j++) {
                const struct ledger_entry *entry = ledger_get(ledger, j);

                found = found || (entry->device.major == devices[i].major && entry->device.minor == devices[i].minor &&
                                                 entry->pending && (int64_t)entry->new_sectors == sectors &&
                                                 (int64_t)entry->original_sectors == devices[i].first_sectors);
        }
        ledger_free(ledger);
        return found;
}

/* Notes it, or looks whether it was noted. */
static bool is_given_by_whole_run(size_t i, int64_t sectors) {
        int64_t *given = machine.state->given[i];

        for (size_t j = 0; j < GIVEN_MAX; j++) {
                if (given[j] == 0 && faults()->target == 0)
                        given[j] = sectors;
                if (given[j] == sectors)
                        return true;
        }
        return false;
}

void machine_forget_given(void) {
        if (machine.state)
                memset(machine.state->given, 0, sizeof(machine.state->given));
}

static void set_readahead(size_t i, int64_t sectors) {
        bool armed = fault_pause();

        if (armed && !is_given_by_whole_run(i, sectors))
                snprintf(machine.state->complaint, sizeof(machine.state->complaint),
                                "%s was given %" PRId64 " sectors, which it never is where nothing fails",
                                devices[i].name, sectors);
        if (!is_on_record(i, sectors))
                snprintf(machine.state->complaint, sizeof(machine.state->complaint),
                                "%s was given %" PRId64 " sectors, which is not on record", devices[i].name, sectors);
        machine.state->sectors[i] = sectors;
        show_readahead(i);
        fault_resume(armed);
}

int machine_ioctl(int fd, unsigned long request, unsigned long argument) {
        int i = find_device(fd);

        if (i < 0)
                return 1;
        switch (request) {
        case BLKRAGET: *(long *)argument = (long)machine.state->sectors[i]; return 0;
        case BLKRASET: set_readahead((size_t)i, (int64_t)argument); return 0;
        default: errno = ENOTTY; return -1;
        }
}

static int find_name(const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
                if (strcmp(devices[i].name, name) == 0)
                        return (int)i;
        return -1;
}

int64_t machine_readahead(const char *name) {
        int i = find_name(name);

        return i < 0 ? -1 : machine.state->sectors[i];
}

int64_t machine_first_readahead(const char *name) {
        int i = find_name(name);

        return i < 0 ? -1 : devices[i].first_sectors;
}

bool machine_all_are(bool changed) {
        static const char *const names[] = {"dm-0", "dm-1", "loop0"};

        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                if ((machine_readahead(names[i]) != machine_first_readahead(names[i])) != changed)
                        return false;
        return true;
}

static bool has_original(const struct ledger *ledger, size_t i) {
        for (size_t j = 0; j < ledger_count(ledger); j++) {
                const struct ledger_entry *entry = ledger_get(ledger, j);

                if (strcmp(entry->device.name, devices[i].name) == 0)
                        return (int64_t)entry->original_sectors == devices[i].first_sectors;
        }
        return false;
}

/* What was not found any longer is not on record any longer. */
static const char *check_ledger(bool gone) {
        struct ledger *ledger = NULL;
        char path[MACHINE_PATH];
        const char *complaint = NULL;

        snprintf(path, sizeof(path), "%s" LEDGER_PATH, tree_path(machine.tree));
        if (ledger_peek(path, &ledger) < 0)
                return "the ledger can't be read any longer";
        for (size_t i = 0; i < ARRAY_SIZE(devices) && !gone; i++)
                if (machine.state->sectors[i] != devices[i].first_sectors && !has_original(ledger, i))
                        complaint = "the original value of a device that was changed is not on record";
        ledger_free(ledger);
        return complaint;
}

const char *machine_complaint(bool gone) {
        return machine.state->complaint[0] ? machine.state->complaint : check_ledger(gone);
}
