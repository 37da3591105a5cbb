/*
 * Invented loaded objects, which export what a test says.  The link of the unit
 * tests passes the library's calls of dl_iterate_phdr through made.c.
 */
#ifndef SP_TEST_MADE_H
#define SP_TEST_MADE_H

#include <link.h>

#include "elf/objects.h"

#define MADE_SYMBOLS 8

struct made_symbol {
	const char *name;
	const void *address;	/* NULL: of the object itself */
	unsigned version;	/* 0: local, 1: none, then those of made_versions; 0x8000 hides it */
};

/* The name of the object's own version, and of the next ones. */
#define MADE_VERSIONS 4
extern const char *const made_versions[MADE_VERSIONS];

struct made {
	ElfW(Sym) symbols[MADE_SYMBOLS + 1];	/* the first is none */
	ElfW(Half) versions[MADE_SYMBOLS + 1];
	struct {
		ElfW(Verdef) version;
		ElfW(Verdaux) name;
	} defined[MADE_VERSIONS];
	uint32_t sysv_hash[2];
	struct {
		uint32_t nbuckets, first, bloom_size, shift;
		ElfW(Addr) bloom[2];
		uint32_t bucket[1], chain[MADE_SYMBOLS];
	} gnu_hash;
	ElfW(Dyn) dynamic[7];
	ElfW(Phdr) segments[5];			/* the last is beyond those that are told of */
	char strings[512];
};

/* How its symbols are found. */
enum made_hash { MADE_SYSV, MADE_GNU };

/* Make an object of the first symbols that have a name; it lies where it is, and is not moved. */
void made_object(struct made *made, enum made_hash hash, const struct made_symbol symbols[MADE_SYMBOLS]);

/* The same of names alone, up to NULL. */
void made_exporting(struct made *made, const char *const names[]);

/* As sp_object_of has it. */
struct sp_object made_as_object(const struct made *made);

/* From now on these are loaded, in this order, and nothing else; NULL: what is loaded. */
void made_are_loaded(const struct made made[], unsigned n);

#endif
