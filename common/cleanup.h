/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Scope-bound release of resources. A variable declared with _cleanup_(f) has f(&variable) called when it goes out of
 * scope; TAKE_PTR() and TAKE_FD() hand its value on instead.
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((__cleanup__(f)))

#define TAKE_PTR(p)                                                                                                    \
        ({                                                                                                             \
                __typeof__(p) taken_ = (p);                                                                            \
                (p) = NULL;                                                                                            \
                taken_;                                                                                                \
        })

#define TAKE_FD(fd)                                                                                                    \
        ({                                                                                                             \
                int taken_ = (fd);                                                                                     \
                (fd) = -1;                                                                                             \
                taken_;                                                                                                \
        })

/* Defines void FUNCp(TYPE *p), to be named in _cleanup_(), for a type whose FUNC(NULL) is not harmless by itself. */
#define DEFINE_CLEANUP(type, func)                                                                                     \
        static inline void func##p(type *p) { /* NOLINT(bugprone-macro-parentheses): a type */                         \
                if (*p)                                                                                                \
                        func(*p);                                                                                      \
        }                                                                                                              \
        struct cleanup_semicolon_

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void freep(void *p) {
        free(*(void **)p);
}

static inline void closep(const int *fd) {
        if (*fd >= 0)
                close(*fd);
}

DEFINE_CLEANUP(FILE *, fclose);
