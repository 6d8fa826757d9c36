/* SPDX-License-Identifier: MIT */
#pragma once

/* Device-mapper tables without what may be secret. Pure. */

/*
 * The parameters of a target as they may leave the machine. Of those that take a key (crypt, integrity, verity) and of
 * targets that nobody here knows, only what says which devices they lie over is left: crypt's key becomes "0", other
 * words "-", so that what is left parses as before. The caller frees it; NULL without memory.
 */
char *capture_redact_parameters(const char *target, const char *params);

/* The name of a map as libdevmapper writes it: bytes that could end it as "\xHH". As above. */
char *capture_mangle_name(const char *name);
