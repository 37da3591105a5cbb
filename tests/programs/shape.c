/*
 * A rank, or a program without MPI (NO_MPI), of which one of several jobs
 * consists; its threads are looked at from outside (held.h).
 *
 *   shape [WORD...]
 *
 *   team=N   the program itself sets so many threads
 *   first=N  and so many for a team before that
 *   alone    only rank 0 opens a team
 *   spin     all threads compute half of the time until somebody has looked
 *   grow     teams are opened until the first job has ended, and some more, in
 *            which the threads may be given other CPUs
 *   leave=N  nobody looks: it ends as soon as N ranks of other jobs have had a team
 *   busy=S   nobody looks: all threads of a team compute for so many seconds
 */
#define _GNU_SOURCE
#ifndef NO_MPI
#include <mpi.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
static inline void omp_set_num_threads(int n) { (void)n; }
#endif
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>

#include "held.h"

enum { GROW = 200 };	/* teams after the first job has ended */

struct words {
	int team, first, alone, spin, grow, leave, busy;
};

static struct words
read_words(int argc, char **argv)
{
	struct words words = { 0 };

	for (int i = 1; i < argc; i++) {
		if (sscanf(argv[i], "team=%d", &words.team) == 1 || sscanf(argv[i], "first=%d", &words.first) == 1 ||
		    sscanf(argv[i], "leave=%d", &words.leave) == 1 ||
		    sscanf(argv[i], "busy=%d", &words.busy) == 1)
			continue;
		words.alone |= !strcmp(argv[i], "alone");
		words.spin |= !strcmp(argv[i], "spin");
		words.grow |= !strcmp(argv[i], "grow");
	}
	return words;
}

/* All threads of the process are there at the same time. */
static void
open_team(void)
{
#pragma omp parallel
	{
		held_thread(omp_get_thread_num());
#pragma omp barrier
	}
}

/* The CPUs of all threads together, in the main thread's view outside of a team. */
static void
all_cpus(cpu_set_t *all)
{
	CPU_ZERO(all);
#pragma omp parallel
	{
		cpu_set_t mine;

		/* As the kernel has it, not as the thread is told. */
		CPU_ZERO(&mine);
		syscall(SYS_sched_getaffinity, 0, sizeof mine, &mine);
#pragma omp critical
		CPU_OR(all, all, &mine);
	}
}

/* Until the threads have other CPUs than before the first job's end, or enough teams have been opened. */
static void
grow(void)
{
	const char *until = getenv("HELD_UNTIL");
	cpu_set_t before, now;

	if (!until)
		return;
	all_cpus(&before);
	held_await(until);
	for (int i = 0; i < GROW; i++) {
		all_cpus(&now);
		if (!CPU_EQUAL(&before, &now))
			break;
		usleep(10000);
	}
	open_team();
}

static void
compute(long microseconds)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}

/* Half of the time, since an emulator has few CPUs for all. */
static void
spin(int rank)
{
#pragma omp parallel
	{
#pragma omp master
		held_show(rank);
		for (int i = 0; i < 7500 && !held_go; i++) {
			compute(20000);
			usleep(20000);
		}
	}
}

static void
be_busy(int seconds)
{
	time_t end = time(NULL) + seconds;

#pragma omp parallel
	while (time(NULL) < end)
		compute(1000);
}

/* A file for each rank that has had its first team. */
static void
note_team(int rank)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/team.%d", getenv("HELD_DIR"), held_number(rank));
	close(open(path, O_CREAT | O_WRONLY, 0644));
}

static int
count_teams(void)
{
	DIR *dir = opendir(getenv("HELD_DIR"));
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += !strncmp(entry->d_name, "team.", 5);
	if (dir)
		closedir(dir);
	return count;
}

static void
leave_after(int teams)
{
	prctl(PR_SET_NAME, "here ");
	for (int i = 0; i < 3000 && count_teams() < teams; i++)
		usleep(20000);
}

int
main(int argc, char **argv)
{
	struct words words = read_words(argc, argv);
	int rank = 0;

#ifndef NO_MPI
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	held_start(rank);
	if (words.first) {
		omp_set_num_threads(words.first);
		open_team();
	}
	if (words.team)
		omp_set_num_threads(words.team);
	bool works = !words.alone || rank == 0;
	if (works && words.busy)
		be_busy(words.busy);
	else if (works)
		open_team();
	if (words.busy)
		;	/* nobody looks */
	else if (held_notes && words.leave) {
		leave_after(words.leave);
	} else if (held_notes) {
		note_team(rank);
		if (words.grow)
			grow();
		if (words.spin)
			spin(rank);
		else
			held(rank);
	}
#ifndef NO_MPI
	MPI_Finalize();
#endif
	return 0;
}
