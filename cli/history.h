/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What setrad did, from the fields of its journal entries. Pure. Fields are kept as they are: whoever prints them has to
 * escape them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/opt.h"

/* Fields of an entry that are made use of. */
enum history_field {
        HISTORY_MESSAGE_ID,
        HISTORY_MESSAGE,
        HISTORY_DEVICE,
        HISTORY_LABEL,
        HISTORY_RULE,
        HISTORY_RA_BEFORE,
        HISTORY_RA_AFTER,
        HISTORY_MBPS_BEFORE,
        HISTORY_MBPS_AFTER,
        HISTORY_GAIN,
        HISTORY_VERDICT,
        HISTORY_SKIPPED,
        _HISTORY_FIELD_MAX,
};

/* An entry as it is in the journal; NULL where it has no such field. */
struct history_record {
        uint64_t time_usec;
        const char *values[_HISTORY_FIELD_MAX];
};

enum history_event {
        HISTORY_CHANGED,
        HISTORY_PUT_BACK,     /* changed, measured, and put back as keep-if asks */
        HISTORY_REVERTED,     /* at a stop */
        HISTORY_NOT_REVERTED, /* nothing to put back, left alone, or it failed */
        HISTORY_DRIFT,
        HISTORY_GAVE_UP,
        HISTORY_HELD,
        HISTORY_FAILED,
        _HISTORY_EVENT_MAX,
};

struct history_entry {
        uint64_t time_usec;
        enum history_event event;
        const char *name, *label, *rule, *verdict, *skipped, *message; /* NULL where not known */
        struct opt_int from_sectors, to_sectors;
        double mbps_before, mbps_after, gain; /* NAN where not known */
        size_t number;                        /* in the order in which they were added */
};

/* All zero: empty. Strings are in the arena. */
struct history {
        struct arena *arena;
        struct history_entry *entries;
        size_t n_entries, n_allocated;
};

/* What a device that is asked for goes by. */
struct history_device {
        const char *label; /* of the device that is there now; NULL: none is, and the journal alone knows */
        const char *text;  /* as typed: kernel name, label, name of a map, each also with /dev/ before it */
};

/* Between two changes. */
struct history_state {
        int64_t sectors;
        double mbps; /* as measured; NAN where it was not */
};

/* "SETRAD_DEVICE" */
const char *history_field_name(enum history_field field);

/* MESSAGE_IDs of what is history, NULL behind the last. */
const char *const *history_message_ids(void);

/* "changed", "put-back", … */
const char *history_event_name(enum history_event event);

/* Whether it is about the device. Kernel names are given anew at each boot: of a device that is there the label counts. */
bool history_is_about(const struct history_record *record, const struct history_device *device);

/* Adds an entry; what is no history, as its MESSAGE_ID is another, is left out. Returns 0 or -ENOMEM. */
int history_add(struct history *history, const struct history_record *record);

/* Oldest first; of one time, what was added last comes first, as journals are read from their end. */
void history_sort(struct history *history);

/*
 * What readahead the device with that LABEL had one after another, as far as entries say, once they are sorted; the
 * caller frees *ret. Returns 0 or -ENOMEM.
 */
int history_states(const struct history *history, const char *label, struct history_state **ret, size_t *ret_n);

void history_done(struct history *history);
