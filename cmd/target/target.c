#include "cmd/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elf/runtimes.h"
#include "base/text.h"
#include "base/words.h"
#include "cmd/cmd.h"
#include "cmd/run_line.h"
#include "launcher/ancestors.h"

#define NESTED 5		/* scripts that the kernel runs by each other */
#define LAUNCHER_SIZE (1 << 20)	/* as much of a launcher's file is searched */

/* The first bytes of a file, `size` at most, and a NUL; the caller's, or NULL. */
static char *
read_start(const char *path, size_t size, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = cmd_allocate(size + 1, 1);
	ssize_t n = 1;

	for (*length = 0; fd >= 0 && n > 0 && *length < size; *length += n > 0 ? (size_t)n : 0)
		n = read(fd, text + *length, size - *length);
	if (fd >= 0)
		close(fd);
	if (*length > 0)
		return text;
	free(text);
	return NULL;
}

/* The first line of a script without its line feed; the caller's, or NULL: not a script. */
static char *
script_line(const char *path)
{
	size_t length;
	char *start = read_start(path, 4095, &length);

	if (start && strncmp(start, "#!", 2) == 0) {
		start[strcspn(start, "\n")] = '\0';
		return start;
	}
	free(start);
	return NULL;
}

/* The program after "env": skips -S and NAME=VALUE. */
static char *
word_behind_env(char **rest)
{
	char *word;

	do
		word = strtok_r(NULL, " \t", rest);
	while (word && (strcmp(word, "-S") == 0 || strchr(word, '=')));
	return word;
}

/* "#!/usr/bin/env python3": the program that a script names; the caller's, or NULL: not a script. */
static char *
interpreter_of(const char *path)
{
	char *line = script_line(path), *rest;
	char *word = line ? strtok_r(line + 2, " \t", &rest) : NULL, *program = NULL;

	if (word) {
		const char *slash = strrchr(word, '/');
		char *second = slash && strcmp(slash, "/env") == 0 ? word_behind_env(&rest) : NULL;

		program = second ? cmd_look_up(second) : NULL;
		if (!program)
			program = cmd_format("%s", second ? second : word);
	}
	free(line);
	return program;
}

/* The executable that the kernel finally runs: a script's interpreter may be a script, too.  Takes over path; the result is the caller's. */
static char *
program_of(char *path)
{
	char *interpreter;

	for (int i = 0; i < NESTED && (interpreter = interpreter_of(path)); i++) {
		free(path);
		path = interpreter;
	}
	return path;
}

/*
 * Where the program is that is started in a folder, or in this one where that is NULL, with such
 * changes of the environment; the caller's, or NULL.
 */
static char *
look_up(const struct target *target, const char *name, const char *folder, char *const given[])
{
	const char *path = target_given(given, "PATH");

	if (strchr(name, '/'))
		return folder && name[0] != '/' ? cmd_format("%s/%s", folder, name) : cmd_format("%s", name);
	char *found = path ? cmd_look_up_in(name, path) : cmd_look_up(name);
	/* Open MPI looks in PATH, and then where it starts the program. */
	return found || target->launcher != TARGET_OPENMPI ? found : cmd_format("%s/%s", folder ? folder : ".", name);
}

static int
open_program(struct target *target, const char *name, const char *folder, char *const given[])
{
	char *found = look_up(target, name, folder, given);

	target->word = cmd_format("%s", name);
	target->path = found ? program_of(cmd_format("%s", found)) : NULL;
	target->is_script = found && strcmp(found, target->path) != 0;
	free(found);
	int error = target->path ? elf_file_open(target->path, &target->elf) : -ENOENT;
	if (!error && target->elf.is_native && target->elf.interpreter)
		target->nobjects = loader_objects(target->path, &target->object);
	return error;
}

static bool
has(const char *text, size_t length, const char *word)
{
	return memmem(text, length, word, strlen(word));
}

