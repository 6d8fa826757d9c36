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
        struct ledger_owners owners;
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0)
                return r;
        owners = (struct ledger_owners){.root = root};
        (void)ledger_settle(record->ledger, ledger_judge, &owners);
        return ledger_save(record->ledger, record->path);
}

static uint64_t now_usec(void) {
        struct timespec now = {};

        clock_gettime(CLOCK_REALTIME, &now);
        return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int begin_one(struct ledger *ledger, const struct ledger_intent *intent, const struct process *owner) {
        int r;

        r = intent->is_revert ? ledger_begin_revert(ledger, intent->device, &intent->revert, now_usec())
                              : ledger_begin(ledger, intent->device, &intent->change, now_usec());
        if (r >= 0)
                ledger_own(ledger, intent->device, owner);
        return r;
}

int ledger_record_begin(
                const char *directory, unsigned wait_msec, struct ledger_intent *intents, size_t n, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        struct process self;
        bool any = false;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        r = process_self(&self);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++) {
                intents[i].error = begin_one(record.ledger, &intents[i], &self);
                any |= intents[i].error == 0;
        }
        return any ? record_save(&record) : 0;
}

static void end_one(struct ledger *ledger, const struct ledger_end *end) {
        switch (end->outcome) {
        case LEDGER_STANDS: ledger_abandon(ledger, end->device); break;
        case LEDGER_CONFIRMED: ledger_confirm(ledger, end->device, end->probe); break;
        case LEDGER_PUT_BACK: ledger_put_back(ledger, end->device, end->back_to_sectors, end->probe); break;
        case LEDGER_RELEASED: ledger_release(ledger, end->device); break;
        case LEDGER_REMOVED: ledger_remove(ledger, end->device); break;
        }
}

int ledger_record_end(
                const char *directory, unsigned wait_msec, const struct ledger_end *ends, size_t n, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++)
                end_one(record.ledger, &ends[i]);
        return record_save(&record);
}

int ledger_record_stacks(const char *directory, unsigned wait_msec, const struct ledger_stack *stacks, size_t n,
                bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++)
                ledger_note_stack(record.ledger, &stacks[i].device, stacks[i].stack);
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
        struct ledger_owners owners;
        int r;

        r = sysroot_open(NULL, &root);
        if (r < 0)
                return r;
        owners = (struct ledger_owners){.root = root};
        (void)ledger_settle(section->record.ledger, ledger_judge, &owners);
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
        const struct ledger_intent intent = {.device = &section->device, .change = *change};
        struct process self;
        int r;

        r = process_self(&self);
        if (r < 0)
                return r;
        ledger_abandon(section->record.ledger, &section->device);
        r = begin_one(section->record.ledger, &intent, &self);
        return r < 0 ? r : record_save(&section->record);
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
