/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files machine*.c only. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fuzz/machine.h"

#define MACHINE_NAME_MAX 48
#define MACHINE_PATH_MAX 256

struct device {
        char type;                   /* the letter of its statement */
        char name[MACHINE_NAME_MAX]; /* as sysfs has it */
        char path[MACHINE_PATH_MAX]; /* of its directory */
        unsigned major, minor;
        bool has_node;
        const char *uuid; /* of a map; else "" */
};

enum machine_option {
        OPTION_SYS_BLOCK_ONLY, /* no sys/class/block */
        OPTION_DIRECTORIES,    /* and no links there */
        OPTION_REPORT_TABLES,  /* where support reports have them */
        OPTION_PROC_MOUNTS,    /* and no mountinfo */
        OPTION_NO_TABLES,
        OPTION_LARGE_PAGES,
        OPTION_SMALL_MEMORY,
        OPTION_NO_MEMORY,
        N_OPTIONS,
};

/* Files that several statements add to. */
struct streams {
        FILE *table, *status, *mountinfo, *mounts, *swaps, *ledger, *info;
};

struct machine {
        struct files *files;
        struct device devices[MACHINE_DEVICES_MAX];
        unsigned n; /* that have been made in this pass */
        unsigned n_all;
        bool writes;      /* second pass: all devices are known */
        unsigned options; /* bits */
        struct streams streams;
        char *properties[MACHINE_DEVICES_MAX]; /* of udev */
};

/* PATH is below the device's directory. */
__attribute__((format(printf, 4, 5))) void machine_attribute(
                struct machine *machine, const struct device *device, const char *path, const char *format, ...);

/* The device that the next byte names; one that does not exist, if it says so. */
const struct device *machine_pick(struct machine *machine, struct bytes *bytes);

/* A new one; NULL if there are too many. Its name is taken over. */
struct device *machine_add(struct machine *machine, char type, unsigned major, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* Once its fields are right: its directory, with its number, and where it is listed. */
void machine_device(struct machine *machine, const struct device *device);

/* LOWER in UPPER's slaves/, and UPPER in LOWER's holders/. */
void machine_link(struct machine *machine, const struct device *upper, const struct device *lower, unsigned style);

/* The statements of their letters. */
void machine_map(struct machine *machine, struct bytes *bytes);
void machine_array(struct machine *machine, struct bytes *bytes);
void machine_odd_attribute(struct machine *machine, struct bytes *bytes);
