/* SPDX-License-Identifier: MIT */

/* setractl: shows what setrad sees, what it would do, and does it. */

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/color.h"
#include "cli/columns.h"
#include "cli/context.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "version.h"

/* The first one is meant where none is named. */
static const struct verb verbs[] = {
                {
                                .name = "scan",
                                .summary = "Show every stack as a tree, with its readahead and findings",
                                .details = "Partitions of plain disks and empty devices are left out without --all.",
                                .options = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_BYTES_SHOWN) |
                                           OPTION_BIT(OPTION_COLOR) | OPTION_BIT(OPTION_COLUMNS) |
                                           OPTION_BIT(OPTION_INVERSE) | OPTION_BIT(OPTION_JSON) |
                                           OPTION_BIT(OPTION_NOHEADINGS) | OPTION_BIT(OPTION_PAIRS) |
                                           OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_RAW) | OPTION_BIT(OPTION_ROOT),
                                .run = verb_scan,
                },
                {
                                .name = "plan",
                                .summary = "Show what would be changed, and why",
                                .options = OPTION_BIT(OPTION_CHECK) | OPTION_BIT(OPTION_COLOR) |
                                           OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_POLICY) |
                                           OPTION_BIT(OPTION_ROOT),
                                .run = verb_plan,
                },
                {
                                .name = "apply",
                                .summary = "Make the changes of the plan on this machine, and measure them",
                                .argument = "[DEV...]",
                                .any_number = true,
                                .details = "With DEV only that device is changed, also if its value was set by "
                                           "somebody\n"
                                           "else since, or was put back by 'setractl revert' or by keep-if.",
                                .options = OPTION_BIT(OPTION_COLOR) | OPTION_BIT(OPTION_DRY_RUN) |
                                           OPTION_BIT(OPTION_INTERACTIVE) | OPTION_BIT(OPTION_NO_PROBE) |
                                           OPTION_BIT(OPTION_POLICY),
                                .run = verb_apply,
                },
                {
                                .name = "revert",
                                .summary = "Put back the readahead that devices had before setrad changed it",
                                .argument = "[DEV...]",
                                .any_number = true,
                                .details = "DEV is a device as 'setractl explain' takes it, or the name of one that is "
                                           "gone.\n"
                                           "A device that somebody else has given another value since is left "
                                           "alone. In\n"
                                           "either case setrad keeps its hands off it until its rule or its stack "
                                           "changes.\n"
                                           "What it has changed since boot: setractl revert --all --dry-run",
                                .options = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_DRY_RUN) |
                                           OPTION_BIT(OPTION_ROOT),
                                .run = verb_revert,
                },
                {
                                .name = "explain",
                                .summary = "Explain one device: its stack, rules, target, and what to type",
                                .argument = "DEV",
                                .details = "DEV is a device in any form: dm-3, /dev/dm-3, vg0/lv0, /dev/vg0/lv0,\n"
                                           "/dev/mapper/NAME, 253:3, a mount point, or on this machine a link such as\n"
                                           "/dev/disk/by-id/NAME.",
                                .options = OPTION_BIT(OPTION_COLOR) | OPTION_BIT(OPTION_JSON) |
                                           OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_ROOT),
                                .run = verb_explain,
                },
                {
                                .name = "history",
                                .summary = "Show what the service did, from the journal",
                                .argument = "[DEV]",
                                .any_number = true,
                                .details = "DEV is a device as 'setractl explain' takes it, or the name of one that "
                                           "is\n"
                                           "gone. TIME is as journalctl takes it: '2026-11-30 20:00', '20:00', "
                                           "'today',\n"
                                           "'yesterday', '-1h', '2 days ago', '@SECONDS'. What was changed by hand, "
                                           "also\n"
                                           "with 'setractl apply' and 'setractl revert', is not on record.",
                                .options = OPTION_BIT(OPTION_DIRECTORY) | OPTION_BIT(OPTION_JSON) |
                                           OPTION_BIT(OPTION_LINES) | OPTION_BIT(OPTION_SINCE) |
                                           OPTION_BIT(OPTION_UNTIL),
                                .run = verb_history,
                },
                {
                                .name = "probe",
                                .summary = "Measure how fast a device is read, and change nothing",
                                .argument = "DEV",
                                .details = "DEV is a device as 'setractl explain' takes it. It is read for ten seconds "
                                           "at\n"
                                           "most, by 5 to 15 runs: fewer where the median is known within 2 % earlier. "
                                           "It\n"
                                           "takes permission to read it: root has that, or the group disk.\n\n"
                                           "A device that is degraded, resyncing, asleep, or in use by others is read "
                                           "with\n"
                                           "--force only: its figures are not the usual ones then.",
                                .options = OPTION_BIT(OPTION_BELOW) | OPTION_BIT(OPTION_BS) | OPTION_BIT(OPTION_BYTES) |
                                           OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_FORCE) |
                                           OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_LIKE) |
                                           OPTION_BIT(OPTION_RANDOM) | OPTION_BIT(OPTION_RUNS) |
                                           OPTION_BIT(OPTION_STREAMS) | OPTION_BIT(OPTION_TIME),
                                .run = verb_probe,
                },
                {
                                .name = "tune",
                                .summary = "Find a device's readahead by measuring, and the rule for it",
                                .argument = "DEV",
                                .details = "Reads the device at some values, no more of them than it takes to find "
                                           "the\n"
                                           "smallest one that is within 3 % of the fastest. Nothing is written to "
                                           "it, and\n"
                                           "its readahead is afterwards what it was. A device that is in use, "
                                           "degraded or\n"
                                           "being rebuilt is not measured. Without --bytes a run reads 256MiB at "
                                           "most,\n"
                                           "without --time all of it takes a minute at most.",
                                .options = OPTION_BIT(OPTION_BYTES) | OPTION_BIT(OPTION_CSV) |
                                           OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_JSON) |
                                           OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_SVG) |
                                           OPTION_BIT(OPTION_TIME) | OPTION_BIT(OPTION_WORKLOAD) |
                                           OPTION_BIT(OPTION_WRITE),
                                .run = verb_tune,
                },
                {
                                .name = "graph",
                                .summary = "Draw the stacks, for Graphviz, Mermaid or a browser",
                                .argument = "[DEV...]",
                                .any_number = true,
                                .details = "With DEV only what that device is made of. Without --all disks and "
                                           "devices that\n"
                                           "belong to no stack are left out. svg needs Graphviz.",
                                .options = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_FORMAT) |
                                           OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_ROOT),
                                .run = verb_graph,
                },
                {
                                .name = "rescan",
                                .summary = "Have the service look at everything again, now",
                                .run = verb_rescan,
                },
                {
                                .name = "capture",
                                .summary = "Write all that --root needs of this machine to a file",
                                .argument = "FILE",
                                .details = "FILE ends in .tar, .tar.gz, .tar.xz or .tar.zst; '-' is standard output.\n"
                                           "It holds block devices, tables of maps, mounts of devices, and the size "
                                           "of\n"
                                           "memory, with names and uuids of volumes and maps, and mount points. It "
                                           "holds\n"
                                           "no keys, and no serial numbers, WWIDs and host name unless asked for. "
                                           "--force\n"
                                           "replaces a file that is there.",
                                .options = OPTION_BIT(OPTION_FORCE) | OPTION_BIT(OPTION_ROOT) |
                                           OPTION_BIT(OPTION_WITH_IDENTIFIERS),
                                .run = verb_capture,
                },
                {
                                .name = "check-policy",
                                .summary = "Check files of policy and settings for errors",
                                .argument = "[FILE...]",
                                .any_number = true,
                                .details = "Policy files are read as one policy, in the order given. A file named\n"
                                           "setrad.yaml, or with its keys, is checked as the settings of the "
                                           "service.\n"
                                           "Without FILE it is what is installed. Nothing is changed, and no device "
                                           "is\n"
                                           "looked at.",
                                .options = OPTION_BIT(OPTION_JSON),
                                .run = verb_check_policy,
                },
};

