/* SPDX-License-Identifier: MIT */

#include "common/probe-cells.h"
#include "common/probe.h"
#include "common/wrap.h"

/* Cells, and what is around a place, begin at multiples of this: of the largest pages of common machines. */
#define UNIT (UINT64_C(64) << 10)

/* A cell has so many windows: what is read around a place can be anywhere in it. */
#define WINDOWS_PER_CELL 2

static uint64_t greatest(uint64_t a, uint64_t b) {
        return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

static uint64_t round_up(uint64_t value) {
        return (value / UNIT + (value % UNIT != 0)) * UNIT;
}

static uint64_t round_down(uint64_t value) {
        return value - value % UNIT;
}

/* The kernel reads half a window before the page that is missing, and half from there on. */
static uint64_t half_window(uint64_t window_bytes) {
        return greatest(round_up(window_bytes / 2), UNIT);
}

void probe_cells_around(uint64_t offset_bytes, uint64_t window_bytes, uint64_t *ret_offset_bytes, uint64_t *ret_bytes) {
        uint64_t half = half_window(window_bytes), page = round_down(offset_bytes);

        *ret_offset_bytes = page > half ? page - half : 0;
        *ret_bytes = page + UNIT + half - *ret_offset_bytes;
}

bool probe_cells_compute(const struct probe_field *field, struct probe_cells *ret) {
        uint64_t around_bytes, least_cell_bytes, n_cells, reads;

        if (field->window_bytes > UINT64_MAX / (UINT64_C(2) * WINDOWS_PER_CELL) || field->bytes_per_read == 0)
                return false;
        around_bytes = half_window(field->window_bytes);
        least_cell_bytes = greatest(round_up(field->window_bytes * WINDOWS_PER_CELL), around_bytes * 2 + UNIT);
        n_cells = field->size_bytes / least_cell_bytes;
        reads = least(least(field->bytes_per_run / field->bytes_per_read, n_cells), PROBE_READS_MAX);
        if (reads < PROBE_READS_LEAST)
                return false;
        n_cells /= reads;
        *ret = (struct probe_cells){
                        .n_reads = (unsigned)reads,
                        .part_bytes = round_down(field->size_bytes / reads),
                        .n_cells = n_cells,
                        .cell_bytes = round_down(field->size_bytes / reads / n_cells),
                        .around_bytes = around_bytes,
        };
        return true;
}

/* A number whose neighbours give ones that have nothing in common with it (the last step of splitmix64). */
_wraps_ static uint64_t mix(uint64_t value) {
        value += UINT64_C(0x9e3779b97f4a7c15);
        value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
        return value ^ (value >> 31);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
        while (b > 0) {
                uint64_t rest = a % b;

                a = b;
                b = rest;
        }
        return a;
}

/* A step that leads through all cells before it comes to one again; about five eighths of them, so that it is wide. */
static uint64_t step_between(uint64_t n_cells) {
        uint64_t step = n_cells - n_cells / 8 * 3;

        while (common_divisor(step, n_cells) != 1)
                step++;
        return step;
}

uint64_t probe_cells_offset(const struct probe_cells *cells, unsigned run, unsigned turn, unsigned part) {
        uint64_t first = mix(part) % cells->n_cells, other = turn > 0 ? mix(turn) % cells->n_cells : 0;
        uint64_t step = run % cells->n_cells * step_between(cells->n_cells) % cells->n_cells;
        uint64_t cell = (first + other + step) % cells->n_cells;
        uint64_t within = mix(mix(part) + run) % (cells->cell_bytes - 2 * cells->around_bytes);

        return part * cells->part_bytes + cell * cells->cell_bytes + cells->around_bytes + within -
               within % PROBE_RANDOM_BYTES;
}

void probe_cells_order(const struct probe_cells *cells, unsigned run, unsigned ret_parts[static PROBE_READS_MAX]) {
        for (unsigned i = 0; i < cells->n_reads; i++) {
                unsigned j = (unsigned)(mix(mix(run) + i) % (i + 1));

                ret_parts[i] = ret_parts[j];
                ret_parts[j] = i;
        }
}
