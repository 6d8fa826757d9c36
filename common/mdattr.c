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

struct opt_int mdattr_parse_pair(const char *text, bool *ret_pair) {
        struct opt_int now;

        *ret_pair = false;
        now = parse_number(&text);
        if (!now.known || !*text)
                return now;

        if (strncmp(text, " (", 2) != 0)
                return (struct opt_int){0};
        text += 2;
        if (!parse_number(&text).known || strcmp(text, ")") != 0)
                return (struct opt_int){0};
        *ret_pair = true;
        return now;
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
