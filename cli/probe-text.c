/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/probe-text.h"
#include "cli/text.h"
#include "common/cleanup.h"
#include "common/probe-compare.h"
#include "common/probe-interval.h"
#include "common/units.h"

#define MIB (1024.0 * 1024.0)

static const char *plural(unsigned n) {
        return n == 1 ? "" : "s";
}

static void put_readahead(FILE *f, uint64_t sectors) {
        char size[UNITS_BUFFER];

        fprintf(f, "readahead %" PRIu64 " sectors", sectors);
        if (sectors > 0)
                fprintf(f, " (%s)", units_format_sectors(size, sectors));
}

static void put_block(FILE *f, const struct probe_report *report) {
        char block[UNITS_BUFFER];

        fprintf(f, ", %s blocks", units_format_bytes(block, probe_item_block_bytes(report, &report->items[0])));
}

static void put_rate(FILE *f, const struct probe_report *report) {
        const struct probe_series *series = &report->items[0].series;
        char median[UNITS_BUFFER], least[UNITS_BUFFER], most[UNITS_BUFFER];
        double low, high;

        fprintf(f, "sequential read %s MB/s", units_format_mbps(median, series->median_mbps));
        probe_median_interval(series, &low, &high);
        if (series->n_runs > 1)
                fprintf(f, " (median of %u runs, %s to %s)", series->n_runs, units_format_mbps(least, low),
                                units_format_mbps(most, high));
        else
                fprintf(f, " (1 run)");
        put_block(f, report);
}

/* Of two series that are measured by turns: as many in each, unless time was over in between. */
static unsigned runs_each(const struct probe_report *report) {
        unsigned a = report->items[0].series.n_runs, b = report->items[1].series.n_runs;

        return a < b ? a : b;
}

static void put_runs_each(FILE *f, const struct probe_report *report) {
        unsigned n = runs_each(report);

        if (n > 1)
                fprintf(f, "median of %u runs each", n);
        else
                fprintf(f, "%u run%s each", n, plural(n));
}

static void put_streams(FILE *f, const struct probe_report *report) {
        const struct probe_item *one = &report->items[0], *several = &report->items[1];
        char single[UNITS_BUFFER], together[UNITS_BUFFER], ratio[UNITS_BUFFER];

        fprintf(f, "1 reader %s MB/s; %u readers %s MB/s together (×%s), ",
                        units_format_mbps(single, one->series.median_mbps), several->streams,
                        units_format_mbps(together, several->series.median_mbps),
                        units_format_ratio(ratio, several->series.median_mbps / one->series.median_mbps));
        put_runs_each(f, report);
        put_block(f, report);
}

static void put_random_item(FILE *f, const struct probe_item *item, const char *way) {
        const struct probe_series *series = &item->series;
        char rate[UNITS_BUFFER], amplification[UNITS_BUFFER];

        fprintf(f, "by %s %s MB/s", way, units_format_mbps(rate, series->median_mbps));
        if (series->bytes_asked > 0)
                fprintf(f, ", %s bytes fetched a byte asked",
                                units_format_ratio(amplification, probe_amplification(series)));
}

static void put_random(FILE *f, const struct probe_report *report) {
        fprintf(f, "random reads of 4 KiB: ");
        put_random_item(f, &report->items[0], "mmap");
        fprintf(f, "; ");
        put_random_item(f, &report->items[1], "read()");
        fprintf(f, " (");
        put_runs_each(f, report);
        fputc(')', f);
}

static double run_seconds(const struct probe_item *item, unsigned run) {
        return (double)item->run_bytes[run] / item->series.mbps[run] / 1e6;
}

/* In MiB and kiB, which hdparm calls MB and kB. */
static void put_hdparm(FILE *f, const struct probe_report *report) {
        const struct probe_item *item = &report->items[0];

        fprintf(f, "\n/dev/%s:", report->layer->name);
        for (unsigned i = 0; i < item->series.n_runs; i++) {
                double mib = (double)item->run_bytes[i] / MIB, seconds = run_seconds(item, i), rate = mib / seconds;
                bool slow = rate <= 1;

                fprintf(f, "\n Timing buffered disk reads: %3.0f MB in %5.2f seconds = %6.2f %s", mib, seconds,
                                slow ? rate * 1024 : rate, slow ? "kB/sec" : "MB/sec");
        }
}

