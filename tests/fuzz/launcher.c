/*
 * What launchers leave: the rank's environment, and command lines of the
 * processes above it (lines that begin with '>', their words divided by tabs).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "launcher/binding.h"
#include "gpus/whose.h"
#include "launcher/options.h"
#include "launcher/launch_line.h"
#include "launcher/remedy.h"

static const struct sp_gpus gpus = {
	.n = 4,
	.gpu = {
		{ "0000:c7:00.0", "GPU-11111111-2222-3333-4444-555555555555", SP_NVIDIA, 1, { 0, 0, SP_ANYWHERE } },
		{ "0000:c8:00.0", "", SP_NVIDIA, 1, { 0, 1, 1 } },
		{ "0000:d6:00.0", "GPU-0123456789abcdef", SP_AMD, 1, { 1, 2, 2 } },
		{ "0000:d9:00.0", "", SP_INTEL, 2, { 1, 3, 3 } },
	},
};

static void
check_list(const struct sp_gpu_list *list)
{
	char text[SP_GPUS_TEXT];

	must(list->n <= SP_GPUS_MAX);
	for (uint32_t i = 0; i < list->n; i++)
		must(list->gpu[i] < gpus.n);
	must(strlen(sp_gpus_format(&gpus, list, text, sizeof(text))) < sizeof(text));
	sp_gpus_near(&gpus, list);
}

static void
check_gpus(char *const environment[])
{
	struct sp_gpu_list seen[3], own;
	struct sp_near near[3];

	sp_gpus_given(environment);
	for (uint32_t i = 0; i < 3; i++) {
		sp_gpus_visible(environment, &gpus, &seen[i]);
		check_list(&seen[i]);
	}
	for (uint32_t i = 0; i < 3; i++) {
		sp_gpus_deal(seen, 3, i, &own);
		check_list(&own);
	}
	sp_gpus_place(&gpus, seen, 3, near);
}

static const struct sp_syntax *const syntaxes[] = { &sp_syntax_openmpi, &sp_syntax_hydra, &sp_syntax_srun };
#define NSYNTAXES (sizeof(syntaxes) / sizeof(syntaxes[0]))

static void
check_variable(const char *name, size_t length, const char *value, size_t value_length, void *data)
{
	const struct sp_launch *line = data;
	const char *end = line->arguments + line->length;

	must(name >= line->arguments && name + length <= end);
	must(value >= line->arguments && value + value_length <= end);
}

static void
check_parts(const char *arguments, size_t length)
{
	for (size_t k = 0; k < NSYNTAXES; k++) {
		struct sp_launch line = { .syntax = syntaxes[k], .is_x_shared = true, .arguments = arguments, .length = length }, rest = line;
		struct sp_part_of_launch part;
		size_t n = 0;

		sp_launch_shared(&line, check_variable, &line);
		while (sp_launch_next(&rest, &part, check_variable, &line)) {
			must(++n <= length);
			must(part.program.at >= arguments && part.program.at <= part.program.end && part.program.end <= arguments + length);
		}
	}
}

static void
check_options(const char *arguments, size_t length)
{
	for (size_t k = 0; k < NSYNTAXES; k++) {
		struct sp_options options;
		struct sp_option option;
		size_t n = 0;

		sp_options_begin(&options, syntaxes[k], arguments, length);
		while (sp_options_next(&options, &option)) {
			must(++n <= length);
			must(option.word >= arguments && option.word < arguments + length);
			must(option.name >= option.word && option.name + option.length <= arguments + length);
			must(!option.value || (option.value >= arguments && option.value <= arguments + length));
		}
	}
}

/* "mpirun\t-n\t2" becomes three words, each with its NUL.  Returns its length. */
static size_t
words_of(char *line)
{
	size_t length = strlen(line);

	for (char *tab = line; (tab = memchr(tab, '\t', length - (size_t)(tab - line)));)
		*tab++ = '\0';
	return length + 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_lines lines = fuzz_lines_read(data, size);
	struct sp_ancestor *ancestor = calloc(SP_ANCESTORS_MAX, sizeof(*ancestor));
	struct sp_rank rank;
	struct sp_binding binding;
	char text[256];
	size_t n = 0;
	int error;

	if (!ancestor)
		abort();
	for (size_t i = 0; i < lines.n; i++) {
		size_t length;

		if (lines.line[i][0] != '>' || n == SP_ANCESTORS_MAX)
			continue;
		length = words_of(lines.line[i]) - 1;
		check_options(lines.line[i] + 1, length);
		check_parts(lines.line[i] + 1, length);
		sp_ancestors_name(lines.line[i] + 1, length);
		ancestor[n++] = (struct sp_ancestor){
			.pid = 2, .arguments = lines.line[i] + 1, .length = length, .environment = lines.line };
	}
	memset(&rank, 0xa5, sizeof(rank));
	error = sp_launcher_rank(lines.line, &rank);
	must(error == 0 || error == -ENOENT || error == -EAGAIN || error == -EINVAL);
	if (error == 0) {
		must(rank.local_rank < rank.local_size && rank.from);
		sp_binding_find(&rank, lines.line, ancestor, n, &binding);
		must(memchr(binding.evidence, '\0', sizeof(binding.evidence)) != NULL);
		must(binding.asked <= SP_ASKED_YES);
		if (binding.evidence[0])
			fuzz_must_be_a_sentence(binding.evidence);
		fuzz_must_be_a_sentence(sp_launcher_remedy(rank.from, 8, text, sizeof(text)));
	} else if (error == -EINVAL) {
		must(rank.bad_name && rank.bad_value);
	}
	check_gpus(lines.line);
	free(ancestor);
	fuzz_lines_release(&lines);
	return 0;
}
