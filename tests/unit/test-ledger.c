/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/ledger-private.h"
#include "common/ledger.h"
#include "common/printable.h"

struct place {
        char directory[64], path[96], damaged[112], aside[96];
};

static int set_up(void **state) {
        struct place *place = calloc(1, sizeof(*place));

        if (!place)
                return -1;
        snprintf(place->directory, sizeof(place->directory), "/tmp/test-ledger-XXXXXX");
        if (!mkdtemp(place->directory))
                return -1;
        snprintf(place->path, sizeof(place->path), "%s/ledger.json", place->directory);
        snprintf(place->damaged, sizeof(place->damaged), "%s.damaged", place->path);
        snprintf(place->aside, sizeof(place->aside), "%s/aside", place->directory);
        *state = place;
        return 0;
}

static int tear_down(void **state) {
        struct place *place = *state;

        remove(place->path);
        remove(place->damaged);
        remove(place->aside);
        /* Fails, and the test with it, if a temporary file was left behind. */
        int r = rmdir(place->directory);
        free(place);
        return r;
}

static void write_file(const char *path, const char *text, size_t length) {
        _cleanup_(fclosep) FILE *f = fopen(path, "w");

        assert_non_null(f);
        assert_int_equal(fwrite(text, 1, length, f), length);
}

static char *read_file(const char *path, size_t *ret_length) {
        _cleanup_(fclosep) FILE *f = fopen(path, "r");
        char *text = calloc(1, 65536);

        assert_non_null(f);
        assert_non_null(text);
        *ret_length = fread(text, 1, 65535, f);
        return text;
}

static struct device_identity device(unsigned minor, uint64_t diskseq, const char *uuid) {
        struct device_identity identity = {.major = 253, .minor = minor, .diskseq = diskseq};

        snprintf(identity.name, sizeof(identity.name), "dm-%u", minor);
        snprintf(identity.dm_uuid, sizeof(identity.dm_uuid), "%s", uuid);
        if (!*uuid)
                snprintf(identity.dm_name, sizeof(identity.dm_name), "m\xfcp\\%u", minor);
        return identity;
}

static struct probe_result faster(void) {
        struct probe_result probe = {.verdict = PROBE_FASTER, .gain = 2.93, .gain_low = 2.71, .gain_high = 3.1};

        probe.series[PROBE_BEFORE].median_mbps = 49.9;
        probe.series[PROBE_BEFORE].n_runs = 6;
        probe.series[PROBE_AFTER].median_mbps = 146;
        probe.series[PROBE_AFTER].n_runs = 5;
        return probe;
}

static int begin(struct ledger *ledger, const struct device_identity *identity, const char *label, const char *rule,
                uint64_t from_sectors, uint64_t to_sectors, uint64_t time_usec) {
        const struct ledger_change change = {.label = label,
                        .rule = rule,
                        .from_sectors = from_sectors,
                        .to_sectors = to_sectors,
                        .stack = UINT64_C(0xfedcba9876543210) + time_usec};

        return ledger_begin(ledger, identity, &change, time_usec);
}

/* One that is confirmed, one pending over an earlier change, one with a hostile name, one pending over one put back. */
static struct ledger *example(void) {
        struct device_identity a = device(0, 7, "LVM-a"), b = device(1, 0, ""), c = device(2, 9, "CRYPT-\xff\\x41\n"),
                               d = device(3, 1, "");
        static const struct process owner = {.pid = 4194304, .start_ticks = INT64_MAX};
        struct probe_result probe = faster();
        struct ledger *ledger = ledger_new();

        assert_non_null(ledger);
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "stacks over arrays", 256, 3072, 1700000000000000), 0);
        ledger_confirm(ledger, &a, &probe);
        assert_int_equal(begin(ledger, &b, "données", NULL, 512, 1024, 1), 0);
        ledger_confirm(ledger, &b, &probe);
        assert_int_equal(begin(ledger, &b, "données", "second", 1024, 2048, 2), 0);
        ledger_own(ledger, &b, &owner);
        assert_int_equal(begin(ledger, &c, "\x80 \" \\", "x", 0, INT64_MAX, INT64_MAX), 0);
        assert_int_equal(begin(ledger, &d, "vg0/lv0", "r1", 256, 1024, 1), 0);
        ledger_confirm(ledger, &d, NULL);
        assert_int_equal(begin(ledger, &d, "vg0/lv0", "r1", 1024, 3072, 2), 0);
        ledger_put_back(ledger, &d, 1024, &probe);
        assert_int_equal(begin(ledger, &d, "vg0/lv0", "r1", 1024, 4096, 3), 0);
        return ledger;
}

