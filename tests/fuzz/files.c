/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/temporary.h"
#include "tests/fuzz/files.h"

#define MEMORY_DIRECTORY "/dev/shm"

/* In the order of what counts for less to what counts for more. */
enum file_type { FILE_IMPLIED_DIRECTORY, FILE_DIRECTORY, FILE_REGULAR, FILE_LINK, FILE_FIFO };

struct file {
        const char *path;
        enum file_type type;
        const char *content; /* of a file, or the target of a link */
        size_t size;
        size_t number; /* in the order in which they were asked for */
};

/* What one input asks for. */
struct file_list {
        struct arena *arena;
        struct file *items;
        size_t n, allocated;
};

struct files {
        struct temporary *temporary;
        int fd;
        struct file_list wanted, there; /* there: sorted */
};

static void check(bool ok, const char *what) {
        if (ok)
                return;
        fprintf(stderr, "files of a fuzzer: %s: %s\n", what, strerror(errno));
        abort();
}

struct files *files_new(void) {
        struct files *files = calloc(1, sizeof(*files));

        check(files, "calloc");
        if (!getenv("TMPDIR") && access(MEMORY_DIRECTORY, W_OK) == 0)
                (void)setenv("TMPDIR", MEMORY_DIRECTORY, false);
        check(temporary_new(&files->temporary) == 0, "temporary_new");
        files->fd = open(temporary_path(files->temporary), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        check(files->fd >= 0, temporary_path(files->temporary));
        return files;
}

const char *files_path(const struct files *files) {
        return temporary_path(files->temporary);
}

/* --- what is asked for */

static void reset(struct file_list *list) {
        arena_freep(&list->arena);
        list->arena = arena_new();
        check(list->arena, "arena_new");
        list->n = 0;
}

void files_begin(struct files *files) {
        reset(&files->wanted);
}

static void append(struct file_list *list, struct file file) {
        if (list->n == list->allocated) {
                list->allocated = list->allocated ? list->allocated * 2 : 256;
                list->items = reallocarray(list->items, list->allocated, sizeof(*list->items));
                check(list->items, "reallocarray");
        }
        file.number = list->n;
        list->items[list->n++] = file;
}

/* Relative, no part of it empty, too long, or one that leads elsewhere. */
static bool can_be_path(const char *path) {
        if (strlen(path) >= PATH_MAX / 2)
                return false;
        for (;;) {
                size_t n = strcspn(path, "/");

                if (n == 0 || n > NAME_MAX || (n == 1 && path[0] == '.') || (n == 2 && memcmp(path, "..", 2) == 0))
                        return false;
                if (!path[n])
                        return true;
                path += n + 1;
        }
}

static void ask(struct files *files, const char *path, enum file_type type, const char *content, size_t size) {
        struct file_list *list = &files->wanted;
        const char *last = list->n > 0 ? list->items[list->n - 1].path : "";
        char *copy;

        if (!can_be_path(path))
                return;
        for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
                if (strncmp(last, path, (size_t)(slash - path) + 1) == 0)
                        continue;
                copy = arena_strndup(list->arena, path, (size_t)(slash - path));
                check(copy, "arena_strndup");
                append(list, (struct file){.path = copy, .type = FILE_IMPLIED_DIRECTORY, .content = ""});
        }
        copy = arena_alloc(list->arena, size + 1);
        check(copy, "arena_alloc");
        if (size > 0)
                memcpy(copy, content, size);
        path = arena_strdup(list->arena, path);
        check(path, "arena_strdup");
        append(list, (struct file){.path = path, .type = type, .content = copy, .size = size});
}

void files_write(struct files *files, const char *path, const char *content, size_t size) {
        ask(files, path, FILE_REGULAR, content, size);
}

void files_print(struct files *files, const char *path, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&text, format, arguments);
        va_end(arguments);
        check(n >= 0, "vasprintf");
        ask(files, path, FILE_REGULAR, text, (size_t)n);
}

void files_directory(struct files *files, const char *path) {
        ask(files, path, FILE_DIRECTORY, "", 0);
}

void files_link(struct files *files, const char *path, const char *target) {
        if (*target && strlen(target) < PATH_MAX)
                ask(files, path, FILE_LINK, target, strlen(target));
}

void files_fifo(struct files *files, const char *path) {
        ask(files, path, FILE_FIFO, "", 0);
}

/* --- in order */

