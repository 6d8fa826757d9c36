/* SPDX-License-Identifier: MIT */

#include <malloc.h>
#include <string.h>
#include <syslog.h>

#include "common/clock.h"
#include "daemon/journal.h"
#include "daemon/manager-private.h"
#include "daemon/settle.h"

/* What is said of the file of figures. No device is called so. */
#define METRICS "metrics/"

static const char *reason_name(enum scan_reason reason) {
        switch (reason) {
        case SCAN_START: return "start";
        case SCAN_NEWS: return "news";
        case SCAN_RELOAD: return "reload";
        case SCAN_ASKED: return "asked for";
        }
        return "unknown";
}

static int keep(struct manager *manager, const struct survey *survey, bool all) {
        struct inventory *inventory;
        int r;

        r = tally_take(manager->tally, survey, all);
        if (r < 0)
                return r;
        if (!all)
                return inventory_update(manager->inventory, survey->topology);
        r = inventory_new(survey->topology, &inventory);
        if (r < 0)
                return r;
        inventory_free(manager->inventory);
        manager->inventory = inventory;
        return 0;
}

/* What is over or beneath something else than before, and not a part of this scan, is one of the next. */
static void follow_turned(struct manager *manager) {
        for (char *const *name = inventory_turned(manager->inventory); name && *name; name++)
                manager_news(manager, *name);
}

static int take_survey(struct manager *manager, const struct nameset *news, struct survey **ret) {
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        const struct survey_scope scope = {
                        .inventory = manager->inventory,
                        .news_only = !news->all,
                        .touched = news->names,
                        .reloaded = manager->reloaded.names,
                        .all_reloaded = manager->reloaded.all,
        };
        int r;

        /* Who can't be told of the mount table looks himself. */
        if (manager->inventory && !manager->mounts_source)
                inventory_forget_mounts(manager->inventory);
        r = survey_look(manager->root, &scope, manager->policy, &survey);
        if (r >= 0)
                r = keep(manager, survey, news->all);
        if (r < 0) {
                inventory_freep(&manager->inventory);
                manager->inventory = NULL;
                return r;
        }
        manager_forget_reloads(manager);
        *ret = TAKE_PTR(survey);
        return 0;
}

static void write_metrics(struct manager *manager, bool all) {
        const char *path = manager->settings.metrics_file;
        int r;

        r = metrics_write(manager->metrics, tally_sums(manager->tally), path);
        if (r < 0 && memory_note(manager->said, METRICS, "%s", path))
                journal_printf(LOG_WARNING, "figures can't be written to %s: %s", path, strerror(-r));
        /* The round of a scan of all is that of everything. */
        if (!all)
                memory_turn(manager->said, METRICS, NULL, NULL);
}

static void act(struct manager *manager, struct survey *survey, bool all) {
        int r;

        settle_stacks(survey);
        manager_tell_news(manager, survey, all);
        changes_start(manager->changes, survey, all);
        r = mdwatch_follow(manager->mdwatch, survey->topology, all);
        if (r < 0)
                journal_printf(LOG_WARNING, "md arrays can't be watched: %s", strerror(-r));
        follow_turned(manager);
}

void manager_scan(struct manager *manager, enum scan_reason reason) {
        _cleanup_(nameset_done) struct nameset news = {};
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        bool asked_for = reason != SCAN_NEWS;
        uint64_t start_usec = monotonic_usec();
        int r;

        manager->n_scans++;
        schedule_take(manager->schedule, &news);
        if (asked_for || !manager->inventory)
                nameset_add_all(&news);
        if (news.all)
                settle_ledger(manager->root, manager->changes);

        r = take_survey(manager, &news, &survey);
        manager->read_failed = r < 0 || survey->topology->host_incomplete;
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                manager_follow_holds(manager);
                return;
        }
        metrics_count_scan(manager->metrics, monotonic_usec() - start_usec);
        write_metrics(manager, news.all);
        if (asked_for) {
                journal_scanned(survey, reason_name(reason), manager->n_scans);
                changes_forgive(manager->changes);
        }
        act(manager, survey, news.all);
        manager_follow_holds(manager);
        if (news.all) {
                survey_unref(TAKE_PTR(survey));
                /* A scan of all takes several times the memory of what is kept of it, which lies on top of that. */
                malloc_trim(0);
        }
        schedule_rest(manager->schedule, monotonic_usec() - start_usec);
}

void manager_news(struct manager *manager, const char *sysname) {
        int r = schedule_add(manager->schedule, sysname);

        if (r < 0)
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
}

void manager_news_of_mounts(struct manager *manager) {
        int r = schedule_look(manager->schedule);

        if (manager->inventory)
                inventory_forget_mounts(manager->inventory);
        if (r < 0)
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
}

void manager_tell_state(struct manager *manager) {
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        const struct survey_scope all = {.inventory = manager->inventory,
                        .reloaded = manager->reloaded.names,
                        .all_reloaded = manager->reloaded.all};
        int r;

        r = survey_look(manager->root, &all, manager->policy, &survey);
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                return;
        }
        journal_scanned(survey, "state", manager->n_scans);
        journal_incomplete(survey->topology);
        for (size_t i = 0; i < survey->plan.n_decisions; i++)
                journal_state(&survey->plan.decisions[i]);
}
