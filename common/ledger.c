/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/ledger-private.h"

static void entry_done(struct ledger_entry *entry) {
        free(entry->label);
        free(entry->rule);
        *entry = (struct ledger_entry){};
}

void ledger_record_done(struct ledger_record *record) {
        entry_done(&record->entry);
        entry_done(&record->previous);
        record->has_previous = false;
}

struct ledger *ledger_new(void) {
        return calloc(1, sizeof(struct ledger));
}

static void record_free(struct ledger_record *record) {
        ledger_record_done(record);
        free(record);
}

void ledger_clear(struct ledger *ledger) {
        for (size_t i = 0; i < ledger->n_records; i++)
                record_free(ledger->records[i]);
        memset(ledger->buckets, 0, sizeof(ledger->buckets));
        ledger->n_records = 0;
}

void ledger_free(struct ledger *ledger) {
        if (!ledger)
                return;
        ledger_clear(ledger);
        free(ledger->records);
        free(ledger);
}

static int grow(struct ledger *ledger) {
        size_t n = ledger->n_allocated ? ledger->n_allocated * 2 : 16;
        struct ledger_record **records;

        if (ledger->n_records < ledger->n_allocated)
                return 0;
        records = reallocarray(ledger->records, n, sizeof(*records));
        if (!records)
                return -ENOMEM;
        ledger->records = records;
        ledger->n_allocated = n;
        return 0;
}

static size_t bucket_of(const struct device_identity *device) {
        return device_number_hash(device) % LEDGER_BUCKETS;
}

static struct ledger_record *find_number(const struct ledger *ledger, const struct device_identity *device) {
        for (struct ledger_record *record = ledger->buckets[bucket_of(device)]; record; record = record->next)
                if (record->entry.device.major == device->major && record->entry.device.minor == device->minor)
                        return record;
        return NULL;
}

static struct ledger_record *find(const struct ledger *ledger, const struct device_identity *device) {
        struct ledger_record *record = find_number(ledger, device);

        return record && device_identity_equal(&record->entry.device, device) ? record : NULL;
}

static void drop(struct ledger *ledger, struct ledger_record *record) {
        struct ledger_record **link = &ledger->buckets[bucket_of(&record->entry.device)];
        size_t i = 0;

        while (*link != record)
                link = &(*link)->next;
        *link = record->next;
        while (ledger->records[i] != record)
                i++;
        ledger->n_records--;
        memmove(&ledger->records[i], &ledger->records[i + 1], (ledger->n_records - i) * sizeof(*ledger->records));
        record_free(record);
}

/* Room for one more, of a device of that number. */
static int make_room(struct ledger *ledger, const struct device_identity *device) {
        if (ledger->n_records >= LEDGER_ENTRIES_MAX)
                return -ENOSPC;
        return find_number(ledger, device) ? -EEXIST : grow(ledger);
}

int ledger_add(struct ledger *ledger, struct ledger_record *record) {
        struct ledger_record **bucket = &ledger->buckets[bucket_of(&record->entry.device)], *added = NULL;
        int r;

        r = make_room(ledger, &record->entry.device);
        if (r == 0) {
                added = malloc(sizeof(*added));
                r = added ? 0 : -ENOMEM;
        }
        if (r < 0) {
                ledger_record_done(record);
                return r;
        }
        *added = *record;
        added->next = *bucket;
        *bucket = ledger->records[ledger->n_records++] = added;
        *record = (struct ledger_record){};
        return 0;
}

/* What a new change says of a device; the strings are copies. */
static int make_entry(const struct device_identity *device, const struct ledger_change *change, uint64_t time_usec,
                struct ledger_entry *ret) {
        _cleanup_(freep) char *label = NULL, *rule = NULL;

        if (change->from_sectors > INT64_MAX || change->to_sectors > INT64_MAX || time_usec > INT64_MAX ||
                        device->diskseq > INT64_MAX)
                return -ERANGE;
        label = strdup(change->label ?: device->name);
        rule = strdup(change->rule ?: "");
        if (!label || !rule)
                return -ENOMEM;
        *ret = (struct ledger_entry){
                        .device = *device,
                        .label = TAKE_PTR(label),
                        .rule = TAKE_PTR(rule),
                        .original_sectors = change->from_sectors,
                        .new_sectors = change->to_sectors,
                        .time_usec = time_usec,
                        .stack = change->stack,
                        .pending = true,
                        .trial_from_sectors =
                                        change->trial ? opt_some((int64_t)change->from_sectors) : (struct opt_int){},
        };
        return 0;
}

static void forget_previous(struct ledger_record *record) {
        entry_done(&record->previous);
        record->has_previous = false;
}

static void restore_previous(struct ledger_record *record) {
        entry_done(&record->entry);
        record->entry = record->previous;
        record->previous = (struct ledger_entry){};
        record->has_previous = false;
}

/* What is put back leaves on record what it was instead: the same decision is not to be made again. */
static void confirm(struct ledger_record *record) {
        if (record->entry.pending && record->entry.reverted && record->has_previous)
                record->entry.new_sectors = record->previous.new_sectors;
        record->entry.pending = false;
        record->entry.owner = (struct process){};
        record->entry.trial_from_sectors = (struct opt_int){};
        forget_previous(record);
}

