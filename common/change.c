/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/change.h"
#include "common/fingerprint.h"
#include "common/probe-guard.h"
#include "common/units.h"

/* So many layers beneath are named; more are counted. */
#define NAMES_MAX 3

static void set_probe(const struct decision *decision, struct arena *arena, struct apply_request *request) {
        const struct rule_action *action = decision->rule_action;
        const char *reason;

        if (!action || !action->probe.on_change || action->probe.runs == 0)
                return;
        reason = probe_guard_reason(decision->layer, arena);
        if (reason) {
                snprintf(request->probe_skipped, sizeof(request->probe_skipped), "%s", reason);
                return;
        }
        request->probe = true;
        request->workload = action->probe.workload;
        request->probe_limits = (struct probe_limits){
                        .time_msec = action->probe.time_msec,
                        .bytes_per_run = action->probe.bytes,
                        .runs = action->probe.runs < PROBE_RUNS_MAX ? action->probe.runs : PROBE_RUNS_MAX,
        };
        request->keep_if = action->probe.keep_if;
}

static int set_array(const struct geometry *geometry, const struct layer *layer, struct apply_request *request) {
        int r;

        if (!geometry->known || geometry->n_from != 1 || geometry->from[0] == layer || !geometry->from[0]->has_devno)
                return 0;
        r = device_identity_from_layer(geometry->from[0], &request->array);
        if (r < 0)
                return r;
        request->has_array = true;
        return 0;
}

int change_request(const struct survey *survey, const struct decision *decision, struct apply_request *ret) {
        _cleanup_(arena_freep) struct arena *arena = NULL;
        const struct layer *layer = decision->layer;
        struct apply_request request = {};
        int r;

        if (!decision_is_change(decision) || !decision->target.sectors.known || decision->target.sectors.value < 0)
                return -EINVAL;
        r = device_identity_from_layer(layer, &request.device);
        if (r < 0)
                return r;
        arena = arena_new();
        if (!arena)
                return -ENOMEM;
        request.from_sectors = (uint64_t)opt_or(layer->readahead_sectors, 0);
        request.to_sectors = (uint64_t)decision->target.sectors.value;
        set_probe(decision, arena, &request);
        if (request.probe) {
                r = set_array(&survey->geometry[layer->index], layer, &request);
                if (r < 0)
                        return r;
        }
        *ret = request;
        return 0;
}

struct ledger_change change_record(const struct decision *decision, const struct apply_request *request) {
        return (struct ledger_change){
                        .label = decision->layer->label,
                        .rule = decision->rule,
                        .from_sectors = request->from_sectors,
                        .to_sectors = request->to_sectors,
                        .stack = stack_fingerprint(decision->layer),
        };
}

unsigned change_deadline_msec(const struct apply_request *request, unsigned deadline_msec) {
        uint64_t probe = request->probe ? request->probe_limits.time_msec : 0, sum;

        if (request->probe && __builtin_add_overflow(probe, PROBE_LOOK_MSEC, &probe))
                return UINT_MAX;
        return __builtin_add_overflow(probe, deadline_msec, &sum) || sum > UINT_MAX ? UINT_MAX : (unsigned)sum;
}

static bool stripes(const struct layer *layer) {
        switch (layer->kind) {
        case KIND_MD_RAID0:
        case KIND_MD_RAID4:
        case KIND_MD_RAID5:
        case KIND_MD_RAID6:
        case KIND_MD_RAID10:
        case KIND_DM_STRIPED:
        case KIND_DM_RAID0:
        case KIND_DM_RAID4:
        case KIND_DM_RAID5:
        case KIND_DM_RAID6:
        case KIND_DM_RAID10: return true;
        default: return false;
        }
}

/* Prints the names of LAYERS, the first few of them. */
static void print_names(FILE *f, const struct layer *const *layers, size_t n) {
        for (size_t i = 0; i < n && i < NAMES_MAX; i++)
                fprintf(f, "%s%s", i > 0 ? ", " : "", layers[i]->label);
        if (n > NAMES_MAX)
                fprintf(f, " and %zu more", n - NAMES_MAX);
}

