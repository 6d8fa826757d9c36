/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "config/policy-match-check.h"

/* Links come and go, and a policy is matched without looking at the file system. */
int match_check_device(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        if (strncmp(text, "/dev/disk/", 10) == 0 || strncmp(text, "/dev/md/", 8) == 0)
                return reader_error(reader, node,
                                "\"%.64s\" is a link, and links are not followed: use the kernel's name, or serial, "
                                "uuid or name",
                                text);
        return 0;
}

int match_check_lvm_name(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        const char *slash = strchr(text, '/');

        if (slash && *text != '/')
                return reader_error(reader, node,
                                "no LVM name has a /: for the LV of one group write {vg: \"%.*s\", lv: \"%.64s\"}, or "
                                "name: \"%.64s\"",
                                (int)(slash - text < 64 ? slash - text : 64), text, slash + 1, text);
        if (slash)
                return reader_error(reader, node, "no LVM name has a /: for a path write device: \"%.64s\"", text);
        return 0;
}

/* 8-4-4-4-12 hexadecimal digits, as file systems have them. */
static bool is_filesystem_uuid(const char *text) {
        static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

        if (strlen(text) != strlen(form))
                return false;
        for (size_t i = 0; form[i]; i++)
                if (form[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
                        return false;
        return true;
}

int match_check_uuid(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        if (!is_filesystem_uuid(text))
                return 0;
        return reader_error(reader, node,
                        "\"%s\" looks like the UUID of a file system: a device-mapper uuid is meant, such as LVM-…, as "
                        "dmsetup info -c -o name,uuid shows it",
                        text);
}

/* udev's words for what others, as lsblk in its column TRAN, call differently. */
int match_check_transport(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        static const char *const others[][2] = {{"sata", "ata"}, {"pata", "ata"}, {"ide", "ata"}, {"sas", "scsi"}};
        static const char *const known[] = {"ata", "scsi", "usb", "nvme", "virtio", "mmc", "xen"};
        const char *best = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(others); i++)
                if (strcasecmp(others[i][0], text) == 0)
                        best = others[i][1];
        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
                if (strcasecmp(known[i], text) == 0 && strcmp(known[i], text) != 0)
                        best = known[i];
        if (!best)
                return 0;
        return reader_error(reader, node, "udev calls no transport \"%s\" (ID_BUS): did you mean \"%s\"?", text, best);
}

int match_check_filesystem(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        static const char *const known[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "jfs",
                        "reiserfs", "vfat", "exfat", "ntfs", "swap", "squashfs", "erofs", "iso9660", "udf", "ocfs2",
                        "gfs2", "crypto_LUKS", "LVM2_member", "linux_raid_member", "zfs_member"};

        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
                if (strcasecmp(known[i], text) == 0 && strcmp(known[i], text) != 0)
                        return reader_error(reader, node, "no file system type \"%s\": did you mean \"%s\"?", text,
                                        known[i]);
        return 0;
}

/* The length of PATH without the slashes at its end. */
static int trim_slashes(const char *path) {
        size_t n = strlen(path);

        while (n > 1 && path[n - 1] == '/')
                n--;
        return (int)n;
}

int match_check_mountpoint(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        size_t length = strlen(text);
        int n = trim_slashes(text);

        if (!strchr("/*?[\\", *text))
                return reader_error(reader, node, "\"%.64s\" is no mount point: write its whole path, from / on", text);
        if (length > 1 && text[length - 1] == '/')
                return reader_error(reader, node, "\"%.64s\" ends in /, which no mount point does: write %.*s%s", text,
                                n > 64 ? 64 : n, text, n > 64 ? "…" : "");
        return 0;
}
