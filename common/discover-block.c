/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-md.h"
#include "common/topology-copy.h"

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

/* For md and dm only the family is right: the kind follows from level and table. */
static enum layer_kind find_kind(const struct sysroot *root, const char *sysname, const char *path) {
        if (sysroot_exists(root, "%s/partition", path))
                return KIND_PARTITION;
        if (sysroot_is_directory(root, "%s/md", path))
                return KIND_MD_INACTIVE;
        if (sysroot_is_directory(root, "%s/dm", path))
                return KIND_DM_UNKNOWN;
        return kind_by_name(sysname);
}

static bool is_unused(const struct sysroot *root, enum layer_kind kind, const char *path) {
        char byte[2];
        int r;

        switch (kind) {
        case KIND_LOOP:
                r = sysroot_read(root, byte, sizeof(byte), "%s/loop/backing_file", path);
                return r <= 0 && r != -EFBIG;
        case KIND_NBD:
        case KIND_ZRAM: return opt_or(sysroot_read_int(root, "%s/size", path), -1) == 0;
        default: return false;
        }
}

static bool read_devno(const struct sysroot *root, const char *path, unsigned *ret_major, unsigned *ret_minor) {
        char text[32];
        unsigned major, minor;
        int end = 0;

        if (sysroot_read(root, text, sizeof(text), "%s/dev", path) < 0)
                return false;
        if (sscanf(text, "%9u:%9u%n", &major, &minor, &end) != 2 || text[end])
                return false;
        *ret_major = major;
        *ret_minor = minor;
        return true;
}

/* Numbers that can't be negative: anything else is no such number. */
static struct opt_int read_natural(const struct sysroot *root, const char *path, const char *attribute) {
        struct opt_int n = sysroot_read_int(root, "%s/%s", path, attribute);

        return n.known && n.value < 0 ? (struct opt_int){0} : n;
}

static struct opt_int read_readahead(const struct sysroot *root, const char *path) {
        struct opt_int kib = read_natural(root, path, "queue/read_ahead_kb");

        if (!kib.known || kib.value > INT64_MAX / 2)
                return (struct opt_int){0};
        return opt_some(kib.value * 2);
}

static struct opt_int read_max_request(const struct sysroot *root, const char *path) {
        struct opt_int kib = read_natural(root, path, "queue/max_sectors_kb");

        if (!kib.known || kib.value > INT64_MAX / 1024)
                return (struct opt_int){0};
        return opt_some(kib.value * 1024);
}

static void read_limits(const struct sysroot *root, const char *path, struct layer *layer) {
        layer->readahead_sectors = read_readahead(root, path);
        layer->io_min_bytes = read_natural(root, path, "queue/minimum_io_size");
        layer->io_opt_bytes = read_natural(root, path, "queue/optimal_io_size");
        layer->logical_block_bytes = read_natural(root, path, "queue/logical_block_size");
        layer->physical_block_bytes = read_natural(root, path, "queue/physical_block_size");
        layer->rotational = read_natural(root, path, "queue/rotational");
        /* Every file that is read takes time on a machine with thousands of layers. */
        if (opt_or(layer->rotational, 0) == 1 && opt_or(layer->io_opt_bytes, -1) == 0)
                layer->max_request_bytes = read_max_request(root, path);
}

static int read_backing_file(
                const struct sysroot *root, struct topology *topology, const char *path, struct layer *layer) {
        char text[PATH_MAX + sizeof(" (deleted)\n")];

        if (sysroot_read(root, text, sizeof(text), "%s/loop/backing_file", path) <= 0)
                return 0;
        layer->backing_file = arena_strdup(topology->arena, text);
        return layer->backing_file ? 0 : -ENOMEM;
}

static int read_layer(const struct sysroot *root, struct topology *topology, const char *path, struct layer *layer) {
        layer->diskseq = read_natural(root, path, "diskseq");
        layer->size_sectors = read_natural(root, path, "size");
        layer->start_sectors = read_natural(root, path, "start");
        layer->alignment_offset_bytes = sysroot_read_int(root, "%s/alignment_offset", path);
        layer->read_only = read_natural(root, path, "ro").value == 1;
        read_limits(root, path, layer);

        switch (layer->kind) {
        case KIND_MD_INACTIVE: return md_read(root, topology, path, layer);
        case KIND_DM_UNKNOWN: return dm_read(root, topology, path, layer);
        case KIND_LOOP: return read_backing_file(root, topology, path, layer);
        default: return 0;
        }
}

static int append_device(
                struct topology *topology, struct block_devices *devices, struct layer *layer, const char *path) {
        struct block_device *device;

        if (devices->n == devices->allocated) {
                size_t allocated = devices->allocated ? devices->allocated * 2 : 64;
                struct block_device *items;

                items = arena_alloc_array(topology->arena, allocated, sizeof(*items));
                if (!items)
                        return -ENOMEM;
                if (devices->n > 0)
                        memcpy(items, devices->items, devices->n * sizeof(*items));
                devices->items = items;
                devices->allocated = allocated;
        }

        device = &devices->items[devices->n];
        device->layer = layer;
        device->path = arena_strdup(topology->arena, path);
        if (!device->path)
                return -ENOMEM;
        devices->n++;
        return 0;
}

