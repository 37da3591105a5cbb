/* splitpin survey run: samples the jobs of this node until it is stopped. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/pin.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/survey/judge.h"
#include "cmd/survey/line.h"
#include "cmd/survey/survey.h"
#include "cmd/terminal.h"
#include "process/process.h"

#define FOLDER "/var/log/splitpin"
#define EVERY 10.0
#define LEAST 0.01
#define MOST 31536000.0
#define FIRST_MS 500		/* between the first two samples */

struct request {
	double every, length;	/* seconds; length 0: until it is stopped */
	struct survey_file file;
	bool cost;
};

static int
take_seconds(const char *option, double *seconds, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (!*text || *end || !(value >= LEAST && value <= MOST)) {
		cmd_complain("%s %s: use seconds from %g to %.0f", option, text, LEAST, MOST);
		return CMD_USAGE;
	}
	*seconds = value;
	return 0;
}

static int
take_every(void *request, const char *text)
{
	return take_seconds("--every", &((struct request *)request)->every, text);
}

static int
take_for(void *request, const char *text)
{
	return take_seconds("--for", &((struct request *)request)->length, text);
}

static const struct cmd_option options[] = {
	{ "every", 0, "SECONDS", NULL, "time between two samples (default: 10)", take_every, 0 },
	{ "for", 0, "SECONDS", NULL, "end by itself after so long", take_for, 0 },
	{ "folder", 0, "FOLDER", "<file>", "existing folder for the file of each day, which has mode 0600 (default: " FOLDER ")",
	  cmd_take_text, offsetof(struct request, file.folder) },
	{ "cluster", 0, "NAME", NULL, "name of the cluster, to be written into each line", cmd_take_text, offsetof(struct request, file.cluster) },
	{ "lines", 0, NULL, NULL, "record the line with which each job with a problem could be started; it may have names",
	  cmd_take_flag, offsetof(struct request, file.with_lines) },
	{ "cost", 0, NULL, NULL, "say at the end what a sample took", cmd_take_flag, offsetof(struct request, cost) },
	{ .name = NULL }
};

const struct cmd_usage survey_run_usage = {
	.name = "survey run", .synopsis = "[OPTION]...", .options = options,
	.about = "Sample the MPI and OpenMP jobs of this node, with or without splitpin, until it is\n"
		"stopped, and write one line of JSON for each when it ends; as root of all users.\n",
};

/* Signals that stop it wait until it sleeps. */
static sigset_t
block_signals(void)
{
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	return stop;
}

/* Sleep; false: it is to stop. */
static bool
sleep_until_next(const sigset_t *stop, double seconds)
{
	const struct timespec time = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9) };

	return sigtimedwait(stop, NULL, &time) < 0;
}

static int
write_ended(struct survey *survey, const struct survey_file *file)
{
	int error = 0;

	for (struct survey_job *job = survey->job, *next; job; job = next) {
		next = job->next;
		if (job->living)
			continue;
		error = line_write(file, job, false) ? -EIO : error;
		watch_drop(survey, job);
	}
	return error;
}

/* A job that goes on has a line in the file of each day. */
static int
write_parts(struct survey *survey, const struct survey_file *file)
{
	int error = 0;

	for (struct survey_job *job = survey->job; job; job = job->next) {
		error = line_write(file, job, true) ? -EIO : error;
		job->from = job->to;
		job->is_part = true;
		job->ran_ns = job->waited_ns = job->lost_ns = job->idle_ns = job->left_out_ns = 0;
		memset(job->piled_ns, 0, sizeof(job->piled_ns));
	}
	return error;
}

static int
sample(struct survey *survey, const struct survey_file *file)
{
	char before[LINE_DAY], after[LINE_DAY];
	int error = 0;

	line_day(survey->time ? survey->time : (int64_t)time(NULL), before);
	line_day((int64_t)time(NULL), after);
	if (strcmp(before, after) != 0)
		error = write_parts(survey, file);
	watch_sample(survey);
	judge_interval(survey);
	return write_ended(survey, file) ? -EIO : error;
}

static void
tell_cost(unsigned samples)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	double ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	printf("%u samples, %.1f ms of CPU each, %ld MB\n", samples, ms / samples, used.ru_maxrss / 1024);
}

/* How long to sleep: there are two intervals at least, since one alone shows no pile-up. */
static double
nap_after(const struct request *request, double passed)
{
	double nap = passed > 0 ? request->every : fmin(FIRST_MS / 1e3, request->every);

	return request->length ? fmin(nap, passed > 0 ? request->length - passed : request->length / 2) : nap;
}

static int
run(const struct request *request)
{
	static struct survey survey;
	const sigset_t stop = block_signals();
	int error = sp_pin_allowed(&survey.all);
	double passed = 0;
	unsigned samples = 1;
	bool is_stopped = false;

	if (error) {
		cmd_complain("the CPUs of this node cannot be read: %s", strerror(-error));
		return EXIT_FAILURE;
	}
	/* Nothing is written before a job ends, which may be hours later. */
	if (access(request->file.folder, W_OK | X_OK) != 0) {
		cmd_complain("--folder %s: %s", request->file.folder, strerror(errno));
		return EXIT_FAILURE;
	}
	survey.is_root = geteuid() == 0;
	if (survey.is_root)
		sp_process_read_all();
	error = sample(&survey, &request->file);
	for (; !error && !is_stopped && (!request->length || passed < request->length - LEAST / 2); samples++) {
		double nap = nap_after(request, passed);

		is_stopped = !sleep_until_next(&stop, nap);
		error = sample(&survey, &request->file);
		passed += nap;
	}
	if (!error)
		error = write_parts(&survey, &request->file);
	watch_release(&survey);
	if (request->cost)
		tell_cost(samples);
	return error || cmd_close_output() ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
survey_run(int argc, char *argv[])
{
	struct request request = { .every = EVERY, .file = { .folder = FOLDER } };
	int status = cmd_options_read(&survey_run_usage, argc, argv, NULL, &request);

	if (!status && optind < argc) {
		cmd_complain("%s: splitpin survey run takes only options", argv[optind]);
		return CMD_USAGE;
	}
	if (status)
		return status < 0 ? cmd_print_help(&survey_run_usage) : status;
	return run(&request);
}
