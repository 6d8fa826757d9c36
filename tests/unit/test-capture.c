/* SPDX-License-Identifier: MIT */

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/capture-record.h"
#include "common/capture-table.h"
#include "common/capture.h"
#include "tests/support/tree.h"

#define MEBIBYTE ((int64_t)1 << 20)

/* One directory for archives, and one that is $TMPDIR meanwhile. */
struct fixture {
        struct tree *tree, *temporary;
        char archive[PATH_MAX];
};

static int set_up(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));

        assert_non_null(fixture);
        fixture->tree = tree_new();
        fixture->temporary = tree_new();
        snprintf(fixture->archive, sizeof(fixture->archive), "%s/capture.tar", tree_path(fixture->tree));
        assert_int_equal(setenv("TMPDIR", tree_path(fixture->temporary), 1), 0);
        *state = fixture;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *fixture = *state;

        unsetenv("TMPDIR");
        tree_free(fixture->temporary);
        tree_free(fixture->tree);
        free(fixture);
        return 0;
}

/* Entries of an archive that somebody made by hand. */
struct member {
        const char *name;
        unsigned type;
        const char *text; /* content, or target of a link */
        const char *hardlink;
        int64_t zeros; /* content instead of text */
};

#define DIRECTORY(name_)                                                                                               \
        { .name = (name_), .type = AE_IFDIR }
#define REGULAR(name_, text_)                                                                                          \
        { .name = (name_), .type = AE_IFREG, .text = (text_) }
#define LINK(name_, target_)                                                                                           \
        { .name = (name_), .type = AE_IFLNK, .text = (target_) }
#define NODE(name_, type_)                                                                                             \
        { .name = (name_), .type = (type_) }
#define HARDLINK(name_, target_)                                                                                       \
        { .name = (name_), .type = AE_IFREG, .hardlink = (target_) }
#define ZEROS(name_, size_)                                                                                            \
        { .name = (name_), .type = AE_IFREG, .zeros = (size_) }

static void write_zeros(struct archive *archive, int64_t size) {
        static const char zeros[MEBIBYTE];

        for (; size > 0; size -= MEBIBYTE)
                assert_int_equal(archive_write_data(archive, zeros, (size_t)MEBIBYTE), MEBIBYTE);
}

static void write_member(struct archive *archive, const struct member *member) {
        struct archive_entry *entry = archive_entry_new();
        size_t size = member->text && member->type == AE_IFREG ? strlen(member->text) : 0;

        archive_entry_set_pathname(entry, member->name);
        archive_entry_set_filetype(entry, member->type);
        archive_entry_set_perm(entry, 07777);
        archive_entry_set_size(entry, member->zeros ? member->zeros : (int64_t)size);
        if (member->type == AE_IFLNK)
                archive_entry_set_symlink(entry, member->text);
        if (member->hardlink)
                archive_entry_set_hardlink(entry, member->hardlink);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        if (size > 0)
                assert_int_equal(archive_write_data(archive, member->text, size), size);
        write_zeros(archive, member->zeros);
        archive_entry_free(entry);
}

static void write_archive(const struct fixture *fixture, const struct member *members, size_t n) {
        struct archive *archive = archive_write_new();

        assert_int_equal(archive_write_set_format_pax_restricted(archive), ARCHIVE_OK);
        assert_int_equal(archive_write_add_filter_zstd(archive), ARCHIVE_OK);
        assert_int_equal(archive_write_open_filename(archive, fixture->archive), ARCHIVE_OK);
        for (size_t i = 0; i < n && members[i].name; i++)
                write_member(archive, &members[i]);
        assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
        archive_write_free(archive);
}

static size_t count_entries(const char *path) {
        DIR *directory = opendir(path);
        size_t n = 0;

        assert_non_null(directory);
        for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
                n += entry->d_name[0] != '.';
        closedir(directory);
        return n;
}

static void assert_nothing_left(const struct fixture *fixture) {
        assert_int_equal(count_entries(tree_path(fixture->temporary)), 0);
}

