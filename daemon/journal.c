/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <syslog.h>

#include "common/change.h"
#include "common/cleanup.h"
#include "common/ledger-record.h"
#include "daemon/entry.h"
#include "daemon/journal.h"
#include "daemon/messages.h"

void journal_printf(int level, const char *format, ...) {
        _cleanup_(entry_done) struct entry entry = {};
        va_list args;

        va_start(args, format);
        entry_addv(&entry, "MESSAGE", format, args);
        va_end(args);
        entry_send(&entry, level, NULL);
}

void journal_started(const char *version) {
        _cleanup_(entry_done) struct entry entry = {};

        entry_add(&entry, "MESSAGE", "setrad %s started", version);
        entry_send(&entry, LOG_INFO, SETRAD_MSG_STARTED);
}

void journal_stopped(const char *outcome) {
        _cleanup_(entry_done) struct entry entry = {};

        entry_add(&entry, "MESSAGE", "setrad stopped; what it has changed %s", outcome);
        entry_send(&entry, LOG_INFO, SETRAD_MSG_STOPPED);
}

void journal_policy_loaded(const struct policy *policy) {
        _cleanup_(entry_done) struct entry entry = {};

        size_t n_rules = policy_count_rules(policy), n_files = policy_count_files(policy);

        entry_add(&entry, "MESSAGE", "policy loaded: %zu rule%s from %zu file%s", n_rules, n_rules == 1 ? "" : "s",
                        n_files, n_files == 1 ? "" : "s");
        entry_send(&entry, LOG_INFO, SETRAD_MSG_POLICY_LOADED);
}

static void tell_refused(const struct policy_error *error, const char *what, const char *outcome) {
        _cleanup_(entry_done) struct entry entry = {};
        _cleanup_(freep) char *text = policy_error_format(error);

        entry_add(&entry, "MESSAGE", "%s refused: %s; %s", what, text ?: error->text, outcome);
        entry_add(&entry, "SETRAD_POLICY_FILE", "%s", error->file);
        entry_add(&entry, "SETRAD_POLICY_LINE", "%u", error->line);
        entry_add(&entry, "SETRAD_POLICY_COLUMN", "%u", error->column);
        entry_send(&entry, LOG_ERR, SETRAD_MSG_POLICY_REFUSED);
}

/* What could not be had to read them with is in no file, and no error of one. */
static void tell_all_refused(int r, const struct policy_errors *errors, const char *what, const char *outcome) {
        _cleanup_(entry_done) struct entry entry = {};

        for (size_t i = 0; i < errors->n_items; i++)
                tell_refused(&errors->items[i], what, outcome);
        if (errors->n_items > 0 && r != -ENOMEM)
                return;
        entry_add(&entry, "MESSAGE", "%s refused: %s; %s", what, strerror(-r), outcome);
        entry_send(&entry, LOG_ERR, SETRAD_MSG_POLICY_REFUSED);
}

void journal_policy_refused(int r, const struct policy_errors *errors, bool kept) {
        tell_all_refused(r, errors, "policy",
                        kept ? "the policy before it stays in force" : "nothing is changed until there is a good one");
}

void journal_settings_refused(int r, const struct policy_errors *errors) {
        tell_all_refused(r, errors, "settings", "the settings before them stay in force");
}

void journal_scanned(const struct survey *survey, const char *why, uint64_t n_scans) {
        _cleanup_(entry_done) struct entry entry = {};

        entry_add(&entry, "MESSAGE", "scanned (%s): %zu layers, %zu to change, %zu held", why,
                        survey->topology->n_layers, survey->plan.n_changes, survey->plan.n_held);
        entry_add(&entry, "SETRAD_WHY", "%s", why);
        entry_add(&entry, "SETRAD_LAYERS", "%zu", survey->topology->n_layers);
        entry_add(&entry, "SETRAD_CHANGES", "%zu", survey->plan.n_changes);
        entry_add(&entry, "SETRAD_HELD", "%zu", survey->plan.n_held);
        entry_add(&entry, "SETRAD_SCANS", "%llu", (unsigned long long)n_scans);
        entry_send(&entry, LOG_INFO, SETRAD_MSG_SCANNED);
}

