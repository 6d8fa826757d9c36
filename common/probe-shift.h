/* SPDX-License-Identifier: MIT */
#pragma once

/* A device that begins in the midst of another: a probe's seams that add an offset. */

#include "probe.h"

struct probe_shift {
        const struct probe_ops *ops;
        uint64_t offset_bytes;
};

/* The seams for the device from OFFSET_BYTES on; SHIFT must live as long. */
struct probe_ops probe_shift_begin(struct probe_shift *shift, const struct probe_ops *ops, uint64_t offset_bytes);
