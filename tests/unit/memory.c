#include <errno.h>
#include <stddef.h>

#include "memory.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static __thread int left = -1;	/* allocations until one fails; -1: all are served */
static __thread bool has_failed;
static __thread void (*before)(void);

void
memory_short_at(int nth)
{
	left = nth;
	has_failed = false;
}

bool
memory_was_short(void)
{
	left = -1;
	return has_failed;
}

void
memory_before(void (*what)(void))
{
	before = what;
}

static bool
fails(void)
{
	void (*what)(void) = before;

	before = NULL;
	if (what)
		what();
	if (left < 0 || left-- > 0)
		return false;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

void *
__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}
