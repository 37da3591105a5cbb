#include <string.h>

#include "report/picture.h"

/* The longest step is "][" and a letter. */
#define STEP 3
#define CUT "..."

static size_t
draw_one(const struct sp_pu *pu, bool first, bool is_set, char *text)
{
	size_t n = 0;

	if (first || pu->package != pu[-1].package) {
		if (!first)
			text[n++] = ']';
		text[n++] = '[';
	} else if (pu->core != pu[-1].core) {
		text[n++] = '/';
	}
	text[n++] = is_set ? 'B' : '.';
	return n;
}

char *
sp_picture(const struct sp_machine *machine, const struct sp_cpus *set, char *text, size_t size)
{
	size_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (n + STEP + sizeof("]" CUT) > size) {
			strcpy(text + n, CUT);
			return text;
		}
		n += draw_one(&machine->pu[i], i == 0, sp_cpus_has(set, machine->pu[i].cpu), text + n);
	}
	strcpy(text + n, "]");
	return text;
}
