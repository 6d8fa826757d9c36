/* SPDX-License-Identifier: MIT */

#include "daemon/budget.h"

#define HOUR_USEC UINT64_C(3600000000)

/* Whether USED and MORE are within LIMIT. */
static bool fits(uint64_t used, uint64_t more, uint64_t limit) {
        uint64_t sum;

        return !__builtin_add_overflow(used, more, &sum) && sum <= limit;
}

bool budget_take(struct budget *budget, uint64_t time_usec, uint64_t bytes, uint64_t now_usec) {
        bool over = now_usec - budget->since_usec >= HOUR_USEC;
        uint64_t used_usec = over ? 0 : budget->used_usec, used_bytes = over ? 0 : budget->used_bytes;

        if (!fits(used_usec, time_usec, budget->time_usec) || !fits(used_bytes, bytes, budget->bytes))
                return false;
        if (used_usec == 0 && used_bytes == 0)
                budget->since_usec = now_usec;
        budget->used_usec = used_usec + time_usec;
        budget->used_bytes = used_bytes + bytes;
        return true;
}

static uint64_t less(uint64_t used, uint64_t back) {
        return used > back ? used - back : 0;
}

void budget_give_back(struct budget *budget, uint64_t time_usec, uint64_t bytes) {
        budget->used_usec = less(budget->used_usec, time_usec);
        budget->used_bytes = less(budget->used_bytes, bytes);
}
