/* SPDX-License-Identifier: MIT */
#pragma once

/* For tests of discovery over a small captured root, which is made anew for each. After cmocka.h. */

#include <string.h>

#include "common/discover.h"
#include "tests/support/tree.h"

#define LVM_UUID "LVM-D55UY1JCZrIo7l4DJCUEaNt7m2FRHGnjuW0GieerUopsntjphuwbxaYh53MczA8K"

/* A disk without anything special. */
#define TREE_DISK(name, devno)                                                                                         \
        {"sys/class/block/" name "/dev", devno "\n"}, {"sys/class/block/" name "/size", "1000\n"}, {                   \
                "sys/class/block/" name "/queue/read_ahead_kb", "128\n"                                                \
        }

#define TREE_MAP(name, devno, map, uuid)                                                                               \
        TREE_DISK(name, devno), {"sys/class/block/" name "/dm/name", map "\n"},                                        \
                        {"sys/class/block/" name "/dm/uuid", uuid "\n"}, {                                             \
                "sys/class/block/" name "/dm/suspended", "0\n"                                                         \
        }

/* As a group's test, whose state is a tree. */
#define DISCOVERY_TEST(f) cmocka_unit_test_setup_teardown(f, discovery_set_up, discovery_tear_down)

static inline int discovery_set_up(void **state) {
        *state = tree_new();
        return 0;
}

static inline int discovery_tear_down(void **state) {
        tree_free(*state);
        return 0;
}

/* The caller's, to be freed. */
static inline struct topology *discovery_read(struct tree *tree) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct topology *topology = NULL;

        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &topology), 0);
        assert_non_null(topology);
        return topology;
}

static inline struct layer *discovery_find(const struct topology *topology, const char *name) {
        struct layer *layer = topology_find(topology, name);

        if (!layer)
                fail_msg("no layer %s", name);
        return layer;
}

static inline bool discovery_has_note(const struct topology *topology, const char *part) {
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                if (strstr(note->text, part))
                        return true;
        return false;
}

static inline void assert_opt(struct opt_int actual, int64_t expected) {
        assert_true(actual.known);
        assert_int_equal(actual.value, expected);
}