static void assert_text(const struct sysroot *root, const char *path, const char *text) {
        char buffer[256];

        assert_true(sysroot_read(root, buffer, sizeof(buffer), "%s", path) >= 0);
        assert_string_equal(buffer, text);
}

static void test_open(void **state) {
        struct fixture *fixture = *state;
        static const struct member members[] = {
                        REGULAR("./sys/a/text", "one\n"),
                        DIRECTORY("sys/"),
                        DIRECTORY("sys/a/empty"),
                        LINK("sys/b", "a"),
                        LINK("absolute", "/sys/a"),
                        LINK("up", "../../sys/a/text"),
                        REGULAR("sys//a/./text", "two\n"),
                        LINK("dangling", "nothing"),
        };
        struct sysroot *root = NULL;
        char *reason = NULL;

        write_archive(fixture, members, ARRAY_SIZE(members));
        assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
        assert_null(reason);
        assert_false(sysroot_is_live(root));
        assert_text(root, "sys/a/text", "two");
        assert_text(root, "sys/b/text", "two");
        assert_text(root, "absolute/text", "two");
        assert_text(root, "up", "two");
        assert_true(sysroot_is_directory(root, "sys/a/empty"));
        assert_false(sysroot_exists(root, "dangling"));
        assert_int_equal(count_entries(tree_path(fixture->temporary)), 1);
        sysroot_free(root);
        assert_nothing_left(fixture);
}

static void test_open_inner_directory(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                struct member members[3];
                bool found;
        } cases[] = {
                        {{REGULAR("report/sys/text", "x")}, true},
                        {{REGULAR("report/sys/text", "x"), REGULAR("README", "x")}, false},
                        {{LINK("report", "/")}, false},
                        {{LINK("report", "..")}, false},
                        {{REGULAR("sys/text", "x")}, true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct sysroot *root = NULL;
                char *reason = NULL;

                write_archive(fixture, cases[i].members, ARRAY_SIZE(cases[i].members));
                assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
                assert_false(sysroot_is_live(root));
                assert_int_equal(sysroot_exists(root, "sys/text"), cases[i].found);
                assert_false(sysroot_exists(root, "etc/passwd"));
                sysroot_free(root);
        }
        assert_nothing_left(fixture);
}

static void test_open_other(void **state) {
        struct fixture *fixture = *state;
        struct sysroot *root = NULL;
        char *reason = NULL, path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/nothing", tree_path(fixture->tree));
        assert_int_equal(capture_open(path, &root, &reason), -ENOENT);
        assert_null(reason);

        static const char *const texts[] = {"", "text\n", "\037\213\010\0", "\3757zXZ", "(\265/\375"};
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                tree_write(fixture->tree, "capture.tar", texts[i]);
                assert_int_equal(capture_open(fixture->archive, &root, &reason), -EBADMSG);
                assert_non_null(reason);
                free(reason);
        }
        assert_nothing_left(fixture);

        assert_int_equal(capture_open(tree_path(fixture->tree), &root, &reason), 0);
        assert_false(sysroot_is_live(root));
        sysroot_free(root);
        assert_int_equal(capture_open(NULL, &root, &reason), 0);
        assert_true(sysroot_is_live(root));
        sysroot_free(root);
}

/* Cut off anywhere, it is refused, or what there was of it is read. */
static void test_open_cut_off(void **state) {
        struct fixture *fixture = *state;
        static const struct member members[] = {REGULAR("sys/a", "one\n"), LINK("b", "sys/a"), REGULAR("c", "three\n")};
        struct stat st;

        write_archive(fixture, members, ARRAY_SIZE(members));
        assert_int_equal(stat(fixture->archive, &st), 0);
        for (off_t size = st.st_size - 1; size >= 0; size -= 7) {
                struct sysroot *root = NULL;
                char *reason = NULL;
                int r;

                assert_int_equal(truncate(fixture->archive, size), 0);
                r = capture_open(fixture->archive, &root, &reason);
                assert_true(r == 0 || (r == -EBADMSG && reason));
                if (r == 0)
                        sysroot_free(root);
                free(reason);
                assert_nothing_left(fixture);
        }
}

