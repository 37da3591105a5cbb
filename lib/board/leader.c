/* The looker, the rank that examines all ranks on behalf of all: which rank it is, and whether it is still active. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "board/board_file.h"

/* With a checksum, since it is written while others read. */
static int
check(const struct sp_written_looker *written)
{
	if (written->looker.looks == 0 && written->sum == 0)
		return -ENOENT;
	return written->sum == sp_board_sum(&written->looker, sizeof(written->looker)) ? 0 : -EPROTO;
}

static int
read_looker(int fd, struct sp_looker *looker)
{
	struct sp_written_looker written;
	int error = sp_board_read_at(fd, &written, sizeof(written), BOARD_LOOKER_AT);

	if (!error)
		error = check(&written);
	if (!error)
		*looker = written.looker;
	return error;
}

static int
write_looker(int fd, const struct sp_looker *looker)
{
	const struct sp_written_looker written = { *looker, sp_board_sum(looker, sizeof(*looker)) };

	return sp_board_write_at(fd, &written, sizeof(written), BOARD_LOOKER_AT);
}

int
sp_board_looker(struct sp_board *board, struct sp_looker *looker)
{
	struct sp_board_words words;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_board_read_at(fd, &words, sizeof(words), BOARD_DECIDED_AT);
	close(fd);
	if (!error)
		error = words.decided ? -EALREADY : check(&words.looker);
	if (error)
		return error;
	*looker = words.looker.looker;
	/* No looker: the entry is of a program that this process ran before an exec, or of a looker that has given up. */
	return looker->process.pid == 0 || sp_process_same(&looker->process, &board->self) ? -ENOENT : 0;
}

/*
 * Whether another rank is the looker and has looked since `looks`.  An
 * unreadable entry was left by a process that was killed while it wrote.
 */
static bool
is_another(int fd, const struct sp_board *board, uint64_t looks, struct sp_looker *now)
{
	if (read_looker(fd, now) != 0) {
		*now = (struct sp_looker){ .looks = looks };
		return false;
	}
	return now->looks != looks && now->process.pid && !sp_process_same(&now->process, &board->self);
}

int
sp_board_look(struct sp_board *board, uint64_t looks)
{
	struct sp_looker now;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_board_lock(fd, BOARD_LOOKER_AT, sizeof(struct sp_written_looker));
	if (!error && is_another(fd, board, looks, &now))
		error = -EBUSY;
	if (!error) {
		sp_board_looked(board);
		sp_work_begin(&board->work);
		error = write_looker(fd, &(struct sp_looker){ .process = board->self, .work = board->work, .looks = now.looks + 1 });
	}
	close(fd);
	return error;
}

/* Update the entry, unless another rank has become the looker meanwhile. */
static void
rewrite(struct sp_board *board, bool goes_on, uint32_t known)
{
	struct sp_looker now;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return;
	if (sp_board_lock(fd, BOARD_LOOKER_AT, sizeof(struct sp_written_looker)) == 0 && read_looker(fd, &now) == 0 &&
	    sp_process_same(&now.process, &board->self)) {
		now.looks++;
		now.known = known;
		if (!goes_on)
			now.process = (struct sp_process){ .pid = 0 };
		write_looker(fd, &now);
	}
	close(fd);
}

void
sp_board_looks_on(struct sp_board *board, uint32_t known)
{
	rewrite(board, true, known);
}

void
sp_board_looked(struct sp_board *board)
{
	sp_work_end(&board->work);
}

void
sp_board_looks_away(struct sp_board *board)
{
	rewrite(board, false, 0);
}
