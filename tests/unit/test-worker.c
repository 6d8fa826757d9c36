/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/worker.h"

#define LARGE_BYTES (40U * 1024U) /* more than PIPE_BUF */
#define HUGE_BYTES  (1U << 20)    /* more than a pipe holds */

static uint64_t now_msec(void) {
        struct timespec ts;

        clock_gettime(CLOCK_MONOTONIC, &ts);
        return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static unsigned count_descriptors(void) {
        DIR *dir = opendir("/proc/self/fd");
        unsigned n = 0;

        assert_non_null(dir);
        while (readdir(dir))
                n++;
        closedir(dir);
        return n;
}

static void assert_no_children(void) {
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
}

static int double_it(const void *input, void *result) {
        *(int *)result = *(const int *)input * 2;
        return 0;
}

static int return_error(const void *input, void *result) {
        *(int *)result = 7;
        return -EIO;
}

static int fill(const void *input, void *result) {
        size_t size = *(const size_t *)input;

        for (size_t i = 0; i < size; i++)
                ((unsigned char *)result)[i] = (unsigned char)(i * 7 + i / 256);
        return 0;
}

static int crash(const void *input, void *result) {
        raise(SIGKILL);
        return 0;
}

static int leave(const void *input, void *result) {
        _exit(0);
}

static int hang(const void *input, void *result) {
        for (;;)
                pause();
        return 0;
}

static int hang_ignoring_term(const void *input, void *result) {
        signal(SIGTERM, SIG_IGN);
        raise(SIGTERM);
        return hang(input, result);
}

static int start_one(worker_job job, const void *input, size_t result_size, struct worker **ret) {
        const struct worker_jobs jobs = {.job = job, .inputs = input, .n = 1, .result_size = result_size};

        return worker_start(&jobs, ret);
}

/* What a job finds around it. */
struct surroundings {
        unsigned n_descriptors;
        bool signals_default, mask_empty;
        int death_signal, io_priority;
};

static int look_round(const void *input, void *result) {
        struct surroundings *s = result;
        struct sigaction action;
        sigset_t mask;

        for (int fd = 3; fd < 1024; fd++)
                s->n_descriptors += fcntl(fd, F_GETFD) >= 0;
        sigaction(SIGUSR1, NULL, &action);
        s->signals_default = action.sa_handler == SIG_DFL;
        sigprocmask(SIG_SETMASK, NULL, &mask);
        s->mask_empty = !sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGTERM);
        prctl(PR_GET_PDEATHSIG, &s->death_signal);
        s->io_priority = (int)syscall(SYS_ioprio_get, 1, 0);
        return 0;
}

static void test_returns(void **state) {
        int input = 21, result = 0;

        assert_int_equal(worker_run(double_it, &input, &result, sizeof(result), 5000), 0);
        assert_int_equal(result, 42);
        assert_no_children();
}

static void test_result_of_failed_job(void **state) {
        int result = 0;

        assert_int_equal(worker_run(return_error, NULL, &result, sizeof(result), 5000), 0);
        assert_int_equal(result, 7);
        assert_no_children();
}

static void test_large_results(void **state) {
        static const size_t sizes[] = {0, 1, 4096, 4097, LARGE_BYTES, 65536, HUGE_BYTES};

        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
                _cleanup_(freep) unsigned char *got = calloc(1, sizes[i] + 1);
                _cleanup_(freep) unsigned char *wanted = calloc(1, sizes[i] + 1);

                assert_non_null(got);
                assert_non_null(wanted);
                fill(&sizes[i], wanted);
                assert_int_equal(worker_run(fill, &sizes[i], got, sizes[i], 5000), 0);
                assert_memory_equal(got, wanted, sizes[i] + 1);
        }
        assert_no_children();
}

static void test_ends_without_result(void **state) {
        int result = 5;

        assert_int_equal(worker_run(crash, NULL, &result, sizeof(result), 5000), -EPIPE);
        assert_int_equal(worker_run(leave, NULL, &result, sizeof(result), 5000), -EPIPE);
        assert_int_equal(result, 5);
        assert_no_children();
}

