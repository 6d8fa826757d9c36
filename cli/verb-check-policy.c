/* SPDX-License-Identifier: MIT */

/* setractl check-policy: whether policy files are right, without looking at a machine. */

#include <errno.h>
#include <string.h>

#include "cli/excerpt.h"
#include "cli/json.h"
#include "cli/text.h"
#include "cli/verb.h"

static const char *plural(size_t n) {
        return n == 1 ? "" : "s";
}

static int load(const struct options *options, struct policy **ret, struct policy_errors *errors) {
        static const char *const directories[] = {POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL, NULL};

        if (options->n_arguments == 0)
                return policy_load_directories(directories, ret, errors);
        return policy_load_files((const char *const *)options->arguments, options->n_arguments, ret, errors);
}

/* What went wrong with the program, not with a file. */
static bool is_trouble(int r, const struct policy_errors *errors) {
        if (r >= 0 || errors->n_items > 0)
                return false;
        text_error("cannot check the policy: %s", strerror(-r));
        return true;
}

enum exit_status verb_check_policy(struct context *context) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        size_t n_rules, n_files;
        int r, printed;

        r = load(&context->options, &context->policy, &errors);
        if (is_trouble(r, &errors))
                return STATUS_FAILED;
        if (context->options.json) {
                printed = json_print(stdout, json_policy(context->policy, &errors));
                if (printed == -ENOMEM)
                        text_error("cannot write JSON: %s", strerror(ENOMEM));
                return r < 0 || printed < 0 ? STATUS_FAILED : STATUS_DONE;
        }
        if (r < 0) {
                excerpt_print(stderr, &errors);
                return STATUS_FAILED;
        }
        n_rules = policy_count_rules(context->policy);
        n_files = policy_count_files(context->policy);
        text_print(stdout, "%zu rule%s from %zu file%s: good", n_rules, plural(n_rules), n_files, plural(n_files));
        return STATUS_DONE;
}
