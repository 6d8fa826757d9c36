/* SPDX-License-Identifier: MIT */

/* Calls of libraries, each of which fails as a whole. */

#include <errno.h>
#include <libmount/libmount.h>
#include <libsmartcols/libsmartcols.h>
#include <libudev.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "tests/fault/fault.h"
#include "tests/fault/wrap.h"

/* --- memory */

WRAP(void *, malloc, size_t size) {
        return FAULT("malloc", NULL, ENOMEM) ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, size_t n, size_t size) {
        return FAULT("calloc", NULL, ENOMEM) ? NULL : __real_calloc(n, size);
}

WRAP(void *, realloc, void *p, size_t size) {
        return FAULT("realloc", NULL, ENOMEM) ? NULL : __real_realloc(p, size);
}

WRAP(void *, reallocarray, void *p, size_t n, size_t size) {
        return FAULT("reallocarray", NULL, ENOMEM) ? NULL : __real_reallocarray(p, n, size);
}

WRAP(char *, strdup, const char *s) {
        return FAULT("strdup", s, ENOMEM) ? NULL : __real_strdup(s);
}

WRAP(char *, strndup, const char *s, size_t n) {
        return FAULT("strndup", NULL, ENOMEM) ? NULL : __real_strndup(s, n);
}

WRAP(int, vasprintf, char **ret, const char *format, va_list arguments) {
        return FAULT("vasprintf", format, ENOMEM) ? -1 : __real_vasprintf(ret, format, arguments);
}