static void test_deadline(void **state) {
        static const worker_job jobs[] = {hang, hang_ignoring_term};
        int result = 5;

        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
                uint64_t start = now_msec(), taken;

                assert_int_equal(worker_run(jobs[i], NULL, &result, sizeof(result), 50), -ETIMEDOUT);
                taken = now_msec() - start;
                assert_true(taken >= 50 && taken < 5000);
                assert_int_equal(result, 5);
        }
        assert_no_children();
}

static void test_event_loop(void **state) {
        _cleanup_(worker_freep) struct worker *worker = NULL;
        size_t size = LARGE_BYTES;
        _cleanup_(freep) unsigned char *result = calloc(1, size);
        int r;

        assert_non_null(result);
        assert_int_equal(start_one(fill, &size, size, &worker), 0);
        assert_true(worker_pid(worker) > 0);
        do {
                struct pollfd pollfd = {.fd = worker_fd(worker), .events = POLLIN};

                assert_int_equal(poll(&pollfd, 1, 5000), 1);
                r = worker_collect(worker, result);
        } while (r == -EAGAIN);
        assert_int_equal(r, 0);
        assert_int_equal(result[1000], (unsigned char)(7000 + 1000 / 256));
        assert_int_equal(worker_collect(worker, result), -ENODATA);
        assert_int_equal(worker_kill(worker, 0), 0);
        assert_no_children();
}

static void test_not_done(void **state) {
        _cleanup_(worker_freep) struct worker *worker = NULL;
        int result = 5;

        assert_int_equal(start_one(hang, NULL, sizeof(result), &worker), 0);
        assert_int_equal(worker_collect(worker, &result), -EAGAIN);
        assert_int_equal(worker_kill(worker, 5000), 0);
        assert_int_equal(worker_kill(worker, 0), 0);
        assert_int_equal(worker_collect(worker, &result), -EPIPE);
        assert_int_equal(result, 5);
        assert_no_children();
}

static void test_free_kills(void **state) {
        struct worker *worker = NULL;

        assert_int_equal(start_one(hang, NULL, sizeof(int), &worker), 0);
        worker_free(worker);
        assert_no_children();
        worker_free(NULL);
}

static void handler(int signal_number) {
}

static void test_surroundings(void **state) {
        struct sigaction action = {.sa_handler = handler}, before_action;
        struct surroundings s = {};
        sigset_t blocked, before, after;
        int fds[20];

        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
                assert_true((fds[i] = dup(0)) >= 0);
        sigaction(SIGUSR1, &action, &before_action);
        sigemptyset(&blocked);
        sigprocmask(SIG_SETMASK, &blocked, NULL);
        sigaddset(&blocked, SIGUSR2);
        sigaddset(&blocked, SIGTERM);
        sigprocmask(SIG_BLOCK, &blocked, &before);

        assert_int_equal(worker_run(look_round, NULL, &s, sizeof(s), 5000), 0);
        assert_int_equal(s.n_descriptors, 1);
        assert_true(s.signals_default);
        assert_true(s.mask_empty);
        assert_int_equal(s.death_signal, SIGKILL);
        if (s.io_priority >= 0)
                assert_int_equal(s.io_priority >> 13, 3);

        /* The parent's own mask is what it was. */
        sigprocmask(SIG_SETMASK, &before, &after);
        assert_true(sigismember(&after, SIGUSR2));
        assert_false(sigismember(&after, SIGUSR1));
        sigaction(SIGUSR1, &before_action, NULL);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
                close(fds[i]);
}

/* What is to be done with one of many. */
struct task {
        enum { TASK_SQUARE, TASK_HANG, TASK_CRASH } what;
        unsigned number;
        unsigned *n_done; /* shared */
        unsigned char filling[100];
};

struct answer {
        unsigned square;
        pid_t pid;
        unsigned char filling[1000];
};

static int do_task(const void *input, void *result) {
        const struct task *task = input;
        struct answer *answer = result;

        assert_int_equal(answer->square, 0);
        if (task->what == TASK_CRASH)
                raise(SIGKILL);
        if (task->what == TASK_HANG)
                hang(NULL, NULL);
        *answer = (struct answer){.square = task->number * task->number, .pid = getpid()};
        memset(answer->filling, (int)task->number, sizeof(answer->filling));
        ++*task->n_done;
        return 0;
}

