/* The table of a node: a line for each rank, with its threads, its cores, and a picture of these. */
#include <stdio.h>
#include <string.h>

#include "gpus/whose.h"
#include "report/mask_picture.h"
#include "report/rank_gpus.h"
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A column, where the machine has GPUs that count. */
#define GPU_COLUMN 28
#define GPU_WIDTH 15		/* mostly */

static const char *
gpu_of(const struct sp_machine *machine, const struct sp_rank_gpus *gpus, char gpu[GPU_COLUMN])
{
	return machine->gpus.n ? sp_gpus_format(&machine->gpus, &gpus->own, gpu, GPU_COLUMN) : "";
}

static const char *
gpu_column(const struct sp_machine *machine, const char *gpu, char column[GPU_COLUMN + 2])
{
	if (!machine->gpus.n)
		return "";
	snprintf(column, GPU_COLUMN + 2, "%-*s ", GPU_WIDTH - 1, gpu);
	return column;
}

static const char *
memory_of(const struct sp_seat *seat)
{
	return *seat->memory ? seat->memory : "-";
}

/* What a line says of a rank, as texts; cores, CPUs and NUMA nodes by number. */
struct row {
	char threads[24], cores[SP_CPUS_TEXT], numa[SP_CPUS_TEXT], cpus[SP_CPUS_TEXT];
};

static const struct sp_cpus *
cpus_of(const struct sp_seat *seat)
{
	return seat->state == SP_SEAT_REFUSED ? &seat->inherited : &seat->share;
}

static void
row_init(struct row *row, const struct sp_machine *machine, const struct sp_seat *seat)
{
	struct sp_cpus cores, nodes;

	*row = (struct row){ .cpus = "" };
	sp_machine_extent(machine, cpus_of(seat), &cores, &nodes);
	snprintf(row->threads, sizeof(row->threads), seat->threads > 1 ? "0-%u" : seat->threads ? "0" : "-", seat->threads - 1);
	sp_cpus_format(&cores, row->cores, sizeof(row->cores));
	sp_cpus_format(&nodes, row->numa, sizeof(row->numa));
	sp_cpus_format(cpus_of(seat), row->cpus, sizeof(row->cpus));
}

/* Widths of columns, no wider than the widest entry. */
struct columns {
	int threads, cores, numa, cpus;
	int memory;		/* 0: none, where no rank has a policy of its own */
	int picture;		/* what is left of a line of LINE characters, within limits */
};

#define LINE 80
#define LEAST_PICTURE 16

#define WIDEST 32		/* a wider text shifts the columns behind it */

static int
wider(int width, const char *text)
{
	int length = (int)strlen(text);

	return length > width && length <= WIDEST ? length : width;
}

static struct columns
find_columns(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[])
{
	struct columns columns = { .threads = (int)strlen("threads"), .cores = (int)strlen("cores"), .numa = (int)strlen("NUMA"),
				   .cpus = (int)strlen("CPUs") };
	bool has_policy = false;
	int memory = (int)strlen("memory");
	struct row row;

	for (uint32_t rank = 0; rank < who->local_size; rank++) {
		if (seats[rank].state == SP_SEAT_EMPTY)
			continue;
		row_init(&row, machine, &seats[rank]);
		columns.threads = wider(columns.threads, row.threads);
		columns.cores = wider(columns.cores, row.cores);
		columns.numa = wider(columns.numa, row.numa);
		columns.cpus = wider(columns.cpus, row.cpus);
		memory = wider(memory, memory_of(&seats[rank]));
		has_policy |= *seats[rank].memory && strcmp(seats[rank].memory, "default") != 0;
	}
	columns.memory = has_policy ? memory : 0;
	int others = (int)(strlen("splitpin: host= ") + strlen(who->host) + strlen("   0    4711          ")) + columns.threads +
		     columns.cores + columns.numa + columns.cpus + (machine->gpus.n ? GPU_WIDTH : 0) + (has_policy ? memory + 2 : 0);
	columns.picture = LINE - others < LEAST_PICTURE ? LEAST_PICTURE : LINE - others < SP_PICTURE_MAX ? LINE - others : SP_PICTURE_MAX;
	return columns;
}

