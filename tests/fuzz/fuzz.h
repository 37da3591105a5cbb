/*
 * What the fuzz targets share.  A target is one file that defines
 * LLVMFuzzerTestOneInput and is linked either with libFuzzer ("make fuzz") or
 * with replay.c, which runs what is in a folder once ("make check-fuzz").
 *
 * A target checks what holds for every input, by must(), not only that nothing
 * crashes.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run by abort() where an invariant does not hold. */
#define must(true_for_all_inputs) fuzz_must(true_for_all_inputs, #true_for_all_inputs, __FILE__, __LINE__)
void fuzz_must(bool holds, const char *what, const char *file, int line);

/* What is left of an input; beyond its end there are zeros. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

uint8_t fuzz_byte(struct fuzz_bytes *bytes);
/* A number below n, which is at least 1. */
uint32_t fuzz_below(struct fuzz_bytes *bytes, uint32_t n);

/*
 * Whether an earlier input of this process already led to these bytes and this number (by their hash): most inputs
 * differ from others in nothing that matters.  For what takes long and has the same result each time.  Never true
 * in an input that is run twice in a row, as libFuzzer does to look for leaks; to be called after fuzz_begin.  Earlier ones
 * may be forgotten for later ones.
 */
void fuzz_begin(const uint8_t *data, size_t size);
bool fuzz_is_known(const void *bytes, size_t size, uint32_t more);

/*
 * The lines of an input as an array like environ.  Release with
 * fuzz_lines_release.  A line ends at a line feed or a zero byte.
 */
struct fuzz_lines {
	char *text;
	char **line;	/* NULL-terminated */
	size_t n;
};

struct fuzz_lines fuzz_lines_read(const uint8_t *data, size_t size);
void fuzz_lines_release(struct fuzz_lines *lines);

/*
 * Any machine of up to 256 CPUs, with or without gaps; the caller's, to free().
 * The end of the input may have changed numbers of it to any others, so that it
 * may be one that sp_machine_fault refuses: then the code that is given it may
 * answer what it likes, but writes nowhere else.
 */
struct sp_machine *fuzz_machine(struct fuzz_bytes *bytes);

/*
 * What is done with a machine wherever it came from, by all ways of cutting it and with threads on the shares.
 * Once for a machine and a number of ranks: see fuzz_is_known.
 */
void fuzz_use_machine(const struct sp_machine *machine, uint32_t nranks);

/* A sentence that is shown to people: not empty, one line, no control character. */
void fuzz_must_be_a_sentence(const char *text);

#endif
