/* SPDX-License-Identifier: MIT */

/* setractl revert: puts back what devices had before setrad changed them, as its ledger says. */

#include <errno.h>
#include <string.h>

#include "cli/device-change.h"
#include "cli/find-layer.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/apply.h"
#include "common/discover-ledger.h"
#include "common/discover.h"
#include "common/ledger-lock.h"
#include "common/ledger-record.h"
#include "common/revert.h"
#include "common/worker.h"

/* What the ledger was, and what the machine is, when the command began. */
struct scene {
        const struct options *options;
        struct topology *topology;
        struct ledger *ledger;
        bool *chosen; /* by number of the entry */
};

static void scene_done(struct scene *scene) {
        topology_freep(&scene->topology);
        ledger_freep(&scene->ledger);
        freep(&scene->chosen);
}

static int check_usage(const struct options *options) {
        if (options->all && options->n_arguments > 0)
                text_error("revert takes DEV or --all, not both");
        else if (!options->all && options->n_arguments == 0)
                text_error("revert needs DEV, or --all for every device; 'setractl revert --all --dry-run' lists them");
        else if (options->root && !options->dry_run)
                text_error("revert --root needs --dry-run: only this machine can be changed");
        else
                return 0;
        return -EINVAL;
}

static int open_scene(struct context *context, struct scene *scene) {
        int r;

        r = context_open(context);
        if (r < 0)
                return r;
        r = context_check_discovery(context, discover(context->root, &scene->topology));
        if (r < 0)
                return r;
        r = ledger_read(context->root, &scene->ledger);
        if (r == -EBADMSG)
                text_error("the ledger %s is damaged, or of another version: what setrad has changed is not known",
                                LEDGER_PATH);
        else if (r < 0)
                text_error("cannot read the ledger %s: %s", LEDGER_PATH, strerror(-r));
        if (r < 0)
                return r;
        scene->chosen = calloc(ledger_count(scene->ledger) + 1, sizeof(*scene->chosen));
        if (!scene->chosen)
                text_error("%s", strerror(ENOMEM));
        return scene->chosen ? 0 : -ENOMEM;
}

/* --- which entries */

static const struct ledger_entry *find_entry(const struct scene *scene, const struct layer *layer) {
        struct device_identity device;

        if (device_identity_from_layer(layer, &device) < 0)
                return NULL;
        return ledger_find(scene->ledger, &device);
}

/* "vg0/lv0" of /dev/vg0/lv0, "map" of /dev/mapper/map. */
static const char *without_directory(const char *text) {
        static const char *const directories[] = {"/dev/mapper/", "/dev/"};

        for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
                if (strncmp(text, directories[i], strlen(directories[i])) == 0)
                        return text + strlen(directories[i]);
        return text;
}

/* Chooses the entries of devices that are gone and had that name. Returns how many there are. */
static size_t choose_vanished(struct scene *scene, const char *text) {
        const char *name = without_directory(text);
        size_t n = 0;

        for (size_t i = 0; i < ledger_count(scene->ledger); i++) {
                const struct ledger_entry *entry = ledger_get(scene->ledger, i);

                if (revert_find(scene->ledger, entry, scene->topology).state != REVERT_GONE)
                        continue;
                if (strcmp(name, entry->label) != 0 && strcmp(name, entry->device.name) != 0)
                        continue;
                scene->chosen[i] = true;
                n++;
        }
        return n;
}

static void choose(struct scene *scene, const struct ledger_entry *entry) {
        for (size_t i = 0; i < ledger_count(scene->ledger); i++)
                if (ledger_get(scene->ledger, i) == entry)
                        scene->chosen[i] = true;
}

/* A partition shares its disk's readahead. Returns 0, or -ENOENT after saying on stderr that there is no such device. */
static int choose_device(struct scene *scene, const char *text) {
        const struct layer *layer = scene->options->root ? find_layer_by_name(scene->topology, text)
                                                         : find_layer_on_machine(scene->topology, text);
        const struct ledger_entry *entry = layer ? find_entry(scene, layer) : NULL;
        _cleanup_(freep) char *title = NULL;

        if (layer && !entry && layer->parent)
                entry = find_entry(scene, layer->parent);
        if (entry) {
                choose(scene, entry);
                return 0;
        }
        if (choose_vanished(scene, text) > 0)
                return 0;
        if (!layer) {
                text_error("no block device or mount point '%s', and setrad has changed none of that name", text);
                return -ENOENT;
        }
        title = text_layer_title(layer);
        text_print(stdout, "%s was not changed by setrad", title ?: layer->label);
        return 0;
}

