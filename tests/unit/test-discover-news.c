/* SPDX-License-Identifier: MIT */

/* Discovery after an event: what is read, and what is taken over. */

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/append.h"
#include "tests/support/discovery.h"

#define BLOCK "sys/class/block/"

/*
 * In a captured root every file and directory is looked up by openat2(2), through this function: what each lookup was
 * for, one a line.
 */
static struct {
        FILE *stream;
        char *text;
        size_t size, n;
} lookups;

long syscall(long number, ...) {
        static long (*next)(long, ...);
        va_list args;
        long a, b, c, d;

        va_start(args, number);
        a = va_arg(args, long);
        b = va_arg(args, long);
        c = va_arg(args, long);
        d = va_arg(args, long);
        va_end(args);
        if (lookups.stream && number == SYS_openat2) {
                fprintf(lookups.stream, "%s\n", (const char *)b);
                lookups.n++;
        }
        if (!next)
                *(void **)&next = dlsym(RTLD_NEXT, "syscall");
        return next(number, a, b, c, d);
}

static void lookups_start(void) {
        lookups.n = 0;
        lookups.stream = open_memstream(&lookups.text, &lookups.size);
        assert_non_null(lookups.stream);
}

/* The text is the caller's. */
static char *lookups_stop(void) {
        assert_int_equal(fclose(lookups.stream), 0);
        lookups.stream = NULL;
        return TAKE_PTR(lookups.text);
}

#define DEVICE(name, devno)                                                                                            \
        {BLOCK name "/dev", devno "\n"}, {BLOCK name "/size", "1000\n"}, {                                             \
                "run/udev/data/b" devno, "E:ID_FS_TYPE=" name "\n"                                                     \
        }
#define DISK(name, devno)                                                                                              \
        DEVICE(name, devno), {                                                                                         \
                BLOCK name "/queue/read_ahead_kb", "128\n"                                                             \
        }
#define PARTITION(disk, name, devno)                                                                                   \
        DEVICE(disk "/" name, devno), {                                                                                \
                BLOCK disk "/" name "/partition", "1\n"                                                                \
        }
#define MAP(name, devno, map)                                                                                          \
        DISK(name, devno), {                                                                                           \
                BLOCK name "/dm/name", map "\n"                                                                        \
        }

/*
 *   dm-2  loop0 (a file on dm-1)
 *   dm-0  dm-1
 *   md0   md1
 *   sda1 sdb1   sdc sdd     and sda2 for itself
 */
static const struct tree_file machine[] = {
                DISK("sda", "8:0"),
                PARTITION("sda", "sda1", "8:1"),
                PARTITION("sda", "sda2", "8:2"),
                DISK("sdb", "8:16"),
                PARTITION("sdb", "sdb1", "8:17"),
                DISK("sdc", "8:32"),
                DISK("sdd", "8:48"),
                DISK("md0", "9:0"),
                {BLOCK "md0/md/level", "raid0\n"},
                {BLOCK "md0/md/chunk_size", "65536\n"},
                {BLOCK "md0/md/dev-sda1/slot", "0\n"},
                {BLOCK "md0/md/dev-sdb1/slot", "1\n"},
                {BLOCK "md0/slaves/sda1", ""},
                {BLOCK "md0/slaves/sdb1", ""},
                DISK("md1", "9:1"),
                {BLOCK "md1/md/level", "raid1\n"},
                {BLOCK "md1/md/dev-sdc/slot", "0\n"},
                {BLOCK "md1/md/dev-sdd/slot", "1\n"},
                {BLOCK "md1/slaves/sdc", ""},
                {BLOCK "md1/slaves/sdd", ""},
                MAP("dm-0", "253:0", "zero"),
                {BLOCK "dm-0/slaves/md0", ""},
                MAP("dm-1", "253:1", "one"),
                {BLOCK "dm-1/slaves/md1", ""},
                MAP("dm-2", "253:2", "two"),
                {BLOCK "dm-2/slaves/dm-0", ""},
                DISK("loop0", "7:0"),
                {BLOCK "loop0/loop/backing_file", "/srv/image\n"},
                {"dmsetup/table", "zero: 0 8 linear 9:0 0\none: 0 8 linear 9:1 0\ntwo: 0 8 linear 253:0 0\n"},
                {"proc/self/mountinfo", "21 1 253:1 / /srv rw - ext4 /dev/mapper/one rw\n"},
                {"proc/swaps", "Filename Type Size Used Priority\n"},
                {"proc/meminfo", "MemTotal: 1024 kB\n"},
};

static const char *const names[] = {
                "sda", "sda1", "sda2", "sdb", "sdb1", "sdc", "sdd", "md0", "md1", "dm-0", "dm-1", "dm-2", "loop0"};

struct fixture {
        struct tree *tree;
        struct sysroot *root;
        struct inventory *inventory;
        struct topology *topology; /* the last one; at first of all */
};

/* Looks at all, and keeps that. */
static void look_at_all(struct fixture *f) {
        inventory_free(f->inventory);
        f->inventory = NULL;
        topology_free(f->topology);
        f->topology = NULL;
        assert_int_equal(discover(f->root, &f->topology), 0);
        assert_int_equal(inventory_new(f->topology, &f->inventory), 0);
}

