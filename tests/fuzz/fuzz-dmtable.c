/* SPDX-License-Identifier: MIT */

/* Lines of "dmsetup table", and the names in them. A name survives being mangled, a target has no more legs than words. */

#include <errno.h>

#include "common/capture-table.h"
#include "common/dmtable.h"
#include "tests/fuzz/fuzz.h"

static void check_name(struct arena *arena, const char *name, const char *uuid) {
        _cleanup_(freep) char *mangled = NULL;
        const char *vg, *lv, *suffix, *plain = dmname_demangle(arena, name);

        FUZZ_CHECK(plain && dmname_equals(name, plain));
        mangled = capture_mangle_name(plain);
        FUZZ_CHECK(mangled && dmname_equals(mangled, plain) && !strpbrk(mangled, " \n/"));
        FUZZ_CHECK(strcmp(dmname_demangle(arena, mangled), plain) == 0);
        FUZZ_CHECK(dmname_split_lvm(arena, plain, uuid, &vg, &lv, &suffix) == 0);
        FUZZ_CHECK(!vg == !lv);
}

static void check_line(struct arena *arena, char *line) {
        const char *name, *target, *params;
        struct dm_segment segment = {};
        uint64_t start, length;
        int r;

        if (dmtable_split_line(line, &name, &start, &length, &target, &params) < 0)
                return;
        check_name(arena, name, params ? params : "LVM-");
        if (!target)
                return;
        r = dmtable_parse_target(arena, start, length, target, params, &segment);
        FUZZ_CHECK(segment.n_legs <= strlen(params) / 3 && (r == 0 || segment.n_legs == 0));
        FUZZ_CHECK(dmtable_kind(&segment, 1) == segment.kind);
        /* The rest of the line may as well be a status. */
        r = dmtable_apply_raid_status(&segment, params);
        FUZZ_CHECK(r == 0 || r == -EINVAL);
        FUZZ_CHECK(segment.data_disks <= segment.raid_disks || segment.raid_disks == 0);
        FUZZ_CHECK(opt_or(segment.sync.degraded, 0) >= 0);
        FUZZ_CHECK(opt_or(segment.sync.degraded, 0) <= segment.raid_disks);
        r = dmtable_apply_multipath_status(&segment, params);
        FUZZ_CHECK(r == 0 || (r == -EINVAL && !segment.paths.known));
        FUZZ_CHECK(segment.paths.n_active <= segment.paths.n && segment.paths.n <= strlen(params) / 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();

        while (arena && size > 0) {
                _cleanup_(freep) char *line = fuzz_take_text(&data, &size, '\n');

                check_line(arena, line);
        }
        return 0;
}
