/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Figures for node_exporter's textfile collector, in Prometheus' text format. The file is replaced as a whole: nobody
 * reads half of it.
 */

#include <stdint.h>

#include "common/apply.h"
#include "common/cleanup.h"
#include "common/plan.h"
#include "daemon/tally.h"

/* What has happened since the start. */
struct metrics;

/* NULL when memory is short. */
struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);
DEFINE_CLEANUP(struct metrics *, metrics_free);

/* Both take NULL for METRICS. A change that was put back (result->put_back) counts as a revert. */
void metrics_count_change(struct metrics *metrics, const struct decision *decision, const struct apply_result *result);
void metrics_count_scan(struct metrics *metrics, uint64_t usec);

/*
 * Writes all that is known to PATH: NULL or "": nothing. Returns 0 or a negative errno; the file is as before then.
 */
int metrics_write(const struct metrics *metrics, const struct tally_sums *sums, const char *path);

/* The same to a stream, for tests. Returns 0 or a negative errno. */
int metrics_print(FILE *f, const struct metrics *metrics, const struct tally_sums *sums);
