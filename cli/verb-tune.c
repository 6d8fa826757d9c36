/* SPDX-License-Identifier: MIT */

/* setractl tune: finds the readahead of a device by measuring. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/device-change.h"
#include "cli/find-layer.h"
#include "cli/json.h"
#include "cli/measure-options.h"
#include "cli/measure.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/tune-report.h"
#include "cli/verb.h"
#include "common/fingerprint.h"
#include "common/layer.h"
#include "common/ledger-lock.h"
#include "common/new-file.h"
#include "common/probe-guard.h"
#include "common/units.h"

#define TIME_DEFAULT_MSEC UINT64_C(60000)
#define BYTES_DEFAULT     (UINT64_C(256) << 20)
#define BYTES_LEAST       (UINT64_C(4) << 20)
#define BYTES_MOST        (UINT64_C(1) << 40) /* more can't be read in an hour */

/* What is asked for, and what it is asked of. */
struct tuning {
        const struct options *options;
        struct arena *arena;
        const struct layer *layer;
        struct tune_request request;
        struct tune_bounds bounds;
        struct tune *tune; /* shared with the worker */
        struct probe_progress *progress;
        struct tune_result result;
        const char *max_text;
};

static void tuning_done(struct tuning *tuning) {
        measure_shared_free(tuning->tune, sizeof(*tuning->tune));
        measure_progress_freep(&tuning->progress);
        arena_freep(&tuning->arena);
}

/* --- what is asked for */

static int parse_workload(const char *text, bool *ret_mixed) {
        *ret_mixed = text && strcmp(text, "mixed") == 0;
        if (!text || *ret_mixed || strcmp(text, "sequential") == 0)
                return 0;
        text_error("--workload is sequential or mixed, not '%s'", text);
        return -EINVAL;
}

static int parse(struct tuning *tuning) {
        const struct options *options = tuning->options;

        if (options->csv && options->json) {
                text_error("tune prints --csv or --json, not both");
                return -EINVAL;
        }
        tuning->request.time_msec = TIME_DEFAULT_MSEC;
        tuning->bounds.bytes_per_run = BYTES_DEFAULT;
        if (parse_workload(options->workload, &tuning->request.mixed) < 0 ||
                        measure_parse_time(options->time, &tuning->request.time_msec) < 0)
                return -EINVAL;
        return measure_parse_bytes(options->bytes, BYTES_LEAST, &tuning->bounds.bytes_per_run);
}

/* Returns R, after saying on stderr what is wrong if it is negative. */
static int check_written(const struct options *options, const char *path, int r) {
        if (r == -EEXIST && !options->force)
                text_error("%s exists already; --force replaces it", path);
        else if (r == -EEXIST)
                text_error("%s is no regular file", path);
        else if (r < 0)
                text_error("cannot write %s: %s", path, strerror(-r));
        return r;
}

/* Before anything is measured. */
static int check_file(const struct options *options, const char *path) {
        return path ? check_written(options, path, new_file_check(path, options->force)) : 0;
}

/* --- the device */

