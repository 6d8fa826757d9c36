/* SPDX-License-Identifier: MIT */

/*
 * Settings. They load, and each value is within its range; or there is an error that says why not, at a place in the
 * input, and nothing is returned.
 */

#include <errno.h>
#include <limits.h>
#include <syslog.h>

#include "config/settings.h"
#include "tests/fuzz/errors.h"
#include "tests/fuzz/fuzz.h"

/* What stands for a value that a wrong file must leave alone. */
#define UNTOUCHED 12345U

static void check_metrics_file(const char *path) {
        size_t n = strlen(path);

        FUZZ_CHECK(*path == '/' && n > strlen("/.prom") && n < PATH_MAX);
        FUZZ_CHECK(strcmp(path + n - strlen(".prom"), ".prom") == 0);
}

static void check_settings(const struct settings *s) {
        FUZZ_CHECK(s->settle_msec >= 10 && s->settle_msec <= 60000);
        FUZZ_CHECK(s->settle_max_msec >= s->settle_msec && s->settle_max_msec <= 600000);
        FUZZ_CHECK(s->reconcile_msec == 0 || (s->reconcile_msec >= 10000 && s->reconcile_msec <= 86400000));
        FUZZ_CHECK(s->worker_deadline_msec >= 1000 && s->worker_deadline_msec <= 600000);
        FUZZ_CHECK(s->workers >= 1 && s->workers <= 64);
        FUZZ_CHECK(s->on_stop == STOP_KEEP || s->on_stop == STOP_REVERT);
        FUZZ_CHECK((s->probe_budget_msec == 0) == (s->probe_budget_bytes == 0));
        FUZZ_CHECK(s->probe_budget_msec == 0 || (s->probe_budget_msec >= 1000 && s->probe_budget_msec <= 3600000));
        FUZZ_CHECK(s->probe_budget_bytes == 0 ||
                        (s->probe_budget_bytes >= 1U << 20 && s->probe_budget_bytes <= UINT64_C(1) << 50));
        FUZZ_CHECK(s->drift_limit >= 1 && s->drift_limit <= 60);
        FUZZ_CHECK(s->reassert_limit >= 1 && s->reassert_limit <= 20);
        FUZZ_CHECK(s->log_level >= LOG_ERR && s->log_level <= LOG_DEBUG);
        if (s->metrics_file)
                check_metrics_file(s->metrics_file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct settings_check check = {.path = ERRORS_INPUT, .settings.workers = UNTOUCHED};
        struct policy_errors errors = {};

        check.result = settings_load_text(ERRORS_INPUT, (const char *)data, size, &check.settings, &errors);
        FUZZ_CHECK(check.result == 0 || check.result == -EINVAL);
        FUZZ_CHECK((check.result == 0) == (errors.n_items == 0));
        if (check.result == 0)
                check_settings(&check.settings);
        else
                FUZZ_CHECK(check.settings.workers == UNTOUCHED && !check.settings.metrics_file);
        errors_check(&errors, size, NULL, &check);
        settings_done(&check.settings);
        policy_errors_done(&errors);
        return 0;
}
