/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/json-memory.h"
#include "common/ledger-private.h"
#include "common/printable.h"

/*
 * Of what came later, stack, reverted, put_back, kept_sectors, trial_from_sectors, owner_pid, owner_start_ticks,
 * dm_name, gain_low, gain_high, verdict and runs may be missing, and a reader that does not know them passes them over.
 */
#define LEDGER_VERSION 1
#define LABEL_MAX      4096

static int hex_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Names of devices are bytes, JSON's strings are UTF-8. What is not, what a terminal would obey, and anything with a
 * backslash, is written with \xHH for all that is not plain ASCII.
 */
static json_t *encode_text(const char *text) {
        static const char digits[] = "0123456789abcdef";
        _cleanup_(freep) char *escaped = NULL;
        json_t *json = strchr(text, '\\') || !printable_is(text) ? NULL : json_string(text);
        char *to;

        if (json)
                return json;
        escaped = malloc(strlen(text) * 4 + 1);
        if (!escaped)
                return NULL;
        to = escaped;
        for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
                if (*p >= 0x20 && *p < 0x7f && *p != '\\') {
                        *to++ = (char)*p;
                        continue;
                }
                *to++ = '\\';
                *to++ = 'x';
                *to++ = digits[*p >> 4];
                *to++ = digits[*p & 0xf];
        }
        *to = '\0';
        return json_string(escaped);
}

/* Decodes into BUFFER of SIZE bytes. Returns 0 or -EBADMSG. */
static int decode_text(const char *text, char *buffer, size_t size) {
        size_t n = 0;

        for (const char *p = text; *p; p++) {
                int c = (unsigned char)*p;

                if (c == '\\') {
                        int high = p[1] == 'x' ? hex_digit(p[2]) : -1, low = high >= 0 ? hex_digit(p[3]) : -1;

                        if (low < 0 || (high == 0 && low == 0))
                                return -EBADMSG;
                        c = high << 4 | low;
                        p += 3;
                }
                if (n + 1 >= size)
                        return -EBADMSG;
                buffer[n++] = (char)c;
        }
        buffer[n] = '\0';
        return 0;
}

static int get_text(const json_t *object, const char *key, char *buffer, size_t size) {
        const char *text = json_string_value(json_object_get(object, key));

        return text ? decode_text(text, buffer, size) : -EBADMSG;
}

static int dup_text(const json_t *object, const char *key, char **ret) {
        char buffer[LABEL_MAX];
        int r;

        r = get_text(object, key, buffer, sizeof(buffer));
        if (r < 0)
                return r;
        *ret = strdup(buffer);
        return *ret ? 0 : -ENOMEM;
}

static int get_number(const json_t *object, const char *key, uint64_t max, uint64_t *ret) {
        const json_t *json = json_object_get(object, key);

        if (!json_is_integer(json) || json_integer_value(json) < 0 || (uint64_t)json_integer_value(json) > max)
                return -EBADMSG;
        *ret = (uint64_t)json_integer_value(json);
        return 0;
}

/* Unknown, or of an earlier version, it is null or missing. */
static int get_optional_number(const json_t *object, const char *key, struct opt_int *ret) {
        const json_t *json = json_object_get(object, key);
        uint64_t number;

        *ret = (struct opt_int){};
        if (!json || json_is_null(json))
                return 0;
        if (get_number(object, key, INT64_MAX, &number) < 0)
                return -EBADMSG;
        *ret = opt_some((int64_t)number);
        return 0;
}

static json_t *encode_optional_number(struct opt_int number) {
        return number.known ? json_integer(number.value) : json_null();
}

/* False where it is missing. */
static int get_flag(const json_t *object, const char *key, bool *ret) {
        const json_t *json = json_object_get(object, key);

        if (json && !json_is_boolean(json))
                return -EBADMSG;
        *ret = json_is_true(json);
        return 0;
}

/* Unknown is null in the file, 0 in memory. */
static int get_figure(const json_t *object, const char *key, double *ret) {
        const json_t *json = json_object_get(object, key);
        double value = json_number_value(json);

        if (json_is_null(json))
                value = 0;
        else if (!json_is_number(json) || !isfinite(value) || value < 0)
                return -EBADMSG;
        *ret = value;
        return 0;
}

static json_t *encode_figure(double value) {
        return isfinite(value) && value > 0 ? json_real(value) : json_null();
}

/* Unknown, or of an earlier version, it is null or missing. */
static int get_optional_figure(const json_t *object, const char *key, double *ret) {
        *ret = 0;
        return json_object_get(object, key) ? get_figure(object, key, ret) : 0;
}

