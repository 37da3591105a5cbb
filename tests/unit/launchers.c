/* Processes that pass for launchers and ranks. */
#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"
#include "launchers.h"
#include "ranks.h"

pid_t
start_shell(const char *path, const char *const argv[], const char *const environment[])
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		setpgid(0, 0);
		execve(path ? path : "/bin/sh", (char *const *)argv,
		       environment ? (char *const *)environment : environ);
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

static void
name_of(pid_t pid, char name[32])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *file = fopen(path, "re");
	name[0] = '\0';
	if (file && fgets(name, 32, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* In the middle of exec a process has its new name, and no environment yet. */
static bool
has_environment(pid_t pid)
{
	char **environment = sp_process_environment(pid);

	bool has = environment != NULL;

	free(environment);
	return has;
}

static pid_t
wait_for_child(pid_t parent, const char *name, bool is_in_exec)
{
	for (int i = 0; i < 5000; i++) {
		pid_t *children = NULL, pid = 0;
		char its[32] = "";

		if (sp_process_children(parent, &children) == 1) {
			pid = children[0];
			name_of(pid, its);
		}
		free(children);
		if (strcmp(its, name) == 0 && (is_in_exec || has_environment(pid)))
			return pid;
		sleep_ms(1);
	}
	ck_abort_msg("process %d has no child %s", (int)parent, name);
}

pid_t
child_of(pid_t parent, const char *name)
{
	return wait_for_child(parent, name, false);
}

pid_t
child_in_exec(pid_t parent, const char *name)
{
	return wait_for_child(parent, name, true);
}

int
descendants(pid_t pid, const char *name)
{
	pid_t *children = NULL;
	ssize_t n = sp_process_children(pid, &children);
	char its[32];
	int found = 0;

	for (ssize_t i = 0; i < n; i++) {
		name_of(children[i], its);
		found += (strcmp(its, name) == 0 && has_environment(children[i])) + descendants(children[i], name);
	}
	free(children);
	return found;
}

void
end_group(pid_t leader)
{
	kill(-leader, SIGKILL);
	status_of(leader);
}