static void fixture_done(struct fixture *f) {
        topology_free(f->topology);
        inventory_free(f->inventory);
        sysroot_free(f->root);
}

static int set_up(void **state) {
        struct fixture *f = calloc(1, sizeof(*f));

        assert_non_null(f);
        f->tree = tree_new();
        tree_write_all(f->tree, machine, ARRAY_SIZE(machine));
        tree_link(f->tree, BLOCK "sda1", "sda/sda1");
        tree_link(f->tree, BLOCK "sda2", "sda/sda2");
        tree_link(f->tree, BLOCK "sdb1", "sdb/sdb1");
        assert_int_equal(sysroot_open(tree_path(f->tree), &f->root), 0);
        look_at_all(f);
        assert_int_equal(f->topology->n_layers, ARRAY_SIZE(names));
        *state = f;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *f = *state;

        fixture_done(f);
        tree_free(f->tree);
        free(f);
        return 0;
}

/* TOUCHED has blanks between names. The topology before is freed: nothing may lead there. */
static void update(struct fixture *f, const char *touched) {
        _cleanup_(freep) char *copy = strdup(touched);
        char *list[16] = {NULL};
        char *rest;
        size_t n = 0;

        assert_non_null(copy);
        for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
                list[n++] = name;
        topology_free(f->topology);
        f->topology = NULL;
        assert_int_equal(discover_news(f->root, f->inventory, list, &f->topology), 0);
        assert_int_equal(inventory_update(f->inventory, f->topology), 0);
}

static struct layer *find(const struct fixture *f, const char *name) {
        struct layer *layer = topology_find(f->topology, name);

        if (!layer)
                fail_msg("no layer %s", name);
        return layer;
}

static const struct layer *find_kept(const struct fixture *f, const char *name) {
        const struct layer *layer = inventory_find(f->inventory, name);

        if (!layer)
                fail_msg("%s is not kept", name);
        return layer;
}

static void assert_gone(const struct fixture *f, const char *expected) {
        char actual[256] = "";

        for (size_t i = 0; i < f->topology->n_gone; i++) {
                snprintf(actual + strlen(actual), sizeof(actual) - strlen(actual), "%s%s", i > 0 ? " " : "",
                                f->topology->gone[i]);
                assert_null(topology_find(f->topology, f->topology->gone[i]));
                assert_null(inventory_find(f->inventory, f->topology->gone[i]));
        }
        assert_string_equal(actual, expected);
}

static void assert_turned(const struct fixture *f, const char *expected) {
        char actual[256] = "";

        for (char *const *name = inventory_turned(f->inventory); *name; name++)
                snprintf(actual + strlen(actual), sizeof(actual) - strlen(actual), "%s%s", actual[0] ? " " : "", *name);
        assert_string_equal(actual, expected);
}

static void assert_names(struct layer *const *layers, size_t n, const char *expected) {
        char actual[256] = "";

        for (size_t i = 0; i < n; i++)
                snprintf(actual + strlen(actual), sizeof(actual) - strlen(actual), "%s%s", i > 0 ? " " : "",
                                layers[i]->name);
        assert_string_equal(actual, expected);
}

/* After all devices have got another size on disk, EXPECTED are read, bottom up, and have it; no other has. */
static void assert_read(struct fixture *f, const char *touched, const char *expected) {
        static unsigned size = 2000;
        char text[16], path[64], actual[256] = "";

        snprintf(text, sizeof(text), "%u\n", ++size);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                snprintf(path, sizeof(path), BLOCK "%s/size", names[i]);
                tree_write(f->tree, path, text);
        }
        update(f, touched);
        for (size_t i = 0; i < f->topology->n_layers; i++) {
                const struct layer *layer = f->topology->layers[i];

                if (layer->carried) {
                        assert_int_not_equal(layer->size_sectors.value, size);
                        continue;
                }
                assert_true(layer->size_sectors.value == size || layer->size_sectors.value == 1000);
                snprintf(actual + strlen(actual), sizeof(actual) - strlen(actual), "%s%s", actual[0] ? " " : "",
                                layer->name);
        }
        assert_string_equal(actual, expected);
}

static void test_what_is_read(void **state) {
        struct fixture *f = *state;

        assert_read(f, "", "");
        assert_int_equal(f->topology->n_layers, 0);
        assert_read(f, "no-such-device", "");
        assert_gone(f, "no-such-device");
        assert_read(f, "dm-2", "dm-2");
        assert_gone(f, "");
        assert_names(find(f, "md0")->below, find(f, "md0")->n_below, "sda1 sdb1");
        assert_names(find(f, "md0")->above, find(f, "md0")->n_above, "dm-0");
        assert_int_equal(f->topology->n_layers, 7);
        assert_read(f, "dm-0", "dm-0 dm-2");
        assert_read(f, "md0", "md0 dm-0 dm-2");
        assert_read(f, "loop0 dm-2", "loop0 dm-2");
        assert_int_equal(f->topology->n_layers, 12);
        /* A loop device lies over what its file is on. */
        assert_read(f, "sdd", "sdd md1 dm-1 loop0");
        assert_read(f, "sdc sdd", "sdc sdd md1 dm-1 loop0");
        assert_names(find(f, "dm-1")->above, find(f, "dm-1")->n_above, "loop0");
        assert_int_equal(inventory_count(f->inventory), ARRAY_SIZE(names));
        assert_turned(f, "");
}

