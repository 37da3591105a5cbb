/* Making a board. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "board/board_file.h"

static int
fill_head(struct sp_board_head *head, const char *job, uint32_t local_size, const struct sp_common *common)
{
	memset(head, 0, sizeof(*head));
	memcpy(head->magic, BOARD_MAGIC, sizeof(head->magic));
	head->version = BOARD_VERSION;
	head->seat_size = sizeof(struct sp_written_seat);
	head->pu_size = sizeof(struct sp_pu);
	head->head_size = sizeof(*head);
	head->part_size = sizeof(struct sp_part);
	head->plan_size = sizeof(struct sp_written_plan);
	head->local_size = local_size;
	head->ncpus = common->machine->ncpus;
	head->gpus = common->machine->gpus;
	head->gpu_memory = common->machine->gpu_memory;
	head->far_memory = common->machine->far_memory;
	head->launcher = common->launcher;
	head->source = common->source;
	head->dry_run = common->observe ? BOARD_OBSERVED : common->dry_run;
	head->machine_sum = sp_board_sum(common->machine->pu, head->ncpus * sizeof(struct sp_pu));
	snprintf(head->job, sizeof(head->job), "%s", job);
	int error = sp_process_self(&head->maker);
	head->sum = sp_board_sum(head, offsetof(struct sp_board_head, sum));
	return error;
}

/*
 * The seats, most of the file, are zeros at first, which the kernel can provide
 * for less than it takes to write them; they take their space now, where a hole
 * would take it later.
 */
static int
write_image(int fd, const struct sp_board_head *head, const char *image)
{
	off_t seats = sp_board_seat_at(0), behind = sp_board_seat_at(head->local_size), size = sp_board_size(head);

	if (!sp_board_allocate(fd, size))
		return sp_board_write_at(fd, image, (size_t)size, 0);
	int error = sp_board_write_at(fd, image, (size_t)seats, 0);

	return error ? error : sp_board_write_at(fd, image + behind, (size_t)(size - behind), behind);
}

static int
write_parts(int fd, const struct sp_board_head *head, const struct sp_common *common)
{
	char *image = calloc(1, (size_t)sp_board_size(head));
	const uint64_t first = 1;	/* the generation of the plan */

	if (!image)
		return -ENOMEM;
	memcpy(image, head, sizeof(*head));
	memcpy(image + sp_board_machine_at(head), common->machine->pu, head->ncpus * sizeof(struct sp_pu));
	memcpy(image + BOARD_WORD_AT(plan), &first, sizeof(first));
	sp_plan_begin(head, common, (struct sp_written_plan *)(void *)(image + sp_board_plan_at(head, first)));
	int error = write_image(fd, head, image);
	free(image);
	return error;
}

#define DRAFT_OPENING (BOARD_OPENING | O_CREAT | O_EXCL)

/*
 * The board is written under another name first, one for each user.  The lock
 * of all jobs is held, so an existing file of that name was left by a process
 * that was killed; or stopped, which has lost the lock then.
 */
static int
make_file(const struct sp_board *board, const struct sp_common *common)
{
	char prefix[BOARD_PREFIX], draft[BOARD_PATH];

	sp_board_prefix(prefix);
	snprintf(draft, sizeof(draft), "%s/%sdraft", BOARD_FOLDER, prefix);
	int fd = sp_descriptor_open(draft, DRAFT_OPENING, S_IRUSR);
	if (fd < 0 && errno == EEXIST) {
		sp_board_choose_name(draft);
		unlink(draft);
		fd = sp_descriptor_open(draft, DRAFT_OPENING, S_IRUSR);
	}
	if (fd < 0)
		return -errno;
	int error = fchmod(fd, BOARD_MODE) ? -errno : 0;
	if (!error)
		error = write_parts(fd, &board->head, common);
	if (!error && (sp_board_has_lost_lock() || !sp_board_is_named(fd, draft)))
		error = -ESTALE;
	if (!error && link(draft, board->path) != 0)
		error = -errno;
	sp_board_remove(fd, draft);
	close(fd);
	return error;
}

int
sp_board_create(const char *job, uint32_t local_size, const struct sp_common *common, struct sp_board **board)
{
	static struct sp_board made;	/* used by the one thread that settles; its stack may be small */
	char name[BOARD_NAME];
	const char *problem;

	if (local_size > BOARD_RANKS_MAX)
		return -E2BIG;
	memset(&made, 0, sizeof(made));
	sp_board_name(job, name);
	sp_board_path(name, made.path);
	sp_board_choose_name(made.path);
	int error = fill_head(&made.head, job, local_size, common);
	if (!error)
		error = make_file(&made, common);
	if (error)
		return error;
	error = sp_board_open(job, local_size, board, &problem);
	/* Another rank has arrived and left meanwhile; it was the last on the board and removed it. */
	return error == -ENOENT ? -ESTALE : error;
}

/* A board that is to be opened, or made. */
struct opening {
	const char *job;
	uint32_t local_size;
	struct sp_board **board;
	const char **problem;
	int error;
};

/* Like sp_board_open, but a board whose processes have all ended counts as missing, and is removed by who may make another. */
static void
open_living(struct opening *o, bool is_maker)
{
	*o->board = NULL;
	o->error = sp_board_open(o->job, o->local_size, o->board, o->problem);
	if (o->error || sp_board_is_alive(*o->board))
		return;
	if (is_maker)
		sp_board_remove_dead(*o->board);
	sp_board_release(*o->board);
	*o->board = NULL;
	o->error = -ENOENT;
}

static bool
is_made(void *data)
{
	struct opening *o = data;

	open_living(o, false);
	return o->error != -ENOENT;
}

/*
 * A rank alone has nobody with whom to make it twice, unless it starts itself several
 * programs at once.  Once the lock is taken, look for the board again, which the last
 * holder may just have created.
 */
int
sp_board_begin(const char *job, uint32_t local_size, uint32_t idle_ms,
	       struct sp_board **board, const char **problem)
{
	struct opening opening = { .job = job, .local_size = local_size, .board = board, .problem = problem };
	int error = 0;

	if (local_size > 1)
		error = is_made(&opening) ? -EALREADY : sp_board_lock_unless(job, local_size, idle_ms, is_made, &opening);
	if (error)
		return error == -EALREADY ? opening.error : error;
	open_living(&opening, true);
	if (opening.error == -ENOENT)
		return 0;
	sp_board_end();
	return opening.error;
}
