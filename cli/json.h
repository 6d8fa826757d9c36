/* SPDX-License-Identifier: MIT */
#pragma once

/* The JSON of scan, plan and explain, described in docs/json.md. Pure but for json_print(). */

#include <stdio.h>

#include <jansson.h>

#include "cli/explain.h"
#include "common/survey.h"

/* The caller drops the reference; NULL without memory. */
json_t *json_scan(const struct survey *survey);
json_t *json_plan(const struct survey *survey);
json_t *json_explain(const struct explanation *explanation);

/* Takes DOCUMENT over; NULL counts as no memory. Returns 0 or a negative errno. */
int json_print(FILE *stream, json_t *document);
