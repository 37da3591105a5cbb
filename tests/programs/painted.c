/*
 * How much stack each interposed function takes: each is called on a painted
 * stack of its own, and the paint that is gone is counted, in bytes.
 *
 * Compiled with OpenMP, a team shows that a rank is parallel, and pins its main
 * thread.  Prints "mask BYTES", the size of the kernel's masks, then "NAME BYTES"
 * for each function; each is called once before, so that what libc and the loader
 * do at a first call does not count.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wordexp.h>

#define SIZE (256 * 1024)
#define PAINT 0xa5
#define MISSING "/no/such/program"

extern char **environ;
static char *none[] = { "none", NULL };
static char *nothing[] = { "true", NULL };
static cpu_set_t set;
static cpu_set_t all;
static pthread_attr_t attributes;

static void *
end(void *data)
{
	return data;
}

static int
end_c11(void *data)
{
	(void)data;
	return 0;
}

static void
wait_for(pid_t pid)
{
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void create(void) { pthread_t t; if (pthread_create(&t, NULL, end, NULL) == 0) pthread_join(t, NULL); }
static void create_with(void) { pthread_t t; if (pthread_create(&t, &attributes, end, NULL) == 0) pthread_join(t, NULL); }
static void create_c11(void) { thrd_t t; if (thrd_create(&t, end_c11, NULL) == thrd_success) thrd_join(t, NULL); }
static void get(void) { sched_getaffinity(0, sizeof(set), &set); }
static void get_of_thread(void) { pthread_getaffinity_np(pthread_self(), sizeof(set), &set); }
static void put(void) { sched_setaffinity(0, sizeof(set), &set); }
static void put_of_thread(void) { pthread_setaffinity_np(pthread_self(), sizeof(set), &set); }
static void put_all(void) { sched_setaffinity(0, sizeof(all), &all); }
static void count(void) { (void)sysconf(_SC_NPROCESSORS_ONLN); }
static void by_execve(void) { execve(MISSING, none, environ); }
static void by_execv(void) { execv(MISSING, none); }
static void by_execvp(void) { execvp(MISSING, none); }
static void by_execvpe(void) { execvpe(MISSING, none, environ); }
static void by_fexecve(void) { fexecve(-1, none, environ); }
static void by_execveat(void) { execveat(-1, MISSING, none, environ, 0); }
static void by_execl(void) { execl(MISSING, "none", (char *)NULL); }
static void by_execlp(void) { execlp(MISSING, "none", (char *)NULL); }
static void by_execle(void) { execle(MISSING, "none", (char *)NULL, environ); }
static void by_fork(void) { pid_t pid = fork(); if (pid == 0) _exit(0); wait_for(pid); }
static void by__Fork(void) { pid_t pid = _Fork(); if (pid == 0) _exit(0); wait_for(pid); }
static void by_vfork(void) { pid_t pid = vfork(); if (pid == 0) { execve("/bin/true", nothing, environ); _exit(1); } wait_for(pid); }
static void by_spawn(void) { pid_t pid = 0; posix_spawn(&pid, MISSING, NULL, NULL, none, environ); }
static void by_spawnp(void) { pid_t pid = 0; posix_spawnp(&pid, MISSING, NULL, NULL, none, environ); }
static void by_system(void) { if (system("true")) return; }
static void by_popen(void) { FILE *from = popen("true", "r"); if (from) pclose(from); }
static void by_wordexp(void) { wordexp_t words; if (wordexp("a b", &words, 0) == 0) wordfree(&words); }
static void by_timer(void) { timer_t timer; struct sigevent event = { .sigev_notify = SIGEV_NONE }; if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_delete(timer); }

static void
by_aio(void)
{
	static char byte;
	static struct aiocb request;
	const struct aiocb *list[] = { &request };

	request = (struct aiocb){ .aio_fildes = open("/dev/null", O_RDONLY | O_CLOEXEC), .aio_buf = &byte, .aio_nbytes = 1 };
	if (aio_read(&request) == 0)
		aio_suspend(list, 1, NULL);
	close(request.aio_fildes);
}

/* Those that set masks to another than the thread had come last. */
static const struct call {
	const char *name;
	void (*call)(void);
} calls[] = {
	{ "pthread_create", create }, { "pthread_create_with_attributes", create_with }, { "thrd_create", create_c11 },
	{ "sched_getaffinity", get }, { "pthread_getaffinity_np", get_of_thread },
	{ "sched_setaffinity", put }, { "pthread_setaffinity_np", put_of_thread }, { "sysconf", count },
	{ "execve", by_execve }, { "execv", by_execv }, { "execvp", by_execvp }, { "execvpe", by_execvpe },
	{ "fexecve", by_fexecve }, { "execveat", by_execveat }, { "execl", by_execl }, { "execlp", by_execlp },
	{ "execle", by_execle }, { "fork", by_fork }, { "_Fork", by__Fork }, { "vfork_and_execve", by_vfork },
	{ "posix_spawn", by_spawn }, { "posix_spawnp", by_spawnp }, { "system", by_system }, { "popen", by_popen },
	{ "wordexp", by_wordexp }, { "timer_create", by_timer }, { "aio_read", by_aio },
	{ "sched_setaffinity_to_others", put_all }, { "sched_getaffinity_of_others", get },
	{ "pthread_create_with_others", create }, { "execve_with_others", by_execve },
};

static ucontext_t back, on;

static size_t
stack_of(void (*call)(void), char *stack)
{
	size_t untouched = 0;

	memset(stack, PAINT, SIZE);
	getcontext(&on);
	on.uc_stack.ss_sp = stack;
	on.uc_stack.ss_size = SIZE;
	on.uc_link = &back;
	makecontext(&on, call, 0);
	swapcontext(&back, &on);
	while (untouched < SIZE && (unsigned char)stack[untouched] == PAINT)
		untouched++;
	return SIZE - untouched;
}

int
main(void)
{
	char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int threads = 0;

	if (stack == MAP_FAILED)
		return 98;
#ifdef _OPENMP
#pragma omp parallel reduction(+:threads)
#endif
	threads++;
	memset(&all, 0xff, sizeof(all));
	static unsigned long mask[1024];
	printf("mask %ld\n", syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask));
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i].call();
		printf("%s %zu\n", calls[i].name, stack_of(calls[i].call, stack));
	}
	return threads < 1;
}
