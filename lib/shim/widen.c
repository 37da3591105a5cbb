#include <errno.h>

#include "shim/native.h"
#include "shim/self.h"
#include "shim/settle.h"
#include "shim/widen.h"

size_t
sp_widen_words(void)
{
	const struct sp_engine *engine = sp_settled();

	return engine ? engine->mask_words() : 1;
}

void
sp_widen_begin(struct sp_widening *widening, uint64_t *before, size_t n)
{
	const struct sp_engine *engine = sp_settled();

	widening->done = false;
	widening->hidden = false;
	widening->widened = (struct sp_widened){ .before = before, .n = n };
	if (!engine)
		return;
	int keep = errno;
	widening->hidden = sp_native_hide();
	widening->done = (sp_self_slot() >= 0 || engine->keeps_mask()) &&
			 engine->widen_for(sp_self_slot(), &widening->widened) == 0;
	errno = keep;
}

void
sp_widen_end(const struct sp_widening *widening)
{
	const struct sp_engine *engine = widening->done ? sp_settled() : NULL;

	if (widening->hidden)
		sp_native_show();
	if (!engine)
		return;
	int keep = errno;
	engine->restore(sp_self_slot(), &widening->widened);
	errno = keep;
}
