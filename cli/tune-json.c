/* SPDX-License-Identifier: MIT */

#include "cli/json.h"
#include "cli/tune-report.h"

#define FORM_VERSION 1

static json_t *number_or_null(struct opt_int number) {
        return number.known ? json_integer(number.value) : json_null();
}

static json_t *runs_value(const struct tune_value *value) {
        json_t *runs = json_array();

        for (unsigned run = 0; run < value->n_runs; run++)
                if (json_array_append_new(runs, json_real(value->mbps[run])) < 0) {
                        json_decref(runs);
                        return NULL;
                }
        return runs;
}

static json_t *value_object(const struct tune_value *value) {
        return json_pack("{s:I, s:f, s:f, s:o, s:o, s:I}", "readahead_sectors", (json_int_t)value->sectors,
                        "median_mbps", value->median_mbps, "mad_mbps", value->mad_mbps, "runs", runs_value(value),
                        "amplification", value->bytes_asked > 0 ? json_real(tune_amplification(value)) : json_null(),
                        "bytes_read", (json_int_t)value->bytes_read);
}

static json_t *values_array(const struct tune *tune) {
        json_t *values = json_array();

        for (size_t i = 0; i < tune->n_values; i++)
                if (tune->values[i].n_runs > 0 && json_array_append_new(values, value_object(&tune->values[i])) < 0) {
                        json_decref(values);
                        return NULL;
                }
        return values;
}

json_t *tune_json(const struct tune_report *report) {
        const struct tune *tune = report->tune;
        const struct tune_choice *choice = &report->choice;

        return json_pack("{s:i, s:o, s:s, s:o, s:I, s:I, s:o, s:o, s:I, s:b, s:b, s:s}", "version", FORM_VERSION,
                        "device", json_device(report->layer), "workload", report->mixed ? "mixed" : "sequential",
                        "values", values_array(tune), "best_sectors", (json_int_t)tune->values[choice->best].sectors,
                        "chosen_sectors", (json_int_t)tune->values[choice->chosen].sectors, "current_sectors",
                        number_or_null(report->now_sectors), "planned_sectors", number_or_null(report->plan_sectors),
                        "bytes_read", (json_int_t)tune->bytes_read, "certain", choice->finished && choice->is_certain,
                        "disturbed", report->result->disturbed, "rule_yaml", report->rule);
}
