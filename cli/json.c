/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/text.h"
#include "common/cleanup.h"
#include "common/printable.h"

#define FORM_VERSION 1

/* Every function here returns a new reference, or NULL without memory; json_pack() fails where it is given a NULL. */

static json_t *text_or_null(const char *text) {
        _cleanup_(freep) char *utf8 = NULL;

        if (!text)
                return json_null();
        utf8 = printable_to_utf8(text);
        return utf8 ? json_string(utf8) : NULL;
}

static json_t *number_or_null(struct opt_int number) {
        return number.known ? json_integer(number.value) : json_null();
}

static json_t *size_value(uint64_t size) {
        return size <= INT64_MAX ? json_integer((json_int_t)size) : json_null();
}

static json_t *devno(const struct layer *layer) {
        return layer->has_devno ? json_sprintf("%u:%u", layer->major, layer->minor) : json_null();
}

/* Appends to ARRAY, which it frees and makes NULL where that fails. */
static void append(json_t **array, json_t *value) {
        if (*array && json_array_append_new(*array, value) == 0)
                return;
        if (!*array)
                json_decref(value);
        json_decref(*array);
        *array = NULL;
}

static json_t *layer_names(const struct layer *const *layers, size_t n) {
        json_t *array = json_array();

        for (size_t i = 0; i < n; i++)
                append(&array, text_or_null(layers[i]->name));
        return array;
}

static json_t *uses(const struct layer *layer) {
        json_t *array = json_array();

        for (size_t i = 0; i < layer->n_uses; i++) {
                const struct use *use = &layer->uses[i];

                append(&array, json_pack("{s:s, s:o, s:o}", "type", use->type == USE_SWAP ? "swap" : "mount", "path",
                                               text_or_null(use->path), "fs", text_or_null(use->fs)));
        }
        return array;
}

static json_t *geometry_value(const struct geometry *geometry) {
        if (!geometry->known)
                return json_null();
        return json_pack("{s:o, s:I, s:o, s:o}", "chunk_bytes",
                        geometry->chunk_bytes ? size_value(geometry->chunk_bytes) : json_null(), "data_disks",
                        (json_int_t)geometry->data_disks, "stripe_bytes", size_value(geometry->stripe_bytes), "from",
                        layer_names(geometry->from, geometry->n_from));
}

static json_t *findings_value(const struct survey *survey, const struct layer *layer) {
        size_t n = 0;
        const struct finding *findings = findings_of(&survey->findings, layer, &n);
        json_t *array = json_array();

        for (size_t i = 0; findings && i < n; i++)
                append(&array, json_pack("{s:s, s:s, s:o}", "code", finding_code_name(findings[i].code), "severity",
                                               finding_severity_name(findings[i].severity), "text",
                                               text_or_null(findings[i].text)));
        return array;
}

static json_t *member_states(unsigned states) {
        static const struct {
                enum md_member_state bit;
                const char *name;
        } names[] = {
                        {MD_MEMBER_IN_SYNC, "in_sync"},
                        {MD_MEMBER_FAULTY, "faulty"},
                        {MD_MEMBER_SPARE, "spare"},
                        {MD_MEMBER_JOURNAL, "journal"},
                        {MD_MEMBER_WRITE_MOSTLY, "write_mostly"},
                        {MD_MEMBER_REPLACEMENT, "replacement"},
                        {MD_MEMBER_BLOCKED, "blocked"},
        };
        json_t *array = json_array();

        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                if (states & names[i].bit)
                        append(&array, json_string(names[i].name));
        return array;
}

static json_t *members_value(const struct md_info *md) {
        json_t *array;

        if (!md)
                return json_null();
        array = json_array();
        for (size_t i = 0; i < md->n_members; i++) {
                const struct md_member *member = &md->members[i];

                append(&array, json_pack("{s:o, s:o, s:o}", "name", text_or_null(member->name), "slot",
                                               member->slot < 0 ? json_null() : json_integer(member->slot), "states",
                                               member_states(member->states)));
        }
        return array;
}

/* What it is and what lies around it. */
static json_t *layer_place(const struct layer *layer) {
        return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:o}", "name", text_or_null(layer->name), "label",
                        text_or_null(layer->label), "kind", kind_name(layer->kind), "devno", devno(layer),
                        "size_sectors", number_or_null(layer->size_sectors), "below",
                        layer_names((const struct layer *const *)layer->below, layer->n_below), "above",
                        layer_names((const struct layer *const *)layer->above, layer->n_above), "top", layer->top,
                        "use", uses(layer));
}

static json_t *layer_numbers(const struct survey *survey, const struct layer *layer) {
        const struct decision *decision = &survey->plan.decisions[layer->index];

        return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "readahead_sectors",
                        number_or_null(layer->readahead_sectors), "target_sectors",
                        number_or_null(decision->target.sectors), "geometry",
                        geometry_value(&survey->geometry[layer->index]), "io_min_bytes",
                        number_or_null(layer->io_min_bytes), "io_opt_bytes", number_or_null(layer->io_opt_bytes),
                        "alignment_offset", number_or_null(layer->alignment_offset_bytes));
}

