/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "cli/options.h"
#include "cli/text.h"

/* An option with an argument fills a const char *, one without a bool. */
struct option_spec {
        const char *name;
        char letter;          /* '\0': none */
        const char *argument; /* in brackets if it may be left out, and is NULL then */
        size_t offset;        /* in struct options */
        const char *help;
};

#define FIELD(name) offsetof(struct options, name)

static const struct option_spec specs[_OPTION_MAX] = {
                [OPTION_ALL] = {"all", 'a', NULL, FIELD(all), "all devices"},
                [OPTION_BELOW] = {"below", 0, NULL, FIELD(below), "measure all that is beneath as well"},
                [OPTION_BS] = {"bs", 0, "SIZE", FIELD(bs), "read in blocks of SIZE, as 128KiB"},
                [OPTION_BYTES] = {"bytes", 0, "SIZE", FIELD(bytes),
                                "read no more than SIZE, as 1GiB; tune: in one run"},
                [OPTION_BYTES_SHOWN] = {"bytes", 'b', NULL, FIELD(bytes_shown), "show sizes in bytes"},
                [OPTION_CHECK] = {"check", 0, NULL, FIELD(check), "exit with status 3 where something would change"},
                [OPTION_COLOR] = {"color", 0, "[WHEN]", FIELD(color),
                                "auto (on a terminal; the default), always or never"},
                [OPTION_COLUMNS] = {"output", 'o', "LIST", FIELD(columns), "columns to show; +LIST adds to the usual"},
                [OPTION_COUNT] = {"count", 0, "N", FIELD(count), "--like=dd: read N blocks"},
                [OPTION_CSV] = {"csv", 0, NULL, FIELD(csv), "print lines of values with commas between"},
                [OPTION_DIRECTORY] = {"directory", 'D', "DIR", FIELD(directory),
                                "read the journal files in DIR, not this machine's"},
                [OPTION_DRY_RUN] = {"dry-run", 0, NULL, FIELD(dry_run), "print what would be done, and touch nothing"},
                [OPTION_FORCE] = {"force", 'f', NULL, FIELD(force), "replace a file; read what is degraded or in use"},
                [OPTION_FORMAT] = {"format", 0, "FORMAT", FIELD(format), "dot (the default), mermaid or svg"},
                [OPTION_HELP] = {"help", 'h', NULL, FIELD(help), "show this help"},
                [OPTION_INTERACTIVE] = {"interactive", 'i', NULL, FIELD(interactive), "ask before each change"},
                [OPTION_INVERSE] = {"inverse", 's', NULL, FIELD(inverse),
                                "trees of the bottom devices, with what lies over them"},
                [OPTION_JSON] = {"json", 'J', NULL, FIELD(json), "print JSON"},
                [OPTION_LIKE] = {"like", 0, "TOOL", FIELD(like), "read and print as TOOL does: hdparm (-t) or dd"},
                [OPTION_LINES] = {"lines", 'n', "N", FIELD(lines), "the last N entries only"},
                [OPTION_NO_PROBE] = {"no-probe", 0, NULL, FIELD(no_probe), "do not measure before and after"},
                [OPTION_NOHEADINGS] = {"noheadings", 'n', NULL, FIELD(noheadings),
                                "rows only: no headings, findings and summary"},
                [OPTION_PAIRS] = {"pairs", 'P', NULL, FIELD(pairs), "print KEY=\"value\" pairs, numbers in base units"},
                [OPTION_POLICY] = {"policy", 0, "FILE", FIELD(policy), "use this policy instead of the installed ones"},
                [OPTION_RANDOM] = {"random", 0, NULL, FIELD(random),
                                "read 4 KiB here and there, by mmap and by read()"},
                [OPTION_RAW] = {"raw", 'r', NULL, FIELD(raw), "print plain columns, numbers in base units"},
                [OPTION_ROOT] = {"root", 0, "PATH", FIELD(root),
                                "read a captured directory or archive, not this machine"},
                [OPTION_RUNS] = {"runs", 0, "N", FIELD(runs), "make N runs at most, 1 to 15"},
                [OPTION_SINCE] = {"since", 'S', "TIME", FIELD(since), "not what was before TIME"},
                [OPTION_STREAMS] = {"streams", 0, "N", FIELD(streams), "compare N readers at once with one"},
                [OPTION_SVG] = {"svg", 0, "FILE", FIELD(svg), "write the chart as a picture as well"},
                [OPTION_TIME] = {"time", 0, "TIME", FIELD(time), "take no longer than TIME, as 10s"},
                [OPTION_UNTIL] = {"until", 'U', "TIME", FIELD(until), "not what was after TIME"},
                [OPTION_VERSION] = {"version", 'V', NULL, FIELD(version), "show the version"},
                [OPTION_WITH_IDENTIFIERS] = {"with-identifiers", 0, NULL, FIELD(with_identifiers),
                                "keep serial numbers, WWIDs and host name"},
                [OPTION_WORKLOAD] = {"workload", 0, "KIND", FIELD(workload),
                                "sequential, or mixed: what random reads fetch as well"},
                [OPTION_WRITE] = {"write", 0, "FILE", FIELD(write), "write the rule to a file"},
};

