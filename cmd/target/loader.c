#include "cmd/target/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/target/elf_file.h"
#include "cmd/cmd.h"

/*
 * "\tlibm.so.6 => /lib/libm.so.6 (0x7f..)", "\tlibx.so => not found",
 * "\t/lib64/ld.so (0x7f..)"; the kernel's own object has no file.
 */
bool
loader_parse(const char *line, struct loader_object *object)
{
	static const char arrow[] = " => ", missing[] = "not found";
	const char *start = line + strspn(line, "\t "), *to = strstr(start, arrow);
	const char *path = to ? to + sizeof(arrow) - 1 : start, *end = strrchr(path, '(');

	*object = (struct loader_object){ .name = NULL };
	if (to && strncmp(path, missing, sizeof(missing) - 1) == 0) {
		object->name = cmd_format("%.*s", (int)(to - start), start);
		return true;
	}
	if (*path != '/' || !end || end == path || end[-1] != ' ')
		return false;
	object->path = cmd_format("%.*s", (int)(end - 1 - path), path);
	object->name = to ? cmd_format("%.*s", (int)(to - start), start) : cmd_format("%s", sp_last_part(object->path));
	return true;
}

/* That of this command; the caller's, or NULL. */
static char *
own_loader(void)
{
	struct elf_file self;

	if (elf_file_open("/proc/self/exe", &self) != 0)
		return NULL;
	char *loader = self.interpreter ? cmd_format("%s", self.interpreter) : NULL;
	elf_file_release(&self);
	return loader;
}

/* The environment with the variable that makes the loader list and do no more; to free(). */
static char **
listing_environment(void)
{
	return cmd_insert_words(environ, 0, (char *[]){ "LD_TRACE_LOADED_OBJECTS=1", NULL });
}

/*
 * As ldd does it, but never by starting the program itself: that may have a
 * loader of its own.  (The loader's --list stops at the first that is missing.)
 * Returns the reading end of a pipe, or -1.
 */
static int
start_loader(const char *program, pid_t *pid)
{
	char *arguments[] = { (char *)"ld.so", (char *)program, NULL };
	posix_spawn_file_actions_t actions;
	char *loader = own_loader();
	int pipe_ends[2] = { -1, -1 };

	if (!loader || pipe2(pipe_ends, O_CLOEXEC) != 0) {
		free(loader);
		return -1;
	}
	char **variables = listing_environment();
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawn(pid, loader, &actions, NULL, arguments, variables);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_ends[1]);
	free(variables);
	free(loader);
	if (!error)
		return pipe_ends[0];
	close(pipe_ends[0]);
	return -1;
}

size_t
loader_objects(const char *program, struct loader_object **object)
{
	size_t n = 0, room = 0;
	char *line = NULL;
	pid_t pid = -1;
	int fd = start_loader(program, &pid);
	FILE *list = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct loader_object one;

	*object = NULL;
	while (list && getline(&line, &room, list) > 0) {
		if (!loader_parse(line, &one))
			continue;
		*object = cmd_enlarge(*object, n + 1, sizeof(**object));
		(*object)[n++] = one;
	}
	free(line);
	if (list)
		fclose(list);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return n;
}

void
loader_release(struct loader_object *object, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(object[i].name);
		free(object[i].path);
	}
	free(object);
}
