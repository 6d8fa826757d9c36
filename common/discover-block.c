/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-md.h"
#include "common/sysroot-private.h"
#include "common/topology-copy.h"
#include "common/topology-private.h"

/* Where a device is found by its name. */
static const char *const directories[] = {"sys/class/block", "sys/block"};

/* Whether NAME is PREFIX and a number. */
static bool is_numbered(const char *name, const char *prefix) {
        size_t n = strlen(prefix);

        return strncmp(name, prefix, n) == 0 && name[n] && !name[n + strspn(name + n, "0123456789")];
}

static enum layer_kind kind_by_name(const char *sysname) {
        static const struct {
                const char *prefix;
                enum layer_kind kind;
        } drivers[] = {
                        {"loop", KIND_LOOP},
                        {"bcache", KIND_BCACHE},
                        {"drbd", KIND_DRBD},
                        {"nbd", KIND_NBD},
                        {"rbd", KIND_RBD},
                        {"zram", KIND_ZRAM},
                        {"zd", KIND_ZVOL},
                        {"sr", KIND_ROM},
        };

        for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
                if (is_numbered(sysname, drivers[i].prefix))
                        return drivers[i].kind;
        return KIND_DISK;
}

/* Whether it is a map by its name, as the kernel gives such names to nothing else. What is recorded is read in full. */
static bool is_live_map(const struct sysdir *dir, const char *sysname) {
        return sysroot_is_live(dir->root) && !sysroot_is_recorded(dir->root) && is_numbered(sysname, "dm-");
}

/*
 * For md and dm only the family is right: the kind follows from level and table. Maps first: on a machine with thousands of
 * devices most are, and the directory need not be read to its end.
 */
static enum layer_kind find_kind(struct sysdir *dir, const char *sysname) {
        if (is_live_map(dir, sysname))
                return KIND_DM_UNKNOWN;
        if (sysdir_has_directory(dir, "dm"))
                return KIND_DM_UNKNOWN;
        if (sysdir_has_directory(dir, "md"))
                return KIND_MD_INACTIVE;
        if (sysdir_has(dir, "partition"))
                return KIND_PARTITION;
        return kind_by_name(sysname);
}

/* The longest that the kernel prints. */
#define BACKING_PATH_SIZE (PATH_MAX + sizeof(" (deleted)\n"))

/* Returns its length, 0 or a negative errno where there is none that can be told. */
static int read_backing_path(struct sysdir *dir, char *buffer, size_t size) {
        _cleanup_(sysdir_close) struct sysdir loop = {};

        if (sysdir_open_in(dir, "loop", &loop) < 0)
                return -ENOENT;
        return sysdir_read(&loop, "backing_file", buffer, size);
}

static bool is_unused(struct sysdir *dir, enum layer_kind kind) {
        char path[BACKING_PATH_SIZE];

        switch (kind) {
        case KIND_LOOP: return read_backing_path(dir, path, sizeof(path)) <= 0;
        case KIND_NBD:
        case KIND_ZRAM: return opt_or(sysdir_read_int(dir, "size"), -1) == 0;
        default: return false;
        }
}

/* Numbers that can't be negative: anything else is no such number. */
static struct opt_int read_natural(struct sysdir *dir, const char *attribute) {
        return opt_natural(sysdir_read_int(dir, attribute));
}

/* What tells a device from all others. */
struct numbers {
        bool has_devno;
        unsigned major, minor;
        struct opt_int diskseq;
};

/* Of scanf(3)'s conversions even %u takes a sign: -1 would be a number without one. */
static bool read_devno(struct sysdir *dir, unsigned *ret_major, unsigned *ret_minor) {
        char text[32];
        int major, minor;
        int end = 0;

        if (sysdir_read(dir, "dev", text, sizeof(text)) < 0)
                return false;
        if (sscanf(text, "%9d:%9d%n", &major, &minor, &end) != 2 || text[end] || major < 0 || minor < 0)
                return false;
        *ret_major = (unsigned)major;
        *ret_minor = (unsigned)minor;
        return true;
}

