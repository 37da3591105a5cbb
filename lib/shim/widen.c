/* What a pinned thread makes gets the share. */
#include <errno.h>

#include "shim/self.h"
#include "shim/settle.h"
#include "shim/widen.h"

void
sp_loan_begin(struct sp_loan *loan)
{
	const struct sp_engine *engine = sp_settled();

	loan->lent = false;
	if (!engine)
		return;
	int keep = errno;
	loan->lent = (sp_self_slot() >= 0 || engine->bound_by_user()) && engine->lend(sp_self_slot(), &loan->before) == 0;
	errno = keep;
}

void
sp_loan_end(const struct sp_loan *loan)
{
	const struct sp_engine *engine = loan->lent ? sp_settled() : NULL;

	if (!engine)
		return;
	int keep = errno;
	engine->take_back(sp_self_slot(), &loan->before);
	errno = keep;
}
