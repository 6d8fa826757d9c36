/* SPDX-License-Identifier: MIT */

/* Settings and policy: the new ones are in force as a whole, or the old ones stay. */

#include <string.h>
#include <syslog.h>

#include "daemon/entry.h"
#include "daemon/journal.h"
#include "daemon/manager-private.h"

static void load_policy(struct manager *manager) {
        const char *const directories[] = {POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL, NULL};
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        struct policy *policy = NULL;
        int r;

        r = policy_load_directories(directories, &policy, &errors);
        if (r < 0) {
                journal_policy_refused(r, &errors, manager->policy);
                return;
        }
        policy_freep(&manager->policy);
        manager->policy = policy;
        journal_policy_loaded(policy);
}

static void apply_settings(struct manager *manager) {
        const struct settings *settings = &manager->settings;
        const struct schedule_times times = {
                        .settle_usec = settings->settle_msec * 1000,
                        .settle_max_usec = settings->settle_max_msec * 1000,
                        .reconcile_usec = settings->reconcile_msec * 1000,
        };
        const struct changes_limits limits = {
                        .workers = settings->workers,
                        .deadline_msec = (unsigned)settings->worker_deadline_msec,
                        .resets_per_hour = settings->drift_limit,
                        .reasserts_per_hour = settings->reassert_limit,
                        .probe_usec = settings->probe_budget_msec > 0 ? settings->probe_budget_msec * 1000 : UINT64_MAX,
                        .probe_bytes = settings->probe_budget_bytes > 0 ? settings->probe_budget_bytes : UINT64_MAX,
        };
        int r;

        entry_set_level(settings->log_level);
        changes_set_limits(manager->changes, &limits);
        r = schedule_set_times(manager->schedule, &times);
        if (r < 0)
                journal_printf(LOG_ERR, "the interval of scans can't be set: %s", strerror(-r));
}

static void load_settings(struct manager *manager) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        struct settings settings;
        int r;

        r = settings_load(SETTINGS_FILE, &settings, &errors);
        if (r < 0) {
                journal_settings_refused(r, &errors);
                return;
        }
        settings_done(&manager->settings);
        manager->settings = settings;
}

void manager_load(struct manager *manager) {
        load_settings(manager);
        apply_settings(manager);
        load_policy(manager);
}
