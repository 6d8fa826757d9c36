/* SPDX-License-Identifier: MIT */

#include "common/ledger-fate.h"
#include "common/sectors.h"

enum ledger_fate ledger_judge_value(const struct ledger_entry *entry, const struct sysroot *root) {
        struct opt_int sectors = sectors_from_kib(sysroot_read_int(
                        root, "sys/dev/block/%u:%u/queue/read_ahead_kb", entry->device.major, entry->device.minor));

        if (!sectors.known)
                return LEDGER_UNDECIDED;
        return (uint64_t)sectors.value == entry->new_sectors ? LEDGER_MADE : LEDGER_NOT_MADE;
}

bool ledger_owner_is_alive(struct ledger_owners *owners, const struct process *owner) {
        if (!process_equal(owner, &owners->last)) {
                owners->last = *owner;
                owners->last_is_alive = process_is_alive(owners->root, owner);
        }
        return owners->last_is_alive;
}

enum ledger_fate ledger_judge(const struct ledger_entry *entry, void *userdata) {
        struct ledger_owners *owners = userdata;

        return ledger_owner_is_alive(owners, &entry->owner) ? LEDGER_UNDECIDED
                                                            : ledger_judge_value(entry, owners->root);
}
