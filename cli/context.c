/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/context.h"
#include "cli/excerpt.h"
#include "cli/text.h"
#include "common/capture.h"
#include "common/discover.h"

/* A change is only made by a policy that somebody has installed; what is shown may be by the built-in one. */
static int load_installed(struct policy **ret, struct policy_errors *errors, enum policy_need need) {
        static const char *const directories[] = {POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL, NULL};
        int r;

        r = policy_load_directories(directories, ret, errors);
        if (r != -ENOENT)
                return r;
        policy_errors_done(errors);
        if (need == POLICY_INSTALLED) {
                text_error("no policy is installed (no *.yaml in %s or %s): nothing says what to change; give one "
                           "with --policy FILE",
                                POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL);
                return r;
        }
        text_note("no policy is installed (no *.yaml in %s or %s): shown is what the built-in one would do",
                        POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL);
        return policy_load_builtin(ret, errors);
}

static int load_policy(struct context *context, enum policy_need need) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        int r;

        if (context->options.policy)
                r = policy_load_file(context->options.policy, &context->policy, &errors);
        else
                r = load_installed(&context->policy, &errors, need);
        if (r < 0)
                excerpt_print(stderr, &errors);
        if (r < 0 && (r == -ENOMEM || errors.n_items == 0))
                text_error("cannot read the policy: %s", strerror(-r));
        return r;
}

int context_open(struct context *context) {
        const char *path = context->options.root;
        _cleanup_(freep) char *reason = NULL;
        int r;

        r = capture_open(path, &context->root, &reason);
        if (r < 0)
                text_error("cannot open %s: %s", path ? path : "/", reason ?: strerror(-r));
        return r;
}

int context_check_discovery(const struct context *context, int r) {
        const char *path = context->options.root;
        const char *what = sysroot_failures(context->root)->error == r ? sysroot_failures(context->root)->path : "";

        if (r == -ENOENT)
                text_error(path ? "%s has no sys directory: it is no captured root" : "%s has no sysfs mounted",
                                path ? path : "this machine");
        else if (r < 0)
                text_error("cannot read the block devices of %s: %s%s%s", path ? path : "this machine", what,
                                *what ? ": " : "", strerror(-r));
        return r;
}

void context_print_notes(const struct topology *topology) {
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                text_note("%s", note->text);
}

int context_discover(struct context *context, enum policy_need need, struct topology **ret) {
        int r;

        r = load_policy(context, need);
        if (r < 0)
                return r;
        r = context_open(context);
        if (r < 0)
                return r;
        r = context_check_discovery(context, discover(context->root, ret));
        if (r < 0)
                return r;
        context_print_notes(*ret);
        return 0;
}

int context_work_out(struct context *context, struct topology *topology) {
        return context_check_discovery(context, survey_topology(topology, context->policy, &context->survey));
}

int context_survey(struct context *context, enum policy_need need) {
        struct topology *topology;
        int r;

        r = context_discover(context, need, &topology);
        return r < 0 ? r : context_work_out(context, topology);
}

void context_done(struct context *context) {
        survey_unrefp(&context->survey);
        policy_freep(&context->policy);
        sysroot_freep(&context->root);
        *context = (struct context){};
}