/* What is in a directory comes right after it. */
static int compare_paths(const char *a, const char *b) {
        while (*a && *a == *b) {
                a++;
                b++;
        }
        return (*a == '/' ? 1 : (unsigned char)*a + (*a != 0)) - (*b == '/' ? 1 : (unsigned char)*b + (*b != 0));
}

/* Of one path the one that counts is last. */
static int compare_files(const void *a, const void *b) {
        const struct file *x = a, *y = b;
        int order = compare_paths(x->path, y->path);

        if (order != 0)
                return order;
        if ((x->type == FILE_IMPLIED_DIRECTORY) != (y->type == FILE_IMPLIED_DIRECTORY))
                return x->type == FILE_IMPLIED_DIRECTORY ? -1 : 1;
        return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_below(const char *path, const char *directory) {
        size_t n = strlen(directory);

        return strncmp(path, directory, n) == 0 && path[n] == '/';
}

static void sort(struct file_list *list) {
        const char *blocked = NULL;
        size_t n = 0;

        if (list->n > 0)
                qsort(list->items, list->n, sizeof(*list->items), compare_files);
        for (size_t i = 0; i < list->n; i++) {
                struct file *file = &list->items[i];

                if (i + 1 < list->n && strcmp(file->path, list->items[i + 1].path) == 0)
                        continue;
                if (blocked && is_below(file->path, blocked))
                        continue;
                if (file->type == FILE_IMPLIED_DIRECTORY)
                        file->type = FILE_DIRECTORY;
                if (file->type != FILE_DIRECTORY)
                        blocked = file->path;
                list->items[n++] = *file;
        }
        list->n = n;
}

/* --- on disk */

static void remove_file(int fd, const struct file *file) {
        check(unlinkat(fd, file->path, file->type == FILE_DIRECTORY ? AT_REMOVEDIR : 0) == 0, file->path);
}

static void write_content(int directory, const struct file *file) {
        _cleanup_(closep) int fd = openat(directory, file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        check(fd >= 0, file->path);
        check(write(fd, file->content, file->size) == (ssize_t)file->size, file->path);
}

static void make_file(int fd, const struct file *file) {
        switch (file->type) {
        case FILE_IMPLIED_DIRECTORY:
        case FILE_DIRECTORY: check(mkdirat(fd, file->path, 0700) == 0, file->path); break;
        case FILE_REGULAR: write_content(fd, file); break;
        case FILE_LINK: check(symlinkat(file->content, fd, file->path) == 0, file->path); break;
        case FILE_FIFO: check(mkfifoat(fd, file->path, 0600) == 0, file->path); break;
        }
}

/* A file is written anew in its place; what else is not the same goes first. */
static bool can_stay(const struct file *there, const struct file *wanted) {
        if (there->type != wanted->type)
                return false;
        return there->type != FILE_LINK || strcmp(there->content, wanted->content) == 0;
}

static bool is_same(const struct file *a, const struct file *b) {
        return a->type == b->type && a->size == b->size && memcmp(a->content, b->content, a->size) == 0;
}

/* From the end, so that a directory is empty when it goes. */
static void remove_rest(const struct files *files) {
        const struct file_list *there = &files->there, *wanted = &files->wanted;
        size_t j = wanted->n;

        for (size_t i = there->n; i-- > 0;) {
                const struct file *file = &there->items[i];

                while (j > 0 && compare_paths(wanted->items[j - 1].path, file->path) > 0)
                        j--;
                if (j == 0 || strcmp(wanted->items[j - 1].path, file->path) != 0 ||
                                !can_stay(file, &wanted->items[j - 1]))
                        remove_file(files->fd, file);
        }
}

static void make_rest(const struct files *files) {
        const struct file_list *there = &files->there, *wanted = &files->wanted;
        size_t i = 0;

        for (size_t j = 0; j < wanted->n; j++) {
                const struct file *file = &wanted->items[j];

                while (i < there->n && compare_paths(there->items[i].path, file->path) < 0)
                        i++;
                if (i == there->n || strcmp(there->items[i].path, file->path) != 0 || !is_same(&there->items[i], file))
                        make_file(files->fd, file);
        }
}

void files_commit(struct files *files) {
        struct file_list before = files->there;

        sort(&files->wanted);
        remove_rest(files);
        make_rest(files);
        files->there = files->wanted;
        files->wanted = before;
        reset(&files->wanted);
}
