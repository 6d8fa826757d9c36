/* SPDX-License-Identifier: MIT */

/*
 * Change events of maps. LVM writes a volume's readahead when the event of its reload is over, so that a scan may come
 * before that: a while after the event the map is looked at once more, and until then the event counts.
 */

#include <string.h>
#include <syslog.h>

#include "daemon/journal.h"
#include "daemon/manager-private.h"

#define LATE_USEC  UINT64_C(2000000)
#define SLACK_USEC UINT64_C(100000)

static bool is_changed_by_setrad(const struct inventory *inventory, const char *sysname) {
        const struct layer *layer = inventory_find(inventory, sysname);

        return layer && layer->dm && layer->set;
}

static int on_late(sd_event_source *source, uint64_t usec, void *userdata) {
        struct manager *manager = userdata;
        bool looks = false;

        manager->late = true;
        for (size_t i = 0; manager->inventory && i < manager->reloaded.n; i++)
                if (is_changed_by_setrad(manager->inventory, manager->reloaded.names[i])) {
                        manager_news(manager, manager->reloaded.names[i]);
                        looks = true;
                }
        if (manager->reloaded.all)
                manager_news(manager, NULL);
        else if (!looks)
                manager_forget_reloads(manager);
        return 0;
}

int manager_watch_reloads(struct manager *manager) {
        int r;

        r = sd_event_add_time(manager->event, &manager->late_source, CLOCK_MONOTONIC, 0, SLACK_USEC, on_late, manager);
        return r < 0 ? r : sd_event_source_set_enabled(manager->late_source, SD_EVENT_OFF);
}

void manager_note_reload(struct manager *manager, const char *sysname) {
        int enabled = SD_EVENT_OFF, r;

        if (sysname)
                nameset_add(&manager->reloaded, sysname);
        else
                nameset_add_all(&manager->reloaded);
        if (sd_event_source_get_enabled(manager->late_source, &enabled) > 0)
                return;
        r = sd_event_source_set_time_relative(manager->late_source, LATE_USEC);
        if (r >= 0)
                r = sd_event_source_set_enabled(manager->late_source, SD_EVENT_ONESHOT);
        if (r < 0)
                journal_printf(LOG_ERR, "a second look can't be scheduled: %s", strerror(-r));
}

void manager_forget_reloads(struct manager *manager) {
        if (!manager->late)
                return;
        manager->late = false;
        nameset_done(&manager->reloaded);
}
