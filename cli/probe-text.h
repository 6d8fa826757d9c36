/* SPDX-License-Identifier: MIT */
#pragma once

/* What setractl probe has measured: in a line for people, as a tree, and as JSON (docs/json.md). */

#include <stdio.h>

#include <jansson.h>

#include "cli/probe-report.h"

/*
 * "vg0/lv0 (dm-3): readahead 256 sectors (128 KiB): sequential read 49.9 MB/s (median of 5 runs, 48.7 to 51.0), 128 KiB
 * blocks"; as the tool prints it where that is asked for. Without a newline. Not for PROBE_FORM_BELOW. The caller frees it;
 * NULL without memory. Pure.
 */
char *probe_sentence(const struct probe_report *report);

/*
 * Where a layer reads less than what is beneath it: "vg0/lv0 reads 0.36 of md0 beneath it: readahead 256 against 3072
 * sectors". By less than PROBE_LOSS of the slowest layer directly beneath, and in every run. The caller frees it; NULL
 * where ITEM loses nothing, or without memory. Pure.
 */
#define PROBE_LOSS 0.8
char *probe_loss_sentence(const struct probe_report *report, const struct probe_item *item);

/* The tree of PROBE_FORM_BELOW, then where throughput is lost, and findings. Returns 0 or a negative errno. */
int probe_print_tree(FILE *stream, const struct probe_report *report);

/* SKIPPED: why it was not measured, or NULL. The caller drops the reference; NULL without memory. */
json_t *probe_json(const struct probe_report *report, const char *skipped);
