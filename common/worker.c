/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/worker.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* linux/ioprio.h, which not every C library's kernel headers have. */
#define IOPRIO_WHO_PROCESS  1
#define IOPRIO_CLASS_IDLE   3
#define IOPRIO_CLASS_SHIFT  13
#define RESULT_FD           3
#define REAP_MSEC           50   /* a process that has closed its pipe is as good as gone */
#define RUN_KILL_GRACE_MSEC 1000 /* worker_run(): for SIGKILL to work */

struct worker {
        pid_t pid;
        int fd;
        bool reaped;
        size_t n, n_taken;
        atomic_size_t *n_begun; /* shared with the child; more than N once there is to be no more */
        size_t result_size, received;
        unsigned char result[];
};

static void close_from(unsigned first) {
        struct rlimit limit;

        if (syscall(SYS_close_range, first, ~0U, 0) == 0)
                return;
        /* Before Linux 5.9. */
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > 65536)
                limit.rlim_cur = 65536;
        for (unsigned fd = first; fd < limit.rlim_cur; fd++)
                close((int)fd);
}

/* Expects all signals to be blocked, so that no handler of the parent's ever runs in the child. */
static void default_signals(void) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigset_t none;

        for (int signal_number = 1; signal_number < NSIG; signal_number++)
                sigaction(signal_number, &action, NULL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Whether all of it could be written. */
static bool write_all(int fd, const unsigned char *data, size_t size) {
        while (size > 0) {
                ssize_t n = write(fd, data, size);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        return false;
                data += n;
                size -= (size_t)n;
        }
        return true;
}

static int exit_status(int r) {
        if (r >= 0)
                return r < 255 ? r : 255;
        return r > -255 ? -r : 255;
}

/* A change must not depend on this: where it can't be set, the probe merely competes. The service has been given it. */
static void be_idle(void) {
        long priority = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);

        if (priority < 0 || priority >> IOPRIO_CLASS_SHIFT != IOPRIO_CLASS_IDLE)
                (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
}

/* Returns what the last one returned. */
static int do_jobs(const struct worker_jobs *jobs, struct worker *worker) {
        int r = 0;

        for (size_t i; (i = atomic_fetch_add(worker->n_begun, 1)) < jobs->n;) {
                memset(worker->result, 0, worker->result_size);
                r = jobs->job((const unsigned char *)jobs->inputs + i * jobs->input_size, worker->result);
                if (!write_all(RESULT_FD, worker->result, worker->result_size))
                        _exit(EXIT_FAILURE);
        }
        return r;
}

static _Noreturn void child(const struct worker_jobs *jobs, struct worker *worker, int fd, pid_t parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
                _exit(EXIT_FAILURE);
        be_idle();
        if (fd != RESULT_FD && dup2(fd, RESULT_FD) < 0)
                _exit(EXIT_FAILURE);
        if (fcntl(RESULT_FD, F_SETFD, FD_CLOEXEC) < 0)
                _exit(EXIT_FAILURE);
        close_from(RESULT_FD + 1);
        default_signals();
        if (jobs->prepare)
                jobs->prepare();
        _exit(exit_status(do_jobs(jobs, worker)));
}

/* Only the parent's end is non-blocking: the child writes a result that is larger than the pipe as it is read. */
static int open_pipe(int fds[2]) {
        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
                int r = -errno;

                close(fds[0]);
                close(fds[1]);
                return r;
        }
        return 0;
}

static int start(const struct worker_jobs *jobs, struct worker *worker) {
        _cleanup_(closep) int reader = -1, writer = -1;
        sigset_t all, before;
        pid_t pid, parent = getpid();
        int fds[2], r;

        r = open_pipe(fds);
        if (r < 0)
                return r;
        reader = fds[0];
        writer = fds[1];
        sigfillset(&all);
        if (sigprocmask(SIG_SETMASK, &all, &before) < 0)
                return -errno;
        pid = fork();
        if (pid == 0)
                child(jobs, worker, writer, parent);
        r = pid < 0 ? -errno : 0;
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (r < 0)
                return r;
        worker->pid = pid;
        worker->fd = TAKE_FD(reader);
        return 0;
}

static int new_counter(atomic_size_t **ret) {
        atomic_size_t *counter =
                        mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (counter == MAP_FAILED)
                return -errno;
        atomic_init(counter, 0);
        *ret = counter;
        return 0;
}

int worker_start(const struct worker_jobs *jobs, struct worker **ret) {
        _cleanup_(freep) struct worker *worker = NULL;
        size_t size;
        int r;

        if (__builtin_add_overflow(sizeof(*worker), jobs->result_size, &size))
                return -EOVERFLOW;
        worker = calloc(1, size);
        if (!worker)
                return -ENOMEM;
        worker->n = jobs->n;
        worker->result_size = jobs->result_size;
        r = new_counter(&worker->n_begun);
        if (r < 0)
                return r;
        r = start(jobs, worker);
        if (r < 0) {
                munmap(worker->n_begun, sizeof(*worker->n_begun));
                return r;
        }
        *ret = TAKE_PTR(worker);
        return 0;
}