#define TASKS 200U /* whose answers are more than a pipe holds */

static struct task tasks[TASKS];

static struct worker *start_tasks(unsigned *n_done) {
        const struct worker_jobs jobs = {.job = do_task,
                        .inputs = tasks,
                        .n = TASKS,
                        .input_size = sizeof(*tasks),
                        .result_size = sizeof(struct answer)};
        struct worker *worker;

        *n_done = 0;
        for (unsigned i = 0; i < TASKS; i++) {
                tasks[i].number = i;
                tasks[i].n_done = n_done;
        }
        assert_int_equal(worker_start(&jobs, &worker), 0);
        return worker;
}

/* As worker_collect(), but waits. */
static int collect(struct worker *worker, void *result) {
        struct pollfd pollfd = {.fd = worker_fd(worker), .events = POLLIN};
        int r;

        while ((r = worker_collect(worker, result)) == -EAGAIN)
                assert_int_equal(poll(&pollfd, 1, 5000), 1);
        return r;
}

/* The first N answers, all from one process. */
static void collect_tasks(struct worker *worker, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
                struct answer answer;

                assert_int_equal(collect(worker, &answer), 0);
                assert_int_equal(answer.square, i * i);
                assert_int_equal(answer.filling[sizeof(answer.filling) - 1], (unsigned char)i);
                assert_int_equal(answer.pid, worker_pid(worker));
        }
}

/* What comes after them. */
static int collect_end(struct worker *worker) {
        struct answer answer;

        return collect(worker, &answer);
}

static unsigned *new_counter(void) {
        unsigned *counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        assert_true(counter != MAP_FAILED);
        return counter;
}

static void test_many(void **state) {
        unsigned *n_done = new_counter();
        _cleanup_(worker_freep) struct worker *worker = start_tasks(n_done);

        collect_tasks(worker, TASKS);
        assert_int_equal(collect_end(worker), -ENODATA);
        assert_int_equal(*n_done, TASKS);
        assert_no_children();
        munmap(n_done, sizeof(*n_done));
}

/* What came before is there; of what it was at, and of what comes after, there is nothing. */
static void test_crash_among_many(void **state) {
        unsigned *n_done = new_counter();

        for (unsigned at = 0; at < TASKS; at += TASKS - 1) {
                _cleanup_(worker_freep) struct worker *worker = NULL;

                tasks[at].what = TASK_CRASH;
                worker = start_tasks(n_done);
                collect_tasks(worker, at);
                assert_int_equal(collect_end(worker), -EPIPE);
                assert_int_equal(*n_done, at);
                assert_int_equal(worker_cut(worker), at + 1);
                assert_no_children();
                tasks[at].what = TASK_SQUARE;
        }
        munmap(n_done, sizeof(*n_done));
}

/* Behind the one that hangs: nothing is begun any more, and how far it has come is known. */
static void test_cut(void **state) {
        unsigned *n_done = new_counter();
        _cleanup_(worker_freep) struct worker *worker = NULL;
        struct answer answer;

        tasks[7].what = TASK_HANG;
        worker = start_tasks(n_done);
        collect_tasks(worker, 7);
        usleep(20000);
        assert_int_equal(worker_collect(worker, &answer), -EAGAIN);
        assert_int_equal(worker_cut(worker), 8);
        assert_int_equal(worker_cut(worker), 8);
        assert_int_equal(worker_kill(worker, 5000), 0);
        assert_int_equal(worker_collect(worker, &answer), -EPIPE);
        assert_int_equal(*n_done, 7);
        tasks[7].what = TASK_SQUARE;
        munmap(n_done, sizeof(*n_done));
}

