/* SPDX-License-Identifier: MIT */
#pragma once

/* The JSON of scan, plan, explain and check-policy, described in docs/json.md. Pure but for json_print(). */

#include <stdio.h>

#include <jansson.h>

#include "cli/explain.h"
#include "common/survey.h"
#include "config/policy.h"

/* The caller drops the reference; NULL without memory. */
json_t *json_scan(const struct survey *survey);
json_t *json_plan(const struct survey *survey);
json_t *json_explain(const struct explanation *explanation);

/* What a policy's files came to; POLICY is NULL where they are not right. */
json_t *json_policy(const struct policy *policy, const struct policy_errors *errors);

/* Takes DOCUMENT over; NULL counts as no memory. Returns 0 or a negative errno. */
int json_print(FILE *stream, json_t *document);