/*
 * ENTRY takes the place of what the record says; that is kept until the change is known to have been made. Of a change
 * that nobody has told the end of there may be one only: of an older one the value that the device has now, FROM_SECTORS,
 * tells whether it was made.
 */
static void replace_entry(struct ledger_record *record, const struct ledger_entry *entry, uint64_t from_sectors) {
        if (record->entry.new_sectors == from_sectors)
                confirm(record);
        else if (record->has_previous)
                restore_previous(record);
        forget_previous(record);
        record->previous = record->entry;
        record->has_previous = true;
        record->entry = *entry;
}

/* Nothing of setrad's is left: what the device has when it is changed next is a new original value. */
static bool is_released(const struct ledger_entry *entry) {
        return !entry->pending && (entry->reverted || (entry->put_back && !entry->kept_sectors.known));
}

bool ledger_may_be_another(const struct ledger_entry *entry, const struct device_identity *device, uint64_t stack) {
        return entry->stack != 0 && stack != 0 && entry->stack != stack &&
               !device_identity_is_certain(&entry->device, device);
}

/* What is left of what setrad gave. */
static struct opt_int given_by(const struct ledger_entry *entry) {
        return entry->put_back ? entry->kept_sectors : opt_some((int64_t)entry->new_sectors);
}

static bool gave(const struct ledger_entry *entry, uint64_t sectors) {
        struct opt_int given = given_by(entry);

        return given.known && (uint64_t)given.value == sectors;
}

/* While a change is pending, also what it gave before. */
static bool record_gave(const struct ledger_record *record, uint64_t sectors) {
        return gave(&record->entry, sectors) || (record->has_previous && gave(&record->previous, sectors));
}

/* It has a value that setrad gave, or it is certain. */
static bool is_known(const struct ledger_record *record, const struct device_identity *device,
                const struct ledger_change *change) {
        return device_identity_equal(&record->entry.device, device) &&
               (record_gave(record, change->from_sectors) ||
                               !ledger_may_be_another(&record->entry, device, change->stack));
}

int ledger_begin(struct ledger *ledger, const struct device_identity *device, const struct ledger_change *change,
                uint64_t time_usec) {
        struct ledger_record *known = find_number(ledger, device);
        struct ledger_record record = {};
        int r;

        r = make_entry(device, change, time_usec, &record.entry);
        if (r < 0)
                return r;
        if (known && is_known(known, device, change)) {
                replace_entry(known, &record.entry, change->from_sectors);
                if (!is_released(&known->previous))
                        known->entry.original_sectors = known->previous.original_sectors;
                return 0;
        }
        if (known)
                drop(ledger, known);
        return ledger_add(ledger, &record);
}

void ledger_own(struct ledger *ledger, const struct device_identity *device, const struct process *owner) {
        struct ledger_record *record = find(ledger, device);

        if (record && record->entry.pending)
                record->entry.owner = *owner;
}

void ledger_confirm(struct ledger *ledger, const struct device_identity *device, const struct probe_result *probe) {
        struct ledger_record *record = find(ledger, device);

        if (!record)
                return;
        confirm(record);
        if (!probe || probe->verdict == PROBE_NONE)
                return;
        record->entry.verdict = probe->verdict;
        record->entry.before_mbps = probe->series[PROBE_BEFORE].median_mbps;
        record->entry.after_mbps = probe->series[PROBE_AFTER].median_mbps;
        record->entry.gain = probe->gain;
        record->entry.gain_low = probe->gain_low;
        record->entry.gain_high = probe->gain_high;
        record->entry.runs = opt_some(probe_result_runs(probe));
}

/*
 * Where another process has settled the change meanwhile, or nobody has told of the one before, what stood before is not
 * known, but for the value.
 */
static struct opt_int given_before(const struct ledger_record *record, uint64_t sectors) {
        if (!record->has_previous || record->previous.pending)
                return sectors == record->entry.original_sectors ? opt_none() : opt_some((int64_t)sectors);
        return is_released(&record->previous) ? opt_none() : given_by(&record->previous);
}

void ledger_put_back(struct ledger *ledger, const struct device_identity *device, uint64_t back_to_sectors,
                const struct probe_result *probe) {
        struct ledger_record *record = find(ledger, device);
        struct opt_int kept;

        /* Settled as not made, the entry is what stood before: it gives that value itself, or nothing. */
        if (!record || record->entry.new_sectors == back_to_sectors || is_released(&record->entry))
                return;
        kept = given_before(record, back_to_sectors);
        ledger_confirm(ledger, device, probe);
        record->entry.put_back = true;
        record->entry.kept_sectors = kept;
}

void ledger_abandon(struct ledger *ledger, const struct device_identity *device) {
        struct ledger_record *record = find(ledger, device);

        if (!record || !record->entry.pending)
                return;
        if (!record->has_previous) {
                drop(ledger, record);
                return;
        }
        restore_previous(record);
}

