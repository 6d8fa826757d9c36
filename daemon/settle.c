/* SPDX-License-Identifier: MIT */

#include <string.h>
#include <syslog.h>

#include "common/ledger-record.h"
#include "daemon/journal.h"
#include "daemon/settle.h"

#define LOCK_WAIT_MSEC 2000U

bool settle_was_made(const struct ledger_entry *entry, void *userdata) {
        const struct sysroot *root = userdata;
        struct opt_int kib = sysroot_read_int(
                        root, "sys/dev/block/%u:%u/queue/read_ahead_kb", entry->device.major, entry->device.minor);

        return kib.known && (uint64_t)kib.value * 1024 / SECTOR_BYTES == entry->new_sectors;
}

void settle_ledger(const struct sysroot *root) {
        bool damaged = false;
        int r;

        r = ledger_record_settle(LEDGER_DIRECTORY, LOCK_WAIT_MSEC, settle_was_made, (void *)root, &damaged);
        if (damaged)
                journal_ledger_damaged();
        if (r < 0)
                journal_printf(LOG_WARNING, "the ledger in " LEDGER_DIRECTORY " can't be read: %s", strerror(-r));
}
