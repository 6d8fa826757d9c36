/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/ledger.h"

struct record {
        int lock;
        struct ledger *ledger;
        char path[PATH_MAX];
};

static void record_done(struct record *record) {
        ledger_freep(&record->ledger);
        closep(&record->lock);
}

static int record_open(struct record *record, const char *directory, unsigned wait_msec, bool *ret_damaged) {
        int r;

        *record = (struct record){.lock = -1};
        r = snprintf(record->path, sizeof(record->path), "%s/ledger.json", directory);
        if (r < 0 || (size_t)r >= sizeof(record->path))
                return -ENAMETOOLONG;

        r = ledger_lock(directory, wait_msec);
        if (r < 0)
                return r;
        record->lock = r;

        r = ledger_load(record->path, &record->ledger);
        *ret_damaged = r == -EBADMSG;
        return r == -EBADMSG ? 0 : r;
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
        return r < 0 ? r : ledger_save(record.ledger, record.path);
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
        return ledger_save(record.ledger, record.path);
}

int ledger_record_put_back(const char *directory, unsigned wait_msec, const struct device_identity *device,
                uint64_t back_to_sectors, const struct probe_result *probe, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        ledger_put_back(record.ledger, device, back_to_sectors, probe);
        return ledger_save(record.ledger, record.path);
}

int ledger_record_revert_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                const struct ledger_revert *revert, bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        r = ledger_begin_revert(record.ledger, device, revert, now_usec());
        return r < 0 ? r : ledger_save(record.ledger, record.path);
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
        return ledger_save(record.ledger, record.path);
}

/* More than once where one was begun after another, and neither was made. */
static void settle(struct ledger *ledger, const struct device_identity *device, ledger_made_handler made,
                void *userdata) {
        const struct ledger_entry *entry = ledger_find(ledger, device);

        while (entry && entry->pending) {
                if (made(entry, userdata))
                        ledger_confirm(ledger, device, NULL);
                else
                        ledger_abandon(ledger, device);
                entry = ledger_find(ledger, device);
        }
}

int ledger_record_settle(const char *directory, unsigned wait_msec, ledger_made_handler made, void *userdata,
                bool *ret_damaged) {
        _cleanup_(record_done) struct record record;
        bool changed = false;
        int r;

        r = record_open(&record, directory, wait_msec, ret_damaged);
        if (r < 0)
                return r;
        /* From the last on, as entries may go. */
        for (size_t i = ledger_count(record.ledger); i-- > 0;) {
                const struct ledger_entry *entry = ledger_get(record.ledger, i);
                struct device_identity device = entry->device;

                if (!entry->pending)
                        continue;
                settle(record.ledger, &device, made, userdata);
                changed = true;
        }
        return changed ? ledger_save(record.ledger, record.path) : 0;
}
