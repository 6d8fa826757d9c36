/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>

#include "common/discover-ledger.h"
#include "common/ledger-private.h"

static int read_text(const struct sysroot *root, char **ret, size_t *ret_length) {
        _cleanup_(fclosep) FILE *stream = NULL;
        _cleanup_(freep) char *text = NULL;
        size_t length;
        int r;

        r = sysroot_fopen(root, &stream, "run/setrad/ledger.json");
        if (r < 0)
                return r;
        text = malloc(LEDGER_BYTES_MAX + 1);
        if (!text)
                return -ENOMEM;
        length = fread(text, 1, LEDGER_BYTES_MAX + 1, stream);
        if (ferror(stream))
                return -EIO;
        if (length > LEDGER_BYTES_MAX)
                return -EBADMSG;
        *ret = TAKE_PTR(text);
        *ret_length = length;
        return 0;
}

int ledger_read(const struct sysroot *root, struct ledger **ret) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        int r;

        if (!ledger)
                return -ENOMEM;
        r = read_text(root, &text, &length);
        if (r == 0)
                r = ledger_parse(ledger, text, length);
        if (r < 0 && r != -ENOENT)
                return r;
        *ret = TAKE_PTR(ledger);
        return 0;
}

/* NULL without memory. */
static const struct ledger_note *make_note(
                struct arena *arena, const struct ledger *ledger, const struct ledger_entry *entry) {
        struct ledger_note *note = arena_alloc(arena, sizeof(*note));
        const char *rule = arena_strdup(arena, entry->rule);

        if (!note || !rule)
                return NULL;
        *note = (struct ledger_note){
                        .sectors = ledger_tried(ledger, entry),
                        .rule = rule,
                        .stack_known = entry->stack != 0,
                        .stack = entry->stack,
                        .reverted = entry->reverted || entry->put_back,
                        .put_back = entry->put_back,
        };
        return note;
}

/* NULL if there is no such device any longer. */
static struct layer *find_device(const struct topology *topology, const struct device_identity *device) {
        struct layer *layer = topology_find_devno(topology, device->major, device->minor);
        struct device_identity identity;

        if (!layer || device_identity_from_layer(layer, &identity) < 0 || !device_identity_equal(&identity, device))
                return NULL;
        return layer;
}

struct scene {
        const struct sysroot *root;
        const struct topology *topology;
};

/* As ledger_judge(), by the readahead that was read for this topology. */
static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        const struct scene *scene = userdata;
        const struct layer *layer = find_device(scene->topology, &entry->device);

        if (process_is_alive(scene->root, &entry->owner))
                return LEDGER_UNDECIDED;
        return layer && opt_or(layer->readahead_sectors, -1) == (int64_t)entry->new_sectors ? LEDGER_MADE
                                                                                            : LEDGER_NOT_MADE;
}

static int note_entry(const struct topology *topology, const struct ledger *ledger, const struct ledger_entry *entry) {
        struct layer *layer = find_device(topology, &entry->device);

        /* Of a change that is under way nobody knows yet which value is right; but what is put back is left alone. */
        if (!layer || (entry->pending && !entry->reverted))
                return 0;
        layer->set = make_note(topology->arena, ledger, entry);
        return layer->set ? 0 : -ENOMEM;
}

bool ledger_has_pending(const struct ledger *ledger) {
        for (size_t i = 0; i < ledger_count(ledger); i++)
                if (ledger_get(ledger, i)->pending)
                        return true;
        return false;
}

int ledger_note_layers(const struct sysroot *root, struct topology *topology, struct ledger *ledger) {
        struct scene scene = {.root = root, .topology = topology};

        (void)ledger_settle(ledger, judge, &scene);
        for (size_t i = 0; i < ledger_count(ledger); i++) {
                int r = note_entry(topology, ledger, ledger_get(ledger, i));

                if (r < 0)
                        return r;
        }
        return 0;
}
