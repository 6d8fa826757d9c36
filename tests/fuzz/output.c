/* SPDX-License-Identifier: MIT */

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <wchar.h>

#include "cli/json.h"
#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/output.h"

/* C0, DEL, C1, and what reorders a line. */
static bool acts_on_terminal(wchar_t c) {
        return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f) || (c >= 0x200e && c <= 0x200f) ||
               (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void check_text(const char *text, size_t size) {
        mbstate_t state = {};

        FUZZ_CHECK(strlen(text) == size);
        while (*text) {
                wchar_t c;
                size_t n = mbrtowc(&c, text, MB_LEN_MAX, &state);

                FUZZ_CHECK(n != (size_t)-1 && n != (size_t)-2 && n > 0);
                FUZZ_CHECK(!acts_on_terminal(c));
                text += n;
        }
}

static void set_locale(void) {
        static bool is_set;

        if (!is_set)
                FUZZ_CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
        is_set = true;
}

void output_begin(struct output *output) {
        set_locale();
        *output = (struct output){};
        output->stream = open_memstream(&output->text, &output->size);
        FUZZ_CHECK(output->stream);
}

void output_end(struct output *output) {
        FUZZ_CHECK(fclose(output->stream) == 0);
        check_text(output->text, output->size);
        free(output->text);
}

/* As it is printed. Takes DOCUMENT over. */
static char *format_json(json_t *document) {
        struct output output;

        output_begin(&output);
        FUZZ_CHECK(json_print(output.stream, document) == 0 && fclose(output.stream) == 0);
        return output.text;
}

void output_check_json(json_t *document) {
        _cleanup_(freep) char *text = format_json(document), *same = NULL;
        json_t *again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

        FUZZ_CHECK(again);
        same = format_json(again);
        FUZZ_CHECK(strcmp(text, same) == 0);
}
