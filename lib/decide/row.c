#include "decide/row.h"

enum sp_row
sp_row_of(const struct sp_row_facts *f)
{
	if (f->has_list)
		return SP_ROW_LIST;
	if (f->is_unbound)
		return SP_ROW_ALL;
	if (f->is_whole && (!f->is_decided || f->division == SP_DIVISION_GIVEN_UP))
		return SP_ROW_ALL_OR_MASK;
	if (!f->is_decided)
		return SP_ROW_UNSEEN;
	if (f->part->count == 0 || f->part->is_listed || f->is_changed)
		return SP_ROW_UNCOMPARED;
	return f->part->count == 1 && !sp_division_is_anew(f->division) ? SP_ROW_OWN : SP_ROW_PART;
}
