#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machines.h"

/* libFuzzer's main leaves an object of its own; what is looked at is C. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
	return "leak:operator new\n";
}

void
fuzz_must(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

uint8_t
fuzz_byte(struct fuzz_bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

uint32_t
fuzz_below(struct fuzz_bytes *bytes, uint32_t n)
{
	uint32_t value = fuzz_byte(bytes);

	if (n > 256)
		value = value << 8 | fuzz_byte(bytes);
	return value % n;
}

struct fuzz_lines
fuzz_lines_read(const uint8_t *data, size_t size)
{
	struct fuzz_lines lines = { .text = malloc(size + 1), .line = malloc((size + 2) * sizeof(char *)) };
	bool begins = true;

	if (!lines.text || !lines.line)
		abort();
	for (size_t i = 0; i < size; i++) {
		lines.text[i] = data[i] == '\n' ? '\0' : (char)data[i];
		if (begins)
			lines.line[lines.n++] = &lines.text[i];
		begins = !lines.text[i];
	}
	lines.text[size] = '\0';
	lines.line[lines.n] = NULL;
	return lines;
}

void
fuzz_lines_release(struct fuzz_lines *lines)
{
	free(lines->text);
	free(lines->line);
}

struct sp_machine *
fuzz_machine(struct fuzz_bytes *bytes)
{
	struct shape shape = {
		.packages = 1 + fuzz_below(bytes, 2), .numas = 1 + fuzz_below(bytes, 4), .l3s = 1 + fuzz_below(bytes, 4),
		.l2s = 1 + fuzz_below(bytes, 4), .cores = 1 + fuzz_below(bytes, 2), .threads = 1 + fuzz_below(bytes, 4),
		.numbering = fuzz_below(bytes, 2), .l3 = fuzz_below(bytes, 3),
	};
	struct sp_machine *whole = machine_of(shape), *part;
	struct sp_cpus kept = { 0 };
	uint32_t every = fuzz_below(bytes, 8);	/* CPU that is missing, of each byte's */

	for (uint32_t i = 0; i < whole->ncpus; i++) {
		whole->pu[i].kind = every == 7 && whole->pu[i].core % 2;
		if (every == 0 || every == 7 || fuzz_byte(bytes) % 8 >= every)
			sp_cpus_add(&kept, whole->pu[i].cpu);
	}
	part = machine_within(whole, &kept);
	free(whole);
	return part;
}

void
fuzz_must_be_a_sentence(const char *text)
{
	must(text[0] != '\0');
	for (; *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}
