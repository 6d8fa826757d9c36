/* SPDX-License-Identifier: MIT */

/*
 * What the kernel calls things is left alone, so that a machine named "sda" or "dm" does no harm; but for arrays, whose
 * names may be "md_NAME". Numbers, types and LVM's uuids, which are random, stay as they are.
 */

#include <ctype.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <stdbool.h>
#include <string.h>

#include "common/capture-identifier.h"
#include "common/capture-pseudonym.h"
#include "common/capture-table.h"
#include "common/discover-host.h"
#include "common/dmtable.h"

#define NAMED_ARRAY    "md_"
#define WWN_DIGITS     16 /* at least; a WWID has one more before it, which says how it was made */
#define ESCAPED        " \t\n\\#"
#define MOUNT_POINT    4 /* the word of mountinfo, counted from 0 */
#define UUID_MULTIPATH "mpath-"

struct map_name {
        const char *from; /* demangled */
        const char *to;   /* mangled; the same where nothing was to be replaced */
};

struct context {
        const struct topology *topology;
        struct identifiers *identifiers;
        struct arena *arena;
        struct map_name *names;
        size_t n_names;
};

/* --- identifiers */

/* kpartx puts "partN-" before the uuid of the map that it splits. */
static const char *skip_partition(const char *uuid) {
        const char *end = strncmp(uuid, "part", 4) == 0 ? uuid + 4 : uuid;

        while (isdigit((unsigned char)*end))
                end++;
        return end > uuid + 4 && *end == '-' ? end + 1 : uuid;
}

/* The WWID in the uuid of a multipath map, or of a partition of one; NULL for other maps. */
static const char *find_wwid(const char *uuid) {
        uuid = skip_partition(uuid);
        return strncmp(uuid, UUID_MULTIPATH, strlen(UUID_MULTIPATH)) == 0 ? uuid + strlen(UUID_MULTIPATH) : NULL;
}

static int add_wwid(struct identifiers *identifiers, const char *wwid) {
        const size_t n = strlen(wwid);
        int r;

        r = identifiers_add(identifiers, IDENTIFIER_WWID, wwid);
        if (r < 0 || n <= WWN_DIGITS || strspn(wwid, "0123456789abcdefABCDEF") < n)
                return r;
        return identifiers_add(identifiers, IDENTIFIER_WWID, wwid + 1);
}

static int add_wwids(const struct context *context) {
        for (size_t i = 0; i < context->topology->n_layers; i++) {
                const struct dm_info *dm = context->topology->layers[i]->dm;
                const char *wwid = dm ? find_wwid(dm->uuid) : NULL;

                if (wwid && add_wwid(context->identifiers, wwid) < 0)
                        return -ENOMEM;
        }
        return 0;
}

/* --- names */

/* Returns 0 or -ENOMEM, as all put_*(). */
static int put_replaced(FILE *stream, const struct context *context, const char *text) {
        _cleanup_(freep) char *replaced = identifiers_replace(context->identifiers, text);

        if (!replaced)
                return -ENOMEM;
        fputs(replaced, stream);
        return 0;
}

/* Takes the part up to the next single hyphen off NAME, and writes it, with hyphens doubled as they were. */
static int put_volume_part(FILE *stream, const struct context *context, const char **name) {
        _cleanup_(freep) char *part = strdup(*name), *replaced = NULL;
        char *end = part;

        if (!part)
                return -ENOMEM;
        for (; **name && ((*name)[0] != '-' || (*name)[1] == '-'); *name += (*name)[0] == '-' ? 2 : 1)
                *end++ = **name;
        *end = 0;
        replaced = identifiers_replace(context->identifiers, part);
        if (!replaced)
                return -ENOMEM;
        for (const char *p = replaced; *p; p++)
                fprintf(stream, "%s%c", *p == '-' ? "-" : "", *p);
        return 0;
}

