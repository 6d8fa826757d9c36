/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/measure-bar.h"
#include "cli/measure.h"
#include "common/cleanup.h"
#include "common/clock.h"

/* What a job is to do; in memory that it shares. */
struct order {
        struct probe_progress *progress;
        unsigned msec; /* so long it takes */
        pid_t parent;  /* that it sends SIGNAL to when it has begun; 0: none */
        int signal;
        bool block, ignore; /* SIGTERM */
        volatile int *finished;
};

static void pause_msec(unsigned msec) {
        const struct timespec time = {.tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000};

        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void block_term(int how) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigprocmask(how, &set, NULL);
}

static int work(const void *input, void *result) {
        const struct order *order = input;

        if (order->block)
                block_term(SIG_BLOCK);
        if (order->ignore)
                signal(SIGTERM, SIG_IGN);
        if (order->parent > 0)
                kill(order->parent, order->signal);
        for (uint64_t end = monotonic_msec() + order->msec; monotonic_msec() < end;)
                pause_msec(5);
        *order->finished = 1;
        *(int *)result = 42;
        return 0;
}

/* By its end SIGTERM is let through, so that it takes effect there. */
static int work_then_let_through(const void *input, void *result) {
        int r = work(input, result);

        block_term(SIG_UNBLOCK);
        return r;
}

static int run_order(worker_job job, struct order *order, unsigned deadline_msec, int *result, int *ret_signal) {
        const struct measure measure = {
                        .title = "vg0/lv0 (dm-3)",
                        .jobs = {.job = job, .inputs = order, .n = 1, .result_size = sizeof(*result)},
                        .result = result,
                        .deadline_msec = deadline_msec,
                        .progress = order->progress,
        };

        return measure_run(&measure, ret_signal);
}

static void assert_no_children(void) {
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
}

static int setup(void **state) {
        *state = measure_shared_new(sizeof(int));
        return *state ? 0 : -1;
}

static int teardown(void **state) {
        measure_shared_free(*state, sizeof(int));
        return 0;
}

static void test_result(void **state) {
        struct order order = {.msec = 10, .finished = *state};
        int result = 0, caught = 5;

        assert_int_equal(run_order(work, &order, 5000, &result, &caught), 0);
        assert_int_equal(result, 42);
        assert_int_equal(caught, 0);
        assert_no_children();
}

static void test_signals_end_it(void **state) {
        static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

        for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
                struct order order = {.msec = 20000, .parent = getpid(), .signal = signals[i], .finished = *state};
                int result = 0, caught = 0;
                uint64_t start = monotonic_msec();

                assert_int_equal(run_order(work, &order, 30000, &result, &caught), -EINTR);
                assert_int_equal(caught, signals[i]);
                assert_true(monotonic_msec() - start < MEASURE_GRACE_MSEC);
                assert_int_equal(result, 0);
                assert_int_equal(*order.finished, 0);
                assert_no_children();
        }
}

/* As nohup does. */
static void test_ignored_signal(void **state) {
        struct order order = {.msec = 100, .parent = getpid(), .signal = SIGHUP, .finished = *state};
        int result = 0, caught = 0;

        signal(SIGHUP, SIG_IGN);
        assert_int_equal(run_order(work, &order, 5000, &result, &caught), 0);
        signal(SIGHUP, SIG_DFL);
        assert_int_equal(result, 42);
        assert_int_equal(caught, 0);
}

/* What must not be interrupted is finished first. */
static void test_blocked_signal(void **state) {
        struct order order = {.msec = 300, .parent = getpid(), .signal = SIGTERM, .block = true, .finished = *state};
        int result = 0, caught = 0;

        assert_int_equal(run_order(work_then_let_through, &order, 30000, &result, &caught), -EINTR);
        assert_int_equal(caught, SIGTERM);
        assert_int_equal(*order.finished, 1);
        assert_int_equal(result, 0);
        assert_no_children();

        /* One that never lets it through hands over what it has. */
        assert_int_equal(run_order(work, &order, 30000, &result, &caught), -EINTR);
        assert_int_equal(result, 42);
        assert_no_children();
}

static void test_deaf_job_is_killed(void **state) {
        struct order order = {.msec = 20000, .parent = getpid(), .signal = SIGINT, .ignore = true, .finished = *state};
        int result = 0, caught = 0;
        uint64_t start = monotonic_msec(), taken;

        assert_int_equal(run_order(work, &order, 30000, &result, &caught), -EINTR);
        taken = monotonic_msec() - start;
        assert_int_equal(caught, SIGINT);
        assert_true(taken >= MEASURE_GRACE_MSEC && taken < 3 * MEASURE_GRACE_MSEC);
        assert_int_equal(*order.finished, 0);
        assert_no_children();
}

