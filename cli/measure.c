/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#include "cli/measure-bar.h"
#include "cli/measure.h"
#include "common/clock.h"

#define KILL_GRACE_MSEC 1000U /* for SIGKILL to work */

static const int ending_signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/* One measuring under way. */
struct measuring {
        const struct measure *measure;
        struct worker *worker;
        struct measure_bar bar;
        int signal_fd;
        uint64_t deadline_msec;
        size_t n_collected;
};

void *measure_shared_new(size_t size) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        return memory == MAP_FAILED ? NULL : memory;
}

void measure_shared_free(void *memory, size_t size) {
        if (memory)
                munmap(memory, size);
}

struct probe_progress *measure_progress_new(void) {
        return measure_shared_new(sizeof(struct probe_progress));
}

void measure_progress_free(struct probe_progress *progress) {
        measure_shared_free(progress, sizeof(*progress));
}

/* In the worker: Ctrl-C and Ctrl-\ go to all processes of a terminal's job; only its parent says when it is to end. */
static void guard(void) {
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
}

/* Those that are ignored (nohup) stay so: a signalfd would get them all the same. */
static void find_signals(sigset_t *set) {
        sigemptyset(set);
        for (size_t i = 0; i < ARRAY_SIZE(ending_signals); i++) {
                struct sigaction action;

                if (sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
                        sigaddset(set, ending_signals[i]);
        }
}

/* 0 when the worker is done or a signal is there (or it is time to look), or a negative errno. */
static int wait_for_news(const struct measuring *measuring, uint64_t until_msec, bool *ret_signal) {
        struct pollfd fds[] = {{.fd = worker_fd(measuring->worker), .events = POLLIN},
                        {.fd = measuring->signal_fd, .events = POLLIN}};
        uint64_t now_msec = monotonic_msec(), left_msec = until_msec > now_msec ? until_msec - now_msec : 0;

        if (poll(fds, ARRAY_SIZE(fds), left_msec < 60000 ? (int)left_msec : 60000) < 0 && errno != EINTR)
                return -errno;
        *ret_signal = fds[1].revents & POLLIN;
        return 0;
}

static int take_signal(const struct measuring *measuring) {
        struct signalfd_siginfo info;
        ssize_t n = read(measuring->signal_fd, &info, sizeof(info));

        return n == sizeof(info) ? (int)info.ssi_signo : 0;
}

/* As worker_collect(), of all that is there: the first answer that is not 0, and 0 for -ENODATA. */
static int collect(struct measuring *measuring) {
        const struct measure *measure = measuring->measure;
        int r;

        while ((r = worker_collect(measuring->worker, measure->result)) == 0) {
                measuring->n_collected++;
                measuring->deadline_msec = monotonic_msec() + measure->deadline_msec;
                if (measure->handler)
                        measure->handler(measure->userdata);
        }
        return r == -ENODATA ? 0 : r;
}

static int wait_for_end(struct measuring *measuring, int *ret_signal) {
        for (;;) {
                uint64_t next = measure_bar_draw(&measuring->bar);
                bool has_signal = false;
                int r;

                if (monotonic_msec() >= measuring->deadline_msec)
                        return -ETIMEDOUT;
                r = wait_for_news(measuring, next < measuring->deadline_msec ? next : measuring->deadline_msec,
                                &has_signal);
                if (r < 0)
                        return r;
                r = collect(measuring);
                if (r != -EAGAIN)
                        return r;
                if (has_signal)
                        *ret_signal = take_signal(measuring);
                if (*ret_signal != 0)
                        return -EINTR;
        }
}

/* What is done by then is taken. -EBUSY if it can't even be killed. */
static int end_worker(struct measuring *measuring) {
        uint64_t until_msec = monotonic_msec() + MEASURE_GRACE_MSEC;
        struct pollfd pollfd = {.fd = worker_fd(measuring->worker), .events = POLLIN};
        int r = -EAGAIN;

        (void)worker_cut(measuring->worker);
        (void)kill(worker_pid(measuring->worker), SIGTERM);
        while (r == -EAGAIN) {
                uint64_t now_msec = monotonic_msec();

                if (now_msec >= until_msec)
                        break;
                (void)poll(&pollfd, 1, (int)(until_msec - now_msec));
                r = collect(measuring);
        }
        return worker_kill(measuring->worker, KILL_GRACE_MSEC);
}

static int run(struct measuring *measuring, int *ret_signal) {
        const struct measure *measure = measuring->measure;
        _cleanup_(worker_freep) struct worker *worker = NULL;
        struct worker_jobs jobs = measure->jobs;
        size_t n_begun;
        int r;

        jobs.prepare = guard;
        r = worker_start(&jobs, &worker);
        if (r < 0)
                return r;
        measuring->worker = worker;
        measuring->deadline_msec = monotonic_msec() + measure->deadline_msec;
        measure_bar_begin(&measuring->bar, measure->title, measure->progress);
        r = wait_for_end(measuring, ret_signal);
        measure_bar_end(&measuring->bar);
        if (r < 0 && r != -EPIPE && end_worker(measuring) == -EBUSY && r != -EINTR)
                r = -EBUSY;
        n_begun = r < 0 ? worker_cut(worker) : measuring->n_collected;
        if (measure->ret_n_begun)
                *measure->ret_n_begun = n_begun;
        /* What was waited for has come after all, and nothing else was begun. */
        if (r != -EINTR && r != -EPIPE && r != -EBUSY && measuring->n_collected > 0 &&
                        n_begun <= measuring->n_collected)
                return 0;
        return r;
}

void measure_hold_signals(sigset_t *ret_before) {
        sigset_t signals;

        find_signals(&signals);
        sigprocmask(SIG_BLOCK, &signals, ret_before);
}

void measure_release_signals(const sigset_t *before) {
        sigprocmask(SIG_SETMASK, before, NULL);
}

int measure_run(const struct measure *measure, int *ret_signal) {
        struct measuring measuring = {.measure = measure, .signal_fd = -1};
        _cleanup_(closep) int fd = -1;
        sigset_t signals, before;
        int r;

        *ret_signal = 0;
        find_signals(&signals);
        if (sigprocmask(SIG_BLOCK, &signals, &before) < 0)
                return -errno;
        measuring.signal_fd = fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        r = fd < 0 ? -errno : run(&measuring, ret_signal);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return r;
}

_Noreturn void measure_end_by(int signal_number) {
        sigset_t set;

        fflush(NULL);
        signal(signal_number, SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, signal_number);
        raise(signal_number);
        /* cppcheck-suppress unreachableCode ; it is blocked until here */
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        _exit(128 + signal_number);
}
