/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rules from a few words, for tests: "auto both", "stripes=4 raise max=8M", "sectors=8192 share=10000". What is wanted
 * is auto, array, off, keep, stripes=N or sectors=N; the direction raise (the default), lower, both or report; limits
 * are max=BYTES, min=BYTES and share=PPM. Anything else ends the test program.
 */

#include "common/plan.h"

struct rule_action rule_from_text(const char *text);
