/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/fingerprint.h"
#include "common/revert.h"

static const struct layer *find_device(const struct topology *topology, const struct device_identity *device) {
        const struct layer *layer = topology_find_devno(topology, device->major, device->minor);
        struct device_identity identity;

        if (!layer || device_identity_from_layer(layer, &identity) < 0)
                return NULL;
        return device_identity_equal(&identity, device) ? layer : NULL;
}

/* Its value is no proof that it is the device that setrad gave it to: the kernel may have worked it out. */
static bool is_doubtful(const struct revert *revert) {
        struct device_identity device;

        return device_identity_from_layer(revert->layer, &device) < 0 ||
               ledger_may_be_another(revert->entry, &device, stack_fingerprint(revert->layer));
}

static enum revert_state state_of(
                const struct ledger *ledger, const struct revert *revert, const struct topology *topology) {
        const struct ledger_entry *entry = revert->entry;

        if (!revert->layer)
                return topology->incomplete ? REVERT_UNREADABLE : REVERT_GONE;
        if (entry->reverted && !entry->pending)
                return REVERT_RELEASED;
        if (!revert->layer->readahead_sectors.known)
                return REVERT_UNREADABLE;
        if (revert->now_sectors == entry->original_sectors)
                return REVERT_ORIGINAL;
        if (!ledger_gave(ledger, &entry->device, revert->now_sectors))
                return REVERT_OTHER;
        if (is_doubtful(revert))
                return revert->layer->incomplete ? REVERT_UNREADABLE : REVERT_DOUBTFUL;
        return revert->layer->dm && revert->layer->dm->suspended ? REVERT_SUSPENDED : REVERT_WANTED;
}

struct revert revert_find(
                const struct ledger *ledger, const struct ledger_entry *entry, const struct topology *topology) {
        struct revert revert = {
                        .entry = entry,
                        .layer = find_device(topology, &entry->device),
                        .given_sectors = ledger_given(ledger, entry),
        };

        if (revert.layer)
                revert.now_sectors = (uint64_t)opt_or(revert.layer->readahead_sectors, 0);
        revert.state = state_of(ledger, &revert, topology);
        return revert;
}

void revert_request(const struct revert *revert, struct apply_request *ret) {
        *ret = (struct apply_request){
                        .device = revert->entry->device,
                        .from_sectors = revert->now_sectors,
                        .to_sectors = revert->entry->original_sectors,
        };
}

struct ledger_revert revert_record(const struct revert *revert, bool keep) {
        return (struct ledger_revert){
                        .from_sectors = revert->now_sectors,
                        .original_sectors = revert->entry->original_sectors,
                        .stack = stack_fingerprint(revert->layer),
                        .keep = keep,
        };
}

static bool has_vanished(const struct revert *revert, const struct apply_result *result) {
        if (!result)
                return revert->state == REVERT_GONE;
        return result->error == -ENODEV || result->error == -ENXIO || result->error == -ESTALE ||
               result->error == -ENOENT;
}

bool revert_has_failed(const struct revert *revert, const struct apply_result *result) {
        if (!result)
                return revert->state == REVERT_SUSPENDED || revert->state == REVERT_UNREADABLE;
        return result->error < 0 && result->error != -EAGAIN && !has_vanished(revert, result);
}

enum ledger_outcome revert_outcome(const struct revert *revert, const struct apply_result *result, bool keep) {
        if (has_vanished(revert, result))
                return LEDGER_REMOVED;
        if (revert_has_failed(revert, result))
                return LEDGER_STANDS;
        if (keep)
                return LEDGER_RELEASED;
        /* What somebody has set, or had put back, must be known to be theirs after a restart, too. */
        return result && result->error == 0 ? LEDGER_REMOVED : LEDGER_STANDS;
}

static void print_state(FILE *f, const struct revert *revert) {
        uint64_t now = revert->now_sectors, original = revert->entry->original_sectors;

        switch (revert->state) {
        case REVERT_WANTED:
                fprintf(f, ": readahead %" PRIu64 " → %" PRIu64 " sectors, its original value", now, original);
                break;
        case REVERT_ORIGINAL: fprintf(f, " has its original %" PRIu64 " sectors", original); break;
        case REVERT_RELEASED: fputs(" was reverted before", f); break;
        case REVERT_OTHER:
                if (revert->given_sectors == original)
                        fprintf(f, " has %" PRIu64 " sectors, which setrad did not give it: left alone", now);
                else
                        fprintf(f, " has %" PRIu64 " sectors, not the %" PRIu64 " that setrad gave it: left alone", now,
                                        revert->given_sectors);
                break;
        case REVERT_DOUBTFUL:
                fputs(" is not what it was when setrad changed it, and may be another device: left alone", f);
                break;
        case REVERT_GONE: fputs(" is gone: there is nothing to put back", f); break;
        case REVERT_SUSPENDED:
                fprintf(f, " is suspended: its original %" PRIu64 " sectors can be put back when it is resumed",
                                original);
                break;
        case REVERT_UNREADABLE:
                fputs(now > 0 ? ": whether it is what setrad changed can't be read" : ": its readahead can't be read",
                                f);
                break;
        }
}

static void print_failure(FILE *f, const struct revert *revert, const struct apply_result *result) {
        uint64_t original = revert->entry->original_sectors;

        if (result->changed && result->error == -EREMOTEIO) {
                fprintf(f, ": readahead %" PRIu64 " → %" PRIu64 " sectors, not its original %" PRIu64,
                                result->before_sectors, result->after_sectors, original);
                return;
        }
        errno = -result->error;
        fprintf(f, ": readahead was %sset back to %" PRIu64 " sectors%s: %s: %m", result->changed ? "" : "not ",
                        original, result->changed ? "; whether it has them is not known" : "",
                        apply_step_name(result->step));
}

/* With the state that the worker has found it in, where that is another. */
static struct revert as_found(const struct revert *revert, const struct apply_result *result) {
        struct revert now = *revert;

        if (has_vanished(revert, result))
                now.state = REVERT_GONE;
        else if (result && result->error == -EAGAIN) {
                now.state = result->before_sectors == revert->entry->original_sectors ? REVERT_ORIGINAL : REVERT_OTHER;
                now.now_sectors = result->before_sectors;
        }
        return now;
}

char *revert_sentence(const struct revert *revert, const struct apply_result *result) {
        const struct ledger_entry *entry = revert->entry;
        const struct revert now = as_found(revert, result);
        _cleanup_(freep) char *text = NULL;
        size_t size = 0;
        FILE *f;

        f = open_memstream(&text, &size);
        if (!f)
                return NULL;
        fputs(entry->label, f);
        if (strcmp(entry->label, entry->device.name) != 0)
                fprintf(f, " (%s)", entry->device.name);
        if (result && revert_has_failed(revert, result))
                print_failure(f, revert, result);
        else
                print_state(f, &now);
        return fclose(f) == 0 ? TAKE_PTR(text) : NULL;
}
