/*
 * Everything that splitpin interposes, called from wherever a program can be,
 * in a process that is no rank.  What comes of each call is told in one line,
 * so that a run with the preload can be compared with one without.
 *
 *   guest [everywhere]     before main, in main, a thread, a signal handler, children, after main
 *   guest environ|clearenv the same in main, with environ NULL or emptied
 *   guest plugin PATH      the same by a plugin that is opened with RTLD_DEEPBIND
 *   guest stack            exec on a stack of one page
 *   guest files            how many descriptors are open, as exit status
 *   guest strict           where read and write are the only system calls left
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#define MISSING "/no/such/program"

extern char **environ;
int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Session_init(void *info, void *handler, void *session);
int PMPI_Session_init(void *info, void *handler, void *session);
int PMIx_Init(void *process, void *info, size_t ninfo);
void *ompt_start_tool(unsigned int version, const char *name);
void guest_place(const char *where);

/* One write, since stdio may not be there yet, or no more. */
__attribute__((format(printf, 1, 2))) static void
say(const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (write(1, text, (size_t)n) < 0)
		_exit(99);
}

static void
tell(const char *what, long result)
{
	say("  %s: %ld, errno %d\n", what, result, errno);
	errno = 0;
}

/*
 * Exec by the list functions, with as many arguments as registers hold and
 * more; the others, which take arrays.  A child that vfork made runs them.
 */
static char *const echo[] = { "echo", "  array", NULL };
static char *const variables[] = { "NAME=value", NULL };

