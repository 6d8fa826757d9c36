/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "common/fingerprint.h"
#include "common/revert.h"
#include "tests/support/stack.h"

/* vg0/lv0 over an array: setrad has given it 3072 sectors, it had 256. */
struct scene {
        struct stack *stack;
        struct ledger *ledger;
        struct layer *layer;
        struct device_identity device;
};

static struct scene scene(void) {
        const struct ledger_change change = {
                        .label = "vg0/lv0", .rule = "a rule", .from_sectors = 256, .to_sectors = 3072, .stack = 1};
        struct scene s = {
                        .stack = stack_build("disk a b; md md0 raid0 64K a b; map dm-0 0 8192 linear md0 0; "
                                             "lv dm-0 vg0/lv0; set dm-0 ra=3072"),
                        .ledger = ledger_new(),
        };

        s.layer = stack_layer(s.stack, "dm-0");
        assert_int_equal(device_identity_from_layer(s.layer, &s.device), 0);
        assert_int_equal(ledger_begin(s.ledger, &s.device, &change, 1), 0);
        ledger_confirm(s.ledger, &s.device, NULL);
        return s;
}

static void scene_done(struct scene *s) {
        stack_free(s->stack);
        ledger_free(s->ledger);
}

static struct revert find(const struct scene *s) {
        return revert_find(s->ledger, ledger_find(s->ledger, &s->device), s->stack->topology);
}

static void begin(const struct scene *s, uint64_t from, uint64_t to) {
        const struct ledger_change change = {.label = "vg0/lv0", .from_sectors = from, .to_sectors = to};

        assert_int_equal(ledger_begin(s->ledger, &s->device, &change, 2), 0);
}

static void begin_revert(const struct scene *s, uint64_t from, bool keep) {
        const struct ledger_revert revert = {.from_sectors = from, .original_sectors = 256, .stack = 2, .keep = keep};

        assert_int_equal(ledger_begin_revert(s->ledger, &s->device, &revert, 3), 0);
}

static void check_state(const struct scene *s, int64_t now, enum revert_state state) {
        s->layer->readahead_sectors = opt_some(now);
        print_message("%lld sectors\n", (long long)now);
        assert_int_equal(find(s).state, state);
}

static void test_states(void **state) {
        _cleanup_(scene_done) struct scene s = scene();

        check_state(&s, 3072, REVERT_WANTED);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 1024, REVERT_OTHER);
        check_state(&s, 0, REVERT_OTHER);
        s.layer->readahead_sectors = (struct opt_int){};
        assert_int_equal(find(&s).state, REVERT_UNREADABLE);

        /* Suspended, it can't be opened; but there may be no need for that. */
        s.layer->dm->suspended = true;
        check_state(&s, 3072, REVERT_SUSPENDED);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 1024, REVERT_OTHER);
        s.layer->dm->suspended = false;

        /* Begun, and nobody knows how it ended: either value is setrad's. */
        begin(&s, 3072, 4096);
        check_state(&s, 3072, REVERT_WANTED);
        check_state(&s, 4096, REVERT_WANTED);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 1024, REVERT_OTHER);
        ledger_abandon(s.ledger, &s.device);

        begin_revert(&s, 3072, true);
        check_state(&s, 3072, REVERT_WANTED);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 1024, REVERT_OTHER);
        assert_int_equal(find(&s).given_sectors, 3072);
        ledger_release(s.ledger, &s.device);
        check_state(&s, 256, REVERT_RELEASED);
        check_state(&s, 3072, REVERT_RELEASED);
        check_state(&s, 1024, REVERT_RELEASED);
}

/* Tried, and taken back as keep-if asks. */
static void put_back(const struct scene *s, uint64_t from, uint64_t tried) {
        begin(s, from, tried);
        ledger_put_back(s->ledger, &s->device, from, NULL);
}

/* What was given before what was put back is setrad's still. */
static void test_put_back(void **state) {
        _cleanup_(scene_done) struct scene s = scene();

        put_back(&s, 3072, 4096);
        check_state(&s, 3072, REVERT_WANTED);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 4096, REVERT_OTHER);
        check_state(&s, 1024, REVERT_OTHER);
        assert_int_equal(find(&s).given_sectors, 3072);

        begin_revert(&s, 3072, true);
        check_state(&s, 3072, REVERT_WANTED);
        check_state(&s, 256, REVERT_ORIGINAL);
        ledger_confirm(s.ledger, &s.device, NULL);
        check_state(&s, 256, REVERT_RELEASED);

        /* Nothing of setrad's is there: it has its original value, or somebody's. */
        put_back(&s, 256, 4096);
        check_state(&s, 256, REVERT_ORIGINAL);
        check_state(&s, 4096, REVERT_OTHER);
        check_state(&s, 3072, REVERT_OTHER);
        assert_int_equal(find(&s).given_sectors, 256);
}