/* Names that options had once, and are still understood by. */
static const struct alias {
        const char *name;
        enum option_id id;
} aliases[] = {
                {"no-headings", OPTION_NOHEADINGS},
};

#define GETOPT_OPTIONS_MAX (_OPTION_MAX + ARRAY_SIZE(aliases) + 1)
#define GETOPT_LETTERS_MAX (3 * _OPTION_MAX + 1)

static void take_option(enum option_id id, const char *argument, struct options *options) {
        const struct option_spec *spec = &specs[id];
        char *field = (char *)options + spec->offset;

        if (spec->argument)
                *(const char **)(void *)field = argument;
        else
                *(bool *)(void *)field = true;
}

/*
 * Two options of different commands may have one name, or one letter: it means that of PREFERRED, or else the one that has
 * no argument. This is whether ID has to step back behind another so.
 */
static bool gives_way(enum option_id id, enum option_id other, uint64_t preferred) {
        bool is_preferred = preferred & OPTION_BIT(id), other_is = preferred & OPTION_BIT(other);

        return is_preferred == other_is ? specs[id].argument && !specs[other].argument : other_is;
}

static bool has_name(enum option_id id, uint64_t preferred) {
        for (enum option_id other = 0; other < _OPTION_MAX; other++)
                if (other != id && strcmp(specs[other].name, specs[id].name) == 0 && gives_way(id, other, preferred))
                        return false;
        return true;
}

static enum option_id find_letter(int letter, uint64_t preferred) {
        enum option_id found = _OPTION_MAX;

        for (enum option_id id = 0; id < _OPTION_MAX; id++)
                if (specs[id].letter == letter && (found == _OPTION_MAX || gives_way(found, id, preferred)))
                        found = id;
        return found;
}

static int has_argument(const struct option_spec *spec) {
        if (!spec->argument)
                return no_argument;
        return *spec->argument == '[' ? optional_argument : required_argument;
}

static struct option getopt_option(enum option_id id, const char *name) {
        return (struct option){.name = name, .has_arg = has_argument(&specs[id]), .val = 256 + (int)id};
}

/* Fills what getopt_long() wants from the table. LETTERS has room for three characters an option. */
static void make_getopt_tables(uint64_t preferred, struct option *long_options, char *letters) {
        for (enum option_id id = 0; id < _OPTION_MAX; id++) {
                const struct option_spec *spec = &specs[id];

                if (has_name(id, preferred))
                        *long_options++ = getopt_option(id, spec->name);
                if (!spec->letter || find_letter(spec->letter, preferred) != id)
                        continue;
                *letters++ = spec->letter;
                for (int colons = has_argument(spec); colons > 0; colons--)
                        *letters++ = ':';
        }
        for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
                *long_options++ = getopt_option(aliases[i].id, aliases[i].name);
        *letters = '\0';
}

/* getopt_long() itself would print the word as it is, with whatever a file's name brings along. */
static int refuse_option(int c, const char *word) {
        const char letter[] = {'-', (char)optopt, '\0'};
        const bool is_letter = optopt > 0 && optopt < 256;

        if (c == ':')
                text_error("%s needs an argument", is_letter ? letter : word);
        else if (optopt >= 256)
                text_error("--%s takes no argument", specs[optopt - 256].name);
        else
                text_error("there is no option '%s', or more than one that begins so; --help lists them",
                                is_letter ? letter : word);
        return -EINVAL;
}

