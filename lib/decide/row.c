#include "decide/row.h"

#include <stddef.h>

enum { LISTED = 1, UNBOUND = 2, WHOLE = 4, OPEN = 8, UNDECIDED = 16, UNCOMPARED = 32, ALONE = 64 };

static const struct {
	unsigned when;		/* all of these hold */
	enum sp_row row;
} rows[] = {
	{ LISTED, SP_ROW_LIST },
	{ UNBOUND, SP_ROW_ALL },
	{ WHOLE | OPEN, SP_ROW_ALL_OR_MASK },
	{ UNDECIDED, SP_ROW_UNSEEN },
	{ UNCOMPARED, SP_ROW_UNCOMPARED },
	{ ALONE, SP_ROW_OWN },
	{ 0, SP_ROW_PART },
};

/* What the decision says of the rank. */
static unsigned
decided(const struct sp_row_facts *f)
{
	const struct sp_part *part = f->part;

	return (f->division == SP_DIVISION_GIVEN_UP ? OPEN : 0) |
	       (part->count == 0 || part->is_listed || f->is_changed ? UNCOMPARED : 0) |
	       (part->count == 1 && !sp_division_is_anew(f->division) ? ALONE : 0);
}

enum sp_row
sp_row_of(const struct sp_row_facts *f)
{
	const unsigned holds = (f->has_list ? LISTED : 0) | (f->is_unbound ? UNBOUND : 0) | (f->is_whole ? WHOLE : 0) |
			       (f->is_decided ? decided(f) : OPEN | UNDECIDED);
	size_t i = 0;

	while ((rows[i].when & holds) != rows[i].when)
		i++;
	return rows[i].row;
}
