/* splitpin show: reads the options, picks the jobs, prints them. */
#include "cmd/commands.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/picture.h"
#include "cmd/show/holders.h"
#include "cmd/show/jobs_without.h"
#include "cmd/show/labels.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"
#include "cmd/show/table_row.h"
#include "cmd/show/which.h"
#include "cmd/terminal.h"
#include "process/process.h"

struct request {
	bool all;
	char *which;		/* a part of a job's name, or a process; NULL: all */
	enum { AS_TEXT, AS_TABLE, AS_JSON } format;
	bool is_format_set;
	const char *picture;	/* the file to draw to, or NULL */
};

static int
take_format(void *data, const char *value)
{
	struct request *request = data;

	request->format = strcmp(value, "json") == 0 ? AS_JSON : strcmp(value, "table") == 0 ? AS_TABLE : AS_TEXT;
	request->is_format_set = true;
	return 0;
}

static const struct cmd_option options[] = {
	{ "all", 0, NULL, NULL, "jobs of all users, where permissions allow it", cmd_take_flag, offsetof(struct request, all) },
	{ "format", 0, "FORMAT", "text table json", "text, table (one line for each rank) or json (default: text)", take_format, 0 },
	{ "picture", 0, "FILE", "<file>", "have lstopo draw one job: FILE.svg, FILE.png or FILE.pdf", picture_take, offsetof(struct request, picture) },
	CMD_COLOR,
	{ .name = NULL }
};

static void
print_more(void)
{
	terminal_print_help("\n"
	      "JOB is a part of a job's name, its ID, its program or its Slurm name; PID is a\n"
	      "process or thread of it. The exit status is 1 if threads have drifted out of\n"
	      "their share, crowd a core or have too few CPUs, ranks have no share, or shares\n"
	      "overlap.\n");
}

const struct cmd_usage show_usage = {
	.name = "show", .synopsis = "[OPTION]... [JOB|PID]", .options = options, .print_more = print_more,
	.about = "Show the ranks and threads of your running jobs on this node: the share of each\n"
		"rank, the cores that it needs and claims, where each thread may run and where it\n"
		"last ran, and its problems.\n"
		"Jobs without splitpin (MPI, or busy OpenMP threads) follow: where their threads run,\n"
		"what collides, and the command that starts them with splitpin.\n",
};

/* Returns 0, a status, or -1: help was asked for. */
static int
read_options(int argc, char *argv[], struct request *request)
{
	int status = cmd_options_read(&show_usage, argc, argv, NULL, request);

	if (!status && request->picture && request->is_format_set) {
		cmd_complain("--picture and --format exclude each other");
		return CMD_USAGE;
	}
	/* Several words are a name as the text has it: Slurm job 17 step 0. */
	for (; !status && optind < argc; optind++)
		request->which = cmd_append(request->which, " ", "%s", argv[optind]);
	return status;
}

static void
print_as_asked(const struct request *request, const struct show *show)
{
	if (request->format == AS_JSON) {
		show_print_json(show);
	} else if (request->format == AS_TABLE) {
		table_row_heading(strlen(show_host()));
		show_print_table(show);
	} else {
		show_print_text(show);
	}
}

/* Whether a process has this number, whose job would have been found. */
static bool
is_here(const struct request *request)
{
	char path[32];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%d", (int)sp_process_number(request->which));
	return stat(path, &file) == 0 && (request->all || file.st_uid == geteuid());
}

static char *
no_such_job(const struct request *request)
{
	char *sentence = is_here(request) ? cmd_format("%s: this process is not a rank, and has started none that runs", request->which) :
		cmd_format("%s: no such job, program or process on this node%s",
			   request->which, request->all ? "" : "; --all includes the jobs of other users");

	cmd_make_plain(sentence);
	return sentence;
}

/* Show this node.  Returns EXIT_FAILURE if there are faults. */
static int
look(const struct request *request)
{
	const uid_t self = geteuid();
	struct show show;
	int error = jobs_read(request->all ? NULL : &self, &show), status = CMD_USAGE;

	if (error == -E2BIG) {
		cmd_complain("/dev/shm has too many files: not all jobs are shown");
		error = 0;
	}
	if (error) {
		cmd_complain("/dev/shm cannot be listed: %s", strerror(-error));
	} else if (!jobs_pick(&show, request->which)) {
		char *sentence = no_such_job(request);
		cmd_complain("%s", sentence);
		free(sentence);
	} else {
		holders_find(&show);
		faults_find(&show);
		jobs_without_find_faults(&show);
		status = request->picture ? show_draw(&show, request->picture) : EXIT_SUCCESS;
		if (!request->picture)
			print_as_asked(request, &show);
		if (status == EXIT_SUCCESS)
			status = show.nfaults + show.ncrowded ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	jobs_release(&show);
	return status;
}

int
cmd_show(int argc, char *argv[])
{
	struct request request = { .format = AS_TEXT };
	int status = read_options(argc, argv, &request);

	if (geteuid() == 0)
		sp_process_read_all();
	if (status < 0) {
		status = cmd_print_help(&show_usage);
	} else if (status == 0) {
		status = look(&request);
		if (status != CMD_USAGE && cmd_close_output())
			status = EXIT_FAILURE;
	}
	free(request.which);
	return status;
}