static void assert_same_entry(const struct ledger_entry *a, const struct ledger_entry *b) {
        assert_string_equal(a->device.name, b->device.name);
        assert_int_equal(a->device.major, b->device.major);
        assert_int_equal(a->device.minor, b->device.minor);
        assert_int_equal(a->device.diskseq, b->device.diskseq);
        assert_string_equal(a->device.dm_uuid, b->device.dm_uuid);
        assert_string_equal(a->device.dm_name, b->device.dm_name);
        assert_string_equal(a->label, b->label);
        assert_string_equal(a->rule, b->rule);
        assert_int_equal(a->original_sectors, b->original_sectors);
        assert_int_equal(a->new_sectors, b->new_sectors);
        assert_int_equal(a->time_usec, b->time_usec);
        assert_int_equal(a->stack, b->stack);
        assert_int_equal(a->pending, b->pending);
        assert_true(process_equal(&a->owner, &b->owner));
        assert_int_equal(a->reverted, b->reverted);
        assert_int_equal(a->put_back, b->put_back);
        assert_int_equal(opt_or(a->kept_sectors, -1), opt_or(b->kept_sectors, -1));
        assert_true(a->before_mbps == b->before_mbps && a->after_mbps == b->after_mbps && a->gain == b->gain);
        assert_true(a->gain_low == b->gain_low && a->gain_high == b->gain_high);
        assert_int_equal(a->verdict, b->verdict);
        assert_int_equal(opt_or(a->runs, -1), opt_or(b->runs, -1));
}

/* Names are written so that whoever looks at the file sees them, and are read back as they were. */
static void test_names_are_printable(void **state) {
        static const char *const names[] = {"\x1b[2J", "a\nb", "\x7f", "\xc2\x9b[31m", "\xe2\x80\xae", "\xe2\x80\x8b",
                        "\xff", "\xed\xa0\x80", "\\x1b", "\\", "\"", "卷"};

        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                _cleanup_(ledger_freep) struct ledger *ledger = ledger_new(), *again = ledger_new();
                const struct device_identity identity = device(0, 0, names[i]);
                _cleanup_(freep) char *text = NULL;

                assert_int_equal(begin(ledger, &identity, names[i], names[i], 256, 512, 1), 0);
                text = ledger_format(ledger);
                for (char *p = text; (p = strchr(p, '\n'));)
                        *p = ' ';
                assert_true(printable_is(text));
                assert_int_equal(ledger_parse(again, text, strlen(text)), 0);
                assert_same_entry(ledger_get(ledger, 0), ledger_get(again, 0));
        }
}

