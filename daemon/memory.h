/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What has been said already, so that each thing is said once for as long as it holds: of each subject (a device, or "" for
 * the machine) a set of strings, renewed each time that the subject is looked at. What is not noted again then is forgotten,
 * and news when it comes back.
 */

#include <stdbool.h>

#include "common/cleanup.h"

struct memory;

/* NULL when memory is short. */
struct memory *memory_new(void);
void memory_free(struct memory *memory);
DEFINE_CLEANUP(struct memory *, memory_free);

/*
 * True if it is new: it was not noted of SUBJECT in the round before, nor yet in this one. True also when memory is short:
 * rather twice than not at all.
 */
bool memory_note(struct memory *memory, const char *subject, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* Called for each key of the round before that was not noted again. */
typedef void (*memory_handler)(const char *key, void *userdata);

/* Ends a round of the subject NAME, or of every one. FORGOTTEN may be NULL. */
void memory_turn(struct memory *memory, const char *name, memory_handler forgotten, void *userdata);
void memory_turn_all(struct memory *memory, memory_handler forgotten, void *userdata);
