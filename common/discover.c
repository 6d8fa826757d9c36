/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-host.h"
#include "common/discover-ledger.h"
#include "common/discover-private.h"
#include "common/discover-udev.h"
#include "common/discover.h"
#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/ledger-view.h"

/* Who has the lock for longer hangs: what is read then is as good as it gets. */
#define LOCK_WAIT_MSEC 1000U

static int add_device(const struct sysroot *root, struct topology *topology, struct block_devices *devices,
                const char *directory, const char *name) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
                return 0;
        return block_add(root, topology, devices, name, path);
}

/* sys/class/block has every device; sys/block, all that some captures have, only whole ones. */
static const char *const directories[] = {"sys/class/block", "sys/block"};

const char *discover_directory(const struct sysroot *root) {
        return sysroot_is_live(root) || sysroot_is_directory(root, "%s", directories[0]) ? directories[0]
                                                                                         : directories[1];
}

static int add_all_devices(const struct sysroot *root, struct topology *topology, struct block_devices *devices) {
        for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
                _cleanup_(freep) char **names = NULL;
                int r;

                r = sysroot_list(root, "", &names, "%s", directories[i]);
                if (r == -ENOMEM)
                        return r;
                if (r < 0 || !names[0])
                        continue;
                r = 0;
                for (char **name = names; *name && r >= 0; name++)
                        r = add_device(root, topology, devices, directories[i], *name);
                return r;
        }
        return topology_add_note(topology, "There are no block devices in sys/class/block or sys/block.");
}

int discover_properties(const struct sysroot *root, struct topology *topology) {
        int r;

        r = udev_read_properties(root, topology);
        return r < 0 ? r : dm_read_tables(root, topology);
}

static int read_devices(const struct sysroot *root, struct topology *topology) {
        _cleanup_(fdbatch_flush) struct fdbatch batch = {};
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct block_devices devices = {.arena = scratch, .batch = &batch};
        int r;

        if (!scratch)
                return -ENOMEM;
        r = add_all_devices(root, topology, &devices);
        if (r < 0)
                return r;
        r = block_adopt_partitions(root, topology, &devices);
        if (r < 0)
                return r;
        r = discover_properties(root, topology);
        return r < 0 ? r : block_link_slaves(root, topology, &devices);
}

static int read_host(const struct sysroot *root, struct topology *topology) {
        const unsigned n_failures = sysroot_failures(root)->n;
        int r;

        r = host_read_memory(root, topology);
        if (r < 0)
                return r;
        r = host_read_mounts(root, topology);
        if (r < 0)
                return r;
        r = host_read_swaps(root, topology);
        topology->host_incomplete |= sysroot_failures(root)->n > n_failures;
        return r;
}

/*
 * Readaheads and ledger as they are at one moment, in which no device has a value that is not meant to stay. Such a value is
 * on record as pending before it is given, and its end is on record too: so if the ledger has not been written since before
 * the first readahead was read, and has nothing pending, they were all read in such a moment.
 */
static int read_ledger(const struct sysroot *root, struct topology *topology, struct ledger_view *view) {
        _cleanup_(closep) int lock = -1;
        bool steady;
        int r;

        if (sysroot_is_live(root))
                lock = ledger_lock_shared(LEDGER_DIRECTORY, LOCK_WAIT_MSEC);
        if (sysroot_is_shortage(lock))
                return lock;
        r = ledger_view_end(view, root, &steady);
        if (r < 0)
                return r;
        if (lock >= 0 && !steady)
                block_read_readaheads(root, topology);
        return view->ledger ? ledger_note_layers(root, topology, view->ledger) : 0;
}

/* Why there is none of it. */
static const char *describe_failure(int error) {
        return error == -EOVERFLOW ? "it is too large" : strerrordesc_np(-error) ?: "unknown error";
}

/* What was done without is told of. */
static int note_failures(const struct sysroot *root, struct topology *topology) {
        const struct sysroot_failures *failures = sysroot_failures(root);
        char more[64] = "";

        if (failures->n == 0)
                return 0;
        topology->incomplete = true;
        if (failures->n > 1)
                snprintf(more, sizeof(more), ", and %u more times something could not be read", failures->n - 1);
        return topology_add_note(topology, "%s could not be read (%s)%s: it is taken for missing.", failures->path,
                        describe_failure(failures->error), more);
}

/* Whoever lies over what is not known can't be known, either: no device may be taken for one that nobody swaps to. */
static void spread_incomplete(struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                layer->incomplete |= topology->host_incomplete;
                for (size_t j = 0; j < layer->n_below; j++)
                        layer->incomplete |= layer->below[j]->incomplete;
        }
}

int discover_finish(const struct sysroot *root, struct topology *topology, struct ledger_view *view) {
        int r;

        r = topology_finish(topology);
        if (r < 0)
                return r;
        spread_incomplete(topology);
        r = block_read_power(root, topology);
        if (r < 0)
                return r;
        r = read_ledger(root, topology, view);
        return r < 0 ? r : note_failures(root, topology);
}

int discover_result(const struct sysroot *root, int r, struct topology **topology, struct topology **ret) {
        int error = sysroot_failures(root)->error;

        if (sysroot_is_shortage(error))
                return error;
        if (r >= 0)
                *ret = TAKE_PTR(*topology);
        return r;
}

static int read_machine(const struct sysroot *root, struct topology **ret) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(ledger_view_done) struct ledger_view view = LEDGER_VIEW_NONE;
        int r;

        if (!sysroot_is_directory(root, "sys"))
                return sysroot_failures(root)->error < 0 ? sysroot_failures(root)->error : -ENOENT;
        ledger_view_begin(&view, root);
        topology = topology_new();
        if (!topology)
                return -ENOMEM;

        r = read_devices(root, topology);
        if (r < 0)
                return r;
        r = read_host(root, topology);
        if (r < 0)
                return r;
        r = discover_finish(root, topology, &view);
        if (r < 0)
                return r;
        host_record(root, topology);
        *ret = TAKE_PTR(topology);
        return 0;
}

int discover(const struct sysroot *root, struct topology **ret) {
        _cleanup_(topology_freep) struct topology *topology = NULL;

        sysroot_forget_failures(root);
        return discover_result(root, read_machine(root, &topology), &topology, ret);
}
