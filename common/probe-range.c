/* SPDX-License-Identifier: MIT */

#include "common/probe-range.h"

/* A run is worth its place if it has so many windows (two of them are for the ramp-up), and this many bytes. */
#define WINDOWS_WANTED 10
#define WINDOWS_LEAST  4
#define BYTES_LEAST    (UINT64_C(1) << 20)

/* After the end of a run: the window that is being read ahead, and the one after it. */
#define WINDOWS_APART 2

static uint64_t round_down(uint64_t value, uint64_t unit) {
        return value - value % unit;
}

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* So many windows, unless the limit of bytes does not allow that: it is no reason to give up places. */
static uint64_t bytes_for(const struct probe_extent *extent, unsigned windows) {
        uint64_t bytes = least(extent->window_bytes * windows, extent->bytes_per_run);

        return bytes > BYTES_LEAST ? bytes : BYTES_LEAST;
}

/* Divides the device evenly; false if a run would have less than BYTES. */
static bool divide(const struct probe_extent *extent, unsigned zones, unsigned slots, uint64_t bytes,
                struct probe_layout *ret) {
        uint64_t slot = round_down(extent->size_bytes / zones / slots, extent->window_bytes);
        uint64_t apart = extent->window_bytes * WINDOWS_APART, room;

        if (zones * slots == 1)
                room = extent->size_bytes;
        else
                room = slot > apart ? slot - apart : 0;
        *ret = (struct probe_layout){
                        .run_bytes = round_down(least(room, extent->bytes_per_run), extent->block_bytes),
                        .slot_bytes = slot,
                        .n_zones = zones,
                        .n_slots = slots,
        };
        return ret->run_bytes >= bytes;
}

bool probe_layout_compute(
                const struct probe_extent *extent, unsigned rounds, unsigned series, struct probe_layout *ret) {
        struct probe_layout layout;
        bool fits;

        if (rounds == 0 || series == 0 || extent->window_bytes == 0 || extent->block_bytes == 0 ||
                        extent->window_bytes > UINT64_MAX / WINDOWS_WANTED)
                return false;
        fits = divide(extent, rounds, series, bytes_for(extent, WINDOWS_WANTED), &layout);
        for (unsigned zones = rounds; !fits && zones > 0; zones--)
                fits = divide(extent, zones, 1, bytes_for(extent, WINDOWS_WANTED), &layout);
        fits = fits || divide(extent, 1, 1, bytes_for(extent, WINDOWS_LEAST), &layout);
        if (!fits)
                return false;
        *ret = layout;
        return true;
}

uint64_t probe_layout_offset(const struct probe_layout *layout, unsigned round, unsigned series) {
        uint64_t zone = round % layout->n_zones, slot = (round + series) % layout->n_slots;

        return (zone * layout->n_slots + slot) * layout->slot_bytes;
}
