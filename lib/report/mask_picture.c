#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/mask_picture.h"

/* How a picture is drawn, from the longest to the shortest. */
enum form { ALL, FOLDED, COUNTED, FORMS };

static bool
same_core(const struct sp_machine *machine, uint32_t a, uint32_t b)
{
	return machine->pu[a].package == machine->pu[b].package && machine->pu[a].core == machine->pu[b].core;
}

static uint32_t
end_of_core(const struct sp_machine *machine, uint32_t from)
{
	uint32_t end = from + 1;

	while (end < machine->ncpus && same_core(machine, from, end))
		end++;
	return end;
}

/* Whether the core at b is in the package of the core at a and is drawn like it. */
static bool
is_alike(const struct sp_machine *machine, const struct sp_cpus *set, uint32_t a, uint32_t b)
{
	uint32_t n = end_of_core(machine, a) - a;

	if (b >= machine->ncpus || machine->pu[b].package != machine->pu[a].package || end_of_core(machine, b) - b != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (sp_cpus_has(set, machine->pu[a + i].cpu) != sp_cpus_has(set, machine->pu[b + i].cpu))
			return false;
	return true;
}

static void
draw_core(const struct sp_machine *machine, const struct sp_cpus *set, uint32_t from, struct sp_text *text)
{
	for (uint32_t i = from, end = end_of_core(machine, from); i < end; i++)
		sp_text_add(text, "%c", sp_cpus_has(set, machine->pu[i].cpu) ? 'B' : '.');
}

/* The cores of a package from here on that are drawn as one; returns where the next begin. */
static uint32_t
draw_cores(const struct sp_machine *machine, const struct sp_cpus *set, enum form form, uint32_t from,
	   struct sp_text *text)
{
	uint32_t end = end_of_core(machine, from), n = 1;

	for (; form == FOLDED && is_alike(machine, set, from, end); n++)
		end = end_of_core(machine, end);
	if (n > 1)
		sp_text_add(text, "%ux", n);
	draw_core(machine, set, from, text);
	return end;
}

/* How many cores of the package the set touches; returns where the next package begins. */
static uint32_t
count_cores(const struct sp_machine *machine, const struct sp_cpus *set, uint32_t from, struct sp_text *text)
{
	uint32_t end = from, cores = 0, touched = 0;

	while (end < machine->ncpus && machine->pu[end].package == machine->pu[from].package) {
		uint32_t next = end_of_core(machine, end);
		bool touches = false;

		for (; end < next; end++)
			touches |= sp_cpus_has(set, machine->pu[end].cpu);
		touched += touches;
		cores++;
	}
	sp_text_add(text, "%u of %u", touched, cores);
	return end;
}

static void
draw(const struct sp_machine *machine, const struct sp_cpus *set, enum form form, struct sp_text *text)
{
	for (uint32_t i = 0; i < machine->ncpus; ) {
		bool is_first = i == 0 || machine->pu[i].package != machine->pu[i - 1].package;

		if (is_first)
			sp_text_add(text, "%s[", i ? "]" : "");
		else
			sp_text_add(text, "/");
		if (form == COUNTED)
			i = count_cores(machine, set, i, text);
		else
			i = draw_cores(machine, set, form, i, text);
	}
	sp_text_add(text, "]");
}

char *
sp_picture(const struct sp_machine *machine, const struct sp_cpus *set, char *text, size_t size)
{
	for (enum form form = ALL; form < FORMS; form++) {
		struct sp_text drawn = sp_text_begin(text, size);

		draw(machine, set, form, &drawn);
		/* It was not cut if there is room for one more character. */
		if (drawn.length + 1 < size)
			return text;
	}
	if (size > 4)
		strcpy(text + size - 5, "...");
	return text;
}
