/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What setrad has changed since boot, so that it can be put back. One entry a device: the value it had first, the value
 * it was given last. On disk it is JSON, {"version":1,"entries":[…]}, replaced as a whole: temporary file, fsync,
 * rename, fsync of the directory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"
#include "device.h"
#include "opt.h"
#include "probe-compare.h"
#include "process.h"

#define LEDGER_PATH        "/run/setrad/ledger.json"
#define LEDGER_ENTRIES_MAX 10000

struct ledger_entry {
        struct device_identity device;
        char *label;
        char *rule;
        uint64_t original_sectors;         /* before the first change */
        uint64_t new_sectors;              /* of the last change; while a revert is pending the original value */
        uint64_t time_usec;                /* of the last change, CLOCK_REALTIME */
        uint64_t stack;                    /* stack_fingerprint() at the last change; 0: not known */
        bool pending;                      /* written before the change; not confirmed yet */
        struct process owner;              /* while it is pending: which is at it */
        bool reverted;                     /* the original value was put back by wish: left to the administrator */
        bool put_back;                     /* new_sectors was tried, and taken back as keep-if asks */
        struct opt_int kept_sectors;       /* of what is put_back: given before, and stands; unknown: nothing was */
        struct opt_int trial_from_sectors; /* while pending, of a trial: what it is to have again; unknown: it is none */
        enum probe_verdict verdict;        /* of the probe of that change; PROBE_NONE if there was none */
        double before_mbps, after_mbps, gain; /* of it; 0 if none */
        double gain_low, gain_high;           /* of it; 0 if none, or it had too few runs for an interval */
        struct opt_int runs;                  /* of it, in each series; unknown if none */
};

/* What is about to be done to a device. */
struct ledger_change {
        const char *label;
        const char *rule; /* may be NULL */
        uint64_t from_sectors, to_sectors;
        uint64_t stack; /* stack_fingerprint(); 0: not known */
        bool trial;     /* for a moment only: FROM_SECTORS are put back right away */
};

struct ledger;

/* Empty. NULL when memory is short. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);
DEFINE_CLEANUP(struct ledger *, ledger_free);

/*
 * Reads PATH. A file that does not exist is an empty ledger. One that does not parse, or is of another version, is
 * renamed to PATH.damaged, the ledger is empty, and -EBADMSG is returned (*ret is set and usable all the same). Other
 * negative errno: *ret is not set.
 */
int ledger_load(const char *path, struct ledger **ret);

/*
 * Writes atomically, by way of PATH.new; the directory must exist. Two programs that change the ledger must keep each
 * other out from load to save. Returns 0 or a negative errno: what was in PATH stands then.
 */
int ledger_save(const struct ledger *ledger, const char *path);

/*
 * Notes that the device is about to be changed; all of CHANGE is copied. A device that is known (same identity) keeps
 * its original value, unless it has nothing of setrad's since, as that was put back or released. An entry of another
 * device that had the same number is dropped: that one is gone. So is one that may be another's, see
 * ledger_may_be_another(), unless the device has a value that setrad gave. Returns 0, -ENOMEM, -ERANGE (a number beyond
 * INT64_MAX), or -ENOSPC (LEDGER_ENTRIES_MAX devices).
 */
int ledger_begin(struct ledger *ledger, const struct device_identity *device, const struct ledger_change *change,
                uint64_t time_usec);

/* What is pending is OWNER's, until it is told of the end of it, or is gone. */
void ledger_own(struct ledger *ledger, const struct device_identity *device, const struct process *owner);

/*
 * The change was made (PROBE may be NULL), or was not: then an entry that it alone made is dropped, else what was there
 * before ledger_begin() stands again, also in a ledger that was saved and loaded in between.
 */
void ledger_confirm(struct ledger *ledger, const struct device_identity *device, const struct probe_result *probe);
void ledger_abandon(struct ledger *ledger, const struct device_identity *device);

/*
 * The change was made, measured, and taken back to BACK_TO_SECTORS: the entry says what was tried, and what setrad had given
 * before stands. PROBE may be NULL.
 */
void ledger_put_back(struct ledger *ledger, const struct device_identity *device, uint64_t back_to_sectors,
                const struct probe_result *probe);

/*
 * Notes that the original value is about to be put back in the place of FROM_SECTORS. KEEP: an administrator wants it, and
 * the entry is to stay, as reverted. Confirmed or abandoned as any other change. STACK as in a change. Returns 0, -ENOENT
 * if the device is not on record or ORIGINAL_SECTORS are not its original value, or -ENOMEM.
 */
struct ledger_revert {
        uint64_t from_sectors, original_sectors, stack;
        bool keep;
};

int ledger_begin_revert(struct ledger *ledger, const struct device_identity *device, const struct ledger_revert *revert,
                uint64_t time_usec);

/*
 * The stack is another one (stack_fingerprint()), and the device still has what it was given: that is what this stack is to
 * have. Not while a change is pending.
 */
void ledger_note_stack(struct ledger *ledger, const struct device_identity *device, uint64_t stack);

/* Whatever value it has, it is left to the administrator from now on: the entry is confirmed, and reverted. */
void ledger_release(struct ledger *ledger, const struct device_identity *device);

/*
 * Whether DEVICE, which is equal to that of ENTRY, may be another one all the same: only the number tells of it, and STACK
 * is not what it was.
 */
bool ledger_may_be_another(const struct ledger_entry *entry, const struct device_identity *device, uint64_t stack);

/* What setrad decided on last for the device of ENTRY, also if that was, or is being, put back. */
uint64_t ledger_tried(const struct ledger *ledger, const struct ledger_entry *entry);

/* What the device of ENTRY has of setrad, or had until its original value was put back; that one if there is nothing. */
uint64_t ledger_given(const struct ledger *ledger, const struct ledger_entry *entry);

/* Whether SECTORS is what setrad gave the device; while a change is pending, also what it gave it before. */
bool ledger_gave(const struct ledger *ledger, const struct device_identity *device, uint64_t sectors);

/* What became of a change that is pending. */
enum ledger_fate { LEDGER_UNDECIDED, LEDGER_MADE, LEDGER_NOT_MADE };

typedef enum ledger_fate (*ledger_fate_handler)(const struct ledger_entry *entry, void *userdata);

/*
 * Confirms and abandons what is pending as JUDGE says, and leaves what is undecided, and a trial whose value is there
 * still: that is to be put back. Returns whether there was any.
 */
bool ledger_settle(struct ledger *ledger, ledger_fate_handler judge, void *userdata);

/* The device is gone or its original value is back. */
void ledger_remove(struct ledger *ledger, const struct device_identity *device);

/* A ledger that has of LEDGER only what is on record of DEVICE, if anything is. Returns 0 or -ENOMEM. */
int ledger_extract(const struct ledger *ledger, const struct device_identity *device, struct ledger **ret);

const struct ledger_entry *ledger_find(const struct ledger *ledger, const struct device_identity *device);
size_t ledger_count(const struct ledger *ledger);
const struct ledger_entry *ledger_get(const struct ledger *ledger, size_t i);