/* Nothing comes of them, neither inside nor outside. */
static void test_hostile_refused(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                struct member members[3];
                int error;
        } cases[] = {
                        {{REGULAR("../escaped", "x")}, -EPERM},
                        {{REGULAR("sys/../../escaped", "x")}, -EPERM},
                        {{DIRECTORY("..")}, -EPERM},
                        {{LINK("sys/..", "a")}, -EPERM},
                        {{REGULAR("/tmp/escaped", "x")}, -EPERM},
                        {{REGULAR("sys/a", "x"), HARDLINK("sys/b", "sys/a")}, -EPERM},
                        {{HARDLINK("sys/passwd", "/etc/passwd")}, -EPERM},
                        {{LINK("out", ".."), REGULAR("out/escaped", "x")}, -ENOTDIR},
                        {{LINK("out", "/tmp"), REGULAR("out/escaped", "x")}, -ENOTDIR},
                        {{DIRECTORY("sys"), LINK("in", "sys"), REGULAR("in/a", "x")}, -ENOTDIR},
                        {{LINK("out", "../escaped"), REGULAR("out", "x")}, -ELOOP},
                        {{LINK("out", "/tmp"), DIRECTORY("out")}, -ENOTDIR},
                        {{DIRECTORY("sys"), REGULAR("sys", "x")}, -EISDIR},
                        {{REGULAR("sys", "x"), REGULAR("sys/a", "x")}, -ENOTDIR},
                        {{DIRECTORY("sys/a"), LINK("sys", "a")}, -EISDIR},
                        {{ZEROS("zeros", 1024 * MEBIBYTE)}, -EFBIG},
                        {{ZEROS("sys/a", 200 * MEBIBYTE), ZEROS("sys/b", 57 * MEBIBYTE)}, -EFBIG},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct sysroot *root = NULL;
                char *reason = NULL;

                write_archive(fixture, cases[i].members, ARRAY_SIZE(cases[i].members));
                assert_int_equal(capture_open(fixture->archive, &root, &reason), cases[i].error);
                assert_null(root);
                assert_non_null(reason);
                free(reason);
                assert_nothing_left(fixture);
        }
        assert_int_equal(access("/tmp/escaped", F_OK), -1);
}

static void test_hostile_passed_over(void **state) {
        struct fixture *fixture = *state;
        static const struct member members[] = {
                        REGULAR("sys/a", "x"),
                        NODE("sys/fifo", AE_IFIFO),
                        NODE("sys/disk", AE_IFBLK),
                        NODE("sys/tty", AE_IFCHR),
                        LINK("loop", "loop"),
                        LINK("one", "two"),
                        LINK("two", "one"),
                        LINK("passwd", "/etc/passwd"),
                        LINK("up", "../../../../../../../../../etc/passwd"),
                        LINK("self", "/proc/self/root/etc/passwd"),
        };
        static const char *const absent[] = {
                        "sys/fifo", "sys/disk", "sys/tty", "loop", "one", "two/a", "passwd", "up", "self"};
        struct sysroot *root = NULL;
        char *reason = NULL, buffer[16];

        write_archive(fixture, members, ARRAY_SIZE(members));
        assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
        assert_text(root, "sys/a", "x");
        for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
                assert_true(sysroot_read(root, buffer, sizeof(buffer), "%s", absent[i]) < 0);
        sysroot_free(root);
        assert_nothing_left(fixture);
}

