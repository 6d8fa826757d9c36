/* SPDX-License-Identifier: MIT */

/*
 * Reading below a root directory. On this machine that is plain openat(2) from "/". In a capture every lookup goes
 * through openat2(2), and a file is looked at (O_PATH) before it is opened: opening a device node can do things.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common/capture-record.h"
#include "common/sysdir.h"
#include "common/sysroot-private.h"
#include "common/temporary.h"

/* openat2() gives EAGAIN when something anywhere was renamed while it walked over "..". */
#define LOOKUP_ATTEMPTS 128

int sysroot_open(const char *path, struct sysroot **ret) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct stat here, slash;

        root = malloc(sizeof(*root));
        if (!root)
                return -ENOMEM;
        *root = (struct sysroot){.fd = -1, .failures = calloc(1, sizeof(*root->failures))};
        if (!root->failures)
                return -ENOMEM;

        root->fd = open(path ?: "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (root->fd < 0 || fstat(root->fd, &here) < 0 || stat("/", &slash) < 0)
                return -errno;
        root->live = here.st_dev == slash.st_dev && here.st_ino == slash.st_ino;

        *ret = TAKE_PTR(root);
        return 0;
}

void sysroot_free(struct sysroot *root) {
        if (!root)
                return;
        closep(&root->fd);
        temporary_freep(&root->temporary);
        free(root->failures);
        free(root);
}

const struct sysroot_failures *sysroot_failures(const struct sysroot *root) {
        return root->failures;
}

void sysroot_forget_failures(const struct sysroot *root) {
        *root->failures = (struct sysroot_failures){};
}

