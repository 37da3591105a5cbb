/* The families of OpenMP runtimes that splitpin knows: see elf/runtimes.h. */
#ifndef SP_RUNTIME_H
#define SP_RUNTIME_H

enum sp_runtime {
	SP_LIBGOMP,		/* no OMPT; seen through thread creation */
	SP_LIBOMP,		/* libomp, libiomp5 and others with OMPT */
	SP_RUNTIMES
};

#endif
