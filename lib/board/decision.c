/* What is common to all ranks: the decision on their masks, which process reports, how many ranks are ready. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board_file.h"

/*
 * Claim a word that is 0 until the first process writes it, under its lock.
 * before is called, under that lock, in the process that is about to write the
 * word; NULL: nothing is to be done before.  Returns 0: this call wrote the
 * word; -EEXIST: another process had written it; or another negative errno: it
 * is not known whether it was written.
 */
struct first {
	int fd;
	off_t at;
	uint64_t word;
	int (*before)(int fd, const void *data);
	const void *data;
};

static int
write_first(const struct first *first)
{
	uint64_t now = 0;
	int unlocked = sp_board_lock(first->fd, first->at, sizeof(now));
	int error = sp_board_read_at(first->fd, &now, sizeof(now), first->at);

	if (error || now != 0)
		return error ? error : -EEXIST;
	if (unlocked)
		return unlocked;
	error = first->before ? first->before(first->fd, first->data) : 0;
	return error ? error : sp_board_write_at(first->fd, &first->word, sizeof(first->word), first->at);
}

/* A decision, with the part of each rank, that is to be written. */
struct decided {
	const struct sp_board *board;
	const struct sp_decision *decision;
	const struct sp_part *part;
};

static int
write_groups(int fd, const struct sp_board_head *head, const struct sp_part part[])
{
	uint32_t *group = calloc(head->local_size, sizeof(*group));

	for (uint32_t rank = 0; group && rank < head->local_size; rank++)
		group[rank] = part[rank].group;
	int error = group ? sp_board_write_at(fd, group, head->local_size * sizeof(*group), sp_board_groups_at(head)) : -ENOMEM;
	free(group);
	return error;
}

static int
write_decision(int fd, const void *data)
{
	const struct decided *decided = data;
	const struct sp_board_head *head = &decided->board->head;
	struct sp_decision decision = *decided->decision;
	int error = 0;

	for (uint32_t rank = 0; !error && rank < head->local_size; rank++) {
		struct sp_part part = decided->part[rank];

		part.sum = sp_board_sum(&part, offsetof(struct sp_part, sum));
		error = sp_board_write_at(fd, &part, sizeof(part), sp_board_part_at(head, rank));
	}
	if (!error)
		error = write_groups(fd, head, decided->part);
	decision.sum = sp_board_sum(&decision, offsetof(struct sp_decision, sum));
	return error ? error : sp_board_write_at(fd, &decision, sizeof(decision), BOARD_DECISION_AT);
}

int
sp_board_decide(struct sp_board *board, const struct sp_decision *decision, const struct sp_part part[])
{
	const struct decided decided = { .board = board, .decision = decision, .part = part };
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = write_first(&(struct first){ .fd = fd, .at = BOARD_DECIDED_AT, .word = 1,
						 .before = write_decision, .data = &decided });
	close(fd);
	return error;
}

/* -ENOENT: there is none. */
static int
read_decision(int fd, struct sp_decision *decision)
{
	uint64_t word = 0;
	int error = sp_board_read_at(fd, &word, sizeof(word), BOARD_DECIDED_AT);

	if (error || word == 0)
		return error ? error : -ENOENT;
	error = sp_board_read_at(fd, decision, sizeof(*decision), BOARD_DECISION_AT);
	if (!error && (decision->what == 0 || decision->sum != sp_board_sum(decision, offsetof(struct sp_decision, sum))))
		error = -EPROTO;
	decision->evidence[sizeof(decision->evidence) - 1] = '\0';
	return error;
}

static bool
is_part(const struct sp_part *part, const struct sp_board *board)
{
	return part->sum == sp_board_sum(part, offsetof(struct sp_part, sum)) &&
	       (part->count == 0 || (part->index < part->count && part->count <= board->head.local_size));
}

int
sp_board_decision(struct sp_board *board, uint32_t local_rank, struct sp_decision *decision, struct sp_part *part)
{
	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return fd;
	int error = read_decision(fd, decision);
	if (!error)
		error = sp_board_read_at(fd, part, sizeof(*part), sp_board_part_at(&board->head, local_rank));
	close(fd);
	return error || is_part(part, board) ? error : -EPROTO;
}

int
sp_board_groups(struct sp_board *board, uint32_t group[])
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_board_read_at(fd, group, board->head.local_size * sizeof(group[0]), sp_board_groups_at(&board->head));
	close(fd);
	return error;
}

static bool
is_first(struct sp_board *board, off_t at)
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return false;
	int error = write_first(&(struct first){ .fd = fd, .at = at, .word = 1 });
	close(fd);
	return error == 0;
}

static const off_t word_of[] = {
	[SP_FIRST_REPORT] = BOARD_REPORTER_AT, [SP_FIRST_OVERLAP] = BOARD_SHARED_AT, [SP_FIRST_CROWD] = BOARD_CROWDED_AT,
	[SP_FIRST_SPARE] = BOARD_SPARE_AT,
};

bool
sp_board_is_first(struct sp_board *board, enum sp_first what)
{
	return is_first(board, word_of[what]);
}

/* Values of the word at BOARD_GPUS_AT. */
enum { GPUS_USED = 1, GPUS_GIVEN_UP };

bool
sp_board_use_gpus(struct sp_board *board, bool all_told, bool *first)
{
	uint64_t word = all_told ? GPUS_USED : GPUS_GIVEN_UP;
	int fd = sp_board_reopen(board);

	*first = false;
	if (fd < 0)
		return false;
	int error = write_first(&(struct first){ .fd = fd, .at = BOARD_GPUS_AT, .word = word });
	*first = error == 0;
	if (error == -EEXIST)
		error = sp_board_read_at(fd, &word, sizeof(word), BOARD_GPUS_AT);
	close(fd);
	return !error && word == GPUS_USED;
}

/* Read a word that write_first writes; 0: it has not been written. */
static uint64_t
read_word(struct sp_board *board, off_t at)
{
	uint64_t word = 0;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return 0;
	int error = sp_board_read_at(fd, &word, sizeof(word), at);
	close(fd);
	return error ? 0 : word;
}

bool
sp_board_gave_gpus_up(struct sp_board *board)
{
	return read_word(board, BOARD_GPUS_AT) == GPUS_GIVEN_UP;
}

bool
sp_board_had_first(struct sp_board *board, enum sp_first what)
{
	return read_word(board, word_of[what]) != 0;
}

void
sp_board_mark_stale(struct sp_board *board)
{
	is_first(board, BOARD_STALE_AT);
}

bool
sp_board_is_stale(struct sp_board *board)
{
	return read_word(board, BOARD_STALE_AT) != 0;
}

static uint32_t
add_ready(int fd, uint32_t n)
{
	uint64_t ready = 0;

	if (sp_board_lock(fd, BOARD_READY_AT, sizeof(ready)) || sp_board_read_at(fd, &ready, sizeof(ready), BOARD_READY_AT))
		return 0;
	ready += n;
	return sp_board_write_at(fd, &ready, sizeof(ready), BOARD_READY_AT) || ready > UINT32_MAX ? 0 : (uint32_t)ready;
}

uint32_t
sp_board_count_ready(struct sp_board *board, uint32_t n)
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return 0;
	uint32_t ready = add_ready(fd, n);
	close(fd);
	return ready;
}