static void test_hostile_size(void **state) {
        struct fixture *fixture = *state;
        static struct member members[200001];
        char name[1024];
        struct sysroot *root = NULL;
        char *reason = NULL;

        memset(name, 'n', sizeof(name) - 1);
        name[sizeof(name) - 1] = 0;
        members[0] = (struct member)DIRECTORY(name);
        for (unsigned i = 250; i < sizeof(name) - 1; i += 250)
                name[i] = '/';
        write_archive(fixture, members, 1);
        assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
        sysroot_free(root);

        for (unsigned i = 1; i < 140; i += 2)
                name[i] = '/';
        write_archive(fixture, members, 1);
        assert_int_equal(capture_open(fixture->archive, &root, &reason), -EPERM);
        free(reason);

        for (size_t i = 0; i < ARRAY_SIZE(members); i++)
                members[i] = (struct member)DIRECTORY("d");
        write_archive(fixture, members, ARRAY_SIZE(members));
        assert_int_equal(capture_open(fixture->archive, &root, &reason), -EFBIG);
        free(reason);
        assert_nothing_left(fixture);
}

/* The header of a directory with a list of files as its content, as GNU tar's incremental archives have them. */
static void write_listed_directory(int fd, off_t offset, unsigned size) {
        unsigned char header[512] = {0};
        unsigned sum = 0;

        memcpy(header, "d/", 2);
        memcpy(header + 100, "0000755", 7);
        memcpy(header + 108, "0000000", 7);
        memcpy(header + 116, "0000000", 7);
        snprintf((char *)header + 124, 12, "%011o", size);
        memcpy(header + 136, "00000000000", 11);
        memset(header + 148, ' ', 8);
        header[156] = 'D';
        memcpy(header + 257, "ustar  ", 7);
        for (size_t i = 0; i < sizeof(header); i++)
                sum += header[i];
        snprintf((char *)header + 148, 7, "%06o", sum);
        assert_int_equal(pwrite(fd, header, sizeof(header), offset), sizeof(header));
}

/* Content that nobody takes is limited, too: a few bytes of an archive may stand for hours of reading. */
static void test_hostile_content(void **state) {
        struct fixture *fixture = *state;
        const unsigned size = 200U << 20;
        struct sysroot *root = NULL;
        char *reason = NULL;
        int fd;

        fd = open(fixture->archive, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        write_listed_directory(fd, 0, size);
        assert_int_equal(ftruncate(fd, 512 + (off_t)size + 1024), 0);
        assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
        sysroot_free(root);

        write_listed_directory(fd, 512 + (off_t)size, size);
        assert_int_equal(ftruncate(fd, 2 * (512 + (off_t)size) + 1024), 0);
        assert_int_equal(capture_open(fixture->archive, &root, &reason), -EFBIG);
        assert_string_equal(reason, "it holds more than 256 MiB");
        free(reason);
        close(fd);
        assert_nothing_left(fixture);
}

static struct record *make_record(void) {
        struct record *record = record_new();

        assert_non_null(record);
        record_file(record, "sys/b/size", "8\n", 2);
        record_link(record, "sys/b/device/subsystem", "scsi");
        record_directory(record, "sys/a");
        record_append(record, "dmsetup/table", "one\n", 4);
        record_append(record, "dmsetup/table", "two\n", 4);
        record_presence(record, "sys/b/partition");
        return record;
}

static void test_record(void **state) {
        static const struct record_entry expected[] = {
                        {"dmsetup", RECORD_DIRECTORY, "", 0},
                        {"dmsetup/table", RECORD_FILE, "one\ntwo\n", 8},
                        {"sys", RECORD_DIRECTORY, "", 0},
                        {"sys/a", RECORD_DIRECTORY, "", 0},
                        {"sys/b", RECORD_DIRECTORY, "", 0},
                        {"sys/b/device", RECORD_DIRECTORY, "", 0},
                        {"sys/b/device/subsystem", RECORD_LINK, "scsi", 5},
                        {"sys/b/partition", RECORD_FILE, "1\n", 2},
                        {"sys/b/size", RECORD_FILE, "9\n", 2},
        };
        struct record *record = make_record();
        const struct record_entry *list;
        size_t n;

        record_file(record, "sys/b/size", "123456\n", 7);
        record_file(record, "sys/b/size", "9\n", 2);
        record_file(record, "sys/b/partition", "1\n", 2);
        record_presence(record, "sys/b/partition");
        assert_int_equal(record_list(record, &list, &n), 0);
        assert_int_equal(n, ARRAY_SIZE(expected));
        for (size_t i = 0; i < n; i++) {
                assert_string_equal(list[i].path, expected[i].path);
                assert_int_equal(list[i].type, expected[i].type);
                assert_int_equal(list[i].size, expected[i].size);
                assert_memory_equal(list[i].text, expected[i].text, expected[i].size);
        }
        record_fail(record);
        assert_int_equal(record_list(record, &list, &n), -ENOMEM);
        record_free(record);
}

static void test_write(void **state) {
        struct fixture *fixture = *state;
        static const enum capture_compression compressions[] = {CAPTURE_PLAIN, CAPTURE_GZIP, CAPTURE_XZ, CAPTURE_ZSTD};

        for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
                struct record *record = make_record();
                struct sysroot *root = NULL;
                char *reason = NULL, name[8];

                assert_int_equal(capture_write_file(record, fixture->archive, compressions[i], i > 0, &reason), 0);
                record_free(record);
                assert_int_equal(capture_open(fixture->archive, &root, &reason), 0);
                assert_text(root, "sys/b/size", "8");
                assert_text(root, "sys/b/partition", "");
                assert_text(root, "dmsetup/table", "one\ntwo");
                assert_int_equal(sysroot_link_name(root, name, sizeof(name), "sys/b/device/subsystem"), 4);
                assert_true(sysroot_is_directory(root, "sys/a"));
                sysroot_free(root);
        }
}

