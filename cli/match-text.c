/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <string.h>

#include "cli/match-text.h"
#include "common/cleanup.h"

/* As a single-quoted YAML text, in which nothing is a glob's. NULL without memory; "" if it can't be written so. */
static const char *quote_pattern(const char *text, struct arena *arena) {
        char *quoted = arena_alloc_array(arena, strlen(text) + 2, 2), *out = quoted;

        if (!quoted)
                return NULL;
        *out++ = '\'';
        for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
                if (*s < ' ' || *s >= 0x7f)
                        return "";
                if (*s == '\'')
                        *out++ = '\'';
                else if (strchr("*?[\\", *s))
                        *out++ = '\\';
                *out++ = (char)*s;
        }
        *out = '\'';
        return quoted;
}

/* Words that are no texts to setrad's loader, or to other readers of YAML. */
static bool has_other_meaning(const char *text) {
        static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (strcasecmp(text, words[i]) == 0)
                        return true;
        return false;
}

static bool is_plain_word(const char *text) {
        for (const unsigned char *s = (const unsigned char *)text; *s; s++)
                if (!isalnum(*s) && !strchr("/._-", *s))
                        return false;
        return isalpha((unsigned char)*text) && !has_other_meaning(text);
}

static bool is_only_one(const struct layer *layer, const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i] != layer && strcmp(topology->layers[i]->label, layer->label) == 0)
                        return false;
        return true;
}

const char *match_rule_name(const struct layer *layer, const struct topology *topology) {
        return is_only_one(layer, topology) && is_plain_word(layer->label) ? layer->label : layer->name;
}

const char *match_text(const struct layer *layer, const struct topology *topology, struct arena *arena) {
        const char *quoted = "";

        if (is_only_one(layer, topology)) {
                if (is_plain_word(layer->label))
                        return arena_printf(arena, "name: %s", layer->label);
                quoted = quote_pattern(layer->label, arena);
        }
        if (!quoted)
                return NULL;
        return *quoted ? arena_printf(arena, "name: %s", quoted)
                       : arena_printf(arena, "device: \"%u:%u\"", layer->major, layer->minor);
}
