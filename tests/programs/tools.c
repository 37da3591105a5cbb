/*
 * One team after another, and where its threads are, as /proc has it:
 *
 *   tools [LIBRARY...]
 *
 * With libraries, each of which is this file compiled with -DLIBRARY, each runs
 * a team, and the program itself (-DLOADER) needs no runtime; with -DRELOAD each is
 * closed before the next; with -DBY_STARTER the program leaves all that to STARTER.  OWN_TOOL is a tool of OMPT in the program itself: 1 for one that
 * works, 0 for one that declines.  PAUSE is how often the runtime is shut down
 * before a second team.  With TEAMS the team is one of "teams"; with CLAUSE the
 * region says how large its team is.  With REFERENCE the program refers to
 * what has that name.  With SECOND a second thread opens a team, too, which STARTER, a library of this
 * file, makes.
 *
 *   team 0 1             the CPUs of its threads, in the order of their numbers
 *   procs 2
 *   tool started         the program's own
 *   control -2           omp_control_tool()
 *   environment end OMP_PLACES=...   what main, getenv and a child find
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 1024, TEXT = 512 };

/* The CPUs of the calling thread. */
static void
read_cpus(char text[TEXT])
{
	FILE *file = fopen("/proc/thread-self/status", "r");
	char line[TEXT];

	strcpy(text, "?");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "Cpus_allowed_list: %511s", text);
	if (file)
		fclose(file);
}

void team(void);

#if defined LOADER || defined STARTER
void
team(void)
{
}
#else
void
team(void)
{
	static char cpus[THREADS][TEXT];
	int n = 0;

#ifdef CLAUSE
#pragma omp parallel num_threads(omp_get_max_threads())
#else
#pragma omp parallel
#endif
	{
		read_cpus(cpus[omp_get_thread_num()]);
#pragma omp single
		n = omp_get_num_threads();
	}
	printf("team");
	for (int i = 0; i < n; i++)
		printf(" %s", cpus[i]);
	printf("\nprocs %d\n", omp_get_num_procs());
}
#endif

#ifdef OWN_TOOL
#include "ompt/ompt.h"

static int
initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)lookup;
	(void)device;
	(void)data;
	puts("tool started");
	return 1;
}

static void
finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };

	(void)version;
	(void)runtime;
	return OWN_TOOL ? &result : NULL;
}
#endif

#ifdef STARTER
static void *
start(void *data)
{
	(*(void (**)(void))data)();
	return NULL;
}

void
in_another_thread(void (*run)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, start, &run) == 0)
		pthread_join(thread, NULL);
}

void
load(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void (*other)(void) = handle ? (void (*)(void))dlsym(handle, "team") : NULL;

	if (other)
		other();
}
#else
void in_another_thread(void (*run)(void));
void load(const char *library);
#endif

#ifdef REFERENCE
extern const char reference[] __asm__(REFERENCE);
#endif

#ifndef LIBRARY
extern char **environ;

static void
look(const char *when, char **environment)
{
	for (; *environment; environment++)
		if (strncmp(*environment, "OMP_P", 5) == 0)
			printf("environment %s %s\n", when, *environment);
}

static void
look_in_child(void)
{
	char line[TEXT];
	FILE *child = popen("env", "r");

	while (child && fgets(line, sizeof(line), child))
		if (strncmp(line, "OMP_P", 5) == 0)
			printf("environment child %s", line);
	if (child)
		pclose(child);
}

int
main(int argc, char **argv, char **environment)
{
	look_in_child();
#ifndef TEAMS
	if (argc == 1)
		team();
#endif
#ifdef PAUSE
	for (int i = 0; i < PAUSE; i++)
		omp_pause_resource_all(omp_pause_hard);
	team();
#endif
#ifdef SECOND
	in_another_thread(team);
#endif
#ifdef REFERENCE
	if (argc < 0)
		puts(reference);
#endif
#ifdef TEAMS
#pragma omp teams num_teams(1)
	team();
#endif
#ifdef BY_STARTER
	for (int i = 1; i < argc; i++)
		load(argv[i]);
#elif defined LOADER
	for (int i = 1; i < argc; i++) {
		void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		void (*other)(void) = handle ? (void (*)(void))dlsym(handle, "team") : NULL;

		if (other)
			other();
#ifdef RELOAD
		dlclose(handle);
#else
		else
			printf("%s\n", dlerror());
#endif
	}
#else
	(void)argv;
#endif
#if defined __clang__ && !defined LOADER	/* libgomp has no such function */
	if (argc == 1)
		printf("control %d\n", omp_control_tool(omp_control_tool_start, 0, NULL));
#endif
	look("end", environ);
	look("main", environment);
	look_in_child();
	return 0;
}
#endif