static void test_write_file(void **state) {
        struct fixture *fixture = *state;
        struct record *record = make_record();
        char *reason = NULL, path[PATH_MAX];
        struct stat st;

        tree_write(fixture->tree, "capture.tar", "precious\n");
        assert_int_equal(capture_write_file(record, fixture->archive, CAPTURE_PLAIN, false, &reason), -EEXIST);
        assert_int_equal(stat(fixture->archive, &st), 0);
        assert_int_equal(st.st_size, strlen("precious\n"));
        assert_int_equal(capture_write_file(record, fixture->archive, CAPTURE_PLAIN, true, &reason), 0);
        assert_int_equal(stat(fixture->archive, &st), 0);
        assert_true(st.st_size > 1024);
        assert_int_equal(st.st_mode & 07777, 0600);

        assert_int_equal(capture_write_file(record, "/dev/null", CAPTURE_PLAIN, true, &reason), -EEXIST);
        tree_directory(fixture->tree, "directory.tar");
        snprintf(path, sizeof(path), "%s/directory.tar", tree_path(fixture->tree));
        assert_int_equal(capture_write_file(record, path, CAPTURE_PLAIN, true, &reason), -EEXIST);
        snprintf(path, sizeof(path), "%s/nowhere/x.tar", tree_path(fixture->tree));
        assert_int_equal(capture_write_file(record, path, CAPTURE_PLAIN, false, &reason), -ENOENT);
        /* No temporary file is left behind. */
        assert_int_equal(count_entries(tree_path(fixture->tree)), 2);
        record_free(record);
}

static void test_write_failure(void **state) {
        struct record *record = make_record();
        char *reason = NULL;
        int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        assert_int_equal(capture_write(record, fd, CAPTURE_PLAIN, &reason), -ENOSPC);
        free(reason);
        close(fd);
        record_free(record);
}

