/* SPDX-License-Identifier: MIT */
#pragma once

/* What a layer has where a match key looks, in words; for the table in policy-match.c only. */

#include "config/policy-match.h"

typedef const char *match_describer(
                const struct match_term *term, const struct match_subject *subject, struct arena *arena);

match_describer match_describe_device;
match_describer match_describe_name;
match_describer match_describe_vg;
match_describer match_describe_lv;
match_describer match_describe_kind;
match_describer match_describe_over;
match_describer match_describe_uuid;
match_describer match_describe_serial;
match_describer match_describe_model;
match_describer match_describe_rotational;
match_describer match_describe_transport;
match_describer match_describe_size;
match_describer match_describe_filesystem;
match_describer match_describe_mountpoint;
match_describer match_describe_top;
match_describer match_describe_finding;
match_describer match_describe_not;
