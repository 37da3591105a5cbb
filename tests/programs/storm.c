/*
 * A rank that starts threads and programs in every way, at random, from its
 * pinned main thread and from pinned OpenMP threads.
 *
 *   storm SEED OPERATIONS MASK-PROGRAM
 *
 * Whatever is started has the share, or what the program has chosen for it;
 * whoever starts it has afterwards the mask that it had before, also where
 * nothing could be started; and each OpenMP thread keeps a core of its own.
 * In the end nothing is left over: descriptors, children, threads, memory.
 * What is wrong is told in one line each, and is the exit status.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>

#include "mask.h"

#define MISSING "/no/such/program"
#define STACK 65536
#define TEAM_MAX 64		/* larger teams than that show nothing more */
#define ODD 17			/* exit status of a child with a wrong mask */

extern char **environ;

static struct mask share;
static const char *mask_program;
static char mask_folder[4096];	/* for the functions that search PATH */
static unsigned long seed;
static _Atomic long operation;
static _Atomic int faults;

/* What one operation needs: its own random numbers, and what a child is to have. */
struct turn {
	uint64_t random;
	const char *name;
	struct mask expected;
	char text[MASK_TEXT];
};

static uint64_t
draw(struct turn *turn, uint64_t below)
{
	uint64_t z = turn->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % below;
}

static void
fault(const char *name, const char *what, const struct mask *expected, const struct mask *found)
{
	char a[MASK_TEXT], b[MASK_TEXT];

	if (faults++ < 10)
		fprintf(stderr, "storm: seed %lu, operation %ld, %s: %s: %s, expected %s\n", seed, (long)operation,
			name, what, found ? mask_text(found, a) : "-", expected ? mask_text(expected, b) : "-");
}

static void
set_own(const struct mask *mask)
{
	sched_setaffinity(0, sizeof(*mask), (const cpu_set_t *)mask);
}

static unsigned
count(const struct mask *mask)
{
	unsigned n = 0;

	for (int i = 0; i < MASK_WORDS; i++)
		n += (unsigned)__builtin_popcountl(mask->word[i]);
	return n;
}

/* A mask of one CPU of the share. */
static struct mask
one_of_share(struct turn *turn)
{
	uint64_t skip = draw(turn, count(&share));
	struct mask one = { 0 };

	for (int i = 0; i < MASK_WORDS * 64; i++)
		if (share.word[i / 64] >> (i % 64) & 1 && skip-- == 0) {
			one.word[i / 64] = 1UL << (i % 64);
			break;
		}
	return one;
}

/* Children. */

static void
reap(struct turn *turn, pid_t pid, int expected)
{
	int status = -1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fault(turn->name, "no child", NULL, NULL);
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
		fault(turn->name, WIFEXITED(status) && WEXITSTATUS(status) == ODD ? "a child has another mask" :
		      "a child has failed", &turn->expected, NULL);
}

#if __GLIBC_PREREQ(2, 34)
#define HAS_EXECVEAT
#define EXECS 9
#else
#define EXECS 8
#endif
#define NAME "mask"
static void
exec_mask(int way, const char *text)
{
	char name[] = NAME, *const argv[] = { name, (char *)text, NULL };

	switch (way) {
	case 0:
		execve(mask_program, argv, environ);
		break;
	case 1:
		execv(mask_program, argv);
		break;
	case 2:
		execvp(NAME, argv);
		break;
	case 3:
		execvpe(NAME, argv, environ);
		break;
	case 4:
		execl(mask_program, NAME, text, (char *)NULL);
		break;
	case 5:
		execlp(NAME, NAME, text, (char *)NULL);
		break;
	case 6:
		execle(mask_program, NAME, text, (char *)NULL, environ);
		break;
	case 7:
		fexecve(open(mask_program, O_RDONLY | O_CLOEXEC), argv, environ);
		break;
#ifdef HAS_EXECVEAT
	case 8:
		execveat(AT_FDCWD, mask_program, argv, environ, 0);
		break;
#endif
	}
}

