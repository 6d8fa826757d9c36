/* SPDX-License-Identifier: MIT */
#pragma once

/* What became of a change that is pending in the ledger. */

#include "ledger.h"
#include "sysroot.h"

/* By the readahead that the device has in sysfs of ROOT, whoever is at it; undecided where there is no such device. */
enum ledger_fate ledger_judge_value(const struct ledger_entry *entry, const struct sysroot *root);

/* The same, but undecided where its owner is alive: that one knows. USERDATA is a struct sysroot. */
enum ledger_fate ledger_judge(const struct ledger_entry *entry, void *userdata);
