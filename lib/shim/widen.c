#include <errno.h>

#include "shim/native.h"
#include "shim/self.h"
#include "shim/settle.h"
#include "shim/widen.h"

void
sp_widen_begin(struct sp_widened *widened)
{
	const struct sp_engine *engine = sp_settled();

	widened->done = false;
	widened->hidden = false;
	if (!engine)
		return;
	int keep = errno;
	widened->hidden = sp_native_hide();
	widened->done = (sp_self_slot() >= 0 || engine->bound_by_user()) &&
			engine->widen_for(sp_self_slot(), &widened->before) == 0;
	errno = keep;
}

void
sp_widen_end(const struct sp_widened *widened)
{
	const struct sp_engine *engine = widened->done ? sp_settled() : NULL;

	if (widened->hidden)
		sp_native_show();
	if (!engine)
		return;
	int keep = errno;
	engine->restore(sp_self_slot(), &widened->before);
	errno = keep;
}
