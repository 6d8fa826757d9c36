/* SPDX-License-Identifier: MIT */

/* Finds and reads the files of a policy. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "config/policy-error.h"
#include "config/policy-rule.h"
#include "config/policy-shadow.h"

#define POLICY_SUFFIX ".yaml"

DEFINE_CLEANUP(DIR *, closedir);

/* A file that counts: not masked by one of the same name in a later directory. */
struct policy_file {
        const char *name, *path;
        unsigned directory;
        struct policy_file *next;
};

static int policy_new(struct policy **ret) {
        _cleanup_(policy_freep) struct policy *policy = calloc(1, sizeof(*policy));

        if (!policy)
                return -ENOMEM;
        policy->arena = arena_new();
        if (!policy->arena)
                return -ENOMEM;
        *ret = TAKE_PTR(policy);
        return 0;
}

static int read_text(struct policy *policy, const char *name, const char *text, size_t length,
                struct policy_errors *errors) {
        _cleanup_(arena_freep) struct arena *tree_arena = arena_new();
        struct policy_reader reader = {.errors = errors, .arena = policy->arena, .index = &policy->index};
        const struct tree_node *root = NULL;
        int r;

        reader.file = arena_strdup(policy->arena, name);
        if (!tree_arena || !reader.file)
                return -ENOMEM;
        r = tree_parse(tree_arena, name, text, length, errors, &root);
        if (r < 0)
                return r;
        if (!root)
                return policy_errors_add(errors, name, 0, 0,
                                "no policy in this file: it begins with version: %s and rules:", POLICY_VERSION);
        return policy_read_rules(&reader, root, policy);
}

static int add_text(struct policy *policy, const char *name, const char *text, size_t length,
                struct policy_errors *errors) {
        const struct policy_rule *last = policy->last;
        size_t first = errors->n_items;
        int r;

        r = read_text(policy, name, text, length, errors);
        if (r == 0 || r == -EINVAL)
                r = policy_join(r, policy_check_shadows(policy, last ? last->next : policy->rules, errors));
        policy_errors_sort(errors, first);
        if (r == 0 || r == -EINVAL)
                r = policy_join(r, policy_errors_set_lines(errors, first, text, length));
        if (r < 0)
                return r;
        policy->n_files++;
        return 0;
}

/* As much of the file as there is, and one byte more than is allowed, by which too much shows. */
static int read_all(int fd, char *buffer, size_t size, size_t *ret_length) {
        size_t length = 0;

        while (length < size) {
                ssize_t n = read(fd, buffer + length, size - length);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                length += (size_t)n;
        }
        *ret_length = length;
        return 0;
}

static bool is_dev_null(const struct stat *st) {
        return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Opens a regular file without waiting for anything. Returns 0, 1 if it is /dev/null, or a negative errno. */
static int open_file(const char *path, int *ret) {
        _cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (is_dev_null(&st))
                return 1;
        if (!S_ISREG(st.st_mode))
                return S_ISDIR(st.st_mode) ? -EISDIR : -EBADF;
        *ret = TAKE_FD(fd);
        return 0;
}

/* An error of the system about a file as a whole. Returns R, so that the caller can tell what it was. */
static int add_system_error(struct policy_errors *errors, const char *path, int r) {
        const char *what = r == -EBADF ? "Not a regular file" : strerror(-r);
        int added;

        if (r == -ENOENT)
                what = "No such file, or a link that leads nowhere";
        added = policy_errors_add(errors, path, 0, 0, "cannot read it: %s", what);
        return added == -ENOMEM ? added : r;
}

static int empty_file(const char *path, struct policy_errors *errors) {
        return policy_errors_add(errors, path, 0, 0,
                        "empty: a policy begins with version: %s and rules: (a link to /dev/null switches a file off)",
                        POLICY_VERSION);
}

/* Returns 0, 1 if the file is /dev/null, or a negative errno with an error added. */
static int add_file(struct policy *policy, const char *path, struct policy_errors *errors) {
        _cleanup_(freep) char *buffer = NULL;
        _cleanup_(closep) int fd = -1;
        size_t length = 0;
        int r, opened;

        opened = open_file(path, &fd);
        if (opened > 0)
                return 1;
        r = policy_errors_add_file(errors, path);
        if (r < 0)
                return r;
        if (opened < 0)
                return add_system_error(errors, path, opened);

        buffer = malloc(TREE_BYTES_MAX + 1);
        if (!buffer)
                return -ENOMEM;
        r = read_all(fd, buffer, TREE_BYTES_MAX + 1, &length);
        if (r < 0)
                return add_system_error(errors, path, r);
        if (length == 0)
                return empty_file(path, errors);
        return add_text(policy, path, buffer, length, errors);
}

int policy_load_text(
                const char *name, const char *text, size_t length, struct policy **ret, struct policy_errors *errors) {
        _cleanup_(policy_freep) struct policy *policy = NULL;
        int r;

        r = policy_new(&policy);
        if (r < 0)
                return r;
        r = add_text(policy, name, text, length, errors);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(policy);
        return 0;
}

/* A file that somebody has named has to hold a policy. */
static int add_named_file(struct policy *policy, const char *path, struct policy_errors *errors) {
        int r;

        r = add_file(policy, path, errors);
        if (r <= 0)
                return r;
        r = policy_errors_add_file(errors, path);
        return r < 0 ? r : empty_file(path, errors);
}

int policy_load_files(const char *const *paths, size_t n_paths, struct policy **ret, struct policy_errors *errors) {
        _cleanup_(policy_freep) struct policy *policy = NULL;
        int r;

        r = policy_new(&policy);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n_paths; i++) {
                int added = add_named_file(policy, paths[i], errors);

                if (added == -ENOMEM)
                        return added;
                if (r == 0)
                        r = added;
        }
        if (r < 0)
                return r;
        *ret = TAKE_PTR(policy);
        return 0;
}

