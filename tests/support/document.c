/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "tests/support/document.h"

#define DOCUMENT_BYTES_MAX (1U << 20)

char *document_read(const char *path) {
        _cleanup_(fclosep) FILE *file = fopen(path, "re");
        char *text = calloc(1, DOCUMENT_BYTES_MAX);

        assert_non_null(file);
        assert_non_null(text);
        assert_true(fread(text, 1, DOCUMENT_BYTES_MAX - 1, file) > 0);
        return text;
}

char *document_next_block(const char **at, const char *fence) {
        const char *begin = strstr(*at, fence), *end;

        if (!begin)
                return NULL;
        begin += strlen(fence);
        end = strstr(begin, "```\n");
        assert_non_null(end);
        *at = end;
        return strndup(begin, (size_t)(end - begin));
}
