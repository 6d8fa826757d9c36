/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a rule's "match" asks of a layer. Compiled when the policy is loaded: kinds and findings are bit masks, patterns
 * are sorted out, the cheapest terms come first. Every key of the language is one row of a table in policy-match.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/finding.h"
#include "common/topology.h"
#include "config/policy-pattern.h"
#include "config/policy-reader.h"
#include "config/policy-value.h"

_Static_assert(_KIND_MAX < 64, "kinds are kept as bits of a uint64_t");
_Static_assert(_FINDING_CODE_MAX < 64, "findings are kept as bits of a uint64_t");

struct match_subject;
struct match_term;

/* What a key is, as bits. */
enum match_trait {
        MATCH_NAMES_LAYER = 1 << 0, /* it says which layer, not which sort of layers */
        MATCH_HAS_PATHS = 1 << 1,   /* patterns with a / in them are compared with other texts than those without */
        MATCH_IS_KIND = 1 << 2,     /* each layer has a kind, so all kinds are all layers */
};

/* A key of the language. */
struct match_key {
        bool (*test)(const struct match_term *term, const struct match_subject *subject);
        /* What TEST looks at, for people; ARENA's or constant. "": the layer has none; NULL: without memory. */
        const char *(*describe)(
                        const struct match_term *term, const struct match_subject *subject, struct arena *arena);
        unsigned cost; /* to test the cheap ones first */
        unsigned traits;
};

/* The mask of all kinds. */
#define MATCH_KINDS_ALL (((UINT64_C(1) << _KIND_MAX) - 1) & ~(UINT64_C(1) << KIND_UNKNOWN))

#define MATCH_FINDINGS_ALL (((UINT64_C(1) << _FINDING_CODE_MAX) - 1) & ~FINDINGS_MEASURED)

/* Clauses, of which one must hold. */
struct match {
        struct match_clause *clauses;
        unsigned line, column; /* where it is written */
};

/* One key with its values. */
struct match_term {
        const struct match_key *key;
        const char *name;             /* of the key */
        const char *text;             /* its value as it is written, cut where it is long; for people */
        uint64_t mask;                /* kind, over, finding */
        struct pattern_list patterns; /* what is compared as text; over: names of layers beneath */
        struct size_comparison *sizes;
        size_t n_sizes;
        bool flag;          /* rotational, top */
        struct match match; /* not */
        size_t over;        /* over with names: its place in struct match_index */
        struct match_term *next;
};

/* Terms that must all hold. */
struct match_clause {
        struct match_term *terms; /* by cost */
        bool names_layer;
        struct match_clause *next;
};

/* The terms of a policy that look at the names of layers beneath: they are worked out for all layers beforehand. */
struct match_index {
        struct match_over {
                const struct match_term *term;
                struct match_over *next;
        } * overs; /* the newest, which has the highest number, first */
        size_t n_overs;
};

#define SUBJECT_LABELS_MAX 3U
#define SUBJECT_NODES_MAX  3U
#define SUBJECT_PATHS_MAX  6U

/* A layer, with what the terms look at. */
struct match_subject {
        const struct layer *layer;
        const char *labels[SUBJECT_LABELS_MAX]; /* what "name" compares */
        size_t n_labels;
        const char *nodes[SUBJECT_NODES_MAX]; /* what "device" compares a word with: kernel name, M:m */
        size_t n_nodes;
        const char *paths[SUBJECT_PATHS_MAX]; /* what it compares a path with: /dev/NAME, VG/LV, … */
        size_t n_paths;
        const char *lv;                         /* its name as people know it; NULL if it is no LV */
        uint64_t kind, kinds_beneath, findings; /* bits */
        const bool *const *overs;               /* by match_term.over, then by layer->index */
};

/* All layers of a topology, ready to be matched with one policy. */
struct match_subjects {
        struct match_subject *items; /* by layer->index */
        size_t n_items;
};

/* Reads the value of "match" or "not": one mapping, or a list of which one must hold. Returns as reader_*() do. */
int match_read(struct policy_reader *reader, const struct tree_node *node, const char *what, struct match *ret);

/* FINDINGS may be NULL. Everything lives in ARENA. Returns 0 or -ENOMEM. */
int match_subjects_build(const struct topology *topology, const struct findings *findings,
                const struct match_index *index, struct arena *arena, struct match_subjects *ret);

/* The first term, in the order in which they are tested, that does not hold for SUBJECT; NULL: all do. */
const struct match_term *match_clause_test(const struct match_clause *clause, const struct match_subject *subject);

bool match_subject_has_label(const struct match_subject *subject, const struct pattern_list *patterns);
bool match_subject_has_device(const struct match_subject *subject, const struct pattern_list *patterns);

/* The clause that holds for SUBJECT, one that names it before others; NULL: none does. */
const struct match_clause *match_test(const struct match *match, const struct match_subject *subject);
