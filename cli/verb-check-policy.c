/* SPDX-License-Identifier: MIT */

/* setractl check-policy: whether files of policy and settings are right, without looking at a machine. */

#include <errno.h>
#include <string.h>

#include "cli/excerpt.h"
#include "cli/json.h"
#include "cli/text.h"
#include "cli/verb.h"

/* What is checked, and what came of it. */
struct check {
        const char **policies; /* as given; none: what is installed */
        size_t n_policies;
        struct settings_check *settings;
        size_t n_settings;
        bool installed, no_settings; /* what is installed is checked; and it has no file of settings */
        struct policy *policy;       /* NULL: wrong, or none was given */
        struct policy_errors errors;
        int result; /* the first thing that went wrong, but a lack of memory before all else */
};

static void check_done(struct check *check) {
        for (size_t i = 0; i < check->n_settings; i++)
                settings_done(&check->settings[i].settings);
        free(check->settings);
        free(check->policies);
        policy_free(check->policy);
        policy_errors_done(&check->errors);
}

static const char *plural(size_t n) {
        return n == 1 ? "" : "s";
}

/* Sorts out which of the files named are which. Returns 0 or -ENOMEM. */
static int check_init(struct check *check, const struct options *options) {
        size_t n = options->n_arguments;

        check->installed = n == 0;
        check->policies = calloc(n + 1, sizeof(*check->policies));
        check->settings = calloc(n + 1, sizeof(*check->settings));
        if (!check->policies || !check->settings)
                return -ENOMEM;
        if (check->installed)
                check->settings[check->n_settings++].path = SETTINGS_FILE;
        for (size_t i = 0; i < n; i++) {
                if (settings_recognize(options->arguments[i]))
                        check->settings[check->n_settings++].path = options->arguments[i];
                else
                        check->policies[check->n_policies++] = options->arguments[i];
        }
        return 0;
}

static void note_result(struct check *check, int r) {
        if (check->result >= 0 || r == -ENOMEM)
                check->result = r < 0 ? r : check->result;
}

static int load_policy(struct check *check) {
        static const char *const directories[] = {POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL, NULL};

        if (check->installed)
                return policy_load_directories(directories, &check->policy, &check->errors);
        if (check->n_policies == 0)
                return 0;
        return policy_load_files(check->policies, check->n_policies, &check->policy, &check->errors);
}

static int load_settings(struct check *check, struct settings_check *settings) {
        size_t n_files = check->errors.n_files;
        int r;

        if (!check->installed)
                return settings_load_file(settings->path, &settings->settings, &check->errors);
        r = settings_load(settings->path, &settings->settings, &check->errors);
        check->no_settings = check->errors.n_files == n_files;
        return r;
}

static void check_run(struct check *check) {
        note_result(check, load_policy(check));
        for (size_t i = 0; i < check->n_settings; i++) {
                check->settings[i].result = load_settings(check, &check->settings[i]);
                note_result(check, check->settings[i].result);
        }
}

static void print_good(const struct check *check) {
        if (check->policy) {
                size_t n_rules = policy_count_rules(check->policy), n_files = policy_count_files(check->policy);

                text_print(stdout, "%zu rule%s from %zu file%s: good", n_rules, plural(n_rules), n_files,
                                plural(n_files));
        }
        for (size_t i = 0; i < check->n_settings; i++)
                text_print(stdout,
                                check->no_settings ? "no %s: all settings have their defaults"
                                                   : "settings from %s: good",
                                check->settings[i].path);
}

static enum exit_status report(const struct check *check, const struct options *options) {
        int r = 0;

        /* What went wrong with the program, not with a file. */
        if (check->result < 0 && check->errors.n_items == 0) {
                text_error("cannot check the files: %s", strerror(-check->result));
                return STATUS_FAILED;
        }
        if (options->json) {
                r = json_print(stdout, json_check(check->policy, check->settings, check->n_settings, &check->errors));
                if (r == -ENOMEM)
                        text_error("cannot write JSON: %s", strerror(ENOMEM));
        } else if (check->result < 0) {
                excerpt_print(stderr, &check->errors);
        } else {
                print_good(check);
        }
        return check->result < 0 || r < 0 ? STATUS_FAILED : STATUS_DONE;
}

enum exit_status verb_check_policy(struct context *context) {
        _cleanup_(check_done) struct check check = {};
        int r;

        r = check_init(&check, &context->options);
        if (r < 0)
                note_result(&check, r);
        else
                check_run(&check);
        return report(&check, &context->options);
}
