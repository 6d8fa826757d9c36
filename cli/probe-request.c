/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/measure-options.h"
#include "cli/probe-request.h"
#include "cli/text.h"
#include "common/cleanup.h"
#include "config/policy-value.h"

#define BYTES_LEAST (UINT64_C(1) << 20)
#define BLOCK_LEAST 4096U
#define COUNT_MOST  1000000000U

static int wrong(const char *option, const struct value_why *why) {
        text_error("--%s: %s", option, why->text);
        return -EINVAL;
}

static int parse_count(const char *option, const char *text, unsigned least, unsigned most, unsigned *ret) {
        struct value_why why;

        if (!text)
                return 0;
        return value_parse_count(text, least, most, ret, &why) < 0 ? wrong(option, &why) : 0;
}

static int parse_block(const char *text, unsigned *ret) {
        struct value_why why;
        uint64_t bytes;

        if (!text)
                return 0;
        if (value_parse_bytes(text, &bytes, &why) < 0)
                return wrong("bs", &why);
        if (bytes < BLOCK_LEAST || bytes > PROBE_BLOCK_MAX || bytes % BLOCK_LEAST != 0) {
                text_error("--bs is no multiple of 4KiB up to 16MiB: '%s'", text);
                return -EINVAL;
        }
        *ret = (unsigned)bytes;
        return 0;
}

static int parse_tool(const char *text, enum probe_form *ret) {
        if (strcmp(text, "hdparm") == 0)
                *ret = PROBE_FORM_HDPARM;
        else if (strcmp(text, "dd") == 0)
                *ret = PROBE_FORM_DD;
        else {
                text_error("--like=%s: it can be hdparm or dd", text);
                return -EINVAL;
        }
        return 0;
}

static int find_form(const struct options *options, enum probe_form *ret) {
        *ret = options->below     ? PROBE_FORM_BELOW
               : options->random  ? PROBE_FORM_RANDOM
               : options->streams ? PROBE_FORM_STREAMS
                                  : PROBE_FORM_RATE;
        if (options->below + options->random + !!options->streams + !!options->like > 1) {
                text_error("only one of --below, --like, --random and --streams can be had at a time");
                return -EINVAL;
        }
        return options->like ? parse_tool(options->like, ret) : 0;
}

/* What would have no effect is a mistake. */
static int check(const struct options *options, enum probe_form form) {
        if (options->count && form != PROBE_FORM_DD) {
                text_error("--count is for --like=dd");
                return -EINVAL;
        }
        if (options->bs && (form == PROBE_FORM_HDPARM || form == PROBE_FORM_RANDOM)) {
                text_error(form == PROBE_FORM_HDPARM ? "hdparm reads 2 MiB at a time: it takes no --bs"
                                                     : "random reads are of 4 KiB: they take no --bs");
                return -EINVAL;
        }
        return 0;
}

int probe_request_parse(const struct options *options, struct probe_request *ret) {
        struct probe_request request = {.force = options->force};
        unsigned count = 0;
        bool tool;
        int r;

        r = find_form(options, &request.form);
        if (r < 0)
                return r;
        r = check(options, request.form);
        if (r < 0)
                return r;
        tool = request.form == PROBE_FORM_HDPARM || request.form == PROBE_FORM_DD;
        request.runs = tool ? 1 : PROBE_REQUEST_RUNS;
        if (parse_count("runs", options->runs, 1, PROBE_REQUEST_RUNS, &request.runs) < 0 ||
                        parse_count("streams", options->streams, 2, PROBE_STREAMS_MAX, &request.streams) < 0 ||
                        parse_count("count", options->count, 1, COUNT_MOST, &count) < 0 ||
                        measure_parse_time(options->time, &request.time_msec) < 0 ||
                        measure_parse_bytes(options->bytes, BYTES_LEAST, &request.bytes) < 0 ||
                        parse_block(options->bs, &request.block_bytes) < 0)
                return -EINVAL;
        request.count = count;
        *ret = request;
        return 0;
}
