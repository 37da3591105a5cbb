/*
 * The parts of a launch line that starts several programs as one job:
 * mpirun -n 4 -x OMP_NUM_THREADS=2 ./a : -n 1 -x OMP_NUM_THREADS=8 ./b
 *
 * Pure, no allocation.
 */
#ifndef SP_PARTS_H
#define SP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SP_PARTS_MAX 64

struct sp_part_of_launch {
	uint32_t ranks;		/* 0: the line does not say */
	const char *threads;	/* the value that OMP_NUM_THREADS is given in this part; NULL: none */
};

/*
 * Read them off a launcher's arguments (/proc/PID/cmdline: NUL after each),
 * which part points into.  Returns how many there are: 1 where one program is
 * started; 0: the line alone does not say (srun --multi-prog, a file of
 * options), or there are more than SP_PARTS_MAX.
 */
size_t sp_parts_read(const char *arguments, size_t length, struct sp_part_of_launch part[SP_PARTS_MAX]);

#endif
