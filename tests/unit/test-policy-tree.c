/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/policy-tree.h"

struct fixture {
        struct arena *arena;
        struct policy_errors errors;
        const struct tree_node *root;
};

static int setup(void **state) {
        struct fixture *f = calloc(1, sizeof(*f));

        assert_non_null(f);
        f->arena = arena_new();
        assert_non_null(f->arena);
        *state = f;
        return 0;
}

static int teardown(void **state) {
        struct fixture *f = *state;

        policy_errors_done(&f->errors);
        arena_free(f->arena);
        free(f);
        return 0;
}

static int parse(struct fixture *f, const char *text, size_t length) {
        policy_errors_done(&f->errors);
        f->root = NULL;
        return tree_parse(f->arena, "t", text, length, &f->errors, &f->root);
}

static void parse_well(struct fixture *f, const char *text) {
        assert_int_equal(parse(f, text, strlen(text)), 0);
        assert_int_equal(f->errors.n_items, 0);
}

static void assert_error(struct fixture *f, const char *text, size_t length, const char *expected) {
        _cleanup_(freep) char *error = NULL;

        assert_int_equal(parse(f, text, length), -EINVAL);
        assert_int_equal(f->errors.n_items, 1);
        error = policy_error_format(&f->errors.items[0]);
        assert_string_equal(error, expected);
}

static const struct tree_item *item_at(const struct tree_node *node, size_t i) {
        const struct tree_item *item = node->items;

        while (item && i-- > 0)
                item = item->next;
        assert_non_null(item);
        return item;
}

static void test_places(void **state) {
        struct fixture *f = *state;
        const struct tree_item *item;

        parse_well(f, "a: 'x'\nüü: [b,\n  {c: d}]\n");
        assert_int_equal(f->root->type, TREE_MAPPING);
        assert_int_equal(f->root->n_nodes, 9);

        item = item_at(f->root, 0);
        assert_string_equal(item->key->text, "a");
        assert_true(item->key->plain);
        assert_string_equal(item->value->text, "x");
        assert_false(item->value->plain);
        assert_int_equal(item->value->line, 1);
        assert_int_equal(item->value->column, 4);

        item = item_at(f->root, 1);
        assert_string_equal(item->key->text, "üü");
        assert_int_equal(item->value->type, TREE_LIST);
        assert_int_equal(item->value->line, 2);
        assert_int_equal(item->value->column, 5);
        assert_int_equal(item->value->levels, 2);

        item = item_at(item->value, 1);
        assert_null(item->key);
        assert_int_equal(item->value->type, TREE_MAPPING);
        assert_int_equal(item->value->line, 3);
        assert_int_equal(item->value->column, 3);
}

static void test_styles(void **state) {
        static const char *const same[] = {
                        "a: [b, c]\n",
                        "a:\n  - b\n  - c\n",
                        "a:\r\n- b\r\n- c\r\n",
                        "\xef\xbb\xbf{\"a\": [\"b\", \"c\"]}",
                        "%YAML 1.1\n---\n{a: [b, c]}\n...\n",
                        "x: &x b\na: [*x, c]",
                        "a: !!seq [!!str b, ! c]\n",
        };
        struct fixture *f = *state;

        for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
                const struct tree_node *list;

                parse_well(f, same[i]);
                list = f->root->last->value;
                assert_string_equal(f->root->last->key->text, "a");
                assert_string_equal(item_at(list, 0)->value->text, "b");
                assert_string_equal(item_at(list, 1)->value->text, "c");
                assert_null(item_at(list, 1)->next);
        }
}

static void test_nothing(void **state) {
        static const char *const nothing[] = {"", "\n", "# a comment\n", "   \n\n#\n"};
        struct fixture *f = *state;

        for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
                parse_well(f, nothing[i]);
                assert_null(f->root);
        }
}

/* An anchor may be used after it is complete, and be set anew. */
static void test_aliases(void **state) {
        struct fixture *f = *state;

        parse_well(f, "[&a x, *a, &a y, *a]");
        assert_string_equal(item_at(f->root, 1)->value->text, "x");
        assert_string_equal(item_at(f->root, 3)->value->text, "y");
        parse_well(f, "[&a {k: v}, *a]");
        assert_ptr_equal(item_at(f->root, 0)->value, item_at(f->root, 1)->value);
        assert_int_equal(f->root->n_nodes, 7);
}