static void test_begin_confirm_abandon(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity a = device(0, 7, "LVM-a");
        struct probe_result probe = faster();
        const struct ledger_entry *entry;

        assert_int_equal(ledger_count(ledger), 0);
        assert_null(ledger_get(ledger, 0));
        assert_null(ledger_find(ledger, &a));
        ledger_confirm(ledger, &a, &probe);
        ledger_abandon(ledger, &a);
        ledger_remove(ledger, &a);

        /* Not made: no trace of it. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 256, 3072, 10), 0);
        assert_true(ledger_find(ledger, &a)->pending);
        ledger_abandon(ledger, &a);
        assert_int_equal(ledger_count(ledger), 0);

        /* Made. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 256, 3072, 10), 0);
        ledger_confirm(ledger, &a, &probe);
        entry = ledger_find(ledger, &a);
        assert_false(entry->pending);
        assert_true(entry->gain == 2.93 && entry->before_mbps == 49.9 && entry->after_mbps == 146);
        assert_true(entry->gain_low == 2.71 && entry->gain_high == 3.1);
        assert_int_equal(entry->verdict, PROBE_FASTER);
        assert_int_equal(opt_or(entry->runs, -1), 5);
        ledger_abandon(ledger, &a); /* nothing is pending */
        assert_int_equal(ledger_count(ledger), 1);

        /* A second change keeps the first original; begun twice, from the same value, it was not made the first time. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r2", 3072, 4096, 20), 0);
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r3", 3072, 8192, 30), 0);
        entry = ledger_find(ledger, &a);
        assert_int_equal(entry->original_sectors, 256);
        assert_int_equal(entry->new_sectors, 8192);
        assert_true(entry->gain == 0);

        ledger_abandon(ledger, &a);
        entry = ledger_find(ledger, &a);
        assert_int_equal(entry->new_sectors, 3072);
        assert_int_equal(entry->original_sectors, 256);
        assert_false(entry->pending);

        /* Begun from what it was to get, it was made. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r2", 3072, 4096, 20), 0);
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r3", 4096, 8192, 30), 0);
        ledger_abandon(ledger, &a);
        entry = ledger_find(ledger, &a);
        assert_int_equal(entry->new_sectors, 4096);
        assert_int_equal(entry->original_sectors, 256);
        assert_false(entry->pending);

        /* Not made: the one before stands again. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 4096, 3072, 40), 0);
        ledger_confirm(ledger, &a, &probe);
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r2", 3072, 4096, 50), 0);
        ledger_abandon(ledger, &a);
        entry = ledger_find(ledger, &a);
        assert_int_equal(entry->new_sectors, 3072);
        assert_string_equal(entry->rule, "r1");
        assert_int_equal(entry->time_usec, 40);
        assert_false(entry->pending);
        assert_true(entry->gain == 2.93);

        assert_int_equal(begin(ledger, &a, NULL, "r2", 3072, 4096, 20), 0);
        ledger_confirm(ledger, &a, NULL);
        entry = ledger_find(ledger, &a);
        assert_int_equal(entry->original_sectors, 256);
        assert_string_equal(entry->label, "dm-0");
        assert_true(entry->gain == 0);
        ledger_remove(ledger, &a);
        assert_int_equal(ledger_count(ledger), 0);
}

static int begin_revert(
                struct ledger *ledger, const struct device_identity *identity, uint64_t from_sectors, bool keep) {
        const struct ledger_revert revert = {
                        .from_sectors = from_sectors, .original_sectors = 256, .stack = 77, .keep = keep};

        return ledger_begin_revert(ledger, identity, &revert, 99);
}

static void check_entry(const struct ledger *ledger, const struct device_identity *identity, uint64_t original_sectors,
                uint64_t new_sectors, bool pending, bool reverted) {
        const struct ledger_entry *entry = ledger_find(ledger, identity);

        assert_non_null(entry);
        assert_int_equal(entry->original_sectors, original_sectors);
        assert_int_equal(entry->new_sectors, new_sectors);
        assert_int_equal(entry->pending, pending);
        assert_int_equal(entry->reverted, reverted);
        assert_string_equal(entry->label, "vg0/lv0");
        assert_string_equal(entry->rule, "r1");
}

static void test_revert(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity a = device(0, 7, "LVM-a");

        assert_int_equal(begin_revert(ledger, &a, 3072, true), -ENOENT);
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 256, 3072, 10), 0);
        ledger_confirm(ledger, &a, NULL);

        /* Not made: what was there stands. */
        assert_int_equal(begin_revert(ledger, &a, 3072, true), 0);
        check_entry(ledger, &a, 256, 256, true, true);
        assert_true(ledger_gave(ledger, &a, 3072) && ledger_gave(ledger, &a, 256) && !ledger_gave(ledger, &a, 1024));
        ledger_abandon(ledger, &a);
        check_entry(ledger, &a, 256, 3072, false, false);
        assert_true(ledger_gave(ledger, &a, 3072) && !ledger_gave(ledger, &a, 256));

        /* Made. The stack is that of now, the value what was given. */
        assert_int_equal(begin_revert(ledger, &a, 3072, true), 0);
        assert_int_equal(ledger_tried(ledger, ledger_find(ledger, &a)), 3072);
        ledger_confirm(ledger, &a, NULL);
        check_entry(ledger, &a, 256, 3072, false, true);
        assert_int_equal(ledger_given(ledger, ledger_find(ledger, &a)), 3072);
        assert_int_equal(ledger_find(ledger, &a)->stack, 77);
        assert_int_equal(ledger_find(ledger, &a)->time_usec, 99);

        /* What the device has when it is changed next is its original value, not what it had long ago. */
        assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 512, 4096, 20), 0);
        check_entry(ledger, &a, 512, 4096, true, false);
        ledger_confirm(ledger, &a, NULL);
        assert_int_equal(begin_revert(ledger, &a, 4096, true), -ENOENT); /* to 256 */
        check_entry(ledger, &a, 512, 4096, false, false);
        ledger_release(ledger, &a);
        check_entry(ledger, &a, 512, 4096, false, true);
}

