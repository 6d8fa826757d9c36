/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Topologies from a few lines of text, for tests. Anything that goes wrong ends the test program. Statements end in a
 * line break or in "; ". What a statement names must exist somewhere in the text, not necessarily before it:
 *
 *   disk NAME…                          each 1 TiB, readahead 256, io_min 512, io_opt 0, blocks of 512 bytes
 *   part NAME DISK START                a partition, START in sectors
 *   md NAME LEVEL CHUNK MEMBER…         CHUNK in bytes, K and M work; MEMBER is NAME, NAME:STATES, or "-" for a missing one
 *   map NAME START LENGTH TARGET …      a map with one target; devices by name. Again for the next segment
 *   map NAME                            a map without a table
 *   status NAME …                       what the status of its first target says, which is "raid"; after the map
 *   lv NAME VG/LV [SUFFIX]              makes a map one of LVM's
 *   loop NAME FILE                      FILE with "\s" for blanks
 *   other NAME KIND BELOW…              a layer of any kind over others, as by slaves/
 *   over NAME BELOW…                    more of what slaves/ would say
 *   backing NAME BELOW                  which of them a bcache layer caches
 *   mount NAME PATH FS; swap NAME       NAME in use
 *   set NAME KEY=VALUE…                 ra min opt lbs pbs align size rot request layout disks chunk degraded old-layout
 *                                       old-disks old-chunk synced to-sync: numbers, "?" unknown;
 *                                       sync, state, level, dmname, uuid: text; reshape suspended other-rules-off not-ready hidden nodev
 *                                       no-tables inactive container: without a value
 *   memory BYTES; page BYTES            of the machine
 */

#include "common/arena.h"
#include "common/cleanup.h"
#include "common/finding.h"
#include "common/geometry.h"
#include "common/plan.h"
#include "common/topology.h"

struct stack {
        struct topology *topology;
        struct arena *arena;
        struct geometry *geometry;
        struct findings findings;
};

/* Builds and finishes the topology, and works out geometry and findings. */
struct stack *stack_build(const char *text);
void stack_free(struct stack *stack);
DEFINE_CLEANUP(struct stack *, stack_free);

/* By kernel name. */
struct layer *stack_layer(const struct stack *stack, const char *name);
const struct geometry *stack_geometry(const struct stack *stack, const char *name);

/* Names of LAYERS with blanks between; the arena's. */
const char *stack_names(const struct stack *stack, const struct layer *const *layers, size_t n);

#define STACK_RULE "the rule"

/* The plan where ACTION has won every layer, as a rule of that name. */
struct plan stack_plan(const struct stack *stack, const struct rule_action *action, bool names_layer);

/* What holds of every finished topology: each layer after all below it, edges seen from both ends, depths, tops. */
bool stack_is_in_order(const struct topology *topology);

/* The codes of what is found about a layer, with blanks between; the arena's. */
const char *stack_codes(const struct stack *stack, const char *name);

/* "262144", "256K", "1M", "2G" → bytes. */
uint64_t stack_number(const char *text);

/* LENGTH linear maps dm-0 … over each other, the lowest over BOTTOM. */
struct stack *stack_build_chain(const char *bottom_text, const char *bottom, size_t length);
