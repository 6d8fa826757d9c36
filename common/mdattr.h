/* SPDX-License-Identifier: MIT */
#pragma once

/* Text of md's attributes in sysfs. Pure. */

#include "opt.h"
#include "topology.h"

/*
 * "4", or while a reshape runs "5 (4)": new, then old. Unknown for "" and for anything else. *ret_old is known if it was
 * a pair.
 */
struct opt_int mdattr_parse_pair(const char *text, struct opt_int *ret_old);

/* sync_completed: "73216 / 262144"; both unknown for "none", "delayed" and all else. */
void mdattr_parse_progress(const char *text, struct opt_int *ret_synced_sectors, struct opt_int *ret_sync_sectors);

/* A layout of raid5 or raid6 as mdadm names it, "left-symmetric"; NULL for any other. */
const char *mdattr_layout_name(enum layer_kind kind, int64_t layout);

/* "in_sync,journal" → bits; unknown words are skipped. */
unsigned mdattr_parse_states(const char *text);

/* "0" → 0; "none", "journal" and all else → -1. */
int mdattr_parse_slot(const char *text);

/* The kind of an array by level, metadata version and state. */
enum layer_kind mdattr_kind(const struct md_info *md);
