/* SPDX-License-Identifier: MIT */

/*
 * What tools printed, as support reports have it: a byte for the tool, and its output, up to a form feed; then the next
 * one. What is made of it is a tree that can be written.
 */

#include <limits.h>
#include <stdbool.h>

#include "common/capture-report.h"
#include "common/cleanup.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/fuzz.h"

static void (*const readers[])(FILE *stream, struct record *record) = {
                report_read_udev,
                report_read_dmsetup,
                report_read_losetup,
                report_read_lsblk,
                report_read_limits,
                report_read_blockdev,
};

static bool can_be_path(const char *path) {
        if (strlen(path) >= PATH_MAX)
                return false;
        for (;;) {
                size_t n = strcspn(path, "/");

                if (n == 0 || n > NAME_MAX || strncmp(path, "../", 3) == 0 || strcmp(path, "..") == 0)
                        return false;
                if (!path[n])
                        return true;
                path += n + 1;
        }
}

static bool has_directory(const struct record_entry *list, size_t n, const char *path, size_t length) {
        for (size_t i = 0; i < n; i++)
                if (strlen(list[i].path) == length && memcmp(list[i].path, path, length) == 0)
                        return list[i].type == RECORD_DIRECTORY;
        return false;
}

static void check_entry(const struct record_entry *list, size_t n, const struct record_entry *entry) {
        const char *slash = strrchr(entry->path, '/');

        FUZZ_CHECK(can_be_path(entry->path) && entry->type != RECORD_LINK);
        FUZZ_CHECK(strncmp(entry->path, "sys", 3) == 0 || strncmp(entry->path, "run", 3) == 0);
        if (slash)
                FUZZ_CHECK(has_directory(list, n, entry->path, (size_t)(slash - entry->path)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct bytes bytes = {.at = data, .end = data + size};
        _cleanup_(record_freep) struct record *record = record_new();
        const struct record_entry *list;
        size_t n;

        FUZZ_CHECK(record);
        while (bytes_left(&bytes) > 0) {
                unsigned tool = bytes_pick(&bytes, ARRAY_SIZE(readers));
                struct bytes text = bytes_take_until(&bytes, '\f');
                _cleanup_(fclosep) FILE *stream = NULL;

                if (bytes_left(&text) == 0)
                        continue;
                stream = fmemopen((void *)(uintptr_t)text.at, bytes_left(&text), "r");
                FUZZ_CHECK(stream);
                readers[tool](stream, record);
        }
        FUZZ_CHECK(record_list(record, &list, &n) == 0);
        for (size_t i = 0; i < n; i++)
                check_entry(list, n, &list[i]);
        return 0;
}
