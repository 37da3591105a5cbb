/*
 * A library behind splitpin: what its functions reach where there is no MPI.
 * With WRAP_EXECL it is another one, which wraps execl and is a plugin too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WRAP_EXECL

void plugin(void (*place)(const char *));

/* It says that it was reached, and with what. */
int
execl(const char *path, const char *arg, ...)
{
	char *argv[32] = { (char *)arg }, text[512] = "";
	va_list list;
	size_t n = 1, used = 0;

	va_start(list, arg);
	while (n < 31 && (argv[n] = va_arg(list, char *)))
		n++;
	va_end(list);
	for (size_t i = 0; i < n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", argv[i]);
	dprintf(1, "  wrapped execl of %s:%s\n", path, text);
	return execv(path, argv);
}

static void *
in_thread(void *data)
{
	return data;
}

static long
thread_value(void)
{
	pthread_t thread;
	void *value = NULL;

	if (pthread_create(&thread, NULL, in_thread, (void *)21) == 0)
		pthread_join(thread, &value);
	return (long)value;
}

/* Preloaded behind splitpin, it runs before splitpin's own constructor. */
__attribute__((constructor)) static void
early(void)
{
	long value = thread_value();
	int error = execlp("/no/such/program", "early", (char *)NULL);

	if (value != 21 || error != -1 || errno != ENOENT)
		dprintf(1, "early: thread %ld, execlp %d, errno %d\n", value, error, errno);
}

void
plugin(void (*place)(const char *))
{
	dprintf(1, "plugin: thread %ld, system %d\n", thread_value(), WEXITSTATUS(system("exit 22")));
	pid_t pid = vfork();
	if (pid == 0) {
		execl("/bin/echo", "echo", "plugin: execl", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	place("called by a plugin");
}

#else

int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Session_init(void *info, void *handler, void *session);
int PMPI_Session_init(void *info, void *handler, void *session);
int PMIx_Init(void *process, void *info, size_t ninfo);
void *ompt_start_tool(unsigned int version, const char *name);

static int
init(int *argc, char ***argv, int value)
{
	errno = E2BIG;
	return *argc == 1 && strcmp((*argv)[0], "guest") == 0 ? value : -value;
}

int
MPI_Init(int *argc, char ***argv)
{
	return init(argc, argv, 11);
}

int
PMPI_Init(int *argc, char ***argv)
{
	return init(argc, argv, 12);
}

int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	*provided = required * 100;
	return init(argc, argv, 13);
}

int
PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	*provided = required * 1000;
	return init(argc, argv, 14);
}

int
MPI_Session_init(void *info, void *handler, void *session)
{
	return init(handler, session, info ? -15 : 15);
}

int
PMPI_Session_init(void *info, void *handler, void *session)
{
	return init(handler, session, info ? -16 : 16);
}

int
PMIx_Init(void *process, void *info, size_t ninfo)
{
	return init(process, info, (int)ninfo);
}

void *
ompt_start_tool(unsigned int version, const char *name)
{
	static int tool;

	return version == 201811 && strcmp(name, "guest") == 0 ? &tool : NULL;
}

#endif