/* A disk and its partitions are one device, whichever is touched. */
static void test_partitions(void **state) {
        struct fixture *f = *state;

        assert_read(f, "sda", "sda sda1 sda2 md0 dm-0 dm-2");
        assert_read(f, "sda2", "sda sda1 sda2 md0 dm-0 dm-2");
        assert_read(f, "sdb1", "sdb sdb1 md0 dm-0 dm-2");
        assert_read(f, "dm-2", "dm-2");
        assert_ptr_equal(find(f, "sda1")->parent, find(f, "sda"));
        assert_true(find(f, "sda1")->carried);

        tree_write(f->tree, BLOCK "sda/queue/read_ahead_kb", "512\n");
        update(f, "dm-2 sdb");
        assert_opt(find(f, "sda")->readahead_sectors, 256);
        assert_opt(find(f, "sda1")->readahead_sectors, 256);
        update(f, "sda1");
        assert_opt(find(f, "sda")->readahead_sectors, 1024);
        assert_opt(find(f, "sda2")->readahead_sectors, 1024);
}

/* A new partition is its disk's, and a disk reads the same whichever name it begins with. */
static void test_new_partition(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        PARTITION("md0", "md0p1", "259:0"),
                        DISK("md00", "9:10"),
        };

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        tree_link(f->tree, BLOCK "md0p1", "md0/md0p1");
        assert_read(f, "md0p1 md00", "md00 md0 dm-0 md0p1 dm-2");
        assert_ptr_equal(find(f, "md0p1")->parent, find(f, "md0"));
        assert_opt(find(f, "md0p1")->readahead_sectors, 256);
        assert_false(find(f, "md0p1")->carried);
        assert_int_equal(find(f, "md00")->kind, KIND_DISK);

        tree_remove(f->tree, BLOCK "md0p1");
        tree_remove(f->tree, BLOCK "md0/md0p1/partition");
        assert_read(f, "md0p1", "md0 dm-0 dm-2");
        assert_gone(f, "md0p1");
}

static void test_values_carried(void **state) {
        struct fixture *f = *state;
        static const struct tree_file changed[] = {
                        {BLOCK "sdd/queue/read_ahead_kb", "64\n"},
                        {BLOCK "md0/md/chunk_size", "4096\n"},
                        {BLOCK "dm-0/dm/name", "nought\n"},
                        {BLOCK "loop0/loop/backing_file", "/srv/other\n"},
                        {"run/udev/data/b8:48", "E:ID_FS_TYPE=xfs\nE:ID_MODEL=new\n"},
                        {"dmsetup/table", "nought: 0 8 crypt x x 0 9:1 0\none: 0 8 linear 8:0 0\n"},
        };

        tree_write_all(f->tree, changed, ARRAY_SIZE(changed));
        update(f, "sda");
        assert_opt(find_kept(f, "sdd")->readahead_sectors, 256);
        assert_string_equal(find_kept(f, "sdd")->filesystem, "sdd");
        assert_string_equal(find_kept(f, "loop0")->backing_file, "/srv/image");
        /* md0 and dm-0 lie over sda1, dm-1 does not. */
        assert_opt(find(f, "md0")->md->chunk_bytes, 4096);
        assert_string_equal(find(f, "dm-0")->label, "nought");
        assert_int_equal(find(f, "dm-0")->kind, KIND_DM_CRYPT);
        assert_int_equal(find_kept(f, "dm-1")->dm->n_segments, 1);
        /* A leg that no slaves/ names. */
        assert_names(find(f, "dm-0")->below, find(f, "dm-0")->n_below, "md0 md1");
        assert_true(find(f, "md1")->carried && find(f, "sdd")->carried);

        update(f, "loop0");
        assert_string_equal(find(f, "loop0")->backing_file, "/srv/other");
        assert_names(find(f, "dm-1")->below, find(f, "dm-1")->n_below, "md1");
        assert_opt(find(f, "sdd")->readahead_sectors, 256);

        update(f, "sdd");
        assert_opt(find(f, "sdd")->readahead_sectors, 128);
        assert_string_equal(find(f, "sdd")->filesystem, "xfs");
        assert_string_equal(find(f, "sdd")->model, "new");
        assert_names(find(f, "dm-1")->below, find(f, "dm-1")->n_below, "md1 sda");
}

static void test_added(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        DISK("sde", "8:64"),
                        MAP("dm-3", "253:3", "three"),
                        {BLOCK "dm-3/slaves/sde", ""},
                        {BLOCK "sde/holders/dm-3", ""},
                        {"dmsetup/table", "zero: 0 8 linear 9:0 0\none: 0 8 linear 9:1 0\ntwo: 0 8 linear 253:0 "
                                          "0\nthree: 0 8 "
                                          "linear 8:64 0\n"},
        };

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        /* What it lies over is not known yet, as its event is still to come; and the other way about. */
        assert_read(f, "dm-3", "sde dm-3");
        assert_int_equal(inventory_count(f->inventory), ARRAY_SIZE(names) + 2);
        assert_turned(f, "");
        look_at_all(f);
        assert_read(f, "sde", "sde dm-3");
        assert_string_equal(find(f, "dm-3")->label, "three");
        assert_names(find(f, "sde")->above, find(f, "sde")->n_above, "dm-3");
        assert_string_equal(find(f, "sde")->filesystem, "sde");
}