/* LVM puts single hyphens between its names, and doubles those in them. */
static int put_volume(FILE *stream, const struct context *context, const char *name) {
        while (*name) {
                if (put_volume_part(stream, context, &name) < 0)
                        return -ENOMEM;
                if (*name)
                        fputc(*name++, stream);
        }
        return 0;
}

static int put_map_name(FILE *stream, const struct context *context, const struct dm_info *dm) {
        return dm->vg ? put_volume(stream, context, dm->name) : put_replaced(stream, context, dm->name);
}

static int rename_map(const struct context *context, const struct dm_info *dm, const char **ret) {
        _cleanup_(freep) char *name = NULL, *mangled = NULL;
        FILE *stream;
        size_t size;
        int r;

        stream = open_memstream(&name, &size);
        if (!stream)
                return -ENOMEM;
        r = put_map_name(stream, context, dm);
        if (fclose(stream) != 0 || r < 0)
                return -ENOMEM;
        mangled = capture_mangle_name(name);
        *ret = mangled ? arena_strdup(context->arena, mangled) : NULL;
        return *ret ? 0 : -ENOMEM;
}

static int compare_names(const void *a, const void *b) {
        const struct map_name *x = a, *y = b;

        return strcmp(x->from, y->from);
}

static int rename_maps(struct context *context) {
        const struct topology *topology = context->topology;

        context->names = arena_alloc_array(context->arena, topology->n_layers, sizeof(*context->names));
        if (!context->names)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct dm_info *dm = topology->layers[i]->dm;
                struct map_name *name = &context->names[context->n_names];

                if (!dm || !*dm->name)
                        continue;
                name->from = dm->name;
                if (rename_map(context, dm, &name->to) < 0)
                        return -ENOMEM;
                context->n_names++;
        }
        qsort(context->names, context->n_names, sizeof(*context->names), compare_names);
        return 0;
}

/* *ret is what the map is called in the copy, NULL if there is none of this name. */
static int find_map(const struct context *context, const char *mangled, const char **ret) {
        const struct map_name key = {.from = dmname_demangle(context->arena, mangled)}, *found;

        if (!key.from)
                return -ENOMEM;
        found = bsearch(&key, context->names, context->n_names, sizeof(*context->names), compare_names);
        *ret = found ? found->to : NULL;
        return 0;
}

static int put_map(FILE *stream, const struct context *context, const char *mangled) {
        const char *name;

        if (find_map(context, mangled, &name) < 0)
                return -ENOMEM;
        fputs(name ?: mangled, stream);
        return 0;
}

/* Past what discovery knows the sort of map by. Of LVM's, all of it is random. */
static const char *skip_sort(const char *uuid) {
        if (strncmp(uuid, "LVM-", 4) == 0)
                return uuid + strlen(uuid);
        if (strncmp(uuid, "CRYPT-", 6) == 0)
                return uuid + 6 + strcspn(uuid + 6, "-");
        return find_wwid(uuid) ?: uuid;
}

static int put_uuid(FILE *stream, const struct context *context, const char *mangled) {
        _cleanup_(freep) char *replaced = NULL, *again = NULL;
        const char *uuid = dmname_demangle(context->arena, mangled), *rest;

        if (!uuid)
                return -ENOMEM;
        rest = skip_sort(uuid);
        replaced = identifiers_replace(context->identifiers, rest);
        again = replaced ? capture_mangle_name(replaced) : NULL;
        if (!again)
                return -ENOMEM;
        fprintf(stream, "%.*s%s", (int)(rest - uuid), uuid, again);
        return 0;
}

/* The kernel's name of a device. */
static int put_device(FILE *stream, const struct context *context, const char *name) {
        if (strncmp(name, NAMED_ARRAY, strlen(NAMED_ARRAY)) != 0) {
                fputs(name, stream);
                return 0;
        }
        fputs(NAMED_ARRAY, stream);
        return put_replaced(stream, context, name + strlen(NAMED_ARRAY));
}

