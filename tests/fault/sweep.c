/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/sysroot.h"
#include "tests/fault/fault.h"
#include "tests/fault/sweep.h"

#define BATCH          64  /* runs of one child: to look for leaks takes as long as some runs */
#define HANGS_SECONDS  120 /* a batch */
#define SLOW_MSEC      3000
#define STATUS_LEAKS   23
#define TAIL           4000  /* bytes */
#define COMPLAINTS_MAX 65536 /* bytes of text */
#define HITS_MAX       (4 * FAULT_CALLS_MAX)

/* No need to go on. */
#define COMPLAINTS_ENOUGH 20

/* From LeakSanitizer, where the program has it. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* One call that is to fail. */
struct point {
        unsigned target, variant;
};

/* Between the children and the test. */
struct report {
        struct point now;
        unsigned n_hits, n_complaints;
        struct fault_place hits[HITS_MAX];
        size_t length;
        char text[COMPLAINTS_MAX];
};

/* Distinct ones. */
struct numbers {
        uint64_t items[FAULT_CALLS_MAX];
        unsigned n;
};

/* In all sweeps; places are those of which a call has failed. */
static struct {
        unsigned n_sweeps, n_hits;
        struct numbers calls, ways;
} total;

struct sweeping {
        const struct sweep *sweep;
        struct report *report;
        struct outcome whole;
        int out, err; /* what a child has as standard output and error */
};

static void complain(struct sweeping *s, const char *what) {
        struct report *report = s->report;
        const struct faults *f = faults();
        int n;

        if (report->length < sizeof(report->text)) {
                n = snprintf(report->text + report->length, sizeof(report->text) - report->length,
                                "%s: call %u, %s(%s) failing with %s: %s\n", s->sweep->name, report->now.target,
                                f->call, f->what, f->error ? strerrorname_np(f->error) : "no errno", what);
                report->length += n > 0 ? (size_t)n : 0;
        }
        report->n_complaints++;
}

static char *read_all(int fd) {
        off_t size = lseek(fd, 0, SEEK_END);
        char *text = malloc((size_t)size + 1);

        if (!text || pread(fd, text, (size_t)size, 0) != size)
                abort();
        text[size] = 0;
        return text;
}

static void outcome_done(struct outcome *outcome) {
        free(outcome->out);
        free(outcome->err);
}

static void free_outcome(struct outcome outcome) {
        outcome_done(&outcome);
}

static unsigned count_fds(void) {
        DIR *dir = opendir("/proc/self/fd");
        unsigned n = 0;

        while (dir && readdir(dir))
                n++;
        if (dir)
                closedir(dir);
        return n;
}

static struct outcome run_once(struct sweeping *s, struct point point) {
        struct outcome outcome = {};

        if (s->sweep->prepare)
                s->sweep->prepare(s->sweep->userdata);
        if (ftruncate(s->out, 0) < 0 || ftruncate(s->err, 0) < 0 || lseek(s->out, 0, SEEK_SET) < 0 ||
                        lseek(s->err, 0, SEEK_SET) < 0)
                abort();
        faults_start(point.target, point.variant);
        outcome.status = s->sweep->run(s->sweep->userdata);
        faults_stop();
        fflush(stdout);
        fflush(stderr);
        clearerr(stdout);
        outcome.out = read_all(s->out);
        outcome.err = read_all(s->err);
        return outcome;
}

static void try_point(struct sweeping *s, struct point point) {
        _cleanup_(outcome_done) struct outcome outcome = {};
        unsigned fds = count_fds();
        uint64_t start_msec = monotonic_msec();
        const char *what;

        s->report->now = point;
        outcome = run_once(s, point);
        if (!faults()->hit)
                return;
        s->report->hits[s->report->n_hits++] = faults()->place;
        if (count_fds() != fds)
                complain(s, "it leaves a descriptor open");
        if (monotonic_msec() - start_msec > SLOW_MSEC)
                complain(s, "it takes too long");
        what = s->sweep->check ? s->sweep->check(&s->whole, &outcome, s->sweep->userdata) : NULL;
        if (what) {
                char text[4096];

                snprintf(text, sizeof(text), "%s; exit status %d, \"%.300s\"", what, outcome.status, outcome.err);
                complain(s, text);
        }
}

static _Noreturn void child(struct sweeping *s, const struct point *points, size_t n) {
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

        if (dup2(null, STDIN_FILENO) < 0 || dup2(s->out, STDOUT_FILENO) < 0 || dup2(s->err, STDERR_FILENO) < 0)
                abort();
        alarm(HANGS_SECONDS);
        /* What libraries keep open from their first call on is no leak. */
        free_outcome(run_once(s, (struct point){}));
        for (size_t i = 0; i < n; i++)
                try_point(s, points[i]);
        if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
                _exit(STATUS_LEAKS);
        _exit(EXIT_SUCCESS);
}

/* Returns what waitpid() says of the child. */
static int try_points(struct sweeping *s, const struct point *points, size_t n) {
        int status = 0;
        pid_t pid;

        fflush(NULL);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
                child(s, points, n);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return status;
}

static void complain_of_end(struct sweeping *s, int status) {
        _cleanup_(freep) char *text = read_all(s->err);
        /* What ended it is at the end. */
        const char *tail = strlen(text) > TAIL ? text + strlen(text) - TAIL : text;
        char what[TAIL + 64];

        if (WIFSIGNALED(status))
                snprintf(what, sizeof(what), "it ends by signal %d: %s", WTERMSIG(status), tail);
        else if (WEXITSTATUS(status) == STATUS_LEAKS)
                snprintf(what, sizeof(what), "it leaks: %s", tail);
        else
                snprintf(what, sizeof(what), "it ends with status %d: %s", WEXITSTATUS(status), tail);
        complain(s, what);
}

