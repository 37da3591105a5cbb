/*
 * The machine from who has read it: from the board of another job, or from the
 * process that is just reading it for others, which has told it in the file of
 * its lock when it is done.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/descriptor.h"
#include "board/board_file.h"

/* Behind the holder in the file of the lock; the machine follows. */
struct told {
	uint32_t version, pu_size;	/* as in struct sp_board_head */
	struct sp_machine_source source;
	uint64_t sum;
};

#define TOLD_AT BOARD_HOLDER_SIZE
#define MACHINE_AT ((off_t)(TOLD_AT + sizeof(struct told)))

struct search {
	const struct sp_machine_source *source;
	struct sp_machine *machine;
	char prefix[BOARD_PREFIX];
	bool has_numbers;	/* sp_board_note_numbers */
	struct timespec end;	/* of the wait */
	int fd;		/* of the lock's file, which loses its name when it is told; -1: it was not there */
};

static bool
is_same(const struct sp_machine_source *a, const struct sp_machine_source *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool
copy_machine(const char *name, void *data)
{
	struct search *search = data;
	struct sp_common common;
	struct sp_board *board;
	const char *problem;
	uid_t owner;

	search->has_numbers |= strchr(name, '.') && strncmp(name, search->prefix, strlen(search->prefix)) == 0;
	if (search->machine || !sp_board_is_name(name, &owner) || owner != geteuid() ||
	    sp_board_open_name(name, owner, BOARD_READING, &board, &problem) != 0)
		return false;
	if (is_same(&board->head.source, search->source) && sp_process_here(&board->head.maker))
		sp_board_common(board, &common, &search->machine);
	sp_board_release(board);
	return true;
}

/* NULL: there is no machine behind a size of the file, or it is damaged. */
static struct sp_machine *
read_machine(int fd, off_t size, const struct told *told)
{
	const size_t length = (size_t)(size - MACHINE_AT);
	struct sp_machine *machine = malloc(length);

	if (!machine || sp_board_read_at(fd, machine, length, MACHINE_AT) != 0 || told->sum != sp_board_sum(machine, length) ||
	    machine->ncpus > SP_CPUS_MAX || length != sp_machine_size(machine->ncpus) || machine->gpus.n || sp_machine_fault(machine)) {
		free(machine);
		return NULL;
	}
	return machine;
}

/*
 * Asked before the wait and after each nap in it.  Who has given the lock back
 * without a machine could not read it, or not write it down: of those who wait
 * each reads it then, and none waits for the others.
 */
static bool
is_over(void *data)
{
	struct search *search = data;
	struct told told;
	struct stat file;
	bool is_late = sp_deadline_is_over(&search->end);

	sp_board_go_on();
	if (search->fd < 0)
		search->fd = sp_board_open_lock(BOARD_OF_MACHINE);
	if (search->fd < 0 || fstat(search->fd, &file) != 0 || sp_board_distrust(&file, geteuid()))
		return is_late;
	if (file.st_size > MACHINE_AT + (off_t)sizeof(struct sp_machine) && file.st_size <= MACHINE_AT + (off_t)sp_machine_size(SP_CPUS_MAX) &&
	    sp_board_read_at(search->fd, &told, sizeof(told), TOLD_AT) == 0 && told.version == BOARD_VERSION &&
	    told.pu_size == sizeof(struct sp_pu) && is_same(&told.source, search->source))
		search->machine = read_machine(search->fd, file.st_size, &told);
	return search->machine || file.st_nlink == 0 || is_late;
}

int
sp_board_machine(const struct sp_machine_source *source, uint32_t most_ms, struct sp_machine **machine)
{
	struct search search = { .source = source, .end = sp_deadline_in(most_ms), .fd = -1 };

	sp_board_prefix(search.prefix);
	if (sp_board_each_file(copy_machine, &search) == 0)
		sp_board_note_numbers(!search.has_numbers);
	if (!search.machine && !is_over(&search))
		sp_board_lock_unless(BOARD_OF_MACHINE, 1, most_ms, is_over, &search);
	if (search.fd >= 0)
		close(search.fd);
	*machine = search.machine;
	return search.machine ? 0 : -ENOENT;
}

/* The machine is written before what says that it is there. */
void
sp_board_tell_machine(const struct sp_machine_source *source, const struct sp_machine *machine)
{
	struct told told = { .version = BOARD_VERSION, .pu_size = sizeof(struct sp_pu), .source = *source };
	int fd = sp_board_held_lock(BOARD_OF_MACHINE);

	if (fd >= 0 && machine) {
		const size_t size = sp_machine_size(machine->ncpus);

		told.sum = sp_board_sum(machine, size);
		if (sp_board_write_at(fd, machine, size, MACHINE_AT) == 0)
			sp_board_write_at(fd, &told, sizeof(told), TOLD_AT);
	}
	sp_board_unlock(BOARD_OF_MACHINE);
}
