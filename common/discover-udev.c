/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/discover-udev.h"
#include "common/sysdir.h"

#define DATABASE          "run/udev/data"
#define DATABASE_NAME_MAX (NAME_MAX + 16)
#define DATABASE_FILE_MAX 65536

enum property {
        PROPERTY_SERIAL_SHORT,
        PROPERTY_SERIAL,
        PROPERTY_MODEL,
        PROPERTY_BUS,
        PROPERTY_FS_TYPE,
        PROPERTY_OTHER_RULES,
        PROPERTY_READY,
};

/* Whether such a property tells its device from all others: ID_SERIAL, ID_WWN_WITH_EXTENSION, DM_SERIAL, … */
static bool is_identifying(const char *key) {
        return strstr(key, "SERIAL") || strstr(key, "WWN") || strstr(key, "WWID");
}

static const struct {
        const char *key;
        enum property property;
} properties[] = {
                {"ID_SERIAL_SHORT", PROPERTY_SERIAL_SHORT},
                {"ID_SERIAL", PROPERTY_SERIAL},
                {"ID_MODEL", PROPERTY_MODEL},
                {"ID_BUS", PROPERTY_BUS},
                {"ID_FS_TYPE", PROPERTY_FS_TYPE},
                {"DM_UDEV_DISABLE_OTHER_RULES_FLAG", PROPERTY_OTHER_RULES},
                {"SYSTEMD_READY", PROPERTY_READY},
};

static int set_string(struct arena *arena, const char *value, const char **ret) {
        if (!*value)
                return 0;
        *ret = arena_strdup(arena, value);
        return *ret ? 0 : -ENOMEM;
}

static int set_text(struct arena *arena, struct layer *layer, enum property property, const char *value) {
        switch (property) {
        case PROPERTY_SERIAL_SHORT: return set_string(arena, value, &layer->serial);
        case PROPERTY_SERIAL: return set_string(arena, value, &layer->serial_long);
        case PROPERTY_MODEL: return set_string(arena, value, &layer->model);
        case PROPERTY_BUS: return set_string(arena, value, &layer->transport);
        case PROPERTY_FS_TYPE: return set_string(arena, value, &layer->filesystem);
        case PROPERTY_OTHER_RULES: layer->udev_other_rules_disabled = strcmp(value, "1") == 0; return 0;
        case PROPERTY_READY: layer->udev_not_ready = strcmp(value, "0") == 0; return 0;
        }
        return 0;
}

/* What udev's database calls a device: by number, or by name what has none. */
static void database_name(const struct layer *layer, char buffer[static DATABASE_NAME_MAX]) {
        if (layer->has_devno)
                snprintf(buffer, DATABASE_NAME_MAX, "b%u:%u", layer->major, layer->minor);
        else
                snprintf(buffer, DATABASE_NAME_MAX, "+block:%s", layer->sysname);
}

static void record_property(const struct sysroot *root, const struct layer *layer, const char *key, const char *value) {
        char name[DATABASE_NAME_MAX], path[sizeof(DATABASE "/") + DATABASE_NAME_MAX];

        if (!sysroot_is_recorded(root))
                return;
        database_name(layer, name);
        snprintf(path, sizeof(path), DATABASE "/%s", name);
        sysroot_record_text(root, path, "E:%s=%.*s\n", key, (int)strcspn(value, "\n"), value);
}

static int set_property(const struct sysroot *root, struct arena *arena, struct layer *layer, const char *key,
                const char *value) {
        const bool identifying = is_identifying(key);

        if (identifying)
                sysroot_record_serial(root, value);
        for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
                if (strcmp(properties[i].key, key) != 0)
                        continue;
                if (!identifying || sysroot_records_identifiers(root))
                        record_property(root, layer, key, value);
                return set_text(arena, layer, properties[i].property, value);
        }
        return 0;
}

/*
 * udev's database has a file for each device; lines with properties are "E:KEY=VALUE". util-linux' dumps have dev/NAME in
 * its place, with lines "KEY=VALUE". PREFIX is what such lines begin with. Returns 1 or -ENOMEM.
 */
static int read_properties(
                const struct sysroot *root, struct arena *arena, struct layer *layer, char *text, const char *prefix) {
        char *line;

        while ((line = strsep(&text, "\n"))) {
                char *equals = strchr(line, '=');
                int r;

                if (strncmp(line, prefix, strlen(prefix)) != 0 || !equals)
                        continue;
                *equals = 0;
                r = set_property(root, arena, layer, line + strlen(prefix), equals + 1);
                if (r < 0)
                        return r;
        }
        return 1;
}

/* Where a machine has its properties; what is not there is not open. */
struct database {
        struct sysdir data, nodes;
        struct fdbatch batch;
        char *buffer;
};

static void database_close(struct database *database) {
        sysdir_close(&database->data);
        sysdir_close(&database->nodes);
        fdbatch_flush(&database->batch);
        free(database->buffer);
}

static int database_open(const struct sysroot *root, struct database *database) {
        database->buffer = malloc(DATABASE_FILE_MAX);
        if (!database->buffer)
                return -ENOMEM;
        (void)sysdir_open(root, &database->batch, DATABASE, &database->data);
        if (!sysroot_is_live(root))
                (void)sysdir_open(root, &database->batch, "dev", &database->nodes);
        return 0;
}