static int find_device(struct context *context, struct tuning *tuning) {
        const char *reason, *fs;

        tuning->layer = find_layer(context, context->options.arguments[0]);
        if (!tuning->layer)
                return -ENOENT;
        if (tuning->layer->kind == KIND_PARTITION && tuning->layer->parent)
                tuning->layer = tuning->layer->parent; /* which it shares its readahead with */
        reason = probe_guard_reason(tuning->layer, tuning->arena);
        if (!reason && !tuning->layer->readahead_sectors.known)
                reason = arena_printf(tuning->arena, "the readahead of %s is not known", tuning->layer->label);
        if (reason) {
                text_error("cannot measure %s: %s", context->options.arguments[0], reason);
                return -EBUSY;
        }
        if (layer_reads_past_device(tuning->layer, &fs))
                text_note("%s on it has a readahead of its own: files there are not read by this number", fs);
        return 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* How large a value may be: as the rule of the layer, or the defaults of one, say. */
static int set_bounds(const struct context *context, struct tuning *tuning) {
        const struct topology *topology = context->survey->topology;
        const struct decision *decision = context_decision(context, tuning->layer);
        const struct readahead_limits limits =
                        decision->rule_action ? decision->rule_action->limits : READAHEAD_LIMITS_DEFAULT;
        uint64_t memory = readahead_memory_bound(topology, limits.memory_share_ppm);
        uint64_t max = least(memory, limits.max_sectors);
        uint64_t bytes = least(tuning->bounds.bytes_per_run, BYTES_MOST), shown_max;
        char size[UNITS_BUFFER], run[UNITS_BUFFER];

        /* What has no room on the device can't be shown by it. */
        bytes = least(bytes, sectors_to_bytes_at_most((uint64_t)opt_or(tuning->layer->size_sectors, 0)));
        shown_max = tune_shown_max(bytes);
        tuning->bounds.bytes_per_run = bytes;
        max = readahead_round(max, topology->page_bytes);
        units_format_sectors(size, least(max, shown_max));
        if (max > shown_max)
                tuning->max_text = arena_printf(tuning->arena, "%s, the most that runs of %s can show", size,
                                units_format_bytes(run, bytes));
        else if (memory < limits.max_sectors)
                tuning->max_text = arena_printf(tuning->arena, "%s, the memory-share of its rule", size);
        else
                tuning->max_text = arena_printf(tuning->arena, "%s, the max of its rule", size);
        tuning->bounds.page_bytes = topology->page_bytes;
        tuning->bounds.max_sectors = max;
        tuning->bounds.stripe_sectors = context->survey->geometry[tuning->layer->index].stripe_bytes / SECTOR_BYTES;
        tuning->bounds.now_sectors = tuning->layer->readahead_sectors;
        tuning->bounds.plan_sectors = decision->target.sectors;
        return tuning->max_text ? 0 : -ENOMEM;
}

static int prepare(const struct context *context, struct tuning *tuning) {
        struct tune_request *request = &tuning->request;
        int r;

        r = set_bounds(context, tuning);
        if (r < 0)
                return r;
        r = device_identity_from_layer(tuning->layer, &request->device);
        if (r < 0)
                return r;
        tuning->tune = measure_shared_new(sizeof(*tuning->tune));
        tuning->progress = measure_progress_new();
        if (!tuning->tune || !tuning->progress)
                return -ENOMEM;
        tune_begin(tuning->tune, &tuning->bounds);
        request->label = tuning->layer->label;
        request->now_sectors = (uint64_t)tuning->layer->readahead_sectors.value;
        request->stack = stack_fingerprint(tuning->layer);
        request->ledger_directory = LEDGER_DIRECTORY;
        request->tune = tuning->tune;
        request->progress = tuning->progress;
        return 0;
}

/* --- measuring */

static int tune_job(const void *input, void *result) {
        probe_fds_allow();
        return tune_run(input, result);
}

static unsigned deadline_msec(const struct tune_request *request) {
        uint64_t msec = request->time_msec * (request->mixed ? 2 : 1) + CHANGE_DEADLINE_MSEC + LEDGER_LOCK_TIMEOUT_MSEC;

        return msec < UINT_MAX ? (unsigned)msec : UINT_MAX;
}

static int measure(struct tuning *tuning, int *ret_signal) {
        _cleanup_(freep) char *title = text_layer_title(tuning->layer);
        const struct measure measure = {
                        .title = title,
                        .jobs = {.job = tune_job,
                                        .inputs = &tuning->request,
                                        .n = 1,
                                        .result_size = sizeof(tuning->result)},
                        .result = &tuning->result,
                        .deadline_msec = deadline_msec(&tuning->request),
                        .progress = tuning->progress,
        };

        return measure_run(&measure, ret_signal);
}

static void report_error(const struct tuning *tuning) {
        const struct tune_result *result = &tuning->result;
        const char *label = tuning->layer->label;

        if (result->is_left)
                text_error("%s: has %" PRIu64 " sectors, and its %" PRIu64 " can't be put back: %s; 'setractl revert' "
                           "tries again",
                                label, result->left_sectors, tuning->request.now_sectors, strerror(-result->error));
        else if (result->error == -EAGAIN)
                text_error("%s: somebody has set its readahead to %" PRIu64 " sectors meanwhile: left at that", label,
                                result->left_sectors);
        else if (result->step == TUNE_LEDGER && result->error == -EBUSY)
                text_error("%s: its readahead is being changed right now; try again", label);
        else if (result->step == TUNE_LEDGER)
                (void)change_check_ledger(result->error, false);
        else
                text_error("%s: %s: %s", label, tune_step_name(result->step), strerror(-result->error));
}

/* Whether it has another value than it had. */
static bool is_changed(const struct context *context, const struct tuning *tuning, int64_t *ret_sectors) {
        struct opt_int sectors = sectors_from_kib(sysroot_read_int(context->root,
                        "sys/dev/block/%u:%u/queue/read_ahead_kb", tuning->layer->major, tuning->layer->minor));

        *ret_sectors = sectors.value;
        return sectors.known && *ret_sectors != tuning->layer->readahead_sectors.value;
}

/* Puts back what it was to have for a moment only, if the worker was killed in that. Where that is of no use, says so. */
static bool is_left_behind(const struct context *context, const struct tuning *tuning) {
        int64_t sectors;

        if (!is_changed(context, tuning, &sectors))
                return false;
        (void)change_mend_trials();
        if (!is_changed(context, tuning, &sectors))
                return false;
        text_error("%s has %" PRId64 " sectors now, not the %" PRId64
                   " that it had: 'setractl revert %s' puts them back",
                        tuning->layer->label, sectors, tuning->layer->readahead_sectors.value, tuning->layer->name);
        return true;
}

/* --- what came out */

static struct tune_report make_report(const struct tuning *tuning) {
        return (struct tune_report){
                        .layer = tuning->layer,
                        .tune = tuning->tune,
                        .mixed = tuning->request.mixed,
                        .now_sectors = tuning->bounds.now_sectors,
                        .plan_sectors = tuning->bounds.plan_sectors,
                        .result = &tuning->result,
                        .max_text = tuning->max_text,
        };
}

static int write_svg(FILE *stream, const void *input) {
        return tune_print_svg(stream, input);
}

static int write_rule(FILE *stream, const void *input) {
        const struct tune_report *report = input;

        return fputs(report->rule, stream) < 0 ? -EIO : 0;
}

/* As far as the umask lets others read it. */
static int open_to_all(int fd) {
        mode_t mask = umask(077);

        (void)umask(mask);
        return fchmod(fd, 0644 & ~mask) < 0 ? -errno : 0;
}

static int write_all(int fd, int (*write_to)(FILE *, const void *), const struct tune_report *report) {
        int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), r;
        FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;

        if (!stream) {
                r = -errno;
                if (copy >= 0)
                        close(copy);
                return r;
        }
        r = write_to(stream, report);
        if (fclose(stream) != 0 && r == 0)
                r = -errno;
        return r;
}

