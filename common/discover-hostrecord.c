/* SPDX-License-Identifier: MIT */

/*
 * Mounts and swaps on their way into a capture: those of layers only, with the kernel's names of devices as sources. What
 * is mounted from elsewhere (servers, containers) stays out, but for what a loop device's file lies on.
 */

#include <stdbool.h>
#include <string.h>

#include "common/discover-host.h"

/* As topology_finish() does it: file systems with an anonymous number are known by their source only. */
static const struct layer *find_mounted(const struct topology *topology, const struct mount *mount) {
        if (mount->major != 0)
                return topology_find_devno(topology, mount->major, mount->minor);
        if (!mount->source || strncmp(mount->source, "/dev/", 5) != 0)
                return NULL;
        return topology_find_path(topology, mount->source);
}

static bool lies_below(const char *path, const char *directory) {
        size_t n = strlen(directory);

        if (n > 0 && directory[n - 1] == '/')
                n--;
        return strncmp(path, directory, n) == 0 && (path[n] == '/' || !path[n]);
}

static bool carries_loop(const struct topology *topology, const char *mount_point) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                const char *file = topology->layers[i]->backing_file;

                if (file && lies_below(file, mount_point))
                        return true;
        }
        return false;
}

/* A word of mountinfo, with what would end it as the kernel writes it: "\OOO". */
static void record_word(const struct sysroot *root, const char *text) {
        while (*text) {
                size_t n = strcspn(text, " \t\n\\#");

                sysroot_record_text(root, HOST_MOUNTINFO, "%.*s", (int)n, text);
                text += n;
                if (!*text)
                        return;
                sysroot_record_text(root, HOST_MOUNTINFO, "\\%03o", (unsigned char)*text);
                text++;
        }
}

/* Without a layer: what there is has no device. */
static void record_mount(const struct sysroot *root, const struct mount *mount, const struct layer *layer, size_t id) {
        sysroot_record_text(
                        root, HOST_MOUNTINFO, "%zu 1 %u:%u / ", id, layer ? mount->major : 0, layer ? mount->minor : 0);
        record_word(root, mount->path);
        sysroot_record_text(root, HOST_MOUNTINFO, " rw - ");
        record_word(root, mount->fs);
        sysroot_record_text(root, HOST_MOUNTINFO, " %s%s rw\n", layer ? "/dev/" : "none", layer ? layer->name : "");
}

void host_record(const struct sysroot *root, const struct topology *topology) {
        if (!sysroot_is_recorded(root))
                return;
        for (size_t i = 0; i < topology->n_mounts; i++) {
                const struct mount *mount = &topology->mounts[i];
                const struct layer *layer = find_mounted(topology, mount);

                if (layer || carries_loop(topology, mount->path))
                        record_mount(root, mount, layer, i + 2);
        }
        for (size_t i = 0; i < topology->n_swaps; i++) {
                const struct layer *layer = topology_find_path(topology, topology->swaps[i]);

                if (layer)
                        sysroot_record_text(root, HOST_SWAPS, "/dev/%s partition 0 0 0\n", layer->name);
        }
}
