/* SPDX-License-Identifier: MIT */
#pragma once

/* What setrad itself has on record. Shared by the files discover*.c only. */

#include "sysroot.h"
#include "topology.h"

/*
 * Sets set of the layers in the ledger below ROOT; of a ledger that is missing, damaged or not to be read,
 * nothing. The topology is finished. Returns 0 or -ENOMEM.
 */
int ledger_note_layers(const struct sysroot *root, struct topology *topology);
