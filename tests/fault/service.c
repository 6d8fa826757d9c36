/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/fault/service.h"

#define TIMERS_MAX 64
#define SOON_USEC  UINT64_C(1500000) /* what is due later is not waited for */

static struct {
        struct service_life life;
        sd_event_source *timers[TIMERS_MAX];
        size_t n_timers;
        int events_fd;
        const char *event; /* that waits to be received */
} service;

void service_set_life(const struct service_life *life) {
        service.life = *life;
        service.n_timers = 0;
        service.event = NULL;
}

void service_add_timer(sd_event_source *source) {
        if (service.n_timers == TIMERS_MAX)
                abort();
        service.timers[service.n_timers++] = source;
}

void service_drop_timer(const sd_event_source *source) {
        for (size_t i = 0; i < service.n_timers; i++)
                if (service.timers[i] == source)
                        service.timers[i--] = service.timers[--service.n_timers];
}

int service_open_events(void) {
        service.events_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        return service.events_fd;
}

const char *service_take_event(void) {
        const char *event = service.event;
        eventfd_t n;

        service.event = NULL;
        if (event && eventfd_read(service.events_fd, &n) < 0)
                abort();
        return event;
}

/* --- its life */

static bool has_worker(void) {
        siginfo_t info = {};

        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static bool is_due_soon(sd_event_source *source) {
        uint64_t due = 0;
        int enabled = SD_EVENT_OFF;

        return sd_event_source_get_enabled(source, &enabled) > 0 && sd_event_source_get_time(source, &due) >= 0 &&
               due < monotonic_usec() + SOON_USEC;
}

static bool is_busy(void) {
        if (has_worker())
                return true;
        for (size_t i = 0; i < service.n_timers; i++)
                if (is_due_soon(service.timers[i]))
                        return true;
        return false;
}

/* Until it waits for nothing that comes by itself. */
static int run(sd_event *event) {
        int r;

        do
                r = sd_event_run(event, is_busy() ? SOON_USEC : 0);
        while (r > 0 && sd_event_get_state(event) != SD_EVENT_FINISHED);
        return r;
}

static int receive_signal(sd_event *event, int number) {
        if (raise(number) != 0)
                abort();
        return run(event);
}

static int receive_event(sd_event *event) {
        service.event = service.life.map;
        if (eventfd_write(service.events_fd, 1) < 0)
                abort();
        return run(event);
}

int service_live(sd_event *event) {
        int r;

        r = run(event);
        if (r >= 0 && service.life.map)
                r = receive_event(event);
        if (r >= 0 && service.life.reload)
                r = receive_signal(event, SIGHUP);
        if (r >= 0 && service.life.state)
                r = receive_signal(event, SIGUSR2);
        return r < 0 ? r : receive_signal(event, SIGTERM);
}