/* Returns whether it is decided. */
static bool settle(struct ledger *ledger, const struct ledger_entry *entry, ledger_fate_handler judge, void *userdata) {
        const struct device_identity device = entry->device;
        enum ledger_fate fate = entry->pending ? judge(entry, userdata) : LEDGER_UNDECIDED;

        if (fate == LEDGER_MADE && entry->trial_from_sectors.known)
                return false;
        if (fate == LEDGER_MADE)
                ledger_confirm(ledger, &device, NULL);
        else if (fate == LEDGER_NOT_MADE)
                ledger_abandon(ledger, &device);
        return fate != LEDGER_UNDECIDED;
}

bool ledger_settle(struct ledger *ledger, ledger_fate_handler judge, void *userdata) {
        bool any = false;

        /* From the last on, as entries may go; again, where what stands again was begun by another, and is pending, too. */
        for (size_t i = ledger->n_records; i > 0;) {
                size_t n = ledger->n_records;
                bool settled = settle(ledger, &ledger->records[i - 1]->entry, judge, userdata);

                any |= settled;
                if (!settled || ledger->n_records < n)
                        i--;
        }
        return any;
}

int ledger_begin_revert(struct ledger *ledger, const struct device_identity *device, const struct ledger_revert *revert,
                uint64_t time_usec) {
        struct ledger_record *record = find(ledger, device);
        struct ledger_entry entry = {};
        int r;

        if (!record || record->entry.original_sectors != revert->original_sectors)
                return -ENOENT;
        r = make_entry(&record->entry.device,
                        &(struct ledger_change){
                                        .label = record->entry.label,
                                        .rule = record->entry.rule,
                                        .from_sectors = revert->original_sectors,
                                        .to_sectors = revert->original_sectors,
                                        .stack = revert->stack,
                        },
                        time_usec, &entry);
        if (r < 0)
                return r;
        entry.reverted = revert->keep;
        replace_entry(record, &entry, revert->from_sectors);
        return 0;
}

void ledger_note_stack(struct ledger *ledger, const struct device_identity *device, uint64_t stack) {
        struct ledger_record *record = find(ledger, device);

        if (record && !record->entry.pending)
                record->entry.stack = stack;
}

void ledger_release(struct ledger *ledger, const struct device_identity *device) {
        struct ledger_record *record = find(ledger, device);

        ledger_confirm(ledger, device, NULL);
        if (!record)
                return;
        record->entry.reverted = true;
        record->entry.put_back = false;
        record->entry.kept_sectors = (struct opt_int){};
}

/* Of what is being reverted, what stood before; else the entry itself. */
static const struct ledger_entry *before_revert(const struct ledger *ledger, const struct ledger_entry *entry) {
        const struct ledger_record *record = find(ledger, &entry->device);
        bool reverting = record && entry->pending && entry->reverted && record->has_previous;

        return reverting ? &record->previous : entry;
}

uint64_t ledger_tried(const struct ledger *ledger, const struct ledger_entry *entry) {
        return before_revert(ledger, entry)->new_sectors;
}

uint64_t ledger_given(const struct ledger *ledger, const struct ledger_entry *entry) {
        return (uint64_t)opt_or(given_by(before_revert(ledger, entry)), (int64_t)entry->original_sectors);
}

bool ledger_gave(const struct ledger *ledger, const struct device_identity *device, uint64_t sectors) {
        const struct ledger_record *record = find(ledger, device);

        return record && record_gave(record, sectors);
}

void ledger_remove(struct ledger *ledger, const struct device_identity *device) {
        struct ledger_record *record = find(ledger, device);

        if (record)
                drop(ledger, record);
}

static int copy_entry(const struct ledger_entry *entry, struct ledger_entry *ret) {
        struct ledger_entry copy = *entry;

        copy.label = entry->label ? strdup(entry->label) : NULL;
        copy.rule = entry->rule ? strdup(entry->rule) : NULL;
        if ((entry->label && !copy.label) || (entry->rule && !copy.rule)) {
                entry_done(&copy);
                return -ENOMEM;
        }
        *ret = copy;
        return 0;
}

int ledger_extract(const struct ledger *ledger, const struct device_identity *device, struct ledger **ret) {
        _cleanup_(ledger_freep) struct ledger *single = ledger_new();
        _cleanup_(ledger_record_done) struct ledger_record copy = {};
        const struct ledger_record *record = find(ledger, device);
        int r = 0;

        if (!single)
                return -ENOMEM;
        if (record) {
                copy.has_previous = record->has_previous;
                if (copy_entry(&record->entry, &copy.entry) < 0 || copy_entry(&record->previous, &copy.previous) < 0)
                        return -ENOMEM;
                r = ledger_add(single, &copy);
        }
        if (r < 0)
                return r;
        *ret = TAKE_PTR(single);
        return 0;
}

const struct ledger_entry *ledger_find(const struct ledger *ledger, const struct device_identity *device) {
        const struct ledger_record *record = find(ledger, device);

        return record ? &record->entry : NULL;
}

size_t ledger_count(const struct ledger *ledger) {
        return ledger->n_records;
}

const struct ledger_entry *ledger_get(const struct ledger *ledger, size_t i) {
        return i < ledger->n_records ? &ledger->records[i]->entry : NULL;
}