static void
exec_missing(int way)
{
	char name[] = "missing", *const argv[] = { name, NULL };

	switch (way) {
	case 0:
		execve(MISSING, argv, environ);
		break;
	case 1:
		execv(MISSING, argv);
		break;
	case 2:
		execvp("no-such-program", argv);
		break;
	case 3:
		execvpe(MISSING, argv, environ);
		break;
	case 4:
		execl(MISSING, "missing", "1", "2", "3", "4", "5", "6", (char *)NULL);
		break;
	case 5:
		execlp("no-such-program", "missing", (char *)NULL);
		break;
	case 6:
		execle(MISSING, "missing", (char *)NULL, environ);
		break;
	case 7:
		fexecve(-1, argv, environ);
		break;
#ifdef HAS_EXECVEAT
	case 8:
		execveat(-1, "missing", argv, environ, 0);
		break;
#endif
	}
}

/* LLVM's runtime puts a forked child back on the mask with which it began, whatever the program has chosen. */
extern void __kmpc_fork_call(void) __attribute__((weak));

static void
by_fork(struct turn *turn)
{
	bool execs = draw(turn, 2);
	int way = (int)draw(turn, EXECS);
	pid_t pid = fork();

	if (pid == 0) {
		struct mask own = mask_own();
		bool put_back = __kmpc_fork_call && mask_equal(&own, &share);

		if (!mask_equal(&own, &turn->expected) && !put_back)
			_exit(ODD);
		if (execs)
			exec_mask(way, mask_text(&own, turn->text));
		_exit(execs ? 3 : 0);
	}
	reap(turn, pid, 0);
}

static void
by_vfork(struct turn *turn)
{
	int way = (int)draw(turn, EXECS);
	pid_t pid = vfork();

	if (pid == 0) {
		exec_mask(way, turn->text);
		_exit(3);
	}
	reap(turn, pid, 0);
}

/* The child of vfork has a mask of its own, which a failure leaves as it was too. */
static void
by_failing_vfork(struct turn *turn)
{
	struct mask before = mask_own();
	int way = (int)draw(turn, EXECS);
	pid_t pid = vfork();

	if (pid == 0) {
		exec_missing(way);
		struct mask own = mask_own();
		_exit(mask_equal(&own, &before) ? 0 : ODD);
	}
	reap(turn, pid, 0);
}

static void
by_failing_exec(struct turn *turn)
{
	exec_missing((int)draw(turn, EXECS));
}

struct clone_child {
	int way;
	const char *text;
};

static int
cloned(void *data)
{
	const struct clone_child *child = data;

	exec_mask(child->way, child->text);
	_exit(3);
}

static void
by_clone(struct turn *turn)
{
	struct clone_child child = { .way = (int)draw(turn, EXECS), .text = turn->text };
	int flags = draw(turn, 2) ? CLONE_VM | CLONE_VFORK : 0;
	char *stack = malloc(STACK);

	reap(turn, stack ? clone(cloned, stack + STACK, flags | SIGCHLD, &child) : -1, 0);
	free(stack);
}

static void
by_spawn(struct turn *turn)
{
	char name[] = NAME, *const argv[] = { name, turn->text, NULL };
	posix_spawnattr_t attributes;
	bool has_attributes = draw(turn, 2), searches = draw(turn, 2);
	pid_t pid = -1;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	int error = searches ? posix_spawnp(&pid, NAME, NULL, has_attributes ? &attributes : NULL, argv, environ) :
		posix_spawn(&pid, mask_program, NULL, has_attributes ? &attributes : NULL, argv, environ);
	posix_spawnattr_destroy(&attributes);
	reap(turn, error ? -1 : pid, 0);
}

static void
by_failing_spawn(struct turn *turn)
{
	char name[] = NAME, *const argv[] = { name, NULL };
	pid_t pid;

	if ((draw(turn, 2) ? posix_spawnp : posix_spawn)(&pid, MISSING, NULL, NULL, argv, environ) != ENOENT)
		fault(turn->name, "no error", NULL, NULL);
}

static void
by_system(struct turn *turn)
{
	char command[MASK_TEXT + 64];

	snprintf(command, sizeof(command), "exec mask %s", turn->text);
	int status = system(command);
	if (status != 0)
		fault(turn->name, "a child has another mask, or has failed", &turn->expected, NULL);
}

static void
by_failing_system(struct turn *turn)
{
	if (WEXITSTATUS(system("exit 3")) != 3)
		fault(turn->name, "another status", NULL, NULL);
}

