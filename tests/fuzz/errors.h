/* SPDX-License-Identifier: MIT */
#pragma once

/* What must hold of the errors of a file, be it of policy or of settings. */

#include "cli/json.h"

/* What the input is called in its errors. */
#define ERRORS_INPUT "input"

/*
 * Each is a line of text at a place in an input of SIZE bytes. What setractl check-policy makes of them and of what
 * loaded is text only, and JSON.
 */
void errors_check(struct policy_errors *errors, size_t size, const struct policy *policy,
                const struct settings_check *settings);
