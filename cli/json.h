/* SPDX-License-Identifier: MIT */
#pragma once

/* The JSON of scan, plan, explain, history and check-policy, described in docs/json.md. Pure but for json_print(). */

#include <stdio.h>

#include <jansson.h>

#include "cli/explain.h"
#include "cli/history.h"
#include "common/survey.h"
#include "config/policy.h"
#include "config/settings.h"

/* The caller drops the reference; NULL without memory. */
json_t *json_scan(const struct survey *survey);
json_t *json_plan(const struct survey *survey);
json_t *json_explain(const struct explanation *explanation);
json_t *json_history(const struct history *history);

/* A file of settings that was looked at. */
struct settings_check {
        const char *path;
        int result; /* below 0: it is wrong, and says nothing */
        struct settings settings;
};

/* What files of a policy and of settings came to; POLICY is NULL where they are not right, or where there is none. */
json_t *json_check(const struct policy *policy, const struct settings_check *checks, size_t n_checks,
                const struct policy_errors *errors);

/* TEXT as a string of UTF-8, or null for NULL. A new reference; NULL without memory. */
json_t *json_text(const char *text);

/* The device that was asked for: name, label, devno. A new reference; NULL without memory. */
json_t *json_device(const struct layer *layer);

/* Takes DOCUMENT over; NULL counts as no memory. Returns 0 or a negative errno. */
int json_print(FILE *stream, json_t *document);
