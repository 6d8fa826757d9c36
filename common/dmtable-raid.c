/* SPDX-License-Identifier: MIT */

/* Parameters and status of the target "raid" (drivers/md/dm-raid.c, raid_status()). */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/dmtable-cursor.h"
#include "common/dmtable.h"
#include "common/geometry.h"

static enum layer_kind raid_kind(struct word type) {
        static const struct {
                const char *prefix; /* the whole word, or what stands before a '_' */
                enum layer_kind kind;
        } types[] = {
                        {"raid0", KIND_DM_RAID0},
                        {"raid1", KIND_DM_RAID1},
                        {"raid4", KIND_DM_RAID4},
                        {"raid5", KIND_DM_RAID5},
                        {"raid6", KIND_DM_RAID6},
                        {"raid10", KIND_DM_RAID10},
        };
        const char *underscore = memchr(type.start, '_', type.length);
        struct word level = {
                        .start = type.start, .length = underscore ? (size_t)(underscore - type.start) : type.length};

        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
                if (word_equals(level, types[i].prefix))
                        return types[i].kind;
        return KIND_DM_UNKNOWN;
}

/* What "raid" says between its chunk and its devices, as far as it matters. */
struct raid_parameters {
        uint64_t copies;
        bool far, offset;
        bool reshaping;
        uint64_t data_offset_sectors;
};

/* raid10's layout as md has it: near copies, far copies << 8, and bit 16 where far ones are in the next chunk. */
static int64_t raid10_layout(const struct raid_parameters *parameters) {
        int64_t copies = (int64_t)parameters->copies;

        if (!parameters->far && !parameters->offset)
                return 1 << 8 | copies;
        return (parameters->offset ? 1 << 16 : 0) | copies << 8 | 1;
}

/* The N words that follow the chunk: flags, and names with a value. */
static int parse_raid_parameters(struct cursor *cursor, uint64_t n, struct raid_parameters *parameters) {
        int r = 0;

        for (; n > 0 && r >= 0; n--) {
                struct word word = cursor_next_word(cursor);
                bool has_value = true;

                if (word.length == 0)
                        return -EINVAL;
                if (n == 1)
                        has_value = false;
                if (has_value && word_equals(word, "raid10_copies"))
                        r = cursor_next_number(cursor, UINT8_MAX, &parameters->copies);
                else if (has_value && word_equals(word, "data_offset"))
                        r = cursor_next_number(cursor, INT64_MAX, &parameters->data_offset_sectors);
                else if (has_value && word_equals(word, "delta_disks"))
                        parameters->reshaping = !word_equals(cursor_next_word(cursor), "0");
                else if (has_value && word_equals(word, "journal_dev"))
                        r = cursor_next_device(cursor, LEG_OTHER);
                else if (has_value && word_equals(word, "raid10_format")) {
                        word = cursor_next_word(cursor);
                        parameters->far = word_equals(word, "far");
                        parameters->offset = word_equals(word, "offset");
                } else
                        has_value = false;
                n -= has_value;
        }
        return r;
}

/* "#LEGS (METADATA DATA)…", "-" where there is none. */
static int parse_raid_legs(struct cursor *cursor, uint64_t data_offset_sectors, uint64_t *ret_n) {
        struct dm_segment *segment = cursor->segment;
        uint64_t n, missing = 0;
        int r;

        r = cursor_next_number(cursor, UINT8_MAX, &n);
        if (r < 0)
                return r;
        for (uint64_t i = 0; i < 2 * n; i++) {
                struct word word = cursor_next_word(cursor);

                if (word_equals(word, "-")) {
                        missing += i % 2;
                        continue;
                }
                r = cursor_add_leg(cursor, word, i % 2 == 0 ? LEG_OTHER : LEG_DATA);
                if (r < 0)
                        return r;
                if (i % 2 == 1)
                        segment->legs[segment->n_legs - 1].offset_sectors = data_offset_sectors;
        }
        if (missing > 0)
                segment->sync.degraded = opt_some((int64_t)missing);
        *ret_n = n;
        return 0;
}

/* "TYPE #PARAMETERS CHUNK PARAMETERS… #LEGS (METADATA DATA)…" */
int dmtable_parse_raid(struct cursor *cursor) {
        struct raid_parameters parameters = {.copies = 2};
        struct dm_segment *segment = cursor->segment;
        struct word type = cursor_next_word(cursor);
        uint64_t n, chunk_sectors = 0;
        int r;

        segment->kind = raid_kind(type);
        parameters.far = word_equals(type, "raid10_far");
        parameters.offset = word_equals(type, "raid10_offset");

        r = cursor_next_number(cursor, UINT_MAX, &n);
        if (r < 0)
                return r;
        if (n > 0) {
                r = cursor_next_number(cursor, INT64_MAX / SECTOR_BYTES, &chunk_sectors);
                if (r < 0)
                        return r;
                r = parse_raid_parameters(cursor, n - 1, &parameters);
                if (r < 0)
                        return r;
        }
        r = parse_raid_legs(cursor, parameters.data_offset_sectors, &n);
        if (r < 0)
                return r;

        segment->raid_disks = (unsigned)n;
        segment->layout = raid10_layout(&parameters);
        segment->reshaping = parameters.reshaping;
        segment->data_disks = geometry_data_disks(segment->kind, (int64_t)n, segment->layout);
        segment->chunk_sectors = segment->data_disks > 0 ? chunk_sectors : 0;
        return 0;
}

