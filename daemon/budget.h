/* SPDX-License-Identifier: MIT */
#pragma once

/* How much may be measured in an hour. The time is given. */

#include <stdbool.h>
#include <stdint.h>

struct budget {
        uint64_t time_usec, bytes; /* in an hour; a time of 0: nothing is measured */
        uint64_t since_usec, used_usec, used_bytes;
};

/*
 * Whether there is room for a probe of at most TIME_USEC and BYTES, which then counts as used. The hour begins with the
 * first probe after the last one was over.
 */
bool budget_take(struct budget *budget, uint64_t time_usec, uint64_t bytes, uint64_t now_usec);

/* What a probe was given has not been used. */
void budget_give_back(struct budget *budget, uint64_t time_usec, uint64_t bytes);