static void test_gone(void **state) {
        _cleanup_(scene_done) struct scene s = scene();

        s.layer->dm->uuid = "LVM-another";
        assert_int_equal(find(&s).state, REVERT_GONE);
        assert_null(find(&s).layer);
        s.layer->has_devno = false;
        assert_int_equal(find(&s).state, REVERT_GONE);
        ledger_release(s.ledger, &s.device);
        assert_int_equal(find(&s).state, REVERT_GONE);
}

/* On a kernel without disk sequence numbers only its stack tells one array from another of that number. */
static void test_doubtful(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk a b c; md md0 raid0 64K a b; set md0 ra=3072");
        struct layer *md0 = stack_layer(stack, "md0");
        const struct ledger_change change = {.from_sectors = 256, .to_sectors = 3072, .stack = stack_fingerprint(md0)};
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        struct device_identity device;
        const struct ledger_entry *entry;

        assert_int_equal(device_identity_from_layer(md0, &device), 0);
        assert_int_equal(ledger_begin(ledger, &device, &change, 1), 0);
        ledger_confirm(ledger, &device, NULL);
        entry = ledger_find(ledger, &device);
        assert_int_equal(revert_find(ledger, entry, stack->topology).state, REVERT_WANTED);

        md0->md->raid_disks = opt_some(3);
        struct revert revert = revert_find(ledger, entry, stack->topology);
        _cleanup_(freep) char *text = revert_sentence(&revert, NULL);

        assert_int_equal(revert.state, REVERT_DOUBTFUL);
        assert_string_equal(
                        text, "md0 is not what it was when setrad changed it, and may be another device: left alone");
        assert_int_equal(revert_outcome(&revert, NULL, true), LEDGER_RELEASED);
        assert_int_equal(revert_outcome(&revert, NULL, false), LEDGER_STANDS);
        assert_false(revert_has_failed(&revert, NULL));

        md0->readahead_sectors = opt_some(256);
        assert_int_equal(revert_find(ledger, entry, stack->topology).state, REVERT_ORIGINAL);
        md0->readahead_sectors = opt_some(1024);
        assert_int_equal(revert_find(ledger, entry, stack->topology).state, REVERT_OTHER);
}

static void test_request(void **state) {
        _cleanup_(scene_done) struct scene s = scene();
        struct revert revert = find(&s);
        struct ledger_revert record;
        struct apply_request request;

        revert_request(&revert, &request);
        assert_true(device_identity_equal(&request.device, &s.device));
        assert_int_equal(request.from_sectors, 3072);
        assert_int_equal(request.to_sectors, 256);
        assert_false(request.probe);

        record = revert_record(&revert, true);
        assert_int_equal(record.from_sectors, 3072);
        assert_int_equal(record.original_sectors, 256);
        assert_true(record.stack == stack_fingerprint(s.layer));
        assert_true(record.keep);
        assert_false(revert_record(&revert, false).keep);
}

static void check_result(struct apply_result result, const char *sentence, enum ledger_outcome kept,
                enum ledger_outcome dropped, bool failed) {
        _cleanup_(scene_done) struct scene s = scene();
        struct revert revert = find(&s);
        _cleanup_(freep) char *text = revert_sentence(&revert, &result);

        assert_string_equal(text, sentence);
        assert_int_equal(revert_outcome(&revert, &result, true), kept);
        assert_int_equal(revert_outcome(&revert, &result, false), dropped);
        assert_int_equal(revert_has_failed(&revert, &result), failed);
}

