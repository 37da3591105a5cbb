/*
 * A plugin with a parallel region of libgomp, which is loaded and unloaded with
 * it.  With -DLIBRARY this is the plugin, without it the program that opens it:
 *
 *   plugin FILE unload    the region, dlclose, and then what it may use: "cpus 2"
 *   plugin FILE stay      it is not unloaded
 *   plugin FILE deepbind  the plugin finds libc's functions before those of preloaded libraries: "team 2 cpus 2"
 *   plugin FILE apart     the plugin has a libc of its own (dlmopen): "team 2 cpus 2"
 */
#ifdef LIBRARY
#include <omp.h>

int work(void);
int stop(void);

int
work(void)
{
	int n = 0;

#pragma omp parallel reduction(+:n)
	n++;
	return n;
}

/* Its threads end. */
int
stop(void)
{
	return omp_pause_resource_all(omp_pause_hard);
}
#else
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n - 2;
}

static int
call(void *plugin, const char *name)
{
	int (*function)(void) = (int (*)(void))dlsym(plugin, name);

	return function ? function() : -1;
}

int
main(int argc, char **argv)
{
	const char *way = argc == 3 ? argv[2] : "";
	void *plugin = strcmp(way, "apart") == 0 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) :
		dlopen(argv[1], RTLD_NOW | (strcmp(way, "deepbind") == 0 ? RTLD_DEEPBIND : 0));
	cpu_set_t mine;

	if (!plugin) {
		printf("%s\n", dlerror());
		return 2;
	}
	printf("team %d\n", call(plugin, "work"));
	if (strcmp(way, "unload") == 0) {
		/* What still runs in it when it goes is the program's own fault. */
		call(plugin, "stop");
		while (count_threads() > 1)
			usleep(1000);
		dlclose(plugin);
		if (dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD))
			puts("libgomp is still there");
	}
	if (sched_getaffinity(0, sizeof(mine), &mine) == 0)
		printf("cpus %d\n", CPU_COUNT(&mine));
	return 0;
}
#endif
