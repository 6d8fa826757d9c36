/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/capture-record.h"
#include "common/capture.h"
#include "common/discover.h"

#define HOSTNAME "proc/sys/kernel/hostname"

static void record_hostname(const struct sysroot *root) {
        char name[128];

        if (sysroot_records_identifiers(root) && sysroot_read(root, name, sizeof(name), HOSTNAME) > 0)
                sysroot_record_text(root, HOSTNAME, "%s\n", name);
}

int capture_take(struct sysroot *root, bool with_identifiers, struct record **ret, struct topology **ret_topology) {
        _cleanup_(record_freep) struct record *record = record_new();
        int r;

        if (!record)
                return -ENOMEM;
        sysroot_set_record(root, record, with_identifiers);
        r = discover(root, ret_topology);
        if (r >= 0)
                record_hostname(root);
        sysroot_set_record(root, NULL, false);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(record);
        return 0;
}
