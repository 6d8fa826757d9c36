/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include "config/policy-error.h"
#include "config/policy-file.h"
#include "config/settings-read.h"

#define SETTINGS_NAME    "setrad.yaml"
#define POLICY_DIRECTORY "policy.d"

DEFINE_CLEANUP(struct settings *, settings_done);

void settings_init_defaults(struct settings *settings) {
        *settings = (struct settings){
                        .settle_msec = 200,
                        .settle_max_msec = 1000,
                        .reconcile_msec = UINT64_C(5) * 60 * 1000,
                        .worker_deadline_msec = UINT64_C(10) * 1000,
                        .workers = 16,
                        .on_stop = STOP_KEEP,
                        .probe_budget_msec = UINT64_C(3) * 60 * 1000,
                        .probe_budget_bytes = UINT64_C(16) << 30,
                        .drift_limit = 6,
                        .reassert_limit = 3,
                        .log_level = LOG_INFO,
        };
}

void settings_done(struct settings *settings) {
        free(settings->metrics_file);
        settings->metrics_file = NULL;
}

/* Nothing but comments, or a document that somebody has begun and not gone on with. */
static bool is_empty(const struct tree_node *root) {
        return !root || (root->type == TREE_TEXT && root->plain && !*root->text);
}

static int read_text(const char *name, const char *text, size_t length, struct settings *settings,
                struct policy_errors *errors) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct policy_reader reader = {.file = name, .errors = errors, .arena = arena};
        const struct tree_node *root = NULL;
        int r;

        if (!arena)
                return -ENOMEM;
        r = tree_parse(arena, name, text, length, errors, &root);
        if (r < 0 || is_empty(root))
                return r;
        return settings_read(&reader, root, settings);
}

int settings_load_text(
                const char *name, const char *text, size_t length, struct settings *ret, struct policy_errors *errors) {
        struct settings settings;
        _cleanup_(settings_donep) struct settings *owned = &settings;
        size_t first = errors->n_items;
        int r;

        settings_init_defaults(&settings);
        r = read_text(name, text, length, &settings, errors);
        policy_errors_sort(errors, first);
        if (r == 0 || r == -EINVAL)
                r = policy_join(r, policy_errors_set_lines(errors, first, text, length));
        if (r < 0)
                return r;
        *ret = settings;
        owned = NULL;
        return 0;
}

static bool is_missing(const char *path) {
        struct stat st;

        return lstat(path, &st) < 0 && errno == ENOENT;
}

int settings_load_file(const char *path, struct settings *ret, struct policy_errors *errors) {
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        int r;

        r = policy_file_read(path, errors, &text, &length);
        if (r < 0)
                return r;
        return settings_load_text(path, text ?: "", length, ret, errors);
}

int settings_load(const char *path, struct settings *ret, struct policy_errors *errors) {
        if (!is_missing(path))
                return settings_load_file(path, ret, errors);
        settings_init_defaults(ret);
        return 0;
}

/* Whether the first N bytes of PATH are a directory of policies. */
static bool is_policy_directory(const char *path, size_t n) {
        size_t n_name = strlen(POLICY_DIRECTORY);

        while (n > 0 && path[n - 1] == '/')
                n--;
        return n >= n_name && strncmp(path + n - n_name, POLICY_DIRECTORY, n_name) == 0 &&
               (n == n_name || path[n - n_name - 1] == '/');
}

static bool has_name(const char *path) {
        const char *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;

        return strcmp(name, SETTINGS_NAME) == 0 && !is_policy_directory(path, (size_t)(name - path));
}

bool settings_recognize(const char *path) {
        _cleanup_(policy_errors_done) struct policy_errors ignored = {};
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        _cleanup_(freep) char *text = NULL;
        const struct tree_node *root = NULL;
        size_t length = 0;

        if (has_name(path))
                return true;
        if (!arena || policy_file_read(path, &ignored, &text, &length) != 0 ||
                        tree_parse(arena, path, text, length, &ignored, &root) < 0 || !root)
                return false;
        return settings_has_keys(root);
}