static json_t *layer_judgement(const struct survey *survey, const struct layer *layer) {
        const struct decision *decision = &survey->plan.decisions[layer->index];

        return json_pack("{s:s, s:o, s:o, s:o, s:o}", "action", plan_action_name(decision->action), "rule",
                        text_or_null(decision->rule), "reason", text_or_null(decision->reason), "findings",
                        findings_value(survey, layer), "members", members_value(layer->md));
}

static json_t *layer_value(const struct survey *survey, const struct layer *layer) {
        json_t *object = layer_place(layer), *numbers = layer_numbers(survey, layer),
               *judgement = layer_judgement(survey, layer);

        if (!object || !numbers || !judgement || json_object_update(object, numbers) != 0 ||
                        json_object_update(object, judgement) != 0) {
                json_decref(object);
                object = NULL;
        }
        json_decref(numbers);
        json_decref(judgement);
        return object;
}

json_t *json_scan(const struct survey *survey) {
        json_t *layers = json_array();

        for (size_t i = 0; i < survey->topology->n_layers; i++)
                append(&layers, layer_value(survey, survey->topology->layers[i]));
        return json_pack("{s:i, s:o}", "version", FORM_VERSION, "layers", layers);
}

static json_t *change_value(const struct decision *decision) {
        return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", text_or_null(decision->layer->name), "label",
                        text_or_null(decision->layer->label), "from_sectors",
                        number_or_null(decision->layer->readahead_sectors), "to_sectors",
                        number_or_null(decision->target.sectors), "rule", text_or_null(decision->rule), "reason",
                        text_or_null(decision->reason));
}

static json_t *hold_value(const struct decision *decision) {
        return json_pack("{s:o, s:o, s:o}", "name", text_or_null(decision->layer->name), "label",
                        text_or_null(decision->layer->label), "reason", text_or_null(decision->reason));
}

json_t *json_plan(const struct survey *survey) {
        json_t *changes = json_array(), *held = json_array();

        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                const struct decision *decision = &survey->plan.decisions[i];

                if (decision_is_change(decision))
                        append(&changes, change_value(decision));
                else if (decision->action == ACTION_HOLD)
                        append(&held, hold_value(decision));
        }
        return json_pack("{s:i, s:o, s:o}", "version", FORM_VERSION, "changes", changes, "held", held);
}

static json_t *misses_value(const struct policy_step *step) {
        json_t *array = json_array();

        for (size_t i = 0; i < step->n_misses; i++)
                append(&array, json_pack("{s:o, s:o, s:o}", "key", text_or_null(step->misses[i].key), "wanted",
                                               text_or_null(step->misses[i].wanted), "value",
                                               text_or_null(step->misses[i].value)));
        return array;
}

static json_t *rules_value(const struct policy_trace *trace) {
        json_t *array = json_array();

        for (size_t i = 0; i < trace->n_steps; i++) {
                const struct policy_step *step = &trace->steps[i];

                append(&array, json_pack("{s:o, s:o, s:I, s:b, s:o}", "name", text_or_null(step->rule), "file",
                                               text_or_null(step->file), "line", (json_int_t)step->line, "matched",
                                               step->matched, "misses", misses_value(step)));
        }
        return array;
}

static json_t *steps_value(const struct explanation *explanation) {
        json_t *array = json_array();

        for (size_t i = 0; i < explanation->n_steps; i++) {
                const struct explain_step *step = &explanation->steps[i];

                append(&array, json_pack("{s:s, s:o, s:o}", "step", step->name, "sectors",
                                               number_or_null(step->sectors), "text", text_or_null(step->text)));
        }
        return array;
}

static json_t *advice_value(const struct explanation *explanation) {
        json_t *array = json_array();

        for (size_t i = 0; i < explanation->n_advice; i++)
                append(&array, json_pack("{s:o, s:o}", "purpose", text_or_null(explanation->advice[i].purpose), "text",
                                               text_or_null(explanation->advice[i].text)));
        return array;
}

static json_t *reads_value(const struct explanation *explanation) {
        const struct layer *layer = explanation->reads;

        return json_pack("{s:o, s:o, s:o}", "name", text_or_null(layer ? layer->name : NULL), "readahead_sectors",
                        layer ? number_or_null(layer->readahead_sectors) : json_null(), "text",
                        text_or_null(explanation->reads_text));
}

json_t *json_explain(const struct explanation *explanation) {
        return json_pack("{s:i, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "version", FORM_VERSION, "layer",
                        layer_value(explanation->survey, explanation->layer), "reads", reads_value(explanation),
                        "rules", rules_value(explanation->trace), "rules_not_reached",
                        (json_int_t)explanation->trace->n_not_reached, "steps", steps_value(explanation), "outcome",
                        text_or_null(explanation->outcome), "advice", advice_value(explanation));
}