/* md sends no event for an array that gets a member: the member's own leads there. */
static void test_new_holder(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        DISK("sde", "8:64"),
                        {BLOCK "md1/md/dev-sde/slot", "2\n"},
                        {BLOCK "md1/slaves/sde", ""},
                        {BLOCK "sde/holders/md1", ""},
                        {BLOCK "sda/sda2/holders/md1", ""},
        };

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        assert_read(f, "sde", "sde md1 dm-1 loop0");
        assert_names(find(f, "md1")->below, find(f, "md1")->n_below, "sdc sdd sde");
        assert_read(f, "sda2", "sda md1 sda1 sda2 dm-1 md0 dm-0 loop0 dm-2");
}

static void remove_disk(struct tree *tree, const char *name) {
        static const char *const files[] = {"dev", "size"};
        char path[64];

        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                snprintf(path, sizeof(path), BLOCK "%s/%s", name, files[i]);
                tree_remove(tree, path);
        }
}

/* A name that is gone is gone, and what lay over it is read anew. */
static void test_removed(void **state) {
        struct fixture *f = *state;

        remove_disk(f->tree, "sdd");
        tree_remove(f->tree, BLOCK "md1/slaves/sdd");
        update(f, "sdd");
        assert_gone(f, "sdd");
        assert_names(find(f, "md1")->below, find(f, "md1")->n_below, "sdc");
        assert_false(find(f, "md1")->carried);
        assert_non_null(find_kept(f, "md0"));
        assert_int_equal(inventory_count(f->inventory), ARRAY_SIZE(names) - 1);
        update(f, "sdd");
        assert_gone(f, "sdd");

        /* A partition whose disk still has it is there, whatever sys/class/block says. */
        tree_remove(f->tree, BLOCK "sda2");
        update(f, "sda2");
        assert_false(find(f, "sda")->carried);
        assert_ptr_equal(find(f, "sda2")->parent, find(f, "sda"));
}

/* What ceases to be beneath something, or begins to, and was not read itself. */
static void test_turned(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        MAP("dm-3", "253:3", "three"),
                        MAP("dm-4", "253:4", "four"),
                        {BLOCK "dm-3/slaves/dm-2", ""},
                        {BLOCK "dm-4/slaves/dm-2", ""},
        };

        assert_true(find_kept(f, "dm-2")->top);
        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        update(f, "dm-3");
        assert_turned(f, "dm-2");
        assert_false(find_kept(f, "dm-2")->top);
        update(f, "dm-4");
        assert_turned(f, "");
        update(f, "dm-2");
        assert_false(find(f, "dm-2")->top);
        assert_names(find(f, "dm-2")->above, find(f, "dm-2")->n_above, "dm-3 dm-4");

        remove_disk(f->tree, "dm-3");
        update(f, "dm-3");
        assert_turned(f, "");
        remove_disk(f->tree, "dm-4");
        update(f, "dm-4");
        assert_turned(f, "dm-2");
        update(f, "dm-2");
        assert_turned(f, "");
        assert_true(find(f, "dm-2")->top);

        /* One that goes with what lies over it. */
        remove_disk(f->tree, "dm-2");
        remove_disk(f->tree, "dm-0");
        update(f, "dm-0 dm-2");
        assert_gone(f, "dm-0 dm-2");
        assert_turned(f, "md0");
}

#define NAMES_BYTES 128

static void append_name(const char *sysname, void *userdata) {
        append(userdata, NAMES_BYTES, sysname);
        append(userdata, NAMES_BYTES, " ");
}

static void test_walk_below(void **state) {
        struct fixture *f = *state;
        char all[NAMES_BYTES] = "";

        inventory_walk_below(f->inventory, "dm-2", append_name, all);
        assert_string_equal(all, "dm-0 md0 sda1 sda sdb1 sdb ");
        all[0] = '\0';
        inventory_walk_below(f->inventory, "sda", append_name, all);
        inventory_walk_below(f->inventory, "none", append_name, all);
        assert_string_equal(all, "");
}

static void test_replaced(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, BLOCK "dm-2/dev", "253:9\n");
        tree_write(f->tree, BLOCK "dm-2/dm/name", "another\n");
        tree_write(f->tree, BLOCK "dm-2/diskseq", "7\n");
        tree_remove(f->tree, BLOCK "dm-2/slaves/dm-0");
        tree_write(f->tree, "dmsetup/table", "another: 0 8 linear 8:48 0\n");
        update(f, "dm-2");
        assert_int_equal(find(f, "dm-2")->minor, 9);
        assert_opt(find(f, "dm-2")->diskseq, 7);
        assert_string_equal(find(f, "dm-2")->label, "another");
        assert_names(find(f, "dm-2")->below, find(f, "dm-2")->n_below, "sdd");
        assert_turned(f, "dm-0");
        update(f, "dm-0");
        assert_int_equal(find(f, "dm-0")->n_above, 0);
        assert_true(find(f, "dm-0")->top);
        /* Its old number is nobody's, its new one finds it. */
        tree_write(f->tree, "proc/self/mountinfo", "21 1 253:9 / /srv rw - ext4 /dev/mapper/another rw\n");
        inventory_forget_mounts(f->inventory);
        update(f, "");
        assert_int_equal(find(f, "dm-2")->n_uses, 1);
}

