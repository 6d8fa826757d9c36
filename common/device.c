/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "common/device.h"
#include "common/dmtable.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

static int copy_text(char *to, size_t size, const char *from) {
        size_t length = strnlen(from, size);

        if (length >= size)
                return -ENAMETOOLONG;
        memcpy(to, from, length + 1);
        return 0;
}

int device_identity_from_layer(const struct layer *layer, struct device_identity *ret) {
        struct device_identity identity = {};
        int r;

        if (!layer->has_devno)
                return -EINVAL;
        r = copy_text(identity.name, sizeof(identity.name), layer->name);
        if (r < 0)
                return r;
        if (layer->dm) {
                bool has_uuid = layer->dm->uuid && *layer->dm->uuid;

                r = has_uuid ? copy_text(identity.dm_uuid, sizeof(identity.dm_uuid), layer->dm->uuid)
                             : copy_text(identity.dm_name, sizeof(identity.dm_name), layer->dm->name ?: "");
                if (r < 0)
                        return r;
        }
        identity.major = layer->major;
        identity.minor = layer->minor;
        identity.diskseq = layer->diskseq.known && layer->diskseq.value > 0 ? (uint64_t)layer->diskseq.value : 0;
        *ret = identity;
        return 0;
}

static bool both_have_diskseq(const struct device_identity *a, const struct device_identity *b) {
        return a->diskseq != 0 && b->diskseq != 0;
}

static bool both_have_map(const struct device_identity *a, const struct device_identity *b) {
        return *a->dm_name && *b->dm_name;
}

bool device_identity_equal(const struct device_identity *a, const struct device_identity *b) {
        if (a->major != b->major || a->minor != b->minor || strcmp(a->dm_uuid, b->dm_uuid) != 0)
                return false;
        if (both_have_diskseq(a, b))
                return a->diskseq == b->diskseq;
        return !both_have_map(a, b) || strcmp(a->dm_name, b->dm_name) == 0;
}

/* Most devices of a machine that has many differ in the minor number alone, and that counts up. */
size_t device_number_hash(const struct device_identity *device) {
        return (size_t)device->major * 31 + device->minor;
}

bool device_identity_is_certain(const struct device_identity *a, const struct device_identity *b) {
        return *a->dm_uuid || both_have_diskseq(a, b) || both_have_map(a, b);
}

/* A kernel name may have directories in it (cciss/c0d0), but none that lead out of /dev. */
static bool name_is_safe(const char *name) {
        for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/') {
                size_t length = strcspn(p, "/");

                if (length == 0 || (length <= 2 && strspn(p, ".") >= length))
                        return false;
        }
        return *name != '\0';
}

static int open_node(const char *path) {
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

        return fd < 0 ? -errno : fd;
}

/* udev may have given the node another name, or not made it yet under its own: the number finds it all the same. */
static int open_by_name_or_number(const struct device_identity *identity) {
        char path[sizeof("/dev/") + DEVICE_NAME_MAX];
        int fd = -ENOENT;

        if (name_is_safe(identity->name)) {
                snprintf(path, sizeof(path), "/dev/%s", identity->name);
                fd = open_node(path);
        }
        if (fd == -ENOENT || fd == -ENOTDIR) {
                snprintf(path, sizeof(path), "/dev/block/%u:%u", identity->major, identity->minor);
                fd = open_node(path);
        }
        return fd == -ENOENT || fd == -ENOTDIR || fd == -ENXIO ? -ENODEV : fd;
}

/* "" where there is none: not a map, or a map without uuid. */
static int read_dm(const struct device_identity *identity, const char *attribute, char *buffer, size_t size) {
        char path[64];
        _cleanup_(closep) int fd = -1;
        ssize_t n;

        buffer[0] = '\0';
        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm/%s", identity->major, identity->minor, attribute);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        do
                n = read(fd, buffer, size - 1);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        buffer[n] = '\0';
        buffer[strcspn(buffer, "\n")] = '\0';
        return 0;
}

/* sysfs has uuids and names mangled, up to four characters for one. */
static int check_dm(const struct device_identity *identity, const char *attribute, const char *text) {
        char mangled[4 * DEVICE_UUID_MAX];
        int r;

        r = read_dm(identity, attribute, mangled, sizeof(mangled));
        if (r < 0)
                return r;
        return dmname_equals(mangled, text) ? 0 : -ESTALE;
}

static int check_identity(int fd, const struct device_identity *identity) {
        bool same_diskseq = false;
        struct stat st;
        uint64_t diskseq;
        int r;

        if (fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISBLK(st.st_mode) || st.st_rdev != makedev(identity->major, identity->minor))
                return -ESTALE;
        if (identity->diskseq != 0 && ioctl(fd, BLKGETDISKSEQ, &diskseq) == 0) {
                if (diskseq != identity->diskseq)
                        return -ESTALE;
                same_diskseq = true;
        }
        r = check_dm(identity, "uuid", identity->dm_uuid);
        /* A map that is renamed is the same one still, where that can be told. */
        if (r < 0 || same_diskseq || !*identity->dm_name)
                return r;
        return check_dm(identity, "name", identity->dm_name);
}

int device_open(const struct device_identity *identity) {
        _cleanup_(closep) int fd = -1;
        int r;

        r = open_by_name_or_number(identity);
        if (r < 0)
                return r;
        fd = r;
        r = check_identity(fd, identity);
        if (r < 0)
                return r;
        return TAKE_FD(fd);
}

int device_get_readahead(int fd, uint64_t *ret_sectors) {
        long sectors = 0;

        if (ioctl(fd, BLKRAGET, &sectors) < 0)
                return -errno;
        *ret_sectors = (unsigned long)sectors;
        return 0;
}

int device_set_readahead(int fd, uint64_t sectors) {
        if (sectors > ULONG_MAX / SECTOR_BYTES) /* which the kernel makes bytes of, and does not look */
                return -ERANGE;
        return ioctl(fd, BLKRASET, (unsigned long)sectors) < 0 ? -errno : 0;
}

int device_get_size(int fd, uint64_t *ret_bytes) {
        uint64_t bytes = 0;

        if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
                return -errno;
        *ret_bytes = bytes;
        return 0;
}
