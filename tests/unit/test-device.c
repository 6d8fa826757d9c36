/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "common/device.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

static void test_identity_from_layer(void **state) {
        struct dm_info dm = {.name = "vg-lv", .uuid = "LVM-x"};
        struct layer layer = {
                        .name = "dm-3", .has_devno = true, .major = 253, .minor = 3, .diskseq = {12, true}, .dm = &dm};
        struct device_identity identity = {};

        assert_int_equal(device_identity_from_layer(&layer, &identity), 0);
        assert_string_equal(identity.name, "dm-3");
        assert_int_equal(identity.major, 253);
        assert_int_equal(identity.minor, 3);
        assert_int_equal(identity.diskseq, 12);
        assert_string_equal(identity.dm_uuid, "LVM-x");

        assert_string_equal(identity.dm_name, "");

        dm.uuid = "";
        assert_int_equal(device_identity_from_layer(&layer, &identity), 0);
        assert_string_equal(identity.dm_uuid, "");
        assert_string_equal(identity.dm_name, "vg-lv");

        layer.dm = NULL;
        layer.diskseq = (struct opt_int){.value = 99};
        assert_int_equal(device_identity_from_layer(&layer, &identity), 0);
        assert_string_equal(identity.dm_uuid, "");
        assert_string_equal(identity.dm_name, "");
        assert_int_equal(identity.diskseq, 0);
}