/* All of them are in one file, which also says when the kernel has no disk sequences. False where it lacks the number. */
static bool read_uevent(struct sysdir *dir, struct numbers *ret) {
        char text[1024], *rest = text, *line;
        bool has_major = false, has_minor = false;

        if (sysdir_read(dir, "uevent", text, sizeof(text)) < 0)
                return false;
        while ((line = strsep(&rest, "\n"))) {
                has_major |= sscanf(line, "MAJOR=%9u", &ret->major) == 1;
                has_minor |= sscanf(line, "MINOR=%9u", &ret->minor) == 1;
                if (strncmp(line, "DISKSEQ=", 8) == 0)
                        ret->diskseq = sysroot_parse_int(line + 8);
        }
        ret->has_devno = has_major && has_minor;
        return ret->has_devno;
}

static void read_numbers(struct sysdir *dir, const char *sysname, struct numbers *ret) {
        if (is_live_map(dir, sysname) && read_uevent(dir, ret))
                return;
        ret->has_devno = read_devno(dir, &ret->major, &ret->minor);
        ret->diskseq = read_natural(dir, "diskseq");
}

/* Whether the kernel's rule that it is no smaller than a physical block, which is a power of two, makes it a multiple. */
static bool is_power_of_two(struct opt_int n) {
        return n.known && n.value > 0 && (n.value & (n.value - 1)) == 0;
}

/* Every file that is read takes time on a machine with thousands of layers: some only where they can make a difference. */
static void read_limits(struct sysdir *dir, struct layer *layer) {
        _cleanup_(sysdir_close) struct sysdir queue = {};

        if (sysdir_open_in(dir, "queue", &queue) < 0)
                return;
        layer->readahead_sectors = sectors_from_kib(sysdir_read_int(&queue, "read_ahead_kb"));
        layer->io_min_bytes = read_natural(&queue, "minimum_io_size");
        layer->io_opt_bytes = read_natural(&queue, "optimal_io_size");
        layer->rotational = read_natural(&queue, "rotational");
        if (opt_or(layer->io_opt_bytes, 0) > 0 && !is_power_of_two(layer->io_min_bytes))
                layer->physical_block_bytes = read_natural(&queue, "physical_block_size");
        if (opt_or(layer->rotational, 0) == 1 && opt_or(layer->io_opt_bytes, -1) == 0)
                layer->max_request_bytes = bytes_from_kib(sysdir_read_int(&queue, "max_sectors_kb"));
}

static int read_backing_file(struct sysdir *dir, struct topology *topology, struct layer *layer) {
        char text[BACKING_PATH_SIZE];

        if (read_backing_path(dir, text, sizeof(text)) <= 0)
                return 0;
        layer->backing_file = arena_strdup(topology->arena, text);
        return layer->backing_file ? 0 : -ENOMEM;
}

int block_read_slaves(struct sysdir *dir, struct topology *topology, struct layer *layer) {
        _cleanup_(sysdir_close) struct sysdir slaves = {};
        _cleanup_(freep) char **names = NULL;

        if (sysdir_open_in(dir, "slaves", &slaves) < 0 || sysdir_list(&slaves, "", &names) < 0)
                return 0;
        return topology_copy_names(topology->arena, names, &layer->slaves);
}

static int read_layer(struct sysdir *dir, struct topology *topology, struct layer *layer) {
        layer->size_sectors = read_natural(dir, "size");
        layer->alignment_offset_bytes = sysdir_read_int(dir, "alignment_offset");
        read_limits(dir, layer);
        /* With a table it is known without, mostly. */
        if (!is_live_map(dir, layer->sysname) && block_read_slaves(dir, topology, layer) < 0)
                return -ENOMEM;

        switch (layer->kind) {
        case KIND_PARTITION: layer->start_sectors = read_natural(dir, "start"); return 0;
        case KIND_MD_INACTIVE: return md_read(dir, topology, layer);
        case KIND_DM_UNKNOWN: return dm_read(dir, topology, layer);
        case KIND_LOOP: return read_backing_file(dir, topology, layer);
        default: return 0;
        }
}

/* Directories in that of their disk, whose name theirs begin with. A map has none. */
static int read_partitions(struct sysdir *dir, struct arena *arena, struct block_device *device) {
        _cleanup_(freep) char **names = NULL;

        if (device->layer->kind == KIND_PARTITION || device->layer->dm)
                return 0;
        if (sysdir_list(dir, device->layer->sysname, &names) < 0)
                return 0;
        return topology_copy_names(arena, names, &device->partitions);
}

