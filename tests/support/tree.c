/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tree.h"

struct tree {
        char *path;
        int fd;
};

static void check(bool ok, const char *what) {
        if (ok)
                return;
        fprintf(stderr, "test tree: %s: %s\n", what, strerror(errno));
        abort();
}

struct tree *tree_new(void) {
        const char *directory = getenv("TMPDIR");
        struct tree *tree = calloc(1, sizeof(*tree));

        check(tree, "calloc");
        check(asprintf(&tree->path, "%s/setrad-test-XXXXXX", directory ?: "/tmp") >= 0, "asprintf");
        check(mkdtemp(tree->path), tree->path);
        tree->fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        check(tree->fd >= 0, tree->path);
        return tree;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk) {
        return remove(path);
}

void tree_free(struct tree *tree) {
        if (!tree)
                return;
        close(tree->fd);
        check(nftw(tree->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0, tree->path);
        free(tree->path);
        free(tree);
}

const char *tree_path(const struct tree *tree) {
        return tree->path;
}

static void make_parents(struct tree *tree, const char *path) {
        _cleanup_(freep) char *parent = strdup(path);

        check(parent, "strdup");
        for (char *slash = strchr(parent, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = 0;
                check(mkdirat(tree->fd, parent, 0755) == 0 || errno == EEXIST, parent);
                *slash = '/';
        }
}

void tree_write_bytes(struct tree *tree, const char *path, const void *bytes, size_t size) {
        int fd;

        make_parents(tree, path);
        fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        check(fd >= 0, path);
        check(write(fd, bytes, size) == (ssize_t)size, path);
        check(close(fd) == 0, path);
}

void tree_write(struct tree *tree, const char *path, const char *text) {
        tree_write_bytes(tree, path, text, strlen(text));
}

void tree_link(struct tree *tree, const char *path, const char *target) {
        make_parents(tree, path);
        check(symlinkat(target, tree->fd, path) == 0, path);
}

void tree_directory(struct tree *tree, const char *path) {
        make_parents(tree, path);
        check(mkdirat(tree->fd, path, 0755) == 0 || errno == EEXIST, path);
}

void tree_fifo(struct tree *tree, const char *path) {
        make_parents(tree, path);
        check(mkfifoat(tree->fd, path, 0644) == 0, path);
}

void tree_remove(struct tree *tree, const char *path) {
        check(unlinkat(tree->fd, path, 0) == 0, path);
}

void tree_write_all(struct tree *tree, const struct tree_file *files, size_t n) {
        for (size_t i = 0; i < n; i++)
                tree_write(tree, files[i].path, files[i].text);
}
