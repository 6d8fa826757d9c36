/* SPDX-License-Identifier: MIT */

/*
 * How long the rules of a large policy take for the layers of a large machine: 1,000 rules × 10,000 layers in less than
 * a second, of processor time, so that what else the machine does is no part of it. Policy and layers are made so that
 * the winner is known for each layer and may be any rule, so that a fast answer has to be the right one, too.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/policy.h"
#include "tests/support/stack.h"

#define GROUPS           1000U /* one rule for each */
#define LAYERS_PER_GROUP 10U   /* four disks, an array, five maps */
#define MAPS_PER_GROUP   5U
#define RUNS             7U
#define LIMIT_SEC        1.0

/* The maps of a group. */
enum map { MAP_ROOT, MAP_DATA, MAP_CRYPT, MAP_SCRATCH, MAP_HOME };

/* A form of rule: "@" stands for the number of the rule and its group; which maps of the group it wins. */
static const struct form {
        const char *match;
        unsigned wins;
} forms[] = {
                {"{vg: vg@, over: md}", 1 << MAP_ROOT | 1 << MAP_DATA | 1 << MAP_SCRATCH | 1 << MAP_HOME},
                {"{name: [vg@/ro*, 'vg@/h?me']}", 1 << MAP_ROOT | 1 << MAP_HOME},
                {"{mountpoint: [/srv/g@/*, /home/g@]}", 1 << MAP_ROOT | 1 << MAP_HOME},
                {"{kind: dm-crypt, over: md@}", 1 << MAP_CRYPT},
                {"{vg: vg@, size: '>= 2TiB'}", 1 << MAP_DATA},
                {"{lv: '[rd]*', over: [md@], not: {lv: root}}", 1 << MAP_DATA},
                {"{device: [/dev/vg@/home, /dev/vg@/s*]}", 1 << MAP_SCRATCH | 1 << MAP_HOME},
                {"[{vg: vg@, lv: root}, {vg: vg@, lv: data, size: '< 100TiB'}]", 1 << MAP_ROOT | 1 << MAP_DATA},
                {"{filesystem: xfs, mountpoint: '*/g@/*'}", 1 << MAP_ROOT},
                {"{vg: vg@, top: true, not: [{mountpoint: /home*}, {lv: scratch}]}", 1 << MAP_ROOT},
};

static const struct form *form_of_group(unsigned group) {
        return &forms[group % ARRAY_SIZE(forms)];
}

static void die(const char *text) {
        fprintf(stderr, "bench-match: %s\n", text);
        exit(1);
}

static void print_match(FILE *f, const char *match, unsigned group) {
        for (const char *s = match; *s; s++)
                if (*s == '@')
                        fprintf(f, "%u", group);
                else
                        fputc(*s, f);
}

static void print_policy(FILE *f) {
        fputs("version: 1\nrules:\n", f);
        for (unsigned i = 0; i < GROUPS; i++) {
                fprintf(f, "- {name: r%u, readahead: auto, match: ", i);
                print_match(f, form_of_group(i)->match, i);
                fputs("}\n", f);
        }
}

static void print_layers(FILE *f) {
        for (unsigned i = 0; i < GROUPS; i++) {
                unsigned dm = i * MAPS_PER_GROUP;

                fprintf(f, "disk s%ua s%ub s%uc s%ud; md md%u raid5 64K s%ua s%ub s%uc s%ud\n", i, i, i, i, i, i, i, i,
                                i);
                fprintf(f, "map dm-%u 0 9 linear md%u 0; lv dm-%u vg%u/root; mount dm-%u /srv/g%u/root xfs\n",
                                dm + MAP_ROOT, i, dm + MAP_ROOT, i, dm + MAP_ROOT, i);
                fprintf(f, "map dm-%u 0 9 linear md%u 9; lv dm-%u vg%u/data; set dm-%u size=4294967296\n",
                                dm + MAP_DATA, i, dm + MAP_DATA, i, dm + MAP_DATA);
                fprintf(f, "map dm-%u 0 9 crypt aes-xts-plain64 - 0 dm-%u 0\n", dm + MAP_CRYPT, dm + MAP_DATA);
                fprintf(f, "map dm-%u 0 9 linear md%u 18; lv dm-%u vg%u/scratch\n", dm + MAP_SCRATCH, i,
                                dm + MAP_SCRATCH, i);
                fprintf(f, "map dm-%u 0 9 linear md%u 27; lv dm-%u vg%u/home; mount dm-%u /home/g%u ext4\n",
                                dm + MAP_HOME, i, dm + MAP_HOME, i, dm + MAP_HOME, i);
        }
}

