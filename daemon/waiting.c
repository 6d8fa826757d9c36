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

static void look_at(const char *sysname, void *userdata) {
        manager_news(userdata, sysname);
}

static void look_at_stack(const char *sysname, void *userdata) {
        struct manager *manager = userdata;

        manager_news(manager, sysname);
        inventory_walk_below(manager->inventory, sysname, look_at, manager);
}

static int on_look(sd_event_source *source, uint64_t usec, void *userdata) {
        struct manager *manager = userdata;

        if (manager->read_failed || !manager->inventory)
                manager_news(manager, NULL);
        else
                tally_walk_waiting(manager->tally, look_at_stack, manager);
        return 0;
}

int manager_watch_holds(struct manager *manager) {
        int r;

        r = sd_event_add_time(
                        manager->event, &manager->waiting_source, CLOCK_MONOTONIC, 0, SLACK_USEC, on_look, manager);
        return r < 0 ? r : sd_event_source_set_enabled(manager->waiting_source, SD_EVENT_OFF);
}

static bool is_anything_waiting(const struct manager *manager) {
        return manager->read_failed || !manager->inventory || tally_sums(manager->tally)->n_waiting > 0;
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
