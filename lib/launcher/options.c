#include <string.h>

#include "launcher/options.h"

#define UNKNOWN (-1)

struct takes {
	char name[30];
	signed char values;
};

/* Options of orterun 4.1 and of PRRTE's mpirun, prterun, orted and prted. */
static const struct takes openmpi[] = {
	{ "H", 1 }, { "N", 1 }, { "c", 1 }, { "n", 1 }, { "np", 1 }, { "x", 1 },
	{ "activate", 1 }, { "add-host", 1 }, { "add-hostfile", 1 }, { "alloc-id", 1 }, { "allow-run-as-root", 0 },
	{ "am", 1 }, { "amca", 1 }, { "app", 1 }, { "append-env", 1 }, { "arch", 1 },
	{ "bind-to", 1 }, { "bind-to-core", 0 }, { "bind-to-none", 0 }, { "bind-to-socket", 0 }, { "bindto", 1 },
	{ "bycore", 0 }, { "bynode", 0 }, { "byslot", 0 }, { "bysocket", 0 }, { "cartofile", 1 }, { "cf", 1 },
	{ "continuous", 0 }, { "cpu-list", 1 }, { "cpu-set", 1 }, { "cpus-per-proc", 1 }, { "cpus-per-rank", 1 },
	{ "d", 0 }, { "daemonize", 0 }, { "debug", 0 }, { "debug-daemons", 0 }, { "debug-daemons-file", 0 },
	{ "debug-devel", 0 }, { "debugger", 1 }, { "default-hostfile", 1 }, { "disable-recovery", 0 }, { "display", 1 },
	{ "display-allocation", 0 }, { "display-comm", 0 }, { "display-comm-finalize", 0 }, { "display-devel-allocation", 0 },
	{ "display-devel-map", 0 }, { "display-diffable-map", 0 }, { "display-map", 0 }, { "display-topo", 0 },
	{ "do-not-launch", 0 }, { "do-not-resolve", 0 }, { "dvm", 0 }, { "dvm-uri", 1 }, { "enable-recovery", 0 },
	{ "exec-agent", 1 }, { "file", 1 }, { "forward-signals", 1 }, { "get-stack-traces", 0 }, { "gmca", 2 },
	{ "gomca", 2 }, { "gpu-support", 1 }, { "h", 0 }, { "help", 0 }, { "hetero-nodes", 0 }, { "hnp", 1 },
	{ "host", 1 }, { "hostfile", 1 }, { "index-argv-by-rank", 0 }, { "initial-errhandler", 1 }, { "keepalive", 1 },
	{ "launch-agent", 1 }, { "leave-session-attached", 0 }, { "machinefile", 1 }, { "map-by", 1 }, { "mapby", 1 },
	{ "max-restarts", 1 }, { "max-vm-size", 1 }, { "mca", 2 }, { "memory-alloc-kinds", 1 },
	{ "merge-stderr-to-stdout", 0 }, { "namespace", 1 }, { "no-aggregate-help", 0 }, { "no-app-prefix", 0 },
	{ "no-ready-msg", 0 }, { "nolocal", 0 }, { "nooversubscribe", 0 }, { "noprefix", 0 }, { "novm", 0 },
	{ "npernode", 1 }, { "npersocket", 1 }, { "omca", 2 }, { "ompi-server", 1 }, { "output", 1 },
	{ "output-directory", 1 }, { "output-filename", 1 }, { "output-proctable", 0 }, { "oversubscribe", 0 },
	{ "parsable", 0 }, { "parseable", 0 }, { "path", 1 }, { "pernode", 0 }, { "personality", 1 }, { "pid", 1 },
	{ "pmixmca", 2 }, { "ppr", 1 }, { "prefix", 1 }, { "preload-binary", 0 }, { "preload-files", 1 },
	{ "prepend-env", 1 }, { "prtemca", 2 }, { "pset", 1 }, { "q", 0 }, { "quiet", 0 }, { "rank-by", 1 },
	{ "rankby", 1 }, { "rankfile", 1 }, { "report-bindings", 0 }, { "report-child-jobs-separately", 0 },
	{ "report-events", 1 }, { "report-pid", 1 }, { "report-state-on-timeout", 0 }, { "report-uri", 1 }, { "rf", 1 },
	{ "rtos", 1 }, { "runtime-options", 1 }, { "s", 0 }, { "set-cwd-to-session-dir", 0 }, { "set-env", 1 },
	{ "set-sid", 0 }, { "show-progress", 0 }, { "singleton", 1 }, { "soft", 0 }, { "spawn-timeout", 1 },
	{ "stdin", 1 }, { "stop-in-app", 0 }, { "stop-in-init", 0 }, { "stop-on-exec", 0 }, { "stream-buffering", 1 },
	{ "system-server", 0 }, { "tag-output", 0 }, { "timeout", 1 }, { "timestamp-output", 0 }, { "tmpdir", 1 },
	{ "tree-spawn", 0 }, { "tune", 1 }, { "tv", 0 }, { "uniform-nodes", 0 }, { "unset-env", 1 },
	{ "use-hwthread-cpus", 0 }, { "use-regexp", 0 }, { "v", 0 }, { "V", 0 }, { "verbose", 0 }, { "wd", 1 },
	{ "wdir", 1 }, { "with-ft", 1 }, { "xml", 0 }, { "xml-file", 1 }, { "xterm", 1 },
};

