/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>

#include "common/discover-ledger.h"
#include "common/ledger-private.h"

static char *read_text(const struct sysroot *root, size_t *ret_length) {
        _cleanup_(fclosep) FILE *stream = NULL;
        _cleanup_(freep) char *text = NULL;

        if (sysroot_fopen(root, &stream, "run/setrad/ledger.json") < 0)
                return NULL;
        text = malloc(LEDGER_BYTES_MAX + 1);
        if (!text)
                return NULL;
        *ret_length = fread(text, 1, LEDGER_BYTES_MAX + 1, stream);
        return *ret_length <= LEDGER_BYTES_MAX ? TAKE_PTR(text) : NULL;
}

/* NULL without memory. */
static const struct ledger_note *make_note(struct arena *arena, const struct ledger_entry *entry) {
        struct ledger_note *note = arena_alloc(arena, sizeof(*note));
        const char *rule = arena_strdup(arena, entry->rule);

        if (!note || !rule)
                return NULL;
        *note = (struct ledger_note){
                        .sectors = entry->new_sectors,
                        .rule = rule,
                        .stack_known = entry->stack != 0,
                        .stack = entry->stack,
                        .reverted = entry->reverted,
        };
        return note;
}

static int note_entry(const struct topology *topology, const struct ledger_entry *entry) {
        struct layer *layer = topology_find_devno(topology, entry->device.major, entry->device.minor);
        struct device_identity identity;

        /* Of a change that is under way nobody knows yet which value is right. */
        if (!layer || entry->pending)
                return 0;
        if (device_identity_from_layer(layer, &identity) < 0 || !device_identity_equal(&identity, &entry->device))
                return 0;
        layer->set = make_note(topology->arena, entry);
        return layer->set ? 0 : -ENOMEM;
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
        for (size_t i = 0; i < ledger_count(ledger); i++) {
                r = note_entry(topology, ledger_get(ledger, i));
                if (r < 0)
                        return r;
        }
        return 0;
}
