/* SPDX-License-Identifier: MIT */

#include "common/probe-range.h"
#include "common/probe-private.h"

/* A run is worth its place if it has so many windows (two of them are for the ramp-up), and this many bytes. */
#define WINDOWS_WANTED 10
#define BYTES_LEAST    (UINT64_C(1) << 20)

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

/* Divides a part evenly; false if a run would have less than BYTES. */
static bool divide(const struct probe_extent *extent, unsigned zones, unsigned slots, uint64_t bytes,
                struct probe_layout *ret) {
        uint64_t all = ret->room_bytes, slot = round_down(all / zones / slots, extent->window_bytes);
        uint64_t apart = extent->window_bytes * PROBE_WINDOWS_AHEAD, room;

        if (zones * slots == 1)
                room = all;
        else
                room = slot > apart ? slot - apart : 0;
        ret->run_bytes = ret->least_bytes = round_down(least(room, extent->bytes_per_run), extent->block_bytes);
        ret->slot_bytes = slot;
        ret->n_zones = zones;
        ret->n_slots = slots;
        return ret->run_bytes >= bytes;
}

/* Parts are so far apart as places are. */
static void divide_in_parts(const struct probe_extent *extent, struct probe_layout *ret) {
        uint64_t apart = extent->window_bytes * PROBE_WINDOWS_AHEAD;

        ret->n_parts = extent->n_parts > 1 ? extent->n_parts : 1;
        ret->part_bytes = ret->room_bytes = extent->size_bytes;
        if (ret->n_parts == 1)
                return;
        ret->part_bytes = round_down(extent->size_bytes / ret->n_parts, extent->window_bytes);
        ret->room_bytes = ret->part_bytes > apart ? ret->part_bytes - apart : 0;
}

static bool divide_for_steady(
                const struct probe_extent *extent, unsigned rounds, unsigned series, struct probe_layout *ret) {
        bool fits = divide(extent, rounds, series, bytes_for(extent, WINDOWS_WANTED), ret);

        for (unsigned zones = rounds; !fits && zones > 0; zones--)
                fits = divide(extent, zones, 1, bytes_for(extent, WINDOWS_WANTED), ret);
        return fits || divide(extent, 1, 1, bytes_for(extent, PROBE_WINDOWS_LEAST), ret);
}

static bool divide_for_cold(const struct probe_extent *extent, struct probe_layout *ret) {
        uint64_t bytes = bytes_for(extent, PROBE_WINDOWS_LEAST);
        bool fits = divide(extent, 1, 1, bytes, ret);

        ret->least_bytes = least(bytes, ret->run_bytes);
        return fits;
}

bool probe_layout_compute(
                const struct probe_extent *extent, unsigned rounds, unsigned series, struct probe_layout *ret) {
        struct probe_layout layout = {};
        bool fits;

        if (rounds == 0 || series == 0 || extent->window_bytes == 0 || extent->block_bytes == 0 ||
                        extent->window_bytes > UINT64_MAX / WINDOWS_WANTED)
                return false;
        divide_in_parts(extent, &layout);
        if (extent->cold)
                fits = divide_for_cold(extent, &layout);
        else
                fits = divide_for_steady(extent, rounds, series, &layout);
        if (fits)
                *ret = layout;
        return fits;
}

uint64_t probe_layout_offset(const struct probe_layout *layout, unsigned round, unsigned series) {
        uint64_t zone = round % layout->n_zones, slot = (round + series) % layout->n_slots;

        return (zone * layout->n_slots + slot) * layout->slot_bytes;
}

uint64_t probe_layout_part(const struct probe_layout *layout, unsigned round, unsigned reader, unsigned n) {
        return (reader * (layout->n_parts / n) + round) % layout->n_parts * layout->part_bytes;
}