static json_t *figure_or_null(double figure) {
        return isfinite(figure) ? json_real(figure) : json_null();
}

static json_t *entry_value(const struct history_entry *entry) {
        return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time_usec",
                        (json_int_t)entry->time_usec, "name", text_or_null(entry->name), "label",
                        text_or_null(entry->label), "event", history_event_name(entry->event), "from_sectors",
                        number_or_null(entry->from_sectors), "to_sectors", number_or_null(entry->to_sectors), "rule",
                        text_or_null(entry->rule), "mbps_before", figure_or_null(entry->mbps_before), "mbps_after",
                        figure_or_null(entry->mbps_after), "gain", figure_or_null(entry->gain), "verdict",
                        text_or_null(entry->verdict), "skipped", text_or_null(entry->skipped), "message",
                        text_or_null(entry->message));
}

json_t *json_history(const struct history *history) {
        json_t *entries = json_array();

        for (size_t i = 0; i < history->n_entries; i++)
                append(&entries, entry_value(&history->entries[i]));
        return json_pack("{s:i, s:o}", "version", FORM_VERSION, "entries", entries);
}

static json_t *error_value(const struct policy_error *error) {
        return json_pack("{s:o, s:o, s:o}", "line", error->line ? json_integer(error->line) : json_null(), "column",
                        error->line ? json_integer(error->column) : json_null(), "text", text_or_null(error->text));
}

/* 0 switches it off. */
static json_t *size_or_off(uint64_t size) {
        return size > 0 ? size_value(size) : json_null();
}

static json_t *settings_value(const struct settings *settings) {
        return json_pack("{s:o, s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:I, s:I, s:s, s:o}", "settle_msec",
                        size_value(settings->settle_msec), "settle_max_msec", size_value(settings->settle_max_msec),
                        "reconcile_msec", size_or_off(settings->reconcile_msec), "worker_deadline_msec",
                        size_value(settings->worker_deadline_msec), "workers", (json_int_t)settings->workers, "on_stop",
                        on_stop_name(settings->on_stop), "probe_budget_msec", size_or_off(settings->probe_budget_msec),
                        "probe_budget_bytes", size_or_off(settings->probe_budget_bytes), "drift_limit",
                        (json_int_t)settings->drift_limit, "reassert_limit", (json_int_t)settings->reassert_limit,
                        "log_level", settings_log_level_name(settings->log_level), "metrics_file",
                        text_or_null(settings->metrics_file));
}

/* Null for a policy, and for settings that are wrong. */
static json_t *find_settings(const char *file, const struct settings_check *checks, size_t n_checks) {
        for (size_t i = 0; i < n_checks; i++)
                if (strcmp(checks[i].path, file) == 0 && checks[i].result >= 0)
                        return settings_value(&checks[i].settings);
        return json_null();
}

static json_t *file_value(const char *file, const struct settings_check *checks, size_t n_checks,
                const struct policy_errors *errors) {
        json_t *array = json_array();

        for (size_t i = 0; i < errors->n_items; i++)
                if (strcmp(errors->items[i].file, file) == 0)
                        append(&array, error_value(&errors->items[i]));
        return json_pack("{s:o, s:o, s:o}", "file", text_or_null(file), "errors", array, "settings",
                        find_settings(file, checks, n_checks));
}

static bool is_looked_at(const struct policy_errors *errors, const char *file) {
        for (size_t i = 0; i < errors->n_files; i++)
                if (strcmp(errors->files[i], file) == 0)
                        return true;
        return false;
}

json_t *json_check(const struct policy *policy, const struct settings_check *checks, size_t n_checks,
                const struct policy_errors *errors) {
        json_t *files = json_array();

        for (size_t i = 0; i < errors->n_files; i++)
                append(&files, file_value(errors->files[i], checks, n_checks, errors));
        /* A directory that can't be read is no file, and ends the reading: it is the one error. */
        for (size_t i = 0; i < errors->n_items; i++)
                if (!is_looked_at(errors, errors->items[i].file))
                        append(&files, file_value(errors->items[i].file, checks, n_checks, errors));
        return json_pack("{s:i, s:o, s:o}", "version", FORM_VERSION, "files", files, "rules",
                        policy ? json_integer((json_int_t)policy_count_rules(policy)) : json_null());
}

json_t *json_text(const char *text) {
        return text_or_null(text);
}

json_t *json_device(const struct layer *layer) {
        return json_pack("{s:o, s:o, s:o}", "name", text_or_null(layer->name), "label", text_or_null(layer->label),
                        "devno", devno(layer));
}

static int write_part(const char *text, size_t size, void *stream) {
        return text_write_json(stream, text, size) < 0 ? -1 : 0;
}

int json_print(FILE *stream, json_t *document) {
        int r;

        if (!document)
                return -ENOMEM;
        r = json_dump_callback(document, write_part, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        json_decref(document);
        if (r < 0 && !ferror(stream))
                return -ENOMEM;
        return r == 0 && fputc('\n', stream) != EOF ? 0 : -EIO;
}
