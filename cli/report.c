/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>

#include "cli/color.h"
#include "cli/report.h"
#include "cli/text.h"
#include "common/change.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/units.h"

static int count_digits(uint64_t number) {
        int n = 1;

        for (; number >= 10; number /= 10)
                n++;
        return n;
}

static int print_side(FILE *stream, bool colors, enum color color, const char *title, uint64_t sectors, int digits) {
        _cleanup_(freep) char *escaped = printable_escape(title), *line = NULL;
        char size[UNITS_BUFFER];

        if (!escaped || asprintf(&line, "%c %s  %*" PRIu64 " sectors (%s)", color == COLOR_ADDED ? '+' : '-', escaped,
                                        digits, sectors, units_format_sectors(size, sectors)) < 0) {
                line = NULL;
                return -ENOMEM;
        }
        color_print(stream, colors, color, line);
        fputc('\n', stream);
        return 0;
}

int report_change(FILE *stream, const struct decision *decision, bool colors) {
        uint64_t before = (uint64_t)opt_or(decision->layer->readahead_sectors, 0);
        uint64_t after = (uint64_t)opt_or(decision->target.sectors, 0);
        int digits = count_digits(before > after ? before : after);
        _cleanup_(freep) char *title = change_title(decision->layer);

        if (!title || print_side(stream, colors, COLOR_REMOVED, title, before, digits) < 0 ||
                        print_side(stream, colors, COLOR_ADDED, title, after, digits) < 0)
                return -ENOMEM;
        text_print_wrapped(stream, 2, 4, "rule '%s'%s%s", decision->rule ?: "", decision->reason ? ": " : "",
                        decision->reason ?: "");
        return 0;
}

int report_held(FILE *stream, const struct plan *plan, bool colors) {
        for (size_t i = 0; i < plan->n_decisions; i++) {
                const struct decision *decision = &plan->decisions[i];
                _cleanup_(freep) char *title = NULL;

                if (decision->action != ACTION_HOLD)
                        continue;
                title = text_layer_title(decision->layer);
                if (!title)
                        return -ENOMEM;
                color_print(stream, colors, COLOR_HELD, "held");
                text_print(stream, ": %s: %s", title, decision->reason ?: "");
        }
        return 0;
}

int report_plan(FILE *stream, const struct plan *plan, bool colors) {
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (decision_is_change(&plan->decisions[i]) && report_change(stream, &plan->decisions[i], colors) < 0)
                        return -ENOMEM;
        if (report_held(stream, plan, colors) < 0)
                return -ENOMEM;
        if (plan->n_changes == 0) {
                text_print(stream, "Nothing to change.");
                return 0;
        }
        fputc('\n', stream);
        text_print(stream, "%zu to change, %zu held", plan->n_changes, plan->n_held);
        return 0;
}
