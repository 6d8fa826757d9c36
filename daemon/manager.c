/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>

#include "common/clock.h"
#include "daemon/journal.h"
#include "daemon/manager-private.h"
#include "daemon/stop.h"

/* The unit's TimeoutStopSec= is 10 s, of which the end of what is under way takes its part. */
#define REVERT_MSEC 6000U

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        struct manager *manager = userdata;

        sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)monotonic_usec());
        manager_load(manager);
        manager_scan(manager, SCAN_RELOAD);
        sd_notify(false, "READY=1");
        return 0;
}

static int on_rescan(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        manager_scan(userdata, SCAN_ASKED);
        return 0;
}

static int on_state(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        manager_tell_state(userdata);
        return 0;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        const struct manager *manager = userdata;

        sd_notify(false, "STOPPING=1");
        return sd_event_exit(manager->event, 0);
}

/* Signals are blocked from here on: the event loop takes them as events. */
static int add_signals(struct manager *manager) {
        static const struct {
                int signal;
                sd_event_signal_handler_t handler;
        } table[] = {
                        {SIGHUP, on_reload},
                        {SIGUSR1, on_rescan},
                        {SIGUSR2, on_state},
                        {SIGTERM, on_stop},
                        {SIGINT, on_stop},
        };
        sigset_t mask;
        int r;

        sigemptyset(&mask);
        for (size_t i = 0; i < ARRAY_SIZE(table); i++)
                sigaddset(&mask, table[i].signal);
        if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
                return -errno;

        for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
                r = sd_event_add_signal(manager->event, NULL, table[i].signal, table[i].handler, manager);
                if (r < 0)
                        return r;
        }
        return 0;
}

static void look_at_left(struct manager *manager) {
        _cleanup_(nameset_done) struct nameset left = {};

        changes_take_left(manager->changes, &left);
        if (left.all)
                manager_news(manager, NULL);
        for (size_t i = 0; i < left.n; i++)
                manager_news(manager, left.names[i]);
}

static void on_change(const struct decision *decision, const struct apply_result *result, void *userdata) {
        struct manager *manager = userdata;

        if (!decision) {
                look_at_left(manager);
                return;
        }
        metrics_count_change(manager->metrics, decision, result);
        manager_news(manager, decision->layer->sysname);
}

static void on_md(const char *sysname, void *userdata) {
        manager_news(userdata, sysname);
}

static void on_due(void *userdata) {
        manager_scan(userdata, SCAN_NEWS);
}

static int prepare(struct manager *manager) {
        int r;

        manager->said = memory_new();
        manager->metrics = metrics_new();
        manager->tally = tally_new();
        if (!manager->said || !manager->metrics || !manager->tally)
                return -ENOMEM;
        r = sysroot_open(NULL, &manager->root);
        if (r < 0)
                return r;
        r = schedule_new(manager->event, on_due, manager, &manager->schedule);
        if (r < 0)
                return r;
        r = mdwatch_new(manager->event, on_md, manager, &manager->mdwatch);
        if (r < 0)
                return r;
        return changes_new(manager->event, manager->root, on_change, manager, &manager->changes);
}

int manager_new(struct manager **ret) {
        _cleanup_(manager_freep) struct manager *manager = calloc(1, sizeof(*manager));
        int r;

        if (!manager)
                return -ENOMEM;
        settings_init_defaults(&manager->settings);
        r = sd_event_new(&manager->event);
        if (r < 0)
                return r;
        r = sd_event_set_watchdog(manager->event, true);
        if (r < 0)
                return r;
        r = add_signals(manager);
        if (r < 0)
                return r;
        r = prepare(manager);
        if (r < 0)
                return r;
        r = manager_watch_reloads(manager);
        if (r < 0)
                return r;
        r = manager_watch_holds(manager);
        if (r < 0)
                return r;
        r = manager_watch_udev(manager);
        if (r < 0)
                return r;
        r = manager_watch_mounts(manager);
        if (r < 0)
                journal_printf(LOG_WARNING, "the mount table can't be watched: %s", strerror(-r));
        *ret = TAKE_PTR(manager);
        return 0;
}

void manager_free(struct manager *manager) {
        if (!manager)
                return;
        changes_free(manager->changes);
        schedule_free(manager->schedule);
        mdwatch_free(manager->mdwatch);
        sd_event_source_disable_unref(manager->mounts_source);
        sd_event_source_disable_unref(manager->waiting_source);
        sd_event_source_disable_unref(manager->late_source);
        udev_monitor_unref(manager->monitor);
        udev_unref(manager->udev);
        memory_free(manager->said);
        metrics_free(manager->metrics);
        nameset_done(&manager->reloaded);
        inventory_free(manager->inventory);
        tally_free(manager->tally);
        policy_freep(&manager->policy);
        settings_done(&manager->settings);
        sysroot_freep(&manager->root);
        sd_event_unref(manager->event);
        free(manager);
}

static void stop(struct manager *manager) {
        bool revert = manager->settings.on_stop == STOP_REVERT, reverted = false;

        /* What is under way ends first. */
        changes_freep(&manager->changes);
        manager->changes = NULL;
        if (revert)
                reverted = stop_revert(manager->root, manager->settings.workers, REVERT_MSEC);
        journal_stopped(!revert ? "stays" : reverted ? "was put back" : "was put back as far as that could be");
}

int manager_run(struct manager *manager) {
        int r;

        manager_load(manager);
        manager_scan(manager, SCAN_START);
        sd_notify(false, "READY=1");
        r = sd_event_loop(manager->event);
        if (r < 0)
                journal_printf(LOG_ERR, "the event loop failed: %s", strerror(-r));
        stop(manager);
        return r;
}