/* A file, or a device by any of its names. */
static int put_path(FILE *stream, const struct context *context, const char *path) {
        const char *map = strncmp(path, "/dev/mapper/", 12) == 0 ? path + 12 : NULL, *name = NULL;

        if (map && find_map(context, map, &name) < 0)
                return -ENOMEM;
        if (name) {
                fprintf(stream, "/dev/mapper/%s", name);
                return 0;
        }
        if (strncmp(path, "/dev/", 5) != 0)
                return put_replaced(stream, context, path);
        fputs("/dev/", stream);
        return topology_find(context->topology, path + 5) ? put_device(stream, context, path + 5)
                                                          : put_replaced(stream, context, path + 5);
}

/* --- files */

static int put_mount_point(FILE *stream, const struct context *context, const char *escaped) {
        _cleanup_(freep) char *path = NULL, *plain = mnt_unmangle(escaped);
        FILE *replaced;
        size_t size;
        int r;

        replaced = plain ? open_memstream(&path, &size) : NULL;
        if (!replaced)
                return -ENOMEM;
        r = put_path(replaced, context, plain);
        if (fclose(replaced) != 0 || r < 0)
                return -ENOMEM;
        for (const char *p = path; *p; p++)
                fprintf(stream, strchr(ESCAPED, *p) ? "\\%03o" : "%c", (unsigned char)*p);
        return 0;
}

/* Lines of mounts and of swaps: the latter have no path where the former have the mount point. */
static int put_words(FILE *stream, const struct context *context, char *line) {
        for (unsigned i = 0; line; i++) {
                const char *separator = strchr(line, ' ') ? " " : "";
                char *word = strsep(&line, " ");
                int r = 0;

                if (i == MOUNT_POINT && *word == '/')
                        r = put_mount_point(stream, context, word);
                else if (strncmp(word, "/dev/", 5) == 0) {
                        fputs("/dev/", stream);
                        r = put_device(stream, context, word + 5);
                } else
                        fputs(word, stream);
                if (r < 0)
                        return r;
                fputs(separator, stream);
        }
        return 0;
}

/* "NAME: TABLE", "NAME:MAJOR:MINOR". A name may have colons, but no spaces. */
static int put_map_line(FILE *stream, const struct context *context, char *line) {
        char *colon = strstr(line, ": ");

        if (!colon) {
                colon = strrchr(line, ':');
                colon = colon ? memrchr(line, ':', (size_t)(colon - line)) : NULL;
        }
        if (!colon) {
                fputs(line, stream);
                return 0;
        }
        *colon = 0;
        if (put_map(stream, context, line) < 0)
                return -ENOMEM;
        fprintf(stream, ":%s", colon + 1);
        return 0;
}

/* Each may change the text. */
typedef int (*writer)(FILE *stream, const struct context *context, char *text);

static int put_map_text(FILE *stream, const struct context *context, char *text) {
        return put_map(stream, context, text);
}

static int put_uuid_text(FILE *stream, const struct context *context, char *text) {
        return put_uuid(stream, context, text);
}

static int put_path_text(FILE *stream, const struct context *context, char *text) {
        return put_path(stream, context, text);
}

struct format {
        const char *end; /* of the file's path */
        writer put;
        bool lines; /* one by one; else all but the last newline at once */
};

/* For files with names in them; NULL for all others. */
static const struct format *find_format(const char *path) {
        static const struct format formats[] = {
                        {"/dm/name", put_map_text, false},
                        {"/dm/uuid", put_uuid_text, false},
                        {"/loop/backing_file", put_path_text, false},
                        {"dmsetup/table", put_map_line, true},
                        {"dmsetup/status", put_map_line, true},
                        {"dmsetup/info", put_map_line, true},
                        {HOST_MOUNTINFO, put_words, true},
                        {HOST_SWAPS, put_words, true},
        };
        const size_t n = strlen(path);

        for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
                size_t n_end = strlen(formats[i].end);

                if (n >= n_end && strcmp(path + n - n_end, formats[i].end) == 0)
                        return &formats[i];
        }
        return NULL;
}

