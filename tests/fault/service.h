/* SPDX-License-Identifier: MIT */
#pragma once

/* The service as it goes through its life on the machine that is made of files, in as little time as it takes. */

#include <stdbool.h>
#include <systemd/sd-event.h>

int setrad_main(int argc, char **argv);

/*
 * What comes to it, each when it has nothing to do any more with what came before: the event of a map, if MAP is not NULL,
 * SIGHUP, SIGUSR2; at last SIGTERM.
 */
struct service_life {
        const char *map; /* sysfs path */
        bool reload, state;
};

void service_set_life(const struct service_life *life);

/* In the place of sd_event_loop(). */
int service_live(sd_event *event);

/* A timer of the event loop's: what it waits for. */
void service_add_timer(sd_event_source *source);
void service_drop_timer(const sd_event_source *source);

/* udev's socket. The second returns the path of the next device, or NULL. */
int service_open_events(void);
const char *service_take_event(void);
