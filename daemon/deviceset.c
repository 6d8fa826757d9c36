/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>

#include "daemon/deviceset.h"

struct deviceset_node {
        struct deviceset_node *next;
        struct device_identity device;
};

static size_t bucket_of(const struct device_identity *device) {
        return device_number_hash(device) % DEVICESET_BUCKETS;
}

void deviceset_done(struct deviceset *set) {
        for (size_t i = 0; i < DEVICESET_BUCKETS; i++)
                while (set->buckets[i]) {
                        struct deviceset_node *node = set->buckets[i];

                        set->buckets[i] = node->next;
                        free(node);
                }
}

/* Where it is, or the end of its bucket. */
static struct deviceset_node **find(struct deviceset *set, const struct device_identity *device) {
        struct deviceset_node **link = &set->buckets[bucket_of(device)];

        while (*link && !device_identity_equal(&(*link)->device, device))
                link = &(*link)->next;
        return link;
}

int deviceset_add(struct deviceset *set, const struct device_identity *device) {
        struct deviceset_node **link = find(set, device);

        if (*link)
                return 0;
        *link = calloc(1, sizeof(**link));
        if (!*link)
                return -ENOMEM;
        (*link)->device = *device;
        return 0;
}

void deviceset_remove(struct deviceset *set, const struct device_identity *device) {
        struct deviceset_node **link = find(set, device), *node = *link;

        if (!node)
                return;
        *link = node->next;
        free(node);
}

bool deviceset_contains(const struct deviceset *set, const struct device_identity *device) {
        for (const struct deviceset_node *node = set->buckets[bucket_of(device)]; node; node = node->next)
                if (device_identity_equal(&node->device, device))
                        return true;
        return false;
}
