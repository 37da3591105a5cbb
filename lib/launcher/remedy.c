#include <stdio.h>
#include <string.h>

#include "launcher/remedy.h"

static const struct {
	const char *from, *format;	/* of the number of threads */
} remedies[] = {
	{ "openmpi", "give mpirun --bind-to none, or --map-by slot:PE=%u" },
	{ "pmix", "give prterun --bind-to none, or --map-by slot:PE=%u" },
	{ "hydra", "give mpiexec no -bind-to, or -bind-to core:%u" },
	{ "intel", "set I_MPI_PIN_DOMAIN=%u, or I_MPI_PIN=0" },
	{ "mvapich2", "set MV2_ENABLE_AFFINITY=0" },
	{ "slurm", "give srun -c %u, or --cpu-bind=none" },
	{ "flux", "give flux run -c %u, or -o cpu-affinity=off" },
	{ "torchrun", "give torchrun no --numa-binding" },
	{ "pals", "give mpiexec --depth=%u --cpu-bind depth, or --cpu-bind none" },
};

char *
sp_launcher_remedy(const char *from, uint32_t threads, char *text, size_t size)
{
	const char *format = "set SPLITPIN_INHERITED=ignore";

	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (strcmp(from, remedies[i].from) == 0)
			format = remedies[i].format;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, size, format, threads);
#pragma GCC diagnostic pop
	return text;
}