/* Whether a program of this name lies beside the launcher. */
static bool
is_beside(const char *path, const char *name)
{
	char *real = path ? realpath(path, NULL) : NULL;
	const char *slash = real ? strrchr(real, '/') : NULL;
	char *beside = slash ? cmd_format("%.*s/%s", (int)(slash - real), real, name) : NULL;
	bool is = beside && cmd_is_program(beside);

	free(beside);
	free(real);
	return is;
}

/* Open MPI's mpirun may be a wrapper, so its launchers are searched beside it. */
static bool
is_beside_openmpi(const char *path)
{
	return is_beside(path, "prterun") || is_beside(path, "orterun");
}

/*
 * mpirun and mpiexec are of several libraries, often as links or scripts.
 * Hydra's name stands in all of its launchers.
 */
static enum target_launcher
family_of(const char *name, const char *path)
{
	size_t length;

	if (strcmp(name, "srun") == 0)
		return TARGET_SRUN;
	if (strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0 || strcmp(name, "oshrun") == 0 || strcmp(name, "shmemrun") == 0)
		return TARGET_OPENMPI;
	if (strcmp(name, "mpirun") != 0 && strcmp(name, "mpiexec") != 0)
		return TARGET_OTHER;
	char *text = path ? read_start(path, LAUNCHER_SIZE, &length) : NULL;
	if (!text)
		return TARGET_OTHER;
	bool is_hydra = has(text, length, "hydra") || has(text, length, "HYDRA");
	free(text);
	return is_hydra ? TARGET_HYDRA : is_beside_openmpi(path) ? TARGET_OPENMPI : TARGET_OTHER;
}

static char *
join(char *const command[], size_t *length)
{
	char *arguments = NULL;

	*length = 0;
	for (; *command; command++) {
		size_t n = strlen(*command) + 1;

		arguments = cmd_enlarge(arguments, *length + n, 1);
		memcpy(arguments + *length, *command, n);
		*length += n;
	}
	return arguments;
}

/* Launchers that are never ancestors of ranks, and those whose options are not read. */
static const char *
launcher_name(const char *word)
{
	static const char *const others[] = { "flux", "aprun" };
	const char *name = sp_ancestors_name(word, strlen(word) + 1);

	for (size_t i = 0; !name && i < sizeof(others) / sizeof(others[0]); i++)
		name = strcmp(sp_last_part(word), others[i]) == 0 ? others[i] : NULL;
	return name;
}

static void
read_launch(struct target *target, const char *name, char *const command[])
{
	static const char *const libraries[] = {
		[TARGET_OPENMPI] = " of Open MPI", [TARGET_HYDRA] = " of MPICH or Intel MPI", [TARGET_SRUN] = "", [TARGET_OTHER] = "",
	};
	char *path = cmd_look_up(command[0]);

	target->launcher = family_of(name, path);
	target->launcher_name = cmd_format("%s%s", name, strncmp(name, "mpi", 3) == 0 ? libraries[target->launcher] : "");
	target->is_by_part = target->launcher == TARGET_OPENMPI && !is_beside(path, "prterun");
	free(path);
	target->arguments = join(command, &target->length);
	if (!target_is_read(target->launcher))
		return;
	target_read_parts(target);
	const struct target_part *part = target->parts ? &target->part[0] : NULL;
	target->error = part && part->word ? open_program(target, part->word, part->folder, part->given) : 0;
	if (target->error) {
		free(target->path);
		target->path = NULL;
	}
}

int
target_find(struct target *target, char *const command[])
{
	struct target_words words;
	int error = 0;

	target_unwrap(command, &words);
	*target = (struct target){ .launcher = TARGET_NO_LAUNCHER, .wrappers = words.n, .binder = words.binder, .is_in_shell = words.is_in_shell };
	target->given = target_take_given(&words);
	const char *name = launcher_name(words.rest[0]);
	if (name) {
		read_launch(target, name, words.rest);
	} else {
		target->parts = 1;
		target->by_run = run_is_begun(words.rest);
		error = open_program(target, words.rest[0], words.folder, target->given);
	}
	target_release_words(&words);
	return error;
}

