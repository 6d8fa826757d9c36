/* SPDX-License-Identifier: MIT */

#include "common/ledger-fate.h"
#include "common/topology.h"

enum ledger_fate ledger_judge_value(const struct ledger_entry *entry, const struct sysroot *root) {
        struct opt_int kib = sysroot_read_int(
                        root, "sys/dev/block/%u:%u/queue/read_ahead_kb", entry->device.major, entry->device.minor);

        if (!kib.known)
                return LEDGER_UNDECIDED;
        return (uint64_t)kib.value * 1024 / SECTOR_BYTES == entry->new_sectors ? LEDGER_MADE : LEDGER_NOT_MADE;
}

enum ledger_fate ledger_judge(const struct ledger_entry *entry, void *userdata) {
        const struct sysroot *root = userdata;

        return process_is_alive(root, &entry->owner) ? LEDGER_UNDECIDED : ledger_judge_value(entry, root);
}
