/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/find-layer.h"
#include "tests/support/stack.h"

static const struct {
        const char *text, *name;
} cases[] = {
                {"sda", "sda"},
                {"/dev/sda", "sda"},
                {"8:0", "sda"},
                {"dm-0", "dm-0"},
                {"/dev/dm-0", "dm-0"},
                {"vg0/da-ta", "dm-0"},
                {"/dev/vg0/da-ta", "dm-0"},
                {"/dev/mapper/vg0-da--ta", "dm-0"},
                {"vg0-da--ta", "dm-0"},
                {"253:1", "dm-0"},
                {"/", "sda"},
                {"/srv", "dm-0"},
                {"/srv/", "dm-0"},
                {"/srv//", "dm-0"},
                {"/over", "dm-1"},
                {"", NULL},
                {"/dev/", NULL},
                {"/dev/nope", NULL},
                {"/srv/x", NULL},
                {"/sr", NULL},
                {"srv", NULL},
                {"8:", NULL},
                {":0", NULL},
                {"8:0:", NULL},
                {"8:0 ", NULL},
                {" 8:0", NULL},
                {"+8:0", NULL},
                {"8:-0", NULL},
                {"4294967304:0", NULL},
                {"99999999999999999999:0", NULL},
                {"8:1", NULL},
};

static void test_find(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk sda\n"
                                                                 "map dm-0 0 1000 linear sda 0\n"
                                                                 "lv dm-0 vg0/da-ta\n"
                                                                 "map dm-1 0 1000 linear sda 0\n"
                                                                 "mount sda / ext4\n"
                                                                 "mount dm-0 /srv xfs\n"
                                                                 "mount sda /over ext4\n"
                                                                 "mount dm-1 /over xfs\n");

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layer *layer = find_layer_by_name(stack->topology, cases[i].text);
                const char *found = layer ? layer->name : "nothing", *expected = cases[i].name ?: "nothing";

                if (strcmp(found, expected) != 0)
                        fail_msg("'%s': %s, not %s", cases[i].text, found, expected);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_find),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
