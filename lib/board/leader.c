/* The leader, the rank that examines all ranks on behalf of all: which rank it is, and whether it is still active. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "board/board_file.h"

/* With a checksum, since it is written while others read. */
static int
check(const struct sp_written_leader *written)
{
	if (written->leader.looks == 0 && written->sum == 0)
		return -ENOENT;
	return written->sum == sp_board_sum(&written->leader, sizeof(written->leader)) ? 0 : -EPROTO;
}

static int
read_leader(int fd, struct sp_leader *leader)
{
	struct sp_written_leader written;
	int error = sp_board_read_at(fd, &written, sizeof(written), BOARD_LEADER_AT);

	if (!error)
		error = check(&written);
	if (!error)
		*leader = written.leader;
	return error;
}

static int
write_leader(int fd, const struct sp_leader *leader)
{
	const struct sp_written_leader written = { *leader, sp_board_sum(leader, sizeof(*leader)) };

	return sp_board_write_at(fd, &written, sizeof(written), BOARD_LEADER_AT);
}

int
sp_board_leader(struct sp_board *board, struct sp_leader *leader)
{
	struct sp_board_words words;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_board_read_at(fd, &words, sizeof(words), BOARD_DECIDED_AT);
	close(fd);
	if (!error)
		error = words.decided ? -EALREADY : check(&words.leader);
	if (error)
		return error;
	*leader = words.leader.leader;
	/* No leader: the entry is of a program that this process ran before an exec, or of a leader that has given up. */
	return leader->process.pid == 0 || sp_process_same(&leader->process, &board->self) ? -ENOENT : 0;
}

/*
 * Whether another rank is the leader and has looked since `looks`.  An
 * unreadable entry was left by a process that was killed while it wrote.
 */
static bool
is_another(int fd, const struct sp_board *board, uint64_t looks, struct sp_leader *now)
{
	if (read_leader(fd, now) != 0) {
		*now = (struct sp_leader){ .looks = looks };
		return false;
	}
	return now->looks != looks && now->process.pid && !sp_process_same(&now->process, &board->self);
}

int
sp_board_lead(struct sp_board *board, uint64_t looks)
{
	struct sp_leader now;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_board_lock(fd, BOARD_LEADER_AT, sizeof(struct sp_written_leader));
	if (!error && is_another(fd, board, looks, &now))
		error = -EBUSY;
	if (!error) {
		sp_board_wake_followers(board);
		sp_work_begin(&board->work);
		error = write_leader(fd, &(struct sp_leader){ .process = board->self, .work = board->work, .looks = now.looks + 1 });
	}
	close(fd);
	return error;
}

/* Update the entry, unless another rank has become the leader meanwhile. */
static void
rewrite(struct sp_board *board, bool goes_on, uint32_t known)
{
	struct sp_leader now;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return;
	if (sp_board_lock(fd, BOARD_LEADER_AT, sizeof(struct sp_written_leader)) == 0 && read_leader(fd, &now) == 0 &&
	    sp_process_same(&now.process, &board->self)) {
		now.looks++;
		now.known = known;
		if (!goes_on)
			now.process = (struct sp_process){ .pid = 0 };
		write_leader(fd, &now);
	}
	close(fd);
}

void
sp_board_lead_on(struct sp_board *board, uint32_t known)
{
	rewrite(board, true, known);
}

void
sp_board_wake_followers(struct sp_board *board)
{
	sp_work_end(&board->work);
}

void
sp_board_resign(struct sp_board *board)
{
	rewrite(board, false, 0);
}
