/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The ledger of this machine, shared by daemon and command line: each call takes the lock in DIRECTORY, reads the ledger
 * there, changes it and writes it back. A ledger that was damaged is set aside and *ret_damaged set.
 *
 * All return 0, -ETIMEDOUT where another program holds the lock, or another negative errno; nothing is changed then.
 */

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "probe.h"

#define LEDGER_DIRECTORY "/run/setrad"

/* Before a change: an original value that is not on record could not be put back. */
int ledger_record_begin(const char *directory, const struct device_identity *device, const char *label,
                const char *rule, uint64_t original_sectors, uint64_t new_sectors, bool *ret_damaged);

/* After it: MADE or not. PROBE may be NULL. */
int ledger_record_end(const char *directory, const struct device_identity *device, bool made,
                const struct probe_result *probe, bool *ret_damaged);
