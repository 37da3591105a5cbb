/* The jobs that run without splitpin: as text, as lines of the table, and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/show/labels.h"
#include "cmd/show/print.h"
#include "cmd/show/table_row.h"
#include "cmd/show/which.h"
#include "cmd/terminal.h"

/* Where the threads of a process may run, and how many are busy. */
struct extent {
	struct sp_cpus cpus, last;
	size_t busy;
};

static struct extent
extent_of(const struct show_process *process)
{
	struct extent extent = { .busy = 0 };

	for (size_t i = 0; i < process->nthreads; i++) {
		sp_cpus_or(&extent.cpus, &process->thread[i].cpus);
		sp_cpus_add(&extent.last, process->thread[i].last);
		extent.busy += process->thread[i].is_busy;
	}
	return extent;
}

/* "rank 3", or "process" if it is not a rank; the caller's. */
static char *
title_of(const struct show_process *process)
{
	return process->number >= 0 ? cmd_format("rank %d", process->number) : cmd_format("process");
}

static void
print_process(const struct show_process *process)
{
	struct extent extent = extent_of(process);
	char *cpus = cmd_list(&extent.cpus), *last = cmd_list(&extent.last), *title = title_of(process);

	terminal_print(0, 4, "%s  pid %d  %s: %zu thread%s, %zu busy, last on CPU%s %s; may run on CPU%s %s", title, (int)process->pid,
		       process->program, process->nthreads, sp_plural((uint32_t)process->nthreads), extent.busy,
		       sp_plural(sp_cpus_count(&extent.last)), last, sp_plural(sp_cpus_count(&extent.cpus)), cpus);
	free(title);
	free(last);
	free(cpus);
}

static void
print_other(const struct show_other *other)
{
	char *user = show_user(other->owner);
	char *owner = other->owner == geteuid() ? cmd_format("%s", "") : cmd_format(", user %s", user);

	putchar('\n');
	terminal_print(0, 4, "without splitpin: %s %s, %zu process%s%s", other->name, other->process[0].program, other->n,
		       other->n == 1 ? "" : "es", owner);
	if (other->problem) {
		terminal_print(0, 4, "%sproblem:%s %s", terminal_red(), terminal_plain(), other->problem);
		terminal_print(0, 4, "  remedy: %s", other->remedy);
	}
	for (size_t i = 0; i < other->n; i++)
		print_process(&other->process[i]);
	free(owner);
	free(user);
}

void
jobs_without_print_text(const struct show *show)
{
	for (size_t i = 0; i < show->nothers; i++)
		if (show->other[i].is_wanted)
			print_other(&show->other[i]);
}

static void
print_row(const struct show_other *other, const struct show_process *process, const char *user)
{
	struct extent extent = extent_of(process);
	char *cpus = cmd_list(&extent.cpus), number[16] = "-";

	if (process->number >= 0)
		snprintf(number, sizeof(number), "%d", process->number);
	table_row_print(&(struct table_row){ .user = user, .job = other->name, .rank = number,
		.pid = process->pid, .program = process->program, .cpus = cpus, .busy = extent.busy, .threads = process->nthreads });
	printf("  %s%swithout splitpin%s\n", other->problem ? terminal_red() : "", other->problem ? "few_cpus " : "", other->problem ? terminal_plain() : "");
	free(cpus);
}

void
jobs_without_print_table(const struct show *show)
{
	for (size_t i = 0; i < show->nothers; i++) {
		const struct show_other *other = &show->other[i];
		char *user = show_user(other->owner);

		for (size_t k = 0; k < other->n && other->is_wanted; k++)
			print_row(other, &other->process[k], user);
		free(user);
	}
}

static void
put_process(const struct show_process *process)
{
	struct extent extent = extent_of(process);

	json_row(NULL);
	json_number("pid", process->pid);
	if (process->number >= 0)
		json_number("rank", process->number);
	json_text("program", process->program);
	json_number("thread_count", (int64_t)process->nthreads);
	json_number("busy", (int64_t)extent.busy);
	json_cpus("cpus", &extent.cpus);
	json_cpus("last_cpus", &extent.last);
	json_end();
}

static void
put_other(const struct show_other *other)
{
	char *user = show_user(other->owner), *word = jobs_word(other->name);

	json_object(NULL);
	json_text("name", other->name);
	json_text("word", word);
	json_text("user", user);
	json_number("uid", other->owner);
	json_text("problem", other->problem);
	json_text("remedy", other->remedy);
	json_text("command_line", other->line);
	json_array("processes");
	for (size_t i = 0; i < other->n; i++)
		put_process(&other->process[i]);
	json_end();
	json_end();
	free(word);
	free(user);
}

void
jobs_without_print_json(const struct show *show)
{
	json_array("without_splitpin");
	for (size_t i = 0; i < show->nothers; i++)
		if (show->other[i].is_wanted)
			put_other(&show->other[i]);
	json_end();
}