const char *
target_problem(int error)
{
	return error == -ENOENT ? "no such program" :
	       error == -ENOEXEC ? "it is neither a program nor a script" : strerror(-error);
}

const char *
target_hint(const char *word)
{
	size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	if (name && word[name] == '=')
		return ": it sets a variable, so put it in front of splitpin, or env in front of it";
	if (strchr(word, ' '))
		return ": leave out the quotes around the command";
	if (access(word, X_OK) != 0)
		return "";
	return strchr(word, '/') ? ": the file is here, but not the interpreter that it names (lines of a script may end as on Windows)" :
	       ": it is in this folder, so put ./ in front of it";
}

void
target_release(struct target *target)
{
	loader_release(target->object, target->nobjects);
	elf_file_release(&target->elf);
	target_release_parts(target);
	target_release_list(target->given);
	free(target->arguments);
	free(target->launcher_name);
	free(target->word);
	free(target->path);
	*target = (struct target){ .launcher = TARGET_NO_LAUNCHER };
}

/* With the rights that the user has anyhow the loader preloads as ever: a file of the user's own, and all that root starts as root. */
static char *
other_rights(const char *path)
{
	struct stat file;

	if (stat(path, &file) == 0 && (((file.st_mode & S_ISUID) && file.st_uid != getuid()) || ((file.st_mode & S_ISGID) && file.st_gid != getgid())))
		return cmd_format("%s is setuid or setgid, so the loader preloads nothing that is named by its path", path);
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return cmd_format("%s has capabilities, so the loader preloads nothing that is named by its path", path);
	return NULL;
}

static bool
is_musl(const char *loader)
{
	return loader && strncmp(sp_last_part(loader), "ld-musl", 7) == 0;
}

char *
target_obstacle(const struct target *target, enum target_obstacle obstacle)
{
	const struct elf_file *elf = &target->elf;

	if (!target->path)
		return NULL;
	if (obstacle == TARGET_RIGHTS)
		return other_rights(target->path);
	if (obstacle == TARGET_STATIC && elf->is_native && !elf->interpreter)
		return cmd_format("%s is linked statically, so nothing can be preloaded into it", target->path);
	if (obstacle == TARGET_FOREIGN && !elf->is_native)
		return cmd_format("%s is a %u-bit program for another processor or word size than the library's",
				  target->path, elf->bits);
	if (obstacle == TARGET_MUSL && is_musl(elf->interpreter))
		return cmd_format("%s is linked with musl, and the library with glibc", target->path);
	return NULL;
}

char *
target_first_obstacle(const struct target *target)
{
	char *sentence = NULL;

	for (enum target_obstacle i = 0; !sentence && i < TARGET_OBSTACLES; i++)
		sentence = target_obstacle(target, i);
	return sentence;
}

static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

bool
target_is_openmp(const char *name)
{
	return sp_runtime_of_file(name) != SP_RUNTIMES;
}

bool
target_is_mpi(const char *name)
{
	return begins(name, "libmpi.so") || begins(name, "libmpich.so") || begins(name, "libmpi_cray") ||
	       begins(name, "libmpi_gnu") || begins(name, "libmpi_intel");
}

bool
target_is_any_mpi(const char *name)
{
	return target_is_mpi(name) || begins(name, "libmpi_abi");
}

bool
target_is_pmix(const char *name)
{
	return begins(name, "libpmix.so");
}

const char *
target_needs(const struct target *target, bool (*is_kind)(const char *name))
{
	for (size_t i = 0; i < target->nobjects; i++)
		if (is_kind(target->object[i].name))
			return target->object[i].name;
	return NULL;
}

bool
target_is_parallel(const struct target *target)
{
	return target_needs(target, target_is_openmp) || target_needs(target, target_is_any_mpi) ||
	       target_needs(target, target_is_pmix);
}
