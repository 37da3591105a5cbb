#include "report/lasting.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launcher/job.h"

/* Users search for the batch system's number; without one it is the launch, by the name in splitpin show. */
static void
name_job(const struct sp_rank *rank, char *const environment[], char job[SP_JOB_NAME])
{
	const char *id = sp_job_batch_id(environment);

	if (id)
		snprintf(job, SP_JOB_NAME, "%s", id);
	else if (sp_job_name(rank, environment, job) != 0)
		strcpy(job, "?");
	else if (sp_job_is_named_by_ancestor(job) && sp_job_has_other_nodes(rank, environment) && sp_job_address_of(getpid(), job) == 0)
		return;		/* an ancestor process differs from node to node */
	else if (strrchr(job, ','))
		*strrchr(job, ',') = '\0';	/* the number of ranks on the node is not part of the job's name for people */
}

/* Whether the folder of a pattern has the same name on all nodes. */
static bool
has_one_folder(const char *pattern)
{
	const char *end = strrchr(pattern, '/');

	for (const char *c = pattern; end && (c = strchr(c, '%')) && c < end; c += 2)
		if (strchr("hpr", c[1]))
			return false;
	return true;
}

static void
begin_log(struct sp_lasting *lasting, const struct sp_settings *settings, const struct sp_pattern_values *values,
	  const struct sp_rank *rank, char *const environment[], struct sp_who *who)
{
	const struct sp_config *config = &settings->config;
	int error = sp_log_file_init(&lasting->log, config->log, values);

	if (error) {
		if (sp_job_is_first_rank(rank, environment))
			sp_warn_node(who, "SPLITPIN_LOG is too long for a file name: its lines go to standard error");
		return;
	}
	/* Where all ranks write, and the same holds for all, the first one is enough to say so; and the first node, where all write. */
	lasting->log.is_quiet = config->debug && values->local_rank != 0;
	lasting->log.is_alike = (config->debug || config->report) && has_one_folder(config->log) &&
				sp_job_first_node_is_alike(rank, environment);
	who->log = &lasting->log;
}

static void
begin_record(struct sp_record *record, const char *setting, const struct sp_pattern_values *values,
	     const struct sp_rank *rank, char *const environment[])
{
	static char path[PATH_MAX];	/* the stack may be small */

	if (sp_record_init(record, setting, values) != 0)
		return;
	const char *program = sp_site_program(path, sizeof(path));

	snprintf(record->program, sizeof(record->program), "%s", program ? program : "");
	record->job_ranks = sp_job_ranks(rank, environment);
	record->is_first_alike = sp_job_first_node_is_alike(rank, environment);
	record->has_first_as_many_cpus = sp_job_first_node_has_as_many_cpus(rank, environment);
}

void
sp_lasting_begin(struct sp_lasting *lasting, const struct sp_settings *settings, const struct sp_rank *rank,
		 char *const environment[], struct sp_who *who)
{
	const char *log = settings->config.log, *record = settings->site.record;
	char job[SP_JOB_NAME];

	if (!log && !record)
		return;
	name_job(rank, environment, job);
	const struct sp_pattern_values values = {
		.host = who->host, .job = job, .local_rank = rank->local_rank, .user = getuid(), .pid = getpid() };

	if (log)
		begin_log(lasting, settings, &values, rank, environment, who);
	if (record)
		begin_record(&lasting->record, record, &values, rank, environment);
}
