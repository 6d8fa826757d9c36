/* SPDX-License-Identifier: MIT */

#include "common/plausible.h"
#include "common/target.h"

#define IO_OPT_ABSURD_BYTES (INT64_C(16) * 1024 * 1024)
#define CUT_BYTES           UINT64_C(4096)

/* Whether BYTES is COUNT blocks of that size, as they are or cut to 4 KiB. A count of bytes that is cut may be meant. */
static bool is_count(uint64_t bytes, uint64_t count, uint64_t block_bytes) {
        if (bytes == count * block_bytes)
                return true;
        return block_bytes > 1 && bytes == count * block_bytes / CUT_BYTES * CUT_BYTES;
}

/*
 * All bits set in a 16-bit or 15-bit field: what a bridge or adapter says that does not know. So many blocks of more than
 * a sector are absurd by themselves.
 */
static bool is_all_ones(uint64_t bytes) {
        static const uint64_t counts[] = {UINT64_C(65535), UINT64_C(32767)}, blocks[] = {1, SECTOR_BYTES};

        for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
                for (size_t j = 0; j < ARRAY_SIZE(blocks); j++)
                        if (is_count(bytes, counts[i], blocks[j]))
                                return true;
        return false;
}

static bool is_multiple_of(int64_t bytes, struct opt_int of_bytes) {
        return !of_bytes.known || of_bytes.value <= 0 || bytes % of_bytes.value == 0;
}

bool io_opt_implausible(const struct layer *layer, const struct geometry *geometry) {
        int64_t io_opt = opt_or(layer->io_opt_bytes, 0);

        if (io_opt <= 0)
                return false;
        if (is_multiple_of(io_opt, layer->physical_block_bytes) && is_multiple_of(io_opt, layer->io_min_bytes) &&
                        !is_all_ones((uint64_t)io_opt) && io_opt < IO_OPT_ABSURD_BYTES)
                return false;
        return !geometry_explains(geometry, (uint64_t)io_opt);
}

static bool has_request_for_io_opt(const struct layer *layer) {
        return opt_or(layer->rotational, 0) == 1 && opt_or(layer->io_opt_bytes, -1) == 0 &&
               layer->max_request_bytes.known;
}

void readahead_derive(const struct layer *layer, uint64_t page_bytes, uint64_t ret_sectors[static READAHEADS_DERIVED]) {
        uint64_t io_opt = (uint64_t)opt_or(layer->io_opt_bytes, 0);
        uint64_t wide = has_request_for_io_opt(layer) ? (uint64_t)layer->max_request_bytes.value : io_opt;

        ret_sectors[0] = readahead_round(wide / SECTOR_BYTES * 2, page_bytes);
        ret_sectors[1] = readahead_round((uint32_t)(io_opt * 2) / SECTOR_BYTES, page_bytes);
}

bool readahead_is_derived(const struct layer *layer, uint64_t page_bytes, uint64_t sectors) {
        uint64_t derived[READAHEADS_DERIVED];

        readahead_derive(layer, page_bytes, derived);
        for (size_t i = 0; i < READAHEADS_DERIVED; i++)
                if (sectors == (derived[i] > READAHEAD_FLOOR_SECTORS ? derived[i] : READAHEAD_FLOOR_SECTORS))
                        return true;
        return false;
}

bool readahead_is_of_request(const struct layer *layer, uint64_t page_bytes, uint64_t sectors) {
        return has_request_for_io_opt(layer) && sectors > READAHEAD_FLOOR_SECTORS &&
               readahead_is_derived(layer, page_bytes, sectors);
}

bool readahead_implausible(const struct geometry *geometry, int64_t sectors) {
        if (sectors <= (int64_t)READAHEAD_FLOOR_SECTORS)
                return false;
        for (size_t i = 0; i < geometry->n_bogus; i++)
                if (geometry->bogus_sectors[i] == (uint64_t)sectors)
                        return true;
        return false;
}
