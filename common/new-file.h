/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A file that is written under another name beside its own, and is there only once it is complete. Root may write into a
 * directory of somebody else's: nothing that lies there is opened, and no link is followed.
 */

#include <stdbool.h>

struct new_file {
        int fd; /* to be written to; stays this one's */
        const char *path;
        char *temporary; /* NULL: there is none, or it is in its place */
        bool replace;
};

/* What new_file_open() would say of what lies at PATH now, for who has long to do before. */
int new_file_check(const char *path, bool replace);

/*
 * PATH is the caller's for as long. Returns 0, then RET is to be given to new_file_done(); or a negative errno: -EEXIST if
 * there is a file and not REPLACE, or there is something else.
 */
int new_file_open(const char *path, bool replace, struct new_file *ret);

/* Puts it in its place, with mode 0600 or what it was given since. Returns 0 or a negative errno, as new_file_open(). */
int new_file_finish(struct new_file *file);

/* What is not finished is gone. */
void new_file_done(struct new_file *file);
