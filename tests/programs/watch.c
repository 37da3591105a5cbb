/*
 * Looks at the ranks of a job from outside, as Linux sees them.
 *
 *   watch RANKS FOLDER SECONDS
 *
 * Waits until so many processes are held (held.h), writes FOLDER/rank.N for
 * each of them, and lets them go.  Lines of rank.N:
 *
 *   task TID cpus=0,16 state=S name=thread 3	one for each thread; the first is "held N"
 *   map 7f00aabb0000 default anon=...	one for each line of numa_maps
 *
 * Exit status 1 where not all have come in time; those that have are let go.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4096 };

static pid_t pids[RANKS];

static int
is_held(const char *pid, int *rank)
{
	char path[300], name[64] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%s/comm", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	int found = fgets(name, sizeof name, file) && sscanf(name, "held %d", rank) == 1;
	fclose(file);
	return found && *rank >= 0 && *rank < RANKS;
}

static int
find(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int count = 0, rank;

	memset(pids, 0, sizeof pids);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_held(entry->d_name, &rank)) {
			pids[rank] = atoi(entry->d_name);
			count++;
		}
	if (dir)
		closedir(dir);
	return count;
}

static void
look_at_task(FILE *to, pid_t pid, const char *tid)
{
	char path[300], line[4096], name[64] = "?", cpus[2048] = "?", state = '?';
	FILE *status;

	snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, tid);
	status = fopen(path, "r");
	if (!status)
		return;
	while (fgets(line, sizeof line, status)) {
		sscanf(line, "Name: %63[^\n]", name);
		sscanf(line, "State: %c", &state);
		sscanf(line, "Cpus_allowed_list: %2047s", cpus);
	}
	fclose(status);
	fprintf(to, "task %s cpus=%s state=%c name=%s\n", tid, cpus, state, name);
}

static void
look_at(FILE *to, pid_t pid)
{
	char path[300], line[8192];
	struct dirent *entry;
	FILE *maps;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			look_at_task(to, pid, entry->d_name);
	if (dir)
		closedir(dir);
	snprintf(path, sizeof path, "/proc/%d/numa_maps", (int)pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof line, maps))
		fprintf(to, "map %s", line);
	if (maps)
		fclose(maps);
}

int
main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	char path[4096];
	FILE *to;

	if (argc != 4) {
		fprintf(stderr, "usage: watch RANKS FOLDER SECONDS\n");
		return 2;
	}
	int ranks = atoi(argv[1]), left = atoi(argv[3]) * 20;
	while (find() < ranks && left-- > 0)
		nanosleep(&nap, NULL);
	for (int rank = 0; rank < RANKS; rank++) {
		if (!pids[rank])
			continue;
		snprintf(path, sizeof path, "%s/rank.%d", argv[2], rank);
		to = fopen(path, "w");
		if (to) {
			look_at(to, pids[rank]);
			fclose(to);
		}
	}
	for (int rank = 0; rank < RANKS; rank++)
		if (pids[rank])
			kill(pids[rank], SIGUSR1);
	return left <= 0;
}