static void exec_execve(void) { execve("/bin/echo", echo, variables); }
static void exec_execvpe(void) { execvpe("echo", echo, variables); }
static void exec_execv(void) { execv("/bin/echo", echo); }
static void exec_execvp(void) { execvp("echo", echo); }
static void exec_fexecve(void) { fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), echo, variables); }
#if __GLIBC_PREREQ(2, 34)
static void exec_execveat(void) { execveat(AT_FDCWD, "/bin/echo", echo, variables, 0); }
#else
static void exec_execveat(void) { execve("/bin/echo", echo, variables); }
#endif
static void exec_execl(void) { execl("/bin/echo", "echo", "  list of", "one", (char *)NULL); }
static void exec_execl_none(void) { execl("/bin/true", "true", (char *)NULL); }
static void exec_execlp(void)
{
	execlp("echo", "echo", "  list of", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", (char *)NULL);
}
static void exec_execle(void)
{
	execle("/bin/sh", "sh", "-c", "echo \"  $0 $1 $2 $3 $4 $NAME\"", "a", "b", "c", "d", "e", (char *)NULL, variables);
}
static void fail_execve(void) { execve(MISSING, echo, variables); }
static void fail_execvpe(void) { execvpe("", echo, variables); }
static void fail_execv(void) { execv(MISSING, echo); }
static void fail_execvp(void) { execvp(MISSING, echo); }
static void fail_fexecve(void) { fexecve(-1, echo, variables); }
#if __GLIBC_PREREQ(2, 34)
static void fail_execveat(void) { execveat(AT_FDCWD, MISSING, echo, variables, 0); }
#else
static void fail_execveat(void) { execve(MISSING, echo, variables); }
#endif
static void fail_execl(void) { execl(MISSING, "a", "b", "c", "d", "e", "f", "g", "h", (char *)NULL); }
static void fail_execlp(void) { execlp("", "a", (char *)NULL); }
static void fail_execle(void) { execle(MISSING, "a", "b", (char *)NULL, variables); }

#define WAY(name) { #name, exec_##name }
#define FAIL(name) { #name " of nothing", fail_##name }
static const struct way {
	const char *name;
	void (*exec)(void);
} ways[] = {
	WAY(execve), WAY(execvpe), WAY(execv), WAY(execvp), WAY(fexecve), WAY(execveat),
	WAY(execl), WAY(execl_none), WAY(execlp), WAY(execle),
	FAIL(execve), FAIL(execvpe), FAIL(execv), FAIL(execvp), FAIL(fexecve), FAIL(execveat),
	FAIL(execl), FAIL(execlp), FAIL(execle),
};
#define NWAYS (sizeof(ways) / sizeof(ways[0]))

static int
status_of(pid_t pid)
{
	int status = -1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
execs(void)
{
	for (size_t i = 0; i < NWAYS; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			ways[i].exec();
			_exit(errno);
		}
		tell(ways[i].name, status_of(pid));
	}
}

static void *
nothing(void *data)
{
	return data;
}

static int
no_thing(void *data)
{
	(void)data;
	return 3;
}

static void
threads(void)
{
	pthread_t thread;
	static unsigned long large[1 << 19];
	pthread_attr_t attr;
	cpu_set_t none, set;
	void *value = NULL;
	thrd_t thrd;
	int result = -1;

	tell("pthread_create", pthread_create(&thread, NULL, nothing, (void *)5));
	tell("pthread_join", pthread_join(thread, &value) + (long)value);
	CPU_ZERO(&none);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(none), &none);
	tell("pthread_create on no CPU", pthread_create(&thread, &attr, nothing, NULL));
	pthread_attr_destroy(&attr);
	tell("pthread_getaffinity_np", pthread_getaffinity_np(pthread_self(), sizeof(set), &set));
	tell("its CPUs", CPU_COUNT(&set));
	tell("pthread_getaffinity_np of 1 byte", pthread_getaffinity_np(pthread_self(), 1, &set));
	tell("pthread_setaffinity_np", pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
	tell("pthread_setaffinity_np to no CPU", pthread_setaffinity_np(pthread_self(), sizeof(none), &none));
	tell("sched_getaffinity", sched_getaffinity(0, sizeof(set), &set));
	tell("its CPUs", CPU_COUNT(&set));
	tell("sched_getaffinity of 1 byte", sched_getaffinity(getpid(), 1, &set));
	tell("sched_getaffinity of nobody", sched_getaffinity(-1, sizeof(set), &set));
	tell("sched_setaffinity", sched_setaffinity(0, sizeof(set), &set));
	/* As large as the addresses that very old programs pass in the place of a size. */
	tell("sched_getaffinity of 4 MiB", sched_getaffinity(0, sizeof(large), (cpu_set_t *)large));
	tell("its CPUs", CPU_COUNT_S(sizeof(large), (cpu_set_t *)large));
	tell("sched_setaffinity of 4 MiB", sched_setaffinity(0, sizeof(large), (cpu_set_t *)large));
	tell("pthread_getaffinity_np of 4 MiB", pthread_getaffinity_np(pthread_self(), sizeof(large), (cpu_set_t *)large));
	tell("pthread_setaffinity_np of 4 MiB", pthread_setaffinity_np(pthread_self(), sizeof(large), (cpu_set_t *)large));
	tell("sched_setaffinity to no CPU", sched_setaffinity(getpid(), sizeof(none), &none));
	struct aiocb request = { .aio_fildes = -1, .aio_reqprio = -1 };	/* refused at once */
	struct aiocb *requests[] = { &request };
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	timer_t timer;

	tell("aio_read of less than nothing", aio_read(&request));
	tell("aio_write of less than nothing", aio_write(&request));
	tell("aio_fsync by no operation", aio_fsync(-1, &request));
	tell("lio_listio in no mode", lio_listio(-1, requests, 1, &event));
	tell("timer_create", timer_create(CLOCK_MONOTONIC, &event, &timer));
	tell("timer_create of no clock", timer_create(-1, &event, &timer));
	tell("thrd_create", thrd_create(&thrd, no_thing, NULL));
	tell("thrd_join", thrd_join(thrd, &result) + result);
}

static void
programs(void)
{
	char line[64] = "";
	pid_t pid = -1;
	int status;

	status = posix_spawn(&pid, "/bin/echo", NULL, NULL, echo, variables) * 1000;
	tell("posix_spawn and its child", status + status_of(pid));
	status = posix_spawnp(&pid, "echo", NULL, NULL, echo, variables) * 1000;
	tell("posix_spawnp and its child", status + status_of(pid));
	tell("posix_spawn of nothing", posix_spawn(&pid, MISSING, NULL, NULL, echo, variables));
	tell("system", system("exit 4"));
	tell("system of no command", system(NULL));
	FILE *stream = popen("echo '  popen'; exit 5", "r");
	if (stream && fgets(line, sizeof(line), stream))
		say("%s", line);
	tell("pclose", stream ? pclose(stream) : -1);
	wordexp_t words = { 0 };
	tell("wordexp", wordexp("$(echo one two)", &words, 0) * 10 + (int)words.we_wordc);
	wordfree(&words);
	tell("wordexp of a wrong word", wordexp("a|b", &words, 0));
	tell("popen of no mode", popen("true", "x") != NULL);
}

static void
libraries(void)
{
	char name[] = "guest", *list[] = { name, NULL }, **argv = list;
	int argc = 1, provided = -1;

	tell("MPI_Init", MPI_Init(&argc, &argv));
	tell("PMPI_Init", PMPI_Init(&argc, &argv));
	tell("MPI_Init_thread", MPI_Init_thread(&argc, &argv, 3, &provided) + provided);
	tell("PMPI_Init_thread", PMPI_Init_thread(&argc, &argv, 3, &provided) + provided);
	tell("MPI_Session_init", MPI_Session_init(NULL, &argc, &argv));
	tell("PMPI_Session_init", PMPI_Session_init(NULL, &argc, &argv));
	tell("PMIx_Init", PMIx_Init(&argc, &argv, 7));
	tell("ompt_start_tool", ompt_start_tool(201811, "guest") != NULL);
}

static void
all(void)
{
	errno = 0;
	threads();
	programs();
	libraries();
	execs();
	dlopen("/no/such/library", RTLD_LAZY);
	errno = 0;
	threads();
	libraries();
	programs();
	const char *why = dlerror();
	say("  dlerror: %s\n", why ? why : "none");
	errno = 0;
}

void
guest_place(const char *where)
{
	say("%s\n", where);
	all();
}

static bool everywhere;

/* Arguments are given to constructors too; priorities put it before most others. */
__attribute__((constructor(101))) static void
before(int argc, char **argv)
{
	everywhere = argc == 1 || strcmp(argv[1], "everywhere") == 0;
	if (everywhere)
		guest_place("before main");
}

__attribute__((destructor(101))) static void
after(void)
{
	if (everywhere)
		guest_place("after main");
}

static void
at_exit(void)
{
	guest_place("at exit");
}

static void *
in_thread(void *data)
{
	guest_place("in a thread");
	return data;
}

static void
on_signal(int number)
{
	(void)number;
	guest_place("in a signal handler");
}

static void
in_children(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		guest_place("after fork");
		_exit(8);
	}
	tell("fork", status_of(pid));
	pid = vfork();
	if (pid == 0) {
		say("after vfork\n");
		for (size_t i = 0; i < NWAYS; i++)
			if (strstr(ways[i].name, "nothing")) {
				ways[i].exec();
				tell(ways[i].name, errno);
			}
		execl("/bin/echo", "echo", "the end of the child", (char *)NULL);
		_exit(9);
	}
	tell("vfork", status_of(pid));
}

