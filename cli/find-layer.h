/* SPDX-License-Identifier: MIT */
#pragma once

/* From what people type to a layer. */

#include "cli/context.h"

/*
 * What topology_find_path() takes, MAJOR:MINOR, or a mount point; on a live machine also any link below /dev. Of a
 * surveyed context. NULL if there is none, after saying so on stderr.
 */
const struct layer *find_layer(const struct context *context, const char *text);

/* The same without a word, of this machine. */
const struct layer *find_layer_on_machine(const struct topology *topology, const char *text);

/* The same without links and without a word, over a topology. Pure. */
const struct layer *find_layer_by_name(const struct topology *topology, const char *text);
