#include "node/guess_needs.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "launcher/known/known.h"
#include "launcher/launchers.h"
#include "launcher/launch_line.h"
#include "launcher/siblings.h"
#include "launcher/syntax.h"
#include "settings/omp_env.h"

#define THREADS "OMP_NUM_THREADS"

static void
set_all(uint32_t need[], uint32_t nranks, uint32_t threads)
{
	for (uint32_t rank = 0; rank < nranks; rank++)
		need[rank] = threads;
}

/* The number of threads in a value of OMP_NUM_THREADS, as a rank would read it. */
static uint32_t
threads_of(const char *value, size_t length)
{
	char entry[128];	/* a longer one is cut */
	char *const environment[] = { entry, NULL };
	struct sp_omp_env omp_env;

	snprintf(entry, sizeof(entry), THREADS "=%.*s", (int)length, value);
	sp_omp_env_read(&omp_env, environment);
	return omp_env.threads;
}

/* data: where to put the number of threads. */
static void
take_variable(const char *name, size_t length, const char *value, size_t value_length, void *data)
{
	uint32_t *threads = data;

	if (length == sizeof(THREADS) - 1 && strncmp(name, THREADS, length) == 0)
		*threads = threads_of(value, value_length);
}

/* The threads set by "env OMP_NUM_THREADS=8 ./a", anywhere in the words of the program. */
static void
take_from_words(struct sp_words words, uint32_t *threads)
{
	for (const char *word; (word = sp_words_next(&words)); )
		if (strncmp(word, THREADS "=", sizeof(THREADS)) == 0)
			*threads = threads_of(word + sizeof(THREADS), strlen(word + sizeof(THREADS)));
}

/* The threads of a part of the line; a part without a variable of its own has that of the launcher's environment. */
static uint32_t
threads_of_launcher(const struct sp_ancestor *launcher)
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, launcher->environment);
	return omp_env.threads;
}

/* The launcher with the user's command line: the outermost one; inner ones are its daemons. */
static const struct sp_ancestor *
find_line(const struct sp_ancestor ancestor[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sp_ancestors_name(ancestor[i].arguments, ancestor[i].length) && !sp_ancestor_is_daemon(&ancestor[i]))
			return &ancestor[i];
	return NULL;
}

static struct sp_launch
launch_of(const struct sp_ancestor *line, const struct sp_rank *rank, char *const environment[])
{
	const char *name = sp_ancestors_name(line->arguments, line->length);
	const struct sp_syntax *syntax = sp_syntax_of(name, sp_launcher_of_rank(rank, environment));
	size_t length;
	const char *arguments = sp_ancestors_line(line, &length);

	return (struct sp_launch){
		.syntax = syntax,
		.is_x_shared = syntax->shared_x && sp_environment_value(environment, syntax->shared_x),
		.arguments = arguments, .length = length };
}

/*
 * Fill need[], whose ranks are numbered in the order of the parts.  otherwise:
 * the threads of a part without a variable of its own.  *ranks: the number of
 * ranks of all parts.  Returns the number of parts, or 0: the parts are in a
 * file.
 */
static size_t
read_parts(struct sp_launch *launch, uint32_t otherwise, uint32_t nranks, uint32_t need[], uint64_t *ranks)
{
	struct sp_part_of_launch part;
	uint32_t threads;
	size_t n = 0;

	sp_launch_shared(launch, take_variable, &otherwise);
	for (*ranks = 0; threads = otherwise, sp_launch_next(launch, &part, take_variable, &threads); n++) {
		if (part.is_elsewhere)
			return 0;
		take_from_words(part.program, &threads);
		uint64_t first = *ranks;

		*ranks += part.ranks ? part.ranks : 1;
		for (uint64_t i = first; i < *ranks && i < nranks; i++)
			need[i] = threads;
	}
	return n;
}

/*
 * Read the line if all of its ranks are on this node: with several nodes it is
 * not known which ranks are here.  Returns as read_parts.
 */
static size_t
take_from_line(const struct sp_ancestor *line, const struct sp_rank *rank, char *const environment[],
	       uint32_t threads, uint32_t need[])
{
	struct sp_launch launch = launch_of(line, rank, environment);
	uint64_t ranks;
	size_t n = read_parts(&launch, threads_of_launcher(line), rank->local_size, need, &ranks);

	if (n <= 1 || ranks != rank->local_size)
		set_all(need, rank->local_size, threads);
	return n;
}

static bool
take_from_sibling(const struct sp_sibling *sibling, void *data)
{
	struct sp_omp_env omp_env;
	uint32_t *need = data;

	sp_omp_env_read(&omp_env, sibling->environment);
	need[sibling->local_rank] = omp_env.threads;
	return true;
}

void
sp_needs_guess(const struct sp_rank *rank, char *const environment[], uint32_t threads,
	       const struct sp_ancestor ancestor[], size_t n, const char *job, uint32_t need[])
{
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n), *line = find_line(ancestor, n);

	set_all(need, rank->local_size, threads);
	if (rank->local_size == 1 || !launcher)
		return;
	if (line && take_from_line(line, rank, environment, threads, need) == 1)
		return;
	sp_siblings_visit(launcher->pid, job, rank->local_size, NULL, take_from_sibling, need);
	need[rank->local_rank] = threads;
}
