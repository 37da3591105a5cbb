#include <pthread.h>
#include <stdint.h>

#include "base/pin.h"
#include "elf/objects.h"
#include "shim/self.h"

/*
 * One object, since each would cost every process a relocation, and all zero at
 * first, since initial values of thread-local memory would cost it more.
 */
static _Thread_local struct {
	int (*level)(void);	/* of the runtime for which it is pinned, or NULL */
	int slot;		/* slot + 1 */
	uint32_t root;		/* 0: it has no number yet */
	bool joined;		/* root is another thread */
	bool told_share;	/* when it last asked for its mask */
	pid_t fork_tid;		/* its number when it last forked */
	uint64_t fork_mask;	/* hash of the mask that it had been given then; 0: none, or it has another slot since */
} own;

static _Atomic uint32_t roots;		/* numbers given to root threads */
static pthread_key_t slot_key;		/* slot + 1; its destructor runs when a thread ends */
static const struct sp_engine *(*engine_now)(void);	/* NULL in a forked child, which is not a rank; set before the key is made */

/* The OMPT tool's functions; NULL before a runtime has found the tool. */
static bool (*_Atomic tool_in_region)(void);
static void (*_Atomic tool_set_team)(uint32_t team);

static void
give_back(void *value)
{
	const struct sp_engine *engine = engine_now();
	int slot = (int)(intptr_t)value - 1, cancel;

	own.slot = 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (engine)
		engine->give(slot);
	pthread_setcancelstate(cancel, NULL);
}

int
sp_self_init(const struct sp_engine *(*settled)(void))
{
	engine_now = settled;
	return -pthread_key_create(&slot_key, give_back);
}

int
sp_self_slot(void)
{
	return own.slot - 1;
}

uint32_t
sp_self_root(void)
{
	if (!own.root)
		own.root = ++roots;
	return own.root;
}

bool
sp_self_is_root(void)
{
	return !own.joined;
}

void
sp_self_join(uint32_t root)
{
	own.root = root;
	own.joined = true;
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
	own.slot = slot + 1;
	own.fork_mask = 0;
	pthread_setspecific(slot_key, (void *)(intptr_t)own.slot);
}

void
sp_self_unpin(const struct sp_engine *engine)
{
	if (!own.slot)
		return;
	engine->give(own.slot - 1);
	own.slot = 0;
	own.fork_mask = 0;
	pthread_setspecific(slot_key, NULL);
}

void
sp_self_set_level(int (*level)(void))
{
	own.level = level;
}

/*
 * Whether level can still be called: the libgomp of a plugin is unloaded with
 * the plugin (dlclose), and other code may lie at its address then.
 */
static bool
is_loaded(int (*level)(void))
{
	struct sp_object object;

	return sp_object_of((void *)level, &object) &&
	       sp_object_export(&object, SP_SELF_LEVEL) == (void *)level;
}

void
sp_self_set_tool(bool (*in_region)(void), void (*set_team)(uint32_t team))
{
	tool_in_region = in_region;
	tool_set_team = set_team;
}

void
sp_self_set_team(uint32_t team)
{
	void (*set_team)(uint32_t) = tool_set_team;

	if (set_team)
		set_team(team);
}

bool
sp_self_in_region(void)
{
	bool (*in_region)(void) = tool_in_region;

	if (in_region && in_region())
		return true;
	return own.level && is_loaded(own.level) && own.level() > 0;
}

void
sp_self_set_told_share(bool told)
{
	own.told_share = told;
}

bool
sp_self_told_share(void)
{
	return own.told_share;
}

void
sp_self_prepare_fork(const struct sp_engine *engine)
{
	own.fork_mask = own.slot ? engine->given_mask(own.slot - 1) : 0;
	own.fork_tid = sp_own_tid();
}

void
sp_self_leave(const struct sp_engine *engine)
{
	engine->leave_mask(own.slot - 1, own.fork_mask, own.fork_tid);
	own.slot = 0;
}