static void set_data_offset(struct dm_segment *segment, uint64_t sectors) {
        for (size_t i = 0; i < segment->n_legs; i++)
                if (segment->legs[i].role == LEG_DATA)
                        segment->legs[i].offset_sectors = sectors;
}

/* What the status of a target says, as far as it matters. */
struct raid_status {
        uint64_t n_disks;
        unsigned n_synced, n_unsynced, n_lost; /* of these, and of those in the table */
        uint64_t done, all;
        struct word action;
};

/* A character a member: "A" in sync, "a" not, "D" failed, "-" missing. */
static void count_members(struct word health, uint64_t n_disks, struct raid_status *status) {
        for (uint64_t i = 0; i < n_disks && i < health.length; i++) {
                status->n_synced += health.start[i] == 'A';
                status->n_unsynced += health.start[i] == 'a';
                status->n_lost += health.start[i] == 'D' || health.start[i] == '-';
        }
}

/* "65536/65536" */
static int parse_progress(struct word word, uint64_t *ret_done, uint64_t *ret_all) {
        char text[64];
        int end = 0;

        if (word.length >= sizeof(text))
                return -EINVAL;
        memcpy(text, word.start, word.length);
        text[word.length] = 0;
        /* scanf(3) takes "-1" for a number without a sign. */
        if (strchr(text, '-') || sscanf(text, "%19" SCNu64 "/%19" SCNu64 "%n", ret_done, ret_all, &end) != 2 ||
                        text[end] || *ret_done > INT64_MAX || *ret_all > INT64_MAX)
                return -EINVAL;
        return 0;
}

/* "TYPE #DISKS HEALTH DONE/ALL", and of newer kernels ACTION */
static int parse_raid_status(struct cursor *cursor, uint64_t n_legs, struct raid_status *ret) {
        int r;

        if (cursor_skip_words(cursor, 1) < 0)
                return -EINVAL;
        r = cursor_next_number(cursor, UINT8_MAX, &ret->n_disks);
        if (r < 0)
                return r;
        count_members(cursor_next_word(cursor), ret->n_disks < n_legs ? ret->n_disks : n_legs, ret);
        r = parse_progress(cursor_next_word(cursor), &ret->done, &ret->all);
        if (r < 0)
                return r;
        ret->action = cursor_next_word(cursor);
        return 0;
}

/*
 * What stands still is a reshape between two of the tables that LVM loads for it where something is left to do, or where
 * the table says so or has other members than the array. That delta_disks is in the table says nothing by itself: it stays
 * there until the next is loaded.
 */
static bool is_reshaping(const struct dm_segment *segment, const struct raid_status *status) {
        if (word_equals(status->action, "frozen"))
                return segment->reshaping || status->n_disks != segment->raid_disks || status->done < status->all;
        if (word_equals(status->action, "idle"))
                return status->done < status->all || (segment->reshaping && status->n_unsynced > 0);
        return word_equals(status->action, "reshape");
}

/* As md counts them. Where none is in sync the array as a whole is not, and no member is worse than the others. */
static int64_t count_degraded(const struct dm_segment *segment, const struct raid_status *status) {
        bool rebuilding = !segment->reshaping && status->n_synced > 0;

        return status->n_lost + (rebuilding ? status->n_unsynced : 0);
}

static const char *find_action(struct word action) {
        static const char *const actions[] = {"idle", "frozen", "resync", "recover", "check", "repair", "reshape"};

        for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
                if (word_equals(action, actions[i]))
                        return actions[i];
        return NULL;
}

/* As parse_raid_status(), and then "MISMATCHES DATA-OFFSET JOURNAL" */
int dmtable_apply_raid_status(struct dm_segment *segment, const char *text) {
        struct cursor cursor = {.next = text};
        struct raid_status status = {};
        uint64_t data_offset_sectors;

        if (segment->raid_disks == 0 || parse_raid_status(&cursor, segment->raid_disks, &status) < 0)
                return -EINVAL;
        if (status.action.length > 0)
                segment->reshaping = is_reshaping(segment, &status);
        if (cursor_skip_words(&cursor, 1) == 0 && cursor_next_number(&cursor, INT64_MAX, &data_offset_sectors) == 0)
                set_data_offset(segment, data_offset_sectors);

        segment->sync.degraded = opt_some(count_degraded(segment, &status));
        segment->sync.action = find_action(status.action);
        segment->sync.synced_sectors = opt_some((int64_t)status.done);
        segment->sync.sync_sectors = opt_some((int64_t)status.all);

        /* A reshape has taken members away that LVM has not dropped from the table yet. */
        if (status.n_disks < segment->raid_disks) {
                segment->raid_disks = (unsigned)status.n_disks;
                segment->data_disks = geometry_data_disks(segment->kind, (int64_t)status.n_disks, segment->layout);
        }
        return 0;
}