/* What a capture has besides: for who looks into it, and other versions. */
static void record_rest(struct sysdir *dir) {
        _cleanup_(sysdir_close) struct sysdir queue = {};

        (void)sysdir_read_int(dir, "hidden");
        (void)sysdir_read_int(dir, "ro");
        if (sysdir_open_in(dir, "queue", &queue) < 0)
                return;
        (void)sysdir_read_int(&queue, "logical_block_size");
        (void)sysdir_read_int(&queue, "physical_block_size");
}

static int append_device(
                struct block_devices *devices, struct layer *layer, const char *path, struct block_device **ret) {
        struct block_device *device;
        int r;

        r = topology_grow(devices->arena, (void **)&devices->items, devices->n, &devices->allocated,
                        sizeof(*devices->items));
        if (r < 0)
                return r;
        device = &devices->items[devices->n];
        *device = (struct block_device){.layer = layer, .path = arena_strdup(devices->arena, path)};
        if (!device->path)
                return -ENOMEM;
        devices->n++;
        *ret = device;
        return 0;
}

int block_add(const struct sysroot *root, struct topology *topology, struct block_devices *devices, const char *sysname,
                const char *path) {
        _cleanup_(sysdir_close) struct sysdir dir = {};
        struct block_device *device;
        enum layer_kind kind;
        struct layer *layer;
        struct numbers numbers = {};
        const unsigned n_failures = sysroot_failures(root)->n;
        bool hidden;
        int r;

        if (topology_find(topology, sysname) || sysdir_open(root, devices->batch, path, &dir) < 0)
                return 0;
        kind = find_kind(&dir, sysname);
        if (is_unused(&dir, kind))
                return 0;

        read_numbers(&dir, sysname, &numbers);
        hidden = !numbers.has_devno && sysdir_read_int(&dir, "hidden").value == 1;
        /* A directory that has lost its attributes is that of a device on its way out; what was listed may be gone. */
        if (!numbers.has_devno && !hidden && !sysdir_read_int(&dir, "size").known)
                return 0;

        r = topology_add(topology, sysname, &layer);
        if (r < 0)
                return r;
        layer->kind = kind;
        layer->hidden = hidden;
        layer->has_devno = numbers.has_devno;
        layer->major = numbers.major;
        layer->minor = numbers.minor;
        layer->diskseq = numbers.diskseq;
        r = append_device(devices, layer, path, &device);
        if (r < 0)
                return r;
        r = read_layer(&dir, topology, layer);
        if (r < 0)
                return r;
        if (sysroot_is_recorded(root))
                record_rest(&dir);
        r = read_partitions(&dir, devices->arena, device);
        layer->incomplete = sysroot_failures(root)->n > n_failures;
        return r;
}

int block_carry(struct topology *topology, struct block_devices *devices, const struct layer *layer, const char *path) {
        struct block_device *device;
        struct layer *copy;
        int r;

        r = topology_carry_layer(topology, layer, &copy);
        if (r < 0)
                return r;
        return append_device(devices, copy, path, &device);
}

/* A partition has no queue/ of its own. */
static void adopt(struct layer *partition, struct layer *disk) {
        partition->parent = disk;
        partition->readahead_sectors = disk->readahead_sectors;
        partition->io_min_bytes = disk->io_min_bytes;
        partition->io_opt_bytes = disk->io_opt_bytes;
        partition->physical_block_bytes = disk->physical_block_bytes;
        partition->rotational = disk->rotational;
        partition->max_request_bytes = disk->max_request_bytes;
}

static int adopt_one(const struct sysroot *root, struct topology *topology, struct block_devices *devices,
                struct block_device disk, const char *name) {
        struct layer *partition;

        partition = topology_find(topology, name);
        if (!partition && sysroot_exists(root, "%s/%s/partition", disk.path, name)) {
                const char *path;
                int r;

                path = arena_printf(devices->arena, "%s/%s", disk.path, name);
                if (!path)
                        return -ENOMEM;
                r = block_add(root, topology, devices, name, path);
                if (r < 0)
                        return r;
                partition = topology_find(topology, name);
        }
        if (partition && partition->kind == KIND_PARTITION && !partition->parent)
                adopt(partition, disk.layer);
        return 0;
}