/* Begun, and killed: the value that the device has when the next one begins says how far the first one came. */
static void test_begun_twice(void **state) {
        struct device_identity a = device(0, 7, "LVM-a");

        for (int made = 0; made < 2; made++) {
                _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

                assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 256, 3072, 10), 0);
                assert_int_equal(begin_revert(ledger, &a, made ? 3072 : 256, true), 0);
                assert_int_equal(begin_revert(ledger, &a, 3072, false), 0);
                check_entry(ledger, &a, 256, 256, true, false);
                assert_true(ledger_gave(ledger, &a, 3072));
                ledger_abandon(ledger, &a);
                check_entry(ledger, &a, 256, 3072, !made, false);

                /* A revert that was made, and of which nobody has told. */
                assert_int_equal(begin_revert(ledger, &a, 3072, true), 0);
                assert_int_equal(begin(ledger, &a, "vg0/lv0", "r1", 256, 4096, 20), 0);
                check_entry(ledger, &a, 256, 4096, true, false);
                ledger_abandon(ledger, &a);
                check_entry(ledger, &a, 256, 3072, false, true);
        }
}

static void test_identity(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity a = device(0, 7, "LVM-a"), unknown_seq = device(0, 0, "LVM-a"),
                               other_seq = device(0, 8, "LVM-a"), other_uuid = device(0, 7, "LVM-b"),
                               other_number = device(1, 7, "LVM-a");

        assert_int_equal(begin(ledger, &a, "a", "r", 256, 3072, 1), 0);
        assert_non_null(ledger_find(ledger, &unknown_seq));
        assert_null(ledger_find(ledger, &other_seq));
        assert_null(ledger_find(ledger, &other_uuid));
        assert_null(ledger_find(ledger, &other_number));
        ledger_remove(ledger, &other_seq);
        assert_int_equal(ledger_count(ledger), 1);

        /* The number has a new owner: what was known of the old one is worth nothing. */
        assert_int_equal(begin(ledger, &other_seq, "b", "r", 512, 4096, 2), 0);
        assert_int_equal(ledger_count(ledger), 1);
        assert_int_equal(ledger_find(ledger, &other_seq)->original_sectors, 512);
        assert_null(ledger_find(ledger, &a));
}

static void test_bounds(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity a = device(0, 0, ""), b = device(0, UINT64_MAX, "");

        assert_int_equal(begin(ledger, &a, "a", "r", UINT64_MAX, 1, 1), -ERANGE);
        assert_int_equal(begin(ledger, &a, "a", "r", 1, UINT64_MAX, 1), -ERANGE);
        assert_int_equal(begin(ledger, &b, "a", "r", 1, 1, 1), -ERANGE);
        assert_int_equal(ledger_count(ledger), 0);
        for (unsigned i = 0; i < LEDGER_ENTRIES_MAX; i++) {
                struct device_identity many = device(i, 0, "");

                assert_int_equal(begin(ledger, &many, "a", "r", 1, 2, 3), 0);
        }
        a.minor = LEDGER_ENTRIES_MAX;
        assert_int_equal(begin(ledger, &a, "a", "r", 1, 2, 3), -ENOSPC);
        assert_int_equal(ledger_count(ledger), LEDGER_ENTRIES_MAX);
}