static enum exit_status choose_entries(struct scene *scene) {
        const struct options *options = scene->options;
        enum exit_status status = STATUS_DONE;

        for (size_t i = 0; i < options->n_arguments; i++)
                if (choose_device(scene, options->arguments[i]) < 0)
                        status = STATUS_FAILED;
        /* What was reverted before is no news, unless it was asked for. */
        for (size_t i = 0; options->all && i < ledger_count(scene->ledger); i++) {
                const struct ledger_entry *entry = ledger_get(scene->ledger, i);

                scene->chosen[i] = revert_find(scene->ledger, entry, scene->topology).state != REVERT_RELEASED;
        }
        return status;
}

/* --- one entry */

static int apply_job(const void *input, void *result) {
        return apply_change(input, result) < 0;
}

static int report(const struct revert *revert, const struct apply_result *result) {
        _cleanup_(freep) char *sentence = revert_sentence(revert, result);

        if (revert_has_failed(revert, result)) {
                text_error("%s", sentence ?: revert->entry->label);
                return -EIO;
        }
        text_print(stdout, "%s", sentence ?: revert->entry->label);
        return 0;
}

static int note_outcome(const struct revert *revert, enum ledger_outcome outcome) {
        bool damaged = false;
        int r;

        r = ledger_record_revert_end(
                        LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &revert->entry->device, outcome, &damaged);
        return change_check_ledger(r, damaged);
}

/* On record first: whatever happens to this process, the ledger knows both values. */
static int note_before(const struct revert *revert) {
        const struct ledger_revert record = revert_record(revert, true);
        bool damaged = false;
        int r;

        r = ledger_record_revert_begin(
                        LEDGER_DIRECTORY, LEDGER_LOCK_TIMEOUT_MSEC, &revert->entry->device, &record, &damaged);
        return change_check_ledger(r, damaged);
}

/* The original value is put back by a worker. 0, or a negative errno after saying on stderr what is wrong. */
static int put_back(const struct revert *revert) {
        struct apply_request request;
        struct apply_result result = {};
        int r, failed;

        r = note_before(revert);
        if (r < 0)
                return r;
        revert_request(revert, &request);
        r = worker_run(apply_job, &request, &result, sizeof(result), CHANGE_DEADLINE_MSEC);
        if (r < 0) {
                change_report_lost(revert->entry->label, r);
                if (!change_may_be_made(r))
                        (void)note_outcome(revert, LEDGER_STANDS);
                return r;
        }
        failed = report(revert, &result);
        r = note_outcome(revert, revert_outcome(revert, &result, true));
        return failed < 0 ? failed : r;
}

static int revert_entry(const struct scene *scene, const struct ledger_entry *entry) {
        const struct revert revert = revert_find(scene->ledger, entry, scene->topology);
        int r;

        if (revert.state == REVERT_WANTED && !scene->options->dry_run)
                return put_back(&revert);
        r = report(&revert, NULL);
        if (r < 0 || scene->options->dry_run)
                return r;
        return note_outcome(&revert, revert_outcome(&revert, NULL, true));
}

enum exit_status verb_revert(struct context *context) {
        _cleanup_(scene_done) struct scene scene = {.options = &context->options};
        enum exit_status status;
        size_t n = 0;

        if (check_usage(&context->options) < 0)
                return STATUS_USAGE;
        if (!context->options.dry_run && !change_is_permitted("revert", "--dry-run shows what it would do"))
                return STATUS_FAILED;
        if (!context->options.dry_run && change_mend_trials() < 0)
                return STATUS_FAILED;
        if (open_scene(context, &scene) < 0)
                return STATUS_FAILED;
        status = choose_entries(&scene);
        for (size_t i = 0; i < ledger_count(scene.ledger); i++) {
                n += scene.chosen[i];
                if (scene.chosen[i] && revert_entry(&scene, ledger_get(scene.ledger, i)) < 0)
                        status = STATUS_FAILED;
        }
        if (context->options.all && n == 0)
                text_print(stdout, "Nothing to put back.");
        return status;
}
