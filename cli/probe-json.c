/* SPDX-License-Identifier: MIT */

#include "cli/json.h"
#include "cli/probe-text.h"
#include "common/probe-compare.h"
#include "common/probe-interval.h"

/* Every function here returns a new reference, or NULL without memory; json_pack() fails where it is given a NULL. */

static void append(json_t **array, json_t *value) {
        if (*array && json_array_append_new(*array, value) == 0)
                return;
        if (!*array)
                json_decref(value);
        json_decref(*array);
        *array = NULL;
}

static json_t *rate(const struct probe_series *series, double mbps) {
        return series->n_runs > 0 ? json_real(mbps) : json_null();
}

static json_t *runs_value(const struct probe_series *series) {
        json_t *array = json_array();

        for (unsigned i = 0; i < series->n_runs; i++)
                append(&array, json_real(series->mbps[i]));
        return array;
}

static json_t *amplification(const struct probe_series *series) {
        return series->bytes_asked > 0 ? json_real(probe_amplification(series)) : json_null();
}

static json_t *item_value(const struct probe_report *report, const struct probe_item *item) {
        const struct probe_series *series = &item->series;
        double low, high;

        probe_median_interval(series, &low, &high);
        return json_pack("{s:o, s:o, s:s, s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "name",
                        json_text(item->layer->name), "label", json_text(item->layer->label), "kind",
                        kind_name(item->layer->kind), "workload", probe_workload_name(item->workload), "streams",
                        (int)item->streams, "readahead_sectors", (json_int_t)item->readahead_sectors, "block_bytes",
                        (json_int_t)probe_item_block_bytes(report, item), "median_mbps",
                        rate(series, series->median_mbps), "mad_mbps", rate(series, series->mad_mbps), "low",
                        rate(series, low), "high", rate(series, high), "runs", runs_value(series), "bytes_read",
                        (json_int_t)series->bytes_read, "bytes_fetched",
                        series->bytes_asked > 0 ? json_integer((json_int_t)series->bytes_fetched) : json_null(),
                        "amplification", amplification(series), "array",
                        json_text(item->array ? item->array->name : NULL));
}

static json_t *findings_value(const struct findings *findings) {
        json_t *array = json_array();

        for (size_t i = 0; i < findings->n_items; i++) {
                const struct finding *finding = &findings->items[i];

                append(&array, json_pack("{s:o, s:o, s:s, s:s, s:o}", "name", json_text(finding->layer->name), "label",
                                               json_text(finding->layer->label), "code",
                                               finding_code_name(finding->code), "severity",
                                               finding_severity_name(finding->severity), "text",
                                               json_text(finding->text)));
        }
        return array;
}

json_t *probe_json(const struct probe_report *report, const char *skipped) {
        json_t *results = json_array();

        for (size_t i = 0; i < report->n_items; i++)
                if (report->items[i].series.n_runs > 0)
                        append(&results, item_value(report, &report->items[i]));
        return json_pack("{s:i, s:o, s:o, s:o, s:o, s:b}", "version", 1, "device", json_device(report->layer),
                        "results", results, "findings", findings_value(&report->findings), "skipped",
                        json_text(skipped), "disturbed", (int)report->disturbed);
}
