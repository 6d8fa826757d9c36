/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/find-layer.h"
#include "cli/text.h"
#include "common/cleanup.h"

static bool parse_number(const char *text, char end, unsigned *ret, const char **ret_rest) {
        unsigned long number;
        char *rest;

        if (!isdigit((unsigned char)*text))
                return false;
        errno = 0;
        number = strtoul(text, &rest, 10);
        if (errno != 0 || number > UINT32_MAX || *rest != end)
                return false;
        *ret = (unsigned)number;
        *ret_rest = rest + 1;
        return true;
}

static const struct layer *find_number(const struct topology *topology, const char *text) {
        unsigned major, minor;

        if (!parse_number(text, ':', &major, &text) || !parse_number(text, '\0', &minor, &text))
                return NULL;
        return topology_find_devno(topology, major, minor);
}

/* A mount point with or without slashes at its end. Of several mounts at one place the last is the one that is seen. */
static const struct layer *find_mount(const struct topology *topology, const char *text) {
        const struct mount *mount = NULL;
        size_t length = strlen(text);

        if (*text != '/')
                return NULL;
        while (length > 1 && text[length - 1] == '/')
                length--;
        for (size_t i = 0; i < topology->n_mounts; i++) {
                const char *path = topology->mounts[i].path;

                if (strlen(path) == length && strncmp(path, text, length) == 0)
                        mount = &topology->mounts[i];
        }
        if (!mount)
                return NULL;
        if (mount->major != 0)
                return topology_find_devno(topology, mount->major, mount->minor);
        return mount->source ? topology_find_path(topology, mount->source) : NULL;
}

const struct layer *find_layer_by_name(const struct topology *topology, const char *text) {
        const struct layer *layer = topology_find_path(topology, text);

        if (!layer)
                layer = find_number(topology, text);
        return layer ?: find_mount(topology, text);
}

static bool is_below_dev(const char *path) {
        return strncmp(path, "/dev/", strlen("/dev/")) == 0;
}

static const struct layer *find_link(const struct topology *topology, const char *text) {
        _cleanup_(freep) char *path = realpath(text, NULL);

        return path && is_below_dev(path) ? topology_find_path(topology, path) : NULL;
}

const struct layer *find_layer_on_machine(const struct topology *topology, const char *text) {
        const struct layer *layer = find_layer_by_name(topology, text);

        return layer || !is_below_dev(text) ? layer : find_link(topology, text);
}

const struct layer *find_layer(const struct context *context, const char *text) {
        const struct topology *topology = context->survey->topology;
        bool live = sysroot_is_live(context->root);
        const struct layer *layer;

        layer = live ? find_layer_on_machine(topology, text) : find_layer_by_name(topology, text);
        if (layer)
                return layer;
        if (!live && (strncmp(text, "/dev/disk/", 10) == 0 || strncmp(text, "/dev/md/", 8) == 0))
                text_error("'%s' is a link, and a capture has none below /dev: give the device's name", text);
        else
                text_error("no block device or mount point '%s'; 'setractl scan --all' lists what there is", text);
        return NULL;
}
