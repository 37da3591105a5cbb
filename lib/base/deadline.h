/*
 * Waiting that ends: naps of one length, or each twice the last, until a
 * number of them (which the caller's loop counts) or a deadline.
 */
#ifndef SP_DEADLINE_H
#define SP_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Under a second.  The same twice: naps of one length. */
struct sp_nap {
	long ns;		/* the next */
	long max_ns;		/* the longest */
};

static inline void
sp_nap(struct sp_nap *nap)
{
	const struct timespec pause = { .tv_nsec = nap->ns };

	nanosleep(&pause, NULL);
	nap->ns = nap->ns * 2 < nap->max_ns ? nap->ns * 2 : nap->max_ns;
}

/* By CLOCK_MONOTONIC. */
static inline struct timespec
sp_deadline_in(uint32_t ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += (long)(ms % 1000) * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	return end;
}

static inline bool
sp_deadline_is_over(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/* Nap once more, unless the deadline has passed: then false, at once. */
static inline bool
sp_deadline_nap(const struct timespec *end, struct sp_nap *nap)
{
	if (sp_deadline_is_over(end))
		return false;
	sp_nap(nap);
	return true;
}

/*
 * Take a lock that others hold for moments; false where that fails for so long.
 * Not pthread_mutex_clocklock, which came with glibc 2.30.
 */
static inline bool
sp_deadline_lock(pthread_mutex_t *mutex, uint32_t ms)
{
	struct sp_nap nap = { .ns = 20000, .max_ns = 1000000 };
	struct timespec end = { 0 };

	while (pthread_mutex_trylock(mutex) != 0) {
		if (!end.tv_sec)
			end = sp_deadline_in(ms);
		if (!sp_deadline_nap(&end, &nap))
			return false;
	}
	return true;
}

#endif
