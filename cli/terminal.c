/* SPDX-License-Identifier: MIT */

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/terminal.h"
#include "common/cleanup.h"

unsigned terminal_columns(int fd) {
        struct winsize size = {};

        if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
                return TERMINAL_COLUMNS;
        return size.ws_col;
}

unsigned terminal_table_columns(int fd) {
        const char *text = getenv("COLUMNS");
        unsigned long columns;
        char *end;

        if (!isatty(fd))
                return 0;
        if (!text || *text < '0' || *text > '9')
                return terminal_columns(fd);
        columns = strtoul(text, &end, 10);
        return *end == '\0' && columns > 0 && columns <= USHRT_MAX ? (unsigned)columns : terminal_columns(fd);
}

bool terminal_is_utf8(void) {
        locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
        bool utf8;

        if (!locale)
                return false;
        utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
        freelocale(locale);
        return utf8;
}

unsigned terminal_text_columns(const char *text) {
        unsigned columns = 0;
        mbstate_t state = {};
        size_t n;

        for (const char *at = text; *at; at += n) {
                wchar_t c;
                int width;

                n = mbrtowc(&c, at, MB_CUR_MAX, &state);
                if (n > MB_CUR_MAX) {
                        state = (mbstate_t){};
                        n = 1;
                        width = -1;
                } else
                        width = wcwidth(c);
                columns += width < 0 ? (unsigned)n : (unsigned)width;
        }
        return columns;
}