/* 0, or a negative errno after saying on stderr what is wrong. */
static int write_file(const struct options *options, const char *path, int (*write_to)(FILE *, const void *),
                const struct tune_report *report) {
        _cleanup_(new_file_done) struct new_file file = {.fd = -1};
        int r;

        r = new_file_open(path, options->force, &file);
        if (r == 0)
                r = write_all(file.fd, write_to, report);
        if (r == 0)
                r = open_to_all(file.fd);
        if (r == 0)
                r = new_file_finish(&file);
        return check_written(options, path, r);
}

/* What puts a rule in force that has been written to PATH. */
static void print_next(const char *path) {
        bool is_installed = strncmp(path, POLICY_DIRECTORY_LOCAL "/", strlen(POLICY_DIRECTORY_LOCAL "/")) == 0;

        fputc('\n', stdout);
        text_print(stdout, "The rule is in %s. %s", path,
                        is_installed ? "To put it in force:" : "Once it is in " POLICY_DIRECTORY_LOCAL ":");
        text_print(stdout, "    setractl check-policy");
        text_print(stdout, "    systemctl reload setrad");
}

static int write_files(const struct options *options, const struct tune_report *report) {
        int r = 0;

        if (options->svg)
                r = write_file(options, options->svg, write_svg, report);
        if (r < 0 || !options->write)
                return r;
        r = write_file(options, options->write, write_rule, report);
        if (r < 0)
                return r;
        if (!options->csv && !options->json)
                print_next(options->write);
        return 0;
}

