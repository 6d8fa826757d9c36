/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/dmtable.h"

static int set_up(void **state) {
        *state = arena_new();
        return *state ? 0 : -1;
}

static int tear_down(void **state) {
        arena_free(*state);
        return 0;
}

/* Legs as "D9:0+2048 O253:1": role, device, and offset where there is one. */
static const char *format_legs(struct arena *arena, const struct dm_segment *segment) {
        const char *text = "";

        for (size_t i = 0; i < segment->n_legs; i++) {
                const struct dm_leg *leg = &segment->legs[i];

                text = arena_printf(arena, "%s%s%c%u:%u", text, i > 0 ? " " : "", leg->role == LEG_DATA ? 'D' : 'O',
                                leg->major, leg->minor);
                if (leg->offset_sectors > 0)
                        text = arena_printf(arena, "%s+%" PRIu64, text, leg->offset_sectors);
        }
        return text;
}

static void test_targets(void **state) {
        static const struct {
                const char *target, *params, *legs;
                enum layer_kind kind;
                uint64_t chunk;
                unsigned data_disks;
        } cases[] = {
                        {"linear", "9:0 3072", "D9:0+3072", KIND_DM_LINEAR, 0, 0},
                        {"linear", "253:1048575 18446744073709551615", "D253:1048575+18446744073709551615",
                                        KIND_DM_LINEAR, 0, 0},
                        {"striped", "2 128 9:1 2048 9:2 3072", "D9:1+2048 D9:2+3072", KIND_DM_STRIPED, 128, 2},
                        {"striped", "1 65535 98:64 0", "D98:64", KIND_DM_STRIPED, 65535, 1},
                        {"crypt", "aes-xts-plain64 0000 0 9:5 32768 1 sector_size:4096", "D9:5+32768", KIND_DM_CRYPT, 0,
                                        0},
                        {"crypt", "capi:cbc(aes)-plain :32:logon:a:b 0 8:18 4096", "D8:18+4096", KIND_DM_CRYPT, 0, 0},
                        {"raid", "raid0 1 128 4 - 254:2 - 254:3 - 254:4 - 254:5", "D254:2 D254:3 D254:4 D254:5",
                                        KIND_DM_RAID0, 128, 4},
                        {"raid", "raid1 3 0 region_size 4096 2 254:48 254:49 254:50 254:51",
                                        "O254:48 D254:49 O254:50 D254:51", KIND_DM_RAID1, 0, 0},
                        {"raid", "raid4 1 64 3 - 8:0 - 8:16 - 8:32", "D8:0 D8:16 D8:32", KIND_DM_RAID4, 64, 2},
                        {"raid", "raid5_ls 3 8 region_size 4096 4 1:7 1:8 1:9 1:10 1:11 1:12 1:13 1:14",
                                        "O1:7 D1:8 O1:9 D1:10 O1:11 D1:12 O1:13 D1:14", KIND_DM_RAID5, 8, 3},
                        {"raid", "raid6_zr 1 128 4 - 8:0 - 8:16 - 8:32 - 8:48", "D8:0 D8:16 D8:32 D8:48", KIND_DM_RAID6,
                                        128, 2},
                        /* One leg is gone. */
                        {"raid", "raid5_n 1 128 3 8:1 8:2 - - 8:3 8:4", "O8:1 D8:2 O8:3 D8:4", KIND_DM_RAID5, 128, 2},
                        {"raid", "raid10 5 8 region_size 4096 raid10_copies 2 4 - 1:1 - 1:2 - 1:3 - 1:4",
                                        "D1:1 D1:2 D1:3 D1:4", KIND_DM_RAID10, 8, 2},
                        {"raid", "raid10 5 8 raid10_format far raid10_copies 2 4 - 1:1 - 1:2 - 1:3 - 1:4",
                                        "D1:1 D1:2 D1:3 D1:4", KIND_DM_RAID10, 8, 4},
                        {"raid", "raid10 3 8 raid10_format offset 4 - 1:1 - 1:2 - 1:3 - 1:4", "D1:1 D1:2 D1:3 D1:4",
                                        KIND_DM_RAID10, 8, 4},
                        {"raid", "raid10_far 1 8 4 - 1:1 - 1:2 - 1:3 - 1:4", "D1:1 D1:2 D1:3 D1:4", KIND_DM_RAID10, 8,
                                        4},
                        {"raid", "raid10 1 8 5 - 1:1 - 1:2 - 1:3 - 1:4 - 1:5", "D1:1 D1:2 D1:3 D1:4 D1:5",
                                        KIND_DM_RAID10, 8, 5},
                        {"raid", "raid5_la 6 64 rebuild 1 sync data_offset 8192 3 - 8:0 - 8:16 - 8:32",
                                        "D8:0+8192 D8:16+8192 D8:32+8192", KIND_DM_RAID5, 64, 2},
                        {"raid", "raid6_ls_6 3 64 journal_dev 8:80 4 - 8:0 - 8:16 - 8:32 - 8:48",
                                        "O8:80 D8:0 D8:16 D8:32 D8:48", KIND_DM_RAID6, 64, 2},
                        {"mirror", "core 1 2048 2 9:0 3072 9:1 2048 1 handle_errors", "D9:0+3072 D9:1+2048",
                                        KIND_DM_MIRROR, 0, 0},
                        {"mirror", "disk 2 253:4 1024 2 8:0 0 8:16 384", "O253:4 D8:0 D8:16+384", KIND_DM_MIRROR, 0, 0},
                        {"thin-pool", "253:0 253:1 512 0 1 skip_block_zeroing", "O253:0 D253:1", KIND_DM_THIN_POOL, 0,
                                        0},
                        {"thin", "253:2 1", "D253:2", KIND_DM_THIN, 0, 0},
                        {"thin", "253:2 1 253:9", "D253:2 D253:9", KIND_DM_THIN, 0, 0},
                        {"snapshot", "253:2 253:4 P 8", "D253:2 O253:4", KIND_DM_SNAPSHOT, 0, 0},
                        {"snapshot-merge", "253:2 253:4 PO 16", "D253:2 O253:4", KIND_DM_SNAPSHOT, 0, 0},
                        {"snapshot-origin", "253:2", "D253:2", KIND_DM_SNAPSHOT_ORIGIN, 0, 0},
                        {"cache", "253:1 253:0 253:2 128 2 metadata2 writeback smq 0", "O253:1 O253:0 D253:2",
                                        KIND_DM_CACHE, 0, 0},
                        {"writecache", "s 253:6 253:5 4096 0", "D253:6 O253:5", KIND_DM_WRITECACHE, 0, 0},
                        {"integrity", "8:1 0 4 J 5 journal_sectors:8 buffer_sectors:8", "D8:1", KIND_DM_INTEGRITY, 0,
                                        0},
                        {"integrity", "8:1 0 4 J 2 meta_device:8:17 internal_hash:crc32c", "D8:1 O8:17",
                                        KIND_DM_INTEGRITY, 0, 0},
                        {"verity", "1 8:1 8:2 4096 4096 100 1 sha256 abcd 00", "D8:1 O8:2", KIND_DM_VERITY, 0, 0},
                        {"verity", "1 8:1 8:1 4096 4096 100 101 sha256 abcd 00 8 use_fec_from_device 8:3 fec_roots 2",
                                        "D8:1 O8:1 O8:3", KIND_DM_VERITY, 0, 0},
                        {"multipath",
                                        "1 queue_if_no_path 1 alua 2 1 service-time 0 2 2 8:16 1 1 8:32 1 1 "
                                        "service-time 0 1 2 8:48 1 1",
                                        "D8:16 D8:32 D8:48", KIND_DM_MULTIPATH, 0, 0},
                        {"multipath", "0 0 1 1 round-robin 0 1 1 8:16 1000", "D8:16", KIND_DM_MULTIPATH, 0, 0},
                        {"multipath", "1 queue_if_no_path 0 0 0", "", KIND_DM_MULTIPATH, 0, 0},
                        {"vdo", "V4 253:1 1048576 4096 32768 16380 deduplication on", "D253:1", KIND_DM_VDO, 0, 0},
                        {"delay", "1:0 0 10", "D1:0", KIND_DM_DELAY, 0, 0},
                        {"delay", "1:0 8 10 1:0 8 20", "D1:0+8", KIND_DM_DELAY, 0, 0},
                        {"delay", "1:0 0 10 1:1 0 20 1:1 0 30", "D1:0 O1:1 O1:1", KIND_DM_DELAY, 0, 0},
                        {"error", "", "", KIND_DM_UNKNOWN, 0, 0},
                        {"zero", "", "", KIND_DM_UNKNOWN, 0, 0},
                        {"flashcache-syno", "250:1 none cachedev_2", "D250:1", KIND_DM_UNKNOWN, 0, 0},
                        {"era", "253:0 253:1 4096", "D253:0 D253:1", KIND_DM_UNKNOWN, 0, 0},
                        {"strange", "1:2:3 :1 1: a:b 1:b 4096:1 1:1048576 -1:2 8:3", "D8:3", KIND_DM_UNKNOWN, 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct dm_segment segment;

                print_message("%s %s\n", cases[i].target, cases[i].params);
                assert_int_equal(dmtable_parse_target(*state, 8, 100, cases[i].target, cases[i].params, &segment), 0);
                assert_int_equal(segment.start_sectors, 8);
                assert_int_equal(segment.length_sectors, 100);
                assert_string_equal(segment.target, cases[i].target);
                assert_int_equal(segment.kind, cases[i].kind);
                assert_int_equal(segment.chunk_sectors, cases[i].chunk);
                assert_int_equal(segment.data_disks, cases[i].data_disks);
                assert_string_equal(format_legs(*state, &segment), cases[i].legs);
        }
}

static void test_bad_targets(void **state) {
        static const struct {
                const char *target, *params;
                enum layer_kind kind;
        } cases[] = {
                        {"linear", "", KIND_DM_LINEAR},
                        {"linear", "9:0", KIND_DM_LINEAR},
                        {"linear", "9:0 x", KIND_DM_LINEAR},
                        {"linear", "9:0 -1", KIND_DM_LINEAR},
                        {"linear", "9:0 18446744073709551616", KIND_DM_LINEAR},
                        {"linear", "/dev/md0 0", KIND_DM_LINEAR},
                        {"striped", "2 128 9:1 2048", KIND_DM_STRIPED},
                        {"striped", "4294967295 128 9:1 2048", KIND_DM_STRIPED},
                        {"striped", "1 9223372036854775807 9:1 2048", KIND_DM_STRIPED},
                        {"crypt", "aes key 0 9:5", KIND_DM_CRYPT},
                        {"raid", "", KIND_DM_UNKNOWN},
                        {"raid", "raid5_ls 3 8 region_size", KIND_DM_RAID5},
                        {"raid", "raid5_ls 4294967296 8", KIND_DM_RAID5},
                        {"raid", "raid5_ls 1 8 3 - 8:0 - 8:16", KIND_DM_RAID5},
                        {"raid", "raid5_ls 1 8 65536 - 8:0", KIND_DM_RAID5},
                        {"mirror", "core 1", KIND_DM_MIRROR},
                        {"mirror", "core 4294967295 1", KIND_DM_MIRROR},
                        {"thin-pool", "253:0", KIND_DM_THIN_POOL},
                        {"cache", "253:0 253:1", KIND_DM_CACHE},
                        {"snapshot", "253:2 - P 8", KIND_DM_SNAPSHOT},
                        {"multipath", "queue 8:16", KIND_DM_MULTIPATH},
                        {"multipath", "9 queue_if_no_path", KIND_DM_MULTIPATH},
                        {"integrity", "8:1 0 4 J 1 meta_device:x", KIND_DM_INTEGRITY},
                        {"delay", "1:0 0 10 1:1", KIND_DM_DELAY},
                        {"vdo", "V4", KIND_DM_VDO},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct dm_segment segment;

                print_message("%s %s\n", cases[i].target, cases[i].params);
                assert_int_equal(dmtable_parse_target(*state, 0, 1, cases[i].target, cases[i].params, &segment),
                                -EINVAL);
                assert_int_equal(segment.kind, cases[i].kind);
                assert_int_equal(segment.n_legs, 0);
                assert_int_equal(segment.chunk_sectors, 0);
                assert_int_equal(segment.data_disks, 0);
        }
}

/* What a table says by itself, and what the status says after that: "-" for a table alone. */
static void test_raid_status(void **state) {
        static const char same[] = "raid5_ls 3 128 region_size 4096 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          grown[] = "raid5_ls 5 128 delta_disks 1 data_offset 8192 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          rebuild[] = "raid5_ls 3 128 rebuild 3 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          shrunk[] = "raid5_ls 5 128 delta_disks -1 data_offset 0 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          offset[] = "raid5_ls 3 128 data_offset 8192 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          mirror[] = "raid1 3 0 region_size 4096 2 - 8:0 - 8:16",
                          ten[] = "raid10 5 128 raid10_copies 2 raid10_format near 6 - 8:0 - 8:16 - 8:32 - 8:48 - "
                                  "8:64 - 8:80";
        static const struct {
                const char *params, *status;
                bool reshaping;
                unsigned raid_disks, data_disks;
                uint64_t offset;
        } cases[] = {
                        {same, NULL, false, 4, 3, 0},
                        {grown, NULL, true, 4, 3, 8192},
                        {shrunk, NULL, true, 4, 3, 0},
                        {offset, NULL, false, 4, 3, 8192},
                        {"raid5_ls 3 128 delta_disks 0 4 - 8:0 - 8:16 - 8:32 - 8:48", NULL, false, 4, 3, 0},
                        /* while it runs, LVM's last table does not say so */
                        {same, "raid5_ls 4 aaaa 8192/65536 reshape 0 8192 -", true, 4, 3, 8192},
                        {grown, "raid5_ls 4 aaaa 0/65536 reshape 0 8192 -", true, 4, 3, 8192},
                        {offset, "raid5_ls 4 aaaa 0/65536 reshape 0 0 -", true, 4, 3, 0},
                        {shrunk, "raid5_ls 3 aaaa 0/65536 reshape 0 0 -", true, 3, 2, 0},
                        /* it is over, whatever the table says */
                        {same, "raid5_ls 4 AAAA 65536/65536 idle 0 8192 -", false, 4, 3, 8192},
                        {grown, "raid5_ls 4 AAAA 65536/65536 idle 0 0 -", false, 4, 3, 0},
                        {shrunk, "raid5_ls 3 AAAA 65536/65536 idle 0 0 -", false, 3, 2, 0},
                        {grown, "raid5_ls 4 AAAA 0/65536 check 0 0 -", false, 4, 3, 0},
                        {same, "raid5_ls 4 AAAa 0/65536 recover 0 0 -", false, 4, 3, 0},
                        {same, "raid5_ls 4 aaaa 0/65536 resync 0 0 -", false, 4, 3, 0},
                        /* it stands still: about to start, or nothing of the kind */
                        {grown, "raid5_ls 4 aaaa 0/65536 frozen 0 8192 -", true, 4, 3, 8192},
                        {rebuild, "raid5_ls 3 AAAa 0/65536 frozen 0 0 -", true, 3, 2, 0},
                        {same, "raid5_ls 4 AAAA 0/65536 frozen 0 0 -", true, 4, 3, 0},
                        {same, "raid5_ls 4 AAAA 65536/65536 frozen 0 0 -", false, 4, 3, 0},
                        {same, "raid5_ls 4 aaaa 8192/65536 idle 0 8192 -", true, 4, 3, 8192},
                        {grown, "raid5_ls 4 AAAa 65536/65536 idle 0 8192 -", true, 4, 3, 8192},
                        {same, "raid5_ls 4 AAAa 65536/65536 idle 0 0 -", false, 4, 3, 0},
                        {rebuild, "raid5_ls 3 AAAa 65536/65536 idle 0 0 -", false, 3, 2, 0},
                        /* old kernels say less */
                        {same, "raid5_ls 4 AAAA 65536/65536", false, 4, 3, 0},
                        {grown, "raid5_ls 4 AAAA 65536/65536", true, 4, 3, 8192},
                        {offset, "raid5_ls 4 AAAA 65536/65536 idle 0", false, 4, 3, 8192},
                        {offset, "raid5_ls 4 AAAA 65536/65536 idle 0 x", false, 4, 3, 8192},
                        {mirror, "raid1 2 aa 0/65536 reshape 0 0 -", true, 2, 0, 0},
                        {ten, "raid10 4 AAAAAA 65536/65536 idle 0 0 -", false, 4, 2, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct dm_segment segment;

                print_message("%s: %s\n", cases[i].params, cases[i].status ?: "-");
                assert_int_equal(dmtable_parse_target(*state, 0, 1, "raid", cases[i].params, &segment), 0);
                if (cases[i].status)
                        assert_int_equal(dmtable_apply_raid_status(&segment, cases[i].status), 0);
                assert_int_equal(segment.reshaping, cases[i].reshaping);
                assert_int_equal(segment.raid_disks, cases[i].raid_disks);
                assert_int_equal(segment.data_disks, cases[i].data_disks);
                for (size_t j = 0; j < segment.n_legs; j++)
                        assert_int_equal(segment.legs[j].offset_sectors, cases[i].offset);
        }
}

static void assert_opt_equal(struct opt_int a, struct opt_int b) {
        assert_int_equal(a.known, b.known);
        assert_int_equal(a.value, b.value);
}

/* Members that are missing, failed or being rebuilt, and what the array does. */
static void test_raid_health(void **state) {
        static const char five[] = "raid5_ls 3 128 region_size 1024 4 - 8:0 - 8:16 - 8:32 - 8:48",
                          partial[] = "raid5_ls 1 128 4 - 8:0 - - - 8:32 - 8:48",
                          grown[] = "raid5_ls 3 128 delta_disks 1 4 - 8:0 - 8:16 - 8:32 - 8:48";
        static const struct {
                const char *params, *status;
                struct opt_int degraded;
                const char *action;
                struct opt_int done, all;
        } cases[] = {
                        {five, NULL, {}, NULL, {}, {}},
                        {partial, NULL, {1, true}, NULL, {}, {}},
                        {"raid0 1 128 3 - 8:0 - 8:16 - -", NULL, {1, true}, NULL, {}, {}},
                        {"raid1 1 0 2 - 8:0 8:1 8:16", NULL, {}, NULL, {}, {}},
                        {five, "raid5_ls 4 AAAA 64/64 idle 0 0 -", {0, true}, "idle", {64, true}, {64, true}},
                        {five, "raid5_ls 4 AADA 64/64 idle 0 0 -", {1, true}, "idle", {64, true}, {64, true}},
                        {five, "raid5_ls 4 AD-A 64/64 frozen 0 0 -", {2, true}, "frozen", {64, true}, {64, true}},
                        {partial, "raid5_ls 4 A-AA 64/64 idle 0 0 -", {1, true}, "idle", {64, true}, {64, true}},
                        /* one is rebuilt: it counts until that is done */
                        {five, "raid5_ls 4 AAAa 8/64 recover 0 0 -", {1, true}, "recover", {8, true}, {64, true}},
                        {five, "raid5_ls 4 ADAa 8/64 recover 0 0 -", {2, true}, "recover", {8, true}, {64, true}},
                        {five, "raid5_ls 4 AAAa 64/64 idle 0 0 -", {1, true}, "idle", {64, true}, {64, true}},
                        /* all are written anew: none is missing */
                        {five, "raid5_ls 4 aaaa 8/64 resync 0 0 -", {0, true}, "resync", {8, true}, {64, true}},
                        {five, "raid5_ls 4 aDaa 8/64 resync 0 0 -", {1, true}, "resync", {8, true}, {64, true}},
                        {five, "raid5_ls 4 AAAA 8/64 check 0 0 -", {0, true}, "check", {8, true}, {64, true}},
                        {five, "raid5_ls 4 AAAA 8/64 repair 0 0 -", {0, true}, "repair", {8, true}, {64, true}},
                        /* what a reshape adds is not there yet; of those it takes away the status has more characters */
                        {grown, "raid5_ls 4 AAAa 0/64 frozen 0 0 -", {0, true}, "frozen", {0, true}, {64, true}},
                        {grown, "raid5_ls 4 AADa 0/64 frozen 0 0 -", {1, true}, "frozen", {0, true}, {64, true}},
                        {five, "raid5_ls 3 AAAD 64/64 idle 0 0 -", {0, true}, "idle", {64, true}, {64, true}},
                        {five, "raid5_ls 6 AAADDD 64/64 idle 0 0 -", {1, true}, "idle", {64, true}, {64, true}},
                        {five, "raid5_ls 4 aaaa 8/64 reshape 0 0 -", {0, true}, "reshape", {8, true}, {64, true}},
                        {five, "raid5_ls 4 AAAA 8/64 undef 0 0 -", {0, true}, NULL, {8, true}, {64, true}},
                        {five, "raid5_ls 4 AAAD 64/64", {1, true}, NULL, {64, true}, {64, true}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct dm_segment segment;

                print_message("%s: %s\n", cases[i].params, cases[i].status ?: "-");
                assert_int_equal(dmtable_parse_target(*state, 0, 1, "raid", cases[i].params, &segment), 0);
                if (cases[i].status)
                        assert_int_equal(dmtable_apply_raid_status(&segment, cases[i].status), 0);
                assert_opt_equal(segment.sync.degraded, cases[i].degraded);
                assert_opt_equal(segment.sync.synced_sectors, cases[i].done);
                assert_opt_equal(segment.sync.sync_sectors, cases[i].all);
                assert_string_equal(segment.sync.action ?: "-", cases[i].action ?: "-");
        }
}

static void test_bad_raid_status(void **state) {
        static const char *const statuses[] = {
                        "raid5_ls 4 AAAA -1/65536 idle 0 0 -",
                        "raid5_ls 4 AAAA -18446744073709551615/1",
                        "",
                        "raid5_ls",
                        "raid5_ls x AAAA 1/2 idle 0 0 -",
                        "raid5_ls 256 AAAA 1/2 reshape 0 0 -",
                        "raid5_ls 3 AAAA",
                        "raid5_ls 3 AAAA x/2 idle 0 0 -",
                        "raid5_ls 3 AAAA 1/2x reshape 0 0 -",
                        "raid5_ls 3 AAAA 1 reshape 0 0 -",
                        "raid5_ls 3 AAAA 9223372036854775808/9 reshape 0 0 -",
                        "raid5_ls 3 AAAA 1/9223372036854775808 reshape 0 0 -",
                        "raid5_ls 3 AAAA 1000000000000000000000000000000000000000000000000000000000000000000/1 reshape",
        };
        struct dm_segment segment;

        assert_int_equal(dmtable_parse_target(*state, 0, 1, "raid",
                                         "raid5_ls 3 8 delta_disks 1 4 - 8:0 - 8:1 - 8:2 - 8:3", &segment),
                        0);
        for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
                assert_int_equal(dmtable_apply_raid_status(&segment, statuses[i]), -EINVAL);
                assert_true(segment.reshaping);
                assert_int_equal(segment.raid_disks, 4);
                assert_false(segment.sync.degraded.known);
        }
        assert_int_equal(dmtable_parse_target(*state, 0, 1, "striped", "2 128 9:1 0 9:2 0", &segment), 0);
        assert_int_equal(dmtable_apply_raid_status(&segment, "raid5_ls 4 AAAA 1/2 reshape 0 0 -"), -EINVAL);
        assert_false(segment.reshaping);
        /* a table that breaks off says nothing */
        assert_int_equal(dmtable_parse_target(*state, 0, 1, "raid", "raid5_ls 3 8 delta_disks 1 4 - 8:0", &segment),
                        -EINVAL);
        assert_false(segment.reshaping);
        assert_int_equal(segment.raid_disks, 0);
}

/* Words as dm-mpath.c and its path selectors give them: round-robin none, queue-length one, service-time two, … */
static void test_multipath_status(void **state) {
        static const struct {
                const char *status;
                unsigned n, n_active;
        } cases[] = {
                        {"2 0 0 0 2 1 A 0 1 0 8:0 A 0 E 0 1 0 8:16 A 0 ", 2, 2},
                        {"2 0 0 0 2 1 A 0 1 0 8:0 F 1 E 0 1 0 8:16 A 0 ", 2, 1},
                        {"2 0 0 0 1 1 E 0 2 0 8:0 F 3 8:16 F 1 ", 2, 0},
                        {"2 1 1 0 1 1 A 0 2 1 8:0 A 0 0 8:16 F 1 7 ", 2, 1},
                        {"2 0 0 0 1 1 A 0 2 2 8:0 F 1 0 1 8:16 A 0 4096 1 ", 2, 1},
                        {"2 0 0 0 1 1 A 2 100 0 2 3 8:0 F 1 5 0 9 8:16 F 1 5 0 9 ", 2, 0},
                        {"2 0 0 1 alua 2 2 D 0 1 0 8:0 F 4294967295 A 0 3 0 65:0 A 0 65:16 A 0 65:32 F 2", 4, 2},
                        {"2 0 0 0 1 1 E 0 1 0 8:0 F 1", 1, 0},
                        {"2 0 0 0 0 0 ", 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct dm_segment segment = {.kind = KIND_DM_MULTIPATH};

                assert_int_equal(dmtable_apply_multipath_status(&segment, cases[i].status), 0);
                assert_true(segment.paths.known);
                assert_int_equal(segment.paths.n, cases[i].n);
                assert_int_equal(segment.paths.n_active, cases[i].n_active);
        }
}

static void test_bad_multipath_status(void **state) {
        static const char *const statuses[] = {
                        "",
                        "2 0 0",
                        "2 0 0 0 1 1 A 0 2 0 8:0 A 0",
                        "2 0 0 0 2 1 A 0 1 0 8:0 A 0",
                        "2 0 0 0 1 1 A 0 1 1 8:0 A 0",
                        "2 0 0 0 1 1 A 0 1 0 8:0 X 0",
                        "2 0 0 0 1 1 A 0 x 0 8:0 A 0",
                        "9999999 0 0 0 1 1 A 0 1 0 8:0 A 0",
        };

        for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
                struct dm_segment segment = {.kind = KIND_DM_MULTIPATH};

                assert_int_equal(dmtable_apply_multipath_status(&segment, statuses[i]), -EINVAL);
                assert_false(segment.paths.known);
        }
        struct dm_segment other = {.kind = KIND_DM_LINEAR};

        assert_int_equal(dmtable_apply_multipath_status(&other, "2 0 0 0 1 1 E 0 1 0 8:0 F 1"), -EINVAL);
}

static void test_split_line(void **state) {
        static const struct {
                const char *line, *name;
                uint64_t start, length;
                const char *target, *params;
        } cases[] = {
                        {"vg-lv: 0 100 linear 9:0 2048\n", "vg-lv", 0, 100, "linear", "9:0 2048"},
                        {"vg-lv: 100 50 linear 9:1 2048", "vg-lv", 100, 50, "linear", "9:1 2048"},
                        {"z: 0 8 zero \n", "z", 0, 8, "zero", ""},
                        {"z: 0 8 zero", "z", 0, 8, "zero", ""},
                        {"my disk: 0 8 linear 8:0 0", "my disk", 0, 8, "linear", "8:0 0"},
                        {"a: b: 0 8 linear 8:0 0", "a: b", 0, 8, "linear", "8:0 0"},
                        {"a: 1: 0 8 linear 8:0 0", "a: 1", 0, 8, "linear", "8:0 0"},
                        {"a:b: 0 8 x p: 0 8 y", "a:b", 0, 8, "x", "p: 0 8 y"},
                        {"empty: \n", "empty", 0, 0, NULL, NULL},
                        {"empty:", "empty", 0, 0, NULL, NULL},
                        {"a: b: \n", "a: b", 0, 0, NULL, NULL},
                        {": : \n", ": ", 0, 0, NULL, NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const char *name, *target, *params;
                uint64_t start, length;
                char *line = arena_strdup(*state, cases[i].line);

                print_message("%s\n", line);
                assert_int_equal(dmtable_split_line(line, &name, &start, &length, &target, &params), 0);
                assert_string_equal(name, cases[i].name);
                assert_int_equal(start, cases[i].start);
                assert_int_equal(length, cases[i].length);
                if (cases[i].target) {
                        assert_string_equal(target, cases[i].target);
                        assert_string_equal(params, cases[i].params);
                } else
                        assert_null(target);
        }
}

static void test_split_bad_line(void **state) {
        static const char *const lines[] = {
                        "",
                        "\n",
                        "No devices found\n",
                        ":",
                        ": ",
                        "vg-lv: 0 100",
                        "vg-lv: 0",
                        "vg-lv: -1 100 linear 9:0 0",
                        "vg-lv: 0 18446744073709551616 linear 9:0 0",
                        "Command failed: reason",
        };

        for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
                const char *name, *target, *params;
                uint64_t start, length;
                char *line = arena_strdup(*state, lines[i]);

                print_message("%s\n", line);
                assert_int_equal(dmtable_split_line(line, &name, &start, &length, &target, &params), -EINVAL);
        }
}

static void test_kind(void **state) {
        const struct dm_segment linear = {.kind = KIND_DM_LINEAR}, striped = {.kind = KIND_DM_STRIPED};
        const struct dm_segment same[] = {linear, linear, linear}, mixed[] = {linear, linear, striped};

        assert_int_equal(dmtable_kind(NULL, 0), KIND_DM_UNKNOWN);
        assert_int_equal(dmtable_kind(&striped, 1), KIND_DM_STRIPED);
        assert_int_equal(dmtable_kind(same, 3), KIND_DM_LINEAR);
        assert_int_equal(dmtable_kind(mixed, 3), KIND_DM_MIXED);
}

static void test_demangle(void **state) {
        static const struct {
                const char *name, *demangled;
        } cases[] = {
                        {"plain-name_1", "plain-name_1"},
                        {"my\\x20disk", "my disk"},
                        {"donnees-\\xc3\\xa9t\\xC3\\xA9", "donnees-\xc3\xa9t\xc3\xa9"},
                        {"a\\x2cb=c", "a,b=c"},
                        {"\\x5cx20", "\\x20"},
                        {"my disk", "my disk"},
                        {"", ""},
                        {"\\", "\\"},
                        {"\\x", "\\x"},
                        {"\\x2", "\\x2"},
                        {"\\x2g", "\\x2g"},
                        {"\\y20", "\\y20"},
                        {"a\\x00b", "a\\x00b"},
                        {"\\\\x20", "\\ "},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_string_equal(dmname_demangle(*state, cases[i].name), cases[i].demangled);
}

#define LVM_UUID "LVM-D55UY1JCZrIo7l4DJCUEaNt7m2FRHGnjuW0GieerUopsntjphuwbxaYh53MczA8K"

static void assert_string_or_null(const char *actual, const char *expected) {
        if (expected) {
                assert_non_null(actual);
                assert_string_equal(actual, expected);
        } else
                assert_null(actual);
}

static void test_split_lvm(void **state) {
        static const struct {
                const char *name, *uuid, *vg, *lv, *suffix;
        } cases[] = {
                        {"vg0-home", LVM_UUID, "vg0", "home", NULL},
                        {"vg--a-lv", LVM_UUID, "vg-a", "lv", NULL},
                        {"vg-var--log", LVM_UUID, "vg", "var-log", NULL},
                        {"vg--var-log", LVM_UUID, "vg-var", "log", NULL},
                        {"rhel_x--root-a----b", LVM_UUID, "rhel_x-root", "a--b", NULL},
                        {"a---b", LVM_UUID, "a-", "b", NULL},
                        {"vg-lv-real", LVM_UUID "-real", "vg", "lv", "real"},
                        {"vg-tp_tdata", LVM_UUID "-tdata", "vg", "tp_tdata", "tdata"},
                        {"vg--1-tp-tpool", LVM_UUID "-tpool", "vg-1", "tp", "tpool"},
                        {"renamed", LVM_UUID, NULL, NULL, NULL},
                        {"renamed-", LVM_UUID "-", NULL, NULL, NULL},
                        {"-lv", LVM_UUID, NULL, NULL, NULL},
                        {"", LVM_UUID, NULL, NULL, NULL},
                        {"luks--vault-a", "CRYPT-LUKS2-0123-luks--vault-a", NULL, NULL, NULL},
                        {"vg-lv", "", NULL, NULL, NULL},
                        {"vg-lv", "lvm-x", NULL, NULL, NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const char *vg, *lv, *suffix;

                print_message("%s %s\n", cases[i].name, cases[i].uuid);
                assert_int_equal(dmname_split_lvm(*state, cases[i].name, cases[i].uuid, &vg, &lv, &suffix), 0);
                assert_string_or_null(vg, cases[i].vg);
                assert_string_or_null(lv, cases[i].lv);
                assert_string_or_null(suffix, cases[i].suffix);
        }
}

static void test_mangled_equals(void **state) {
        static const struct {
                const char *mangled, *name;
                bool equal;
        } cases[] = {
                        {"", "", true},
                        {"vg-lv", "vg-lv", true},
                        {"my\\x20disk", "my disk", true},
                        {"my\\x20disk", "my disk ", false},
                        {"my\\x20", "my", false},
                        {"a\\x2", "a\\x2", true},
                        {"a\\xzz", "a\\xzz", true},
                        {"\\xc3\\xa9", "\xc3\xa9", true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_int_equal(dmname_equals(cases[i].mangled, cases[i].name), cases[i].equal);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_targets, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_bad_targets, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_raid_status, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_raid_health, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_bad_raid_status, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_multipath_status, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_bad_multipath_status, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_split_line, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_split_bad_line, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_kind, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_demangle, set_up, tear_down),
                        cmocka_unit_test(test_mangled_equals),
                        cmocka_unit_test_setup_teardown(test_split_lvm, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
