/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history.h"
#include "daemon/messages.h"

static const char *const fields[_HISTORY_FIELD_MAX] = {
                [HISTORY_MESSAGE_ID] = "MESSAGE_ID",
                [HISTORY_MESSAGE] = "MESSAGE",
                [HISTORY_DEVICE] = "SETRAD_DEVICE",
                [HISTORY_LABEL] = "SETRAD_LABEL",
                [HISTORY_RULE] = "SETRAD_RULE",
                [HISTORY_RA_BEFORE] = "SETRAD_RA_BEFORE",
                [HISTORY_RA_AFTER] = "SETRAD_RA_AFTER",
                [HISTORY_MBPS_BEFORE] = "SETRAD_MBPS_BEFORE",
                [HISTORY_MBPS_AFTER] = "SETRAD_MBPS_AFTER",
                [HISTORY_GAIN] = "SETRAD_GAIN",
                [HISTORY_VERDICT] = "SETRAD_PROBE_VERDICT",
                [HISTORY_SKIPPED] = "SETRAD_PROBE_SKIPPED",
};

static const char *const events[_HISTORY_EVENT_MAX] = {
                [HISTORY_CHANGED] = "changed",
                [HISTORY_PUT_BACK] = "put-back",
                [HISTORY_REVERTED] = "reverted",
                [HISTORY_NOT_REVERTED] = "not-reverted",
                [HISTORY_DRIFT] = "drift",
                [HISTORY_GAVE_UP] = "gave-up",
                [HISTORY_HELD] = "held",
                [HISTORY_FAILED] = "failed",
};

static const char *const message_ids[] = {
                SETRAD_MSG_CHANGED,
                SETRAD_MSG_REVERTED,
                SETRAD_MSG_DRIFT,
                SETRAD_MSG_GAVE_UP,
                SETRAD_MSG_HELD,
                SETRAD_MSG_CHANGE_FAILED,
                NULL,
};

/* In the order of message_ids. */
static const enum history_event events_of_ids[] = {
                HISTORY_CHANGED,
                HISTORY_REVERTED,
                HISTORY_DRIFT,
                HISTORY_GAVE_UP,
                HISTORY_HELD,
                HISTORY_FAILED,
};

_Static_assert(ARRAY_SIZE(events_of_ids) + 1 == ARRAY_SIZE(message_ids), "an event for each id");

const char *history_field_name(enum history_field field) {
        return fields[field];
}

const char *const *history_message_ids(void) {
        return message_ids;
}

const char *history_event_name(enum history_event event) {
        return events[event];
}

/* --- which entries */

/* "vg0-da--ta" is the map of "vg0/da-ta". */
static bool is_map_of(const char *label, const char *map) {
        if (!strchr(label, '/'))
                return false;
        for (; *label; label++) {
                if (*map++ != (*label == '/' ? '-' : *label))
                        return false;
                if (*label == '-' && *map++ != '-')
                        return false;
        }
        return *map == '\0';
}

static const char *skip_prefix(const char *text, const char *prefix) {
        size_t n = strlen(prefix);

        return strncmp(text, prefix, n) == 0 ? text + n : text;
}

bool history_is_about(const struct history_record *record, const struct history_device *device) {
        const char *name = record->values[HISTORY_DEVICE], *label = record->values[HISTORY_LABEL];
        const char *text = skip_prefix(skip_prefix(device->text, "/dev/"), "mapper/");

        if (device->label)
                return label && strcmp(label, device->label) == 0;
        if (name && strcmp(name, text) == 0)
                return true;
        return label && (strcmp(label, text) == 0 || is_map_of(label, text));
}

/* --- from fields to an entry */

static struct opt_int parse_sectors(const char *text) {
        long long number;
        char *end;

        if (!text || !isdigit((unsigned char)*text))
                return (struct opt_int){};
        errno = 0;
        number = strtoll(text, &end, 10);
        return errno != 0 || *end != '\0' ? opt_none() : opt_some(number);
}

static double parse_figure(const char *text) {
        double number;
        char *end;

        if (!text || !isdigit((unsigned char)*text) || text[strspn(text, "0123456789.")] != '\0')
                return NAN;
        number = strtod(text, &end);
        return *end == '\0' && isfinite(number) ? number : NAN;
}

static bool find_event(const char *message_id, enum history_event *ret) {
        for (size_t i = 0; message_id && message_ids[i]; i++)
                if (strcmp(message_ids[i], message_id) == 0) {
                        *ret = events_of_ids[i];
                        return true;
                }
        return false;
}

