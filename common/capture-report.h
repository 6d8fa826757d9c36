/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Support reports (sosreport): what a directory of copied files and of tools' output says, as the tree that discovery
 * reads. Shared by the files capture*.c only.
 */

#include <stdbool.h>
#include <stdio.h>

#include "capture-record.h"
#include "sysroot.h"

#define REPORT_BLOCK_DIRECTORY "sys/class/block"

/* Whether ROOT is a report, and has no sysfs that discovery could read as it is. */
bool report_is_one(const struct sysroot *root);

/*
 * Writes down the tree. Files of sysfs count for more than udev's database, that for more than the output of lsblk and
 * blockdev. Returns 0, -ENOENT if there is nothing of block devices in it, or -ENOMEM.
 */
int report_import(const struct sysroot *root, struct record *record);

/* Of one tool each: STREAM is its output. Names that can't be a device's are passed over. */
void report_read_udev(FILE *stream, struct record *record);     /* udevadm info --export-db */
void report_read_dmsetup(FILE *stream, struct record *record);  /* dmsetup info -c */
void report_read_lsblk(FILE *stream, struct record *record);    /* lsblk */
void report_read_losetup(FILE *stream, struct record *record);  /* losetup -a */
void report_read_limits(FILE *stream, struct record *record);   /* lsblk -t */
void report_read_blockdev(FILE *stream, struct record *record); /* blockdev --report */