static void
by_popen(struct turn *turn)
{
	char command[MASK_TEXT + 64], answer[MASK_TEXT] = "";

	snprintf(command, sizeof(command), "exec mask %s say", turn->text);
	FILE *stream = popen(command, draw(turn, 2) ? "r" : "re");
	if (!stream || !fgets(answer, sizeof(answer), stream) || pclose(stream) != 0)
		fault(turn->name, answer, &turn->expected, NULL);
}

static void
by_failing_popen(struct turn *turn)
{
	if (popen("true", "x"))
		fault(turn->name, "no error", NULL, NULL);
}

/* Threads: each reads its own mask into what it is given. */

struct foreign {
	struct mask mask;
	sem_t done;
};

static void *
look(void *data)
{
	struct foreign *foreign = data;

	foreign->mask = mask_own();
	sem_post(&foreign->done);
	return NULL;
}

static int
look_c11(void *data)
{
	look(data);
	return 0;
}

static void
check_foreign(struct turn *turn, struct foreign *foreign, const struct mask *expected)
{
	if (!mask_equal(&foreign->mask, expected))
		fault(turn->name, "a thread has another mask", expected, &foreign->mask);
}

static void
thread_with(struct turn *turn, const pthread_attr_t *attr, const struct mask *expected)
{
	struct foreign foreign = { 0 };
	pthread_t thread;

	sem_init(&foreign.done, 0, 0);
	if (pthread_create(&thread, attr, look, &foreign) != 0) {
		fault(turn->name, "no thread", NULL, NULL);
		return;
	}
	/* A detached one may still be about to end. */
	if (draw(turn, 2)) {
		pthread_detach(thread);
		while (sem_wait(&foreign.done) != 0)
			;
	} else {
		pthread_join(thread, NULL);
	}
	check_foreign(turn, &foreign, expected);
}

static void
by_pthread(struct turn *turn)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 4 * STACK);
	thread_with(turn, draw(turn, 2) ? &attr : NULL, &turn->expected);
	pthread_attr_destroy(&attr);
}

static void
by_pthread_with_affinity(struct turn *turn)
{
	struct mask chosen = one_of_share(turn);
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(chosen), (const cpu_set_t *)&chosen);
	thread_with(turn, &attr, &chosen);
	pthread_attr_destroy(&attr);
}

static void
by_failing_pthread(struct turn *turn)
{
	struct mask none = { 0 };
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (draw(turn, 2))
		pthread_attr_setaffinity_np(&attr, sizeof(none), (const cpu_set_t *)&none);
	else
		pthread_attr_setstacksize(&attr, (size_t)1 << 52);
	if (pthread_create(&thread, &attr, look, NULL) == 0)
		fault(turn->name, "no error", NULL, NULL);
	pthread_attr_destroy(&attr);
}

static void
by_c11(struct turn *turn)
{
	struct foreign foreign = { 0 };
	thrd_t thread;

	sem_init(&foreign.done, 0, 0);
	if (thrd_create(&thread, look_c11, &foreign) != thrd_success) {
		fault(turn->name, "no thread", NULL, NULL);
		return;
	}
	thrd_join(thread, NULL);
	check_foreign(turn, &foreign, &turn->expected);
}