static void test_save_and_load(void **state) {
        const struct place *place = *state;
        _cleanup_(ledger_freep) struct ledger *saved = example(), *loaded = NULL, *again = NULL;
        struct device_identity b = device(1, 0, ""), d = device(3, 1, "");
        struct stat st;

        assert_int_equal(ledger_save(saved, place->path), 0);
        assert_int_equal(stat(place->path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0644);
        assert_int_equal(ledger_load(place->path, &loaded), 0);
        assert_int_equal(ledger_count(loaded), 4);
        for (size_t i = 0; i < ledger_count(saved); i++)
                assert_same_entry(ledger_get(loaded, i), ledger_get(saved, i));

        /* What is pending can still be taken back. */
        ledger_abandon(loaded, &b);
        assert_int_equal(ledger_find(loaded, &b)->new_sectors, 1024);
        assert_int_equal(ledger_find(loaded, &b)->original_sectors, 512);
        assert_true(ledger_find(loaded, &b)->gain == 2.93);
        ledger_abandon(loaded, &d);
        assert_int_equal(ledger_find(loaded, &d)->new_sectors, 3072);
        assert_true(ledger_find(loaded, &d)->put_back);
        assert_int_equal(opt_or(ledger_find(loaded, &d)->kept_sectors, -1), 1024);
        assert_int_equal(ledger_save(loaded, place->path), 0);
        assert_int_equal(ledger_load(place->path, &again), 0);
        assert_false(ledger_find(again, &b)->pending);
        assert_same_entry(ledger_find(again, &d), ledger_find(loaded, &d));
}

static void test_no_file(void **state) {
        const struct place *place = *state;
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;

        assert_int_equal(ledger_load(place->path, &ledger), 0);
        assert_int_equal(ledger_count(ledger), 0);
        assert_int_equal(ledger_save(ledger, "/nonexistent/ledger.json"), -ENOENT);
}

static void assert_damaged(const struct place *place) {
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        struct stat st;

        assert_int_equal(ledger_load(place->path, &ledger), -EBADMSG);
        assert_non_null(ledger);
        assert_int_equal(ledger_count(ledger), 0);
        assert_int_equal(lstat(place->path, &st), -1);
        assert_int_equal(lstat(place->damaged, &st), 0);
        remove(place->damaged);
}

static void test_every_truncation(void **state) {
        const struct place *place = *state;
        _cleanup_(ledger_freep) struct ledger *saved = example();
        _cleanup_(freep) char *text = NULL;
        size_t length;

        assert_int_equal(ledger_save(saved, place->path), 0);
        text = read_file(place->path, &length);
        assert_true(length > 100);
        for (size_t n = 0; n < length; n++) {
                write_file(place->path, text, n);
                assert_damaged(place);
        }
}

/* Whatever byte is changed: an empty ledger with -EBADMSG, or one with all entries. */
static void test_every_byte_changed(void **state) {
        static const char bytes[] = {'\0', '"', '}', '9', '-', (char)0xff};
        const struct place *place = *state;
        _cleanup_(ledger_freep) struct ledger *saved = example();
        _cleanup_(freep) char *text = NULL;
        size_t length;

        assert_int_equal(ledger_save(saved, place->path), 0);
        text = read_file(place->path, &length);
        for (size_t n = 0; n < length * ARRAY_SIZE(bytes); n++) {
                _cleanup_(ledger_freep) struct ledger *ledger = NULL;
                char original = text[n / ARRAY_SIZE(bytes)];
                int r;

                text[n / ARRAY_SIZE(bytes)] = bytes[n % ARRAY_SIZE(bytes)];
                write_file(place->path, text, length);
                text[n / ARRAY_SIZE(bytes)] = original;
                r = ledger_load(place->path, &ledger);
                assert_true(r == 0 || r == -EBADMSG);
                assert_int_equal(ledger_count(ledger), r == 0 ? 4 : 0);
        }
}

static enum ledger_fate judge_minor(const struct ledger_entry *entry, void *userdata) {
        const enum ledger_fate *fates = userdata;

        assert_true(entry->pending);
        return fates[entry->device.minor];
}

static void test_settle(void **state) {
        static const enum ledger_fate undecided[4] = {}, fates[] = {LEDGER_MADE, LEDGER_NOT_MADE, LEDGER_UNDECIDED, 9};
        static const struct process owner = {.pid = 7, .start_ticks = 8};
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity devices[4];

        for (unsigned i = 0; i < 4; i++) {
                devices[i] = device(i, i + 1, "");
                assert_int_equal(begin(ledger, &devices[i], "map", "r", 256, 3072, 1), 0);
                ledger_own(ledger, &devices[i], &owner);
        }
        ledger_confirm(ledger, &devices[3], NULL);
        assert_int_equal(ledger_find(ledger, &devices[3])->owner.pid, 0);
        ledger_own(ledger, &devices[3], &owner); /* nothing is pending */
        assert_int_equal(ledger_find(ledger, &devices[3])->owner.pid, 0);

        assert_false(ledger_settle(ledger, judge_minor, (void *)undecided));
        assert_int_equal(ledger_count(ledger), 4);
        assert_int_equal(begin(ledger, &devices[1], "map", "r", 256, 4096, 2), 0); /* over the one that is pending */
        assert_true(ledger_settle(ledger, judge_minor, (void *)fates));
        assert_int_equal(ledger_count(ledger), 3);
        assert_false(ledger_find(ledger, &devices[0])->pending);
        assert_int_equal(ledger_find(ledger, &devices[0])->owner.pid, 0);
        assert_null(ledger_find(ledger, &devices[1]));
        assert_true(ledger_find(ledger, &devices[2])->pending);
        assert_true(process_equal(&ledger_find(ledger, &devices[2])->owner, &owner));
        assert_false(ledger_settle(ledger, judge_minor, (void *)undecided));
}

/* Changed from 256 to 3072, then to 4096 from FROM over the stack of that number: the original value that is on record. */
static uint64_t original_after(const struct device_identity *device, uint64_t from, uint64_t stack) {
        const struct ledger_change first = {.from_sectors = 256, .to_sectors = 3072, .stack = 1};
        const struct ledger_change second = {.from_sectors = from, .to_sectors = 4096, .stack = stack};
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(ledger_begin(ledger, device, &first, 1), 0);
        ledger_confirm(ledger, device, NULL);
        assert_int_equal(ledger_begin(ledger, device, &second, 2), 0);
        return ledger_find(ledger, device)->original_sectors;
}

/* Before disk sequence numbers, an array that was stopped and made anew may have the number of another. */
static void test_may_be_another(void **state) {
        const struct device_identity number = {.name = "md0", .major = 9}, sequence = {.name = "md0", .diskseq = 7},
                                     map = device(0, 0, ""), volume = device(0, 0, "LVM-x");

        assert_int_equal(original_after(&number, 512, 2), 512);
        assert_int_equal(original_after(&number, 512, 1), 256);
        assert_int_equal(original_after(&number, 512, 0), 256);
        assert_int_equal(original_after(&number, 3072, 2), 256); /* it has what it was given */
        assert_int_equal(original_after(&sequence, 512, 2), 256);
        assert_int_equal(original_after(&map, 512, 2), 256);
        assert_int_equal(original_after(&volume, 512, 2), 256);
}

#define DEVICE "\"name\":\"dm-0\",\"major\":253,\"minor\":0,\"diskseq\":null,\"dm_uuid\":\"\","
#define CHANGE                                                                                                         \
        "{\"pending\":false,\"label\":\"a\",\"rule\":\"r\",\"new_sectors\":2,\"time_usec\":3,\"before_mbps\":null,"    \
        "\"after_mbps\":null,\"gain\":null}"
#define ENTRY "{" DEVICE "\"original_sectors\":1,\"change\":" CHANGE ",\"previous\":null}"

/* An entry with this for its rule, as it is in the file. */
#define TEXT_ENTRY(rule)                                                                                               \
        "{" DEVICE                                                                                                     \
        "\"original_sectors\":1,\"previous\":null,\"change\":{\"pending\":false,\"label\":\"a\",\"rule\":\"" rule      \
        "\",\"new_sectors\":2,\"time_usec\":3,\"before_mbps\":null,\"after_mbps\":null,\"gain\":null}}"

static void test_accepted(void **state) {
        static const char text[] = "{\"version\":1,\"later\":[],\"entries\":[" TEXT_ENTRY("\\\\x41") "]}\n";
        const struct place *place = *state;
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;

        write_file(place->path, text, sizeof(text) - 1);
        assert_int_equal(ledger_load(place->path, &ledger), 0);
        assert_int_equal(ledger_count(ledger), 1);
        assert_int_equal(ledger_get(ledger, 0)->new_sectors, 2);
        assert_string_equal(ledger_get(ledger, 0)->rule, "A");
}

/* A file with one entry of that device; and one that has this in its change, too. */
#define FILE_WITH(more) FILE_OF(DEVICE, more)
#define FILE_OF(device, more)                                                                                          \
        "{\"version\":1,\"entries\":[{" device "\"original_sectors\":1,\"previous\":null,\"change\":{" more            \
        "\"pending\":false,\"label\":\"a\",\"rule\":\"r\",\"new_sectors\":2,\"time_usec\":3,\"before_mbps\":null,"     \
        "\"after_mbps\":null,\"gain\":null}}]}"

/* Files of earlier versions do not have them. */
static void test_later_members(void **state) {
        static const struct {
                const char *text;
                uint64_t stack;
                bool reverted, put_back;
                int64_t kept;
        } cases[] = {
                        {FILE_WITH(""), 0, false, false, -1},
                        {FILE_WITH("\"stack\":null,"), 0, false, false, -1},
                        {FILE_WITH("\"stack\":\"fedcba9876543210\",\"reverted\":true,"), UINT64_C(0xfedcba9876543210),
                                        true, false, -1},
                        {FILE_WITH("\"stack\":\"000000000000000a\",\"reverted\":false,"), 10, false, false, -1},
                        {FILE_WITH("\"put_back\":true,"), 0, false, true, -1},
                        {FILE_WITH("\"put_back\":true,\"kept_sectors\":null,"), 0, false, true, -1},
                        {FILE_WITH("\"put_back\":true,\"kept_sectors\":0,"), 0, false, true, 0},
                        {FILE_WITH("\"put_back\":false,\"kept_sectors\":1024,"), 0, false, false, 1024},
        };
        const struct place *place = *state;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(ledger_freep) struct ledger *ledger = NULL;

                write_file(place->path, cases[i].text, strlen(cases[i].text));
                assert_int_equal(ledger_load(place->path, &ledger), 0);
                assert_int_equal(ledger_count(ledger), 1);
                assert_true(ledger_get(ledger, 0)->stack == cases[i].stack);
                assert_int_equal(ledger_get(ledger, 0)->reverted, cases[i].reverted);
                assert_int_equal(ledger_get(ledger, 0)->put_back, cases[i].put_back);
                assert_int_equal(opt_or(ledger_get(ledger, 0)->kept_sectors, -1), cases[i].kept);
        }
}

