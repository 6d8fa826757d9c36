/* SPDX-License-Identifier: MIT */
#pragma once

/* From the options of setractl probe to what they ask for. */

#include "cli/context.h"
#include "cli/probe-report.h"

/* Returns 0, or -EINVAL after saying on stderr what is wrong. */
int probe_request_parse(const struct options *options, struct probe_request *ret);
