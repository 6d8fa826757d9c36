/* SPDX-License-Identifier: MIT */

/* md's attributes: the first line is every number and state, the next three are level, metadata and array state. */

#include "common/geometry.h"
#include "common/mdattr.h"
#include "tests/fuzz/fuzz.h"

static void check_kind(const uint8_t *data, size_t size, struct opt_int number) {
        _cleanup_(freep) char *level = fuzz_take_text(&data, &size, '\n');
        _cleanup_(freep) char *metadata = fuzz_take_text(&data, &size, '\n');
        _cleanup_(freep) char *state = fuzz_take_text(&data, &size, '\n');
        _cleanup_(freep) char *layout = fuzz_take_text(&data, &size, '\n');
        struct md_info md = {.level = level, .metadata = metadata, .array_state = state};
        enum layer_kind kind = mdattr_kind(&md);
        struct opt_int old, now = mdattr_parse_pair(layout, &old);
        unsigned disks = geometry_data_disks(kind, number.value, now.value);
        const char *name = mdattr_layout_name(kind, now.value);

        FUZZ_CHECK(disks == 0 || (number.value > 0 && disks <= (uint64_t)number.value));
        FUZZ_CHECK(!name || (*name && now.value >= 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(freep) char *text = fuzz_take_text(&data, &size, '\n');
        struct opt_int old, done, total, number = mdattr_parse_pair(text, &old);
        int slot = mdattr_parse_slot(text);

        mdattr_parse_progress(text, &done, &total);
        FUZZ_CHECK(done.known == total.known);
        FUZZ_CHECK(!done.known || (done.value >= 0 && done.value <= total.value && total.value > 0 && !number.known));
        FUZZ_CHECK(!old.known || (number.known && strchr(text, '(')));
        FUZZ_CHECK(slot == -1 || (slot >= 0 && number.known && number.value == slot && !old.known));
        FUZZ_CHECK(mdattr_parse_states(text) < MD_MEMBER_BLOCKED * 2);
        check_kind(data, size, number);
        return 0;
}