int worker_fd(const struct worker *worker) {
        return worker->fd;
}

pid_t worker_pid(const struct worker *worker) {
        return worker->pid;
}

/* Whether the child is gone and its status taken. */
static bool try_reap(struct worker *worker) {
        pid_t pid;

        if (worker->reaped)
                return true;
        do
                pid = waitpid(worker->pid, NULL, WNOHANG);
        while (pid < 0 && errno == EINTR);
        /* ECHILD: someone else took it (SIGCHLD ignored); it is gone all the same. */
        worker->reaped = pid != 0;
        return worker->reaped;
}

static bool reap_within(struct worker *worker, unsigned msec) {
        uint64_t until_msec = monotonic_msec() + msec;
        struct timespec pause = {.tv_nsec = 200000};

        while (!try_reap(worker)) {
                if (monotonic_msec() >= until_msec)
                        return false;
                nanosleep(&pause, NULL);
                if (pause.tv_nsec < 10000000)
                        pause.tv_nsec *= 2;
        }
        return true;
}

/*
 * 1: end of file; 0: nothing more now, or, of a result that is not the LAST, all of it is there; or a negative errno. What
 * follows stays in the pipe.
 */
static int receive(struct worker *worker, bool last) {
        for (;;) {
                /* One byte more than is due: so the end of the file is seen in the same call. */
                unsigned char surplus;
                bool full = worker->received == worker->result_size;
                ssize_t n;

                if (full && !last)
                        return 0;
                n = read(worker->fd, full ? &surplus : worker->result + worker->received,
                                full ? 1 : worker->result_size - worker->received);
                if (n == 0)
                        return 1;
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return errno == EAGAIN ? 0 : -errno;
                if (full)
                        return -EPROTO;
                worker->received += (size_t)n;
        }
}

int worker_collect(struct worker *worker, void *result) {
        bool last = worker->n_taken + 1 == worker->n;
        int r;

        if (worker->n_taken >= worker->n)
                return -ENODATA;
        r = receive(worker, last);
        if (r < 0)
                return r;
        if (r == 0 && (last || worker->received < worker->result_size))
                return -EAGAIN;
        if (r > 0 && !reap_within(worker, REAP_MSEC))
                return -EAGAIN;
        if (worker->received < worker->result_size)
                return -EPIPE;
        if (worker->result_size > 0)
                memcpy(result, worker->result, worker->result_size);
        worker->received = 0;
        worker->n_taken++;
        return 0;
}

size_t worker_cut(struct worker *worker) {
        size_t n_begun = atomic_fetch_add(worker->n_begun, worker->n);

        if (n_begun < worker->n)
                worker->n = n_begun;
        return worker->n;
}

int worker_kill(struct worker *worker, unsigned grace_msec) {
        if (try_reap(worker))
                return 0;
        if (kill(worker->pid, SIGKILL) < 0)
                return -errno;
        return reap_within(worker, grace_msec) ? 0 : -EBUSY;
}

void worker_free(struct worker *worker) {
        if (!worker)
                return;
        (void)worker_kill(worker, REAP_MSEC);
        close(worker->fd);
        munmap(worker->n_begun, sizeof(*worker->n_begun));
        free(worker);
}

/* 0 when there is something to collect, -ETIMEDOUT, or another negative errno. */
static int wait_readable(const struct worker *worker, uint64_t until_msec) {
        struct pollfd pollfd = {.fd = worker->fd, .events = POLLIN};

        for (;;) {
                uint64_t now_msec = monotonic_msec();
                int n;

                if (now_msec >= until_msec)
                        return -ETIMEDOUT;
                n = poll(&pollfd, 1, until_msec - now_msec < 60000 ? (int)(until_msec - now_msec) : 60000);
                if (n > 0)
                        return 0;
                if (n < 0 && errno != EINTR)
                        return -errno;
        }
}

int worker_run(worker_job job, const void *input, void *result, size_t result_size, unsigned deadline_msec) {
        const struct worker_jobs jobs = {.job = job, .inputs = input, .n = 1, .result_size = result_size};
        _cleanup_(worker_freep) struct worker *worker = NULL;
        uint64_t until_msec = monotonic_msec() + deadline_msec;
        int r;

        r = worker_start(&jobs, &worker);
        if (r < 0)
                return r;
        do {
                r = wait_readable(worker, until_msec);
                if (r == 0)
                        r = worker_collect(worker, result);
        } while (r == -EAGAIN);
        if (r == -ETIMEDOUT && worker_kill(worker, RUN_KILL_GRACE_MSEC) == -EBUSY)
                return -EBUSY;
        return r;
}
