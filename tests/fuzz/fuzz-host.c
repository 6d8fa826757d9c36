/* SPDX-License-Identifier: MIT */

/*
 * What a capture says of its machine: mounts, swaps, memory, size of pages. The first byte says which files there are;
 * they follow each other with a form feed between.
 */

#include "common/discover-host.h"
#include "common/topology-private.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/fuzz.h"

static const char *const paths[] = {
                "proc/self/mountinfo", "proc/mounts", "proc/swaps", "proc/meminfo", "proc/self/smaps"};

static void write_files(struct files *files, struct bytes bytes) {
        uint8_t absent = (uint8_t)(bytes_take(&bytes) - '0');

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
                struct bytes text;

                if (absent & 1U << i)
                        continue;
                text = bytes_take_until(&bytes, '\f');
                files_write(files, paths[i], (const char *)text.at, bytes_left(&text));
        }
}

/* Names are those of the input, and not of the machine that this runs on. Escapes may make any of others. */
static void check_name(const struct bytes *bytes, const char *name) {
        size_t n = strlen(name);

        if (memchr(bytes->at, '\\', bytes_left(bytes)))
                return;
        FUZZ_CHECK(n == 0 || strcmp(name, "rootfs") == 0 || memmem(bytes->at, bytes_left(bytes), name, n));
}

static void check_mounts(const struct topology *topology, const struct bytes *bytes) {
        for (size_t i = 0; i < topology->n_mounts; i++) {
                const struct mount *mount = &topology->mounts[i];

                FUZZ_CHECK(mount->path && mount->fs);
                check_name(bytes, mount->path);
                check_name(bytes, mount->fs);
                if (mount->source)
                        check_name(bytes, mount->source);
        }
}

static void check_swaps(const struct topology *topology, const struct bytes *bytes) {
        for (size_t i = 0; i < topology->n_swaps; i++)
                check_name(bytes, topology->swaps[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct files *files;
        struct bytes bytes = {.at = data, .end = data + size};
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(topology_freep) struct topology *topology = topology_new();

        if (!files)
                files = files_new();
        files_begin(files);
        write_files(files, bytes);
        files_commit(files);
        FUZZ_CHECK(topology && sysroot_open(files_path(files), &root) == 0);
        FUZZ_CHECK(host_read_memory(root, topology) == 0 && host_read_mounts(root, topology) == 0 &&
                        host_read_swaps(root, topology) == 0);
        FUZZ_CHECK(!topology->memory_bytes.known ||
                        (topology->memory_bytes.value >= 0 && topology->memory_bytes.value % 1024 == 0));
        FUZZ_CHECK(topology->page_bytes >= 4096 && topology->page_bytes <= 1 << 20 &&
                        (topology->page_bytes & (topology->page_bytes - 1)) == 0);
        check_mounts(topology, &bytes);
        check_swaps(topology, &bytes);
        FUZZ_CHECK(topology_finish(topology) == 0);
        return 0;
}