static void
from_everywhere(void)
{
	pthread_t thread;

	atexit(at_exit);
	guest_place("in main");
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	in_children();
}

/* The lowest page cannot be touched: what goes beyond ends the child. */
#define PAGE 4096

static int
on_page(void *way)
{
	((const struct way *)way)->exec();
	syscall(SYS_exit, errno);
	return 0;
}

static void
on_stack_of_a_page(void)
{
	int threads = 0;
	char *stack = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || mprotect(stack, PAGE, PROT_NONE) != 0)
		exit(98);
	/* Compiled with OpenMP, this settles a rank and pins its main thread. */
#ifdef _OPENMP
#pragma omp parallel reduction(+:threads)
#endif
	threads++;
	say("  %s\n", threads > 0 ? "a team" : "no team");
	for (size_t i = 0; i < NWAYS; i++) {
		pid_t pid = clone(on_page, stack + 2 * PAGE, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)&ways[i]);

		tell(ways[i].name, status_of(pid));
	}
}

static int
descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* What glibc does without a system call. */
static void
strictly(void)
{
	say("strict\n");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		_exit(97);
	libraries();
	fail_fexecve();
	tell("fexecve", -1);
	fail_execvpe();
	tell("execvpe", -1);
	execvp("", echo);
	tell("execvp", -1);
	fail_execlp();
	tell("execlp", -1);
	syscall(SYS_exit, 6);
}

static int
by_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	void (*run)(void (*)(const char *)) = plugin ? (void (*)(void (*)(const char *)))dlsym(plugin, "plugin") : NULL;

	if (!run)
		return 96;
	run(guest_place);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "everywhere";

	if (strcmp(what, "environ") == 0)
		environ = NULL;
	else if (strcmp(what, "clearenv") == 0)
		clearenv();
	else if (strcmp(what, "plugin") == 0 && argc > 2)
		return by_plugin(argv[2]);
	else if (strcmp(what, "stack") == 0)
		return on_stack_of_a_page(), 0;
	else if (strcmp(what, "files") == 0)
		return descriptors();
	else if (strcmp(what, "strict") == 0)
		strictly();
	if (everywhere)
		from_everywhere();
	else
		guest_place("in main");
	return 7;
}
