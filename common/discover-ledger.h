/* SPDX-License-Identifier: MIT */
#pragma once

/* What setrad itself has on record, as far as those want to know it who do not write it. */

#include "ledger.h"
#include "sysroot.h"
#include "topology.h"

/*
 * The ledger below ROOT, which is left as it is; without a file it is empty. -EBADMSG if it is damaged, or of another
 * version; or another negative errno.
 */
int ledger_read(const struct sysroot *root, struct ledger **ret);

/*
 * Sets set of the layers in LEDGER, that below ROOT; what is pending there, and nobody is at any longer, counts as it would
 * be settled. The topology is finished. Returns 0 or -ENOMEM.
 */
int ledger_note_layers(const struct sysroot *root, struct topology *topology, const struct ledger *ledger);
