/* SPDX-License-Identifier: MIT */
#pragma once

/* From a decision to a request for a worker, and from its result to words. Pure; shared by daemon and command line. */

#include "apply.h"
#include "ledger.h"
#include "plan.h"
#include "survey.h"

/*
 * The array beneath is read for comparison where the geometry comes from exactly one layer, another than this. Where
 * the rule asks for a probe but the layer must not be read now, the request says why. -EINVAL if the decision is no
 * change or the layer has no device number; -ENAMETOOLONG; -ENOMEM.
 */
int change_request(const struct survey *survey, const struct decision *decision, struct apply_request *ret);

/* What goes on record of it; borrows from the decision. */
struct ledger_change change_record(const struct decision *decision, const struct apply_request *request);

/* How long a worker may take: DEADLINE_MSEC for the change, and the probe's time on top. */
unsigned change_deadline_msec(const struct apply_request *request, unsigned deadline_msec);

/*
 * "vg0/lv0 (dm-3 on md0)", "md0 (on sda, sdb)", "sda": the label, in parentheses the kernel name where the label is another,
 * and the layers beneath: those that stripe, else those directly below. The caller frees it; NULL without memory.
 */
char *change_title(const struct layer *layer);

/*
 * One line for people: "vg0/lv0 (dm-3 on md0): readahead 256 → 3072 sectors (1.5 MiB = 2 × stripe width 768 KiB of md0,
 * raid5 4 × 256 KiB); sequential read 49.9 → 146 MB/s (×2.93, 5 runs)". It begins with the title. For a change that failed
 * it says how far it came, for one that keep-if did not let stand that it was put back. The caller frees it; NULL without
 * memory.
 */
char *change_sentence(const struct decision *decision, const struct apply_result *result);
