/* SPDX-License-Identifier: MIT */
#pragma once

/* Readers for the keys of a rule and of defaults, for the table in policy-rule.c only. */

#include "config/policy-reader.h"

typedef int setting_reader(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target);

setting_reader setting_read_readahead; /* struct readahead_spec */
setting_reader setting_read_min;       /* uint64_t, sectors */
setting_reader setting_read_max;       /* uint64_t, sectors */
setting_reader setting_read_share;     /* unsigned, parts per million */
setting_reader setting_read_direction; /* enum direction */
setting_reader setting_read_on_drift;  /* enum on_drift */
setting_reader setting_read_hold;      /* struct hold_spec */
setting_reader setting_read_probe;     /* struct policy_rule: its action.probe */
