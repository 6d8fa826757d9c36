/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "common/fdbatch.h"

static int open_null(void) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        return fd;
}

static bool is_open(int fd) {
        return fcntl(fd, F_GETFD) >= 0;
}

/* What is not given to it stays open, also where its number is between theirs. */
static void test_closes_its_own(void **state) {
        struct fdbatch batch = {};
        int fds[40];

        for (unsigned i = 0; i < 40; i++)
                fds[i] = open_null();
        for (unsigned i = 0; i < 40; i++)
                if (i % 7 != 3)
                        fdbatch_add(&batch, fds[i]);
        for (unsigned i = 0; i < 40; i++)
                assert_true(is_open(fds[i]));
        fdbatch_flush(&batch);
        for (unsigned i = 0; i < 40; i++) {
                assert_int_equal(is_open(fds[i]), i % 7 == 3);
                if (i % 7 == 3)
                        close(fds[i]);
        }
}

static void test_nothing(void **state) {
        struct fdbatch batch = {};
        int fd = open_null();

        fdbatch_flush(&batch);
        fdbatch_flush(&batch);
        assert_true(is_open(fd));
        close(fd);
}

/* However many are added, few are open at a time. */
static void test_many(void **state) {
        struct fdbatch batch = {};
        bool before[256];
        int highest = 0;

        for (int fd = 0; fd < 256; fd++)
                before[fd] = is_open(fd);
        for (unsigned i = 0; i < 5000; i++) {
                int fd = open_null();

                highest = fd > highest ? fd : highest;
                fdbatch_add(&batch, fd);
        }
        assert_true(highest < 200);
        fdbatch_flush(&batch);
        for (int fd = 0; fd < 256; fd++)
                assert_int_equal(is_open(fd), before[fd]);
}

/* Numbers that it does not keep are closed at once. */
static void test_high_number(void **state) {
        struct fdbatch batch = {};
        int null = open_null(), fd = fcntl(null, F_DUPFD_CLOEXEC, FDBATCH_FDS + 5);

        close(null);
        if (fd < 0)
                skip();
        fdbatch_add(&batch, fd);
        assert_false(is_open(fd));
        assert_int_equal(batch.n, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_closes_its_own),
                        cmocka_unit_test(test_nothing),
                        cmocka_unit_test(test_many),
                        cmocka_unit_test(test_high_number),
        };

        return cmocka_run_group_tests_name("fdbatch", tests, NULL, NULL);
}