void journal_note(const char *text) {
        journal_printf(LOG_NOTICE, "%s", text);
}

void journal_incomplete(const struct topology *topology) {
        for (const struct topology_note *note = topology->notes; note && topology->incomplete; note = note->next)
                journal_note(note->text);
}

void journal_overflow(int error) {
        if (error == -ENOBUFS)
                journal_printf(LOG_NOTICE, "events came faster than they could be read; everything is read anew");
        else
                journal_printf(LOG_WARNING, "an event could not be received: %s; everything is read anew",
                                strerror(-error));
}

static void add_layer(struct entry *entry, const struct layer *layer) {
        entry_add(entry, "SETRAD_DEVICE", "%s", layer->name);
        entry_add(entry, "SETRAD_LABEL", "%s", layer->label);
        entry_add(entry, "SETRAD_KIND", "%s", kind_name(layer->kind));
}

static void add_decision(struct entry *entry, const struct decision *decision) {
        add_layer(entry, decision->layer);
        if (decision->rule)
                entry_add(entry, "SETRAD_RULE", "%s", decision->rule);
        if (decision->target.sectors.known)
                entry_add(entry, "SETRAD_RA_TARGET", "%lld", (long long)decision->target.sectors.value);
}

/* "vg0/lv0 (dm-3)", or "md0" where label and name are one. */
static const char *title_of(const struct layer *layer, char buffer[static 512]) {
        if (strcmp(layer->label, layer->name) == 0)
                snprintf(buffer, 512, "%s", layer->name);
        else
                snprintf(buffer, 512, "%s (%s)", layer->label, layer->name);
        return buffer;
}

static int priority_of(enum finding_severity severity) {
        switch (severity) {
        case SEVERITY_WARNING: return LOG_WARNING;
        case SEVERITY_NOTICE: return LOG_NOTICE;
        default: return LOG_INFO;
        }
}

void journal_finding(const struct finding *finding, bool mended) {
        _cleanup_(entry_done) struct entry entry = {};
        const struct layer *layer = finding->layer;
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: %s: %s", title_of(layer, title), finding_code_name(finding->code),
                        finding->text);
        add_layer(&entry, layer);
        entry_add(&entry, "SETRAD_FINDING", "%s", finding_code_name(finding->code));
        if (layer->readahead_sectors.known)
                entry_add(&entry, "SETRAD_RA_BEFORE", "%lld", (long long)layer->readahead_sectors.value);
        entry_send(&entry, mended ? LOG_INFO : priority_of(finding->severity), SETRAD_MSG_FOUND);
}

static void held_entry(const struct decision *decision, const char *reason) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: held: %s", title_of(decision->layer, title), reason);
        add_decision(&entry, decision);
        entry_send(&entry, LOG_NOTICE, SETRAD_MSG_HELD);
}

void journal_held(const struct decision *decision) {
        held_entry(decision, decision->reason);
}

void journal_stuck(const struct decision *decision) {
        held_entry(decision, "a worker still hangs on it");
}

void journal_released(const char *label) {
        _cleanup_(entry_done) struct entry entry = {};

        entry_add(&entry, "MESSAGE", "%s: no longer held", label);
        entry_add(&entry, "SETRAD_LABEL", "%s", label);
        entry_send(&entry, LOG_NOTICE, SETRAD_MSG_RELEASED);
}

/* "49.9012,50.1249,49.7100", in the order of the runs, with as many digits as their median */
static void add_runs(struct entry *entry, const char *name, const struct probe_series *series) {
        char text[PROBE_RUNS_MAX * 16] = "";
        size_t n = 0;

        for (unsigned i = 0; i < series->n_runs && n < sizeof(text); i++)
                n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.4f", i > 0 ? "," : "", series->mbps[i]);
        entry_add(entry, name, "%s", text);
}