/* Options of hydra's mpiexec, MPICH's and Intel's. */
static const struct takes hydra[] = {
	{ "aps", 0 }, { "arch", 1 }, { "bind-to", 1 }, { "binding", 1 }, { "bootstrap", 1 }, { "bootstrap-exec", 1 },
	{ "bootstrap-exec-args", 1 }, { "branch-count", 1 }, { "check_mpi", 0 }, { "cleanup", 0 }, { "configfile", 1 },
	{ "cpu-bind", 1 }, { "debug", 0 }, { "demux", 1 }, { "disable-auto-cleanup", 0 },
	{ "disable-hostname-propagation", 0 }, { "disable-x", 0 }, { "enable-auto-cleanup", 0 },
	{ "enable-hostname-propagation", 0 }, { "enable-x", 0 }, { "env", 2 }, { "envall", 0 }, { "envlist", 1 },
	{ "envnone", 0 }, { "errfile", 1 }, { "errfile-pattern", 1 }, { "f", 1 }, { "g", 1 }, { "gdb", 0 },
	{ "gdb-args", 1 }, { "genv", 2 }, { "genvall", 0 }, { "genvexcl", 1 }, { "genvlist", 1 }, { "genvnone", 0 },
	{ "gpu-subdevs-per-proc", 1 }, { "gpus-per-proc", 1 }, { "grr", 1 }, { "gtool", 1 }, { "gtoolfile", 1 },
	{ "help", 0 }, { "host", 1 }, { "hostfile", 1 }, { "hostlist", 1 }, { "hosts", 1 }, { "hosts-group", 1 },
	{ "hybrid-hosts", 0 }, { "iface", 1 }, { "info", 0 }, { "l", 0 }, { "launcher", 1 }, { "launcher-exec", 1 },
	{ "localhost", 1 }, { "machine", 1 }, { "machinefile", 1 }, { "machinelist", 1 }, { "machines", 1 },
	{ "map-by", 1 }, { "membind", 1 }, { "memory-alloc-kinds", 1 }, { "mps", 0 }, { "n", 1 }, { "nameserver", 1 },
	{ "nolocal", 0 }, { "np", 1 }, { "order-nodes", 1 }, { "ordered-output", 0 }, { "outfile", 1 },
	{ "outfile-pattern", 1 }, { "output-from", 1 }, { "path", 1 }, { "perhost", 1 }, { "pmi-port", 0 },
	{ "pmi_args", 4 }, { "ppn", 1 }, { "prepend-pattern", 1 }, { "prepend-rank", 0 }, { "prepend-timestamp", 0 },
	{ "print-all-exitcodes", 0 }, { "print-rank-map", 0 }, { "profile", 0 }, { "prot", 0 }, { "rankmap", 1 },
	{ "report-bindings", 0 }, { "rmk", 1 }, { "rr", 0 }, { "s", 1 }, { "silent-abort", 0 }, { "skip-launch-node", 0 },
	{ "tmpdir", 1 }, { "topolib", 1 }, { "umask", 1 }, { "use-app-topology", 1 }, { "usize", 1 }, { "v", 0 },
	{ "verbose", 0 }, { "version", 0 }, { "wdir", 1 },
};

/* Their values are files with more options. */
static const char *const files[] = { "am", "amca", "app", "tune", "configfile", NULL };

/* Options of srun without a value, or with one only behind '='; all others take a value. */
static const char *const srun_flags[] = {
	"async", "bcast", "bell", "compress", "contiguous", "debugger-test", "disable-status", "exact", "exclusive",
	"external", "external-launcher", "get-user-env", "help", "hold", "ignore-pbs", "immediate", "interactive",
	"kill-on-bad-exit", "label", "multi-prog", "nice", "no-allocate", "no-bell", "no-kill", "oom-kill-step",
	"overcommit", "overlap", "oversubscribe", "preserve-env", "propagate", "pty", "quiet", "quit-on-interrupt",
	"reboot", "resv-ports", "send-libs", "share", "spread-job", "stepmgr", "test-only", "unbuffered", "usage",
	"use-min-nodes", "verbose", "version", "wait-for-children", "whole", "x11", NULL,
};

