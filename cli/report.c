/* SPDX-License-Identifier: MIT */

#include "cli/report.h"
#include "cli/text.h"
#include "common/change.h"
#include "common/cleanup.h"

/* In the words that apply and the daemon have for it when it is made. */
static void report_change(FILE *stream, const struct decision *decision) {
        const struct apply_result as_planned = {
                        .step = APPLY_DONE,
                        .before_sectors = (uint64_t)opt_or(decision->layer->readahead_sectors, 0),
                        .after_sectors = (uint64_t)opt_or(decision->target.sectors, 0),
                        .changed = true,
        };
        _cleanup_(freep) char *sentence = change_sentence(decision, &as_planned);

        text_print(stream, "%s [%s]", sentence ?: "", decision->rule ?: "");
}

void report_held(FILE *stream, const struct plan *plan) {
        for (size_t i = 0; i < plan->n_decisions; i++) {
                const struct decision *decision = &plan->decisions[i];
                _cleanup_(freep) char *title = NULL;

                if (decision->action != ACTION_HOLD)
                        continue;
                title = text_layer_title(decision->layer);
                text_print(stream, "held: %s: %s", title ?: "", decision->reason ?: "");
        }
}

void report_plan(FILE *stream, const struct plan *plan) {
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (decision_is_change(&plan->decisions[i]))
                        report_change(stream, &plan->decisions[i]);
        report_held(stream, plan);
        if (plan->n_changes == 0)
                text_print(stream, "Nothing to change.");
}
