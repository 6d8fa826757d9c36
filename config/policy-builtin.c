/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "config/policy.h"

/* Lines of config/policy.d/50-setrad.yaml as C strings; made by the Makefile. */
static const char text[] =
#include "config/policy-builtin.inc"
                ;

int policy_load_builtin(struct policy **ret, struct policy_errors *errors) {
        return policy_load_text("built-in policy", text, strlen(text), ret, errors);
}
