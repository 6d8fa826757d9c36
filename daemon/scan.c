/* SPDX-License-Identifier: MIT */

#include <string.h>
#include <syslog.h>

#include "common/clock.h"
#include "daemon/journal.h"
#include "daemon/manager-private.h"
#include "daemon/settle.h"

static const char *reason_name(enum scan_reason reason) {
        switch (reason) {
        case SCAN_START: return "start";
        case SCAN_NEWS: return "news";
        case SCAN_RELOAD: return "reload";
        case SCAN_ASKED: return "asked for";
        }
        return "unknown";
}

static int take_survey(struct manager *manager, const struct nameset *news) {
        const struct survey_scope scope = {
                        .previous = manager->survey,
                        .carry = manager->survey && !news->all,
                        .touched = news->names,
                        .reloaded = manager->reloaded.names,
                        .all_reloaded = manager->reloaded.all,
        };
        struct survey *survey;
        int r;

        r = survey_update(manager->root, &scope, manager->policy, &survey);
        if (r < 0)
                return r;
        survey_unref(manager->survey);
        manager->survey = survey;
        manager_forget_reloads(manager);
        return 0;
}

static void write_metrics(struct manager *manager) {
        const char *path = manager->settings.metrics_file;
        int r;

        r = metrics_write(manager->metrics, manager->survey, path);
        if (r < 0 && memory_note(manager->said, "metrics %s", path))
                journal_printf(LOG_WARNING, "figures can't be written to %s: %s", path, strerror(-r));
}

void manager_scan(struct manager *manager, enum scan_reason reason) {
        _cleanup_(nameset_done) struct nameset news = {};
        bool asked_for = reason != SCAN_NEWS;
        uint64_t start_usec = monotonic_usec();
        int r;

        manager->n_scans++;
        schedule_take(manager->schedule, &news);
        if (asked_for || !manager->survey)
                nameset_add_all(&news);
        if (news.all)
                settle_ledger(manager->root, manager->changes);

        r = take_survey(manager, &news);
        manager->read_failed = r < 0;
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                manager_follow_holds(manager);
                return;
        }
        settle_stacks(manager->survey);
        metrics_count_scan(manager->metrics, monotonic_usec() - start_usec);
        write_metrics(manager);
        manager_tell_news(manager, manager->survey);
        if (asked_for) {
                journal_scanned(manager->survey, reason_name(reason), manager->n_scans);
                changes_forgive(manager->changes);
        }
        changes_start(manager->changes, manager->survey);
        manager_follow_holds(manager);
        schedule_rest(manager->schedule, monotonic_usec() - start_usec);
        r = mdwatch_follow(manager->mdwatch, manager->survey->topology);
        if (r < 0)
                journal_printf(LOG_WARNING, "md arrays can't be watched: %s", strerror(-r));
}

void manager_news(struct manager *manager, const char *sysname) {
        int r = schedule_add(manager->schedule, sysname);

        if (r < 0)
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
}

void manager_look(struct manager *manager) {
        int r = schedule_look(manager->schedule);

        if (r < 0)
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
}

void manager_tell_state(struct manager *manager) {
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        const struct survey_scope all = {.previous = manager->survey,
                        .reloaded = manager->reloaded.names,
                        .all_reloaded = manager->reloaded.all};
        int r;

        r = survey_update(manager->root, &all, manager->policy, &survey);
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                return;
        }
        journal_scanned(survey, "state", manager->n_scans);
        for (size_t i = 0; i < survey->plan.n_decisions; i++)
                journal_state(&survey->plan.decisions[i]);
}
