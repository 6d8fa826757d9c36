/* SPDX-License-Identifier: MIT */

/* Finds and reads the files of a policy. */

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-file.h"
#include "config/policy-rule.h"
#include "config/policy-shadow.h"

#define POLICY_SUFFIX ".yaml"

/* In all directories: nobody writes so many, but somebody may copy what is no policy there. */
#define POLICY_FILES_MAX 1000U

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
        if (r == 0 || r == -EINVAL)
                r = policy_join(r, policy_errors_sort(errors, first));
        if (r == 0 || r == -EINVAL)
                r = policy_join(r, policy_errors_set_lines(errors, first, text, length));
        if (r < 0)
                return r;
        policy->n_files++;
        return 0;
}

static int empty_file(const char *path, struct policy_errors *errors) {
        return policy_errors_add(errors, path, 0, 0,
                        "empty: a policy begins with version: %s and rules: (a link to /dev/null switches a file off)",
                        POLICY_VERSION);
}

/* Returns 0, 1 if the file is /dev/null, or a negative errno with an error added. */
static int add_file(struct policy *policy, const char *path, struct policy_errors *errors) {
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        int r;

        r = policy_file_read(path, errors, &text, &length);
        if (r != 0)
                return r;
        if (length == 0)
                return empty_file(path, errors);
        return add_text(policy, path, text, length, errors);
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

/* A directory that does not exist is empty. *N counts up. Returns 0, -EOVERFLOW for too many, or a negative errno. */
static int list_directory(
                const char *directory, unsigned number, struct arena *arena, struct policy_file **files, unsigned *n) {
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
                if (++*n > POLICY_FILES_MAX)
                        return -EOVERFLOW;
                r = insert_file(files, arena, directory, number, entry->d_name);
                if (r < 0)
                        return r;
        }
}

static int list_directories(const char *const *directories, struct arena *arena, struct policy_errors *errors,
                struct policy_file **ret) {
        unsigned n = 0;

        *ret = NULL;
        for (unsigned i = 0; directories[i]; i++) {
                int r = list_directory(directories[i], i, arena, ret, &n);

                if (r == -EOVERFLOW)
                        return policy_errors_add(errors, directories[i], 0, 0,
                                        "more than %u policy files here and in the directories before",
                                        POLICY_FILES_MAX);
                if (r < 0)
                        return policy_file_error(errors, directories[i], r);
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
