/* Seats: the records that the ranks write, each its own. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/order.h"
#include "board/board_file.h"

#define READ_TRIES 40		/* for a seat that is just being written */
#define READ_NAP_NS 500000

static bool
is_written(const struct sp_written_seat *written)
{
	return written->seat.state >= SP_SEAT_LEFT && written->seat.state <= SP_SEAT_READY &&
	       written->sum == sp_board_sum(&written->seat, sizeof(written->seat));
}

/* A GPU's number that the board does not have would be an index beyond its list. */
static bool
are_gpus(const struct sp_gpu_list *list, const struct sp_gpus *gpus)
{
	if (list->told > SP_GPUS_SOME || list->n > SP_GPUS_MAX)
		return false;
	for (uint32_t i = 0; i < list->n; i++)
		if (list->gpu[i] >= gpus->n)
			return false;
	return true;
}

bool
sp_board_is_own(const struct sp_board *board, const struct sp_seat *seat)
{
	return board->self.pid && sp_process_same(&board->self, &seat->process);
}

/* Leave a seat to its keeper, if that lives; activity: what it is doing then. */
static void
vacate(struct sp_seat *seat, struct sp_activity *activity)
{
	bool is_kept = seat->state != SP_SEAT_REFUSED && seat->keeper.pid && !sp_process_same(&seat->keeper, &seat->process) &&
		       sp_process_look(&seat->keeper, activity);

	seat->state = is_kept ? SP_SEAT_SETTLED : SP_SEAT_LEFT;
	if (!is_kept)
		return;
	seat->process = seat->keeper;
	seat->share = seat->kept;
}

/*
 * A seat that is just being written is read again, a bounded time: its writer
 * may have been killed while writing.  An observer does not wait for any seat:
 * there may be thousands, each torn on purpose.
 */
int
sp_seat_look(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat, struct sp_activity *activity)
{
	struct sp_written_seat written;
	struct sp_nap nap = { .ns = READ_NAP_NS, .max_ns = READ_NAP_NS };
	bool is_whole = false;

	*activity = (struct sp_activity){ .state = '\0' };
	for (int i = 0; i < READ_TRIES; i++) {
		int error = sp_board_read_at(fd, &written, sizeof(written), sp_board_seat_at(rank));

		if (error)
			return error;
		is_whole = is_written(&written);
		if (is_whole)
			break;
		if (written.seat.state == SP_SEAT_EMPTY)
			return -ENOENT;
		if (board->opening != BOARD_READING)
			sp_nap(&nap);
	}
	if (!is_whole)
		return -ENOENT;
	*seat = written.seat;
	seat->memory[sizeof(seat->memory) - 1] = '\0';
	seat->why[sizeof(seat->why) - 1] = '\0';
	if (!are_gpus(&seat->gpus, &board->head.gpus))
		seat->gpus = (struct sp_gpu_list){ .told = SP_GPUS_UNTOLD };
	if (seat->state > SP_SEAT_LEFT && !sp_board_is_own(board, seat) && !sp_process_look(&seat->process, activity))
		vacate(seat, activity);
	return 0;
}

int
sp_seat_read(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat)
{
	struct sp_activity activity;

	return sp_seat_look(fd, board, rank, seat, &activity);
}

int
sp_seat_write(int fd, uint32_t rank, const struct sp_seat *seat)
{
	struct sp_written_seat written;

	written.seat = *seat;
	written.sum = sp_board_sum(&written.seat, sizeof(written.seat));
	return sp_board_write_at(fd, &written, sizeof(written), sp_board_seat_at(rank));
}

int
sp_board_read(struct sp_board *board, uint32_t local_rank, struct sp_seat *seat)
{
	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return fd;
	int error = sp_seat_read(fd, board, local_rank, seat);
	close(fd);
	return error;
}

int
sp_board_states(struct sp_board *board, uint32_t state[])
{
	int fd = sp_board_reopen(board), error = 0;

	if (fd < 0)
		return fd;
	for (uint32_t rank = 0; !error && rank < board->head.local_size; rank++)
		if (state[rank] < SP_SEAT_HERE)
			error = sp_board_read_at(fd, &state[rank], sizeof(state[rank]), sp_board_seat_at(rank));
	close(fd);
	return error;
}

/*
 * Whether this process has more right to the seat than its holder: an OpenMP
 * program that the rank started before it became parallel itself may have come
 * first.
 */