static void test_results(void **state) {
        static const int gone[] = {-ENODEV, -ENXIO, -ESTALE, -ENOENT};

        check_result((struct apply_result){.before_sectors = 3072, .after_sectors = 256, .changed = true},
                        "vg0/lv0 (dm-0): readahead 3072 → 256 sectors, its original value", LEDGER_RELEASED,
                        LEDGER_REMOVED, false);
        for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
                check_result((struct apply_result){.error = gone[i]},
                                "vg0/lv0 (dm-0) is gone: there is nothing to put back", LEDGER_REMOVED, LEDGER_REMOVED,
                                false);
        check_result((struct apply_result){.error = -EAGAIN, .before_sectors = 1024},
                        "vg0/lv0 (dm-0) has 1024 sectors, not the 3072 that setrad gave it: left alone",
                        LEDGER_RELEASED, LEDGER_STANDS, false);
        check_result((struct apply_result){.error = -EAGAIN, .before_sectors = 256},
                        "vg0/lv0 (dm-0) has its original 256 sectors", LEDGER_RELEASED, LEDGER_STANDS, false);
        check_result((struct apply_result){.error = -EPERM, .step = APPLY_SET, .before_sectors = 3072},
                        "vg0/lv0 (dm-0): readahead was not set back to 256 sectors: BLKRASET: Operation not permitted",
                        LEDGER_STANDS, LEDGER_STANDS, true);
        check_result((struct apply_result){.error = -EREMOTEIO,
                                     .before_sectors = 3072,
                                     .after_sectors = 128,
                                     .changed = true},
                        "vg0/lv0 (dm-0): readahead 3072 → 128 sectors, not its original 256", LEDGER_STANDS,
                        LEDGER_STANDS, true);
}

static void check_without_worker(const struct scene *s, const char *sentence, enum ledger_outcome kept,
                enum ledger_outcome dropped, bool failed) {
        struct revert revert = find(s);
        _cleanup_(freep) char *text = revert_sentence(&revert, NULL);

        assert_string_equal(text, sentence);
        assert_int_equal(revert_outcome(&revert, NULL, true), kept);
        assert_int_equal(revert_outcome(&revert, NULL, false), dropped);
        assert_int_equal(revert_has_failed(&revert, NULL), failed);
}

static void test_without_worker(void **state) {
        _cleanup_(scene_done) struct scene s = scene();

        s.layer->readahead_sectors = opt_some(256);
        check_without_worker(&s, "vg0/lv0 (dm-0) has its original 256 sectors", LEDGER_RELEASED, LEDGER_STANDS, false);
        s.layer->readahead_sectors = opt_some(1024);
        check_without_worker(&s, "vg0/lv0 (dm-0) has 1024 sectors, not the 3072 that setrad gave it: left alone",
                        LEDGER_RELEASED, LEDGER_STANDS, false);
        s.layer->readahead_sectors = (struct opt_int){};
        check_without_worker(&s, "vg0/lv0 (dm-0): its readahead can't be read", LEDGER_STANDS, LEDGER_STANDS, true);
        s.layer->readahead_sectors = opt_some(3072);
        s.layer->dm->suspended = true;
        check_without_worker(&s,
                        "vg0/lv0 (dm-0) is suspended: its original 256 sectors can be put back when it is resumed",
                        LEDGER_STANDS, LEDGER_STANDS, true);
        s.layer->dm->suspended = false;
        put_back(&s, 3072, 4096);
        check_without_worker(&s, "vg0/lv0 (dm-0): readahead 3072 → 256 sectors, its original value", LEDGER_RELEASED,
                        LEDGER_STANDS, false);
        ledger_release(s.ledger, &s.device);
        check_without_worker(&s, "vg0/lv0 (dm-0) was reverted before", LEDGER_RELEASED, LEDGER_STANDS, false);
        put_back(&s, 256, 4096);
        check_without_worker(&s, "vg0/lv0 (dm-0) has 3072 sectors, which setrad did not give it: left alone",
                        LEDGER_RELEASED, LEDGER_STANDS, false);
        s.layer->readahead_sectors = opt_some(256);
        check_without_worker(&s, "vg0/lv0 (dm-0) has its original 256 sectors", LEDGER_RELEASED, LEDGER_STANDS, false);
        s.layer->dm->uuid = "";
        check_without_worker(&s, "vg0/lv0 (dm-0) is gone: there is nothing to put back", LEDGER_REMOVED, LEDGER_REMOVED,
                        false);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_states),
                        cmocka_unit_test(test_put_back),
                        cmocka_unit_test(test_gone),
                        cmocka_unit_test(test_doubtful),
                        cmocka_unit_test(test_request),
                        cmocka_unit_test(test_results),
                        cmocka_unit_test(test_without_worker),
        };

        return cmocka_run_group_tests_name("revert", tests, NULL, NULL);
}
