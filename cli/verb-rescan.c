/* SPDX-License-Identifier: MIT */

/* setractl rescan: has the service look at everything again, as SIGUSR1 does. */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cli/text.h"
#include "cli/verb.h"
#include "common/instance.h"
#include "common/ledger-record.h"

static int send_signal(void) {
        pid_t pid;
        int r;

        r = instance_find(LEDGER_DIRECTORY, &pid);
        if (r < 0)
                return r;
        return kill(pid, SIGUSR1) < 0 ? -errno : 0;
}

enum exit_status verb_rescan(struct context *context) {
        int r;

        r = send_signal();
        if (r == -ESRCH)
                text_error("the service is not running: 'systemctl start setrad' starts it, and it scans then");
        else if (r == -EPERM || r == -EACCES)
                text_error("rescan needs permission to send the service a signal: run it as root");
        else if (r < 0)
                text_error("cannot find the service: %s", strerror(-r));
        else
                text_print(stdout, "The service scans now; what it does is in 'journalctl -u setrad'.");
        return r < 0 ? STATUS_FAILED : STATUS_DONE;
}