static bool
may_take_over(const struct sp_seat *seat, const struct sp_process *self, enum sp_comer comer)
{
	if (comer != SP_COMES_STARTED && seat->keeper.pid && sp_process_same(&seat->keeper, &seat->process))
		return true;
	return (comer == SP_COMES_RANK && seat->state != SP_SEAT_READY) || sp_process_is_ancestor(self->pid, &seat->process);
}

static int
take_seat(int fd, struct sp_board *board, const struct sp_process *self, uint32_t rank, enum sp_comer comer)
{
	struct sp_seat seat;
	int error = sp_seat_read(fd, board, rank, &seat);

	board->is_first = error == -ENOENT;
	if (error == -ENOENT)
		memset(&seat, 0, sizeof(seat));
	else if (error)
		return error;
	if (seat.state > SP_SEAT_LEFT && sp_process_same(self, &seat.process))
		return 0;
	if (seat.state > SP_SEAT_LEFT && !may_take_over(&seat, self, comer))
		return -EBUSY;
	seat.state = SP_SEAT_COMING;
	seat.process = *self;
	return sp_seat_write(fd, rank, &seat);
}

int
sp_board_arrive(struct sp_board *board, uint32_t local_rank, enum sp_comer comer)
{
	struct sp_process self;

	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int error = sp_process_self(&self);
	if (error)
		return error;
	int fd = sp_board_take_open(board);
	if (fd < 0)
		return fd;
	error = sp_board_lock(fd, sp_board_seat_at(local_rank), BOARD_SEAT_SIZE);
	if (!error && !sp_board_is_named(fd, board->path))
		error = -ESTALE;
	if (!error)
		error = take_seat(fd, board, &self, local_rank, comer);
	close(fd);
	if (!error) {
		board->self = self;
		board->seat = local_rank;
	}
	return error;
}

bool
sp_board_came_first(const struct sp_board *board)
{
	return board->self.pid && board->is_first;
}

/* A process becomes the keeper by its own record alone, and is none any more without it. */
static void
keep_keeper(struct sp_seat *now, const struct sp_seat *before)
{
	if (now->keeper.pid) {
		now->keeper = now->process;
		now->kept = now->share;
	} else if (!sp_process_same(&before->keeper, &now->process)) {
		now->keeper = before->keeper;
		now->kept = before->kept;
	}
}

static int
rewrite_seat(int fd, const struct sp_board *board, uint32_t rank, const struct sp_seat *seat)
{
	struct sp_seat before, now = *seat;
	int error = sp_seat_read(fd, board, rank, &before);

	if (error)
		return error;
	if (!sp_board_is_own(board, &before))
		return -EBUSY;
	now.process = board->self;
	keep_keeper(&now, &before);
	if (before.state >= SP_SEAT_HERE && now.state != SP_SEAT_HERE)
		now.inherited = before.inherited;
	return sp_seat_write(fd, rank, &now);
}

int
sp_board_write(struct sp_board *board, uint32_t local_rank, const struct sp_seat *seat)
{
	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return fd;
	int error = rewrite_seat(fd, board, local_rank, seat);
	close(fd);
	board->is_first = false;
	return error;
}

int
sp_seat_leave(struct sp_board *board, uint32_t local_rank, uint32_t threads)
{
	struct sp_activity activity;
	struct sp_seat seat;

	if (local_rank >= board->head.local_size)
		return 0;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return fd;
	int error = sp_seat_read(fd, board, local_rank, &seat);
	if (!error && sp_board_is_own(board, &seat)) {
		vacate(&seat, &activity);
		seat.had = (uint16_t)threads;
		seat.bound = board->bound;
		error = sp_seat_write(fd, local_rank, &seat);
	}
	close(fd);
	return error;
}

void
sp_board_note_bound(struct sp_board *board, uint32_t cpu)
{
	board->bound = cpu < SP_CPUS_MAX ? (uint16_t)(cpu + 1) : 0;
}

uint32_t
sp_seat_threads_of(const struct sp_seat *seat, const struct sp_activity *activity)
{
	return seat->threads ? seat->threads : (uint32_t)sp_larger(sp_smaller(activity->threads, seat->counted), 1);
}

uint32_t
sp_seat_threads(const struct sp_seat *seat)
{
	struct sp_activity activity = { .threads = seat->had };
	pid_t pid = seat->state > SP_SEAT_LEFT && !seat->threads ? sp_process_here(&seat->process) : 0;

	if (pid > 0 && sp_process_activity(pid, &activity) != 0)
		activity.threads = 0;
	return sp_seat_threads_of(seat, &activity);
}