static json_t *encode_verdict(enum probe_verdict verdict) {
        return verdict == PROBE_NONE ? json_null() : json_string(probe_verdict_name(verdict));
}

static int get_verdict(const json_t *object, const char *key, enum probe_verdict *ret) {
        const json_t *json = json_object_get(object, key);
        const char *name = json_string_value(json);

        *ret = PROBE_NONE;
        if (!json || json_is_null(json))
                return 0;
        return name && probe_verdict_from_name(name, ret) == 0 ? 0 : -EBADMSG;
}

/* JSON's integers have a sign, and many readers only 53 bits: a fingerprint is text. */
static json_t *encode_stack(uint64_t stack) {
        return stack != 0 ? json_sprintf("%016" PRIx64, stack) : json_null();
}

/* 0 where there is none. */
static int get_stack(const json_t *object, const char *key, uint64_t *ret) {
        const json_t *json = json_object_get(object, key);
        const char *text = json_string_value(json);
        uint64_t stack = 0;

        if (!json || json_is_null(json)) {
                *ret = 0;
                return 0;
        }
        if (!text || strlen(text) != 16)
                return -EBADMSG;
        for (const char *p = text; *p; p++) {
                int digit = hex_digit(*p);

                if (digit < 0)
                        return -EBADMSG;
                stack = stack << 4 | (unsigned)digit;
        }
        *ret = stack;
        return 0;
}

/* Both numbers, or null for both. */
static json_t *encode_owner_number(const struct process *owner, uint64_t number) {
        return owner->pid > 0 ? json_integer((json_int_t)number) : json_null();
}

/* Half of it is not enough to know a process by. */
static int get_owner(const json_t *object, struct process *ret) {
        struct opt_int pid, start_ticks;

        if (get_optional_number(object, "owner_pid", &pid) < 0 ||
                        get_optional_number(object, "owner_start_ticks", &start_ticks) < 0)
                return -EBADMSG;
        if (pid.known && start_ticks.known)
                *ret = (struct process){.pid = (uint64_t)pid.value, .start_ticks = (uint64_t)start_ticks.value};
        return 0;
}

static json_t *encode_change(const struct ledger_entry *entry) {
        return json_pack("{s:b, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
                         "s:o}",
                        "pending", entry->pending, "owner_pid", encode_owner_number(&entry->owner, entry->owner.pid),
                        "owner_start_ticks", encode_owner_number(&entry->owner, entry->owner.start_ticks), "reverted",
                        entry->reverted, "put_back", entry->put_back, "kept_sectors",
                        encode_optional_number(entry->kept_sectors), "trial_from_sectors",
                        encode_optional_number(entry->trial_from_sectors), "label", encode_text(entry->label), "rule",
                        encode_text(entry->rule), "stack", encode_stack(entry->stack), "new_sectors",
                        (json_int_t)entry->new_sectors, "time_usec", (json_int_t)entry->time_usec, "before_mbps",
                        encode_figure(entry->before_mbps), "after_mbps", encode_figure(entry->after_mbps), "gain",
                        encode_figure(entry->gain), "gain_low", encode_figure(entry->gain_low), "gain_high",
                        encode_figure(entry->gain_high), "verdict", encode_verdict(entry->verdict), "runs",
                        encode_optional_number(entry->runs));
}

static json_t *encode_record(const struct ledger_record *record) {
        const struct ledger_entry *entry = &record->entry;
        const struct device_identity *device = &entry->device;
        json_t *diskseq = device->diskseq > 0 ? json_integer((json_int_t)device->diskseq) : json_null();
        json_t *previous = record->has_previous ? encode_change(&record->previous) : json_null();

        return json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:o}", "name", encode_text(device->name), "major",
                        (json_int_t)device->major, "minor", (json_int_t)device->minor, "diskseq", diskseq, "dm_uuid",
                        encode_text(device->dm_uuid), "dm_name", encode_text(device->dm_name), "original_sectors",
                        (json_int_t)entry->original_sectors, "change", encode_change(entry), "previous", previous);
}

char *ledger_format(const struct ledger *ledger) {
        _cleanup_(json_decrefp) json_t *entries = NULL, *document = NULL;
        _cleanup_(freep) char *text = NULL;

        json_memory_watch();
        entries = json_array();
        for (size_t i = 0; i < ledger->n_records; i++)
                if (json_array_append_new(entries, encode_record(ledger->records[i])) < 0)
                        return NULL;
        document = json_pack("{s:i, s:O}", "version", LEDGER_VERSION, "entries", entries);
        text = document ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
        return json_memory_was_short() ? NULL : TAKE_PTR(text);
}