/* What comes before the job and after it is done as well: a signal before it ends the job, one after it waits. */
static void test_held_signals(void **state) {
        struct order order = {.msec = 20000, .finished = *state};
        int result = 0, caught = 0;
        sigset_t before, pending;

        measure_hold_signals(&before);
        raise(SIGINT);
        assert_int_equal(run_order(work, &order, 30000, &result, &caught), -EINTR);
        assert_int_equal(caught, SIGINT);
        assert_int_equal(*order.finished, 0);
        raise(SIGTERM);
        sigpending(&pending);
        assert_true(sigismember(&pending, SIGTERM));
        signal(SIGTERM, SIG_IGN); /* which takes it away */
        signal(SIGTERM, SIG_DFL);
        measure_release_signals(&before);
        assert_int_equal(sigismember(&before, SIGINT), 0);
        assert_no_children();
}

static void test_deadline(void **state) {
        struct order order = {.msec = 20000, .finished = *state};
        int result = 0, caught = 0;
        uint64_t start = monotonic_msec();

        assert_int_equal(run_order(work, &order, 100, &result, &caught), -ETIMEDOUT);
        assert_true(monotonic_msec() - start < MEASURE_GRACE_MSEC);
        assert_int_equal(caught, 0);
        assert_no_children();

        /* As at a signal: what must not be interrupted is finished. */
        order = (struct order){.msec = 300, .block = true, .finished = *state};
        assert_int_equal(run_order(work_then_let_through, &order, 100, &result, &caught), -ETIMEDOUT);
        assert_int_equal(*order.finished, 1);
        assert_no_children();
}

static int crash(const void *input, void *result) {
        raise(SIGKILL);
        return 0;
}

static int die_of_ctrl_c(const void *input, void *result) {
        raise(SIGINT);
        raise(SIGQUIT);
        raise(SIGHUP);
        *(int *)result = 42;
        return 0;
}

static void test_worker_signals(void **state) {
        struct order order = {.finished = *state};
        int result = 0, caught = 0;

        assert_int_equal(run_order(crash, &order, 5000, &result, &caught), -EPIPE);
        /* A terminal sends these to both; the worker leaves it to its parent. */
        assert_int_equal(run_order(die_of_ctrl_c, &order, 5000, &result, &caught), 0);
        assert_int_equal(result, 42);
        assert_no_children();
}

static void test_leaves_signals_as_they_were(void **state) {
        struct order order = {.msec = 1, .finished = *state};
        int result = 0, caught = 0;
        sigset_t before, after;

        sigprocmask(SIG_SETMASK, NULL, &before);
        assert_int_equal(run_order(work, &order, 5000, &result, &caught), 0);
        sigprocmask(SIG_SETMASK, NULL, &after);
        for (int i = 1; i < NSIG; i++)
                assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

static void test_end_by(void **state) {
        static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

        for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
                pid_t pid = fork();
                int status = 0;

                assert_true(pid >= 0);
                if (pid == 0)
                        measure_end_by(signals[i]);
                assert_int_equal(waitpid(pid, &status, 0), pid);
                assert_true(WIFSIGNALED(status));
                assert_int_equal(WTERMSIG(status), signals[i]);
        }
}

/* Shows progress for a while. */
static int progress_slowly(const void *input, void *result) {
        const struct order *order = input;

        order->progress->runs_planned = 6;
        for (unsigned i = 0; i < order->msec; i += 20) {
                order->progress->runs_done = 6 * i / order->msec;
                order->progress->bytes_read += 1 << 20;
                pause_msec(20);
        }
        return 0;
}

struct terminal {
        int master, slave, saved_stderr;
        char text[65536];
        size_t n;
};

/* While it is there, stderr is a terminal of so many columns. */
static void terminal_open(struct terminal *terminal, unsigned short columns) {
        const struct winsize size = {.ws_row = 24, .ws_col = columns};

        memset(terminal, 0, sizeof(*terminal));
        assert_int_equal(openpty(&terminal->master, &terminal->slave, NULL, NULL, &size), 0);
        assert_true((terminal->saved_stderr = dup(STDERR_FILENO)) >= 0);
        assert_true(dup2(terminal->slave, STDERR_FILENO) >= 0);
}

static void terminal_close(struct terminal *terminal) {
        ssize_t n;

        fflush(stderr);
        assert_true(dup2(terminal->saved_stderr, STDERR_FILENO) >= 0);
        close(terminal->saved_stderr);
        close(terminal->slave);
        while ((n = read(terminal->master, terminal->text + terminal->n, sizeof(terminal->text) - 1 - terminal->n)) > 0)
                terminal->n += (size_t)n;
        terminal->text[terminal->n] = '\0';
        close(terminal->master);
}

/* What is left on the line once all is written: '\r' goes back to its beginning. Returns the most columns it took. */
static size_t play(const char *text, char *line, size_t size) {
        size_t at = 0, most = 0;

        memset(line, ' ', size);
        for (; *text; text++) {
                if (*text == '\r') {
                        at = 0;
                        continue;
                }
                assert_true(at < size);
                line[at++] = *text;
                most = at > most ? at : most;
        }
        return most;
}

static bool is_blank(const char *line, size_t size) {
        for (size_t i = 0; i < size; i++)
                if (line[i] != ' ')
                        return false;
        return true;
}

