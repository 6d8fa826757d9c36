/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What tells a machine, or one of its disks, from all others: found in names that people chose, and replaced by numbered
 * stand-ins ("wwid-0001") that keep apart what is different. Shared by the files capture*.c only.
 */

#include <stddef.h>

#include "cleanup.h"

enum identifier_type { IDENTIFIER_WWID, IDENTIFIER_SERIAL, IDENTIFIER_HOST, N_IDENTIFIER_TYPES };

struct identifiers;

/* NULL when memory is short. */
struct identifiers *identifiers_new(void);
void identifiers_free(struct identifiers *identifiers);
DEFINE_CLEANUP(struct identifiers *, identifiers_free);

/*
 * From now on TEXT, in capitals or not, has a stand-in. What tells nobody anything (a serial number of three characters,
 * "localhost", a stand-in) is passed over. Of several types of one text the first counts. Returns 0 or -ENOMEM.
 */
int identifiers_add(struct identifiers *identifiers, enum identifier_type type, const char *text);

/* Stand-ins that are in this text already are not given out. Before the first identifiers_replace(). */
void identifiers_reserve(struct identifiers *identifiers, const char *text, size_t size);

/* Of different texts the results differ. The caller frees it; NULL when memory is short. */
char *identifiers_replace(struct identifiers *identifiers, const char *text);
