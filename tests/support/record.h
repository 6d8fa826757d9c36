/* SPDX-License-Identifier: MIT */
#pragma once

/* The calls of ledger-record.h for one device. All return as those do; what is wrong with the one is returned, too. */

#include "common/ledger-record.h"

int record_begin(const char *directory, const struct device_identity *device, const struct ledger_change *change,
                bool *ret_damaged);
int record_revert(const char *directory, const struct device_identity *device, const struct ledger_revert *revert,
                bool *ret_damaged);
int record_end(const char *directory, const struct device_identity *device, enum ledger_outcome outcome,
                const struct probe_result *probe, bool *ret_damaged);
int record_put_back(const char *directory, const struct device_identity *device, uint64_t back_to_sectors,
                const struct probe_result *probe, bool *ret_damaged);
int record_stack(const char *directory, const struct device_identity *device, uint64_t stack, bool *ret_damaged);
