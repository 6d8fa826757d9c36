/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "cli/excerpt.h"
#include "common/cleanup.h"
#include "config/policy-error.h"
#include "tests/fuzz/errors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/output.h"

/* One input of that many, by its length: it takes as long as all else. */
#define SHOWN_OF 4

static void check_error(const struct policy_error *error, size_t size) {
        _cleanup_(freep) char *line = policy_error_format(error);

        FUZZ_CHECK(line && *error->text && !strchr(line, '\n'));
        FUZZ_CHECK(error->line <= size + 1 && error->column <= size + 1);
}

static void print(const struct policy_errors *errors) {
        struct output output;

        output_begin(&output);
        excerpt_print(output.stream, errors);
        output_end(&output);
}

void errors_check(struct policy_errors *errors, size_t size, const struct policy *policy,
                const struct settings_check *settings) {
        for (size_t i = 0; i < errors->n_items; i++)
                check_error(&errors->items[i], size);
        if (size % SHOWN_OF > 0)
                return;
        if (errors->n_items > 0)
                print(errors);
        FUZZ_CHECK(policy_errors_add_file(errors, ERRORS_INPUT) == 0);
        output_check_json(json_check(policy, settings, settings ? 1 : 0, errors));
}
