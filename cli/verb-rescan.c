/* SPDX-License-Identifier: MIT */

/* setractl rescan: has the service look at everything again, as SIGUSR1 does. */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <systemd/sd-bus.h>

#include "cli/text.h"
#include "cli/verb.h"
#include "common/cleanup.h"

#define UNIT "setrad.service"

static void report_failure(int r, const sd_bus_error *error) {
        if (sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchProcess") ||
                        sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchUnit"))
                text_error("the service is not running: 'systemctl start setrad' starts it, and it scans then");
        else if (r == -EACCES || r == -EPERM || sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED) ||
                        sd_bus_error_has_name(error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
                text_error("rescan needs permission to send the service a signal: run it as root");
        else if (sd_bus_error_is_set(error))
                text_error("systemd does not send the service a signal: %s", error->message);
        else
                text_error("cannot reach systemd: %s", strerror(-r));
}

enum exit_status verb_rescan(struct context *context) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus *bus = NULL;
        int r;

        r = sd_bus_open_system(&bus);
        if (r >= 0)
                r = sd_bus_call_method(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                                "org.freedesktop.systemd1.Manager", "KillUnit", &error, NULL, "ssi", UNIT, "main",
                                SIGUSR1);
        if (r < 0)
                report_failure(r, &error);
        else
                text_print(stdout, "The service scans now; what it does is in 'journalctl -u setrad'.");
        sd_bus_error_free(&error);
        sd_bus_flush_close_unref(bus);
        return r < 0 ? STATUS_FAILED : STATUS_DONE;
}
