/* SPDX-License-Identifier: MIT */

/* setractl revert: puts back what devices had before setrad changed them, as its ledger says. */

#include <errno.h>
#include <string.h>

#include "cli/change-batch.h"
#include "cli/device-change.h"
#include "cli/find-layer.h"
#include "cli/measure.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "common/apply.h"
#include "common/discover-ledger.h"
#include "common/discover.h"
#include "common/ledger-record.h"
#include "common/revert.h"

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
        if (scene->topology->incomplete)
                context_print_notes(scene->topology);
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

static int report(const void *subject, const struct apply_result *result) {
        const struct revert *revert = subject;
        _cleanup_(freep) char *sentence = revert_sentence(revert, result);

        if (revert_has_failed(revert, result)) {
                text_error("%s", sentence ?: revert->entry->label);
                return -EIO;
        }
        if (!sentence) {
                text_error("%s: cannot say what became of it: %s", revert->entry->label, strerror(ENOMEM));
                return -ENOMEM;
        }
        text_print(stdout, "%s", sentence);
        return 0;
}

static void report_lost(const void *subject, int error) {
        const struct revert *revert = subject;

        change_report_lost(revert->entry->label, error);
}

static bool find_end(const void *subject, const struct apply_result *result, struct ledger_end *ret) {
        const struct revert *revert = subject;

        ret->outcome = revert_outcome(revert, result, true);
        return result || !revert_has_failed(revert, NULL);
}

static const struct change_batch_ops ops = {.report = report, .report_lost = report_lost, .end = find_end};

/* On record first: whatever happens to this process, the ledger knows both values. */
static void add_revert(struct change_batch *batch, const struct revert *revert) {
        const struct device_identity *device = &revert->entry->device;
        struct ledger_intent intent = {.is_revert = true};
        struct apply_request request;

        if (revert->state != REVERT_WANTED) {
                change_batch_add(batch, revert, device, NULL, NULL);
                return;
        }
        intent.revert = revert_record(revert, true);
        revert_request(revert, &request);
        change_batch_add(batch, revert, device, &request, &intent);
}

/* --- all of them */

static enum exit_status revert_chosen(const struct scene *scene, struct change_batch *batch, struct revert *reverts) {
        enum exit_status status = STATUS_DONE;

        for (size_t i = 0; i < ledger_count(scene->ledger) && batch->signal_number == 0; i++) {
                if (!scene->chosen[i])
                        continue;
                reverts[i] = revert_find(scene->ledger, ledger_get(scene->ledger, i), scene->topology);
                if (scene->options->dry_run) {
                        if (report(&reverts[i], NULL) < 0)
                                status = STATUS_FAILED;
                        continue;
                }
                add_revert(batch, &reverts[i]);
                if (change_batch_is_full(batch) && change_batch_run(batch) < 0)
                        status = STATUS_FAILED;
        }
        if (batch->signal_number == 0 && change_batch_run(batch) < 0)
                status = STATUS_FAILED;
        return status;
}

static enum exit_status revert_all(const struct context *context, const struct scene *scene) {
        _cleanup_(freep) struct revert *reverts = calloc(ledger_count(scene->ledger) + 1, sizeof(*reverts));
        struct change_batch batch = {};
        enum exit_status status;

        if (!reverts || change_batch_init(&batch, &ops, context->root) < 0) {
                text_error("%s", strerror(ENOMEM));
                return STATUS_FAILED;
        }
        status = revert_chosen(scene, &batch, reverts);
        change_batch_done(&batch);
        if (batch.signal_number != 0)
                measure_end_by(batch.signal_number);
        return status;
}

static bool any_is_chosen(const struct scene *scene) {
        for (size_t i = 0; i < ledger_count(scene->ledger); i++)
                if (scene->chosen[i])
                        return true;
        return false;
}

enum exit_status verb_revert(struct context *context) {
        _cleanup_(scene_done) struct scene scene = {.options = &context->options};
        enum exit_status status;

        if (check_usage(&context->options) < 0)
                return STATUS_USAGE;
        if (!context->options.dry_run && !change_is_permitted("revert", "--dry-run shows what it would do"))
                return STATUS_FAILED;
        if (!context->options.dry_run && change_mend_trials() < 0)
                return STATUS_FAILED;
        if (open_scene(context, &scene) < 0)
                return STATUS_FAILED;
        status = choose_entries(&scene);
        if (revert_all(context, &scene) != STATUS_DONE)
                status = STATUS_FAILED;
        if (context->options.all && !any_is_chosen(&scene))
                text_print(stdout, "Nothing to put back.");
        return status;
}
