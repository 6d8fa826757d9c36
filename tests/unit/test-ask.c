/* SPDX-License-Identifier: MIT */

#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/ask.h"
#include "common/cleanup.h"

/* What TYPED, on a terminal, is taken for, and how often it was asked. */
static void check(const char *typed, enum answer answer, unsigned times) {
        _cleanup_(freep) char *asked = NULL;
        size_t size;
        int master, slave;
        unsigned n = 0;
        FILE *in, *out;

        assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
        in = fdopen(slave, "r");
        out = open_memstream(&asked, &size);
        assert_non_null(in);
        assert_non_null(out);
        assert_int_equal(write(master, typed, strlen(typed)), strlen(typed));

        assert_int_equal(ask(in, out, "Make this change?"), answer);
        fclose(in);
        fclose(out);
        close(master);
        for (const char *p = asked; (p = strstr(p, "Make this change? [y/N/a/q] ")); p++)
                n++;
        assert_int_equal(n, times);
        assert_int_equal(strstr(asked, "y: yes; ") != NULL, times > 1);
}

static void test_answers(void **state) {
        check("y\n", ANSWER_YES, 1);
        check(" Yes \n", ANSWER_YES, 1);
        check("n\n", ANSWER_NO, 1);
        check("NO\n", ANSWER_NO, 1);
        check("\n", ANSWER_NO, 1);
        check("a\n", ANSWER_ALL, 1);
        check("all\n", ANSWER_ALL, 1);
        check("q\n", ANSWER_QUIT, 1);
        check("quit\n", ANSWER_QUIT, 1);
}

/* Nothing is done for what is not understood. */
static void test_asks_again(void **state) {
        check("yess\ny\n", ANSWER_YES, 2);
        check("?\nya\n\n", ANSWER_NO, 3);
}

/* Ctrl-D. */
static void test_end(void **state) {
        check("\004", ANSWER_QUIT, 1);
        check("what\n\004", ANSWER_QUIT, 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_answers),
                        cmocka_unit_test(test_asks_again),
                        cmocka_unit_test(test_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
