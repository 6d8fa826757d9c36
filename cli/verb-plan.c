/* SPDX-License-Identifier: MIT */

/* setractl plan: what would be changed, and why. */

#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/verb.h"

static int print_plan(const struct context *context) {
        const struct advice advice = advice_for(context, true);
        int r;

        r = report_plan(stdout, &context->survey->plan, context->colors);
        if (r == 0 && isatty(STDOUT_FILENO))
                advice_print(stdout, &advice);
        return r;
}

enum exit_status verb_plan(struct context *context) {
        const struct options *options = &context->options;
        int r;

        r = context_survey(context, POLICY_ANY);
        if (r < 0)
                return STATUS_FAILED;
        r = options->json ? json_print(stdout, json_plan(context->survey)) : print_plan(context);
        if (r < 0) {
                text_error("cannot print the plan: %s", strerror(-r));
                return STATUS_FAILED;
        }
        return options->check && context->survey->plan.n_changes > 0 ? STATUS_WOULD_CHANGE : STATUS_DONE;
}
