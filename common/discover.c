/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-host.h"
#include "common/discover-ledger.h"
#include "common/discover-scope.h"
#include "common/discover-udev.h"
#include "common/discover.h"
#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/topology-copy.h"

/* Who has the lock for longer hangs: what is read then is as good as it gets. */
#define LOCK_WAIT_MSEC 1000U

/* What is to become of the devices that are entries of a directory. */
struct update {
        const struct topology *previous; /* NULL: all are read */
        char *const *touched;
};

static int add_device(const struct sysroot *root, struct topology *topology, struct block_devices *devices,
                const struct layer *carried, const char *directory, const char *name) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
                return 0;
        return carried ? block_carry(topology, devices, carried, path) : block_add(root, topology, devices, name, path);
}

/* Adds the devices that are entries of DIRECTORY: those that are carried over in their places among the others. */
static int add_devices(const struct sysroot *root, const struct update *update, struct topology *topology,
                struct block_devices *devices, const char *directory, char *const *names) {
        _cleanup_(scope_done) struct scope scope = {0};
        int r = 0;

        if (update->previous)
                r = scope_find(root, update->previous, update->touched, directory, names, &scope);
        for (; r >= 0 && *names; names++)
                r = add_device(root, topology, devices, scope_carried(&scope, *names), directory, *names);
        if (r >= 0 && update->previous)
                topology_copy_parents(topology, update->previous);
        return r;
}

/* sys/class/block has every device; sys/block, all that some captures have, only whole ones. */
static int add_all_devices(const struct sysroot *root, const struct update *update, struct topology *topology,
                struct block_devices *devices) {
        static const char *const directories[] = {"sys/class/block", "sys/block"};

        for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
                _cleanup_(freep) char **names = NULL;
                int r;

                r = sysroot_list(root, "", &names, "%s", directories[i]);
                if (r == -ENOMEM)
                        return r;
                if (r >= 0 && names[0])
                        return add_devices(root, update, topology, devices, directories[i], names);
        }
        return topology_add_note(topology, "There are no block devices in sys/class/block or sys/block.");
}

static int read_devices(const struct sysroot *root, const struct update *update, struct topology *topology) {
        _cleanup_(fdbatch_flush) struct fdbatch batch = {};
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct block_devices devices = {.arena = scratch, .batch = &batch};
        int r;

        if (!scratch)
                return -ENOMEM;
        r = add_all_devices(root, update, topology, &devices);
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
        if (update->previous)
                r = topology_copy_notes(topology, update->previous);
        if (r < 0)
                return r;
        return dm_read_tables(root, topology);
}

/* Readaheads and ledger as they are at one moment, in which no device has a value that is not meant to stay. */
static int read_ledger(const struct sysroot *root, struct topology *topology) {
        _cleanup_(closep) int lock = -1;

        if (sysroot_is_live(root))
                lock = ledger_lock_shared(LEDGER_DIRECTORY, LOCK_WAIT_MSEC);
        if (lock >= 0)
                block_read_readaheads(root, topology);
        return ledger_note_layers(root, topology);
}

int discover_update(const struct sysroot *root, const struct topology *previous, char *const *touched,
                struct topology **ret) {
        const struct update update = {
                        .previous = sysroot_is_recorded(root) ? NULL : previous,
                        .touched = touched,
        };
        _cleanup_(topology_freep) struct topology *topology = NULL;
        int r;

        if (!sysroot_is_directory(root, "sys"))
                return -ENOENT;
        topology = topology_new();
        if (!topology)
                return -ENOMEM;

        r = read_devices(root, &update, topology);
        if (r < 0)
                return r;
        r = host_read(root, topology);
        if (r < 0)
                return r;
        r = topology_finish(topology);
        if (r < 0)
                return r;
        r = block_read_power(root, topology);
        if (r < 0)
                return r;
        r = read_ledger(root, topology);
        if (r < 0)
                return r;
        host_record(root, topology);
        *ret = TAKE_PTR(topology);
        return 0;
}

int discover(const struct sysroot *root, struct topology **ret) {
        return discover_update(root, NULL, NULL, ret);
}
