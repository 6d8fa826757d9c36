/* SPDX-License-Identifier: MIT */
#pragma once

/* What became of a change that is pending in the ledger. */

#include "ledger.h"
#include "process.h"
#include "sysroot.h"

/* By the readahead that the device has in sysfs of ROOT, whoever is at it; undecided where there is no such device. */
enum ledger_fate ledger_judge_value(const struct ledger_entry *entry, const struct sysroot *root);

/* What is asked of the processes of ROOT. Many entries in a row have the same owner, which is looked for once. */
struct ledger_owners {
        const struct sysroot *root;
        struct process last;
        bool last_is_alive;
};

bool ledger_owner_is_alive(struct ledger_owners *owners, const struct process *owner);

/* As ledger_judge_value(), but undecided where its owner is alive: that one knows. USERDATA is a struct ledger_owners. */
enum ledger_fate ledger_judge(const struct ledger_entry *entry, void *userdata);