/* Edges of a cycle are left out of a topology, so that one can't be carried over. */
static void test_cycle(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "dmsetup/table",
                        "zero: 0 8 linear 253:2 0\none: 0 8 linear 9:1 0\ntwo: 0 8 linear 253:0 0\n");
        update(f, "dm-0");
        assert_true(find(f, "dm-0")->in_cycle);
        assert_true(find(f, "dm-2")->in_cycle);
        assert_read(f, "", "dm-2 dm-0");
        assert_true(find(f, "dm-0")->in_cycle);
        tree_write(f->tree, "dmsetup/table",
                        "zero: 0 8 linear 9:0 0\none: 0 8 linear 9:1 0\ntwo: 0 8 linear 253:0 0\n");
        assert_read(f, "", "dm-0 dm-2");
        assert_false(find(f, "dm-0")->in_cycle);
        assert_read(f, "", "");
}

/* A link alone says which device a bcache is over, where slaves/ has only its caches. */
static void test_backing_device(void **state) {
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        {BLOCK "sda/bcache/state", "clean\n"},
                        DISK("sdb", "8:16"),
                        DISK("bcache0", "250:0"),
                        {BLOCK "bcache0/slaves/sdb", ""},
        };
        char name[] = "bcache0", *touched[] = {name, NULL};
        _cleanup_(inventory_freep) struct inventory *inventory = NULL;
        _cleanup_(topology_freep) struct topology *all = NULL, *news = NULL;
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        tree_write_all(tree, files, ARRAY_SIZE(files));
        tree_link(tree, BLOCK "bcache0/bcache", "../sda/bcache");
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &all), 0);
        assert_int_equal(topology_find(all, name)->n_below, 2);
        assert_int_equal(inventory_new(all, &inventory), 0);
        assert_int_equal(discover_news(root, inventory, touched, &news), 0);
        assert_int_equal(topology_find(news, name)->n_below, 2);
        assert_string_equal(topology_find(news, name)->backing->name, "sda");
}

/* Members of md and paths in /dev have '/' in names where sysfs has '!'. */
static void test_names_with_slash(void **state) {
        static const struct tree_file files[] = {
                        DISK("cciss!c0d0", "104:0"),
                        DISK("cciss!c0d1", "104:16"),
                        DISK("md0", "9:0"),
                        {BLOCK "md0/md/level", "raid0\n"},
                        {BLOCK "md0/md/dev-cciss!c0d0/slot", "0\n"},
                        {BLOCK "md0/md/dev-cciss!c0d1/slot", "1\n"},
                        DISK("loop0", "7:0"),
                        {BLOCK "loop0/loop/backing_file", "/dev/cciss/c0d0\n"},
                        {"proc/self/mountinfo", "21 1 0:40 / /srv rw - btrfs /dev/cciss/c0d1 rw\n"},
        };
        char array[] = "md0", loop[] = "loop0", *touched[] = {array, loop, NULL}, *nothing[] = {NULL};
        _cleanup_(inventory_freep) struct inventory *inventory = NULL;
        _cleanup_(topology_freep) struct topology *all = NULL, *news = NULL, *unmounted = NULL;
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(tree_freep) struct tree *tree = tree_new();

        tree_write_all(tree, files, ARRAY_SIZE(files));
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &all), 0);
        assert_int_equal(inventory_new(all, &inventory), 0);
        assert_int_equal(discover_news(root, inventory, touched, &news), 0);
        assert_int_equal(news->n_gone, 0);
        assert_int_equal(topology_find(news, array)->n_below, 2);
        assert_int_equal(topology_find(news, loop)->n_below, 1);
        /* Also a member whose own event is still to come. */
        tree_write(tree, BLOCK "cciss!c0d2/dev", "104:32\n");
        tree_write(tree, BLOCK "cciss!c0d2/size", "1000\n");
        tree_write(tree, BLOCK "md0/md/dev-cciss!c0d2/slot", "2\n");
        topology_freep(&news);
        assert_int_equal(discover_news(root, inventory, touched, &news), 0);
        assert_int_equal(news->n_gone, 0);
        assert_int_equal(topology_find(news, array)->n_below, 3);
        /* The disk that something is no longer mounted from is read. */
        tree_write(tree, "proc/self/mountinfo", "");
        inventory_forget_mounts(inventory);
        assert_int_equal(discover_news(root, inventory, nothing, &unmounted), 0);
        assert_non_null(topology_find(unmounted, "cciss/c0d1"));
        assert_int_equal(topology_find(unmounted, "cciss/c0d1")->n_uses, 0);
}

/* What could not be read is not known, so it is tried again. */
static void test_unknown_table(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "dmsetup/table", "one: 0 8 linear 9:1 0\n");
        update(f, "dm-0");
        assert_true(discovery_has_note(f->topology, "lack dm-0 and others"));
        tree_write(f->tree, "dmsetup/table", machine[ARRAY_SIZE(machine) - 4].text);
        assert_read(f, "sdc", "sdc md1 dm-1 dm-0 loop0 dm-2");
        assert_false(discovery_has_note(f->topology, "lack"));
        assert_int_equal(find(f, "dm-0")->kind, KIND_DM_LINEAR);
}