#define WAY(way) { #way, way }
static const struct way {
	const char *name;
	void (*go)(struct turn *turn);
} ways[] = {
	WAY(by_fork), WAY(by_vfork), WAY(by_clone), WAY(by_spawn), WAY(by_system), WAY(by_popen),
	WAY(by_pthread), WAY(by_pthread), WAY(by_pthread_with_affinity), WAY(by_c11),
	WAY(by_failing_vfork), WAY(by_failing_exec), WAY(by_failing_spawn), WAY(by_failing_system),
	WAY(by_failing_popen), WAY(by_failing_pthread),
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/*
 * One way, by a pinned thread.  Now and then the program first gives the thread
 * a mask itself: that is inherited, as without splitpin.  The thread's own
 * place or the share would not show whether it was.
 */
static void
take_turn(struct turn *turn)
{
	struct mask pinned = mask_own(), chosen = one_of_share(turn);
	const struct way *way = &ways[draw(turn, WAYS)];
	bool chooses = draw(turn, 8) == 0 && !mask_equal(&chosen, &pinned) && !mask_equal(&chosen, &share);
	struct mask before = chooses ? chosen : pinned;

	operation++;
	turn->name = way->name;
	turn->expected = chooses ? chosen : share;
	mask_text(&turn->expected, turn->text);
	if (chooses)
		set_own(&chosen);
	way->go(turn);
	struct mask after = mask_own();
	if (!mask_equal(&after, &before))
		fault(turn->name, "the caller has another mask than before", &before, &after);
	if (chooses)
		set_own(&pinned);
}

/*
 * A team in which each thread has a core of its own, and may take a turn.
 * Returns the number of its threads.
 */
static int
region(int threads, uint64_t random, bool turns)
{
	struct mask mask[TEAM_MAX] = { 0 };
	int team = 0;

#pragma omp parallel num_threads(threads)
	{
		int number = omp_get_thread_num();
		struct turn turn = { .random = random + (uint64_t)number };

		mask[number] = mask_own();
#pragma omp single
		team = omp_get_num_threads();
		if (turns)
			take_turn(&turn);
#pragma omp barrier
	}
	for (int i = 0; i < team; i++) {
		struct mask rest = share;

		for (int j = 0; j < i; j++)
			for (int k = 0; k < MASK_WORDS; k++)
				rest.word[k] &= ~mask[j].word[k];
		for (int k = 0; k < MASK_WORDS; k++)
			if (mask[i].word[k] & ~rest.word[k]) {
				fault("region", "a thread has no core of its own", &rest, &mask[i]);
				break;
			}
		if (team > 1 && mask_equal(&mask[i], &share))
			fault("region", "a thread is not pinned", NULL, &mask[i]);
	}
	return team;
}

/* What is left over. */

struct left {
	int descriptors, tasks;
	long pages;		/* resident */
	size_t bytes;		/* of malloc, in use */
};

static int
entries(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

/* A thread that has been joined is in /proc for a moment longer. */
static int
tasks_when_ended(int expected)
{
	int n;

	for (int i = 0; (n = entries("/proc/self/task")) > expected && i < 60000; i++)
		usleep(1000);
	return n;
}

static struct left
look_round(int expected_tasks)
{
	struct left left = { .bytes = mallinfo2().uordblks };
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld", &left.pages) != 1)
		left.pages = -1;
	if (file)
		fclose(file);
	left.descriptors = entries("/proc/self/fd");
	left.tasks = tasks_when_ended(expected_tasks);
	return left;
}

static void
compare(const char *what, long before, long after, long noise)
{
	if (after <= before + noise)
		return;
	faults++;
	fprintf(stderr, "storm: seed %lu: %ld %s in the end, %ld before\n", seed, after, what, before);
}

/* From main's thread, or from all of a team. */
static void
storm(long until, int most, struct turn *turn)
{
	while (operation < until)
		if (draw(turn, 4))
			take_turn(turn);
		else
			region(1 + (int)draw(turn, (uint64_t)most), draw(turn, UINT64_MAX), draw(turn, 2));
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: storm SEED OPERATIONS MASK-PROGRAM\n");
		return 2;
	}
	seed = strtoul(argv[1], NULL, 10);
	long operations = atol(argv[2]);
	mask_program = argv[3];
	snprintf(mask_folder, sizeof(mask_folder), "%.*s:%s", (int)(strrchr(argv[3], '/') - argv[3]), argv[3], getenv("PATH"));
	setenv("PATH", mask_folder, 1);

	int most = omp_get_max_threads();
	if (most > TEAM_MAX)
		most = TEAM_MAX;
	share = mask_own();
	struct turn turn = { .random = seed };
	if (region(most, seed, false) != most)
		fault("region", "a smaller team", NULL, NULL);
	storm(operations / 5, most, &turn);
	region(most, seed, false);
	struct left before = look_round(INT_MAX);
	storm(operations, most, &turn);
	region(most, seed, false);
	struct left after = look_round(before.tasks);
	compare("descriptors", before.descriptors, after.descriptors, 0);
	compare("threads", before.tasks, after.tasks, 0);
	compare("pages of memory", before.pages, after.pages, 1024);
	compare("bytes allocated", (long)before.bytes, (long)after.bytes, 65536);
	compare("children", 0, waitpid(-1, NULL, WNOHANG) >= 0, 0);
	printf("%ld operations, share %s, %d threads, %d faults; pages %ld -> %ld, bytes %zu -> %zu\n", (long)operation,
	       mask_text(&share, turn.text), most, (int)faults, before.pages, after.pages, before.bytes, after.bytes);
	return faults != 0;
}
