/* SPDX-License-Identifier: MIT */

/* setractl capture: everything that --root needs of this machine, in one file. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/text.h"
#include "cli/verb.h"
#include "common/capture-record.h"
#include "common/capture.h"

static bool is_standard_output(const char *path) {
        return strcmp(path, "-") == 0;
}

/* Before anything is read: what can't be written in the end. 0, or -EINVAL after saying on stderr what is wrong. */
static int check_argument(const char *path, enum capture_compression *ret) {
        if (is_standard_output(path)) {
                *ret = CAPTURE_PLAIN;
                if (!isatty(STDOUT_FILENO))
                        return 0;
                text_error("standard output is a terminal: a capture is no text");
                return -EINVAL;
        }
        if (capture_compression_by_name(path, ret) == 0)
                return 0;
        text_error("'%s': a capture's name ends in .tar, .tar.gz, .tar.xz or .tar.zst", path);
        return -EINVAL;
}

static int write_capture(const struct options *options, struct record *record, enum capture_compression compression) {
        _cleanup_(freep) char *reason = NULL;
        const char *path = *options->arguments;
        int r;

        if (is_standard_output(path))
                r = capture_write(record, STDOUT_FILENO, compression, &reason);
        else
                r = capture_write_file(record, path, compression, options->force, &reason);
        if (r == -EEXIST && !options->force)
                text_error("%s exists already; --force replaces it", path);
        else if (r == -EEXIST)
                text_error("%s is no regular file", path);
        else if (r < 0)
                text_error("cannot write %s: %s", is_standard_output(path) ? "the capture" : path,
                                reason ?: strerror(-r));
        return r;
}

enum exit_status verb_capture(struct context *context) {
        _cleanup_(record_freep) struct record *record = NULL;
        _cleanup_(topology_freep) struct topology *topology = NULL;
        const struct options *options = &context->options;
        enum capture_compression compression;
        int r;

        if (check_argument(*options->arguments, &compression) < 0)
                return STATUS_USAGE;
        if (context_open(context) < 0)
                return STATUS_FAILED;
        r = capture_take(context->root, options->with_identifiers, &record, &topology);
        if (context_check_discovery(context, r) < 0)
                return STATUS_FAILED;
        context_print_notes(topology);
        return write_capture(options, record, compression) < 0 ? STATUS_FAILED : STATUS_DONE;
}