static void test_identity_refused(void **state) {
        char name[2 * DEVICE_NAME_MAX], uuid[DEVICE_UUID_MAX + 1];
        struct dm_info dm = {.uuid = uuid};
        struct layer layer = {.name = name, .has_devno = true, .dm = &dm};
        struct device_identity identity = {.major = 42};

        memset(name, 'x', sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        memset(uuid, 'x', sizeof(uuid) - 1);
        uuid[sizeof(uuid) - 1] = '\0';
        assert_int_equal(device_identity_from_layer(&layer, &identity), -ENAMETOOLONG);
        name[DEVICE_NAME_MAX - 1] = '\0';
        assert_int_equal(device_identity_from_layer(&layer, &identity), -ENAMETOOLONG);
        uuid[DEVICE_UUID_MAX - 1] = '\0';
        layer.has_devno = false;
        assert_int_equal(device_identity_from_layer(&layer, &identity), -EINVAL);
        assert_int_equal(identity.major, 42);
        layer.has_devno = true;
        assert_int_equal(device_identity_from_layer(&layer, &identity), 0);
        assert_string_equal(identity.dm_uuid, uuid);
}

static void test_equal(void **state) {
        static const struct {
                struct device_identity a, b;
                bool equal;
        } cases[] = {
                        {{.major = 9, .minor = 0}, {.major = 9, .minor = 0}, true},
                        {{.major = 9, .minor = 0, .name = "md0"}, {.major = 9, .minor = 0, .name = "md127"}, true},
                        {{.major = 9, .minor = 0, .diskseq = 5}, {.major = 9, .minor = 0}, true},
                        {{.major = 9, .minor = 0, .diskseq = 5}, {.major = 9, .minor = 0, .diskseq = 6}, false},
                        {{.major = 9, .minor = 0}, {.major = 9, .minor = 1}, false},
                        {{.major = 9, .minor = 0}, {.major = 8, .minor = 0}, false},
                        {{.major = 9, .minor = 0, .dm_uuid = "a"}, {.major = 9, .minor = 0}, false},
                        {{.dm_uuid = "a"}, {.dm_uuid = "a"}, true},
                        {{.diskseq = 5}, {.diskseq = 5}, true},
                        {{.dm_name = "a"}, {.dm_name = "a"}, true},
                        {{.dm_name = "a"}, {.dm_name = "b"}, false},
                        {{.dm_name = "a"}, {.dm_name = ""}, true}, /* on record before names were */
                        {{.dm_name = "a", .diskseq = 5}, {.dm_name = "b", .diskseq = 5}, true}, /* renamed */
                        {{.dm_name = "a", .diskseq = 5}, {.dm_name = "b"}, false},
                        {{.dm_name = "a", .diskseq = 5}, {.dm_name = "a", .diskseq = 6}, false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                assert_int_equal(device_identity_equal(&cases[i].a, &cases[i].b), cases[i].equal);
                assert_int_equal(device_identity_equal(&cases[i].b, &cases[i].a), cases[i].equal);
        }
}

static void test_certain(void **state) {
        static const struct {
                struct device_identity a, b;
                bool certain;
        } cases[] = {
                        {{.major = 9}, {.major = 9}, false},
                        {{.dm_uuid = "a"}, {.dm_uuid = "a"}, true},
                        {{.diskseq = 5}, {.diskseq = 5}, true},
                        {{.diskseq = 5}, {.diskseq = 0}, false},
                        {{.dm_name = "a"}, {.dm_name = "a"}, true},
                        {{.dm_name = "a"}, {.dm_name = ""}, false},
                        {{.dm_name = "a", .diskseq = 5}, {.dm_name = "b", .diskseq = 5}, true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                assert_int_equal(device_identity_is_certain(&cases[i].a, &cases[i].b), cases[i].certain);
                assert_int_equal(device_identity_is_certain(&cases[i].b, &cases[i].a), cases[i].certain);
        }
}

static void test_open_what_is_no_device(void **state) {
        static const char *const names[] = {"no-such-device", "no/such/device", "", ".", "..", "../etc/passwd",
                        "block/../../etc/passwd", "a//b", "/etc/passwd", "null/x"};

        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                struct device_identity identity = {.major = 4095, .minor = 1048575};

                snprintf(identity.name, sizeof(identity.name), "%s", names[i]);
                assert_int_equal(device_open(&identity), -ENODEV);
        }
}

/* What has the name but is something else. */
static void test_open_what_is_no_block_device(void **state) {
        struct device_identity identity = {.name = "null", .major = 1, .minor = 3};

        assert_int_equal(device_open(&identity), -ESTALE);
        /* A directory. */
        snprintf(identity.name, sizeof(identity.name), "shm");
        assert_int_equal(device_open(&identity), -ESTALE);
}

/* The first block device of this machine that may be read, if there is one. */
static bool find_device(struct device_identity *ret) {
        DIR *dir = opendir("/sys/class/block");
        bool found = false;

        for (struct dirent *d; dir && !found && (d = readdir(dir));) {
                char path[300];
                struct stat st;

                snprintf(path, sizeof(path), "/dev/%s", d->d_name);
                found = stat(path, &st) == 0 && S_ISBLK(st.st_mode) && access(path, R_OK) == 0;
                if (found)
                        *ret = (struct device_identity){.major = major(st.st_rdev), .minor = minor(st.st_rdev)};
                if (found)
                        snprintf(ret->name, sizeof(ret->name), "%.200s", d->d_name);
        }
        if (dir)
                closedir(dir);
        return found;
}

static void test_open_a_device(void **state) {
        struct device_identity identity, other;
        _cleanup_(closep) int fd = -1;
        uint64_t sectors;
        int r;

        if (!find_device(&identity))
                skip();
        r = device_open(&identity);
        if (r == -ESTALE || r == -ENOMEDIUM) /* a map with a uuid, or a drive without a disk */
                skip();
        assert_true(r >= 0);
        fd = r;
        assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        assert_int_equal(device_get_readahead(fd, &sectors), 0);
        assert_int_equal(sectors % 8, 0);

        other = identity;
        other.minor++;
        assert_int_equal(device_open(&other), -ESTALE);
        other = identity;
        other.diskseq = UINT64_MAX;
        if (ioctl(fd, BLKGETDISKSEQ, &sectors) == 0)
                assert_int_equal(device_open(&other), -ESTALE);
        other = identity;
        snprintf(other.dm_uuid, sizeof(other.dm_uuid), "LVM-x");
        assert_int_equal(device_open(&other), -ESTALE);

        /* The name tells where no disk sequence does. */
        other = identity;
        snprintf(other.dm_name, sizeof(other.dm_name), "another\\map");
        assert_int_equal(device_open(&other), -ESTALE);
        if (ioctl(fd, BLKGETDISKSEQ, &other.diskseq) == 0) {
                _cleanup_(closep) int renamed = device_open(&other);

                assert_true(renamed >= 0);
        }
}

static void test_ioctls_on_no_device(void **state) {
        _cleanup_(closep) int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        uint64_t value = 42;

        assert_true(fd >= 0);
        assert_int_equal(device_get_readahead(fd, &value), -ENOTTY);
        assert_int_equal(device_set_readahead(fd, 256), -ENOTTY);
        assert_int_equal(device_set_readahead(fd, UINT64_MAX), -ERANGE);
        /* In bytes it would be 0 to the kernel, which is off. */
        assert_int_equal(device_set_readahead(fd, UINT64_MAX / 512 + 1), -ERANGE);
        assert_int_equal(device_get_size(fd, &value), -ENOTTY);
        assert_int_equal(value, 42);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_identity_from_layer),
                        cmocka_unit_test(test_identity_refused),
                        cmocka_unit_test(test_equal),
                        cmocka_unit_test(test_certain),
                        cmocka_unit_test(test_open_what_is_no_device),
                        cmocka_unit_test(test_open_what_is_no_block_device),
                        cmocka_unit_test(test_open_a_device),
                        cmocka_unit_test(test_ioctls_on_no_device),
        };

        return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
