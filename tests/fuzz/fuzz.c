#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "slots/omp_places.h"
#include "slots/slots.h"
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

static uint64_t
hash_of(const void *bytes, size_t size, uint32_t more)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)more << 32 ^ size;

	for (size_t at = 0; at < size; at += sizeof(hash)) {
		uint64_t word = 0;

		memcpy(&word, (const char *)bytes + at, size - at < sizeof(word) ? size - at : sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool is_again;		/* the input is the one before: set by fuzz_begin */

void
fuzz_begin(const uint8_t *data, size_t size)
{
	static uint64_t last;
	uint64_t hash = hash_of(data, size, 0);

	is_again = hash == last;
	last = hash;
}

bool
fuzz_is_known(const void *bytes, size_t size, uint32_t more)
{
	static uint64_t known[1 << 16];	/* of equal first bits the latest; 0: none */
	uint64_t hash = hash_of(bytes, size, more), *place = &known[hash >> 48];
	bool is_known = !is_again && *place == hash;

	*place = hash;
	return is_known;
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

static uint8_t
last_byte(struct fuzz_bytes *bytes)
{
	return bytes->left ? bytes->at[--bytes->left] : 0;
}

/* A number that some code may take for none, or that lies beyond an array; that of another CPU; or a small one. */
static uint32_t
wild_number(const struct sp_machine *machine, uint32_t field, uint8_t choice)
{
	const uint32_t wild[] = { UINT32_MAX, UINT32_MAX - 1, SP_CPUS_MAX, SP_CPUS_MAX - 1 };
	uint32_t other;

	if (choice % 8 < 4)
		return wild[choice % 8];
	if (choice % 8 > 4)
		return choice / 8;
	memcpy(&other, (const char *)&machine->pu[choice / 8 % machine->ncpus] + field * sizeof(other), sizeof(other));
	return other;
}

/* Change a number of one CPU, or of all. */
static void
make_wild(struct fuzz_bytes *bytes, struct sp_machine *machine)
{
	uint8_t how = last_byte(bytes), field = last_byte(bytes) % (sizeof(struct sp_pu) / sizeof(uint32_t));
	uint32_t number = wild_number(machine, field, last_byte(bytes));
	uint32_t first = how < 128 ? how % machine->ncpus : 0, end = how < 128 ? first + 1 : machine->ncpus;

	for (uint32_t i = first; i < end; i++)
		memcpy((char *)&machine->pu[i] + field * sizeof(number), &number, sizeof(number));
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
	for (uint8_t n = last_byte(bytes); part->ncpus && n > 128 && n <= 128 + 16; n--)
		make_wild(bytes, part);
	return part;
}

static void
use_share(const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_slots *slots = sp_slots_create(machine, share, SP_SPREAD);
	struct sp_omp_places places;
	struct sp_cpus cpus;

	for (int thread = 0; slots && thread < 8; thread++) {
		struct sp_request request = { .thread = thread, .team = 5, .near = -1 };

		must(sp_slots_take(slots, &request, &cpus) >= 0 && sp_cpus_within(&cpus, share));
	}
	sp_slots_destroy(slots);
	if (sp_omp_places(machine, share, SP_SPREAD, SP_GRANULARITY_AUTO, (struct sp_omp_teams){ 3, 1 }, &places) == 0)
		free(places.places);
}

void
fuzz_use_machine(const struct sp_machine *machine, uint32_t nranks)
{
	static const struct sp_policy policies[] = {
		{ .share = SP_SHARE_EQUAL }, { .share = SP_SHARE_ALL }, { .distribution = SP_CYCLIC }, { .kinds = SP_KINDS_PERFORMANCE },
		{ .devices = SP_DEVICES_NIC }, { .domain = SP_DOMAIN_NUMA, .distribution = SP_CYCLIC }, { .domain = SP_DOMAIN_CORE }, { .cores = 1 },
	};

	if (fuzz_is_known(machine, sp_machine_size(machine->ncpus), nranks))
		return;
	uint32_t *owner = calloc(machine->ncpus + 1, sizeof(*owner));

	if (!owner)
		abort();
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct sp_cut cut;

		if (sp_cut(machine, &policies[i], nranks, owner, &cut) != 0)
			continue;
		for (uint32_t rank = 0; rank < nranks; rank += 1 + nranks / 8) {
			struct sp_cpus share;

			sp_cut_share(machine, owner, rank, &share);
			use_share(machine, &share);
		}
	}
	free(owner);
}

void
fuzz_must_be_a_sentence(const char *text)
{
	must(text[0] != '\0');
	for (; *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}