int block_adopt_partitions(const struct sysroot *root, struct topology *topology, struct block_devices *devices) {
        const size_t n = devices->n;

        /* A disk that is carried over has the partitions that it had. */
        for (size_t i = 0; i < n; i++) {
                const struct block_device disk = devices->items[i];

                for (char **name = disk.partitions; name && *name; name++) {
                        int r = adopt_one(root, topology, devices, disk, *name);

                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

static int link_slaves_of(struct topology *topology, const struct block_device *device) {
        for (char **name = device->layer->slaves; name && *name; name++) {
                struct layer *lower = topology_find(topology, *name);
                int r;

                if (!lower)
                        continue;
                r = topology_link(topology, device->layer, lower);
                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * bcacheN/bcache is a link to the directory bcache of the device that is cached; its other slaves are caches. A volume
 * that lies on a cache alone has a directory there.
 */
int block_read_backing_name(
                const struct sysroot *root, const struct block_device *device, char buffer[static NAME_MAX + 1]) {
        if (device->layer->kind != KIND_BCACHE)
                return -ENOTDIR;
        return sysroot_link_directory_name(root, buffer, NAME_MAX + 1, "%s/bcache", device->path);
}

static int link_backing_device(
                const struct sysroot *root, struct topology *topology, const struct block_device *device) {
        const unsigned n_failures = sysroot_failures(root)->n;
        char name[NAME_MAX + 1];
        int r;

        r = block_read_backing_name(root, device, name);
        device->layer->incomplete |= sysroot_failures(root)->n > n_failures;
        if (r < 0)
                return 0;
        device->layer->backing = topology_find(topology, name);
        return device->layer->backing ? topology_link(topology, device->layer, device->layer->backing) : 0;
}

int block_link_slaves(const struct sysroot *root, struct topology *topology, const struct block_devices *devices) {
        for (size_t i = 0; i < devices->n; i++) {
                int r;

                r = link_slaves_of(topology, &devices->items[i]);
                if (r < 0)
                        return r;
                r = link_backing_device(root, topology, &devices->items[i]);
                if (r < 0)
                        return r;
        }
        return 0;
}

static struct opt_int read_readahead(const struct sysroot *root, const char *path) {
        return sectors_from_kib(sysroot_read_int(root, "%s/queue/read_ahead_kb", path));
}

/* Partitions last: they have their disk's. */
void block_read_readaheads(const struct sysroot *root, struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                struct opt_int sectors = {0};

                if (layer->carried || !layer->has_devno || layer->kind == KIND_PARTITION)
                        continue;
                for (size_t j = 0; j < ARRAY_SIZE(directories) && !sectors.known; j++) {
                        char path[PATH_MAX];

                        snprintf(path, sizeof(path), "%s/%s", directories[j], layer->sysname);
                        sectors = read_readahead(root, path);
                }
                if (sectors.known)
                        layer->readahead_sectors = sectors;
        }
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                if (layer->kind == KIND_PARTITION && layer->parent && !layer->carried)
                        layer->readahead_sectors = layer->parent->readahead_sectors;
        }
}

static bool is_asleep(const struct sysroot *root, const struct layer *layer) {
        char status[32];

        for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
                if (sysroot_read(root, status, sizeof(status), "%s/%s/device/power/runtime_status", directories[i],
                                    layer->sysname) > 0)
                        return strcmp(status, "suspended") == 0;
        return false;
}

/* From the top down, as what lies beneath a layer comes before it. */
int block_read_power(const struct sysroot *root, struct topology *topology) {
        _cleanup_(freep) bool *wanted = calloc(topology->n_layers + 1, sizeof(*wanted));

        if (!wanted)
                return -ENOMEM;
        for (size_t i = topology->n_layers; i > 0 && i--;) {
                struct layer *layer = topology->layers[i];

                if (layer->carried && !wanted[i])
                        continue;
                for (size_t j = 0; j < layer->n_below; j++)
                        wanted[layer->below[j]->index] = true;
                if (layer->kind == KIND_DISK)
                        layer->asleep = is_asleep(root, layer);
        }
        return 0;
}