/* The reason that all ranks have, which has a line of its own; NULL: they differ, or no rank has come. */
static const char *
common_reason(const struct sp_who *who, const struct sp_seat seats[])
{
	const char *why = NULL;

	for (uint32_t rank = 0; rank < who->local_size; rank++) {
		if (seats[rank].state == SP_SEAT_EMPTY)
			continue;
		if (why && strcmp(why, seats[rank].why) != 0)
			return NULL;
		why = seats[rank].why;
	}
	return why;
}

/* Drawn in the room that is left, or as wide as needed if no form of the picture fits. */
static const char *
picture_of(const struct sp_machine *machine, const struct sp_cpus *cpus, int room, char picture[SP_PICTURE_MAX + 2])
{
	sp_picture(machine, cpus, picture, (size_t)room + 2);
	return strstr(picture, "...") ? sp_picture(machine, cpus, picture, SP_PICTURE_MAX + 2) : picture;
}

static void
table_line(const struct sp_who *who, const struct sp_machine *machine, uint32_t rank, const struct sp_seat *seat,
	   const struct sp_rank_gpus *gpus, const struct columns *columns, bool with_reason)
{
	char gpu[GPU_COLUMN], column[GPU_COLUMN + 2], picture[SP_PICTURE_MAX + 2];
	struct row row;

	if (seat->state == SP_SEAT_EMPTY)
		return;
	row_init(&row, machine, seat);
	const struct sp_field field[] = {
		{ .key = "rank", .number = rank },
		{ .key = "pid", .number = seat->process.pid },
		{ .key = "core_list", .text = row.cores },
		{ .key = "thread_count", .number = seat->threads },
		{ .key = "memory", .text = seat->memory },
		{ .key = "numa_list", .text = row.numa },
		{ .key = "cpu_list", .text = row.cpus },
		{ .key = "why", .text = seat->why },
		{ .key = "gpu_list", .text = gpu_of(machine, gpus, gpu), .is_absent = !machine->gpus.n },
	};
	sp_log_node_event(who, "row", field, COUNT(field), "%4u %7d  %-*s  %-*s  %-*s  %-*s  %s%-*s%s%s%s%s%s",
			  rank, (int)seat->process.pid, columns->threads, row.threads, columns->cores, row.cores, columns->cpus, row.cpus,
			  columns->numa, *row.numa ? row.numa : "-", gpu_column(machine, gpu, column),
			  columns->memory, columns->memory ? memory_of(seat) : "", columns->memory ? "  " : "",
			  picture_of(machine, cpus_of(seat), columns->picture, picture),
			  with_reason ? "  (" : "", with_reason ? seat->why : "", with_reason ? ")" : "");
}

/* Threads and cores side by side: which threads each rank has announced, and the cores for them, as splitpin plan numbers both. */
void
sp_report_table(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[])
{
	struct sp_rank_gpus gpus;
	const char *why = common_reason(who, seats);
	const struct columns columns = find_columns(who, machine, seats);

	if (!sp_who_logs_json(who))
		sp_log_node(who, "rank     pid  %-*s  %-*s  %-*s  %-*s  %s%-*s%s%s%s", columns.threads, "threads", columns.cores, "cores",
			    columns.cpus, "CPUs", columns.numa, "NUMA", machine->gpus.n ? "GPU            " : "",
			    columns.memory, columns.memory ? "memory" : "", columns.memory ? "  " : "", "the node", why ? "" : "  (why)");
	for (uint32_t rank = 0; rank < who->local_size; rank++) {
		sp_rank_gpus(machine, seats, who->local_size, rank, &gpus);
		table_line(who, machine, rank, &seats[rank], &gpus, &columns, !why);
	}
	if (why && !sp_who_logs_json(who))
		sp_log_node(who, "why: %s", why);
}
