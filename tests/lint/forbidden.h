/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * make lint compiles everything with this in front (-include): the names below are then an error wherever they stand, as
 * a call, as a pointer, in a macro. Before they are forbidden come the headers that declare them.
 *
 * They write as much as there is, or say nothing of what they could not read. Instead: snprintf(), memcpy() with a length
 * that is known, strtoull() and its like with the end looked at, malloc().
 */

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#pragma GCC poison strcpy stpcpy strcat strncpy stpncpy strncat wcscpy wcscat wcsncpy wcsncat bcopy
#pragma GCC poison sprintf vsprintf gets
#pragma GCC poison scanf fscanf vscanf vfscanf
#pragma GCC poison strtok
#pragma GCC poison atoi atol atoll atof
#undef alloca
#undef strdupa
#undef strndupa
#pragma GCC poison alloca strdupa strndupa
#pragma GCC poison mktemp tmpnam tempnam
