/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <libmount/libmount.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/discover-host.h"
#include "common/discover-line.h"

#define PROC_LINE_MAX   256
#define PROC_LINES_MAX  64
#define TABLE_BYTES_MAX (16 << 20)

DEFINE_CLEANUP(struct libmnt_table *, mnt_unref_table);
DEFINE_CLEANUP(struct libmnt_iter *, mnt_free_iter);

typedef int (*entry_handler)(struct topology *topology, struct libmnt_fs *fs);

/* Users may mount by FUSE, and name as the source what they like: a device that they may not even read. */
static bool names_own_source(const char *type) {
        return strcmp(type, "fuse") == 0 || strncmp(type, "fuse.", strlen("fuse.")) == 0;
}

static int add_mount(struct topology *topology, struct libmnt_fs *fs) {
        dev_t devno = mnt_fs_get_devno(fs);
        struct mount mount = {
                        .path = mnt_fs_get_target(fs),
                        .fs = mnt_fs_get_fstype(fs),
                        .source = mnt_fs_get_source(fs),
                        .major = major(devno),
                        .minor = minor(devno),
        };

        if (!mount.path || !mount.fs)
                return 0;
        if (names_own_source(mount.fs))
                mount.source = NULL;
        return topology_add_mount(topology, &mount);
}

static int add_swap(struct topology *topology, struct libmnt_fs *fs) {
        const char *path = mnt_fs_get_source(fs), *type = mnt_fs_get_swaptype(fs);

        /* A swap file is read around its file system, and has no readahead. */
        return path && type && strcmp(type, "partition") == 0 ? topology_add_swap(topology, path) : 0;
}

/* A line that makes no sense is passed over. */
static int skip_entry(struct libmnt_table *table, const char *name, int line) {
        return 1;
}

