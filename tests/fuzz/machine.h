/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Captured machines from a row of bytes: each row makes one, and machines that look like real ones are most likely. A
 * statement is a letter and the choices that it has, '0' being the first of each; devices are 'a', 'b', … in the order
 * in which they are made, '?' one that is not there. They may name those that come later, and themselves.
 *
 *   d NAME READAHEAD IO-MIN IO-OPT          a disk, or something else without anything beneath
 *   p DISK START                            a partition
 *   m LEVEL CHUNK LAYOUT STATE N DEVICE…    an array of N members
 *   x NAME N (TARGET NUMBER DEVICE DEVICE STATUS)…   a map of N segments
 *   l FILE                                  a loop
 *   b DEVICE DEVICE                         a bcache: what is cached, and the cache
 *   h UPPER LOWER STYLE                     what slaves/ and holders/ say
 *   a DEVICE ATTRIBUTE FORM [TEXT newline]  an attribute with odd contents, or which is no file
 *   M DEVICE PATH TYPE SOURCE               a mount
 *   w DEVICE                                a swap
 *   u DEVICE PROPERTY TEXT newline          udev's word
 *   j DEVICE NUMBER NUMBER STATE            what setrad has on record
 *   f FILE TEXT newline                     a line of a file
 *   o OPTION                                what the capture as a whole lacks, or has otherwise
 */

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/files.h"

#define MACHINE_DEVICES_MAX 40U

/* Of maps of multipath, in their uuids and in some of their names. */
#define MACHINE_WWID "3600508b400105e210000900000490000"

/* Asks for its files. */
void machine_write(struct bytes bytes, struct files *files);