static size_t count_notes(const struct topology *topology) {
        size_t n = 0;

        for (const struct topology_note *note = topology->notes; note; note = note->next)
                n++;
        return n;
}

static void test_notes(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "dmsetup/table", "zero: 0 8 linear 9:0 0\none: 0 8 linear 9:1\ntwo: 0 8 linear 253:0 0\n");
        tree_remove(f->tree, "proc/swaps");
        update(f, "md1");
        assert_true(discovery_has_note(f->topology, "table of dm-1"));
        assert_int_equal(count_notes(f->topology), 2);
        /* Not of what was not read. */
        update(f, "sda");
        assert_false(discovery_has_note(f->topology, "table of dm-1"));
        assert_true(discovery_has_note(f->topology, "proc/swaps"));
        assert_int_equal(count_notes(f->topology), 1);

        tree_write(f->tree, "dmsetup/table", "one: 0 8 linear 9:1 0\n");
        update(f, "sda2 dm-1");
        assert_false(discovery_has_note(f->topology, "table of dm-1"));
}

/* udev's database may be missing, which is noted once, and every time. */
static void test_note_without_udev(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct fixture f = {.tree = tree};
        static const struct tree_file files[] = {
                        {BLOCK "sda/dev", "8:0\n"}, {BLOCK "sda/size", "8\n"}, {"dev/sda", "ID_FS_TYPE=xfs\n"}};

        tree_write_all(tree, files, 2);
        assert_int_equal(sysroot_open(tree_path(tree), &f.root), 0);
        look_at_all(&f);
        update(&f, "sda");
        assert_true(discovery_has_note(f.topology, "run/udev/data"));
        tree_write_all(tree, files, ARRAY_SIZE(files));
        update(&f, "sda");
        assert_false(discovery_has_note(f.topology, "run/udev/data"));
        assert_string_equal(find(&f, "sda")->filesystem, "xfs");
        fixture_done(&f);
}

/* Mounts are looked at when somebody says so, and devices whose mounts have changed are read. */
static void test_mounts(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "proc/self/mountinfo", "21 1 253:2 / /srv rw - xfs /dev/mapper/two rw\n");
        assert_read(f, "", "");
        inventory_forget_mounts(f->inventory);
        assert_read(f, "", "dm-1 dm-2 loop0");
        assert_names(find(f, "loop0")->below, find(f, "loop0")->n_below, "dm-2");
        assert_int_equal(find(f, "loop0")->depth, 5);
        assert_int_equal(find(f, "dm-1")->n_above, 0);
        assert_int_equal(find(f, "dm-1")->n_uses, 0);
        assert_string_equal(find(f, "dm-2")->uses[0].fs, "xfs");
        assert_read(f, "", "");
        inventory_forget_mounts(f->inventory);
        assert_read(f, "", "");

        /* Without a number, by its source; the same place is another's. */
        tree_write(f->tree, "proc/self/mountinfo",
                        "21 1 253:2 / /srv rw - xfs /dev/mapper/two rw\n22 1 0:40 / /data rw - btrfs /dev/sda2 rw\n");
        inventory_forget_mounts(f->inventory);
        assert_read(f, "", "sda sda1 sda2 md0 dm-0 dm-2 loop0");
        assert_string_equal(find(f, "sda2")->uses[0].path, "/data");
        tree_write(f->tree, "proc/self/mountinfo", "21 1 8:48 / /srv rw - xfs /dev/sdd rw\n");
        inventory_forget_mounts(f->inventory);
        assert_read(f, "", "sda sdd loop0 md1 sda1 sda2 dm-1 md0 dm-0 dm-2");
        assert_int_equal(find(f, "loop0")->depth, 1);
        assert_int_equal(find(f, "sda2")->n_uses, 0);
}

/* A loop device whose file lies on a disk that is not known yet, as its event is still to come. */
static void test_loop_before_disk(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        DISK("sde", "8:64"),
                        DISK("loop1", "7:1"),
                        {BLOCK "loop1/loop/backing_file", "/data/image\n"},
                        {"proc/self/mountinfo", "21 1 8:64 / /data rw - ext4 /dev/sde rw\n"},
        };

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        tree_link(f->tree, "sys/dev/block/8:64", "../../class/block/sde");
        inventory_forget_mounts(f->inventory);
        update(f, "loop1");
        assert_names(find(f, "loop1")->below, find(f, "loop1")->n_below, "sde");
        assert_non_null(find_kept(f, "sde"));
}

/* What is the machine's, but for its memory, is read every time. */
static void test_host(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition\t8\t0\t-2\n");
        tree_write(f->tree, "proc/meminfo", "MemTotal: 2048 kB\n");
        tree_write(f->tree, "run/setrad/ledger.json",
                        "{\"version\":1,\"entries\":[{\"name\":\"sdc\",\"major\":8,\"minor\":32,\"diskseq\":null,"
                        "\"dm_uuid\":\"\",\"original_sectors\":256,\"change\":{\"pending\":false,\"label\":\"sdc\","
                        "\"rule\":\"r\",\"new_sectors\":512,\"time_usec\":1,\"before_mbps\":null,"
                        "\"after_mbps\":null,\"gain\":null},\"previous\":null}]}\n");
        update(f, "sda2 loop0");
        assert_opt(f->topology->memory_bytes, 1024 * 1024);
        assert_int_equal(find(f, "sda2")->uses[0].type, USE_SWAP);
        /* Of what is carried over, too: its decision counts for what lies over it. */
        assert_true(find(f, "sdc")->carried);
        assert_int_equal(find(f, "sdc")->set->sectors, 512);
        assert_null(find_kept(f, "sdc")->set);
        update(f, "sdc");
        assert_int_equal(find_kept(f, "sdc")->set->sectors, 512);
        assert_string_equal(find_kept(f, "sdc")->set->rule, "r");

        tree_remove(f->tree, "run/setrad/ledger.json");
        update(f, "sdc");
        assert_null(find(f, "sdc")->set);
        look_at_all(f);
        update(f, "sdc");
        assert_opt(f->topology->memory_bytes, 2048 * 1024);
}

