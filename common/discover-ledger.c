/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>

#include "common/discover-ledger.h"
#include "common/ledger-private.h"

#define LEDGER_BYTES_MAX (8U * 1024U * 1024U)

static char *read_text(const struct sysroot *root, size_t *ret_length) {
        _cleanup_(fclosep) FILE *stream = NULL;
        _cleanup_(freep) char *text = NULL;

        if (sysroot_fopen(root, &stream, "run/setrad/ledger.json") < 0)
                return NULL;
        text = malloc(LEDGER_BYTES_MAX);
        if (!text)
                return NULL;
        *ret_length = fread(text, 1, LEDGER_BYTES_MAX, stream);
        return *ret_length < LEDGER_BYTES_MAX ? TAKE_PTR(text) : NULL;
}

static void note_entry(const struct topology *topology, const struct ledger_entry *entry) {
        struct layer *layer = topology_find_devno(topology, entry->device.major, entry->device.minor);
        struct device_identity identity;

        /* Of a change that is under way nobody knows yet which value is right. */
        if (!layer || entry->pending || entry->new_sectors > INT64_MAX)
                return;
        if (device_identity_from_layer(layer, &identity) == 0 && device_identity_equal(&identity, &entry->device))
                layer->set_sectors = opt_some((int64_t)entry->new_sectors);
}

int ledger_note_layers(const struct sysroot *root, struct topology *topology) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        _cleanup_(freep) char *text = NULL;
        size_t length;
        int r;

        if (!ledger)
                return -ENOMEM;
        text = read_text(root, &length);
        if (!text)
                return 0;
        r = ledger_parse(ledger, text, length);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        for (size_t i = 0; i < ledger_count(ledger); i++)
                note_entry(topology, ledger_get(ledger, i));
        return 0;
}
