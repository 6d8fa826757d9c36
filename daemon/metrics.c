/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "common/printable.h"
#include "daemon/metrics.h"

/* Devices whose last probe is kept; of more, the oldest is dropped. */
#define PROBES_MAX 1000U

struct probed {
        struct probed *next;
        char *label; /* as it is printed, so that no two are the same there */
        double before_mbps, after_mbps;
};

struct metrics {
        uint64_t n_scans, n_changes, n_put_back, scan_usec;
        struct probed *probed; /* the newest first */
        unsigned n_probed;
};

static void probed_free(struct probed *probed) {
        free(probed->label);
        free(probed);
}

struct metrics *metrics_new(void) {
        return calloc(1, sizeof(struct metrics));
}

void metrics_free(struct metrics *metrics) {
        if (!metrics)
                return;
        while (metrics->probed) {
                struct probed *probed = metrics->probed;

                metrics->probed = probed->next;
                probed_free(probed);
        }
        free(metrics);
}

void metrics_count_scan(struct metrics *metrics, uint64_t usec) {
        if (!metrics)
                return;
        metrics->n_scans++;
        metrics->scan_usec = usec;
}

/* Drops the one of LABEL, or the oldest if there are too many. */
static void make_room(struct metrics *metrics, const char *label) {
        struct probed **link = &metrics->probed;

        while (*link && strcmp((*link)->label, label) != 0 && ((*link)->next || metrics->n_probed < PROBES_MAX))
                link = &(*link)->next;
        if (*link) {
                struct probed *probed = *link;

                *link = probed->next;
                metrics->n_probed--;
                probed_free(probed);
        }
}

/* What is no UTF-8 would spoil the whole file, and so would two labels that are the same. */
static void keep_probe(struct metrics *metrics, const char *label, const struct probe_result *probe) {
        struct probed *probed = calloc(1, sizeof(*probed));

        if (!probed)
                return;
        *probed = (struct probed){
                        .label = printable_escape(label),
                        .before_mbps = probe->series[PROBE_BEFORE].median_mbps,
                        .after_mbps = probe->series[PROBE_AFTER].median_mbps,
        };
        if (!probed->label) {
                free(probed);
                return;
        }
        make_room(metrics, probed->label);
        probed->next = metrics->probed;
        metrics->probed = probed;
        metrics->n_probed++;
}

void metrics_count_change(struct metrics *metrics, const struct decision *decision, const struct apply_result *result) {
        if (!metrics)
                return;
        metrics->n_changes += result->changed || result->put_back;
        metrics->n_put_back += result->put_back;
        if (result->probe.verdict != PROBE_NONE)
                keep_probe(metrics, decision->layer->label, &result->probe);
}

static void print_head(FILE *f, const char *name, const char *type, const char *help) {
        fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_number(FILE *f, const char *name, const char *type, const char *help, uint64_t value) {
        print_head(f, name, type, help);
        fprintf(f, "%s %" PRIu64 "\n", name, value);
}

/* A label's value, in which backslash and quote are escaped. */
static void print_value(FILE *f, const char *text) {
        for (; *text; text++) {
                if (*text == '\\' || *text == '"')
                        fputc('\\', f);
                fputc(*text, f);
        }
}

static void print_kinds(FILE *f, const struct tally_sums *sums) {
        print_head(f, "setrad_layers", "gauge", "Block devices, by kind of layer.");
        for (enum layer_kind kind = 0; kind < _KIND_MAX; kind++)
                if (sums->n_of_kind[kind] > 0)
                        fprintf(f, "setrad_layers{kind=\"%s\"} %zu\n", kind_name(kind), sums->n_of_kind[kind]);
}

static void print_probe(FILE *f, const struct probed *probed, const char *when, double mbps) {
        fputs("setrad_probe_bytes_per_second{label=\"", f);
        print_value(f, probed->label);
        fprintf(f, "\",when=\"%s\"} %.0f\n", when, mbps * 1e6);
}

static void print_probes(FILE *f, const struct metrics *metrics) {
        if (!metrics->probed)
                return;
        print_head(f, "setrad_probe_bytes_per_second", "gauge",
                        "Median of sequential reads before and after the last change that was measured.");
        for (const struct probed *probed = metrics->probed; probed; probed = probed->next) {
                print_probe(f, probed, "before", probed->before_mbps);
                print_probe(f, probed, "after", probed->after_mbps);
        }
}

int metrics_print(FILE *f, const struct metrics *metrics, const struct tally_sums *sums) {
        print_kinds(f, sums);
        print_number(f, "setrad_mismatches", "gauge", "Layers that have not the readahead that their rule asks for.",
                        sums->n_mismatches);
        print_number(f, "setrad_held", "gauge", "Layers whose change must wait.", sums->n_held);
        print_number(f, "setrad_changes_total", "counter", "Changes made since the start.", metrics->n_changes);
        print_number(f, "setrad_reverts_total", "counter",
                        "Changes put back since the start, as reading became slower than keep-if allows.",
                        metrics->n_put_back);
        print_number(f, "setrad_scans_total", "counter", "Scans since the start.", metrics->n_scans);
        print_head(f, "setrad_scan_duration_seconds", "gauge", "How long the last scan took.");
        fprintf(f, "setrad_scan_duration_seconds %.6f\n", (double)metrics->scan_usec / 1e6);
        print_probes(f, metrics);
        return ferror(f) ? -EIO : 0;
}

/* The directory may belong to others: nothing that they have put there is followed or opened. */
static FILE *open_new(const char *path) {
        _cleanup_(closep) int fd = -1;
        FILE *f;

        if (unlink(path) < 0 && errno != ENOENT)
                return NULL;
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
                return NULL;
        f = fdopen(fd, "w");
        if (f)
                TAKE_FD(fd);
        return f;
}

/* node_exporter runs as a user of its own; the umask need not know. */
static int write_file(const struct metrics *metrics, const struct tally_sums *sums, const char *temporary) {
        FILE *f = open_new(temporary);
        int r;

        if (!f)
                return -errno;
        r = metrics_print(f, metrics, sums);
        if (r == 0 && fchmod(fileno(f), 0644) < 0)
                r = -errno;
        if (fclose(f) != 0 && r == 0)
                r = -errno;
        return r;
}

int metrics_write(const struct metrics *metrics, const struct tally_sums *sums, const char *path) {
        _cleanup_(freep) char *temporary = NULL;
        int r;

        if (!metrics || !path || !*path)
                return 0;
        /* Not .prom: the collector takes every file of that name. */
        if (asprintf(&temporary, "%s.new", path) < 0) {
                temporary = NULL;
                return -ENOMEM;
        }
        r = write_file(metrics, sums, temporary);
        if (r == 0 && rename(temporary, path) < 0)
                r = -errno;
        if (r < 0)
                (void)unlink(temporary);
        return r;
}
