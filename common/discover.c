/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-host.h"
#include "common/discover-ledger.h"
#include "common/discover-udev.h"
#include "common/discover.h"

/* Adds the devices that are entries of DIRECTORY. */
static int add_devices(const struct sysroot *root, struct topology *topology, struct block_devices *devices,
                const char *directory, char *const *names) {
        for (; *names; names++) {
                const char *path;
                int r;

                path = arena_printf(topology->arena, "%s/%s", directory, *names);
                if (!path)
                        return -ENOMEM;
                r = block_add(root, topology, devices, *names, path);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* sys/class/block has every device; sys/block, all that some captures have, only whole ones. */
static int add_all_devices(const struct sysroot *root, struct topology *topology, struct block_devices *devices) {
        static const char *const directories[] = {"sys/class/block", "sys/block"};

        for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
                _cleanup_(sysroot_names_freep) char **names = NULL;
                int r;

                r = sysroot_list(root, "", &names, "%s", directories[i]);
                if (r == -ENOMEM)
                        return r;
                if (r >= 0 && names[0])
                        return add_devices(root, topology, devices, directories[i], names);
        }
        return topology_add_note(topology, "There are no block devices in sys/class/block or sys/block.");
}

static int read_devices(const struct sysroot *root, struct topology *topology) {
        struct block_devices devices = {0};
        int r;

        r = add_all_devices(root, topology, &devices);
        if (r < 0)
                return r;
        r = block_adopt_partitions(root, topology, &devices);
        if (r < 0)
                return r;
        r = block_link_slaves(root, topology, &devices);
        if (r < 0)
                return r;
        r = udev_read_properties(root, topology);
        if (r < 0)
                return r;
        return dm_read_tables(root, topology);
}

int discover(const struct sysroot *root, struct topology **ret) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        int r;

        if (!sysroot_is_directory(root, "sys"))
                return -ENOENT;
        topology = topology_new();
        if (!topology)
                return -ENOMEM;

        r = read_devices(root, topology);
        if (r < 0)
                return r;
        r = host_read(root, topology);
        if (r < 0)
                return r;
        r = topology_finish(topology);
        if (r < 0)
                return r;
        r = ledger_note_layers(root, topology);
        if (r < 0)
                return r;
        host_record(root, topology);
        *ret = TAKE_PTR(topology);
        return 0;
}
