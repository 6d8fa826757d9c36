/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/advice.h"
#include "tests/support/tree.h"

static void check(struct advice advice, const char *expected) {
        _cleanup_(freep) char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        assert_non_null(stream);
        advice_print(stream, &advice);
        fclose(stream);
        assert_string_equal(text, expected);
}

static void test_what_to_type(void **state) {
        check((struct advice){}, "");
        check((struct advice){.n_changes = 1, .is_root = true},
                        "'setractl plan' shows the change, 'setractl apply' makes it.\n");
        check((struct advice){.n_changes = 2, .n_warnings = 3},
                        "'setractl plan' shows the changes, 'setractl apply' makes them, as root.\n");
        check((struct advice){.n_changes = 2, .is_root = true, .shows_plan = true}, "'setractl apply' makes them.\n");
        check((struct advice){.n_warnings = 3}, "'setractl explain DEV' says more about a device, and what to type.\n");
        check((struct advice){.n_warnings = 3, .shows_plan = true}, "");
        check((struct advice){.service = SERVICE_STOPPED, .n_changes = 1, .is_root = true},
                        "'setractl plan' shows the change, 'setractl apply' makes it.\n"
                        "The service is not running: 'systemctl enable --now setrad' starts it.\n");
        check((struct advice){.service = SERVICE_RUNNING}, "");
        check((struct advice){.service = SERVICE_UNKNOWN}, "");
}

/* apply takes neither --root nor, for what somebody only tries, a plain word of advice. */
static void test_other_options(void **state) {
        check((struct advice){.n_changes = 2, .other_options = true},
                        "'setractl plan' with the same options shows the changes.\n");
        check((struct advice){.n_changes = 2, .other_options = true, .shows_plan = true}, "");
}

static enum service_state state_of(const char *const *directories, const char *unit) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;

        for (; directories && *directories; directories++)
                tree_directory(tree, *directories);
        if (unit)
                tree_write(tree, unit, "[Unit]\n");
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        return service_state(root);
}

static void test_service(void **state) {
        static const char *const stopped[] = {"run/systemd/system", "sys/fs/cgroup/system.slice", NULL};
        static const char *const legacy[] = {"run/systemd/system", "sys/fs/cgroup/systemd/system.slice", NULL};
        static const char *const running[] = {"run/systemd/system", "sys/fs/cgroup/system.slice/setrad.service", NULL};
        static const char *const legacy_running[] = {
                        "run/systemd/system", "sys/fs/cgroup/systemd/system.slice/setrad.service", NULL};
        static const char *const other_init[] = {"sys/fs/cgroup/system.slice", NULL};
        static const char *const no_groups[] = {"run/systemd/system", NULL};
        const char *unit = "usr/lib/systemd/system/setrad.service";

        assert_int_equal(state_of(stopped, unit), SERVICE_STOPPED);
        assert_int_equal(state_of(stopped, "etc/systemd/system/setrad.service"), SERVICE_STOPPED);
        assert_int_equal(state_of(legacy, unit), SERVICE_STOPPED);
        assert_int_equal(state_of(running, unit), SERVICE_RUNNING);
        assert_int_equal(state_of(legacy_running, unit), SERVICE_RUNNING);
        assert_int_equal(state_of(stopped, NULL), SERVICE_UNKNOWN);
        assert_int_equal(state_of(other_init, unit), SERVICE_UNKNOWN);
        assert_int_equal(state_of(no_groups, unit), SERVICE_UNKNOWN);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_what_to_type),
                        cmocka_unit_test(test_other_options),
                        cmocka_unit_test(test_service),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
