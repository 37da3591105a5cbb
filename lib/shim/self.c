#include <pthread.h>
#include <stdint.h>

#include "shim/self.h"
#include "shim/settle.h"

/* All start as zero: initial values of thread-local memory would cost every process. */
static _Thread_local int own_slot;	/* slot + 1 */
static _Thread_local uint32_t own_root;	/* 0: it has no number yet */
static _Thread_local bool joined;	/* own_root is another thread */

static _Atomic uint32_t roots;		/* numbers given to root threads */
static pthread_key_t slot_key;		/* slot + 1; its destructor runs when a thread ends */

static void
give_back(void *value)
{
	const struct sp_engine *engine = sp_settled();
	int slot = (int)(intptr_t)value - 1, cancel;

	own_slot = 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (engine)
		engine->give(slot);
	pthread_setcancelstate(cancel, NULL);
}

int
sp_self_init(void)
{
	return -pthread_key_create(&slot_key, give_back);
}

int
sp_self_slot(void)
{
	return own_slot - 1;
}

uint32_t
sp_self_root(void)
{
	if (!own_root)
		own_root = ++roots;
	return own_root;
}

bool
sp_self_is_root(void)
{
	return !joined;
}

void
sp_self_join(uint32_t root)
{
	own_root = root;
	joined = true;
}

void
sp_self_pin(const struct sp_engine *engine, int slot, const struct sp_worker *worker)
{
	if (slot < 0)
		return;
	if (engine->pin(slot, worker) != 0) {
		engine->give(slot);
		return;
	}
	own_slot = slot + 1;
	pthread_setspecific(slot_key, (void *)(intptr_t)own_slot);
}

void
sp_self_unpin(const struct sp_engine *engine)
{
	if (!own_slot)
		return;
	engine->give(own_slot - 1);
	own_slot = 0;
	pthread_setspecific(slot_key, NULL);
}

void
sp_self_leave(const struct sp_engine *engine)
{
	struct sp_widened widened;

	if (own_slot)
		engine->widen_for(own_slot - 1, &widened);
	own_slot = 0;
}
