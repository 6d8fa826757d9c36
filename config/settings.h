/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The settings of the service: one YAML file, each key of which may be left out. What the keys mean is described in
 * docs/settings.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/policy.h"

/* /etc unless SYSCONFDIR says otherwise. */
#define SETTINGS_FILE PKG_SYSCONFDIR "/setrad/setrad.yaml"

#define SETTINGS_WORKERS_MAX 64

enum on_stop { STOP_KEEP, STOP_REVERT };

/* Each member with its range and its default. */
struct settings {
        uint64_t settle_msec;     /* quiet before a scan; 10 … 60000; 200 */
        uint64_t settle_max_msec; /* from the first event to the scan, if it is never quiet; settle_msec … 600000; 1000 */
        uint64_t reconcile_msec;       /* between scans without an event; 10000 … 86400000; 0: off; 300000 */
        uint64_t worker_deadline_msec; /* for one change, without its probe; 1000 … 600000; 10000 */
        unsigned workers;              /* that make changes at the same time; 1 … 64; 16 */
        enum on_stop on_stop;          /* what becomes of changes when the service stops; STOP_KEEP */
        uint64_t probe_budget_msec;    /* of all probes in an hour; 1000 … 3600000; 0: no bound; 180000 */
        uint64_t probe_budget_bytes;   /* of all probes in an hour; 2²⁰ … 2⁵⁰; 0: no bound; 2³⁴ (16 GiB) */
        unsigned drift_limit;          /* a device put back in an hour after a reset; 1 … 60; 6 */
        unsigned reassert_limit;       /* the same after a change by somebody; 1 … 20; 3 */
        int log_level;      /* of syslog(3), the least important that is written; LOG_ERR … LOG_DEBUG; LOG_INFO */
        char *metrics_file; /* absolute, ends in .prom, under PATH_MAX; the struct's; NULL: none; NULL */
};

/* What an empty file means. Nothing is freed. */
void settings_init_defaults(struct settings *settings);

/* Frees what the struct owns. */
void settings_done(struct settings *settings);

/*
 * Reads the file PATH. Where there is none, it is empty, has comments only or is a link to /dev/null, these are the
 * defaults; a link that leads nowhere is an error. Returns 0 and *ret for settings_done(); else *ret is left as it was:
 * -EINVAL with ERRORS filled, another negative errno with an error that names the file, or -ENOMEM. Whether there was a
 * file shows in errors->n_files.
 */
int settings_load(const char *path, struct settings *ret, struct policy_errors *errors);

/* As settings_load() for a file that somebody has named: it has to be there. */
int settings_load_file(const char *path, struct settings *ret, struct policy_errors *errors);

/* As settings_load() for text; NAME stands for the file in errors. For tests and fuzzers. */
int settings_load_text(
                const char *name, const char *text, size_t length, struct settings *ret, struct policy_errors *errors);

/*
 * Whether PATH is a file of settings and no policy: by its name (setrad.yaml, not in a directory policy.d), else by its
 * keys. False where it can't be read.
 */
bool settings_recognize(const char *path);

/* "keep", "revert" */
const char *on_stop_name(enum on_stop on_stop);

/* "err" … "debug" */
const char *settings_log_level_name(int log_level);