static int print_chart(const struct tune_report *report) {
        _cleanup_(freep) char *title = text_layer_title(report->layer);

        text_print(stdout, "%s: sequential read by readahead", title ?: report->layer->label);
        return tune_print_chart(stdout, report, terminal_columns(STDOUT_FILENO), terminal_is_utf8());
}

static int print_page(const struct tune_report *report) {
        int r = print_chart(report);

        if (r < 0)
                return r;
        fputc('\n', stdout);
        tune_print_choice(stdout, report);
        return 0;
}

static int print_result(const struct options *options, const struct tune_report *report) {
        char bytes[UNITS_BUFFER];
        int r;

        if (options->json)
                return json_print(stdout, tune_json(report));
        if (options->csv) {
                tune_print_csv(stdout, report);
                return 0;
        }
        r = print_page(report);
        if (r < 0)
                return r;
        text_print(stdout, "Read for that: %s.", units_format_bytes(bytes, report->tune->bytes_read));
        if (!options->write) {
                fputc('\n', stdout);
                text_print_wrapped(stdout, 0, 0,
                                "The rule for it, for " POLICY_DIRECTORY_LOCAL
                                "/05-tuned.yaml, or another file that comes before those with rules that match it, "
                                "too:");
                fputc('\n', stdout);
                fputs(report->rule, stdout);
        }
        return 0;
}

static enum exit_status report(const struct context *context, const struct tuning *tuning) {
        struct tune_report report = make_report(tuning);
        int r = 0;

        if (!tune_choose(tuning->tune, &report.choice)) {
                text_error("%s was not measured: %s", tuning->layer->label, tuning->result.skipped);
                return STATUS_FAILED;
        }
        report.rule = tune_rule(tuning->layer, context->survey->topology,
                        tuning->tune->values[report.choice.chosen].sectors, tuning->arena);
        r = report.rule ? print_result(tuning->options, &report) : -ENOMEM;
        if (r < 0)
                text_error("%s", strerror(-r));
        if (r == 0)
                r = write_files(tuning->options, &report);
        return r < 0 ? STATUS_FAILED : STATUS_DONE;
}

/* What was measured so far; nothing is chosen of that. */
static void report_interrupted(const struct context *context, const struct tuning *tuning) {
        struct tune_report report = make_report(tuning);

        if (!tuning->options->json && !tuning->options->csv && tune_choose(tuning->tune, &report.choice)) {
                report.choice.chosen = TUNE_VALUES_MAX;
                (void)print_chart(&report);
                fflush(stdout);
        }
        if (!is_left_behind(context, tuning))
                text_note("interrupted; %s has the readahead that it had", tuning->layer->label);
}

static enum exit_status run(const struct context *context, struct tuning *tuning) {
        int signal_number = 0, r;

        r = measure(tuning, &signal_number);
        if (signal_number != 0) {
                report_interrupted(context, tuning);
                measure_end_by(signal_number);
        }
        if (r < 0) {
                change_report_lost(tuning->layer->label, r);
                (void)is_left_behind(context, tuning);
                return STATUS_FAILED;
        }
        if (tuning->result.ledger_damaged)
                (void)change_check_ledger(0, true);
        if (tuning->result.error < 0) {
                report_error(tuning);
                return STATUS_FAILED;
        }
        return report(context, tuning);
}

enum exit_status verb_tune(struct context *context) {
        _cleanup_(tuning_done) struct tuning tuning = {.options = &context->options, .arena = arena_new()};
        int r;

        if (parse(&tuning) < 0)
                return STATUS_USAGE;
        if (!change_is_permitted("tune", "'setractl explain' shows what the plan gives a device"))
                return STATUS_FAILED;
        if (check_file(&context->options, context->options.write) < 0 ||
                        check_file(&context->options, context->options.svg) < 0)
                return STATUS_FAILED;
        if (change_mend_trials() < 0 || context_survey(context, POLICY_ANY) < 0)
                return STATUS_FAILED;
        r = tuning.arena ? find_device(context, &tuning) : -ENOMEM;
        if (r == 0)
                r = prepare(context, &tuning);
        if (r == -ENOMEM)
                text_error("%s", strerror(-r));
        return r < 0 ? STATUS_FAILED : run(context, &tuning);
}