static void test_later_owner_and_name(void **state) {
        static const struct {
                const char *text;
                struct process owner;
                const char *map;
        } cases[] = {
                        {FILE_WITH(""), {0, 0}, ""},
                        {FILE_WITH("\"owner_pid\":77,\"owner_start_ticks\":0,"), {77, 0}, ""},
                        {FILE_WITH("\"owner_pid\":77,\"owner_start_ticks\":99,"), {77, 99}, ""},
                        {FILE_WITH("\"owner_pid\":77,"), {0, 0}, ""},
                        {FILE_WITH("\"owner_pid\":null,\"owner_start_ticks\":99,"), {0, 0}, ""},
                        {FILE_OF(DEVICE "\"dm_name\":\"a map\",", ""), {0, 0}, "a map"},
        };
        const struct place *place = *state;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(ledger_freep) struct ledger *ledger = NULL;

                write_file(place->path, cases[i].text, strlen(cases[i].text));
                assert_int_equal(ledger_load(place->path, &ledger), 0);
                assert_int_equal(ledger_count(ledger), 1);
                assert_true(process_equal(&ledger_get(ledger, 0)->owner, &cases[i].owner));
                assert_string_equal(ledger_get(ledger, 0)->device.dm_name, cases[i].map);
        }
}

static void test_refused(void **state) {
        static const char *const texts[] = {
                        "",
                        "null",
                        "[]",
                        "{}",
                        "{\"version\":1}",
                        "{\"version\":2,\"entries\":[]}",
                        "{\"version\":\"1\",\"entries\":[]}",
                        "{\"version\":1,\"entries\":{}}",
                        "{\"version\":1,\"entries\":[null]}",
                        "{\"version\":1,\"entries\":[1]}",
                        "{\"version\":1,\"entries\":[{}]}",
                        "{\"version\":1,\"entries\":[]} x",
                        "{\"version\":1,\"version\":1,\"entries\":[]}",
                        "{\"version\":1,\"entries\":[" ENTRY "," ENTRY "]}",
                        "{\"version\":1,\"entries\":[{" DEVICE "\"original_sectors\":-1,\"change\":" CHANGE
                        ",\"previous\":null}]}",
                        "{\"version\":1,\"entries\":[{" DEVICE "\"original_sectors\":1.5,\"change\":" CHANGE
                        ",\"previous\":null}]}",
                        "{\"version\":1,\"entries\":[{" DEVICE
                        "\"original_sectors\":1,\"change\":{\"pending\":0,\"label\":\"a\","
                        "\"rule\":\"r\",\"new_sectors\":2,\"time_usec\":3,\"before_mbps\":null,\"after_mbps\":null,"
                        "\"gain\":null},\"previous\":null}]}",
                        "{\"version\":1,\"entries\":[{" DEVICE "\"original_sectors\":1,\"change\":" CHANGE
                        ",\"previous\":{}}]}",
                        "{\"version\":1,\"entries\":[{" DEVICE "\"original_sectors\":1,\"change\":" CHANGE "}]}",
                        "{\"version\":1,\"entries\":[" TEXT_ENTRY("\\\\x00dm") "]}",
                        "{\"version\":1,\"entries\":[" TEXT_ENTRY("\\\\x0") "]}",
                        "{\"version\":1,\"entries\":[" TEXT_ENTRY("\\\\y41") "]}",
                        "{\"version\":1,\"entries\":[" TEXT_ENTRY("\\\\") "]}",
                        "{\"version\":1,\"entries\":[{\"name\":\"\\u0000\",\"major\":4294967296}]}",
                        FILE_WITH("\"stack\":1,"),
                        FILE_WITH("\"stack\":\"a\","),
                        FILE_WITH("\"stack\":\"fedcba987654321g\","),
                        FILE_WITH("\"stack\":\"FEDCBA9876543210\","),
                        FILE_WITH("\"stack\":\"fedcba98765432100\","),
                        FILE_WITH("\"reverted\":1,"),
                        FILE_WITH("\"reverted\":null,"),
                        FILE_WITH("\"put_back\":1,"),
                        FILE_WITH("\"put_back\":null,"),
                        FILE_WITH("\"put_back\":true,\"kept_sectors\":-1,"),
                        FILE_WITH("\"put_back\":true,\"kept_sectors\":1.5,"),
                        FILE_WITH("\"put_back\":true,\"kept_sectors\":\"1024\","),
                        FILE_WITH("\"owner_pid\":-1,\"owner_start_ticks\":1,"),
                        FILE_WITH("\"owner_pid\":1,\"owner_start_ticks\":\"1\","),
                        FILE_OF(DEVICE "\"dm_name\":1,", ""),
                        FILE_OF(DEVICE "\"dm_name\":\"\\\\\",", ""),
        };
        const struct place *place = *state;

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                write_file(place->path, texts[i], strlen(texts[i]));
                assert_damaged(place);
        }
}