bool sysroot_is_shortage(int r) {
        return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

bool sysroot_is_failure(int r) {
        switch (-r) {
        case 0:
        case ENOENT:
        case ENOTDIR:
        case EISDIR:
        case ELOOP:
        case EXDEV:
        case ENAMETOOLONG:
        case ENODEV:
        case ENXIO:
        case ESRCH:
        case EBUSY:
        case EAGAIN:
        case EINVAL:
        case ENODATA:
        case EOPNOTSUPP:
        case EFBIG: return false;
        default: return r < 0;
        }
}

int sysroot_note_error(const struct sysroot *root, const char *path, int r) {
        struct sysroot_failures *failures = root->failures;

        if (!sysroot_is_failure(r))
                return r;
        failures->n++;
        if (failures->error == 0 || (sysroot_is_shortage(r) && !sysroot_is_shortage(failures->error))) {
                failures->error = r;
                snprintf(failures->path, sizeof(failures->path), "%s", path);
        }
        return r;
}

void sysroot_own_directory(struct sysroot *root, struct temporary *directory) {
        root->temporary = directory;
}

struct record *sysroot_record_for(const struct sysroot *root, const char *path) {
        return strncmp(path, "sys", 3) == 0 && (!path[3] || path[3] == '/') ? root->record : NULL;
}

void sysroot_set_record(struct sysroot *root, struct record *record, bool with_identifiers) {
        root->record = record;
        root->with_identifiers = with_identifiers;
}

bool sysroot_records_identifiers(const struct sysroot *root) {
        return root->record && root->with_identifiers;
}

bool sysroot_is_recorded(const struct sysroot *root) {
        return root->record;
}

void sysroot_record_serial(const struct sysroot *root, const char *text) {
        if (root->record)
                record_identifier(root->record, IDENTIFIER_SERIAL, text);
}

void sysroot_record_directory(const struct sysroot *root, const char *path) {
        if (root->record)
                record_directory(root->record, path);
}

void sysroot_record_text(const struct sysroot *root, const char *path, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;
        int n;

        if (!root->record)
                return;
        va_start(arguments, format);
        n = vasprintf(&text, format, arguments);
        va_end(arguments);
        if (n < 0) {
                text = NULL;
                record_fail(root->record);
                return;
        }
        record_append(root->record, path, text, (size_t)n);
}

bool sysroot_is_live(const struct sysroot *root) {
        return root->live;
}

int sysroot_lookup(const struct sysroot *root, const char *path, int flags) {
        struct open_how how = {
                        .flags = (unsigned)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
        long fd = -1;

        if (root->live) {
                fd = openat(root->fd, path, flags | O_CLOEXEC);
                return sysroot_note_error(root, path, fd < 0 ? -errno : (int)fd);
        }

        for (unsigned i = 0; i < LOOKUP_ATTEMPTS; i++) {
                fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
                if (fd >= 0 || errno != EAGAIN)
                        break;
        }
        return sysroot_note_error(root, path, fd < 0 ? -errno : (int)fd);
}

static int check_regular(int fd) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return -errno;
        if (S_ISDIR(st.st_mode))
                return -EISDIR;
        return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* A regular file, opened for reading. Returns a descriptor or a negative errno. */
static int lookup_regular(const struct sysroot *root, const char *path) {
        _cleanup_(closep) int fd = -1, path_fd = -1;
        int r;

        if (!root->live) {
                path_fd = sysroot_lookup(root, path, O_PATH);
                if (path_fd < 0)
                        return path_fd;
                r = check_regular(path_fd);
                if (r < 0)
                        return sysroot_note_error(root, path, r);
        }

        fd = sysroot_lookup(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (fd < 0)
                return fd;
        r = check_regular(fd);
        if (r < 0)
                return sysroot_note_error(root, path, r);
        return TAKE_FD(fd);
}

/* The path that the arguments make, without leading slashes; "." for the root itself. */
__attribute__((format(printf, 2, 0))) static int format_path(
                char buffer[static PATH_MAX], const char *format, va_list arguments) {
        size_t slashes;
        int n;

        n = vsnprintf(buffer, PATH_MAX, format, arguments);
        if (n < 0)
                return -EINVAL;
        if (n >= PATH_MAX)
                return -ENAMETOOLONG;

        slashes = strspn(buffer, "/");
        memmove(buffer, buffer + slashes, (size_t)n - slashes + 1);
        if (!buffer[0])
                memcpy(buffer, ".", 2);
        return 0;
}

#define FORMAT_PATH(buffer, format)                                                                                    \
        ({                                                                                                             \
                va_list arguments_;                                                                                    \
                int formatted_;                                                                                        \
                va_start(arguments_, format);                                                                          \
                formatted_ = format_path(buffer, format, arguments_);                                                  \
                va_end(arguments_);                                                                                    \
                formatted_;                                                                                            \
        })

/* Returns the number of bytes read, which are fewer than SIZE only at the end of the file. */
static ssize_t read_all(int fd, char *buffer, size_t size) {
        size_t n = 0;

        while (n < size) {
                ssize_t k;

                k = read(fd, buffer + n, size - n);
                if (k == 0)
                        break;
                if (k > 0)
                        n += (size_t)k;
                else if (errno != EINTR)
                        return -errno;
        }
        return (ssize_t)n;
}

int sysroot_take_attribute(struct record *record, const char *path, char *buffer, size_t n, size_t size) {
        if (n == size)
                return -EFBIG;
        if (memchr(buffer, 0, n))
                return -EINVAL;
        if (record)
                record_file(record, path, buffer, n);
        if (n > 0 && buffer[n - 1] == '\n')
                n--;
        buffer[n] = 0;
        return (int)n;
}

/* RECORD may be NULL. */
static int read_attribute(
                const struct sysroot *root, const char *path, char *buffer, size_t size, struct record *record) {
        _cleanup_(closep) int fd = -1;
        ssize_t n;

        fd = lookup_regular(root, path);
        if (fd < 0)
                return fd;
        n = read_all(fd, buffer, size);
        if (n < 0)
                return sysroot_note_error(root, path, (int)n);
        return sysroot_take_attribute(record, path, buffer, (size_t)n, size);
}

int sysroot_read(const struct sysroot *root, char *buffer, size_t size, const char *format, ...) {
        char path[PATH_MAX];
        int r;

        r = FORMAT_PATH(path, format);
        if (r < 0)
                return r;
        return read_attribute(root, path, buffer, size, sysroot_record_for(root, path));
}

int sysroot_read_serial(const struct sysroot *root, char *buffer, size_t size, const char *format, ...) {
        char path[PATH_MAX];
        int r;

        r = FORMAT_PATH(path, format);
        if (r < 0)
                return r;
        return read_attribute(root, path, buffer, size, root->with_identifiers ? sysroot_record_for(root, path) : NULL);
}

struct opt_int sysroot_parse_int(const char *text) {
        const char *digits = text + (*text == '-');
        char *end;
        long long value;

        if (*digits < '0' || *digits > '9')
                return (struct opt_int){0};
        errno = 0;
        value = strtoll(text, &end, 10);
        if (errno || *end)
                return (struct opt_int){0};
        return opt_some(value);
}

struct opt_int sysroot_read_int(const struct sysroot *root, const char *format, ...) {
        char path[PATH_MAX], text[32];

        if (FORMAT_PATH(path, format) < 0 ||
                        read_attribute(root, path, text, sizeof(text), sysroot_record_for(root, path)) < 0)
                return (struct opt_int){0};
        return sysroot_parse_int(text);
}

int sysroot_fopen(const struct sysroot *root, FILE **ret, const char *format, ...) {
        _cleanup_(closep) int fd = -1;
        char path[PATH_MAX];
        FILE *stream;
        int r;

        r = FORMAT_PATH(path, format);
        if (r < 0)
                return r;
        fd = lookup_regular(root, path);
        if (fd < 0)
                return fd;
        stream = fdopen(fd, "re");
        if (!stream)
                return sysroot_note_error(root, path, -errno);
        (void)TAKE_FD(fd);

        *ret = stream;
        return 0;
}

int sysroot_check_stream(const struct sysroot *root, FILE *stream, const char *path) {
        return ferror(stream) ? sysroot_note_error(root, path, -EIO) : 0;
}

/* Whether a lookup with these flags succeeds. */
static bool can_lookup(const struct sysroot *root, const char *path, int flags) {
        _cleanup_(closep) int fd = -1;

        fd = sysroot_lookup(root, path, O_PATH | flags);
        if (fd < 0)
                return false;
        if (!sysroot_record_for(root, path))
                return true;
        if (check_regular(fd) == -EISDIR)
                record_directory(root->record, path);
        else
                record_presence(root->record, path);
        return true;
}

bool sysroot_exists(const struct sysroot *root, const char *format, ...) {
        char path[PATH_MAX];

        return FORMAT_PATH(path, format) == 0 && can_lookup(root, path, 0);
}

bool sysroot_is_directory(const struct sysroot *root, const char *format, ...) {
        char path[PATH_MAX];

        return FORMAT_PATH(path, format) == 0 && can_lookup(root, path, O_DIRECTORY);
}

int sysroot_list(const struct sysroot *root, const char *prefix, char ***ret, const char *format, ...) {
        struct fdbatch batch = {};
        struct sysdir dir;
        char path[PATH_MAX];
        int r;

        r = FORMAT_PATH(path, format);
        if (r == 0)
                r = sysdir_open(root, &batch, path, &dir);
        if (r < 0)
                return r;
        r = sysdir_list(&dir, prefix, ret);
        sysdir_close(&dir);
        fdbatch_flush(&batch);
        return r;
}

/* The target of the link itself, not of what it leads to. */
static int read_link(const struct sysroot *root, const char *path, char target[static PATH_MAX]) {
        _cleanup_(closep) int fd = -1;
        ssize_t n;

        fd = sysroot_lookup(root, path, O_PATH | O_NOFOLLOW);
        if (fd < 0)
                return fd;
        n = readlinkat(fd, "", target, PATH_MAX);
        if (n < 0) /* ENOENT: "" on what is no link */
                return errno == ENOENT ? -EINVAL : sysroot_note_error(root, path, -errno);
        if (n >= PATH_MAX)
                return -ENAMETOOLONG;
        target[n] = 0;
        return 0;
}

/* The component of a path that starts at START and ends before END. Its length, or a negative errno. */
static int take_component(char *buffer, size_t size, const char *start, const char *end) {
        size_t length = (size_t)(end - start);

        if (length == 0)
                return -EINVAL;
        if (length >= size)
                return -ENAMETOOLONG;
        memcpy(buffer, start, length);
        buffer[length] = 0;
        return (int)length;
}

static const char *last_component(const char *start, const char *end) {
        const char *slash = memrchr(start, '/', (size_t)(end - start));

        return slash ? slash + 1 : start;
}

int sysroot_link_name(const struct sysroot *root, char *buffer, size_t size, const char *format, ...) {
        char path[PATH_MAX], target[PATH_MAX];
        const char *end;
        int r;

        r = FORMAT_PATH(path, format);
        if (r < 0)
                return r;
        r = read_link(root, path, target);
        if (r < 0)
                return r;

        end = target + strlen(target);
        r = take_component(buffer, size, last_component(target, end), end);
        if (r >= 0 && sysroot_record_for(root, path))
                record_link(root->record, path, buffer);
        return r;
}

int sysroot_link_directory_name(const struct sysroot *root, char *buffer, size_t size, const char *format, ...) {
        char path[PATH_MAX], target[PATH_MAX];
        const char *name, *start;
        int r;

        r = FORMAT_PATH(path, format);
        if (r < 0)
                return r;
        r = read_link(root, path, target);
        if (r < 0)
                return r;

        name = last_component(target, target + strlen(target));
        if (name == target || !*name)
                return -EINVAL;
        start = last_component(target, name - 1);
        r = take_component(buffer, size, start, name - 1);
        if (r >= 0 && sysroot_record_for(root, path))
                record_link(root->record, path, start);
        return r;
}
