/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/discover-md.h"
#include "common/mdattr.h"

#define MEMBER_PREFIX "dev-"
#define ATTRIBUTE_MAX 256

/* *ret is NULL where there is no such attribute. */
static int read_text(const struct sysroot *root, struct arena *arena, const char *path, const char *attribute,
                const char **ret) {
        char text[ATTRIBUTE_MAX];

        *ret = NULL;
        if (sysroot_read(root, text, sizeof(text), "%s/md/%s", path, attribute) < 0)
                return 0;
        *ret = arena_strdup(arena, text);
        return *ret ? 0 : -ENOMEM;
}

/* A number that is a pair while the array is being reshaped. */
static struct opt_int read_pair(
                const struct sysroot *root, const char *path, const char *attribute, struct opt_int *ret_old) {
        char text[ATTRIBUTE_MAX];

        *ret_old = (struct opt_int){0};
        if (sysroot_read(root, text, sizeof(text), "%s/md/%s", path, attribute) < 0)
                return (struct opt_int){0};
        return mdattr_parse_pair(text, ret_old);
}

static void read_progress(const struct sysroot *root, const char *path, struct md_info *md) {
        char text[ATTRIBUTE_MAX];

        if (sysroot_read(root, text, sizeof(text), "%s/md/sync_completed", path) >= 0)
                mdattr_parse_progress(text, &md->synced_sectors, &md->sync_sectors);
}

/* The position is "none", or how far the reshape has come; the level is one word. */
static bool is_reshaping(const struct sysroot *root, const char *path, const struct md_info *md) {
        if (md->old.chunk_bytes.known || md->old.raid_disks.known || md->old.layout.known)
                return true;
        if (sysroot_read_int(root, "%s/md/reshape_position", path).known)
                return true;
        if (md->sync_action && strcmp(md->sync_action, "reshape") == 0)
                return true;
        return strchr(md->level, '(') != NULL;
}

static int read_member(const struct sysroot *root, struct arena *arena, const char *path, const char *entry,
                struct md_member *ret) {
        char text[ATTRIBUTE_MAX], *name;

        name = arena_strdup(arena, entry + strlen(MEMBER_PREFIX));
        if (!name)
                return -ENOMEM;
        for (char *p = name; *p; p++)
                if (*p == '!')
                        *p = '/';

        *ret = (struct md_member){.name = name, .slot = -1};
        if (sysroot_read(root, text, sizeof(text), "%s/md/%s/slot", path, entry) >= 0)
                ret->slot = mdattr_parse_slot(text);
        if (sysroot_read(root, text, sizeof(text), "%s/md/%s/state", path, entry) >= 0)
                ret->states = mdattr_parse_states(text);
        return 0;
}

static int read_members(const struct sysroot *root, struct arena *arena, const char *path, struct md_info *md) {
        _cleanup_(sysroot_names_freep) char **names = NULL;
        size_t n = 0;

        if (sysroot_list(root, MEMBER_PREFIX, &names, "%s/md", path) < 0)
                return 0;
        for (char **name = names; *name; name++)
                n++;
        md->members = arena_alloc_array(arena, n, sizeof(*md->members));
        if (!md->members)
                return -ENOMEM;

        for (char **name = names; *name; name++) {
                int r;

                r = read_member(root, arena, path, *name, &md->members[md->n_members]);
                if (r < 0)
                        return r;
                md->n_members++;
        }
        return 0;
}

int md_read(const struct sysroot *root, struct topology *topology, const char *path, struct layer *layer) {
        struct arena *arena = topology->arena;
        struct md_info *md;
        int r;

        md = arena_alloc(arena, sizeof(*md));
        if (!md)
                return -ENOMEM;
        if (read_text(root, arena, path, "level", &md->level) < 0 ||
                        read_text(root, arena, path, "metadata_version", &md->metadata) < 0 ||
                        read_text(root, arena, path, "array_state", &md->array_state) < 0 ||
                        read_text(root, arena, path, "sync_action", &md->sync_action) < 0)
                return -ENOMEM;
        if (!md->level)
                md->level = "";

        md->chunk_bytes = read_pair(root, path, "chunk_size", &md->old.chunk_bytes);
        md->raid_disks = read_pair(root, path, "raid_disks", &md->old.raid_disks);
        md->layout = read_pair(root, path, "layout", &md->old.layout);
        md->degraded = sysroot_read_int(root, "%s/md/degraded", path);
        read_progress(root, path, md);
        md->reshaping = is_reshaping(root, path, md);
        r = read_members(root, arena, path, md);
        if (r < 0)
                return r;

        layer->md = md;
        layer->kind = mdattr_kind(md);
        return 0;
}
