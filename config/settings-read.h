/* SPDX-License-Identifier: MIT */
#pragma once

/* The table of the settings' keys, and what reads them; for settings.c only. */

#include <stdbool.h>

#include "config/policy-reader.h"
#include "config/settings.h"

#define SETTINGS_VERSION "1"

/* Sets the members whose keys ROOT has. Returns 0, -EINVAL with errors added, or -ENOMEM. */
int settings_read(struct policy_reader *reader, const struct tree_node *root, struct settings *settings);

/* Whether the keys of ROOT are those of settings, not those of a policy. */
bool settings_has_keys(const struct tree_node *root);

/* The key with number I; NULL: there are no more. */
const char *settings_key(size_t i);