/* The nearest layers that stripe, each once, by index; *ret is to be freed. All that is below has a smaller index. */
static int find_striping(const struct layer *layer, const struct layer ***ret, size_t *ret_n) {
        _cleanup_(freep) const struct layer **found = calloc(layer->index + 1, sizeof(*found));
        _cleanup_(freep) bool *seen = calloc(layer->index + 1, sizeof(*seen));
        _cleanup_(freep) const struct layer **stack = calloc(layer->index + 1, sizeof(*stack));
        size_t n = 0, n_stack = 0;

        if (!found || !seen || !stack)
                return -ENOMEM;
        stack[n_stack++] = layer;
        while (n_stack > 0) {
                const struct layer *next = stack[--n_stack];

                for (size_t i = next->n_below; i > 0 && i--;) {
                        const struct layer *below = next->below[i];

                        if (below->index >= layer->index || seen[below->index])
                                continue;
                        seen[below->index] = true;
                        if (stripes(below))
                                found[n++] = below;
                        else
                                stack[n_stack++] = below;
                }
        }
        *ret = TAKE_PTR(found);
        *ret_n = n;
        return 0;
}

static int print_title(FILE *f, const struct layer *layer) {
        _cleanup_(freep) const struct layer **striping = NULL;
        bool named = strcmp(layer->label, layer->name) != 0;
        size_t n;
        int r;

        r = find_striping(layer, &striping, &n);
        if (r < 0)
                return r;
        fputs(layer->label, f);
        if (!named && layer->n_below == 0)
                return 0;
        fprintf(f, " (%s", named ? layer->name : "");
        if (layer->n_below > 0)
                fprintf(f, "%son ", named ? " " : "");
        if (n > 0)
                print_names(f, striping, n);
        else
                print_names(f, (const struct layer *const *)layer->below, layer->n_below);
        fputc(')', f);
        return 0;
}

/* keep-if did not let the change stand. */
static bool is_rejected(const struct apply_result *result) {
        return result->put_back || result->put_back_error < 0;
}

static void print_change(FILE *f, const struct decision *decision, const struct apply_result *result) {
        const struct target *target = &decision->target;
        uint64_t tried = is_rejected(result) ? (uint64_t)opt_or(target->sectors, 0) : result->after_sectors;
        char size[UNITS_BUFFER];

        fprintf(f, "readahead %" PRIu64 " → %" PRIu64 " sectors (%s", result->before_sectors, tried,
                        units_format_sectors(size, tried));
        /* Other reasons are words, not a product that comes to this number. */
        if (decision->reason && *decision->reason)
                fprintf(f, "%s%s", target->origin == TARGET_STRIPE && target->cap == CAP_NONE ? " = " : ", ",
                                decision->reason);
        fputc(')', f);
}

static void print_failure(FILE *f, const struct decision *decision, const struct apply_result *result) {
        int64_t wanted_sectors = opt_or(decision->target.sectors, 0);

        if (result->changed && result->error != -EREMOTEIO) {
                errno = -result->error;
                fprintf(f, "readahead was set to %" PRId64 " sectors; whether it has them is not known: %s: %m",
                                wanted_sectors, apply_step_name(result->step));
        } else if (result->changed)
                fprintf(f, "readahead %" PRIu64 " → %" PRIu64 " sectors, not %" PRId64 " as was set",
                                result->before_sectors, result->after_sectors, wanted_sectors);
        else if (result->error == -EAGAIN)
                fprintf(f, "readahead was not set to %" PRId64 " sectors: it has become %" PRIu64 " meanwhile",
                                wanted_sectors, result->before_sectors);
        else {
                errno = -result->error;
                fprintf(f, "readahead was not set to %" PRId64 " sectors: %s: %m", wanted_sectors,
                                apply_step_name(result->step));
        }
}

/* "×2.93, 2.71 to 3.10" */
static void print_gain(FILE *f, const struct probe_result *probe) {
        char gain[UNITS_BUFFER], low[UNITS_BUFFER], high[UNITS_BUFFER];

        fprintf(f, "×%s", units_format_ratio(gain, probe->gain));
        if (probe->gain_low > 0)
                fprintf(f, ", %s to %s", units_format_ratio(low, probe->gain_low),
                                units_format_ratio(high, probe->gain_high));
}

/* It is an estimate: of large numbers two digits. */
static unsigned round_up(unsigned n) {
        unsigned unit = 1;

        while (n / unit >= 100)
                unit *= 10;
        return (n + unit - 1) / unit * unit;
}

/* Of what is read at random little is asked for, so that what is fetched with it is worth a word. */
static void print_amplification(FILE *f, const struct probe_result *probe) {
        double before = probe_amplification(&probe->series[PROBE_BEFORE]);
        double after = probe_amplification(&probe->series[PROBE_AFTER]);
        char buffers[2][UNITS_BUFFER];

        if (probe_workload_is_random(probe->workload) && before > 0 && after > 0)
                fprintf(f, "; fetched %s → %s times as much", units_format_ratio(buffers[0], before),
                                units_format_ratio(buffers[1], after));
}

