/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/discover-ledger.h"
#include "common/ledger-private.h"

/* It is replaced as a whole, and never grows. */
static int read_text(const struct sysroot *root, char **ret, size_t *ret_length) {
        _cleanup_(fclosep) FILE *stream = NULL;
        _cleanup_(freep) char *text = NULL;
        struct stat st;
        size_t length;
        int r;

        r = sysroot_fopen(root, &stream, LEDGER_PATH);
        if (r < 0)
                return r;
        if (fstat(fileno(stream), &st) < 0)
                return -errno;
        if (st.st_size < 0 || (size_t)st.st_size > LEDGER_BYTES_MAX)
                return -EBADMSG;
        text = malloc((size_t)st.st_size + 1);
        if (!text)
                return -ENOMEM;
        length = fread(text, 1, (size_t)st.st_size, stream);
        r = sysroot_check_stream(root, stream, LEDGER_PATH);
        if (r < 0)
                return r;
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

struct scene {
        const struct sysroot *root;
        const struct layer *layer;
};

/* As ledger_judge(), by the readahead that was read for this topology. */
static enum ledger_fate judge(const struct ledger_entry *entry, void *userdata) {
        const struct scene *scene = userdata;

        if (process_is_alive(scene->root, &entry->owner))
                return LEDGER_UNDECIDED;
        return opt_or(scene->layer->readahead_sectors, -1) == (int64_t)entry->new_sectors ? LEDGER_MADE
                                                                                          : LEDGER_NOT_MADE;
}

static int set_note(struct arena *arena, struct layer *layer, const struct ledger *ledger,
                const struct ledger_entry *entry) {
        /* Of a change that is under way nobody knows yet which value is right; but what is put back is left alone. */
        if (!entry || (entry->pending && !entry->reverted))
                return 0;
        layer->set = make_note(arena, ledger, entry);
        return layer->set ? 0 : -ENOMEM;
}

/* What nobody is at any longer is settled, but not in the ledger that others look at, too. */
static int note_pending(const struct sysroot *root, struct arena *arena, struct layer *layer,
                const struct ledger *ledger, const struct device_identity *device) {
        _cleanup_(ledger_freep) struct ledger *single = NULL;
        struct scene scene = {.root = root, .layer = layer};
        int r;

        r = ledger_extract(ledger, device, &single);
        if (r < 0)
                return r;
        (void)ledger_settle(single, judge, &scene);
        return set_note(arena, layer, single, ledger_find(single, device));
}

static int note_layer(
                const struct sysroot *root, struct arena *arena, struct layer *layer, const struct ledger *ledger) {
        const struct ledger_entry *entry;
        struct device_identity device;

        if (device_identity_from_layer(layer, &device) < 0)
                return 0;
        entry = ledger_find(ledger, &device);
        return entry && entry->pending ? note_pending(root, arena, layer, ledger, &device)
                                       : set_note(arena, layer, ledger, entry);
}

int ledger_note_layers(const struct sysroot *root, struct topology *topology, const struct ledger *ledger) {
        int r = 0;

        for (size_t i = 0; i < topology->n_layers && ledger_count(ledger) > 0 && r >= 0; i++)
                r = note_layer(root, topology->arena, topology->layers[i], ledger);
        return r;
}