static void run_on_terminal(struct terminal *terminal, int *finished, unsigned msec, unsigned short columns) {
        _cleanup_(measure_progress_freep) struct probe_progress *progress = measure_progress_new();
        struct order order = {.msec = msec, .progress = progress, .finished = finished};
        int result = 0, caught = 0, r;

        assert_non_null(progress);
        terminal_open(terminal, columns);
        r = run_order(progress_slowly, &order, 20000, &result, &caught);
        terminal_close(terminal);
        assert_int_equal(r, 0);
}

static void test_bar_on_terminal(void **state) {
        static const unsigned short widths[] = {60, 8};
        static struct terminal terminal;
        char line[256];

        setenv("LC_ALL", "C", 1);
        for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
                size_t most;

                run_on_terminal(&terminal, *state, 800, widths[i]);
                assert_true(terminal.n > 0);
                assert_null(strchr(terminal.text, '\n'));
                most = play(terminal.text, line, sizeof(line));
                assert_true(most < widths[i]);
                assert_true(is_blank(line, sizeof(line))); /* nothing of it stays */
                assert_int_equal(terminal.text[terminal.n - 1], '\r');
        }
        run_on_terminal(&terminal, *state, 800, 80);
        assert_non_null(strstr(terminal.text, "vg0/lv0 (dm-3)  ####"));
        assert_non_null(strstr(terminal.text, "/6 runs, "));
        for (const char *p = terminal.text; *p; p++)
                assert_true((unsigned char)*p < 0x80);
}

static void test_bar_in_utf8(void **state) {
        static struct terminal terminal;

        setenv("LC_ALL", "C.UTF-8", 1);
        run_on_terminal(&terminal, *state, 800, 80);
        setenv("LC_ALL", "C", 1);
        assert_non_null(strstr(terminal.text, "█"));
        assert_non_null(strstr(terminal.text, "░"));
        assert_null(strchr(terminal.text, '#'));
}

static void test_no_bar(void **state) {
        static struct terminal terminal;
        struct order order = {.msec = 800, .finished = *state};
        int fds[2], saved = dup(STDERR_FILENO), result = 0, caught = 0;
        char byte;

        /* Over in a moment. */
        run_on_terminal(&terminal, *state, 100, 80);
        assert_int_equal(terminal.n, 0);

        /* No terminal. */
        order.progress = measure_progress_new();
        assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
        dup2(fds[1], STDERR_FILENO);
        assert_int_equal(run_order(progress_slowly, &order, 5000, &result, &caught), 0);
        fflush(stderr);
        dup2(saved, STDERR_FILENO);
        close(saved);
        close(fds[1]);
        assert_int_equal(read(fds[0], &byte, 1), 0);
        close(fds[0]);
        measure_progress_free(order.progress);
}

/* The line is gone also when a signal ends it. */
static void test_bar_is_erased_at_signal(void **state) {
        static struct terminal terminal;
        _cleanup_(measure_progress_freep) struct probe_progress *progress = measure_progress_new();
        struct order order = {.msec = 20000, .progress = progress, .finished = *state};
        int result = 0, caught = 0, r;
        char line[256];
        pid_t parent = getpid(), sender;

        sender = fork();
        if (sender == 0) {
                pause_msec(900);
                kill(parent, SIGINT);
                _exit(0);
        }
        terminal_open(&terminal, 80);
        r = run_order(progress_slowly, &order, 30000, &result, &caught);
        terminal_close(&terminal);
        assert_int_equal(waitpid(sender, NULL, 0), sender);
        assert_int_equal(r, -EINTR);
        assert_int_equal(caught, SIGINT);
        assert_non_null(strstr(terminal.text, "runs"));
        play(terminal.text, line, sizeof(line));
        assert_true(is_blank(line, sizeof(line)));
}

static void test_lines(void **state) {
        struct probe_progress progress = {.runs_done = 3, .runs_planned = 6, .bytes_read = 3 << 20};
        char title[] = "vg0/lv0 (dm-3)";
        struct measure_bar bar = {.progress = &progress, .title = title};
        static const struct {
                unsigned columns;
                const char *line;
        } cases[] = {
                        {48, "vg0/lv0 (dm-3)  #######........  3/6 runs, 3 MiB"},
                        {30, "######.......  3/6 runs, 3 MiB"},
                        {20, "3/6 runs, 3 MiB"},
                        {5, "3/6 r"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) char *line = measure_bar_line(&bar, cases[i].columns);

                assert_string_equal(line, cases[i].line);
        }
        progress.runs_done = 9;
        bar.title = NULL;
        {
                _cleanup_(freep) char *line = measure_bar_line(&bar, 30);

                assert_string_equal(line, "#############  6/6 runs, 3 MiB");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_result, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_signals_end_it, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_ignored_signal, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_blocked_signal, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_deaf_job_is_killed, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_held_signals, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_deadline, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_worker_signals, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_leaves_signals_as_they_were, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_end_by, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_bar_on_terminal, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_bar_in_utf8, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_no_bar, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_bar_is_erased_at_signal, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
        };

        setlocale(LC_CTYPE, "C.UTF-8");
        /* A shell lets what runs in the background ignore these. */
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