static void add_probe(struct entry *entry, const struct probe_result *probe) {
        if (probe->verdict == PROBE_NONE)
                return;
        entry_add(entry, "SETRAD_MBPS_BEFORE", "%.4f", probe->series[PROBE_BEFORE].median_mbps);
        entry_add(entry, "SETRAD_MBPS_AFTER", "%.4f", probe->series[PROBE_AFTER].median_mbps);
        if (probe->series[PROBE_ARRAY].n_runs > 0)
                entry_add(entry, "SETRAD_MBPS_ARRAY", "%.4f", probe->series[PROBE_ARRAY].median_mbps);
        entry_add(entry, "SETRAD_GAIN", "%.3f", probe->gain);
        if (probe->gain_low > 0) {
                entry_add(entry, "SETRAD_GAIN_LOW", "%.3f", probe->gain_low);
                entry_add(entry, "SETRAD_GAIN_HIGH", "%.3f", probe->gain_high);
        }
        entry_add(entry, "SETRAD_PROBE_RUNS", "%u", probe_result_runs(probe));
        if (probe->runs_needed > 0)
                entry_add(entry, "SETRAD_PROBE_RUNS_NEEDED", "%u", probe->runs_needed);
        add_runs(entry, "SETRAD_MBPS_BEFORE_RUNS", &probe->series[PROBE_BEFORE]);
        add_runs(entry, "SETRAD_MBPS_AFTER_RUNS", &probe->series[PROBE_AFTER]);
        if (probe_amplification(&probe->series[PROBE_AFTER]) > 0) {
                entry_add(entry, "SETRAD_AMPLIFICATION_BEFORE", "%.2f",
                                probe_amplification(&probe->series[PROBE_BEFORE]));
                entry_add(entry, "SETRAD_AMPLIFICATION_AFTER", "%.2f",
                                probe_amplification(&probe->series[PROBE_AFTER]));
        }
        entry_add(entry, "SETRAD_PROBE_WORKLOAD", "%s", probe_workload_name(probe->workload));
        entry_add(entry, "SETRAD_PROBE_VERDICT", "%s", probe_verdict_name(probe->verdict));
}

/* SENTENCE, or, where there was no memory for it, what is told of LABEL without. Of a change RESULT is what came of it. */
static void add_sentence(
                struct entry *entry, const char *sentence, const char *label, const struct apply_result *result) {
        if (sentence)
                entry_add(entry, "MESSAGE", "%s", sentence);
        else if (result && result->error == 0)
                entry_add(entry, "MESSAGE", "%s: readahead %llu → %llu sectors; there is no more to say: %s", label,
                                (unsigned long long)result->before_sectors, (unsigned long long)result->after_sectors,
                                strerror(ENOMEM));
        else if (result)
                entry_add(entry, "MESSAGE", "%s: %s: %s", label, apply_step_name(result->step),
                                strerror(-result->error));
        else
                entry_add(entry, "MESSAGE", "%s: what came of it can't be said: %s", label, strerror(ENOMEM));
}

void journal_changed(const struct decision *decision, const struct apply_result *result, const char *code) {
        _cleanup_(entry_done) struct entry entry = {};
        _cleanup_(freep) char *sentence = change_sentence(decision, result);

        add_sentence(&entry, sentence, decision->layer->label, result);
        add_decision(&entry, decision);
        entry_add(&entry, "SETRAD_RA_BEFORE", "%llu", (unsigned long long)result->before_sectors);
        entry_add(&entry, "SETRAD_RA_AFTER", "%llu", (unsigned long long)result->after_sectors);
        if (code)
                entry_add(&entry, "SETRAD_FINDING", "%s", code);
        if (*result->probe.skipped)
                entry_add(&entry, "SETRAD_PROBE_SKIPPED", "%s", result->probe.skipped);
        add_probe(&entry, &result->probe);
        entry_send(&entry, LOG_NOTICE, SETRAD_MSG_CHANGED);
}

