/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "common/ledger-fate.h"
#include "common/ledger-lock.h"
#include "common/ledger-private.h"
#include "common/ledger-record.h"

struct record {
        int lock;
        struct ledger *ledger;
        char path[PATH_MAX];
};

static void record_done(struct record *record) {
        ledger_freep(&record->ledger);
        closep(&record->lock);
}

static int make_path(char path[static PATH_MAX], const char *directory) {
        int n = snprintf(path, PATH_MAX, "%s/ledger.json", directory);

        return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int record_open(struct record *record, const char *directory, unsigned wait_msec, bool *ret_damaged) {
        int r;

        *record = (struct record){.lock = -1};
        r = make_path(record->path, directory);
        if (r < 0)
                return r;

        r = ledger_lock(directory, wait_msec);
        if (r < 0)
                return r;
        record->lock = r;

        r = ledger_load(record->path, &record->ledger);
        *ret_damaged = r == -EBADMSG;
        return r == -EBADMSG ? 0 : r;
}

/* What was left pending by processes that are gone meanwhile is settled by the way. */
static int record_save(struct record *record) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0)
                return r;
        (void)ledger_settle(record->ledger, ledger_judge, root);
        return ledger_save(record->ledger, record->path);
}

/* This process is at it. */
static int record_save_begun(struct record *record, const struct device_identity *device) {
        struct process self;
        int r;

        r = process_self(&self);
        if (r < 0)
                return r;
        ledger_own(record->ledger, device, &self);
        return record_save(record);
}

static uint64_t now_usec(void) {
        struct timespec now = {};

        clock_gettime(CLOCK_REALTIME, &now);
        return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int ledger_record_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                const struct ledger_change *change, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        r = ledger_begin(record.ledger, device, change, now_usec());
        return r < 0 ? r : record_save_begun(&record, device);
}

int ledger_record_end(const char *directory, unsigned wait_msec, const struct device_identity *device, bool made,
                const struct probe_result *probe, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        if (made)
                ledger_confirm(record.ledger, device, probe);
        else
                ledger_abandon(record.ledger, device);
        return record_save(&record);
}

int ledger_record_put_back(const char *directory, unsigned wait_msec, const struct device_identity *device,
                uint64_t back_to_sectors, const struct probe_result *probe, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        ledger_put_back(record.ledger, device, back_to_sectors, probe);
        return record_save(&record);
}

int ledger_record_stack(const char *directory, unsigned wait_msec, const struct device_identity *device, uint64_t stack,
                bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        ledger_note_stack(record.ledger, device, stack);
        return record_save(&record);
}

int ledger_record_revert_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                const struct ledger_revert *revert, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        r = ledger_begin_revert(record.ledger, device, revert, now_usec());
        return r < 0 ? r : record_save_begun(&record, device);
}

int ledger_record_revert_end(const char *directory, unsigned wait_msec, const struct device_identity *device,
                enum ledger_outcome outcome, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        switch (outcome) {
        case LEDGER_STANDS: ledger_abandon(record.ledger, device); break;
        case LEDGER_RELEASED: ledger_release(record.ledger, device); break;
        case LEDGER_REMOVED: ledger_remove(record.ledger, device); break;
        }
        return record_save(&record);
}

struct ledger_section {
        struct record record;
        struct device_identity device;
};

void ledger_section_free(struct ledger_section *section) {
        if (!section)
                return;
        record_done(&section->record);
        free(section);
}

/* What others that are gone have left pending is settled first. */
static int check_idle(struct ledger_section *section) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        const struct ledger_entry *entry;
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0)
                return r;
        (void)ledger_settle(section->record.ledger, ledger_judge, root);
        entry = ledger_find(section->record.ledger, &section->device);
        return entry && entry->pending ? -EBUSY : 0;
}

int ledger_section_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                struct ledger_section **ret, bool *ret_damaged) {
        _cleanup_(ledger_section_freep) struct ledger_section *section = malloc(sizeof(*section));
        int r;

        if (!section)
                return -ENOMEM;
        section->device = *device;
        r = record_open(&section->record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        r = check_idle(section);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(section);
        return 0;
}

int ledger_section_note(struct ledger_section *section, const struct ledger_change *change) {
        int r;

        ledger_abandon(section->record.ledger, &section->device);
        r = ledger_begin(section->record.ledger, &section->device, change, now_usec());
        return r < 0 ? r : record_save_begun(&section->record, &section->device);
}

int ledger_section_end(struct ledger_section *section) {
        ledger_abandon(section->record.ledger, &section->device);
        return record_save(&section->record);
}

/* Whether there is anything to settle; also where that can't be known without the lock. */
static bool needs_settling(const char *directory, ledger_fate_handler judge, void *userdata) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        char path[PATH_MAX];

        return make_path(path, directory) < 0 || ledger_peek(path, &ledger) < 0 ||
               ledger_settle(ledger, judge, userdata);
}

int ledger_record_settle(const char *directory, unsigned wait_msec, ledger_fate_handler judge, void *userdata,
                bool *ret_damaged) {
        _cleanup_(record_done) struct record record = {.lock = -1};
        int r;

        *ret_damaged = false;
        if (!needs_settling(directory, judge, userdata))
                return 0;
        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        return ledger_settle(record.ledger, judge, userdata) ? ledger_save(record.ledger, record.path) : 0;
}
