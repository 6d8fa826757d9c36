/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Readers for the values of match keys, for the table in policy-match.c only. Each fills in the term's members and
 * returns as the functions of policy-reader.h do.
 */

#include "config/policy-match.h"

typedef int match_reader(struct policy_reader *reader, const struct tree_node *value, struct match_term *term);

match_reader match_read_patterns;
match_reader match_read_device;
match_reader match_read_lvm_name;
match_reader match_read_uuid;
match_reader match_read_transport;
match_reader match_read_filesystem;
match_reader match_read_mountpoints;
match_reader match_read_kinds;
match_reader match_read_over;
match_reader match_read_findings;
match_reader match_read_sizes;
match_reader match_read_flag;
