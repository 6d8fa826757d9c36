/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/discover-md.h"
#include "common/mdattr.h"

#define MEMBER_PREFIX "dev-"
#define ATTRIBUTE_MAX 256

/* *ret is NULL where there is no such attribute. */
static int read_text(struct sysdir *dir, struct arena *arena, const char *attribute, const char **ret) {
        char text[ATTRIBUTE_MAX];

        *ret = NULL;
        if (sysdir_read(dir, attribute, text, sizeof(text)) < 0)
                return 0;
        *ret = arena_strdup(arena, text);
        return *ret ? 0 : -ENOMEM;
}

/* A number that is a pair while the array is being reshaped. Only a layout may be negative: it is, where none is set. */
static struct opt_int read_pair(struct sysdir *dir, const char *attribute, struct opt_int *ret_old) {
        char text[ATTRIBUTE_MAX];

        *ret_old = (struct opt_int){0};
        if (sysdir_read(dir, attribute, text, sizeof(text)) < 0)
                return (struct opt_int){0};
        return mdattr_parse_pair(text, ret_old);
}

static struct opt_int read_natural_pair(struct sysdir *dir, const char *attribute, struct opt_int *ret_old) {
        struct opt_int now = read_pair(dir, attribute, ret_old);

        *ret_old = opt_natural(*ret_old);
        return opt_natural(now);
}

static void read_progress(struct sysdir *dir, struct md_info *md) {
        char text[ATTRIBUTE_MAX];

        if (sysdir_read(dir, "sync_completed", text, sizeof(text)) >= 0)
                mdattr_parse_progress(text, &md->synced_sectors, &md->sync_sectors);
}

/* The position is "none", or how far the reshape has come; the level is one word. */
static bool is_reshaping(struct sysdir *dir, const struct md_info *md) {
        if (md->old.chunk_bytes.known || md->old.raid_disks.known || md->old.layout.known)
                return true;
        if (sysdir_read_int(dir, "reshape_position").known)
                return true;
        if (md->sync_action && strcmp(md->sync_action, "reshape") == 0)
                return true;
        return strchr(md->level, '(') != NULL;
}

static int read_member(struct sysdir *md_dir, struct arena *arena, const char *entry, struct md_member *ret) {
        _cleanup_(sysdir_close) struct sysdir dir = {};
        char text[ATTRIBUTE_MAX], *name;

        name = arena_strdup(arena, entry + strlen(MEMBER_PREFIX));
        if (!name)
                return -ENOMEM;
        for (char *p = name; *p; p++)
                if (*p == '!')
                        *p = '/';

        *ret = (struct md_member){.name = name, .slot = -1};
        if (sysdir_open_in(md_dir, entry, &dir) < 0)
                return 0;
        if (sysdir_read(&dir, "slot", text, sizeof(text)) >= 0)
                ret->slot = mdattr_parse_slot(text);
        if (sysdir_read(&dir, "state", text, sizeof(text)) >= 0)
                ret->states = mdattr_parse_states(text);
        return 0;
}

static int read_members(struct sysdir *dir, struct arena *arena, struct md_info *md) {
        _cleanup_(freep) char **names = NULL;
        size_t n = 0;

        if (sysdir_list(dir, MEMBER_PREFIX, &names) < 0)
                return 0;
        for (char **name = names; *name; name++)
                n++;
        md->members = arena_alloc_array(arena, n, sizeof(*md->members));
        if (!md->members)
                return -ENOMEM;

        for (char **name = names; *name; name++) {
                int r;

                r = read_member(dir, arena, *name, &md->members[md->n_members]);
                if (r < 0)
                        return r;
                md->n_members++;
        }
        return 0;
}

static int read_array(struct sysdir *dir, struct arena *arena, struct md_info *md) {
        if (read_text(dir, arena, "level", &md->level) < 0 ||
                        read_text(dir, arena, "metadata_version", &md->metadata) < 0 ||
                        read_text(dir, arena, "array_state", &md->array_state) < 0 ||
                        read_text(dir, arena, "sync_action", &md->sync_action) < 0)
                return -ENOMEM;
        if (!md->level)
                md->level = "";

        md->chunk_bytes = read_natural_pair(dir, "chunk_size", &md->old.chunk_bytes);
        md->raid_disks = read_natural_pair(dir, "raid_disks", &md->old.raid_disks);
        md->layout = read_pair(dir, "layout", &md->old.layout);
        md->degraded = opt_natural(sysdir_read_int(dir, "degraded"));
        read_progress(dir, md);
        md->reshaping = is_reshaping(dir, md);
        return read_members(dir, arena, md);
}

int md_read(struct sysdir *device, struct topology *topology, struct layer *layer) {
        _cleanup_(sysdir_close) struct sysdir dir = {};
        struct md_info *md;
        int r = 0;

        md = arena_alloc(topology->arena, sizeof(*md));
        if (!md)
                return -ENOMEM;
        md->level = "";
        if (sysdir_open_in(device, "md", &dir) == 0)
                r = read_array(&dir, topology->arena, md);
        if (r < 0)
                return r;

        layer->md = md;
        layer->kind = mdattr_kind(md);
        return 0;
}