static void test_compression(void **state) {
        static const struct {
                const char *name;
                int r;
                enum capture_compression compression;
        } cases[] = {
                        {"a.tar", 0, CAPTURE_PLAIN},
                        {"a.tar.gz", 0, CAPTURE_GZIP},
                        {"d.d/a.tgz", 0, CAPTURE_GZIP},
                        {"a.tar.xz", 0, CAPTURE_XZ},
                        {"a.txz", 0, CAPTURE_XZ},
                        {"a.b.tar.zst", 0, CAPTURE_ZSTD},
                        {"a.tzst", 0, CAPTURE_ZSTD},
                        {"a", -EINVAL, 0},
                        {"", -EINVAL, 0},
                        {".tar", -EINVAL, 0},
                        {"d/.tar.gz", -EINVAL, 0},
                        {"a.zip", -EINVAL, 0},
                        {"a.tar.gz.txt", -EINVAL, 0},
                        {"a.gz", -EINVAL, 0},
                        {"tar", -EINVAL, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                enum capture_compression compression = CAPTURE_PLAIN;

                assert_int_equal(capture_compression_by_name(cases[i].name, &compression), cases[i].r);
                if (cases[i].r == 0)
                        assert_int_equal(compression, cases[i].compression);
        }
}

static void test_redact(void **state) {
        static const struct {
                const char *target, *params, *redacted;
        } cases[] = {
                        {"linear", "9:0 3584", "9:0 3584"},
                        {"striped", "2 128 9:0 0 9:1 2048", "2 128 9:0 0 9:1 2048"},
                        {"zero", "", ""},
                        {"crypt", "aes-xts-plain64 00112233445566778899aabbccddeeff 0 9:0 4096",
                                        "aes-xts-plain64 0 0 9:0 4096"},
                        {"crypt", "capi:authenc(hmac(sha256),xts(aes))-random :96:logon:cryptsetup:d-0 0 9:0 8 1 x:y",
                                        "capi:authenc(hmac(sha256),xts(aes))-random 0 0 9:0 8 - -"},
                        {"crypt", "aes 123456789012345678901234567890 0 8:1 8 2 allow_discards key:8:1",
                                        "aes 0 0 8:1 8 - - -"},
                        {"integrity", "8:0 0 32 J 3 meta_device:8:16 internal_hash:hmac(sha256):00ff journal_mac:a:00",
                                        "8:0 0 32 J - meta_device:8:16 - -"},
                        {"verity", "1 8:1 8:2 4096 4096 100 1 sha256 0123abcd 00ff 2 use_fec_from_device 8:3",
                                        "1 8:1 8:2 4096 4096 100 1 sha256 - - - - 8:3"},
                        /* Words that are not where they should be. */
                        {"crypt", "aes xts 00ff 0 8:1 8", "aes 0 - - 8:1 -"},
                        {"crypt", "00ff 0 8:1 8", "- 0 8:1 -"},
                        {"crypt", "aes 00ff 123456789012345678901 8:1 8a", "aes 0 - 8:1 -"},
                        {"integrity", "00ff 8:0 0 32 J", "- 8:0 0 - -"},
                        {"integrity", "8:0 0 32 J 2 meta_device:00ff meta_device:", "8:0 0 32 J - meta_device:- -"},
                        {"verity", "1 8:1 8:2 4096 4096 1 sha256 00ff", "1 8:1 8:2 4096 4096 1 - -"},
                        {"verity", "1 8:1 8:2 4096 4096 8:3 8:4 8:5 8:6", "1 8:1 8:2 4096 4096 8:3 8:4 8:5 8:6"},
                        {"vdo", "V4 8:0 4096 secret", "V4 8:0 - -"},
                        {"nobody-knows", "key=00ff 8:0 12345678 \t 253:10 a:1 1: :1 12345678:1 8:0x",
                                        "- 8:0 - 253:10 - - - - -"},
                        {"", "00ff", "-"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char *redacted = capture_redact_parameters(cases[i].target, cases[i].params);

                assert_string_equal(redacted, cases[i].redacted);
                free(redacted);
        }
}

static void test_mangle(void **state) {
        static const struct {
                const char *name, *mangled;
        } cases[] = {
                        {"vg-lv_1.2+3@x:y=#", "vg-lv_1.2+3@x:y=#"},
                        {"two words", "two\\x20words"},
                        {"a\nb\\", "a\\x0ab\\x5c"},
                        {"\303\244", "\\xc3\\xa4"},
                        {"", ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char *mangled = capture_mangle_name(cases[i].name);

                assert_string_equal(mangled, cases[i].mangled);
                free(mangled);
        }
}

/* Only what is asked for is written down, from directory to capture and back. */
static void test_take(void **state) {
        struct fixture *fixture = *state;
        static const struct tree_file files[] = {
                        {"sys/class/block/sda/size", "100\n"},
                        {"sys/class/block/sda/dev", "8:0\n"},
                        {"sys/class/block/sda/serial", "S3CR3T\n"},
                        {"sys/class/block/sda/uevent", "S3CR3T\n"},
                        {"sys/class/block/sda/queue/read_ahead_kb", "128\n"},
                        {"sys/class/block/dm-0/size", "100\n"},
                        {"sys/class/block/dm-0/dev", "253:0\n"},
                        {"sys/class/block/dm-0/dm/name", "a secret\n"},
                        {"dmsetup/table", "a secret: 0 100 crypt aes S3CR3T 0 8:0 0 1 S3CR3T\ngone: 0 1 x S3CR3T\n"},
                        {"run/udev/data/b8:0", "E:ID_SERIAL=S3CR3T\nE:ID_MODEL=model\nE:ID_WWN=S3CR3T\nS:S3CR3T\n"},
                        {"proc/self/mountinfo", "30 1 253:0 /S3CR3T /srv/a\\040b rw,S3CR3T - ext4 /dev/mapper/S3CR3T "
                                                "rw,S3CR3T\n"
                                                "31 1 0:40 / /S3CR3T rw - nfs4 S3CR3T:/ rw\n"},
                        {"proc/swaps", "Filename Type Size Used Priority\n/S3CR3T file 1 0 -2\n/dev/sda partition 1 0 "
                                       "-2\n"},
                        {"proc/meminfo", "MemTotal: 1000 kB\nS3CR3T: 1 kB\n"},
                        {"proc/sys/kernel/hostname", "H0ST\n"},
        };
        struct tree *machine = tree_new();

        tree_write_all(machine, files, ARRAY_SIZE(files));
        for (unsigned with_identifiers = 0; with_identifiers < 2; with_identifiers++) {
                struct sysroot *root = NULL;
                struct topology *topology = NULL;
                struct record *record = NULL;
                const struct record_entry *list;
                bool host = false, serial = false;
                size_t n;

                assert_int_equal(sysroot_open(tree_path(machine), &root), 0);
                assert_int_equal(capture_take(root, with_identifiers, &record, &topology), 0);
                assert_int_equal(record_list(record, &list, &n), 0);
                for (size_t i = 0; i < n; i++) {
                        bool is_serial = memmem(list[i].text, list[i].size, "E:ID_SERIAL=S3CR3T\n", 19) ||
                                         strcmp(list[i].path, "sys/class/block/sda/serial") == 0;

                        host |= memmem(list[i].text, list[i].size, "H0ST", 4) != NULL;
                        serial |= is_serial;
                        assert_true(is_serial || !memmem(list[i].text, list[i].size, "S3CR3T", 6));
                        assert_null(strstr(list[i].path, "S3CR3T"));
                }
                assert_int_equal(host, with_identifiers);
                assert_int_equal(serial, with_identifiers);
                assert_int_equal(topology->n_layers, 2);
                assert_false(sysroot_is_recorded(root));
                topology_free(topology);
                record_free(record);
                sysroot_free(root);
        }
        tree_free(machine);
        assert_nothing_left(fixture);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_open_inner_directory, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_open_other, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_open_cut_off, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_hostile_refused, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_hostile_passed_over, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_hostile_size, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_hostile_content, set_up, tear_down),
                        cmocka_unit_test(test_record),
                        cmocka_unit_test_setup_teardown(test_write, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_write_file, set_up, tear_down),
                        cmocka_unit_test(test_write_failure),
                        cmocka_unit_test(test_compression),
                        cmocka_unit_test(test_redact),
                        cmocka_unit_test(test_mangle),
                        cmocka_unit_test_setup_teardown(test_take, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