/* What the numbers say beyond the MESSAGE_ID. */
static enum history_event refine_event(const struct history_entry *entry) {
        bool same = entry->from_sectors.known && entry->to_sectors.known &&
                    entry->from_sectors.value == entry->to_sectors.value;

        if (entry->event == HISTORY_CHANGED && same)
                return HISTORY_PUT_BACK;
        if (entry->event == HISTORY_REVERTED && !entry->to_sectors.known)
                return HISTORY_NOT_REVERTED;
        return entry->event;
}

static int copy_texts(struct arena *arena, const struct history_record *record, struct history_entry *entry) {
        const struct {
                enum history_field field;
                const char **text;
        } texts[] = {
                        {HISTORY_DEVICE, &entry->name},
                        {HISTORY_LABEL, &entry->label},
                        {HISTORY_RULE, &entry->rule},
                        {HISTORY_VERDICT, &entry->verdict},
                        {HISTORY_SKIPPED, &entry->skipped},
                        {HISTORY_MESSAGE, &entry->message},
        };

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                const char *value = record->values[texts[i].field];

                if (!value)
                        continue;
                *texts[i].text = arena_strdup(arena, value);
                if (!*texts[i].text)
                        return -ENOMEM;
        }
        return 0;
}

static int make_room(struct history *history) {
        struct history_entry *entries;
        size_t n = history->n_allocated ? history->n_allocated * 2 : 64;

        if (!history->arena)
                history->arena = arena_new();
        if (!history->arena)
                return -ENOMEM;
        if (history->n_entries < history->n_allocated)
                return 0;
        entries = reallocarray(history->entries, n, sizeof(*entries));
        if (!entries)
                return -ENOMEM;
        history->entries = entries;
        history->n_allocated = n;
        return 0;
}

int history_add(struct history *history, const struct history_record *record) {
        const char *const *values = record->values;
        struct history_entry entry = {
                        .time_usec = record->time_usec,
                        .from_sectors = parse_sectors(values[HISTORY_RA_BEFORE]),
                        .to_sectors = parse_sectors(values[HISTORY_RA_AFTER]),
                        .mbps_before = parse_figure(values[HISTORY_MBPS_BEFORE]),
                        .mbps_after = parse_figure(values[HISTORY_MBPS_AFTER]),
                        .gain = parse_figure(values[HISTORY_GAIN]),
                        .number = history->n_entries,
        };
        int r;

        if (!find_event(values[HISTORY_MESSAGE_ID], &entry.event))
                return 0;
        entry.event = refine_event(&entry);
        r = make_room(history);
        if (r < 0)
                return r;
        r = copy_texts(history->arena, record, &entry);
        if (r < 0)
                return r;
        history->entries[history->n_entries++] = entry;
        return 0;
}

static int compare_entries(const void *a, const void *b) {
        const struct history_entry *x = a, *y = b;

        if (x->time_usec != y->time_usec)
                return x->time_usec < y->time_usec ? -1 : 1;
        return x->number > y->number ? -1 : x->number < y->number;
}

void history_sort(struct history *history) {
        if (history->n_entries > 0)
                qsort(history->entries, history->n_entries, sizeof(*history->entries), compare_entries);
}

/* --- one device over time */

/* It has SECTORS, and reads so fast: the state that there is already, or a new one. Returns how many there are. */
static size_t reach_state(struct history_state *states, size_t n, int64_t sectors, double mbps) {
        if (n == 0 || states[n - 1].sectors != sectors)
                states[n++] = (struct history_state){.sectors = sectors, .mbps = mbps};
        else if (isnan(states[n - 1].mbps))
                states[n - 1].mbps = mbps;
        return n;
}

int history_states(const struct history *history, const char *label, struct history_state **ret, size_t *ret_n) {
        struct history_state *states = calloc(history->n_entries * 2 + 1, sizeof(*states));
        size_t n = 0;

        if (!states)
                return -ENOMEM;
        for (size_t i = 0; i < history->n_entries; i++) {
                const struct history_entry *entry = &history->entries[i];

                if (!entry->label || strcmp(entry->label, label) != 0)
                        continue;
                if (entry->from_sectors.known)
                        n = reach_state(states, n, entry->from_sectors.value, entry->mbps_before);
                /* What was put back is the state before: what was measured of the other value is no figure of it. */
                if (entry->to_sectors.known && entry->event != HISTORY_PUT_BACK)
                        n = reach_state(states, n, entry->to_sectors.value, entry->mbps_after);
        }
        *ret = states;
        *ret_n = n;
        return 0;
}

void history_done(struct history *history) {
        free(history->entries);
        arena_freep(&history->arena);
        *history = (struct history){};
}
