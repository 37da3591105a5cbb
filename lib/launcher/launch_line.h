/*
 * What a launcher's line says of the job that it starts, program by program:
 * mpirun -n 4 -x OMP_NUM_THREADS=2 ./a : -n 1 -x OMP_NUM_THREADS=8 ./b
 *
 * Pure, no allocation.
 */
#ifndef SP_LAUNCH_LINE_H
#define SP_LAUNCH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launcher/options.h"

/* A launcher's arguments (/proc/PID/cmdline: NUL after each), its name first.  Nothing is owned. */
struct sp_launch {
	const struct sp_syntax *syntax;
	bool is_x_shared;	/* -x of one program counts for those without their own: Open MPI 5 */
	const char *arguments;
	size_t length;
};

/* Its part that starts one program; of what several options say the last counts. */
struct sp_part_of_launch {
	uint32_t ranks, nodes, a_node;	/* 0: it does not say */
	bool has_hosts;			/* nodes are named */
	bool is_elsewhere;		/* a file says what is started (srun --multi-prog, -configfile) */
	const char *folder;		/* where the program is started; NULL: it does not say */
	struct sp_words program;	/* with its arguments */
};

/* Called with each variable that is given a value; neither ends with NUL.  NULL in its place: variables are not wanted. */
typedef void sp_variable_visitor(const char *name, size_t length, const char *value, size_t value_length, void *data);

/* Visit those that are given to all programs, wherever in the line; a part may give another value. */
void sp_launch_shared(const struct sp_launch *launch, sp_variable_visitor *visit, void *data);

/*
 * Take the next part off the launch, and visit what is given to its program alone.
 * False: there is none.
 */
bool sp_launch_next(struct sp_launch *launch, struct sp_part_of_launch *part, sp_variable_visitor *visit, void *data);

#endif