WRAP(int, __vasprintf_chk, char **ret, int flag, const char *format, va_list arguments) {
        return FAULT("vasprintf", format, ENOMEM) ? -1 : __real___vasprintf_chk(ret, flag, format, arguments);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
WRAP(int, asprintf, char **ret, const char *format, ...) {
        va_list arguments;
        int n;

        if (FAULT("asprintf", format, ENOMEM))
                return -1;
        va_start(arguments, format);
        n = __real_vasprintf(ret, format, arguments);
        va_end(arguments);
        return n;
}

WRAP(int, __asprintf_chk, char **ret, int flag, const char *format, ...) {
        va_list arguments;
        int n;

        if (FAULT("asprintf", format, ENOMEM))
                return -1;
        va_start(arguments, format);
        n = __real_vasprintf(ret, format, arguments);
        va_end(arguments);
        return n;
}

WRAP(void *, tsearch, const void *key, void **root, int (*compare)(const void *, const void *)) {
        return FAULT("tsearch", NULL, ENOMEM) ? NULL : __real_tsearch(key, root, compare);
}

/* --- streams */

static ssize_t fail_to_read(void *cookie, char *buffer, size_t size) {
        errno = EIO;
        return -1;
}

static int close_unreadable(void *cookie) {
        return close((int)(intptr_t)cookie);
}

/* The descriptor of a stream that can be opened, but not be read. */
static int unreadable_fd = -1;

WRAP(int, fileno, FILE *stream) {
        int fd = __real_fileno(stream);

        return fd < 0 ? unreadable_fd : fd;
}

/* Also such a one. */
WRAP(FILE *, fdopen, int fd, const char *mode) {
        if (FAULT_AT("fdopen", fd, NULL, ENOMEM))
                return NULL;
        if (FAULT_AT("reading a stream", fd, NULL, EIO)) {
                unreadable_fd = fd;
                return fopencookie((void *)(intptr_t)fd, "r",
                                (cookie_io_functions_t){.read = fail_to_read, .close = close_unreadable});
        }
        return __real_fdopen(fd, mode);
}

WRAP(FILE *, fopen64, const char *path, const char *mode) {
        return FAULT("fopen", path, EMFILE, EACCES, ENOMEM) ? NULL : __real_fopen64(path, mode);
}

WRAP(FILE *, open_memstream, char **text, size_t *size) {
        return FAULT("open_memstream", NULL, ENOMEM) ? NULL : __real_open_memstream(text, size);
}

WRAP(FILE *, fmemopen, void *buffer, size_t size, const char *mode) {
        return FAULT("fmemopen", NULL, ENOMEM) ? NULL : __real_fmemopen(buffer, size, mode);
}

/* The stream is gone all the same. */
WRAP(int, fclose, FILE *stream) {
        bool fails = FAULT("fclose", NULL, ENOMEM);
        int error = errno, r = __real_fclose(stream);

        errno = fails ? error : errno;
        return fails ? EOF : r;
}

WRAP(int, fflush, FILE *stream) {
        return FAULT("fflush", NULL, ENOSPC, EIO, EPIPE) ? EOF : __real_fflush(stream);
}

/* --- libmount, libudev, libyaml */

WRAP(struct libmnt_table *, mnt_new_table, void) {
        return FAULT("mnt_new_table", NULL, ENOMEM) ? NULL : __real_mnt_new_table();
}

WRAP(struct libmnt_iter *, mnt_new_iter, int direction) {
        return FAULT("mnt_new_iter", NULL, ENOMEM) ? NULL : __real_mnt_new_iter(direction);
}

WRAP(int, mnt_table_set_parser_errcb, struct libmnt_table *table, int (*f)(struct libmnt_table *, const char *, int)) {
        return FAULT("mnt_table_set_parser_errcb", NULL, ENOMEM) ? -ENOMEM
                                                                 : __real_mnt_table_set_parser_errcb(table, f);
}

WRAP(int, mnt_table_parse_stream, struct libmnt_table *table, FILE *stream, const char *path) {
        return FAULT("mnt_table_parse_stream", path, ENOMEM, EIO) ? -errno
                                                                  : __real_mnt_table_parse_stream(table, stream, path);
}

WRAP(struct udev *, udev_new, void) {
        return FAULT("udev_new", NULL, ENOMEM) ? NULL : __real_udev_new();
}

WRAP(int, yaml_parser_initialize, yaml_parser_t *parser) {
        return FAULT("yaml_parser_initialize", NULL, ENOMEM) ? 0 : __real_yaml_parser_initialize(parser);
}

WRAP(int, yaml_parser_parse, yaml_parser_t *parser, yaml_event_t *event) {
        if (!FAULT("yaml_parser_parse", NULL, ENOMEM))
                return __real_yaml_parser_parse(parser, event);
        parser->error = YAML_MEMORY_ERROR;
        memset(event, 0, sizeof(*event));
        return 0;
}

/* --- libsmartcols */

WRAP(struct libscols_table *, scols_new_table, void) {
        return FAULT("scols_new_table", NULL, ENOMEM) ? NULL : __real_scols_new_table();
}

WRAP(struct libscols_column *, scols_table_new_column, struct libscols_table *table, const char *name, double width,
                int flags) {
        return FAULT("scols_table_new_column", name, ENOMEM) ? NULL
                                                             : __real_scols_table_new_column(table, name, width, flags);
}

WRAP(struct libscols_line *, scols_table_new_line, struct libscols_table *table, struct libscols_line *parent) {
        return FAULT("scols_table_new_line", NULL, ENOMEM) ? NULL : __real_scols_table_new_line(table, parent);
}

WRAP(int, scols_line_refer_data, struct libscols_line *line, size_t n, char *text) {
        return FAULT("scols_line_refer_data", text, ENOMEM) ? -ENOMEM : __real_scols_line_refer_data(line, n, text);
}

WRAP(int, scols_line_set_color, struct libscols_line *line, const char *color) {
        return FAULT("scols_line_set_color", NULL, ENOMEM) ? -ENOMEM : __real_scols_line_set_color(line, color);
}

WRAP(int, scols_column_set_wrapfunc, struct libscols_column *column, void *size, void *next, void *userdata) {
        return FAULT("scols_column_set_wrapfunc", NULL, ENOMEM)
                               ? -ENOMEM
                               : __real_scols_column_set_wrapfunc(column, size, next, userdata);
}

WRAP(int, scols_print_table, struct libscols_table *table) {
        return FAULT("scols_print_table", NULL, ENOMEM) ? -ENOMEM : __real_scols_print_table(table);
}
