/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/capture-pseudonym.h"
#include "common/capture-record.h"
#include "common/capture.h"
#include "common/discover.h"

#define HOSTNAME "proc/sys/kernel/hostname"

static void keep_hostname(const struct sysroot *root) {
        char name[128];

        if (sysroot_read(root, name, sizeof(name), HOSTNAME) > 0)
                sysroot_record_text(root, HOSTNAME, "%s\n", name);
}

/* The name in full, and without its domain. A copied directory may have it from /etc only. */
static void hide_hostname(const struct sysroot *root, struct record *record) {
        static const char *const files[] = {HOSTNAME, "etc/hostname"};

        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                char name[128];

                if (sysroot_read(root, name, sizeof(name), "%s", files[i]) <= 0)
                        continue;
                name[strcspn(name, " \t\n")] = 0;
                record_identifier(record, IDENTIFIER_HOST, name);
                name[strcspn(name, ".")] = 0;
                record_identifier(record, IDENTIFIER_HOST, name);
        }
}

static int take_all(struct sysroot *root, bool with_identifiers, struct record *record, struct topology **ret) {
        int r;

        sysroot_set_record(root, record, with_identifiers);
        r = discover(root, ret);
        if (r >= 0 && with_identifiers)
                keep_hostname(root);
        else if (r >= 0)
                hide_hostname(root, record);
        sysroot_set_record(root, NULL, false);
        return r;
}

int capture_take(struct sysroot *root, bool with_identifiers, struct record **ret, struct topology **ret_topology) {
        _cleanup_(record_freep) struct record *record = record_new();
        _cleanup_(topology_freep) struct topology *topology = NULL;
        int r;

        if (!record)
                return -ENOMEM;
        r = take_all(root, with_identifiers, record, &topology);
        if (r < 0)
                return r;
        if (with_identifiers)
                *ret = TAKE_PTR(record);
        else
                r = capture_pseudonymize(record, topology, ret);
        if (r >= 0)
                *ret_topology = TAKE_PTR(topology);
        return r;
}