static void test_long_strings(void **state) {
        const struct place *place = *state;
        char text[8192], name[5000];

        memset(name, 'x', sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        snprintf(text, sizeof(text), "{\"version\":1,\"entries\":[{\"name\":\"%s\",\"major\":1,\"minor\":1}]}", name);
        write_file(place->path, text, strlen(text));
        assert_damaged(place);
}

/* Whatever lies in its place, loading neither follows it nor waits for it. */
static void test_not_a_file(void **state) {
        static const char text[] = "{\"version\":1,\"entries\":[]}";
        const struct place *place = *state;

        assert_int_equal(mkfifo(place->path, 0600), 0);
        assert_damaged(place);
        write_file(place->aside, text, sizeof(text) - 1);
        assert_int_equal(symlink(place->aside, place->path), 0);
        assert_damaged(place);
        assert_int_equal(mkdir(place->path, 0700), 0);
        assert_damaged(place);
}

static void test_deep_nesting(void **state) {
        const struct place *place = *state;
        _cleanup_(freep) char *text = malloc(1000000);

        assert_non_null(text);
        memset(text, '[', 1000000);
        write_file(place->path, text, 1000000);
        assert_damaged(place);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_names_are_printable),
                        cmocka_unit_test(test_begin_confirm_abandon),
                        cmocka_unit_test(test_revert),
                        cmocka_unit_test(test_begun_twice),
                        cmocka_unit_test(test_identity),
                        cmocka_unit_test(test_bounds),
                        cmocka_unit_test_setup_teardown(test_save_and_load, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_no_file, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_every_truncation, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_every_byte_changed, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_accepted, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_later_members, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_later_owner_and_name, set_up, tear_down),
                        cmocka_unit_test(test_settle),
                        cmocka_unit_test(test_may_be_another),
                        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_long_strings, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_not_a_file, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_deep_nesting, set_up, tear_down),
        };

        return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
