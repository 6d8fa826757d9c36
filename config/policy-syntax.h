/* SPDX-License-Identifier: MIT */
#pragma once

/* What libyaml finds wrong with a text, said for people. */

#include <stddef.h>
#include <yaml.h>

#include "config/policy.h"

/* Adds the error that has stopped PARSER, which reads TEXT. Returns -EINVAL or -ENOMEM. */
int syntax_error(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                struct policy_errors *errors);

/* The length of the line break at S, one of those that libyaml counts lines by; 0: there is none. */
size_t syntax_break_length(const char *s, size_t length);

/* The length of the character at S, which has at least one byte; a byte that is no UTF-8 counts as one. */
size_t syntax_character_length(const char *s, size_t length);

/* Past the byte order mark that some editors put before UTF-8. */
const char *syntax_skip_bom(const char *text, size_t *length);
