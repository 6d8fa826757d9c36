/* SPDX-License-Identifier: MIT */

#include <unistd.h>

#include "cli/advice.h"
#include "cli/text.h"

static size_t count_warnings(const struct findings *findings) {
        size_t n = 0;

        for (size_t i = 0; i < findings->n_items; i++)
                n += findings->items[i].severity == SEVERITY_WARNING;
        return n;
}

struct advice advice_for(const struct context *context, bool shows_plan) {
        bool live = sysroot_is_live(context->root);

        return (struct advice){
                        .n_changes = context->survey->plan.n_changes,
                        .n_warnings = count_warnings(&context->survey->findings),
                        .other_options = !live || context->options.policy,
                        .is_root = geteuid() == 0,
                        .shows_plan = shows_plan,
                        .service = live ? service_state(context->root) : SERVICE_UNKNOWN,
        };
}

static void print_changes(FILE *stream, const struct advice *advice) {
        const char *s = advice->n_changes == 1 ? "" : "s", *them = advice->n_changes == 1 ? "it" : "them";
        const char *as_root = advice->is_root ? "" : ", as root";

        if (advice->other_options) {
                if (!advice->shows_plan)
                        text_print(stream, "'setractl plan' with the same options shows the change%s.", s);
        } else if (advice->shows_plan)
                text_print(stream, "'setractl apply' makes %s%s.", them, as_root);
        else
                text_print(stream, "'setractl plan' shows the change%s, 'setractl apply' makes %s%s.", s, them,
                                as_root);
}

void advice_print(FILE *stream, const struct advice *advice) {
        if (advice->n_changes > 0)
                print_changes(stream, advice);
        else if (advice->n_warnings > 0 && !advice->shows_plan)
                text_print(stream, "'setractl explain DEV' says more about a device, and what to type.");
        if (advice->service == SERVICE_STOPPED)
                text_print(stream, "The service is not running: 'systemctl enable --now setrad' starts it.");
}