int policy_load_file(const char *path, struct policy **ret, struct policy_errors *errors) {
        return policy_load_files(&path, 1, ret, errors);
}

static bool is_policy_name(const char *name) {
        size_t n = strlen(name), n_suffix = strlen(POLICY_SUFFIX);

        return *name != '.' && n > n_suffix && strcmp(name + n - n_suffix, POLICY_SUFFIX) == 0;
}

/* Puts a file in its place by name, instead of one that it masks. */
static int insert_file(struct policy_file **files, struct arena *arena, const char *directory, unsigned number,
                const char *name) {
        struct policy_file **at = files;
        const char *path = arena_printf(arena, "%s/%s", directory, name);
        struct policy_file *file;

        if (!path)
                return -ENOMEM;
        while (*at && strcmp((*at)->name, name) < 0)
                at = &(*at)->next;
        if (*at && strcmp((*at)->name, name) == 0) {
                (*at)->path = path;
                (*at)->directory = number;
                return 0;
        }

        file = arena_alloc(arena, sizeof(*file));
        if (!file)
                return -ENOMEM;
        *file = (struct policy_file){.name = arena_strdup(arena, name), .path = path, .directory = number, .next = *at};
        if (!file->name)
                return -ENOMEM;
        *at = file;
        return 0;
}

/* A directory that does not exist is empty. Returns 0 or a negative errno. */
static int list_directory(const char *directory, unsigned number, struct arena *arena, struct policy_file **files) {
        _cleanup_(closedirp) DIR *dir = opendir(directory);

        if (!dir)
                return errno == ENOENT ? 0 : -errno;
        for (;;) {
                const struct dirent *entry;
                int r;

                errno = 0;
                entry = readdir(dir);
                if (!entry)
                        return -errno;
                if (!is_policy_name(entry->d_name))
                        continue;
                r = insert_file(files, arena, directory, number, entry->d_name);
                if (r < 0)
                        return r;
        }
}

static int list_directories(const char *const *directories, struct arena *arena, struct policy_errors *errors,
                struct policy_file **ret) {
        *ret = NULL;
        for (unsigned i = 0; directories[i]; i++) {
                int r = list_directory(directories[i], i, arena, ret);

                if (r < 0)
                        return add_system_error(errors, directories[i], r);
        }
        return 0;
}

static int no_files(const char *const *directories, struct policy_errors *errors) {
        size_t n = 0;
        int r;

        while (directories[n])
                n++;
        r = policy_errors_add(errors, n > 0 ? directories[n - 1] : "policy", 0, 0,
                        "no policy file: there is no NAME.yaml here%s", n > 1 ? ", nor in the directories before" : "");
        return r == -EINVAL ? -ENOENT : r;
}

/* All files, in spite of errors in some. */
static int add_files(struct policy *policy, const struct policy_file *files, struct policy_errors *errors) {
        int r = 0;

        for (const struct policy_file *file = files; file; file = file->next) {
                int added;

                policy->directory = file->directory;
                added = add_file(policy, file->path, errors);
                if (added == -ENOMEM)
                        return added;
                /* -ENOENT is for a policy without files, not for a link that leads nowhere. */
                if (added < 0 && r == 0)
                        r = added == -ENOENT ? -EINVAL : added;
        }
        return r;
}

int policy_load_directories(const char *const *directories, struct policy **ret, struct policy_errors *errors) {
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct policy_file *files;
        int r;

        if (!arena)
                return -ENOMEM;
        r = policy_new(&policy);
        if (r < 0)
                return r;
        r = list_directories(directories, arena, errors, &files);
        if (r < 0)
                return r;
        if (!files)
                return no_files(directories, errors);
        r = add_files(policy, files, errors);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(policy);
        return 0;
}
