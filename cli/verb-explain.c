/* SPDX-License-Identifier: MIT */

/* setractl explain: one page about one layer. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/explain.h"
#include "cli/find-layer.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"

enum exit_status verb_explain(struct context *context) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct explanation explanation;
        const struct layer *layer;
        int r;

        if (context_survey(context, POLICY_ANY) < 0)
                return STATUS_FAILED;
        layer = find_layer(context, context->options.arguments[0]);
        if (!layer)
                return STATUS_FAILED;
        r = !arena ? -ENOMEM
                   : explain_build(context->survey, context->policy, context->options.policy, layer, arena,
                                     &explanation);
        if (r == 0)
                r = context->options.json ? json_print(stdout, json_explain(&explanation))
                                          : explain_print(stdout, &explanation, context->colors,
                                                            terminal_table_columns(STDOUT_FILENO));
        if (r < 0) {
                text_error("cannot explain '%s': %s", context->options.arguments[0], strerror(-r));
                return STATUS_FAILED;
        }
        return STATUS_DONE;
}
