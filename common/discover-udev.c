/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <libudev.h>
#include <string.h>

#include "common/discover-line.h"
#include "common/discover-udev.h"

#define DATABASE_LINE_MAX 4096

DEFINE_CLEANUP(struct udev *, udev_unref);
DEFINE_CLEANUP(struct udev_device *, udev_device_unref);
DEFINE_CLEANUP(struct udev_enumerate *, udev_enumerate_unref);

/* A negative errno from one of libudev's return values, which are either that or -1. */
static int names_from_list(struct udev_list_entry *first, char ***ret) {
        _cleanup_(sysroot_names_freep) char **names = NULL;
        struct udev_list_entry *entry;
        size_t n = 0;

        udev_list_entry_foreach(entry, first) n++;
        names = calloc(n + 1, sizeof(*names));
        if (!names)
                return -ENOMEM;

        n = 0;
        udev_list_entry_foreach(entry, first) {
                const char *path = udev_list_entry_get_name(entry), *slash = strrchr(path, '/');

                names[n] = strdup(slash ? slash + 1 : path);
                if (!names[n])
                        return -ENOMEM;
                n++;
        }
        *ret = TAKE_PTR(names);
        return 0;
}

int udev_list_block(char ***ret) {
        _cleanup_(udev_unrefp) struct udev *udev = NULL;
        _cleanup_(udev_enumerate_unrefp) struct udev_enumerate *enumerate = NULL;
        int r;

        udev = udev_new();
        if (!udev)
                return -ENOMEM;
        enumerate = udev_enumerate_new(udev);
        if (!enumerate)
                return -ENOMEM;
        r = udev_enumerate_add_match_subsystem(enumerate, "block");
        if (r < 0)
                return r;
        r = udev_enumerate_scan_devices(enumerate);
        if (r < 0)
                return r;
        return names_from_list(udev_enumerate_get_list_entry(enumerate), ret);
}

static int set_string(struct arena *arena, const char *value, const char **ret) {
        if (!*value)
                return 0;
        *ret = arena_strdup(arena, value);
        return *ret ? 0 : -ENOMEM;
}

/* The short serial number is the device's own; the long one has make and model before it. */
static int set_property(struct arena *arena, struct layer *layer, const char *key, const char *value) {
        if (strcmp(key, "ID_SERIAL_SHORT") == 0)
                return set_string(arena, value, &layer->serial);
        if (strcmp(key, "ID_SERIAL") == 0)
                return layer->serial ? 0 : set_string(arena, value, &layer->serial);
        if (strcmp(key, "ID_MODEL") == 0)
                return set_string(arena, value, &layer->model);
        if (strcmp(key, "ID_BUS") == 0)
                return set_string(arena, value, &layer->transport);
        if (strcmp(key, "ID_FS_TYPE") == 0)
                return set_string(arena, value, &layer->filesystem);
        if (strcmp(key, "DM_UDEV_DISABLE_OTHER_RULES_FLAG") == 0)
                layer->udev_other_rules_disabled = strcmp(value, "1") == 0;
        else if (strcmp(key, "SYSTEMD_READY") == 0)
                layer->udev_not_ready = strcmp(value, "0") == 0;
        return 0;
}

static int read_live(struct udev *udev, struct arena *arena, struct layer *layer) {
        _cleanup_(udev_device_unrefp) struct udev_device *device = NULL;
        _cleanup_(freep) char *path = NULL;
        struct udev_list_entry *entry;

        if (asprintf(&path, "/sys/class/block/%s", layer->sysname) < 0) {
                path = NULL;
                return -ENOMEM;
        }
        device = udev_device_new_from_syspath(udev, path);
        if (!device)
                return errno == ENOMEM ? -ENOMEM : 0; /* gone meanwhile */

        udev_list_entry_foreach(entry, udev_device_get_properties_list_entry(device)) {
                const char *value = udev_list_entry_get_value(entry);
                int r;

                r = set_property(arena, layer, udev_list_entry_get_name(entry), value ?: "");
                if (r < 0)
                        return r;
        }
        return 0;
}

/* udev's database has a file for each device; lines with properties are "E:KEY=VALUE". */
static int read_captured(const struct sysroot *root, struct arena *arena, struct layer *layer) {
        _cleanup_(fclosep) FILE *stream = NULL;
        char line[DATABASE_LINE_MAX];

        if (!layer->has_devno || sysroot_fopen(root, &stream, "run/udev/data/b%u:%u", layer->major, layer->minor) < 0)
                return 0;
        while (line_read(stream, line, sizeof(line))) {
                char *equals;
                int r;

                equals = strchr(line, '=');
                if (strncmp(line, "E:", 2) != 0 || !equals)
                        continue;
                *equals = 0;
                r = set_property(arena, layer, line + 2, equals + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Without udev's word the transport is at least what the disk's driver hangs on. */
static void guess_transport(const struct sysroot *root, struct layer *layer) {
        static const char *const buses[] = {"scsi", "nvme", "virtio", "mmc", "xen"};
        char name[64];

        if (layer->transport || layer->kind != KIND_DISK)
                return;
        if (sysroot_link_name(root, name, sizeof(name), "sys/class/block/%s/device/subsystem", layer->sysname) < 0)
                return;
        for (size_t i = 0; i < ARRAY_SIZE(buses); i++)
                if (strcmp(name, buses[i]) == 0)
                        layer->transport = buses[i];
}

static int note_absence(const struct sysroot *root, struct topology *topology) {
        if (sysroot_is_live(root) && !sysroot_exists(root, "run/udev/control"))
                return topology_add_note(topology, "udevd is not running: serial numbers, models and file systems are "
                                                   "not known, nor which devices udev wants left alone.");
        if (!sysroot_is_live(root) && !sysroot_is_directory(root, "run/udev/data"))
                return topology_add_note(topology, "The capture has no udev database (run/udev/data): serial numbers, "
                                                   "models and file systems are not known, nor which devices udev "
                                                   "wants left alone.");
        return 0;
}

int udev_read_properties(const struct sysroot *root, struct topology *topology) {
        _cleanup_(udev_unrefp) struct udev *udev = NULL;

        if (sysroot_is_live(root)) {
                udev = udev_new();
                if (!udev)
                        return -ENOMEM;
        }
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                int r;

                r = udev ? read_live(udev, topology->arena, layer) : read_captured(root, topology->arena, layer);
                if (r < 0)
                        return r;
                guess_transport(root, layer);
        }
        return note_absence(root, topology);
}