static int parse_table(const struct sysroot *root, FILE *stream, const char *path, struct topology *topology,
                entry_handler handler) {
        _cleanup_(mnt_unref_tablep) struct libmnt_table *table = NULL;
        _cleanup_(mnt_free_iterp) struct libmnt_iter *iterator = NULL;
        struct libmnt_fs *fs;
        int r;

        table = mnt_new_table();
        iterator = mnt_new_iter(MNT_ITER_FORWARD);
        if (!table || !iterator || mnt_table_set_parser_errcb(table, skip_entry) < 0)
                return -ENOMEM;
        r = mnt_table_parse_stream(table, stream, path);
        if (r < 0 && !feof(stream)) /* what there is of it counts */
                (void)sysroot_note_error(root, path, r == -ENOMEM ? r : -EIO);
        while (mnt_table_next_fs(table, iterator, &fs) == 0) {
                r = handler(topology, fs);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Whether a word is "/dev/root" once libmount has undone its escapes. */
static bool is_root_source(const char *word) {
        _cleanup_(freep) char *plain = mnt_unmangle(word);

        return !plain || strcmp(plain, "/dev/root") == 0;
}

/*
 * Makes "rootfs" of each source "/dev/root" in a line of mountinfo. What libmount takes for the source follows a " - ";
 * as which of them that is depends on what is before it, any will do.
 */
static void hide_root_source(char *line) {
        static const char blanks[] = " \t", other[] = "rootfs";

        for (char *dash = strstr(line, " - "); dash; dash = strstr(dash + 1, " - ")) {
                char *type = dash + 3 + strspn(dash + 3, blanks), *source = type + strcspn(type, blanks);
                size_t n;

                source += strspn(source, blanks);
                n = strcspn(source, blanks);
                if (n < strlen("/dev/root") || !is_root_source(source))
                        continue;
                memset(source, ' ', n);
                memcpy(source, other, strlen(other));
        }
}

/* No entry of a table has fewer than four words. libmount takes long to say that of millions of lines. */
static bool is_entry(const char *line) {
        static const char blanks[] = " \t";
        unsigned n = 0;

        for (line += strspn(line, blanks); *line && n < 4; line += strspn(line, blanks)) {
                line += strcspn(line, blanks);
                n++;
        }
        return n == 4;
}

/*
 * Copies a table so that libmount finds no /dev/root in it. *ret is set on failure too. -EOVERFLOW: there is more than is
 * read.
 */
static int copy_table(FILE *stream, char **ret, size_t *ret_size) {
        _cleanup_(freep) char *line = NULL;
        FILE *copy;

        line = malloc(LINE_BUFFER);
        if (!line)
                return -ENOMEM;
        copy = open_memstream(ret, ret_size);
        if (!copy)
                return -ENOMEM;
        while (ftello(stream) < TABLE_BYTES_MAX && line_read(stream, line, LINE_BUFFER)) {
                if (!is_entry(line))
                        continue;
                hide_root_source(line);
                fprintf(copy, "%s\n", line);
        }
        if (fclose(copy) != 0)
                return -ENOMEM;
        return ftello(stream) < TABLE_BYTES_MAX ? 0 : -EOVERFLOW;
}

/*
 * A table of a captured machine. Left alone, libmount would replace a source of /dev/root by what the running machine has
 * under that number, or was booted from: in any file with lines as in mountinfo, whatever its name.
 */
static int parse_captured(const struct sysroot *root, FILE *stream, const char *path, struct topology *topology,
                entry_handler handler) {
        _cleanup_(fclosep) FILE *copied = NULL;
        _cleanup_(freep) char *copy = NULL;
        size_t size;
        int r;

        r = copy_table(stream, &copy, &size);
        if (r == -ENOMEM)
                return r;
        (void)sysroot_note_error(root, path, r); /* what was read of it counts */
        if (size == 0)
                return 0;
        copied = fmemopen(copy, size, "r");
        return copied ? parse_table(root, copied, path, topology, handler) : -ENOMEM;
}

/* Returns 0, -ENOENT or the like where the file can't be opened, or -ENOMEM. */
static int read_table(const struct sysroot *root, struct topology *topology, const char *path, entry_handler handler) {
        _cleanup_(fclosep) FILE *stream = NULL;
        int r;

        r = sysroot_fopen(root, &stream, "%s", path);
        if (r < 0)
                return r;
        r = sysroot_is_live(root) ? parse_table(root, stream, path, topology, handler)
                                  : parse_captured(root, stream, path, topology, handler);
        (void)sysroot_check_stream(root, stream, path);
        return r;
}

int host_read_mounts(const struct sysroot *root, struct topology *topology) {
        int r;

        r = read_table(root, topology, HOST_MOUNTINFO, add_mount);
        /* Some captures have only proc/mounts, which lacks device numbers: then sources must do. */
        if (r < 0 && r != -ENOMEM && !sysroot_is_live(root))
                r = read_table(root, topology, "proc/mounts", add_mount);
        if (r >= 0)
                sysroot_record_text(root, HOST_MOUNTINFO, "%s", "");
        else if (r != -ENOMEM)
                r = topology_add_note(topology, "There is no proc/self/mountinfo: which layers carry file systems, "
                                                "and what loop files lie on, is not known.");
        return r;
}

int host_read_swaps(const struct sysroot *root, struct topology *topology) {
        int r;

        r = read_table(root, topology, HOST_SWAPS, add_swap);
        if (r >= 0)
                sysroot_record_text(root, HOST_SWAPS, "Filename\tType\tSize\tUsed\tPriority\n");
        else if (r != -ENOMEM)
                r = topology_add_note(topology, "There is no proc/swaps: which layers are swap is not known.");
        return r;
}

/* The number in a line "NAME:   NUMBER kB", in bytes. */
static struct opt_int parse_kilobytes(const char *line, const char *name) {
        size_t n = strlen(name);
        int64_t kib;
        int end = 0;

        if (strncmp(line, name, n) != 0)
                return (struct opt_int){0};
        if (sscanf(line + n, ": %15" SCNd64 " kB%n", &kib, &end) != 1 || end == 0)
                return (struct opt_int){0};
        return bytes_from_kib(opt_some(kib));
}

/* Looks for it in the first LINES_MAX lines of a file. */
static struct opt_int read_kilobytes(
                const struct sysroot *root, const char *path, const char *name, unsigned lines_max) {
        _cleanup_(fclosep) FILE *stream = NULL;
        char line[PROC_LINE_MAX];

        if (sysroot_fopen(root, &stream, "%s", path) < 0)
                return (struct opt_int){0};
        for (unsigned i = 0; i < lines_max && line_read(stream, line, sizeof(line)); i++) {
                struct opt_int bytes = parse_kilobytes(line, name);

                if (bytes.known)
                        return bytes;
        }
        (void)sysroot_check_stream(root, stream, path);
        return (struct opt_int){0};
}

static int read_memory(const struct sysroot *root, struct topology *topology) {
        topology->memory_bytes = read_kilobytes(root, "proc/meminfo", "MemTotal", PROC_LINES_MAX);
        if (topology->memory_bytes.known) {
                sysroot_record_text(root, "proc/meminfo", "MemTotal: %" PRId64 " kB\n",
                                topology->memory_bytes.value / 1024);
                return 0;
        }
        return topology_add_note(topology, "There is no proc/meminfo: the size of memory bounds nothing.");
}

static bool is_page_size(int64_t bytes) {
        return bytes >= 4096 && bytes <= 1 << 20 && (bytes & (bytes - 1)) == 0;
}

static void read_page_size(const struct sysroot *root, struct topology *topology) {
        int64_t bytes;

        if (sysroot_is_live(root))
                bytes = sysconf(_SC_PAGESIZE);
        else
                bytes = opt_or(read_kilobytes(root, "proc/self/smaps", "KernelPageSize", PROC_LINES_MAX), 0);
        if (!is_page_size(bytes))
                return;
        topology->page_bytes = (uint64_t)bytes;
        sysroot_record_text(root, "proc/self/smaps", "KernelPageSize: %" PRId64 " kB\n", bytes / 1024);
}

int host_read_memory(const struct sysroot *root, struct topology *topology) {
        read_page_size(root, topology);
        return read_memory(root, topology);
}
