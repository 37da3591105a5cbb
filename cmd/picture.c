#include "cmd/picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"

/* Light, so that black names can be read; neighbours differ.  Ranks beyond the last begin again. */
static const char *const colours[] = { "#a6cee3", "#fdbf6f", "#b2df8a", "#cab2d6", "#ffff99", "#fbb4ae", "#8dd3c7", "#e5c494" };

#define NCOLOURS (sizeof(colours) / sizeof(colours[0]))
#define RED "#ff4040"

#define KEY "r0.3: thread 3 of rank 0; each rank has a colour; white: CPUs without a rank"

static struct sp_mark *
add(struct picture *picture)
{
	/* The array doubles at each power of two. */
	if ((picture->n & (picture->n - 1)) == 0)
		picture->mark = cmd_enlarge(picture->mark, picture->n ? 2 * picture->n : 1, sizeof(*picture->mark));
	picture->mark[picture->n] = (struct sp_mark){ .cpu = SP_NO_CPU };
	return &picture->mark[picture->n++];
}

static void
add_colour(struct picture *picture, uint32_t rank, uint32_t cpu, bool is_core)
{
	struct sp_mark *mark = add(picture);

	mark->cpu = cpu;
	mark->is_core = is_core;
	mark->colour = colours[rank % NCOLOURS];
}

/* The CPUs of the core of each CPU in turn, and whether it is the first of them. */
static bool
begins_core(const struct sp_machine *machine, uint32_t i)
{
	return i == 0 || machine->pu[i].core != machine->pu[i - 1].core;
}

static bool
has_core(const struct sp_machine *machine, uint32_t i, const struct sp_cpus *share)
{
	for (uint32_t core = machine->pu[i].core; i < machine->ncpus && machine->pu[i].core == core; i++)
		if (!sp_cpus_has(share, machine->pu[i].cpu))
			return false;
	return true;
}

void
picture_add_share(struct picture *picture, uint32_t rank, const struct sp_cpus *share)
{
	const struct sp_machine *machine = picture->machine;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (begins_core(machine, i) && has_core(machine, i, share))
			add_colour(picture, rank, machine->pu[i].cpu, true);
		if (sp_cpus_has(share, machine->pu[i].cpu))
			add_colour(picture, rank, machine->pu[i].cpu, false);
	}
}

void
picture_add_rank(struct picture *picture, uint32_t rank, const struct sp_cpus *share)
{
	const struct sp_machine *machine = picture->machine;
	uint32_t last = SP_NO_CPU;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_cpus_has(share, machine->pu[i].cpu) || machine->pu[i].core == last)
			continue;
		last = machine->pu[i].core;
		struct sp_mark *mark = add(picture);

		mark->cpu = machine->pu[i].cpu;
		mark->is_core = true;
		snprintf(mark->name, sizeof(mark->name), "r%u", rank);
	}
}

void
picture_add_thread(struct picture *picture, uint32_t rank, uint32_t thread, const struct sp_cpus *cpus, bool is_wrong)
{
	struct sp_mark *mark = add(picture);

	mark->cpu = sp_cpus_next(cpus, 0);
	mark->is_core = sp_cpus_count(cpus) > 1;
	mark->colour = is_wrong ? RED : NULL;
	snprintf(mark->name, sizeof(mark->name), "r%u.%u", rank, thread);
}

void
picture_add_gpus(struct picture *picture, uint32_t rank, const struct sp_gpu_list *gpus)
{
	for (uint32_t i = 0; i < gpus->n; i++) {
		struct sp_mark *mark = add(picture);

		mark->device = picture->machine->gpus.gpu[gpus->gpu[i]].address;
		mark->colour = colours[rank % NCOLOURS];
	}
}

void
picture_release(struct picture *picture)
{
	free(picture->mark);
}

static const char *
ending_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot : "";
}

int
picture_take(void *field, const char *path)
{
	static const char *const endings[] = { ".svg", ".png", ".pdf" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(ending_of(path), endings[i]) == 0)
			return cmd_take_text(field, path);
	cmd_complain("--picture %s: use the name of a file that ends in .svg, .png or .pdf", path);
	return CMD_USAGE;
}

/* lstopo-no-graphics writes texts of SVG as texts, lstopo as outlines; it alone draws what is not SVG. */
static char *
look_up_renderer(const char *path)
{
	bool is_svg = strcmp(ending_of(path), ".svg") == 0;
	char *found = is_svg ? cmd_look_up("lstopo-no-graphics") : NULL;

	return found ? found : cmd_look_up("lstopo");
}

/* Returns its exit status, or a negative errno. */
static int
run(char *program, int input, int output, char *arguments[])
{
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	int error = posix_spawn(&pid, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return -error;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Of what lstopo has said the first line is its reason; its usage may follow. */
static void
complain(const char *path, const char *program, FILE *said)
{
	char line[256] = "";

	rewind(said);
	if (!fgets(line, sizeof(line), said))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	cmd_complain("--picture %s: %s has failed: %s%s", path, program, line,
		     strcmp(ending_of(path), ".svg") == 0 ? "" : " (an lstopo without graphics draws only .svg)");
}

static int
render(int xml, const char *title, const char *sentence, const char *path)
{
	char *program = look_up_renderer(path), *file = cmd_format("%s%s", *path == '-' ? "./" : "", path);
	char *arguments[] = { program, "--if", "xml", "-i", "-", "--no-factorize", "--no-default-legend", "--append-legend", (char *)title,
			      "--append-legend", (char *)sentence, "--append-legend", KEY, "-f", file, NULL };
	FILE *said = tmpfile();
	int status = program && said ? run(program, xml, fileno(said), arguments) : -errno;

	if (!program)
		cmd_complain("--picture %s: lstopo draws it, and is not installed: its package is hwloc (hwloc-nox for .svg alone), or hwloc-gui", path);
	else if (status < 0)
		cmd_complain("--picture %s: %s cannot be started: %s", path, program, strerror(-status));
	else if (status)
		complain(path, program, said);
	if (said)
		fclose(said);
	free(program);
	free(file);
	return !program || status ? CMD_USAGE : 0;
}

int
picture_draw(const struct picture *picture, const char *source, const char *title, const char *sentence, const char *path)
{
	if (sp_topology_is_text(source)) {
		cmd_complain("%s: a picture takes a machine in hwloc's XML (lstopo NAME.xml writes one)", source);
		return CMD_USAGE;
	}
	FILE *to = path ? tmpfile() : stdout;
	int error = to ? sp_topology_draw(source, picture->mark, picture->n, to) : -errno, status;

	if (!error && path && (fflush(to) || lseek(fileno(to), 0, SEEK_SET) < 0))
		error = -errno;
	if (error)
		cmd_complain("the picture cannot be written: %s", strerror(-error));
	status = error ? EXIT_FAILURE : path ? render(fileno(to), title, sentence, path) : cmd_close_output();
	if (path && to)
		fclose(to);
	return status;
}
