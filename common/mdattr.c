/* SPDX-License-Identifier: MIT */

/* Text of md's attributes; the kernel's side of it is in drivers/md/md.c. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/mdattr.h"

/* A decimal number at *TEXT, which is moved past it. */
static struct opt_int parse_number(const char **text) {
        const char *digits = *text + (**text == '-');
        char *end;
        long long value;

        if (*digits < '0' || *digits > '9')
                return (struct opt_int){0};
        errno = 0;
        value = strtoll(*text, &end, 10);
        if (errno)
                return (struct opt_int){0};
        *text = end;
        return opt_some(value);
}

struct opt_int mdattr_parse_pair(const char *text, struct opt_int *ret_old) {
        struct opt_int now, old;

        *ret_old = (struct opt_int){0};
        now = parse_number(&text);
        if (!now.known || !*text)
                return now;

        if (strncmp(text, " (", 2) != 0)
                return (struct opt_int){0};
        text += 2;
        old = parse_number(&text);
        if (!old.known || strcmp(text, ")") != 0)
                return (struct opt_int){0};
        *ret_old = old;
        return now;
}

void mdattr_parse_progress(const char *text, struct opt_int *ret_synced_sectors, struct opt_int *ret_sync_sectors) {
        static const char of[] = " / ";
        struct opt_int done, total;

        *ret_synced_sectors = *ret_sync_sectors = (struct opt_int){0};
        done = parse_number(&text);
        if (!done.known || strncmp(text, of, strlen(of)) != 0)
                return;
        text += strlen(of);
        total = parse_number(&text);
        if (!total.known || *text || done.value < 0 || total.value <= 0 || done.value > total.value)
                return;
        *ret_synced_sectors = done;
        *ret_sync_sectors = total;
}

const char *mdattr_layout_name(enum layer_kind kind, int64_t layout) {
        static const char *const names[] = {
                        [0] = "left-asymmetric",
                        [1] = "right-asymmetric",
                        [2] = "left-symmetric",
                        [3] = "right-symmetric",
                        [4] = "parity-first",
                        [5] = "parity-last",
                        /* raid6 only; those in -6 are raid5's with one member more, which has all of the second parity */
                        [8] = "ddf-zero-restart",
                        [9] = "ddf-N-restart",
                        [10] = "ddf-N-continue",
                        [16] = "left-asymmetric-6",
                        [17] = "right-asymmetric-6",
                        [18] = "left-symmetric-6",
                        [19] = "right-symmetric-6",
                        [20] = "parity-first-6",
        };
        int64_t n = kind == KIND_MD_RAID6 ? (int64_t)ARRAY_SIZE(names) : kind == KIND_MD_RAID5 ? 6 : 0;

        return layout >= 0 && layout < n ? names[layout] : NULL;
}

static unsigned state_from_word(const char *word, size_t length) {
        static const struct {
                const char *word;
                unsigned state;
        } states[] = {
                        {"in_sync", MD_MEMBER_IN_SYNC},
                        {"faulty", MD_MEMBER_FAULTY},
                        {"spare", MD_MEMBER_SPARE},
                        {"journal", MD_MEMBER_JOURNAL},
                        {"write_mostly", MD_MEMBER_WRITE_MOSTLY},
                        {"replacement", MD_MEMBER_REPLACEMENT},
                        {"blocked", MD_MEMBER_BLOCKED},
        };

        for (size_t i = 0; i < ARRAY_SIZE(states); i++)
                if (strlen(states[i].word) == length && memcmp(states[i].word, word, length) == 0)
                        return states[i].state;
        return 0;
}

unsigned mdattr_parse_states(const char *text) {
        unsigned states = 0;

        for (;;) {
                size_t length = strcspn(text, ",");

                states |= state_from_word(text, length);
                if (!text[length])
                        return states;
                text += length + 1;
        }
}

int mdattr_parse_slot(const char *text) {
        struct opt_int slot = parse_number(&text);

        if (!slot.known || *text || slot.value < 0 || slot.value > INT_MAX)
                return -1;
        return (int)slot.value;
}

/* "external:imsm" is the container itself; "external:/md127/0" one of the arrays in it. */
static bool is_container(const struct md_info *md) {
        static const char external[] = "external:";
        const size_t length = sizeof(external) - 1;

        return md->metadata && strncmp(md->metadata, external, length) == 0 && md->metadata[length] != '/' &&
               md->metadata[length] != '-';
}

static bool is_inactive(const struct md_info *md) {
        return md->array_state && (strcmp(md->array_state, "inactive") == 0 || strcmp(md->array_state, "clear") == 0);
}

enum layer_kind mdattr_kind(const struct md_info *md) {
        static const struct {
                const char *level;
                enum layer_kind kind;
        } levels[] = {
                        {"raid0", KIND_MD_RAID0},
                        {"raid1", KIND_MD_RAID1},
                        {"raid4", KIND_MD_RAID4},
                        {"raid5", KIND_MD_RAID5},
                        {"raid6", KIND_MD_RAID6},
                        {"raid10", KIND_MD_RAID10},
                        {"linear", KIND_MD_LINEAR},
        };

        size_t n = strcspn(md->level, " ");

        if (is_container(md))
                return KIND_MD_CONTAINER;
        if (!md->level[0] || is_inactive(md))
                return KIND_MD_INACTIVE;
        /* While a reshape runs it may be a pair, "raid6 (raid5)". */
        for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
                if (strlen(levels[i].level) == n && memcmp(md->level, levels[i].level, n) == 0)
                        return levels[i].kind;

        /* "multipath" and "faulty", both gone since Linux 6.8: blocks one to one from a member, no stripe. */
        return KIND_MD_LINEAR;
}
