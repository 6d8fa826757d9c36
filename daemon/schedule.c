/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <sys/random.h>

#include "common/clock.h"
#include "daemon/schedule.h"

#define SLACK_USEC UINT64_C(10000)

struct schedule {
        sd_event *event;
        schedule_handler handler;
        void *userdata;
        struct schedule_times times;
        struct nameset news;
        uint64_t rest_usec;  /* no scan before that */
        uint64_t first_usec; /* since when news wait; 0: none do */
        sd_event_source *settle_source, *reconcile_source;
};

void schedule_free(struct schedule *schedule) {
        if (!schedule)
                return;
        sd_event_source_disable_unref(schedule->settle_source);
        sd_event_source_disable_unref(schedule->reconcile_source);
        nameset_done(&schedule->news);
        free(schedule);
}

static int on_settled(sd_event_source *source, uint64_t usec, void *userdata) {
        struct schedule *schedule = userdata;

        schedule->handler(schedule->userdata);
        return 0;
}

static int on_reconcile(sd_event_source *source, uint64_t usec, void *userdata) {
        struct schedule *schedule = userdata;

        nameset_add_all(&schedule->news);
        schedule->handler(schedule->userdata);
        return 0;
}

static int new_timer(struct schedule *schedule, uint64_t slack_usec, sd_event_time_handler_t handler,
                sd_event_source **ret) {
        int r;

        r = sd_event_add_time(schedule->event, ret, CLOCK_MONOTONIC, 0, slack_usec, handler, schedule);
        return r < 0 ? r : sd_event_source_set_enabled(*ret, SD_EVENT_OFF);
}

int schedule_new(sd_event *event, schedule_handler handler, void *userdata, struct schedule **ret) {
        _cleanup_(schedule_freep) struct schedule *schedule = calloc(1, sizeof(*schedule));
        int r;

        if (!schedule)
                return -ENOMEM;
        *schedule = (struct schedule){.event = event, .handler = handler, .userdata = userdata};
        r = new_timer(schedule, SLACK_USEC, on_settled, &schedule->settle_source);
        if (r < 0)
                return r;
        /* 0: the default slack of sd-event, a quarter of a second. */
        r = new_timer(schedule, 0, on_reconcile, &schedule->reconcile_source);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(schedule);
        return 0;
}

static int arm(sd_event_source *source, uint64_t due_usec) {
        int r;

        r = sd_event_source_set_time(source, due_usec);
        return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* A tenth earlier or later. Without a random number the middle will do. */
static uint64_t jitter(uint64_t usec) {
        uint64_t spread = usec / 5, number = 0;

        if (spread == 0 || getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
                return usec;
        return usec - spread / 2 + number % spread;
}

static int arm_reconcile(struct schedule *schedule) {
        uint64_t now;
        int r;

        if (schedule->times.reconcile_usec == 0)
                return sd_event_source_set_enabled(schedule->reconcile_source, SD_EVENT_OFF);
        r = sd_event_now(schedule->event, CLOCK_MONOTONIC, &now);
        if (r < 0)
                return r;
        return arm(schedule->reconcile_source, now + jitter(schedule->times.reconcile_usec));
}

int schedule_set_times(struct schedule *schedule, const struct schedule_times *times) {
        schedule->times = *times;
        return arm_reconcile(schedule);
}

int schedule_look(struct schedule *schedule) {
        uint64_t now, due;
        int r;

        r = sd_event_now(schedule->event, CLOCK_MONOTONIC, &now);
        if (r < 0)
                return r;
        if (schedule->first_usec == 0)
                schedule->first_usec = now;
        due = now + schedule->times.settle_usec;
        if (due > schedule->first_usec + schedule->times.settle_max_usec)
                due = schedule->first_usec + schedule->times.settle_max_usec;
        if (due < schedule->rest_usec)
                due = schedule->rest_usec;
        return arm(schedule->settle_source, due);
}

int schedule_add(struct schedule *schedule, const char *sysname) {
        if (sysname)
                nameset_add(&schedule->news, sysname);
        else
                nameset_add_all(&schedule->news);
        return schedule_look(schedule);
}

void schedule_take(struct schedule *schedule, struct nameset *ret) {
        *ret = schedule->news;
        schedule->news = (struct nameset){};
        schedule->first_usec = 0;
        (void)sd_event_source_set_enabled(schedule->settle_source, SD_EVENT_OFF);
        /* A timer that can't be set leaves the interval as it was. */
        if (ret->all)
                (void)arm_reconcile(schedule);
}

void schedule_rest(struct schedule *schedule, uint64_t usec) {
        schedule->rest_usec = monotonic_usec() + usec;
}
