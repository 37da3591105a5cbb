#include "cmd/probe/ask_pmix.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/open_part.h"
#include "launcher/launchers.h"
#include "launcher/pmix.h"

#define PATIENCE_S 10
#define PROCESS_SIZE 1024	/* more than a pmix_proc_t of any version */

struct numbers {
	uint32_t local_rank, local_size, job_size;
};

static const char *
library_of(const struct target *target)
{
	for (size_t i = 0; i < target->nobjects; i++)
		if (target_is_pmix(target->object[i].name) && target->object[i].path)
			return target->object[i].path;
	return NULL;
}

/* The functions of the library itself: libsplitpin.so has a PMIx_Init in front of them, for the program. */
static void
ask(const char *library, int to)
{
	const char *problem;
	sp_pmix_init_fn *begin = (sp_pmix_init_fn *)sp_library_open(library, "PMIx_Init", &problem);
	int (*end)(const void *info, size_t n) = (int (*)(const void *, size_t))sp_library_open(library, "PMIx_Finalize", &problem);
	_Alignas(max_align_t) char process[PROCESS_SIZE] = "";
	struct sp_rank rank;

	if (!begin || !end || begin(process, NULL, 0) != 0)
		return;
	int error = sp_pmix_rank(process, (const void *)ask, &rank);
	end(NULL, 0);
	if (error)
		return;
	const struct numbers numbers = { rank.local_rank, rank.local_size, rank.job_size };
	if (write(to, &numbers, sizeof(numbers)) != sizeof(numbers))
		_exit(1);
}

int
probe_ask_pmix(const struct target *target, struct sp_rank *rank)
{
	const char *library = library_of(target);
	struct numbers numbers;
	int ends[2];

	if (!library || pipe(ends) != 0)
		return -ENOENT;
	pid_t child = fork();
	if (child == 0) {
		alarm(PATIENCE_S);
		ask(library, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	bool is_told = child > 0 && read(ends[0], &numbers, sizeof(numbers)) == sizeof(numbers);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (!is_told)
		return -ENOENT;
	*rank = (struct sp_rank){ .local_rank = numbers.local_rank, .local_size = numbers.local_size, .job_size = numbers.job_size,
				  .from = sp_launcher_row[SP_LAUNCHER_PMIX].name };
	return 0;
}