void journal_change_failed(const struct decision *decision, const struct apply_result *result) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        title_of(decision->layer, title);
        if (result->error == -EREMOTEIO)
                entry_add(&entry, "MESSAGE", "%s: readahead was set to %lld sectors, but the kernel shows %llu", title,
                                (long long)decision->target.sectors.value, (unsigned long long)result->after_sectors);
        else
                entry_add(&entry, "MESSAGE", "%s: readahead can't be changed: %s: %s", title,
                                apply_step_name(result->step), strerror(-result->error));
        add_decision(&entry, decision);
        entry_add(&entry, "ERRNO", "%d", -result->error);
        entry_send(&entry, LOG_WARNING, SETRAD_MSG_CHANGE_FAILED);
}

static const char *lost_reason(int error) {
        switch (error) {
        case -ETIMEDOUT: return "no answer within the deadline";
        case -EBUSY: return "no answer within the deadline, and what waits for it can't be killed";
        case -ECANCELED: return "setrad was stopped before it came to it";
        default: return "the process that was to change it failed";
        }
}

void journal_worker_lost(const struct decision *decision, int error) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: not changed: %s", title_of(decision->layer, title), lost_reason(error));
        add_decision(&entry, decision);
        entry_add(&entry, "ERRNO", "%d", -error);
        entry_send(&entry, error == -ECANCELED ? LOG_INFO : LOG_WARNING, SETRAD_MSG_CHANGE_FAILED);
}

void journal_gave_up(const struct decision *decision, unsigned attempts) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        entry_add(&entry, "MESSAGE",
                        "%s: gave up after %u failures less than an hour apart; SIGUSR1 or SIGHUP makes setrad try "
                        "again at once",
                        title_of(decision->layer, title), attempts);
        add_decision(&entry, decision);
        entry_send(&entry, LOG_WARNING, SETRAD_MSG_GAVE_UP);
}

void journal_revert_failed(const struct revert *revert, const char *reason) {
        _cleanup_(freep) char *sentence = NULL;

        if (asprintf(&sentence, "%s: its original %llu sectors were not put back: %s", revert->entry->label,
                            (unsigned long long)revert->entry->original_sectors, reason) < 0)
                sentence = NULL;
        journal_reverted(revert, NULL, sentence, true);
}

static void add_drift(struct entry *entry, const struct decision *decision) {
        const struct layer *layer = decision->layer;

        add_decision(entry, decision);
        entry_add(entry, "SETRAD_RA_BEFORE", "%lld", (long long)layer->readahead_sectors.value);
        entry_add(entry, "SETRAD_DRIFT", "%s", drift_name(decision->drift));
}

void journal_drift(const struct decision *decision) {
        _cleanup_(entry_done) struct entry entry = {};
        const struct layer *layer = decision->layer;
        const char *who = decision->drift == DRIFT_RESET ? "the kernel or LVM has put it back"
                                                         : "somebody else has changed it";
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: readahead is %lld sectors, not the %llu that setrad set: %s; %s",
                        title_of(layer, title), (long long)layer->readahead_sectors.value,
                        (unsigned long long)layer->set->sectors, who,
                        decision_is_change(decision) ? "it is set again" : "that is respected");
        add_drift(&entry, decision);
        entry_send(&entry, LOG_NOTICE, SETRAD_MSG_DRIFT);
}

