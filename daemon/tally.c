/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/tally.h"

struct device {
        enum layer_kind kind;
        bool change, held, mismatch, waiting;
        char sysname[];
};

struct tally {
        void *devices; /* a tree of tsearch(3) */
        struct tally_sums sums;
};

struct tally *tally_new(void) {
        return calloc(1, sizeof(struct tally));
}

void tally_free(struct tally *tally) {
        if (!tally)
                return;
        tdestroy(tally->devices, free);
        free(tally);
}

static int compare(const void *a, const void *b) {
        const struct device *x = a, *y = b;

        return strcmp(x->sysname, y->sysname);
}

static struct device *device_new(const char *sysname) {
        size_t size = strlen(sysname) + 1;
        struct device *device = calloc(1, sizeof(*device) + size);

        if (device)
                memcpy(device->sysname, sysname, size);
        return device;
}

static void count(struct tally_sums *sums, const struct device *device) {
        sums->n_layers++;
        sums->n_of_kind[device->kind]++;
        sums->n_changes += device->change;
        sums->n_held += device->held;
        sums->n_mismatches += device->mismatch;
        sums->n_waiting += device->waiting;
}

static void discount(struct tally_sums *sums, const struct device *device) {
        sums->n_layers--;
        sums->n_of_kind[device->kind]--;
        sums->n_changes -= device->change;
        sums->n_held -= device->held;
        sums->n_mismatches -= device->mismatch;
        sums->n_waiting -= device->waiting;
}

static void drop(struct tally *tally, const struct device *key) {
        struct device **node = tfind(key, &tally->devices, compare), *device;

        if (!node)
                return;
        device = *node;
        discount(&tally->sums, device);
        tdelete(device, &tally->devices, compare);
        free(device);
}

static bool is_mismatch(const struct decision *d) {
        return d->target.sectors.known && d->layer->readahead_sectors.known &&
               d->target.sectors.value != d->layer->readahead_sectors.value;
}

/* A rule that holds for good is not looked after: its end is a reload. */
static bool waits(const struct decision *d) {
        return d->action == ACTION_HOLD && !d->rule_action->hold.always;
}

static int take_decision(struct tally *tally, const struct decision *decision) {
        struct device *device = device_new(decision->layer->sysname);

        if (!device)
                return -ENOMEM;
        drop(tally, device);
        device->kind = decision->layer->kind;
        device->change = decision_is_change(decision);
        device->held = decision->action == ACTION_HOLD;
        device->mismatch = is_mismatch(decision);
        device->waiting = waits(decision);
        if (!tsearch(device, &tally->devices, compare)) {
                free(device);
                return -ENOMEM;
        }
        count(&tally->sums, device);
        return 0;
}

static int drop_gone(struct tally *tally, const char *sysname) {
        _cleanup_(freep) struct device *key = device_new(sysname);

        if (!key)
                return -ENOMEM;
        drop(tally, key);
        return 0;
}

int tally_take(struct tally *tally, const struct survey *survey, bool all) {
        int r = 0;

        if (all) {
                tdestroy(tally->devices, free);
                *tally = (struct tally){};
        }
        for (size_t i = 0; i < survey->topology->n_gone && r >= 0; i++)
                r = drop_gone(tally, survey->topology->gone[i]);
        for (size_t i = 0; i < survey->plan.n_decisions && r >= 0; i++)
                if (!survey->plan.decisions[i].layer->carried)
                        r = take_decision(tally, &survey->plan.decisions[i]);
        return r;
}

const struct tally_sums *tally_sums(const struct tally *tally) {
        return &tally->sums;
}

struct walk {
        void (*handler)(const char *sysname, void *userdata);
        void *userdata;
};

static void visit(const void *node, VISIT order, void *closure) {
        const struct device *device = *(struct device *const *)node;
        const struct walk *walk = closure;

        if ((order == postorder || order == leaf) && device->waiting)
                walk->handler(device->sysname, walk->userdata);
}

void tally_walk_waiting(
                const struct tally *tally, void (*handler)(const char *sysname, void *userdata), void *userdata) {
        struct walk walk = {.handler = handler, .userdata = userdata};

        twalk_r(tally->devices, visit, &walk);
}
