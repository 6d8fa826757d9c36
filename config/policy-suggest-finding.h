/* SPDX-License-Identifier: MIT */
#pragma once

/* "Did you mean" for the codes of findings, which are FAMILY-REST: what is meant is mostly clear from one of the two. */

#include <stdint.h>

#include "common/arena.h"
#include "common/finding.h"

/* Of CODES (bits) the name that TEXT, which is none, most likely stands for; NULL: none is near. */
const char *finding_suggest(const char *text, uint64_t codes);

/* Those of CODES whose family is that of TEXT. */
uint64_t finding_family(const char *text, uint64_t codes);

/* "a, b, c" in ARENA; NULL without memory. */
const char *finding_list(struct arena *arena, uint64_t codes);