void journal_drift_gave_up(const struct decision *decision, unsigned per_hour) {
        _cleanup_(entry_done) struct entry entry = {};
        const struct layer *layer = decision->layer;
        char title[512];

        entry_add(&entry, "MESSAGE",
                        "%s: readahead is %lld sectors again after it was set to %llu %u times within an hour; gave "
                        "up%s",
                        title_of(layer, title), (long long)layer->readahead_sectors.value,
                        (unsigned long long)layer->set->sectors, per_hour,
                        decision->drift == DRIFT_RESET ? " until that hour is over"
                                                       : "; SIGUSR1 or SIGHUP makes setrad try again");
        add_drift(&entry, decision);
        entry_send(&entry, LOG_WARNING, SETRAD_MSG_GAVE_UP);
}

/* The values before and after, as far as they are known: after only where it was changed. */
static void add_revert_values(struct entry *entry, const struct revert *revert, const struct apply_result *result) {
        if (result && result->changed) {
                entry_add(entry, "SETRAD_RA_BEFORE", "%llu", (unsigned long long)result->before_sectors);
                entry_add(entry, "SETRAD_RA_AFTER", "%llu", (unsigned long long)result->after_sectors);
        } else if (revert->layer && revert->layer->readahead_sectors.known)
                entry_add(entry, "SETRAD_RA_BEFORE", "%llu", (unsigned long long)revert->now_sectors);
}

void journal_reverted(
                const struct revert *revert, const struct apply_result *result, const char *sentence, bool failed) {
        _cleanup_(entry_done) struct entry entry = {};
        const struct ledger_entry *ledger = revert->entry;

        add_sentence(&entry, sentence, ledger->label, result);
        entry_add(&entry, "SETRAD_DEVICE", "%s", ledger->device.name);
        entry_add(&entry, "SETRAD_LABEL", "%s", ledger->label);
        entry_add(&entry, "SETRAD_RULE", "%s", ledger->rule);
        add_revert_values(&entry, revert, result);
        entry_add(&entry, "SETRAD_RA_TARGET", "%llu", (unsigned long long)ledger->original_sectors);
        entry_send(&entry, failed ? LOG_WARNING : LOG_NOTICE, SETRAD_MSG_REVERTED);
}

void journal_vanished(const struct decision *decision) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: gone before it could be changed", title_of(decision->layer, title));
        add_decision(&entry, decision);
        entry_send(&entry, LOG_INFO, SETRAD_MSG_DEVICE_VANISHED);
}

static void ledger_entry(const struct decision *decision, const char *what, int error) {
        _cleanup_(entry_done) struct entry entry = {};
        char title[512];

        entry_add(&entry, "MESSAGE", "%s: %s: %s", title_of(decision->layer, title), what, strerror(-error));
        add_decision(&entry, decision);
        entry_add(&entry, "ERRNO", "%d", -error);
        entry_send(&entry, LOG_WARNING, SETRAD_MSG_CHANGE_FAILED);
}

void journal_not_started(const struct decision *decision, int error) {
        ledger_entry(decision, "not changed, as the change can't be put on record in " LEDGER_DIRECTORY " or be begun",
                        error);
}

void journal_ledger_failed(const struct decision *decision, int error) {
        ledger_entry(decision, "what became of the change can't be put on record in " LEDGER_DIRECTORY, error);
}

void journal_ledger_damaged(void) {
        journal_printf(LOG_WARNING,
                        "the ledger was damaged and is set aside as ledger.json.damaged; a new one is begun");
}

void journal_state(const struct decision *decision) {
        _cleanup_(entry_done) struct entry entry = {};
        const struct layer *layer = decision->layer;
        char title[512], target[32] = "none";

        if (decision->target.sectors.known)
                snprintf(target, sizeof(target), "%lld", (long long)decision->target.sectors.value);
        entry_add(&entry, "MESSAGE", "%s: %s, readahead %lld sectors, target %s: %s: %s", title_of(layer, title),
                        kind_name(layer->kind), (long long)opt_or(layer->readahead_sectors, -1), target,
                        plan_action_name(decision->action), decision->reason);
        add_decision(&entry, decision);
        entry_send(&entry, LOG_INFO, SETRAD_MSG_STATE);
}
