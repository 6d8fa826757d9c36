/* SPDX-License-Identifier: MIT */

/* When to scan, and what is new about what was seen. */

#include <string.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>

#include "daemon/journal.h"
#include "daemon/manager-private.h"

/* A burst of events is one scan; a stream that never ends is scanned all the same. */
#define SETTLE_USEC     UINT64_C(200000)
#define SETTLE_MAX_USEC UINT64_C(1000000)
#define SLACK_USEC      UINT64_C(10000)

#define HELD_KEY "held "

static const char *reason_name(enum scan_reason reason) {
        static const char *const names[] = {
                        [SCAN_START] = "start",
                        [SCAN_EVENTS] = "events",
                        [SCAN_RELOAD] = "reload",
                        [SCAN_ASKED] = "asked for",
        };

        return names[reason];
}

static void tell_notes(struct manager *manager, const struct topology *topology) {
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                if (memory_note(manager->said, "note %s", note->text))
                        journal_note(note->text);
}

/* Of what is mended right away, the change is the news. */
static bool is_mended(const struct finding *finding, const struct plan *plan) {
        return finding->code <= FINDING_READAHEAD_IMPLAUSIBLE &&
               decision_is_change(&plan->decisions[finding->layer->index]);
}

/* A rule's own number is no news, however it compares with the array's. */
static bool is_wanted(const struct finding *finding, const struct plan *plan) {
        bool compares = finding->code == FINDING_READAHEAD_BELOW_ARRAY ||
                        finding->code == FINDING_READAHEAD_ABOVE_ARRAY;

        return compares && plan->decisions[finding->layer->index].target.origin == TARGET_LITERAL;
}

static void tell_findings(struct manager *manager, const struct survey *survey) {
        for (size_t i = 0; i < survey->findings.n_items; i++) {
                const struct finding *finding = &survey->findings.items[i];

                if (finding->severity == SEVERITY_INFO || is_wanted(finding, &survey->plan))
                        continue;
                if (memory_note(manager->said, "finding %s %s %s", finding->layer->name, finding->layer->label,
                                    finding->text))
                        journal_finding(finding, is_mended(finding, &survey->plan));
        }
}

static void tell_held(struct manager *manager, const struct plan *plan) {
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (plan->decisions[i].action == ACTION_HOLD &&
                                memory_note(manager->said, HELD_KEY "%s", plan->decisions[i].layer->label))
                        journal_held(&plan->decisions[i]);
}

static void on_forgotten(const char *key, void *userdata) {
        if (strncmp(key, HELD_KEY, strlen(HELD_KEY)) == 0)
                journal_released(key + strlen(HELD_KEY));
}

static void tell_news(struct manager *manager, const struct survey *survey) {
        tell_notes(manager, survey->topology);
        tell_findings(manager, survey);
        tell_held(manager, &survey->plan);
        memory_turn(manager->said, on_forgotten, NULL);
}

void manager_scan(struct manager *manager, enum scan_reason reason) {
        _cleanup_(survey_freep) struct survey *survey = NULL;
        bool asked_for = reason != SCAN_EVENTS;
        int r;

        manager->n_scans++;
        manager->first_event_usec = 0;
        sd_event_source_set_enabled(manager->settle_source, SD_EVENT_OFF);

        r = survey_run(manager->root, manager->policy, &survey);
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                return;
        }

        tell_news(manager, survey);
        if (asked_for)
                journal_scanned(survey, reason_name(reason), manager->n_scans);
        sd_notifyf(false, "STATUS=%zu layers, %zu to change, %zu held", survey->topology->n_layers,
                        survey->plan.n_changes, survey->plan.n_held);
        if (asked_for)
                changes_forgive(manager->changes);
        changes_start(manager->changes, TAKE_PTR(survey));
}

static int on_settled(sd_event_source *source, uint64_t usec, void *userdata) {
        manager_scan(userdata, SCAN_EVENTS);
        return 0;
}

int manager_prepare_scans(struct manager *manager) {
        int r;

        r = sd_event_add_time(
                        manager->event, &manager->settle_source, CLOCK_MONOTONIC, 0, SLACK_USEC, on_settled, manager);
        return r < 0 ? r : sd_event_source_set_enabled(manager->settle_source, SD_EVENT_OFF);
}

void manager_scan_soon(struct manager *manager) {
        uint64_t now = 0, due;
        int r;

        r = sd_event_now(manager->event, CLOCK_MONOTONIC, &now);
        if (r < 0) {
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
                return;
        }
        if (manager->first_event_usec == 0)
                manager->first_event_usec = now;
        due = now + SETTLE_USEC;
        if (due > manager->first_event_usec + SETTLE_MAX_USEC)
                due = manager->first_event_usec + SETTLE_MAX_USEC;

        r = sd_event_source_set_time(manager->settle_source, due);
        if (r >= 0)
                r = sd_event_source_set_enabled(manager->settle_source, SD_EVENT_ONESHOT);
        if (r < 0)
                journal_printf(LOG_ERR, "a scan can't be scheduled: %s", strerror(-r));
}

void manager_tell_state(struct manager *manager) {
        _cleanup_(survey_freep) struct survey *survey = NULL;
        int r;

        r = survey_run(manager->root, manager->policy, &survey);
        if (r < 0) {
                journal_printf(LOG_ERR, "this machine's block devices can't be read: %s", strerror(-r));
                return;
        }
        journal_scanned(survey, "state", manager->n_scans);
        for (size_t i = 0; i < survey->plan.n_decisions; i++)
                journal_state(&survey->plan.decisions[i]);
}