int block_add(const struct sysroot *root, struct topology *topology, struct block_devices *devices, const char *sysname,
                const char *path) {
        enum layer_kind kind;
        struct layer *layer;
        unsigned major, minor;
        bool has_devno, hidden;
        int r;

        if (topology_find(topology, sysname) || !sysroot_is_directory(root, "%s", path))
                return 0;
        kind = find_kind(root, sysname, path);
        if (is_unused(root, kind, path))
                return 0;

        has_devno = read_devno(root, path, &major, &minor);
        hidden = sysroot_read_int(root, "%s/hidden", path).value == 1;
        /* A directory that has lost its attributes is that of a device on its way out. */
        if (!has_devno && !hidden && !sysroot_exists(root, "%s/size", path))
                return 0;

        r = topology_add(topology, sysname, &layer);
        if (r < 0)
                return r;
        layer->kind = kind;
        layer->hidden = hidden;
        layer->has_devno = has_devno;
        if (has_devno) {
                layer->major = major;
                layer->minor = minor;
        }
        r = append_device(topology, devices, layer, path);
        if (r < 0)
                return r;
        return read_layer(root, topology, path, layer);
}

int block_carry(struct topology *topology, struct block_devices *devices, const struct layer *layer, const char *path) {
        struct layer *copy;
        int r;

        r = topology_copy_layer(topology, layer, &copy);
        if (r < 0)
                return r;
        return append_device(topology, devices, copy, path);
}

/* A partition has no queue/ of its own. */
static void adopt(struct layer *partition, struct layer *disk) {
        partition->parent = disk;
        partition->readahead_sectors = disk->readahead_sectors;
        partition->io_min_bytes = disk->io_min_bytes;
        partition->io_opt_bytes = disk->io_opt_bytes;
        partition->logical_block_bytes = disk->logical_block_bytes;
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

                path = arena_printf(topology->arena, "%s/%s", disk.path, name);
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

/* Partitions are directories in that of their disk, named after it. */
static int adopt_partitions_of(const struct sysroot *root, struct topology *topology, struct block_devices *devices,
                struct block_device disk) {
        _cleanup_(sysroot_names_freep) char **names = NULL;
        size_t n = strlen(disk.layer->sysname);

        if (sysroot_list(root, disk.layer->sysname, &names, "%s", disk.path) < 0)
                return 0;
        for (char **name = names; *name; name++) {
                int r;

                if (!(*name)[n])
                        continue;
                r = adopt_one(root, topology, devices, disk, *name);
                if (r < 0)
                        return r;
        }
        return 0;
}

int block_adopt_partitions(const struct sysroot *root, struct topology *topology, struct block_devices *devices) {
        const size_t n = devices->n;

        for (size_t i = 0; i < n; i++) {
                int r;

                /* A disk that is carried over has the partitions that it had. */
                if (devices->items[i].layer->kind == KIND_PARTITION || devices->items[i].layer->carried)
                        continue;
                r = adopt_partitions_of(root, topology, devices, devices->items[i]);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int read_slaves(const struct sysroot *root, struct topology *topology, const struct block_device *device) {
        _cleanup_(sysroot_names_freep) char **names = NULL;

        if (device->layer->carried || sysroot_list(root, "", &names, "%s/slaves", device->path) < 0)
                return 0;
        return topology_copy_names(topology->arena, names, &device->layer->slaves);
}

static int link_slaves_of(const struct sysroot *root, struct topology *topology, const struct block_device *device) {
        if (read_slaves(root, topology, device) < 0)
                return -ENOMEM;
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
static int link_backing_device(
                const struct sysroot *root, struct topology *topology, const struct block_device *device) {
        char name[NAME_MAX + 1];

        if (device->layer->kind != KIND_BCACHE ||
                        sysroot_link_directory_name(root, name, sizeof(name), "%s/bcache", device->path) < 0)
                return 0;
        device->layer->backing = topology_find(topology, name);
        return device->layer->backing ? topology_link(topology, device->layer, device->layer->backing) : 0;
}

int block_link_slaves(const struct sysroot *root, struct topology *topology, const struct block_devices *devices) {
        for (size_t i = 0; i < devices->n; i++) {
                int r;

                r = link_slaves_of(root, topology, &devices->items[i]);
                if (r < 0)
                        return r;
                r = link_backing_device(root, topology, &devices->items[i]);
                if (r < 0)
                        return r;
        }
        return 0;
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
        for (size_t i = topology->n_layers; i-- > 0;) {
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