/* One by one where a child did not come to its end, to see which it was. */
static void try_batch(struct sweeping *s, const struct point *points, size_t n) {
        unsigned n_hits = s->report->n_hits;
        int status = try_points(s, points, n);

        if (status == 0)
                return;
        if (n > 1) {
                size_t length = s->report->length;

                s->report->n_hits = n_hits;
                for (size_t i = 0; i < n && s->report->n_complaints < COMPLAINTS_ENOUGH; i++)
                        try_batch(s, &points[i], 1);
                if (s->report->length == length)
                        complain_of_end(s, status);
        } else
                complain_of_end(s, status);
}

static void add_number(struct numbers *numbers, uint64_t number) {
        for (unsigned i = 0; i < numbers->n; i++)
                if (numbers->items[i] == number)
                        return;
        assert_true(numbers->n < FAULT_CALLS_MAX);
        numbers->items[numbers->n++] = number;
}

static void add_up(const struct report *report) {
        total.n_sweeps++;
        total.n_hits += report->n_hits;
        for (unsigned i = 0; i < report->n_hits; i++) {
                add_number(&total.calls, report->hits[i].call);
                add_number(&total.ways, report->hits[i].way);
        }
}

void sweep_assert_enough(const char *what, unsigned sweeps, unsigned places_min, unsigned ways_min) {
        print_message("note: %s: %u distinct failure points, at %u places of the program, %u runs\n", what,
                        total.ways.n, total.calls.n, total.n_hits);
        assert_int_equal(total.n_sweeps, sweeps);
        assert_true(total.calls.n >= places_min && total.ways.n >= ways_min);
}

/* Which calls are to fail. Of places in the program that come often not all. */
static struct point *choose_points(const struct sweep *sweep, unsigned n_calls, size_t *ret_n) {
        const struct faults *f = faults();
        unsigned variants = sweep->variants > 0 ? sweep->variants : 1;
        struct point *points = calloc((size_t)n_calls * variants + 1, sizeof(*points));
        size_t n = 0;

        assert_non_null(points);
        for (unsigned i = 0; i < n_calls; i++) {
                unsigned before = 0;

                while (before < i && f->calls[before].place.way != f->calls[i].place.way)
                        before++;
                if (before < i && sweep->stride > 1 && i % sweep->stride != 0)
                        continue;
                /* Those that come one after the other have different errors. */
                for (unsigned v = 0; v < variants && (v == 0 || v < f->calls[i].n_errors); v++)
                        points[n++] = (struct point){.target = i + 1, .variant = i + v};
        }
        *ret_n = n;
        return points;
}

static void run_whole(struct sweeping *s) {
        pid_t pid;
        int status = 0;

        fflush(NULL);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                if (dup2(s->out, STDOUT_FILENO) < 0 || dup2(s->err, STDERR_FILENO) < 0)
                        abort();
                s->whole = run_once(s, (struct point){});
                _exit(s->whole.status);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        s->whole = (struct outcome){.status = WEXITSTATUS(status), .out = read_all(s->out), .err = read_all(s->err)};
}

static void tell(const struct sweeping *s, unsigned n_calls, size_t n_points) {
        print_message("%s: %u calls that can fail, %zu failures of them tried\n", s->sweep->name, n_calls, n_points);
        fwrite(s->report->text, 1, strlen(s->report->text), stdout);
}

void sweep(const struct sweep *sweep) {
        struct sweeping s = {.sweep = sweep};
        _cleanup_(freep) struct point *points = NULL;
        unsigned n_calls, n_complaints;
        size_t n;

        s.report = mmap(NULL, sizeof(*s.report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(s.report != MAP_FAILED);
        s.out = memfd_create("out", MFD_CLOEXEC);
        s.err = memfd_create("err", MFD_CLOEXEC);
        assert_true(s.out >= 0 && s.err >= 0);
        run_whole(&s);
        if (s.whole.status != 0)
                fail_msg("%s fails by itself: %s", sweep->name, s.whole.err);
        n_calls = faults()->n;
        assert_true(n_calls > 0 && n_calls <= FAULT_CALLS_MAX);
        points = choose_points(sweep, n_calls, &n);
        for (size_t i = 0; i < n && s.report->n_complaints < COMPLAINTS_ENOUGH; i += BATCH)
                try_batch(&s, &points[i], n - i < BATCH ? n - i : BATCH);
        n_complaints = s.report->n_complaints;
        add_up(s.report);
        tell(&s, n_calls, n);
        outcome_done(&s.whole);
        close(s.out);
        close(s.err);
        munmap(s.report, sizeof(*s.report));
        freep(&points);
        points = NULL;
        if (n_complaints > 0)
                fail_msg("%u of them are wrong", n_complaints);
}

bool sweep_is_gone(void) {
        return faults()->error == ENOENT || faults()->error == ENODEV;
}

bool sweep_is_told(const struct outcome *got) {
        const char *reason = strerror(faults()->error);

        return strstr(got->err, reason) || strstr(got->out, reason);
}

const char *sweep_check_told(const struct outcome *whole, const struct outcome *got, void *userdata) {
        int error = faults()->error;
        bool is_told = sweep_is_told(got);

        if (got->status == whole->status && strcmp(got->out, whole->out) == 0 && strcmp(got->err, whole->err) == 0)
                return NULL;
        if (got->status != whole->status)
                return is_told ? NULL : "it fails without the reason";
        if (sysroot_is_shortage(-error))
                return "what this process lacks is taken for what the machine lacks";
        if (is_told || sweep_is_gone())
                return NULL;
        return "what is printed is another, without a word about it";
}