/* As dd has it: one decimal place below 10, else none. */
static void put_scaled(FILE *f, double bytes, unsigned base, const char *unit) {
        static const char prefixes[] = " kMGTPE";
        unsigned i = 0;

        while (bytes >= base && prefixes[i + 1]) {
                bytes /= base;
                i++;
        }
        fprintf(f, "%.*f ", i > 0 && bytes < 9.95 ? 1 : 0, bytes);
        if (i > 0)
                fputc(base == 1024 && i == 1 ? 'K' : prefixes[i], f);
        fprintf(f, "%s", i > 0 ? unit : "B");
}

static void put_dd(FILE *f, const struct probe_report *report) {
        const struct probe_item *item = &report->items[0];

        for (unsigned i = 0; i < item->series.n_runs; i++) {
                double bytes = (double)item->run_bytes[i], seconds = run_seconds(item, i);

                fprintf(f, "%s%" PRIu64 " bytes (", i > 0 ? "\n" : "", item->run_bytes[i]);
                put_scaled(f, bytes, 1000, "B");
                fprintf(f, ", ");
                put_scaled(f, bytes, 1024, "iB");
                fprintf(f, ") copied, %g s, ", seconds);
                put_scaled(f, bytes / seconds, 1000, "B/s");
        }
}

static void put_title(FILE *f, const struct probe_report *report) {
        _cleanup_(freep) char *title = text_layer_title(report->layer);

        fprintf(f, "%s: ", title ?: report->layer->name);
        put_readahead(f, report->items[0].readahead_sectors);
        fprintf(f, ": ");
}

static void put_sentence(FILE *f, const struct probe_report *report) {
        switch (report->request.form) {
        case PROBE_FORM_HDPARM: put_hdparm(f, report); return;
        case PROBE_FORM_DD: put_dd(f, report); return;
        default: break;
        }
        put_title(f, report);
        switch (report->request.form) {
        case PROBE_FORM_STREAMS: put_streams(f, report); break;
        case PROBE_FORM_RANDOM: put_random(f, report); break;
        default: put_rate(f, report); break;
        }
}

char *probe_sentence(const struct probe_report *report) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        if (!f)
                return NULL;
        put_sentence(f, report);
        if (fclose(f) != 0) {
                free(text);
                return NULL;
        }
        return text;
}

static void find_range(const struct probe_series *series, double *ret_least, double *ret_most) {
        *ret_least = *ret_most = series->n_runs > 0 ? series->mbps[0] : 0;
        for (unsigned i = 1; i < series->n_runs; i++) {
                *ret_least = series->mbps[i] < *ret_least ? series->mbps[i] : *ret_least;
                *ret_most = series->mbps[i] > *ret_most ? series->mbps[i] : *ret_most;
        }
}

/* Of those directly beneath; not the members of an array, each of which has only a part of its data. */
static const struct probe_item *slowest_beneath(const struct probe_report *report, const struct layer *layer) {
        const struct probe_item *slowest = NULL;

        for (size_t i = 0; i < layer->n_below; i++) {
                const struct probe_item *item = probe_report_find(report, layer->below[i]);

                if (item && item->array != layer && item->series.n_runs > 0 &&
                                (!slowest || item->series.median_mbps < slowest->series.median_mbps))
                        slowest = item;
        }
        return slowest;
}

char *probe_loss_sentence(const struct probe_report *report, const struct probe_item *item) {
        const struct probe_item *beneath = slowest_beneath(report, item->layer);
        double least, most, ignored, part;
        char ratio[UNITS_BUFFER], *text = NULL;
        int n;

        if (!beneath || item->series.n_runs == 0)
                return NULL;
        part = item->series.median_mbps / beneath->series.median_mbps;
        find_range(&item->series, &ignored, &most);
        find_range(&beneath->series, &least, &ignored);
        if (part >= PROBE_LOSS || most >= least)
                return NULL;
        units_format_ratio(ratio, part);
        if (item->readahead_sectors == beneath->readahead_sectors)
                n = asprintf(&text, "%s reads %s of %s beneath it, at the same readahead of %" PRIu64 " sectors",
                                item->layer->label, ratio, beneath->layer->label, item->readahead_sectors);
        else
                n = asprintf(&text, "%s reads %s of %s beneath it: readahead %" PRIu64 " against %" PRIu64 " sectors",
                                item->layer->label, ratio, beneath->layer->label, item->readahead_sectors,
                                beneath->readahead_sectors);
        return n < 0 ? NULL : text;
}
