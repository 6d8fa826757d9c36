/* SPDX-License-Identifier: MIT */
#pragma once

/* What libyaml finds wrong with a text, said for people. */

#include <stddef.h>
#include <yaml.h>

#include "config/policy.h"

/* Adds the error that has stopped PARSER, which reads TEXT. Returns -EINVAL or -ENOMEM. */
int syntax_error(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                struct policy_errors *errors);

/* Past the byte order mark that some editors put before UTF-8. */
const char *syntax_skip_bom(const char *text, size_t *length);