/* The length of what is to be written at once, without its newline. */
static size_t measure(const char *text, bool lines) {
        size_t n = lines ? strcspn(text, "\n") : strlen(text);

        if (lines)
                return n;
        return n > 0 && text[n - 1] == '\n' ? n - 1 : n;
}

static int copy_text(const struct context *context, const struct record_entry *entry, const struct format *format,
                struct record *to, const char *path) {
        _cleanup_(freep) char *text = strndup(entry->text, entry->size), *copied = NULL;
        FILE *stream;
        size_t size;
        int r = 0;

        stream = text ? open_memstream(&copied, &size) : NULL;
        if (!stream)
                return -ENOMEM;
        for (char *part = text, *next = text; *part && r >= 0; part = next) {
                size_t n = measure(part, format->lines);
                bool newline = part[n] == '\n';

                next = part + n + newline;
                part[n] = 0;
                r = format->put(stream, context, part);
                if (newline)
                        fputc('\n', stream);
        }
        if (fclose(stream) != 0 || r < 0)
                return -ENOMEM;
        record_file(to, path, copied, size);
        return 0;
}

/* Of a device's name in names of files: md's members, and what udev's database has without a number. */
static const char *const device_prefixes[] = {"dev-", "+block:"};

static int rename_path(const struct context *context, const char *path, char **ret) {
        _cleanup_(freep) char *copy = strdup(path);
        char *rest = copy;
        FILE *stream;
        size_t size;
        int r = copy ? 0 : -ENOMEM;

        stream = open_memstream(ret, &size);
        if (!stream)
                return -ENOMEM;
        while (rest && r >= 0) {
                char *component = strsep(&rest, "/"), *name = component;

                for (size_t i = 0; i < ARRAY_SIZE(device_prefixes); i++)
                        if (strncmp(component, device_prefixes[i], strlen(device_prefixes[i])) == 0)
                                name = component + strlen(device_prefixes[i]);
                fprintf(stream, "%.*s", (int)(name - component), component);
                r = put_device(stream, context, name);
                if (rest)
                        fputc('/', stream);
        }
        return fclose(stream) == 0 && r >= 0 ? 0 : -ENOMEM;
}

static int copy_entry(const struct context *context, const struct record_entry *entry, struct record *to) {
        _cleanup_(freep) char *path = NULL;
        const struct format *format = find_format(entry->path);

        if (rename_path(context, entry->path, &path) < 0)
                return -ENOMEM;
        if (entry->type == RECORD_DIRECTORY)
                record_directory(to, path);
        else if (entry->type == RECORD_LINK)
                record_link(to, path, entry->text);
        else if (!format)
                record_file(to, path, entry->text, entry->size);
        else
                return copy_text(context, entry, format, to, path);
        return 0;
}

static int copy_all(struct context *context, struct record *from, struct record *to) {
        const struct record_entry *list;
        size_t n;

        if (record_list(from, &list, &n) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                identifiers_reserve(context->identifiers, list[i].path, strlen(list[i].path));
                identifiers_reserve(context->identifiers, list[i].text, list[i].size);
        }
        if (add_wwids(context) < 0 || rename_maps(context) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (copy_entry(context, &list[i], to) < 0)
                        return -ENOMEM;
        return 0;
}

int capture_pseudonymize(struct record *from, const struct topology *topology, struct record **ret) {
        _cleanup_(record_freep) struct record *to = record_new();
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct context context = {.topology = topology, .identifiers = record_identifiers(from), .arena = arena};

        if (!to || !arena || copy_all(&context, from, to) < 0)
                return -ENOMEM;
        *ret = TAKE_PTR(to);
        return 0;
}