static bool has_file(struct sysdir *dir, const char *name, char buffer[static DATABASE_FILE_MAX]) {
        return dir->root && sysdir_read(dir, name, buffer, DATABASE_FILE_MAX) >= 0;
}

/* Of a name such as cciss/c0d0 a part is a directory. */
static bool has_node(struct database *database, const char *name) {
        if (!strchr(name, '/'))
                return has_file(&database->nodes, name, database->buffer);
        return database->nodes.root &&
               sysroot_read(database->nodes.root, database->buffer, DATABASE_FILE_MAX, "dev/%s", name) >= 0;
}

/* Returns 1 where udev has its word about the layer, 0 where not, or -ENOMEM. */
static int read_layer(const struct sysroot *root, struct database *database, struct arena *arena, struct layer *layer) {
        char name[DATABASE_NAME_MAX];

        database_name(layer, name);
        if (has_file(&database->data, name, database->buffer))
                return read_properties(root, arena, layer, database->buffer, "E:");
        if (has_node(database, layer->name))
                return read_properties(root, arena, layer, database->buffer, "");
        return 0;
}

/* The disk itself, or that of a partition, which udev gives its disk's properties too; NULL for all else. */
static const struct layer *find_disk(const struct layer *layer) {
        const struct layer *disk = layer->kind == KIND_PARTITION ? layer->parent : layer;

        return disk && disk->kind == KIND_DISK ? disk : NULL;
}

/* What a disk's driver hangs on. Some captures lack the links that say so; the driver's names are its own. */
static const char *find_transport(const struct sysroot *root, const struct layer *disk) {
        static const struct {
                const char *subsystem, *name, *transport;
        } buses[] = {
                        {"scsi", NULL, "scsi"},
                        {"nvme", "nvme", "nvme"},
                        {"nvme-subsystem", NULL, "nvme"}, /* where the kernel joins the paths to it */
                        {"virtio", "vd", "virtio"},
                        {"mmc", "mmcblk", "mmc"},
                        {"xen", "xvd", "xen"},
        };
        char subsystem[64] = "";

        (void)sysroot_link_name(
                        root, subsystem, sizeof(subsystem), "sys/class/block/%s/device/subsystem", disk->sysname);
        for (size_t i = 0; i < ARRAY_SIZE(buses); i++) {
                const char *name = buses[i].name;

                if (*subsystem ? strcmp(buses[i].subsystem, subsystem) == 0
                               : name && strncmp(disk->sysname, name, strlen(name)) == 0)
                        return buses[i].transport;
        }
        return NULL;
}

/* As udev writes it: without blanks around it, and with "_" for those in it. */
static void normalize_serial(char *text) {
        size_t start = strspn(text, " "), n = strlen(text);

        while (n > start && text[n - 1] == ' ')
                n--;
        memmove(text, text + start, n - start);
        text[n - start] = 0;
        for (char *p = text; *p; p++)
                if (*p == ' ')
                        *p = '_';
}

/* The kernel has that of an NVMe or MMC device, and of virtio's disk. */
static int read_serial(const struct sysroot *root, struct arena *arena, struct layer *layer, const struct layer *disk) {
        static const char *const attributes[] = {"device/serial", "serial"};

        for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
                char text[256];
                int r;

                r = sysroot_read_serial(
                                root, text, sizeof(text), "sys/class/block/%s/%s", disk->sysname, attributes[i]);
                if (r < 0)
                        continue;
                normalize_serial(text);
                sysroot_record_serial(root, text);
                if (*text && !layer->serial)
                        return set_string(arena, text, &layer->serial);
        }
        return 0;
}

/* What udev does not say. */
static int complete(const struct sysroot *root, struct arena *arena, struct layer *layer) {
        const struct layer *disk = find_disk(layer);

        if (!disk)
                return 0;
        if (!layer->transport)
                layer->transport = find_transport(root, disk);
        return read_serial(root, arena, layer, disk);
}

static int note_absence(const struct sysroot *root, struct topology *topology, bool found) {
        if (sysroot_is_live(root) && !sysroot_exists(root, "run/udev/control"))
                return topology_add_note(topology, "udevd is not running: serial numbers, models and file systems are "
                                                   "not known, nor which devices udev wants left alone.");
        if (!sysroot_is_live(root) && !found && !sysroot_is_directory(root, DATABASE))
                return topology_add_note(topology, "The capture has no udev database (" DATABASE "): serial numbers, "
                                                   "models and file systems are not known, nor which devices udev "
                                                   "wants left alone.");
        sysroot_record_directory(root, DATABASE);
        return 0;
}

int udev_read_properties(const struct sysroot *root, struct topology *topology) {
        _cleanup_(database_close) struct database database = {};
        unsigned n_failures = sysroot_failures(root)->n;
        bool found = false;

        if (database_open(root, &database) < 0)
                return -ENOMEM;
        topology->host_incomplete |= sysroot_failures(root)->n > n_failures;
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                int r;

                if (layer->carried) {
                        found |= layer->in_udev_database;
                        continue;
                }
                n_failures = sysroot_failures(root)->n;
                r = read_layer(root, &database, topology->arena, layer);
                if (r < 0)
                        return r;
                layer->incomplete |= sysroot_failures(root)->n > n_failures;
                layer->in_udev_database = r > 0;
                found |= layer->in_udev_database;
                r = complete(root, topology->arena, layer);
                if (r < 0)
                        return r;
        }
        return note_absence(root, topology, found);
}
