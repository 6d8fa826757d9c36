/* SPDX-License-Identifier: MIT */

/* What is new about what was seen. */

#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon/journal.h"
#include "daemon/manager-private.h"

#define HELD_KEY "held "

static void tell_notes(struct manager *manager, const struct topology *topology) {
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                if (memory_note(manager->said, note->layer ? note->layer->sysname : "", "note %s", note->text))
                        journal_note(note->text);
}

/* Of what is mended right away, the change is the news. */
static bool is_mended(const struct finding *finding, const struct plan *plan) {
        return finding->code <= FINDING_READAHEAD_IMPLAUSIBLE &&
               decision_is_change(&plan->decisions[finding->layer->index]);
}

/* A rule's own number is no news, however it compares with the array's; nor what is told as drift. */
static bool is_told_elsewhere(const struct finding *finding, const struct plan *plan) {
        const struct decision *decision = &plan->decisions[finding->layer->index];
        bool compares = finding->code == FINDING_READAHEAD_BELOW_ARRAY ||
                        finding->code == FINDING_READAHEAD_ABOVE_ARRAY;

        if (finding->code == FINDING_CHANGED_BY_OTHER)
                return decision->drift != DRIFT_NONE;
        return compares && (decision->target.origin == TARGET_LITERAL || decision->drift != DRIFT_NONE);
}

static void tell_findings(struct manager *manager, const struct survey *survey) {
        for (size_t i = 0; i < survey->findings.n_items; i++) {
                const struct finding *finding = &survey->findings.items[i];

                if (finding->layer->carried || finding->severity == SEVERITY_INFO ||
                                is_told_elsewhere(finding, &survey->plan))
                        continue;
                if (memory_note(manager->said, finding->layer->sysname, "finding %s %s", finding->layer->label,
                                    finding->text))
                        journal_finding(finding, is_mended(finding, &survey->plan));
        }
}

static void tell_held(struct manager *manager, const struct decision *decision) {
        if (decision->action == ACTION_HOLD &&
                        memory_note(manager->said, decision->layer->sysname, HELD_KEY "%s", decision->layer->label))
                journal_held(decision);
}

/* Drift that is put right is told of when that is done. */
static void tell_drift(struct manager *manager, const struct decision *decision) {
        if (decision->drift == DRIFT_OTHER && decision->action == ACTION_KEEP &&
                        memory_note(manager->said, decision->layer->sysname, "drift %s %lld", decision->layer->label,
                                        (long long)decision->layer->readahead_sectors.value))
                journal_drift(decision);
}

static void tell_decisions(struct manager *manager, const struct plan *plan) {
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (!plan->decisions[i].layer->carried)
                        tell_held(manager, &plan->decisions[i]);
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (!plan->decisions[i].layer->carried)
                        tell_drift(manager, &plan->decisions[i]);
}

static void on_forgotten(const char *key, void *userdata) {
        if (strncmp(key, HELD_KEY, strlen(HELD_KEY)) == 0)
                journal_released(key + strlen(HELD_KEY));
}

static void end_round(struct manager *manager, const struct topology *topology, bool all) {
        if (all) {
                memory_turn_all(manager->said, on_forgotten, NULL);
                return;
        }
        for (size_t i = 0; i < topology->n_layers; i++)
                if (!topology->layers[i]->carried)
                        memory_turn(manager->said, topology->layers[i]->sysname, on_forgotten, NULL);
        for (size_t i = 0; i < topology->n_gone; i++)
                memory_turn(manager->said, topology->gone[i], on_forgotten, NULL);
}

void manager_tell_news(struct manager *manager, const struct survey *survey, bool all) {
        const struct tally_sums *sums = tally_sums(manager->tally);

        tell_notes(manager, survey->topology);
        tell_findings(manager, survey);
        tell_decisions(manager, &survey->plan);
        end_round(manager, survey->topology, all);
        sd_notifyf(false, "STATUS=%zu layers, %zu to change, %zu held", sums->n_layers, sums->n_changes, sums->n_held);
}
