/* splitpin show: reads the options, picks the jobs, prints them. */
#include "cmd/show/show.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/terminal.h"

enum { OPTION_ALL = 256, OPTION_FORMAT, OPTION_COLOR };

static const struct option options[] = {
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

struct request {
	bool all;
	const char *which;	/* a part of a job's name, or a process; NULL: all */
	void (*print)(const struct show *show);
};

static int
print_help(void)
{
	terminal_print_help("usage: splitpin show [JOB|PID] [--all] [--format text|json]\n"
	      "\n"
	      "Show the ranks and threads of your running jobs on this node: the share of each\n"
	      "rank, where each thread may run and where it last ran, and what is wrong with it.\n"
	      "\n"
	      "  JOB              only jobs that have this in their name, or this number as id\n"
	      "  PID              only the job of this process or thread\n"
	      "      --all        the jobs of all users, as far as their boards may be read\n"
	      "      --format FORMAT\n"
	      "                   text or json (default: text)\n"
	      "      --color WHEN auto, always or never (default: auto: on a terminal, unless\n"
	      "                   NO_COLOR is set)\n"
	      "  -h, --help       this text\n"
	      "\n"
	      "The exit status is 1 if threads have drifted out of their share or crowd a core, or\n"
	      "shares overlap.\n");
	return cmd_close_output();
}

static int
parse_format(const char *text, struct request *request)
{
	bool as_json;
	int status = cmd_text_or_json(text, &as_json);

	request->print = as_json ? show_print_json : show_print_text;
	return status;
}

/* Returns 0, a status, or -1: help was asked for. */
static int
parse_options(int argc, char *argv[], struct request *request)
{
	int option, status = 0;

	opterr = 0;
	optind = 1;
	while (!status && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return cmd_wrong_option(argv, option, options, "show");
		if (option == OPTION_ALL)
			request->all = true;
		else if (option == OPTION_COLOR)
			status = terminal_take_color(optarg);
		else
			status = parse_format(optarg, request);
	}
	if (!status && argc - optind > 1) {
		cmd_complain("%s: splitpin show takes one job or process", argv[optind + 1]);
		return CMD_USAGE;
	}
	request->which = argv[optind];
	return status;
}

static bool
is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* "12" is in "slurm 12.0" and not in "slurm 123.0". */
static bool
has_whole_number(const char *name, size_t length, const char *number)
{
	size_t digits = strlen(number);

	for (const char *at = name; (at = strstr(at, number)) && at + digits <= name + length; at++)
		if ((at == name || !isdigit((unsigned char)at[-1])) && !isdigit((unsigned char)at[digits]))
			return true;
	return false;
}

static bool
has_task(const struct show_rank *rank, pid_t tid)
{
	if (rank->seat.state != SP_SEAT_EMPTY && rank->seat.process.pid == tid)
		return true;
	for (size_t i = 0; i < rank->nthreads; i++)
		if (rank->thread[i].tid == tid)
			return true;
	return false;
}

static bool
job_has_task(const struct show_job *job, pid_t tid)
{
	for (uint32_t i = 0; i < job->nranks; i++)
		if (has_task(&job->rank[i], tid))
			return true;
	return false;
}

/* The number of ranks at the end is not part of the name that the user knows. */
static bool
is_meant(const struct show_job *job, const char *which)
{
	const char *end = strrchr(job->name, ',');
	size_t length = end ? (size_t)(end - job->name) : strlen(job->name);

	if (is_number(which))
		return has_whole_number(job->name, length, which) || job_has_task(job, (pid_t)atol(which));
	const char *at = strstr(job->name, which);
	return at && at + strlen(which) <= job->name + length;
}

/* Returns whether there is any. */
static bool
pick(struct show *show, const char *which)
{
	bool any = !which;

	for (size_t i = 0; which && i < show->njobs; i++) {
		show->job[i].is_wanted = is_meant(&show->job[i], which);
		any |= show->job[i].is_wanted;
	}
	return any;
}

static int
run(const struct request *request)
{
	const uid_t self = geteuid();
	struct show show;
	int error = jobs_read(request->all ? NULL : &self, &show), status = CMD_USAGE;

	if (error) {
		cmd_complain("/dev/shm cannot be listed: %s", strerror(-error));
	} else if (!pick(&show, request->which)) {
		cmd_complain("%s: no job that runs with splitpin on this node has this name, id or process%s",
			     request->which, request->all ? "" : "; --all looks at the jobs of other users too");
	} else {
		faults_find(&show);
		request->print(&show);
		status = cmd_close_output() || show.nfaults ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	jobs_release(&show);
	return status;
}

int
cmd_show(int argc, char *argv[])
{
	struct request request = { .print = show_print_text };
	int status = parse_options(argc, argv, &request);

	return status < 0 ? print_help() : status ? status : run(&request);
}
