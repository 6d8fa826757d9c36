/* SPDX-License-Identifier: MIT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"

static bool set_word(struct rule_action *rule, const char *word) {
        static const struct {
                const char *word;
                enum readahead_mode mode;
        } modes[] = {
                        {"auto", READAHEAD_AUTO},
                        {"array", READAHEAD_ARRAY},
                        {"off", READAHEAD_OFF},
                        {"keep", READAHEAD_KEEP},
        };
        static const struct {
                const char *word;
                enum direction direction;
        } directions[] = {
                        {"raise", DIRECTION_RAISE},
                        {"lower", DIRECTION_LOWER},
                        {"both", DIRECTION_BOTH},
                        {"report", DIRECTION_REPORT},
        };

        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                if (strcmp(modes[i].word, word) == 0) {
                        rule->readahead.mode = modes[i].mode;
                        return true;
                }
        for (size_t i = 0; i < ARRAY_SIZE(directions); i++)
                if (strcmp(directions[i].word, word) == 0) {
                        rule->direction = directions[i].direction;
                        return true;
                }
        return false;
}

static bool set_number(struct rule_action *rule, const char *key, uint64_t value) {
        if (strcmp(key, "stripes") == 0)
                rule->readahead = (struct readahead_spec){.mode = READAHEAD_STRIPES, .stripes = value};
        else if (strcmp(key, "sectors") == 0)
                rule->readahead = (struct readahead_spec){.mode = READAHEAD_SECTORS, .sectors = value};
        else if (strcmp(key, "max") == 0)
                rule->limits.max_sectors = value / SECTOR_BYTES;
        else if (strcmp(key, "min") == 0)
                rule->limits.min_sectors = value / SECTOR_BYTES;
        else if (strcmp(key, "share") == 0)
                rule->limits.memory_share_ppm = (unsigned)value;
        else
                return false;
        return true;
}

struct rule_action rule_from_text(const char *text) {
        struct rule_action rule = {.limits = READAHEAD_LIMITS_DEFAULT, .direction = DIRECTION_RAISE};
        _cleanup_(freep) char *copy = strdup(text);
        char *rest;

        if (!copy)
                abort();
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
                char *value = strchr(word, '=');
                bool known;

                if (value)
                        *value++ = 0;
                known = value ? set_number(&rule, word, stack_number(value)) : set_word(&rule, word);
                if (!known) {
                        fprintf(stderr, "test rule: no such word: %s\n", word);
                        abort();
                }
        }
        return rule;
}
