/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What has been said already, so that each thing is said once for as long as it holds: a set of strings, renewed at each
 * scan. What is not noted again during a scan is forgotten at its end, and news when it comes back.
 */

#include <stdbool.h>

#include "common/cleanup.h"

struct memory;

/* NULL when memory is short. */
struct memory *memory_new(void);
void memory_free(struct memory *memory);
DEFINE_CLEANUP(struct memory *, memory_free);

/* True if KEY is new: it was not noted in the round before, nor yet in this one. False also when memory is short. */
bool memory_note(struct memory *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Ends a round. FORGOTTEN (may be NULL) is called for each key of the round before that was not noted again.
 */
void memory_turn(struct memory *memory, void (*forgotten)(const char *key, void *userdata), void *userdata);