static const uint64_t common_options = OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_VERSION);

static void print_help(void) {
        uint64_t options = common_options;

        printf("setractl [COMMAND] [OPTION...]\n\n"
               "Shows and corrects the readahead of stacked block devices.\n\n"
               "Commands (%s where none is named):\n",
                        verbs[0].name);
        for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
                printf("  %-12s %s\n", verbs[i].name, verbs[i].summary);
                options |= verbs[i].options;
        }
        printf("\nOptions; 'setractl COMMAND --help' shows which a command takes:\n");
        options_print_help(stdout, options);
        printf("\nExit status: 0 done, 1 failed, 2 wrong usage, 3 something would change\n"
               "(plan --check).\n");
}

static void print_verb_help(const struct verb *verb) {
        printf("setractl %s%s%s [OPTION...]\n\n%s.\n", verb->name, verb->argument ? " " : "", verb->argument ?: "",
                        verb->summary);
        if (verb->details)
                printf("\n%s\n", verb->details);
        printf("\nOptions:\n");
        options_print_help(stdout, verb->options | common_options);
        if (verb->options & OPTION_BIT(OPTION_COLUMNS)) {
                printf("\nColumns (* usual):\n");
                columns_print_help(stdout);
        }
}

/*
 * What setractl prints is UTF-8, as the names of devices and files mostly are. In the C locale, where services and many
 * containers run, libsmartcols would not know how wide that is.
 */
static void set_locale(void) {
        setlocale(LC_CTYPE, "");
        if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
                setlocale(LC_CTYPE, "C.UTF-8");
}

/* A full disk or a closed pipe must not look like success. */
static enum exit_status finish_output(enum exit_status status) {
        int r = 0;

        errno = 0;
        if (fflush(stdout) != 0 || ferror(stdout))
                r = errno ?: EIO;
        if (r == 0)
                return status;
        text_error("cannot write the output: %s", strerror(r));
        return STATUS_FAILED;
}

static enum exit_status run(int argc, char *argv[]) {
        _cleanup_(context_done) struct context context = {};
        const struct verb *verb = NULL;
        int r;

        r = options_parse(argc, argv, verbs, ARRAY_SIZE(verbs), &context.options, &verb);
        if (r < 0)
                return STATUS_USAGE;
        r = color_decide(context.options.color, &context.colors);
        if (r < 0)
                return STATUS_USAGE;
        if (context.options.version)
                printf("setractl %s\n", SETRAD_VERSION);
        else if (context.options.help && verb)
                print_verb_help(verb);
        else if (context.options.help)
                print_help();
        else
                return (verb ?: verbs)->run(&context);
        return STATUS_DONE;
}

int main(int argc, char *argv[]) {
        char program[] = "setractl";

        set_locale();
        if (argc < 1)
                return STATUS_USAGE;
        argv[0] = program; /* getopt_long() begins its messages with it */
        return (int)finish_output(run(argc, argv));
}
