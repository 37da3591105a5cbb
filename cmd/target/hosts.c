/* Which nodes a command line of Open MPI's mpirun names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/target/target.h"
#include "launcher/options.h"

/* Compares the first part of the names, as in lists of hosts. */
static bool
is_this_node(const char *host)
{
	char own[256] = "";
	size_t length = strcspn(host, ".");

	if (gethostname(own, sizeof(own) - 1) != 0)
		return true;
	return strncmp(host, "localhost", 9) == 0 || strncmp(host, "127.", 4) == 0 || host[0] == '+' ||
	       (strcspn(own, ".") == length && strncmp(host, own, length) == 0);
}

/* "a:2,b:2" */
static bool
list_has_other(const char *list)
{
	char *copy = cmd_format("%s", list), *rest = NULL;
	bool has = false;

	for (char *host = strtok_r(copy, ",", &rest); host; host = strtok_r(NULL, ",", &rest)) {
		host[strcspn(host, ":")] = '\0';
		has |= *host && !is_this_node(host);
	}
	free(copy);
	return has;
}

/* A host at the beginning of each line.  A file that cannot be read here is taken to name other nodes. */
static bool
file_has_other(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return true;
	char line[1024];
	bool has = false;

	while (fgets(line, sizeof(line), file)) {
		char *host = line + strspn(line, " \t");

		host[strcspn(host, " \t:=\r\n#")] = '\0';
		has |= *host && !is_this_node(host);
	}
	fclose(file);
	return has;
}

/* Without an option the file of a parameter counts, or what the batch system has allocated. */
static bool
default_has_other(void)
{
	static const char *const names[] = { "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "PRTE_MCA_default_hostfile" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = getenv(names[i]);

		if (path && *path)
			return file_has_other(path);
	}
	const char *nodes = getenv("SLURM_JOB_NUM_NODES");
	return nodes && atol(nodes) > 1;
}

bool
target_names_others(const char *arguments, size_t length)
{
	static const char *const lists[] = { "host", "H", "add-host", NULL };
	static const char *const files[] = { "hostfile", "machinefile", "default-hostfile", "add-hostfile", NULL };
	struct sp_options options;
	struct sp_option option;
	bool has = false, is_told = false;

	sp_options_begin(&options, &sp_syntax_openmpi, arguments, length);
	while (sp_options_next(&options, &option)) {
		bool is_list = option.value && sp_option_is_one_of(&option, lists), is_file = option.value && sp_option_is_one_of(&option, files);

		is_told |= is_list || is_file;
		if (is_list)
			has |= list_has_other(option.value);
		else if (is_file)
			has |= file_has_other(option.value);
	}
	return is_told ? has : default_has_other();
}
