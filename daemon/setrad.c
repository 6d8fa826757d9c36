/* SPDX-License-Identifier: MIT */

/* setrad: keeps the readahead of stacked block storage right. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/instance.h"
#include "common/ledger-record.h"
#include "daemon/journal.h"
#include "daemon/manager.h"
#include "version.h"

#define ALREADY_RUNNING "setrad can't start: it is running already, as process %ld; 'systemctl status setrad' shows it"

static void print_help(void) {
        puts("Usage: setrad [OPTION]\n"
             "\n"
             "Keeps the readahead of device-mapper maps and loop devices over md arrays right.\n"
             "Runs in the foreground; started by systemd as setrad.service.\n"
             "\n"
             "  -h, --help     print this help\n"
             "  -V, --version  print the version\n"
             "\n"
             "Signals: HUP reload the policy and scan, USR1 scan, USR2 tell the state, TERM stop.");
}

/* Two would undo each other's work. Where that can't be told, nothing can be put on record and so nothing is changed. */
static int be_the_only_one(int *ret) {
        pid_t other = 0;
        int r;

        r = instance_lock(LEDGER_DIRECTORY, ret, &other);
        if (r == -EBUSY) {
                journal_printf(LOG_ERR, ALREADY_RUNNING, (long)other);
                /* Who has typed it does not look into the journal first. */
                if (isatty(STDERR_FILENO))
                        fprintf(stderr, ALREADY_RUNNING "\n", (long)other);
                return r;
        }
        if (r < 0)
                journal_printf(LOG_WARNING, "%s can't be used: %s", LEDGER_DIRECTORY, strerror(-r));
        return 0;
}

static int run(void) {
        _cleanup_(manager_freep) struct manager *manager = NULL;
        _cleanup_(closep) int lock = -1;
        int r;

        r = be_the_only_one(&lock);
        if (r < 0)
                return r;
        r = manager_new(&manager);
        if (r < 0) {
                journal_printf(LOG_ERR, "setrad can't start: %s", strerror(-r));
                return r;
        }
        journal_started(SETRAD_VERSION);
        return manager_run(manager);
}

int main(int argc, char **argv) {
        static const struct option options[] = {
                        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {}};
        int c;

        while ((c = getopt_long(argc, argv, "hV", options, NULL)) >= 0)
                switch (c) {
                case 'h': print_help(); return EXIT_SUCCESS;
                case 'V': puts("setrad " SETRAD_VERSION); return EXIT_SUCCESS;
                default: return 2;
                }
        if (optind < argc) {
                fprintf(stderr, "setrad: takes no arguments\n");
                return 2;
        }
        return run() < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
