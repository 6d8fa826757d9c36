/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads the history out of the journal.
 *
 * Anybody may send the journal an entry with any MESSAGE_ID and any field, and it is kept beside setrad's own. What a
 * sender can't choose are the fields whose names begin with an underscore: journald takes them from the kernel and drops
 * those that were sent. So only entries are believed that come from a process of root's (_UID) in the service's control
 * group (_SYSTEMD_UNIT, which for a unit of a user's own manager is that user's, not setrad.service). Of this machine,
 * only the system's files are opened, not the users'; of a directory all are, as whoever names it vouches for it.
 *
 * Texts of these entries are hostile all the same: labels are what somebody has named a volume.
 */

#include "cli/history.h"

/* Which entries. */
struct history_query {
        const char *directory; /* NULL: the journal of this machine */
        uint64_t since_usec;   /* both included */
        uint64_t until_usec;
        size_t n_max;                        /* the last ones of them */
        const struct history_device *device; /* NULL: of all */
};

/* What there is to read. */
struct history_files {
        size_t n_readable;
        size_t n_denied;     /* files and directories that this user may not read */
        bool has_persistent; /* a readable one that outlives a boot */
};

/* DIRECTORY as above. Returns 0, or a negative errno where that is no directory that can be read. */
int history_find_files(const char *directory, struct history_files *ret);

/* Adds what is asked for to HISTORY and sorts it. Returns 0 or a negative errno. */
int history_read(const struct history_query *query, struct history *history);
