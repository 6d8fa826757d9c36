/* SPDX-License-Identifier: MIT */

/*
 * Held changes: not every end of what they wait for is told of (LVM's RAID, a disk that wakes), so what is held is looked
 * at every few seconds, with what is beneath. All is, if the last scan failed.
 */

#include <string.h>
#include <syslog.h>

#include "daemon/journal.h"
#include "daemon/manager-private.h"

#define LOOK_USEC  UINT64_C(10000000)
#define SLACK_USEC UINT64_C(1000000)

/* A rule that holds for good is not looked after: its end is a reload. */
static bool waits(const struct decision *decision) {
        return decision->action == ACTION_HOLD && !decision->rule_action->hold.always;
}

static int on_look(sd_event_source *source, uint64_t usec, void *userdata) {
        struct manager *manager = userdata;
        const struct plan *plan;
        _cleanup_(freep) bool *look = NULL;

        if (manager->read_failed || !manager->survey) {
                manager_news(manager, NULL);
                return 0;
        }
        plan = &manager->survey->plan;
        look = calloc(plan->n_decisions + 1, sizeof(*look));
        if (!look) {
                manager_news(manager, NULL);
                return 0;
        }
        /* From the top: every layer comes after all that are below it. */
        for (size_t i = plan->n_decisions; i-- > 0;) {
                const struct layer *layer = plan->decisions[i].layer;

                if (!look[i] && !waits(&plan->decisions[i]))
                        continue;
                manager_news(manager, layer->sysname);
                for (size_t j = 0; j < layer->n_below; j++)
                        look[layer->below[j]->index] = true;
        }
        return 0;
}

int manager_watch_holds(struct manager *manager) {
        int r;

        r = sd_event_add_time(
                        manager->event, &manager->waiting_source, CLOCK_MONOTONIC, 0, SLACK_USEC, on_look, manager);
        return r < 0 ? r : sd_event_source_set_enabled(manager->waiting_source, SD_EVENT_OFF);
}

static bool is_anything_waiting(const struct manager *manager) {
        if (manager->read_failed || !manager->survey)
                return true;
        for (size_t i = 0; i < manager->survey->plan.n_decisions; i++)
                if (waits(&manager->survey->plan.decisions[i]))
                        return true;
        return false;
}

void manager_follow_holds(struct manager *manager) {
        int enabled = SD_EVENT_OFF, r;

        if (!is_anything_waiting(manager)) {
                (void)sd_event_source_set_enabled(manager->waiting_source, SD_EVENT_OFF);
                return;
        }
        /* Scans that come more often must not put it off. */
        if (sd_event_source_get_enabled(manager->waiting_source, &enabled) > 0)
                return;
        r = sd_event_source_set_time_relative(manager->waiting_source, LOOK_USEC);
        if (r >= 0)
                r = sd_event_source_set_enabled(manager->waiting_source, SD_EVENT_ONESHOT);
        if (r < 0)
                journal_printf(LOG_ERR, "what is held can't be looked after: %s", strerror(-r));
}
