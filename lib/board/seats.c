/* What the ranks write: each its own record, and the words that one of them writes for all. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "board/board_file.h"

#define READ_TRIES 40		/* for a seat that is just being written */
#define READ_NAP_NS 500000

static bool
is_written(const struct sp_written_seat *written)
{
	return written->seat.state >= SP_SEAT_LEFT && written->seat.state <= SP_SEAT_READY &&
	       written->sum == sp_board_sum(&written->seat, sizeof(written->seat));
}

bool
sp_board_is_own(const struct sp_board *board, const struct sp_seat *seat)
{
	return board->self.pid && sp_process_same(&board->self, &seat->process);
}

/*
 * One that is just being written is looked at again; its writer may have been
 * killed over it.  Who looks on waits for no seat: there may be thousands, each
 * torn on purpose.
 */
int
sp_seat_read(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat)
{
	struct sp_written_seat written;
	struct sp_nap nap = { .ns = READ_NAP_NS, .max_ns = READ_NAP_NS };

	for (int i = 0; i < READ_TRIES; i++) {
		int error = sp_board_read_at(fd, &written, sizeof(written), sp_board_seat_at(rank));

		if (error)
			return error;
		if (is_written(&written))
			break;
		if (written.seat.state == SP_SEAT_EMPTY)
			return -ENOENT;
		if (board->opening != BOARD_READING)
			sp_nap(&nap);
	}
	if (!is_written(&written))
		return -ENOENT;
	*seat = written.seat;
	seat->memory[sizeof(seat->memory) - 1] = '\0';
	seat->why[sizeof(seat->why) - 1] = '\0';
	if (seat->state > SP_SEAT_LEFT && !sp_board_is_own(board, seat) && !sp_process_lives(&seat->process))
		seat->state = SP_SEAT_LEFT;
	return 0;
}

int
sp_seat_write(int fd, uint32_t rank, const struct sp_seat *seat)
{
	struct sp_written_seat written;

	memset(&written, 0, sizeof(written));
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

static int
take_seat(int fd, const struct sp_board *board, const struct sp_process *self, uint32_t rank)
{
	struct sp_seat seat;
	int error = sp_seat_read(fd, board, rank, &seat);

	if (error == -ENOENT)
		memset(&seat, 0, sizeof(seat));
	else if (error)
		return error;
	if (seat.state > SP_SEAT_LEFT)
		return sp_process_same(self, &seat.process) ? 0 : -EBUSY;
	seat.state = SP_SEAT_COMING;
	seat.process = *self;
	return sp_seat_write(fd, rank, &seat);
}

int
sp_board_arrive(struct sp_board *board, uint32_t local_rank)
{
	char path[BOARD_PATH];
	struct sp_process self;

	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int error = sp_process_self(&self);
	if (error)
		return error;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return fd;
	sp_board_path(board->name, path);
	error = sp_board_lock(fd, sp_board_seat_at(local_rank), BOARD_SEAT_SIZE);
	if (!error && !sp_board_is_named(fd, path))
		error = -ESTALE;
	if (!error)
		error = take_seat(fd, board, &self, local_rank);
	close(fd);
	if (!error)
		board->self = self;
	return error;
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
	return error;
}

static enum sp_outcome
outcome_of(uint64_t word)
{
	return word <= SP_GIVEN_UP ? (enum sp_outcome)word : SP_GIVEN_UP;
}

enum sp_outcome
sp_board_outcome(struct sp_board *board)
{
	uint64_t word;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return SP_GIVEN_UP;
	int error = sp_board_read_at(fd, &word, sizeof(word), BOARD_OUTCOME_AT);
	close(fd);
	return error ? SP_GIVEN_UP : outcome_of(word);
}

bool
sp_board_given_up(struct sp_board *board)
{
	return sp_board_outcome(board) == SP_GIVEN_UP;
}

/*
 * Write a word that is 0 until the first writes it; *word becomes what holds,
 * *first whether nobody had written it before.  On an error it is not known
 * what holds: others may write another one.
 */
static int
write_once(struct sp_board *board, off_t at, uint64_t *word, bool *first)
{
	uint64_t before = 0;
	int fd = sp_board_reopen(board);

	*first = true;
	if (fd < 0)
		return fd;
	int unlocked = sp_board_lock(fd, at, sizeof(before));
	int error = sp_board_read_at(fd, &before, sizeof(before), at);

	*first = !error && before == 0;
	if (*first)
		error = unlocked ? unlocked : sp_board_write_at(fd, word, sizeof(*word), at);
	else
		*word = before;
	close(fd);
	return error;
}

enum sp_outcome
sp_board_decide(struct sp_board *board, enum sp_outcome outcome, bool *first)
{
	uint64_t word = outcome;

	return write_once(board, BOARD_OUTCOME_AT, &word, first) == 0 ? outcome_of(word) : SP_GIVEN_UP;
}

bool
sp_board_become_reporter(struct sp_board *board)
{
	uint64_t word = 1;
	bool first;

	return write_once(board, BOARD_REPORTER_AT, &word, &first) == 0 && first;
}
