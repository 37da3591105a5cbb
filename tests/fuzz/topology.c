/*
 * What splitpin makes of any machine that hwloc accepts: of descriptions in
 * hwloc's synthetic syntax, and, where the first byte is '<', of XML that is
 * made of the bytes behind it, since a text that is no XML says nothing of
 * splitpin.  In that objects may be missing, empty, and without their numbers.
 */
#include <errno.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "hardware/hwloc_open.h"
#include "topology.h"

enum { TEXT = 96 };

/* hwloc allocates as many objects as it is told to: what asks for very many is not for this test. */
static bool
is_small(const char *text)
{
	unsigned long objects = 1;

	for (const char *at = text; *at;) {
		char *end;
		unsigned long n;

		if (*at < '0' || *at > '9') {
			at++;
			continue;
		}
		n = strtoul(at, &end, 0);
		if (n > 64)
			return false;
		objects *= n ? n : 1;
		if (objects > 512)
			return false;
		at = end;
	}
	return true;
}

static void
check_machine(const struct sp_machine *machine)
{
	struct sp_cpus all;

	must(!sp_machine_fault(machine));
	sp_machine_cpus(machine, &all);
	must(sp_cpus_count(&all) == machine->ncpus);
	/* What shares a core stands side by side. */
	for (uint32_t i = 2; i < machine->ncpus; i++)
		if (machine->pu[i].core != machine->pu[i - 1].core)
			for (uint32_t j = 0; j + 1 < i; j++)
				must(machine->pu[j].core != machine->pu[i].core);
	fuzz_use_machine(machine, 1);
	fuzz_use_machine(machine, 2);
	fuzz_use_machine(machine, machine->ncpus);
}

/* XML. */

enum { PUS_MAX = 16, XML_MAX = 65536 };

struct writer {
	struct fuzz_bytes *bytes;
	FILE *file;
	uint32_t next;		/* CPU */
	uint32_t objects;
};

static void
open_object(struct writer *w, const char *type, uint32_t from, uint32_t to)
{
	unsigned cpus = (1u << to) - (1u << from);

	fprintf(w->file, "<object type=\"%s\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" nodeset=\"0xff\" complete_nodeset=\"0xff\" gp_index=\"%u\"",
		type, cpus, cpus, ++w->objects);
}

/*
 * Its number: as it should be, or another, or none.  hwloc makes sets with room for the highest, each time, so that none is
 * very high, and a high one needs a second byte.
 */
static bool
number_object(struct writer *w, uint32_t number, bool needs_one)
{
	enum { COUNT = 6 };
	static const char *const wild[COUNT] = { "0", "1", "8191", "8192", "65535", "1000000" };
	uint32_t how = fuzz_below(w->bytes, 16);

	if (how == COUNT - 1 && fuzz_below(w->bytes, 64))
		how--;
	if (how < COUNT)
		fprintf(w->file, " os_index=\"%s\"", wild[how]);
	else if (how > COUNT + 1 || needs_one)
		fprintf(w->file, " os_index=\"%u\"", number);
	else
		return false;
	return true;
}

/* For a node or a CPU without a number hwloc makes a set of 512 MiB, in a second: a few inputs alone have one. */
static void
number_member(struct writer *w, uint32_t number)
{
	static unsigned unnumbered;

	unnumbered += !number_object(w, number, unnumbered >= 8);
}

static void
write_node(struct writer *w, uint32_t from, uint32_t to)
{
	open_object(w, "NUMANode", from, to);
	number_member(w, w->objects);
	fprintf(w->file, " local_memory=\"%u\"/>\n", fuzz_below(w->bytes, 2) * 1024);
}

