/* SPDX-License-Identifier: MIT */

/*
 * Runs a fuzzer on inputs that there are, without libFuzzer: on the files that are named, or on the corpus whose name
 * the program has (fuzz-NAME: tests/fuzz/corpus/NAME).
 */

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>

#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

DEFINE_CLEANUP(DIR *, closedir);

static int replay_file(const char *path) {
        _cleanup_(fclosep) FILE *file = fopen(path, "re");
        _cleanup_(freep) uint8_t *data = NULL;
        long size;

        if (!file || fseek(file, 0, SEEK_END) < 0)
                return -errno;
        size = ftell(file);
        if (size < 0)
                return -errno;
        rewind(file);
        /* Of the very size, so that a sanitizer sees a read beyond. */
        data = malloc(size > 0 ? (size_t)size : 1);
        if (!data)
                return -ENOMEM;
        if (fread(data, 1, (size_t)size, file) != (size_t)size)
                return -EIO;
        LLVMFuzzerTestOneInput(data, (size_t)size);
        return 0;
}

/* Names the input beforehand: where the fuzzer finds something, it ends the program. */
static bool replay(const char *path) {
        int r;

        printf("%s\n", path);
        fflush(stdout);
        r = replay_file(path);
        if (r < 0)
                fprintf(stderr, "%s: %s\n", path, strerror(-r));
        return r >= 0;
}

static bool replay_directory(const char *path) {
        _cleanup_(closedirp) DIR *directory = opendir(path);
        unsigned n = 0;

        for (struct dirent *entry; directory && (entry = readdir(directory));) {
                _cleanup_(freep) char *file = NULL;

                if (entry->d_name[0] == '.')
                        continue;
                if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
                        file = NULL;
                        return false;
                }
                if (!replay(file))
                        return false;
                n++;
        }
        if (n == 0)
                fprintf(stderr, "no inputs in %s\n", path);
        return n > 0;
}

int main(int argc, char *argv[]) {
        _cleanup_(freep) char *corpus = NULL;

        for (int i = 1; i < argc; i++)
                if (!replay(argv[i]))
                        return EXIT_FAILURE;
        if (argc > 1)
                return EXIT_SUCCESS;
        if (asprintf(&corpus, "tests/fuzz/corpus/%s", program_invocation_short_name + strlen("fuzz-")) < 0) {
                corpus = NULL;
                return EXIT_FAILURE;
        }
        return replay_directory(corpus) ? EXIT_SUCCESS : EXIT_FAILURE;
}
