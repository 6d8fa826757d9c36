/* SPDX-License-Identifier: MIT */
#pragma once

/* What the linker puts in the place of a call, and the call itself. The Makefile reads the names from these lines. */
#define WRAP(type, name, ...)                                                                                          \
        type __real_##name(__VA_ARGS__);                                                                               \
        type __wrap_##name(__VA_ARGS__);                                                                               \
        type __wrap_##name(__VA_ARGS__)
