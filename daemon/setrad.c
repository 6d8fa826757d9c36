/* SPDX-License-Identifier: MIT */

/* setrad: keeps the readahead of stacked block storage right. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/journal.h"
#include "daemon/manager.h"

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

static int run(void) {
        _cleanup_(manager_freep) struct manager *manager = NULL;
        int r;

        r = manager_new(&manager);
        if (r < 0) {
                journal_printf(LOG_ERR, "setrad can't start: %s", strerror(-r));
                return r;
        }
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