/* What came later of the figures of a probe. */
static int parse_probe(const json_t *json, struct ledger_entry *entry) {
        if (get_optional_figure(json, "gain_low", &entry->gain_low) < 0 ||
                        get_optional_figure(json, "gain_high", &entry->gain_high) < 0 ||
                        get_verdict(json, "verdict", &entry->verdict) < 0 ||
                        get_optional_number(json, "runs", &entry->runs) < 0)
                return -EBADMSG;
        return 0;
}

static int parse_change(const json_t *json, struct ledger_entry *entry) {
        int r;

        if (!json_object_get(json, "pending") || get_flag(json, "pending", &entry->pending) < 0 ||
                        get_owner(json, &entry->owner) < 0 || get_flag(json, "reverted", &entry->reverted) < 0 ||
                        get_flag(json, "put_back", &entry->put_back) < 0 ||
                        get_optional_number(json, "kept_sectors", &entry->kept_sectors) < 0 ||
                        get_optional_number(json, "trial_from_sectors", &entry->trial_from_sectors) < 0)
                return -EBADMSG;
        r = dup_text(json, "label", &entry->label);
        if (r < 0)
                return r;
        r = dup_text(json, "rule", &entry->rule);
        if (r < 0)
                return r;
        if (get_stack(json, "stack", &entry->stack) < 0 ||
                        get_number(json, "new_sectors", INT64_MAX, &entry->new_sectors) < 0 ||
                        get_number(json, "time_usec", INT64_MAX, &entry->time_usec) < 0 ||
                        get_figure(json, "before_mbps", &entry->before_mbps) < 0 ||
                        get_figure(json, "after_mbps", &entry->after_mbps) < 0 ||
                        get_figure(json, "gain", &entry->gain) < 0)
                return -EBADMSG;
        return parse_probe(json, entry);
}

static int parse_device(const json_t *json, struct device_identity *device) {
        uint64_t major, minor;

        if (get_text(json, "name", device->name, sizeof(device->name)) < 0 ||
                        get_text(json, "dm_uuid", device->dm_uuid, sizeof(device->dm_uuid)) < 0 ||
                        get_number(json, "major", UINT_MAX, &major) < 0 ||
                        get_number(json, "minor", UINT_MAX, &minor) < 0)
                return -EBADMSG;
        if (json_object_get(json, "dm_name") && get_text(json, "dm_name", device->dm_name, sizeof(device->dm_name)) < 0)
                return -EBADMSG;
        if (!json_is_null(json_object_get(json, "diskseq")) &&
                        get_number(json, "diskseq", INT64_MAX, &device->diskseq) < 0)
                return -EBADMSG;
        device->major = (unsigned)major;
        device->minor = (unsigned)minor;
        return 0;
}

static int parse_record(const json_t *json, struct ledger_record *record) {
        const json_t *previous = json_object_get(json, "previous");
        int r;

        r = parse_device(json, &record->entry.device);
        if (r < 0)
                return r;
        if (get_number(json, "original_sectors", INT64_MAX, &record->entry.original_sectors) < 0)
                return -EBADMSG;
        r = parse_change(json_object_get(json, "change"), &record->entry);
        if (r < 0 || json_is_null(previous))
                return r;
        record->has_previous = true;
        record->previous.device = record->entry.device;
        record->previous.original_sectors = record->entry.original_sectors;
        return parse_change(previous, &record->previous);
}

static int parse_entries(struct ledger *ledger, const json_t *entries) {
        size_t i;
        json_t *json;
        int r;

        if (!json_is_array(entries) || json_array_size(entries) > LEDGER_ENTRIES_MAX)
                return -EBADMSG;
        json_array_foreach(entries, i, json) {
                struct ledger_record record = {};

                r = parse_record(json, &record);
                if (r < 0) {
                        ledger_record_done(&record);
                        return r;
                }
                r = ledger_add(ledger, &record);
                if (r < 0)
                        return r == -EEXIST ? -EBADMSG : r;
        }
        return 0;
}

int ledger_parse(struct ledger *ledger, const char *text, size_t length) {
        _cleanup_(json_decrefp) json_t *document = NULL;
        uint64_t version;
        json_error_t error;

        json_memory_watch();
        document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
        if (json_memory_was_short())
                return -ENOMEM;
        if (!document)
                return -EBADMSG;
        if (get_number(document, "version", UINT_MAX, &version) < 0 || version != LEDGER_VERSION)
                return -EBADMSG;
        return parse_entries(ledger, json_object_get(document, "entries"));
}