static void test_refused(void **state) {
        static const struct {
                const char *text, *error;
        } cases[] = {
                        {"a: *b\n", "t:1:4: no anchor &b for this alias; a pattern that begins with * needs quotes: "
                                    "\"*b\""},
                        {"a: &a [*a]\n", "t:1:8: an alias inside of what it stands for"},
                        {"? [a]\n: b\n", "t:1:3: a key must be a plain word"},
                        {"a: !x b\n", "t:1:4: a word that begins with ! is a YAML tag: put a value that begins so in "
                                      "quotes"},
                        {"a: \"\\0\"\n", "t:1:4: a NUL byte (\\0) in a text"},
                        {"a: b\n---\na: b\n", "t:2:1: a second document: one file holds one document"},
                        {"a:\n\t- b\n", "t:2:1: not YAML: while scanning for the next token, found character that "
                                        "cannot start "
                                        "any token; a tab: YAML indents with spaces"},
                        {"a: \"b\n", "t:1:4: not YAML: while scanning a quoted scalar, found unexpected end of stream; "
                                     "the "
                                     "closing quote is missing"},
                        {"a: b: c\n", "t:1:5: not YAML: mapping values are not allowed in this context; put a value "
                                      "with \": \" "
                                      "in it in quotes, or mend the indentation"},
                        {"a: *\n", "t:1:5: not YAML: while scanning an alias, did not find expected alphabetic or "
                                   "numeric "
                                   "character; a pattern that begins with * needs quotes"},
                        {"size: >= 1TiB\n",
                                        "t:1:8: not YAML: while scanning a block scalar, did not find expected comment "
                                        "or line "
                                        "break; a value that begins with > or | needs quotes, as size: \">= 1TiB\""},
                        {"a: @b\n", "t:1:4: not YAML: while scanning for the next token, found character that cannot "
                                    "start "
                                    "any token; a value that begins with this character needs quotes"},
                        {"a: b\n c: d\n", "t:2:3: not YAML: mapping values are not allowed in this context; put a "
                                          "value with \": \" "
                                          "in it in quotes, or mend the indentation"},
                        {"a: [b\n", "t:1:4: not YAML: while parsing a flow sequence, did not find expected ',' or ']'; "
                                    "a "
                                    "list in brackets is [one, two]"},
                        {"a: b\nc: \xff\n", "t:2:4: not UTF-8 (0xFF): such a file is text in UTF-8"},
                        {"a: b\nüü: \x01\n", "t:2:5: a control character (0x01): such a file is text in UTF-8"},
                        {"\xef\xbb\xbf\x02", "t:1:1: a control character (0x02): such a file is text in UTF-8"},
                        {"\xff\xfe", "t:1:1: not UTF-8 (0xFF): such a file is text in UTF-8"},
                        {"a\xc3", "t:1:2: not UTF-8 (a character is cut off): such a file is text in UTF-8"},
        };
        struct fixture *f = *state;

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                assert_error(f, cases[i].text, strlen(cases[i].text), cases[i].error);
        assert_error(f, "a: b\0\n", 6, "t:1:5: a control character (0x00): such a file is text in UTF-8");
}

static char *repeat(const char *part, size_t n, size_t *ret_length) {
        size_t length = strlen(part);
        char *s = malloc(n * length + 1);

        assert_non_null(s);
        for (size_t i = 0; i < n; i++)
                memcpy(s + i * length, part, length);
        s[n * length] = '\0';
        *ret_length = n * length;
        return s;
}

static void test_levels(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *deep = NULL;
        size_t length;

        deep = repeat("[", 2 * TREE_LEVELS_MAX, &length);
        assert_error(f, deep, length, "t:1:65: too many levels: at most 64");
        memset(deep + TREE_LEVELS_MAX, ']', TREE_LEVELS_MAX);
        assert_int_equal(parse(f, deep, length), 0);
        assert_int_equal(f->root->levels, TREE_LEVELS_MAX);
}

/* Each list holds the one before: the document is flat, what it stands for is not. */
static void test_levels_of_aliases(void **state) {
        struct fixture *f = *state;
        char text[4096] = "- &a0 [x]\n";
        size_t n = strlen(text);

        for (unsigned i = 1; i < 80; i++)
                n += (size_t)snprintf(text + n, sizeof(text) - n, "- &a%u [*a%u]\n", i, i - 1);
        assert_error(f, text, n, "t:64:3: too many levels with the aliases (*name) written out: at most 64");
}

static void test_billion_laughs(void **state) {
        struct fixture *f = *state;
        char text[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
        size_t n = strlen(text);

        for (unsigned i = 1; i < 30; i++)
                n += (size_t)snprintf(text + n, sizeof(text) - n, "a%u: &a%u [*a%u, *a%u, *a%u, *a%u, *a%u]\n", i, i,
                                i - 1, i - 1, i - 1, i - 1, i - 1);
        assert_error(f, text, n, "t:8:15: too many values with the aliases (*name) written out: at most 250000");
}

static void test_sizes(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *large = NULL, *many = NULL, *anchors = NULL;
        size_t length;

        large = repeat("#", TREE_BYTES_MAX + 1, &length);
        assert_error(f, large, length, "t: larger than 1 MiB, which no such file is");
        assert_int_equal(parse(f, large, TREE_BYTES_MAX), 0);

        many = repeat("- x\n", TREE_NODES_MAX + 10, &length);
        assert_error(f, many, length, "t:250000:3: too many values: at most 250000");

        anchors = repeat("- &a x\n", TREE_ANCHORS_MAX + 1, &length);
        assert_error(f, anchors, length, "t:1001:3: too many anchors (&name): at most 1000");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_places, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_styles, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_aliases, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_levels, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_levels_of_aliases, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_billion_laughs, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
