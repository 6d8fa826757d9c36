/* SPDX-License-Identifier: MIT */

/*
 * Tables of a captured machine, from files with what "dmsetup table" and "dmsetup status" printed. Its names are matched
 * with those in sysfs, or by number where there is dmsetup/info too.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/discover-dm.h"
#include "common/discover-line.h"
#include "common/dmtable.h"

#define INFO_PATH        "dmsetup/info"
#define REPORT_DIRECTORY "sos_commands/devicemapper"
#define REPORT_TABLE     "dmsetup_table"
#define REPORT_STATUS    "dmsetup_status"

/* A segment takes twenty times as much memory as its line. Half of a table would say what is not so. */
#define FILE_BYTES_MAX (32 << 20)

struct map_name {
        const char *name; /* demangled */
        struct layer *layer;
        size_t rank; /* of two with the same name the one with the lower rank is meant */
};

/* All maps: by the names they are known under, and by number. */
struct map_index {
        struct arena *arena; /* for as long as it is looked into */
        struct map_name *names;
        size_t n_names, n_names_max;
        struct layer **by_devno;
        size_t n_by_devno;
};

static int compare_devnos(const void *a, const void *b) {
        const struct layer *x = *(struct layer *const *)a, *y = *(struct layer *const *)b;

        if (x->major != y->major)
                return x->major < y->major ? -1 : 1;
        return x->minor < y->minor ? -1 : x->minor > y->minor;
}

static int compare_names(const void *a, const void *b) {
        const struct map_name *x = a, *y = b;

        return strcmp(x->name, y->name);
}

static int compare_ranks(const void *a, const void *b) {
        const struct map_name *x = a, *y = b;
        int order = compare_names(a, b);

        if (order != 0)
                return order;
        return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void add_name(struct map_index *index, const char *name, struct layer *layer) {
        if (index->n_names < index->n_names_max) {
                index->names[index->n_names] = (struct map_name){.name = name, .layer = layer, .rank = index->n_names};
                index->n_names++;
        }
}

static struct layer *find_devno(const struct map_index *index, unsigned major, unsigned minor) {
        const struct layer wanted = {.major = major, .minor = minor}, *key = &wanted;
        struct layer **found;

        found = bsearch(&key, index->by_devno, index->n_by_devno, sizeof(*index->by_devno), compare_devnos);
        return found ? *found : NULL;
}

/* NULL also for a map that is carried over: its lines are known. */
static struct layer *find_name(const struct map_index *index, const char *name) {
        const struct map_name key = {.name = name}, *found;

        found = bsearch(&key, index->names, index->n_names, sizeof(*index->names), compare_names);
        return found && !found->layer->carried ? found->layer : NULL;
}

/*
 * The map that a line of "dmsetup info -c --noheadings" is of: two fields next to each other are its number. *ret_head
 * is what stands before them.
 */
static struct layer *find_info_line(const struct map_index *index, char *line) {
        for (char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
                struct layer *layer;
                unsigned major, minor;
                int end = 0;

                if (sscanf(colon, ":%9u:%9u%n", &major, &minor, &end) != 2 || (colon[end] && colon[end] != ':'))
                        continue;
                layer = find_devno(index, major, minor);
                if (!layer)
                        continue;
                *colon = 0;
                return layer;
        }
        return NULL;
}

/* Cuts ":UUID" off, where the line has it between name and number. */
static void cut_uuid(char *head, const char *uuid) {
        size_t n = strlen(head), n_uuid = strlen(uuid);

        if (n > n_uuid && head[n - n_uuid - 1] == ':' && strcmp(head + n - n_uuid, uuid) == 0)
                head[n - n_uuid - 1] = 0;
}

static int read_info(const struct sysroot *root, char *line, struct map_index *index) {
        _cleanup_(fclosep) FILE *stream = NULL;

        if (sysroot_fopen(root, &stream, "%s", INFO_PATH) < 0)
                return 0;
        while (line_read(stream, line, LINE_BUFFER)) {
                struct layer *layer;
                char *head;

                layer = find_info_line(index, line);
                if (!layer)
                        continue;
                head = dmname_demangle(index->arena, line);
                if (!head)
                        return -ENOMEM;
                cut_uuid(head, layer->dm->uuid);
                add_name(index, head, layer);
        }
        (void)sysroot_check_stream(root, stream, INFO_PATH);
        return 0;
}

static void remove_duplicates(struct map_index *index) {
        size_t n = 0;

        qsort(index->names, index->n_names, sizeof(*index->names), compare_ranks);
        for (size_t i = 0; i < index->n_names; i++)
                if (n == 0 || compare_names(&index->names[i], &index->names[n - 1]) != 0)
                        index->names[n++] = index->names[i];
        index->n_names = n;
}

/* Numbers count for more than names, so dmsetup/info comes first. */
static int index_maps(const struct sysroot *root, struct topology *topology, char *line, struct map_index *index) {
        size_t n_maps = 0;
        int r;

        for (size_t i = 0; i < topology->n_layers; i++)
                n_maps += topology->layers[i]->dm != NULL;
        index->n_names_max = 2 * n_maps;
        index->names = arena_alloc_array(index->arena, index->n_names_max, sizeof(*index->names));
        index->by_devno = arena_alloc_array(index->arena, n_maps, sizeof(*index->by_devno));
        if (!index->names || !index->by_devno)
                return -ENOMEM;

        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->dm && topology->layers[i]->has_devno)
                        index->by_devno[index->n_by_devno++] = topology->layers[i];
        qsort(index->by_devno, index->n_by_devno, sizeof(*index->by_devno), compare_devnos);

        r = read_info(root, line, index);
        if (r < 0)
                return r;
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->dm)
                        add_name(index, topology->layers[i]->dm->name, topology->layers[i]);
        remove_duplicates(index);
        return 0;
}

