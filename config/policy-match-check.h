/* SPDX-License-Identifier: MIT */
#pragma once

/* Refuses values of match keys that can't match anything, and says what was meant. */

#include "config/policy-reader.h"

/* TEXT is that of NODE. Returns as the functions of policy-reader.h do. */
typedef int match_check(struct policy_reader *reader, const struct tree_node *node, const char *text);

match_check match_check_device;
match_check match_check_lvm_name;
match_check match_check_uuid;
match_check match_check_transport;
match_check match_check_filesystem;
match_check match_check_mountpoint;