/* All that is text, and all that is an array, is the copy's own. */
static void test_copies(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {
                        {"run/udev/data/b8:32", "E:ID_SERIAL=ls\nE:ID_SERIAL_SHORT=s\nE:ID_MODEL=m\nE:ID_BUS=b\nE:ID_"
                                                "FS_TYPE=f\n"},
                        {BLOCK "md1/md/metadata_version", "1.2\n"},
                        {BLOCK "md1/md/array_state", "clean\n"},
                        {BLOCK "md1/md/sync_action", "idle\n"},
                        {BLOCK "dm-1/dm/name", "vg-lv-real\n"},
                        {BLOCK "dm-1/dm/uuid", LVM_UUID "-real\n"},
                        {"dmsetup/table", "zero: 0 8 linear 9:0 0\nvg-lv-real: 0 8 linear 9:1 0\ntwo: 0 8 linear 253:0 "
                                          "0\n"},
        };

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        update(f, "sdc");
        update(f, "loop0");
        const struct layer *sdc = find(f, "sdc");
        assert_true(sdc->carried);
        assert_string_equal(sdc->serial, "s");
        assert_string_equal(sdc->serial_long, "ls");
        assert_string_equal(sdc->model, "m");
        assert_string_equal(sdc->transport, "b");
        assert_string_equal(sdc->filesystem, "f");
        assert_string_equal(find(f, "loop0")->backing_file, "/srv/image");

        const struct md_info *md = find(f, "md1")->md;
        assert_string_equal(md->level, "raid1");
        assert_string_equal(md->metadata, "1.2");
        assert_string_equal(md->array_state, "clean");
        assert_string_equal(md->sync_action, "idle");
        assert_int_equal(md->n_members, 2);
        assert_string_equal(md->members[1].name, "sdd");
        assert_ptr_equal(md->members[1].layer, find(f, "sdd"));
        assert_string_equal(find(f, "md1")->slaves[1], "sdd");
        assert_null(find(f, "md1")->slaves[2]);

        const struct dm_info *dm = find(f, "dm-1")->dm;
        assert_string_equal(dm->name, "vg-lv-real");
        assert_string_equal(dm->uuid, LVM_UUID "-real");
        assert_string_equal(dm->vg, "vg");
        assert_string_equal(dm->lv, "lv");
        assert_string_equal(dm->lvm_suffix, "real");
        assert_int_equal(dm->n_segments, 1);
        assert_string_equal(dm->segments[0].target, "linear");
        assert_ptr_equal(dm->segments[0].legs[0].layer, find(f, "md1"));
}

/* Where there is only sys/block, partitions are found through their disks. */
static void test_without_class(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct fixture f = {.tree = tree};
        static const struct tree_file files[] = {
                        {"sys/block/sda/dev", "8:0\n"},
                        {"sys/block/sda/size", "8\n"},
                        {"sys/block/sda/sda1/dev", "8:1\n"},
                        {"sys/block/sda/sda1/size", "4\n"},
                        {"sys/block/sda/sda1/partition", "1\n"},
                        {"sys/block/sdb/dev", "8:16\n"},
                        {"sys/block/sdb/size", "8\n"},
        };

        tree_write_all(tree, files, ARRAY_SIZE(files));
        assert_int_equal(sysroot_open(tree_path(tree), &f.root), 0);
        look_at_all(&f);
        update(&f, "sda1");
        assert_int_equal(f.topology->n_layers, 2);
        assert_ptr_equal(find(&f, "sda1")->parent, find(&f, "sda"));
        fixture_done(&f);
}

/* A disk beneath one that is touched may have been woken up: its sleep is the one thing that is read anew. */
static void test_asleep(void **state) {
        struct fixture *f = *state;
        const char *path = BLOCK "sda/device/power/runtime_status";

        tree_write(f->tree, path, "suspended\n");
        update(f, "sda");
        assert_true(find(f, "sda")->asleep);
        tree_write(f->tree, path, "active\n");
        update(f, "dm-0");
        assert_true(find(f, "sda")->carried && !find(f, "sda")->asleep);
}

/* Whether TEXT has a line about what is in the directory or database entry of a device, but for its sleep. */
static bool has_lookup(const char *text, const char *name, unsigned major, unsigned minor) {
        static const char power[] = "/device/power/runtime_status\n";
        char directory[64], database[64];

        snprintf(directory, sizeof(directory), BLOCK "%s", name);
        snprintf(database, sizeof(database), "run/udev/data/b%u:%u\n", major, minor);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
                if (strncmp(line, directory, strlen(directory)) == 0 && strchr("/\n", line[strlen(directory)]) &&
                                strncmp(line + strlen(directory), power, strlen(power)) != 0)
                        return true;
                if (strncmp(line, database, strlen(database)) == 0)
                        return true;
        }
        return false;
}

