/* SPDX-License-Identifier: MIT */

/* Status of the target "multipath" (drivers/md/dm-mpath.c, multipath_status()). */

#include <errno.h>
#include <limits.h>

#include "common/dmtable-cursor.h"
#include "common/dmtable.h"

/* A number, and as many words. */
static int skip_counted(struct cursor *cursor) {
        uint64_t n;
        int r;

        r = cursor_next_number(cursor, UINT_MAX, &n);
        return r < 0 ? r : cursor_skip_words(cursor, n);
}

/* "DEVICE A|F FAILURES SELECTOR-WORDS…" */
static int parse_path(struct cursor *cursor, uint64_t n_words, struct dm_paths *paths) {
        struct word state;

        if (cursor_skip_words(cursor, 1) < 0)
                return -EINVAL;
        state = cursor_next_word(cursor);
        if (word_equals(state, "A"))
                paths->n_active++;
        else if (!word_equals(state, "F"))
                return -EINVAL;
        paths->n++;
        return cursor_skip_words(cursor, 1 + n_words);
}

/* "STATE #SELECTOR … #PATHS #SELECTOR-WORDS PATH…" */
static int parse_group(struct cursor *cursor, struct dm_paths *paths) {
        uint64_t n_paths, n_words;
        int r;

        if (cursor_skip_words(cursor, 1) < 0 || skip_counted(cursor) < 0 ||
                        cursor_next_number(cursor, UINT_MAX, &n_paths) < 0 ||
                        cursor_next_number(cursor, UINT_MAX, &n_words) < 0)
                return -EINVAL;
        for (; n_paths > 0; n_paths--) {
                r = parse_path(cursor, n_words, paths);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* "#FEATURES … #HANDLER … #GROUPS CURRENT GROUP…" */
int dmtable_apply_multipath_status(struct dm_segment *segment, const char *status) {
        struct cursor cursor = {.next = status};
        struct dm_paths paths = {.known = true};
        uint64_t n_groups;
        int r;

        if (segment->kind != KIND_DM_MULTIPATH || skip_counted(&cursor) < 0 || skip_counted(&cursor) < 0 ||
                        cursor_next_number(&cursor, UINT_MAX, &n_groups) < 0 || cursor_skip_words(&cursor, 1) < 0)
                return -EINVAL;
        for (; n_groups > 0; n_groups--) {
                r = parse_group(&cursor, &paths);
                if (r < 0)
                        return r;
        }
        segment->paths = paths;
        return 0;
}
