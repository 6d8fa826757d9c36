/* SPDX-License-Identifier: MIT */

/*
 * Parameters of device-mapper targets as the kernel prints them for DM_TABLE_STATUS (drivers/md/dm-*.c, the
 * STATUSTYPE_TABLE branch of each target's status function). Devices are printed as MAJOR:MINOR there.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/dmtable-cursor.h"
#include "common/dmtable.h"

/* "STRIPES CHUNK (DEVICE OFFSET)…" */
static int parse_striped(struct cursor *cursor) {
        uint64_t n;
        int r;

        r = cursor_next_number(cursor, UINT_MAX, &n);
        if (r < 0)
                return r;
        r = cursor_next_number(cursor, INT64_MAX / SECTOR_BYTES, &cursor->segment->chunk_sectors);
        if (r < 0)
                return r;
        for (uint64_t i = 0; i < n; i++) {
                r = cursor_next_device(cursor, LEG_DATA);
                if (r < 0)
                        return r;
                r = cursor_next_offset(cursor);
                if (r < 0)
                        return r;
        }
        cursor->segment->data_disks = (unsigned)n;
        return 0;
}

/* "LOG #ARGS ARGS… #LEGS (DEVICE OFFSET)… FEATURES…"; a log on disk has its device among its arguments. */
static int parse_mirror(struct cursor *cursor) {
        uint64_t n;
        int r;

        r = cursor_skip_words(cursor, 1);
        if (r < 0)
                return r;
        r = cursor_next_number(cursor, UINT_MAX, &n);
        if (r < 0)
                return r;
        for (; n > 0; n--) {
                struct word word = cursor_next_word(cursor);

                if (word.length == 0)
                        return -EINVAL;
                (void)cursor_add_leg(cursor, word, LEG_OTHER);
        }

        r = cursor_next_number(cursor, UINT_MAX, &n);
        if (r < 0)
                return r;
        for (; n > 0; n--) {
                r = cursor_next_device(cursor, LEG_DATA);
                if (r < 0)
                        return r;
                r = cursor_next_offset(cursor);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* "#FEATURES … #HANDLER … #GROUPS GROUP …": only paths look like devices. */
static int parse_multipath(struct cursor *cursor) {
        uint64_t n;
        int r;

        r = cursor_next_number(cursor, UINT_MAX, &n);
        if (r < 0)
                return r;
        r = cursor_skip_words(cursor, n);
        if (r < 0)
                return r;
        cursor_scan_devices(cursor, LEG_DATA);
        return 0;
}

/* "DEVICE RESERVED TAG-SIZE MODE #ARGS ARGS…", with perhaps "meta_device:DEVICE" among the arguments. */
static int parse_integrity(struct cursor *cursor) {
        static const char meta[] = "meta_device:";
        const size_t n = sizeof(meta) - 1;
        int r;

        r = cursor_next_device(cursor, LEG_DATA);
        if (r < 0)
                return r;
        for (;;) {
                struct word word = cursor_next_word(cursor);

                if (word.length == 0)
                        return 0;
                if (word.length <= n || memcmp(word.start, meta, n) != 0)
                        continue;
                r = cursor_add_leg(
                                cursor, (struct word){.start = word.start + n, .length = word.length - n}, LEG_OTHER);
                if (r < 0)
                        return r;
        }
}

/* "VERSION DEVICE HASH-DEVICE …", with perhaps "use_fec_from_device DEVICE" further on. */
static int parse_verity(struct cursor *cursor) {
        int r;

        r = cursor_skip_words(cursor, 1);
        if (r < 0)
                return r;
        r = cursor_next_device(cursor, LEG_DATA);
        if (r < 0)
                return r;
        r = cursor_next_device(cursor, LEG_OTHER);
        if (r < 0)
                return r;
        cursor_scan_devices(cursor, LEG_OTHER);
        return 0;
}

/* "DEVICE OFFSET DELAY" for reads, then perhaps the same for writes, and for flushes: most often the same device. */
static int parse_delay(struct cursor *cursor) {
        struct dm_segment *segment = cursor->segment;
        int r;

        for (unsigned i = 0; i < 3; i++) {
                struct word word = cursor_next_word(cursor);

                if (i > 0 && word.length == 0)
                        break;
                r = cursor_add_leg(cursor, word, i == 0 ? LEG_DATA : LEG_OTHER);
                if (r < 0)
                        return r;
                r = cursor_next_offset(cursor);
                if (r < 0)
                        return r;
                r = cursor_skip_words(cursor, 1);
                if (r < 0)
                        return r;
        }

        while (segment->n_legs > 1 && segment->legs[segment->n_legs - 1].major == segment->legs[0].major &&
                        segment->legs[segment->n_legs - 1].minor == segment->legs[0].minor)
                segment->n_legs--;
        return 0;
}

struct target {
        const char *name;
        enum layer_kind kind;
        /*
         * Parameters that are in fixed places: D a device the map reads its data from, O another device, + the offset
         * of the device before, . a word that does not matter, ? the rest need not be there.
         */
        const char *shape;
        int (*parse)(struct cursor *cursor); /* instead of a shape */
};

static const struct target targets[] = {
                {"linear", KIND_DM_LINEAR, .shape = "D+"},
                {"striped", KIND_DM_STRIPED, .parse = parse_striped},
                {"crypt", KIND_DM_CRYPT, .shape = "...D+"},
                {"raid", KIND_DM_UNKNOWN, .parse = dmtable_parse_raid},
                {"mirror", KIND_DM_MIRROR, .parse = parse_mirror},
                {"thin-pool", KIND_DM_THIN_POOL, .shape = "OD"},
                {"thin", KIND_DM_THIN, .shape = "D.?D"},
                {"snapshot", KIND_DM_SNAPSHOT, .shape = "DO"},
                {"snapshot-merge", KIND_DM_SNAPSHOT, .shape = "DO"},
                {"snapshot-origin", KIND_DM_SNAPSHOT_ORIGIN, .shape = "D"},
                {"cache", KIND_DM_CACHE, .shape = "OOD"},
                {"writecache", KIND_DM_WRITECACHE, .shape = ".DO"},
                {"integrity", KIND_DM_INTEGRITY, .parse = parse_integrity},
                {"verity", KIND_DM_VERITY, .parse = parse_verity},
                {"multipath", KIND_DM_MULTIPATH, .parse = parse_multipath},
                {"vdo", KIND_DM_VDO, .shape = ".D"},
                {"delay", KIND_DM_DELAY, .parse = parse_delay},
};

static int parse_shape(struct cursor *cursor, const char *shape) {
        int r = 0;

        for (; *shape && r >= 0; shape++)
                switch (*shape) {
                case 'D': r = cursor_next_device(cursor, LEG_DATA); break;
                case 'O': r = cursor_next_device(cursor, LEG_OTHER); break;
                case '+': r = cursor_next_offset(cursor); break;
                case '.': r = cursor_skip_words(cursor, 1); break;
                case '?':
                        if (!cursor->next[strspn(cursor->next, DMTABLE_BLANKS)])
                                return 0;
                        break;
                }
        return r;
}

static const struct target *find_target(const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
                if (strcmp(targets[i].name, name) == 0)
                        return &targets[i];
        return NULL;
}

static size_t count_words(const char *s) {
        struct cursor cursor = {.next = s};
        size_t n = 0;

        while (cursor_next_word(&cursor).length > 0)
                n++;
        return n;
}

static int parse_parameters(struct cursor *cursor) {
        const struct target *target = find_target(cursor->segment->target);

        if (!target) {
                cursor_scan_devices(cursor, LEG_DATA);
                return 0;
        }
        cursor->segment->kind = target->kind;
        return target->parse ? target->parse(cursor) : parse_shape(cursor, target->shape);
}

int dmtable_parse_target(struct arena *arena, uint64_t start_sectors, uint64_t length_sectors, const char *target,
                const char *params, struct dm_segment *ret) {
        struct dm_segment segment = {
                        .start_sectors = start_sectors, .length_sectors = length_sectors, .kind = KIND_DM_UNKNOWN};
        struct cursor cursor = {.next = params, .segment = &segment, .n_legs_max = count_words(params)};
        int r;

        segment.target = arena_strdup(arena, target);
        segment.legs = arena_alloc_array(arena, cursor.n_legs_max, sizeof(*segment.legs));
        if (!segment.target || !segment.legs)
                return -ENOMEM;

        r = parse_parameters(&cursor);
        if (r < 0) {
                segment.n_legs = 0;
                segment.chunk_sectors = 0;
                segment.data_disks = segment.raid_disks = 0;
                segment.reshaping = false;
        }
        *ret = segment;
        return r;
}

/* "START LENGTH TARGET PARAMS", cut up in place. */
static int split_target(char *text, uint64_t *ret_start_sectors, uint64_t *ret_length_sectors, const char **ret_target,
                const char **ret_params) {
        struct cursor cursor = {.next = text};
        uint64_t start_sectors, length_sectors;
        struct word target;
        int r;

        if (!isdigit((unsigned char)text[0]))
                return -EINVAL;
        r = cursor_next_number(&cursor, INT64_MAX, &start_sectors);
        if (r < 0)
                return r;
        r = cursor_next_number(&cursor, INT64_MAX, &length_sectors);
        if (r < 0)
                return r;
        target = cursor_next_word(&cursor);
        if (target.length == 0)
                return -EINVAL;

        if (*cursor.next)
                cursor.next++;
        text[target.start + target.length - text] = 0;
        *ret_start_sectors = start_sectors;
        *ret_length_sectors = length_sectors;
        *ret_target = target.start;
        *ret_params = cursor.next;
        return 0;
}

int dmtable_split_line(char *line, const char **ret_name, uint64_t *ret_start_sectors, uint64_t *ret_length_sectors,
                const char **ret_target, const char **ret_params) {
        size_t length = strcspn(line, "\n");

        line[length] = 0;
        /* A name may hold ": " itself: it ends at the first one that a target follows. */
        for (char *colon = strstr(line, ": "); colon; colon = strstr(colon + 1, ": ")) {
                if (colon == line || split_target(colon + 2, ret_start_sectors, ret_length_sectors, ret_target,
                                                     ret_params) < 0)
                        continue;
                *colon = 0;
                *ret_name = line;
                return 0;
        }

        /* Without a table. Editors cut the blank at the end of a line off. */
        while (length > 0 && line[length - 1] == ' ')
                length--;
        if (length < 2 || line[length - 1] != ':')
                return -EINVAL;
        line[length - 1] = 0;
        *ret_name = line;
        *ret_start_sectors = *ret_length_sectors = 0;
        *ret_target = *ret_params = NULL;
        return 0;
}

enum layer_kind dmtable_kind(const struct dm_segment *segments, size_t n_segments) {
        if (n_segments == 0)
                return KIND_DM_UNKNOWN;
        for (size_t i = 1; i < n_segments; i++)
                if (segments[i].kind != segments[0].kind)
                        return KIND_DM_MIXED;
        return segments[0].kind;
}
