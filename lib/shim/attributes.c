#include "shim/attributes.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/objects.h"

typedef int get_mask_fn(const pthread_attr_t *, sigset_t *);
typedef int set_mask_fn(pthread_attr_t *, const sigset_t *);

/* A stack without an address ends at 0 in what glibc returns; size 0: the default. */
static int
copy_stack(pthread_attr_t *copy, const pthread_attr_t *from)
{
	void *address;
	size_t size;
	int error = pthread_attr_getstack(from, &address, &size);

	if (error)
		return error;
	if ((uintptr_t)address + size != 0)
		return pthread_attr_setstack(copy, address, size);
	return size ? pthread_attr_setstacksize(copy, size) : 0;
}

static int
copy_guard(pthread_attr_t *copy, const pthread_attr_t *from)
{
	size_t size;
	int error = pthread_attr_getguardsize(from, &size);

	return error ? error : pthread_attr_setguardsize(copy, size);
}

static int
copy_detach_state(pthread_attr_t *copy, const pthread_attr_t *from)
{
	int state;
	int error = pthread_attr_getdetachstate(from, &state);

	return error ? error : pthread_attr_setdetachstate(copy, state);
}

/* A new copy inherits its scheduling.  Which parts of an explicit policy were set cannot be read back. */
static int
copy_scheduling(const pthread_attr_t *from)
{
	int inherits;
	int error = pthread_attr_getinheritsched(from, &inherits);

	return error ? error : inherits == PTHREAD_INHERIT_SCHED ? 0 : EOPNOTSUPP;
}

/* glibc has this function since 2.32.  A result that is neither 0 nor an error number says that there is no mask. */
static int
copy_signal_mask(pthread_attr_t *copy, const pthread_attr_t *from)
{
	static _Atomic uintptr_t known;	/* the function; 1: there is none; 0: not looked for */
	sigset_t mask;

	if (!known) {
		uintptr_t found = (uintptr_t)sp_objects_bound_export("pthread_attr_getsigmask_np");

		known = found ? found : 1;
	}
	if (known == 1 || ((get_mask_fn *)known)(from, &mask) != 0)
		return 0;
	set_mask_fn *set = (set_mask_fn *)sp_objects_bound_export("pthread_attr_setsigmask_np");
	return set ? set(copy, &mask) : EOPNOTSUPP;
}

static int
copy_all(pthread_attr_t *copy, const pthread_attr_t *from)
{
	int error = copy_stack(copy, from);

	if (!error)
		error = copy_guard(copy, from);
	if (!error)
		error = copy_detach_state(copy, from);
	return error ? error : copy_signal_mask(copy, from);
}

int
sp_attributes_copy(pthread_attr_t *copy, const pthread_attr_t *from, const struct sp_cpus *cpus)
{
	int error = from ? copy_scheduling(from) : 0;

	if (error)
		return error;
	error = pthread_attr_init(copy);
	if (error)
		return error;
	if (from)
		error = copy_all(copy, from);
	if (!error)
		error = pthread_attr_setaffinity_np(copy, sizeof(*cpus), (const cpu_set_t *)cpus);
	if (error)
		pthread_attr_destroy(copy);
	return error;
}