/* *RET_GIVEN is the mask of the options that were given. Returns 0, or -EINVAL after saying on stderr what is wrong. */
static int parse_options(int argc, char *argv[], uint64_t preferred, struct options *options, uint64_t *ret_given) {
        struct option long_options[GETOPT_OPTIONS_MAX] = {};
        char letters[1 + GETOPT_LETTERS_MAX] = ":"; /* what has no argument is told from what is not known */
        uint64_t given = 0;
        int c;

        make_getopt_tables(preferred, long_options, letters + 1);
        optind = opterr = 0;
        while ((c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
                enum option_id id;

                if (c == '?' || c == ':')
                        return refuse_option(c, argv[optind - 1]);
                id = c >= 256 ? (enum option_id)(c - 256) : find_letter(c, preferred);
                take_option(id, optarg, options);
                given |= OPTION_BIT(id);
        }
        *ret_given = given;
        return 0;
}

static uint64_t options_of(const char *word, const struct verb *verbs, size_t n_verbs) {
        for (size_t i = 0; i < n_verbs; i++)
                if (strcmp(verbs[i].name, word) == 0)
                        return verbs[i].options;
        return 0;
}

/*
 * The options of the verb, as what names and letters mean depends on it: of the first word that names one, since a word before it
 * may be the argument of such an option. 0 where there is none.
 */
static uint64_t find_preferred(int argc, char *argv[], const struct verb *verbs, size_t n_verbs) {
        struct option long_options[GETOPT_OPTIONS_MAX] = {};
        char letters[1 + GETOPT_LETTERS_MAX] = "-"; /* words come in their place, as the argument of 1 */
        uint64_t preferred = 0;
        int c;

        make_getopt_tables(0, long_options, letters + 1);
        optind = opterr = 0;
        while (!preferred && (c = getopt_long(argc, argv, letters, long_options, NULL)) != -1)
                if (c == 1)
                        preferred = options_of(optarg, verbs, n_verbs);
        while (!preferred && optind < argc)
                preferred = options_of(argv[optind++], verbs, n_verbs);
        return preferred;
}

static int find_verb(const char *name, const struct verb *verbs, size_t n_verbs, const struct verb **ret) {
        for (size_t i = 0; i < n_verbs; i++)
                if (strcmp(verbs[i].name, name) == 0) {
                        *ret = &verbs[i];
                        return 0;
                }
        text_error("no command '%s'; 'setractl --help' lists them", name);
        return -EINVAL;
}

static int check_arguments(const struct verb *verb, const struct options *options) {
        size_t n_taken = verb->argument ? 1 : 0;

        if (verb->any_number)
                return 0;
        if (options->n_arguments < n_taken && !options->help && !options->version) {
                text_error("%s needs %s", verb->name, verb->argument);
                return -EINVAL;
        }
        if (options->n_arguments > n_taken) {
                text_error("%s takes no %s: '%s'", verb->name, verb->argument ? "more arguments" : "arguments",
                                options->arguments[n_taken]);
                return -EINVAL;
        }
        return 0;
}

/* The verb, and its arguments. */
static int take_words(char *const words[], size_t n_words, const struct verb *verbs, size_t n_verbs,
                struct options *options, const struct verb **ret) {
        const struct verb *verb;
        int r;

        r = find_verb(words[0], verbs, n_verbs, &verb);
        if (r < 0)
                return r;
        options->arguments = words + 1;
        options->n_arguments = n_words - 1;
        r = check_arguments(verb, options);
        if (r < 0)
                return r;
        *ret = verb;
        return 0;
}

static int check_options(const struct verb *verb, uint64_t given) {
        static const uint64_t formats[] = {OPTION_BIT(OPTION_JSON), OPTION_BIT(OPTION_PAIRS), OPTION_BIT(OPTION_RAW)};
        uint64_t format = 0;

        for (enum option_id id = 0; id < _OPTION_MAX; id++)
                if (given & OPTION_BIT(id) & ~verb->options) {
                        text_error("%s takes no --%s", verb->name, specs[id].name);
                        return -EINVAL;
                }
        for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
                if (format && (given & formats[i])) {
                        text_error("only one of --json, --pairs and --raw can be had at a time");
                        return -EINVAL;
                }
                format |= given & formats[i];
        }
        if (format == OPTION_BIT(OPTION_JSON) && (given & OPTION_BIT(OPTION_COLUMNS))) {
                text_error("--json has all members always: it takes no --output");
                return -EINVAL;
        }
        if (format == OPTION_BIT(OPTION_JSON) && (given & OPTION_BIT(OPTION_INVERSE))) {
                text_error("--json has the layers in one order always: it takes no --inverse");
                return -EINVAL;
        }
        return 0;
}

int options_parse(int argc, char *argv[], const struct verb *verbs, size_t n_verbs, struct options *ret,
                const struct verb **ret_verb) {
        const uint64_t common = OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_VERSION);
        struct options options = {};
        const struct verb *verb = NULL;
        uint64_t given = 0;
        int r;

        r = parse_options(argc, argv, find_preferred(argc, argv, verbs, n_verbs), &options, &given);
        if (r < 0)
                return r;
        if (optind < argc) {
                r = take_words(argv + optind, (size_t)(argc - optind), verbs, n_verbs, &options, &verb);
                if (r < 0)
                        return r;
        }
        r = check_options(verb ?: verbs, given & ~common);
        if (r < 0)
                return r;
        *ret = options;
        *ret_verb = verb;
        return 0;
}

void options_print_help(FILE *stream, uint64_t options) {
        for (enum option_id id = 0; id < _OPTION_MAX; id++) {
                const struct option_spec *spec = &specs[id];
                char name[24];

                if (!(options & OPTION_BIT(id)))
                        continue;
                if (has_argument(spec) == optional_argument)
                        snprintf(name, sizeof(name), "--%s[=%s", spec->name, spec->argument + 1);
                else
                        snprintf(name, sizeof(name), "--%s%s%s", spec->name, spec->argument ? "=" : "",
                                        spec->argument ?: "");
                if (spec->letter)
                        fprintf(stream, "  -%c, %-18s %s\n", spec->letter, name, spec->help);
                else
                        fprintf(stream, "      %-18s %s\n", name, spec->help);
        }
}
