/*
 * For programs that are looked at from outside while they run, by watch.c.
 * Where several jobs are, HELD_FIRST is the number for rank 0 of this one, and
 * HELD_UNTIL a file without which it does not end.
 *
 * With HELD_DIR set, held() stops the process until somebody has looked, and
 * arrays are noted in HELD_DIR/notes.RANK, one line a part:
 *
 *   array x part 3 start 7f00aabb0000 bytes 65536
 *
 * Part i of an array is what thread i computes with.  It is a mapping of its
 * own, so that Linux counts its pages apart, and yet the array is one.
 * Without HELD_DIR the program simply runs.
 */
#ifndef HELD_H
#define HELD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static FILE *held_notes;
static volatile sig_atomic_t held_go;

static inline int
held_number(int rank)
{
	const char *first = getenv("HELD_FIRST");

	return rank + (first ? atoi(first) : 0);
}

static inline void
held_start(int rank)
{
	const char *dir = getenv("HELD_DIR");
	char path[4096];

	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/notes.%d", dir, held_number(rank));
	held_notes = fopen(path, "w");
}

/* Called by each OpenMP thread; the first one gets its name in held(). */
static inline void
held_thread(int number)
{
	char name[16];

	snprintf(name, sizeof name, "thread %d", number % 100000);
	if (number)
		prctl(PR_SET_NAME, name);
}

/*
 * An array of parts x bytes, untouched; bytes are rounded up to whole pages.
 * Small pages alone: a huge one would lie on one node, whoever touches it.
 */
static inline void *
held_array(const char *name, int parts, size_t *bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (*bytes + page - 1) / page * page;
	/* Between two pages that nobody may touch: else it may grow together with its neighbours. */
	char *array = mmap(NULL, size * (size_t)parts + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED || mprotect(array + page, size * (size_t)parts, PROT_READ | PROT_WRITE) != 0) {
		perror("held_array");
		exit(1);
	}
	array += page;
	*bytes = size;
	madvise(array, size * (size_t)parts, MADV_NOHUGEPAGE);
	for (int i = 0; i < parts; i++) {
		/* Neighbours that differ in something are not one mapping. */
		if (i % 2)
			madvise(array + (size_t)i * size, size, MADV_DONTDUMP);
		if (held_notes)
			fprintf(held_notes, "array %s part %d start %lx bytes %zu\n", name, i,
				(unsigned long)(array + (size_t)i * size), size);
	}
	return array;
}

static inline void
held_continue(int signal)
{
	(void)signal;
	held_go = 1;
}

/* Let watch.c look: it sends a signal once it has. */
static inline void
held_show(int rank)
{
	char name[16];

	fclose(held_notes);
	signal(SIGUSR1, held_continue);
	snprintf(name, sizeof name, "held %d", held_number(rank) % 100000);
	prctl(PR_SET_NAME, name);
}

/* Wait for a file, or 60 seconds. */
static inline void
held_await(const char *file)
{
	for (int i = 0; i < 3000 && access(file, F_OK) != 0; i++)
		usleep(20000);
}

/* Stop until watch.c has looked, or 300 seconds. */
static inline void
held(int rank)
{
	const char *until = getenv("HELD_UNTIL");

	if (!held_notes)
		return;
	held_show(rank);
	for (int i = 0; i < 15000 && !held_go; i++)
		usleep(20000);
	if (until)
		held_await(until);
}

#endif