/* One-letter options of srun: without a value, and with one only in the same word. */
static const char srun_letters[] = "EHOQVXZhlsuv", srun_attached[] = "IKk";

bool
sp_option_is(const struct sp_option *option, const char *name)
{
	return strlen(name) == option->length && strncmp(name, option->name, option->length) == 0;
}

bool
sp_option_is_one_of(const struct sp_option *option, const char *const names[])
{
	while (*names && !sp_option_is(option, *names))
		names++;
	return *names != NULL;
}

static const struct takes *
in_table(const struct takes table[], size_t n, const struct sp_option *option)
{
	for (size_t i = 0; i < n; i++)
		if (sp_option_is(option, table[i].name))
			return &table[i];
	return NULL;
}

/* Go behind the ':' that ends a program's arguments. */
static void
skip_program(struct sp_options *options)
{
	for (const char *word; (word = sp_words_next(&options->words)); )
		if (strcmp(word, ":") == 0)
			return;
}

void
sp_options_begin(struct sp_options *options, enum sp_syntax syntax, const char *arguments, size_t length)
{
	bool is_whole = length > 0 && arguments[length - 1] == '\0';

	*options = (struct sp_options){
		.syntax = syntax,
		.words = { arguments, is_whole ? arguments + length : arguments },
		.is_incomplete = !is_whole,
	};
	sp_words_next(&options->words);
}

static int
values_of(const struct sp_options *options, const struct sp_option *option)
{
	if (options->syntax == SP_SYNTAX_SRUN)
		return sp_option_is_one_of(option, srun_flags) ? 0 : 1;
	const struct takes *takes = options->syntax == SP_SYNTAX_HYDRA ?
		in_table(hydra, sizeof(hydra) / sizeof(hydra[0]), option) :
		in_table(openmpi, sizeof(openmpi) / sizeof(openmpi[0]), option);
	return takes ? takes->values : UNKNOWN;
}

/* hydra's -genv NAME VALUE may be -genv NAME=VALUE. */
static void
take_values(struct sp_options *options, struct sp_option *option, int values)
{
	for (int i = 0; i < values; i++) {
		const char *value = sp_words_next(&options->words);

		if (i == 0)
			option->value = value;
		else if (i == 1)
			option->second = value;
		if (values == 2 && options->syntax == SP_SYNTAX_HYDRA && value && strchr(value, '='))
			return;
	}
}

/* The word behind an unknown option may be its value or the program. */
static void
doubt(struct sp_options *options)
{
	if (options->words.at < options->words.end && *options->words.at != '-')
		options->is_incomplete = true;
}

static void
read_long(struct sp_options *options, struct sp_option *option)
{
	const char *equals = strchr(option->name, '=');

	option->length = equals ? (size_t)(equals - option->name) : strlen(option->name);
	int values = values_of(options, option);
	if (options->syntax != SP_SYNTAX_SRUN && sp_option_is_one_of(option, files))
		options->is_incomplete = true;
	if (equals)
		option->value = equals + 1;
	else if (values == UNKNOWN)
		doubt(options);
	if (equals && values == 2)
		option->second = sp_words_next(&options->words);
	else if (!equals)
		take_values(options, option, values);
}

/* "-n4", "-n 4", "-lun 4": letters before the one with a value are skipped. */
static void
read_letters(struct sp_options *options, struct sp_option *option)
{
	while (option->name[1] != '\0' && strchr(srun_letters, option->name[0]))
		option->name++;
	option->length = 1;
	if (option->name[1] != '\0')
		option->value = option->name + 1;
	else if (!strchr(srun_letters, option->name[0]) && !strchr(srun_attached, option->name[0]))
		option->value = sp_words_next(&options->words);
}

/* Behind "--" the next word is the program. */
static void
note_program(struct sp_options *options, const char *word)
{
	if (strcmp(word, "--") == 0)
		word = options->words.at < options->words.end ? options->words.at : NULL;
	if (!options->program)
		options->program = word;
}

bool
sp_options_next(struct sp_options *options, struct sp_option *option)
{
	const char *word;

	while ((word = sp_words_next(&options->words))) {
		if (strcmp(word, ":") == 0)	/* options without a program */
			continue;
		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0) {
			note_program(options, word);
			skip_program(options);
			continue;
		}
		bool is_long = word[1] == '-';

		*option = (struct sp_option){ .word = word, .name = word + 1 + is_long };
		if (options->syntax == SP_SYNTAX_SRUN && !is_long)
			read_letters(options, option);
		else
			read_long(options, option);
		return true;
	}
	return false;
}
