/* SPDX-License-Identifier: MIT */
#pragma once

/* What became of changes that nobody has heard of: those of a process that was killed. */

#include <stdbool.h>

#include "common/ledger.h"
#include "common/sysroot.h"

/* Whether the device of ENTRY has the value that it was to get, by sysfs of the struct sysroot that USERDATA is. */
bool settle_was_made(const struct ledger_entry *entry, void *userdata);

/* At start: confirms or drops in the ledger what an earlier process left pending. */
void settle_ledger(const struct sysroot *root);
