/*
 * Waiting that ends: naps of one length, or each twice the last, until a
 * number of them (which the caller's loop counts) or a deadline.
 */
#ifndef SP_DEADLINE_H
#define SP_DEADLINE_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Under a second.  The same twice: naps of one length. */
struct sp_nap {
	long ns;		/* the next */
	long max_ns;		/* the longest */
};

#define SP_NS_A_SECOND 1000000000

/* The time in ns, below a second, after that one. */
static inline struct timespec
sp_time_after(struct timespec time, long ns)
{
	time.tv_nsec += ns;
	if (time.tv_nsec >= SP_NS_A_SECOND) {
		time.tv_sec++;
		time.tv_nsec -= SP_NS_A_SECOND;
	}
	return time;
}

/* By CLOCK_MONOTONIC. */
static inline struct timespec
sp_deadline_in(uint32_t ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	return sp_time_after(end, (long)(ms % 1000) * 1000000);
}

static inline bool
sp_deadline_is_over(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/*
 * To the end of the nap, however many signals the program handles meanwhile: a
 * profiler's timer interrupts each system call after some 100 us.
 *
 * Returns how many ns of the nap have passed: all, unless the kernel refuses to
 * sleep.  What it took beyond that, on a node under load, does not count.
 */
static inline uint64_t
sp_nap(struct sp_nap *nap)
{
	struct timespec begin, now;
	long ns = nap->ns;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	const struct timespec end = sp_time_after(begin, ns);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR && !sp_deadline_is_over(&end))
		continue;
	clock_gettime(CLOCK_MONOTONIC, &now);
	nap->ns = ns * 2 < nap->max_ns ? ns * 2 : nap->max_ns;
	int64_t passed = (int64_t)(now.tv_sec - begin.tv_sec) * SP_NS_A_SECOND + (now.tv_nsec - begin.tv_nsec);
	return passed > ns ? (uint64_t)ns : (uint64_t)passed;
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
 * Take a lock that others hold for moments; false where that fails for so long, at
 * once with 0 ms.  No cancellation point, as a lock is none: libc's naps are, its
 * syscall() is not.  Cancellation is not switched off meanwhile, since a child of
 * vfork that is killed here would leave it off in its parent's thread.  Keeps errno.
 * Not pthread_mutex_clocklock, which came with glibc 2.30.
 */
static inline bool
sp_deadline_lock(pthread_mutex_t *mutex, uint32_t ms)
{
	if (pthread_mutex_trylock(mutex) == 0)
		return true;
	const struct timespec end = sp_deadline_in(ms);
	long nap[2] = { 0, 20000 };	/* the system call's struct timespec, which libc's need not be */
	int keep = errno;
	bool locked = false;
	while (!locked && !sp_deadline_is_over(&end)) {
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, nap, NULL);
		nap[1] = nap[1] < 500000 ? nap[1] * 2 : 1000000;
		locked = pthread_mutex_trylock(mutex) == 0;
	}
	errno = keep;
	return locked;
}

#endif