static void test_lookups(void **state) {
        struct fixture *f = *state;
        static const struct tree_file files[] = {DISK("dm-10", "253:10"), DISK("md00", "9:10")};

        tree_write_all(f->tree, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                _cleanup_(freep) char *text = NULL;

                lookups_start();
                update(f, names[i]);
                text = lookups_stop();
                for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
                        const struct layer *kept = find_kept(f, names[j]),
                                           *layer = topology_find(f->topology, names[j]);
                        bool read = layer && !layer->carried;

                        if (has_lookup(text, kept->sysname, kept->major, kept->minor) != read)
                                fail_msg("%s touched: %s", names[i], names[j]);
                }
        }
}

/* Disks, each with a map, 1000 layers in all: one event costs the same as on a machine with two. */
static void write_maps(struct tree *tree, unsigned first, unsigned n) {
        char path[128], text[64];
        FILE *table;

        snprintf(path, sizeof(path), "%s/dmsetup/table", tree_path(tree));
        tree_directory(tree, "dmsetup");
        table = fopen(path, "ae");
        assert_non_null(table);
        for (unsigned i = first; i < first + n; i++) {
                static const char *const devices[] = {"nbd", "dm-"};

                for (unsigned j = 0; j < 2; j++) {
                        char name[32];

                        snprintf(name, sizeof(name), "%s%u", devices[j], i);
                        snprintf(path, sizeof(path), BLOCK "%s/dev", name);
                        snprintf(text, sizeof(text), "%u:%u\n", j == 0 ? 43U : 253U, i);
                        tree_write(tree, path, text);
                        snprintf(path, sizeof(path), BLOCK "%s/size", name);
                        tree_write(tree, path, "8\n");
                }
                snprintf(path, sizeof(path), BLOCK "dm-%u/dm/name", i);
                snprintf(text, sizeof(text), "map%u\n", i);
                tree_write(tree, path, text);
                snprintf(path, sizeof(path), BLOCK "dm-%u/slaves/nbd%u", i, i);
                tree_write(tree, path, "");
                fprintf(table, "map%u: 0 8 linear 43:%u 0\n", i, i);
        }
        assert_int_equal(fclose(table), 0);
}

static size_t count_lookups(struct fixture *f, const char *touched) {
        _cleanup_(freep) char *text = NULL;

        lookups_start();
        update(f, touched);
        text = lookups_stop();
        return lookups.n;
}

static void test_number_of_lookups(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct fixture f = {.tree = tree};
        _cleanup_(freep) char *text = NULL;
        size_t few, many;

        write_maps(tree, 0, 1);
        assert_int_equal(sysroot_open(tree_path(tree), &f.root), 0);
        look_at_all(&f);
        few = count_lookups(&f, "nbd0");
        write_maps(tree, 1, 499);
        lookups_start();
        look_at_all(&f);
        text = lookups_stop();
        print_message("1000 layers: %zu files and directories looked up for all, ", lookups.n);
        assert_int_equal(f.topology->n_layers, 1000);

        many = count_lookups(&f, "nbd0");
        print_message("%zu for a disk and the map over it, %zu for a map, %zu for none\n", many,
                        count_lookups(&f, "dm-7"), count_lookups(&f, ""));
        assert_int_equal(few, many);
        fixture_done(&f);
}

/* The same of this machine, where udev and device-mapper are asked. Devices may come and go meanwhile. */
static void test_live(void **state) {
        struct fixture f = {0};
        char name[64] = "";

        assert_int_equal(sysroot_open(NULL, &f.root), 0);
        if (!sysroot_is_directory(f.root, "sys/class/block")) {
                sysroot_free(f.root);
                skip();
        }
        look_at_all(&f);
        for (size_t i = 0; i < f.topology->n_layers && !*name; i++)
                if (strlen(f.topology->layers[i]->sysname) < sizeof(name))
                        append(name, sizeof(name), f.topology->layers[i]->sysname);
        update(&f, name);
        assert_true(!*name || topology_find(f.topology, name) || f.topology->n_gone == 1);
        fixture_done(&f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                        TEST(test_what_is_read),
                        TEST(test_partitions),
                        TEST(test_new_partition),
                        TEST(test_values_carried),
                        TEST(test_added),
                        TEST(test_new_holder),
                        TEST(test_removed),
                        TEST(test_replaced),
                        TEST(test_cycle),
                        cmocka_unit_test(test_backing_device),
                        cmocka_unit_test(test_names_with_slash),
                        TEST(test_unknown_table),
                        TEST(test_notes),
                        cmocka_unit_test(test_note_without_udev),
                        TEST(test_turned),
                        TEST(test_walk_below),
                        TEST(test_mounts),
                        TEST(test_loop_before_disk),
                        TEST(test_host),
                        TEST(test_copies),
                        cmocka_unit_test(test_without_class),
                        TEST(test_asleep),
                        TEST(test_lookups),
                        cmocka_unit_test(test_number_of_lookups),
                        cmocka_unit_test(test_live),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