/* What lines are read with; BUFFER is for one of them. */
struct reader {
        const struct sysroot *root;
        struct topology *topology;
        struct map_index index;
        char *buffer;
};

/* What to do with a line. Returns 1 if it is one of such a file, 0 if not, or -ENOMEM. */
typedef int (*line_handler)(const struct reader *reader, char *line);

/* A line of "dmsetup table" or "dmsetup status"; LAYER is NULL if it is of a map that is not there. */
struct table_line {
        struct layer *layer;
        uint64_t start_sectors, length_sectors;
        const char *target, *params; /* NULL without a table */
};

/* Returns as a line_handler. */
static int split_line(const struct reader *reader, char *line, struct table_line *ret) {
        const char *name;

        if (dmtable_split_line(line, &name, &ret->start_sectors, &ret->length_sectors, &ret->target, &ret->params) < 0)
                return 0;
        name = dmname_demangle(reader->index.arena, name);
        if (!name)
                return -ENOMEM;
        ret->layer = find_name(&reader->index, name);
        return 1;
}

static int read_table_line(const struct reader *reader, char *line) {
        struct table_line split;
        int r;

        r = split_line(reader, line, &split);
        if (r <= 0 || !split.layer)
                return r;
        split.layer->dm->tables_known = true;
        if (!split.target)
                return 1;
        r = dm_add_target(reader->topology, split.layer, split.start_sectors, split.length_sectors, split.target,
                        split.params);
        if (r >= 0)
                r = dm_record_target(reader->root, split.layer, split.start_sectors, split.length_sectors, split.target,
                                split.params);
        if (r < 0)
                return r;
        dm_record_line_end(reader->root);
        return 1;
}

static int read_status_line(const struct reader *reader, char *line) {
        struct table_line split;
        int r;

        r = split_line(reader, line, &split);
        if (r <= 0 || !split.layer || !split.target)
                return r;
        r = dm_add_status(reader->root, split.layer, split.start_sectors, split.length_sectors, split.target,
                        split.params);
        return r < 0 ? r : 1;
}

/* Returns 1 if the file is there and has such lines, 0 if not, or -ENOMEM. */
static int read_lines(const struct reader *reader, const char *path, line_handler handler) {
        _cleanup_(fclosep) FILE *stream = NULL;
        struct stat st;
        bool found = false;

        if (sysroot_fopen(reader->root, &stream, "%s", path) < 0)
                return 0;
        if (fstat(fileno(stream), &st) == 0 && st.st_size > FILE_BYTES_MAX) {
                (void)sysroot_note_error(reader->root, path, -EOVERFLOW);
                return 0;
        }
        while (line_read(stream, reader->buffer, LINE_BUFFER)) {
                int r;

                r = handler(reader, reader->buffer);
                if (r < 0)
                        return r;
                found |= r > 0;
        }
        (void)sysroot_check_stream(reader->root, stream, path);
        return found;
}

/* As read_lines(), for the first of a support report's files with such lines. */
static int read_report(const struct reader *reader, const char *prefix, line_handler handler) {
        _cleanup_(freep) char **names = NULL;

        if (sysroot_list(reader->root, prefix, &names, REPORT_DIRECTORY) < 0)
                return 0;
        for (char **name = names; *name; name++) {
                const char *path;
                int r;

                path = arena_printf(reader->index.arena, REPORT_DIRECTORY "/%s", *name);
                if (!path)
                        return -ENOMEM;
                r = read_lines(reader, path, handler);
                if (r != 0)
                        return r;
        }
        return 0;
}

static int note_unknown(struct topology *topology) {
        const struct layer *first = NULL;
        size_t n = 0;

        for (size_t i = topology->n_layers; i > 0; i--) {
                const struct layer *layer = topology->layers[i - 1];

                if (layer->dm && !layer->dm->tables_known) {
                        first = layer;
                        n++;
                }
        }
        if (n == 0)
                return 0;
        return topology_add_note(topology, "The capture's device-mapper tables lack %s%s: their targets are not known.",
                        first->name, n > 1 ? " and others" : "");
}

/* Of maps that do not need one the status is passed over; where it is missing the tables have the last word. */
static int read_status(const struct reader *reader) {
        int r;

        r = read_lines(reader, "dmsetup/status", read_status_line);
        if (r == 0)
                r = read_report(reader, REPORT_STATUS, read_status_line);
        return r < 0 ? r : 0;
}

int dm_read_tables_captured(const struct sysroot *root, struct topology *topology) {
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        _cleanup_(freep) char *buffer = malloc(LINE_BUFFER);
        struct reader reader = {.root = root, .topology = topology, .index.arena = scratch, .buffer = buffer};
        int r;

        if (!scratch || !buffer)
                return -ENOMEM;
        r = index_maps(root, topology, buffer, &reader.index);
        if (r < 0)
                return r;
        r = read_lines(&reader, "dmsetup/table", read_table_line);
        if (r == 0)
                r = read_report(&reader, REPORT_TABLE, read_table_line);
        if (r < 0)
                return r;
        if (r == 0)
                return topology_add_note(topology, "The capture has no device-mapper tables (dmsetup/table): what maps "
                                                   "lie over is known from sysfs only, without targets.");
        r = read_status(&reader);
        return r < 0 ? r : note_unknown(topology);
}
