/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "daemon/entry.h"

#define HOSTILE                                                                                                        \
        "a\x1b[31mb\nc\377d\302\233"                                                                                   \
        "e\xe2\x80\xae"                                                                                                \
        "f\xe2\x80\x8bg\x7f"
#define SHOWN "a\\x1b[31mb\\x0ac\\xffd\\xc2\\x9be\\xe2\\x80\\xaef\\xe2\\x80\\x8bg\\x7f"

/* Programs get names as they are, people as a terminal shows them: journalctl shows no message with a control in it. */
static void test_message_is_printable(void **state) {
        _cleanup_(entry_done) struct entry entry = {};

        entry_add(&entry, "SETRAD_LABEL", "%s", HOSTILE);
        entry_add(&entry, "MESSAGE", "%s: held: %s", HOSTILE, "2 × 卷");
        entry_add(&entry, "MESSAGE_ID", "%s", "x\ny");
        assert_int_equal(entry.n_fields, 3);
        assert_string_equal(entry.fields[0].iov_base, "SETRAD_LABEL=" HOSTILE);
        assert_int_equal(entry.fields[0].iov_len, strlen("SETRAD_LABEL=" HOSTILE));
        assert_string_equal(entry.fields[1].iov_base, "MESSAGE=" SHOWN ": held: 2 × 卷");
        assert_int_equal(entry.fields[1].iov_len, strlen(entry.fields[1].iov_base));
        assert_string_equal(entry.fields[2].iov_base, "MESSAGE_ID=x\ny");
}

/* Where there is no journal it goes to stderr, in one line. */
static void test_stderr_is_printable(void **state) {
        _cleanup_(entry_done) struct entry entry = {};
        _cleanup_(fclosep) FILE *file = tmpfile();
        char text[512] = "";
        int saved;

        if (access("/run/systemd/journal/socket", F_OK) == 0)
                skip();
        assert_non_null(file);
        entry_add(&entry, "MESSAGE", "%s", HOSTILE);
        fflush(stderr);
        saved = dup(STDERR_FILENO);
        assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
        entry_send(&entry, LOG_NOTICE, NULL);
        fflush(stderr);
        assert_true(dup2(saved, STDERR_FILENO) >= 0);
        close(saved);
        rewind(file);
        assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
        assert_string_equal(text, "setrad: " SHOWN "\n");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_message_is_printable),
                        cmocka_unit_test(test_stderr_is_printable),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
