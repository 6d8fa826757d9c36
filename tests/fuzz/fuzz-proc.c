/* SPDX-License-Identifier: MIT */

/* A disk's counters, and, behind a form feed, the line of a process in /proc, of which its owner chooses the name. */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "common/cleanup.h"
#include "common/probe-busy.h"
#include "common/process.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/fuzz.h"

#define PID        4711
#define STAT       "proc/4711/stat"
#define STAT_BYTES 1024 /* what is longer is no such line */
#define NAME_BYTES 64   /* the kernel's own end at 16 or so */

static bool is_same(const struct io_counters *a, const struct io_counters *b) {
        return a->reads == b->reads && a->writes == b->writes && a->sectors_read == b->sectors_read &&
               a->in_flight == b->in_flight;
}

static void check_counters(const char *text) {
        struct io_counters counters = {}, again = {};
        char copy[256], reason[256];
        int r;

        r = io_counters_parse(text, &counters);
        FUZZ_CHECK(r == 0 || r == -EINVAL);
        if (r < 0)
                return;
        snprintf(copy, sizeof(copy), "%" PRIu64 " 0 %" PRIu64 " 0 %" PRIu64 " 0 0 0 %" PRIu64 "\n", counters.reads,
                        counters.sectors_read, counters.writes, counters.in_flight);
        FUZZ_CHECK(io_counters_parse(copy, &again) == 0 && is_same(&counters, &again));
        (void)probe_busy_reason("sda", &(struct io_counters){}, &counters, reason, sizeof(reason));
        FUZZ_CHECK(counters.in_flight > 0 || !probe_busy_reason("sda", &counters, &counters, reason, sizeof(reason)));
}

static bool is_alive(struct files *files, const char *line, size_t size, uint64_t start_ticks) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;

        files_begin(files);
        files_write(files, STAT, line, size);
        files_commit(files);
        FUZZ_CHECK(sysroot_open(files_path(files), &root) == 0);
        return process_is_alive(root, &(struct process){.pid = PID, .start_ticks = start_ticks});
}

/* Whatever a line has, it is that of one process at most. */
static void check_line(struct files *files, const char *line) {
        size_t size = strlen(line);

        if (size >= STAT_BYTES)
                return;
        FUZZ_CHECK(!is_alive(files, line, size, 1) || !is_alive(files, line, size, 2));
}

/* Whatever a process calls itself, it started when the kernel says. */
static void check_name(struct files *files, const char *name) {
        static const char zeros[] = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
        char line[NAME_BYTES + sizeof(zeros) + 64];
        int n = snprintf(line, sizeof(line), "%d (%.*s) S%s 815 0 0\n", PID, NAME_BYTES, name, zeros);

        FUZZ_CHECK(is_alive(files, line, (size_t)n, 815));
        FUZZ_CHECK(!is_alive(files, line, (size_t)n, 816));
        FUZZ_CHECK(!is_alive(files, line, (size_t)n, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct files *files;
        _cleanup_(freep) char *counters = fuzz_take_text(&data, &size, '\f');
        _cleanup_(freep) char *line = fuzz_take_text(&data, &size, '\0');

        if (!files)
                files = files_new();
        check_counters(counters);
        check_line(files, line);
        check_name(files, line);
        return 0;
}