/* While it goes on: what it has begun comes to its end, and nothing else is done. */
static void test_cut_while_at_it(void **state) {
        unsigned *n_done = new_counter();

        for (unsigned round = 0; round < 50; round++) {
                _cleanup_(worker_freep) struct worker *worker = start_tasks(n_done);
                size_t n;

                while (*(volatile unsigned *)n_done < round)
                        ;
                n = worker_cut(worker);
                assert_true(n >= round && n <= TASKS);
                collect_tasks(worker, (unsigned)n);
                assert_int_equal(collect_end(worker), -ENODATA);
                assert_int_equal(worker_kill(worker, 5000), 0);
                assert_int_equal(*n_done, n);
        }
        assert_no_children();
        munmap(n_done, sizeof(*n_done));
}

static void ignore_term(void) {
        signal(SIGTERM, SIG_IGN);
}

static int raise_term(const void *input, void *result) {
        raise(SIGTERM);
        *(int *)result = 42;
        return 0;
}

static void test_prepare(void **state) {
        const struct worker_jobs jobs = {.job = raise_term, .prepare = ignore_term, .n = 1, .result_size = sizeof(int)};
        _cleanup_(worker_freep) struct worker *worker = NULL;
        int result = 0;

        assert_int_equal(worker_start(&jobs, &worker), 0);
        assert_int_equal(collect(worker, &result), 0);
        assert_int_equal(result, 42);
}

/* The middle process starts a worker that hangs, tells its number, and dies. */
static pid_t orphan(void) {
        int fds[2], status;
        pid_t middle, child = -1;

        assert_int_equal(pipe(fds), 0);
        middle = fork();
        assert_true(middle >= 0);
        if (middle == 0) {
                struct worker *worker;

                if (start_one(hang, NULL, sizeof(int), &worker) == 0) {
                        child = worker_pid(worker);
                        if (write(fds[1], &child, sizeof(child)) != sizeof(child))
                                _exit(1);
                }
                _exit(0);
        }
        assert_int_equal(waitpid(middle, &status, 0), middle);
        assert_int_equal(read(fds[0], &child, sizeof(child)), sizeof(child));
        close(fds[0]);
        close(fds[1]);
        return child;
}

static void test_dies_with_parent(void **state) {
        const struct timespec pause = {.tv_nsec = 5000000};
        bool gone = false;
        pid_t child;

        /* So that the worker becomes our child when the middle process is gone, and can be waited for. */
        assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        child = orphan();
        assert_true(child > 0);
        for (unsigned i = 0; i < 1000 && !gone; i++) {
                gone = waitpid(child, NULL, WNOHANG) == child;
                nanosleep(&pause, NULL);
        }
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        if (!gone)
                kill(child, SIGKILL);
        assert_true(gone);
}

static void test_leaks_nothing(void **state) {
        static const worker_job jobs[] = {double_it, crash, leave, return_error};
        unsigned before = count_descriptors();
        int input = 1, result;

        for (unsigned i = 0; i < 100; i++)
                (void)worker_run(jobs[i % ARRAY_SIZE(jobs)], &input, &result, sizeof(result), 5000);
        for (unsigned i = 0; i < 3; i++)
                (void)worker_run(hang, NULL, &result, sizeof(result), 5);
        assert_int_equal(count_descriptors(), before);
        assert_no_children();
}

static void test_no_descriptor_left(void **state) {
        struct worker *worker = NULL;
        struct rlimit before, limit;
        int r;

        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        limit = before;
        limit.rlim_cur = 3;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        r = start_one(double_it, NULL, sizeof(int), &worker);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(r, -EMFILE);
        assert_null(worker);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_returns),
                        cmocka_unit_test(test_result_of_failed_job),
                        cmocka_unit_test(test_large_results),
                        cmocka_unit_test(test_ends_without_result),
                        cmocka_unit_test(test_deadline),
                        cmocka_unit_test(test_event_loop),
                        cmocka_unit_test(test_not_done),
                        cmocka_unit_test(test_free_kills),
                        cmocka_unit_test(test_many),
                        cmocka_unit_test(test_crash_among_many),
                        cmocka_unit_test(test_cut),
                        cmocka_unit_test(test_cut_while_at_it),
                        cmocka_unit_test(test_prepare),
                        cmocka_unit_test(test_surroundings),
                        cmocka_unit_test(test_dies_with_parent),
                        cmocka_unit_test(test_leaks_nothing),
                        cmocka_unit_test(test_no_descriptor_left),
        };

        return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