/* What PRINT writes; to be freed. */
static char *text_of(void (*print)(FILE *f)) {
        char *text = NULL;
        size_t length = 0;
        FILE *f = open_memstream(&text, &length);

        if (!f)
                die("no memory");
        print(f);
        if (fclose(f) != 0)
                die("no memory");
        return text;
}

static struct policy *load_policy(void) {
        _cleanup_(freep) char *text = text_of(print_policy);
        struct policy_errors errors = {};
        struct policy *policy = NULL;

        if (policy_load_text("bench.yaml", text, strlen(text), &policy, &errors) < 0)
                die(errors.n_items > 0 ? errors.items[0].text : "the policy does not load");
        return policy;
}

/* The name of the rule that must win the layer; "" if none must. */
static void expected_rule(const struct layer *layer, char buffer[static 16]) {
        unsigned number;

        *buffer = '\0';
        if (sscanf(layer->name, "dm-%9u", &number) != 1)
                return;
        if (form_of_group(number / MAPS_PER_GROUP)->wins & 1U << number % MAPS_PER_GROUP)
                snprintf(buffer, 16, "r%u", number / MAPS_PER_GROUP);
}

/* Returns how many layers were won. */
static size_t check_verdicts(const struct topology *topology, const struct verdict *verdicts) {
        size_t n = 0;

        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct layer *layer = topology->layers[i];
                const char *rule = verdicts[layer->index].rule;
                char expected[16];

                expected_rule(layer, expected);
                if (strcmp(rule ? rule : "", expected) != 0) {
                        fprintf(stderr, "bench-match: %s: rule \"%s\" won, not \"%s\"\n", layer->name, rule ? rule : "",
                                        expected);
                        exit(1);
                }
                n += rule != NULL;
        }
        return n;
}

/* Processor time of this process. */
static double now_sec(void) {
        struct timespec ts;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
        return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double run_once(const struct policy *policy, const struct stack *stack, size_t *ret_won) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct verdict *verdicts;
        double start = now_sec(), end;

        if (!arena || policy_match(policy, stack->topology, &stack->findings, arena, &verdicts) < 0)
                die("no memory");
        end = now_sec();
        *ret_won = check_verdicts(stack->topology, verdicts);
        return end - start;
}

static int compare_seconds(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

int main(void) {
        _cleanup_(freep) char *layers = text_of(print_layers);
        _cleanup_(stack_freep) struct stack *stack = stack_build(layers);
        double start = now_sec(), load_sec, seconds[RUNS];
        _cleanup_(policy_freep) struct policy *policy = load_policy();
        size_t won;

        load_sec = now_sec() - start;
        if (policy_count_rules(policy) != GROUPS || stack->topology->n_layers != GROUPS * LAYERS_PER_GROUP)
                die("not as many rules or layers as there should be");
        run_once(policy, stack, &won); /* warm-up */
        for (size_t i = 0; i < RUNS; i++)
                seconds[i] = run_once(policy, stack, &won);
        qsort(seconds, RUNS, sizeof(*seconds), compare_seconds);

        printf("match: %zu rules × %zu layers: %.3f s (median of %u runs, %.3f … %.3f s; limit %.1f s); %zu layers "
               "won; the "
               "policy loads in %.3f s\n",
                        policy_count_rules(policy), stack->topology->n_layers, seconds[RUNS / 2], RUNS, seconds[0],
                        seconds[RUNS - 1], LIMIT_SEC, won, load_sec);
        if (seconds[RUNS / 2] < LIMIT_SEC)
                return 0;
        fprintf(stderr, "bench-match: slower than %.1f s\n", LIMIT_SEC);
        return 1;
}