static void print_no_difference(FILE *f, const struct probe_result *probe, const char *speeds) {
        unsigned runs = probe_result_runs(probe);
        const char *plural = runs == 1 ? "" : "s";
        const char *what = probe_workload_is_random(probe->workload) ? "random reads of 4 KiB " : "";

        if (probe_shows_none(probe))
                fprintf(f, "; no difference of %g %% or more (%s%s, ", 100 * PROBE_EFFECT_MIN, what, speeds);
        else
                fprintf(f, "; no difference that %u run%s can show (%s%s, ", runs, plural, what, speeds);
        print_gain(f, probe);
        if (probe_shows_none(probe))
                fprintf(f, ", %u run%s", runs, plural);
        else if (probe->runs_needed > runs && probe_effect_is_seen(probe))
                fprintf(f, "; one of this size would take about %u runs", round_up(probe->runs_needed));
        else if (probe->runs_needed > runs)
                fprintf(f, "; one of %g %% would take about %u runs", 100 * PROBE_EFFECT_MIN,
                                round_up(probe->runs_needed));
        print_amplification(f, probe);
        fputc(')', f);
}

static void print_probe(FILE *f, const struct probe_result *probe) {
        char before[UNITS_BUFFER], after[UNITS_BUFFER], speeds[2 * UNITS_BUFFER + 16];
        unsigned runs = probe_result_runs(probe);
        bool random = probe_workload_is_random(probe->workload);

        snprintf(speeds, sizeof(speeds), "%s → %s MB/s",
                        units_format_mbps(before, probe->series[PROBE_BEFORE].median_mbps),
                        units_format_mbps(after, probe->series[PROBE_AFTER].median_mbps));
        switch (probe->verdict) {
        case PROBE_FASTER:
        case PROBE_SLOWER:
                fprintf(f, "; %s %s (", random ? "random reads of 4 KiB" : "sequential read", speeds);
                print_gain(f, probe);
                fprintf(f, "%s, %u run%s", probe->verdict == PROBE_SLOWER ? ", slower" : "", runs,
                                runs == 1 ? "" : "s");
                print_amplification(f, probe);
                fputc(')', f);
                break;
        case PROBE_NO_DIFFERENCE: print_no_difference(f, probe, speeds); break;
        case PROBE_NONE:
                if (probe->skipped[0] != '\0')
                        fprintf(f, "; not measured: %s", probe->skipped);
                break;
        }
}

static void print_rejection(FILE *f, const struct keep_condition *keep_if, const struct apply_result *result) {
        char condition[64];

        snprintf(condition, sizeof(condition), "keep-if \"gain %s %g\" asks", keep_if->or_equal ? ">=" : ">",
                        keep_if->min_gain);
        if (result->put_back)
                fprintf(f, ": put back to %" PRIu64 " sectors, as %s", result->before_sectors, condition);
        else if (result->put_back_error == -EAGAIN || result->put_back_error == -EREMOTEIO)
                fprintf(f, ": not put back to %" PRIu64 " sectors, as %s: it has become %" PRIu64 " meanwhile",
                                result->before_sectors, condition, result->after_sectors);
        else {
                errno = -result->put_back_error;
                fprintf(f, ": not put back to %" PRIu64 " sectors, as %s: %m", result->before_sectors, condition);
        }
}

static int print_sentence(FILE *f, const struct decision *decision, const struct apply_result *result) {
        int r;

        r = print_title(f, decision->layer);
        if (r < 0)
                return r;
        fputs(": ", f);
        if (result->error < 0)
                print_failure(f, decision, result);
        else {
                print_change(f, decision, result);
                print_probe(f, &result->probe);
                if (is_rejected(result) && decision->rule_action)
                        print_rejection(f, &decision->rule_action->probe.keep_if, result);
        }
        return 0;
}

char *change_title(const struct layer *layer) {
        _cleanup_(freep) char *text = NULL;
        size_t size = 0;
        FILE *f;
        int r;

        f = open_memstream(&text, &size);
        if (!f)
                return NULL;
        r = print_title(f, layer);
        if (fclose(f) != 0 || r < 0)
                return NULL;
        return TAKE_PTR(text);
}

char *change_sentence(const struct decision *decision, const struct apply_result *result) {
        _cleanup_(freep) char *text = NULL;
        size_t size = 0;
        FILE *f;
        int r;

        f = open_memstream(&text, &size);
        if (!f)
                return NULL;
        r = print_sentence(f, decision, result);
        if (fclose(f) != 0 || r < 0)
                return NULL;
        return TAKE_PTR(text);
}