/* An object around some CPUs, with others inside; types as they come, which hwloc puts in order, or refuses. */
static void
write_object(struct writer *w, uint32_t from, uint32_t to, int depth)
{
	static const char *const types[] = { "Package", "Group", "L3Cache", "L2Cache", "Core" };
	uint32_t type = fuzz_below(w->bytes, 8), parts = 1 + fuzz_below(w->bytes, 3);
	bool is_named = type < sizeof(types) / sizeof(types[0]);

	if (is_named) {
		open_object(w, types[type], from, to);
		number_object(w, w->objects, false);
		fputs(type == 2 || type == 3 ? " cache_size=\"4096\" depth=\"3\" cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"0\">\n" : ">\n",
		      w->file);
	}
	if (fuzz_below(w->bytes, 4) == 0)
		write_node(w, from, to);
	if (depth == 0 || to - from == 1) {
		for (uint32_t cpu = from; cpu < to; cpu++) {
			open_object(w, "PU", cpu, cpu + 1);
			number_member(w, cpu);
			fputs("/>\n", w->file);
		}
	} else {
		for (uint32_t i = 0; i < parts; i++) {
			uint32_t first = from + (to - from) * i / parts, end = from + (to - from) * (i + 1) / parts;

			if (first < end)
				write_object(w, first, end, depth - 1);
		}
	}
	if (is_named)
		fputs("</object>\n", w->file);
}

/* Write the XML of an input.  Returns its size. */
static size_t
write_xml(struct fuzz_bytes *bytes, FILE *file)
{
	struct writer w = { .bytes = bytes, .file = file };
	uint32_t cpus = 1 + fuzz_below(bytes, PUS_MAX);

	rewind(file);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n", file);
	open_object(&w, "Machine", 0, cpus);
	fprintf(file, " os_index=\"0\" allowed_cpuset=\"0x%x\" allowed_nodeset=\"0xff\">\n", (1u << cpus) - 1);
	if (fuzz_below(bytes, 2))
		write_node(&w, 0, cpus);
	write_object(&w, 0, cpus, 3);
	fputs("</object>\n</topology>\n", file);
	if (fflush(file) != 0)
		abort();
	return (size_t)ftell(file);
}

static void
try_xml(struct fuzz_bytes *bytes)
{
	static char text[XML_MAX];
	static FILE *file;	/* writes text; both are used again by each input, as is the file that hwloc reads */
	static int fd;
	struct sp_machine *machine;
	char path[64];

	if (!file) {
		file = fmemopen(text, sizeof(text), "w");
		fd = memfd_create("topology", 0);
		if (!file || fd < 0)
			abort();
	}
	size_t size = write_xml(bytes, file);

	must(size < sizeof(text));
	if (fuzz_is_known(text, size, 0))
		return;
	if (pwrite(fd, text, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size) != 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	__lsan_disable();
	int error = sp_topology_read(path, NULL, &machine);
	__lsan_enable();
	must(error <= 0);
	if (error)
		return;
	check_machine(machine);
	free(machine);
}

/* hwloc finds its components when the first topology is made and none is there: one stays. */
static void
keep_components(void)
{
	static hwloc_topology_t kept;

	if (!kept && sp_hwloc_open("pu:1", HWLOC_TYPE_FILTER_KEEP_NONE, &kept) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT + 1];
	struct sp_machine *machine;
	size_t length = size < TEXT ? size : TEXT;
	int error;

	fuzz_begin(data, size);
	keep_components();
	if (size && data[0] == '<') {
		try_xml(&(struct fuzz_bytes){ data + 1, size - 1 });
		return 0;
	}

	memcpy(text, data, length);
	text[length] = '\0';
	if (strlen(text) != length || strchr(text, '/') || strstr(text, ".xml") || !is_small(text) || fuzz_is_known(text, length, 1))
		return 0;
	/* hwloc 2.9 loses memory of some that it refuses; what it accepts is read again and watched. */
	__lsan_disable();
	error = sp_topology_read(text, NULL, &machine);
	__lsan_enable();
	must(error <= 0);
	if (error)
		return 0;
	free(machine);
	must(sp_topology_read(text, NULL, &machine) == 0);
	check_machine(machine);
	free(machine);
	return 0;
}
