/* The terms of a job, in two copies; the current copy is never written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board_file.h"

#define READ_TRIES 8		/* of terms that are replaced meanwhile */

static size_t
sum_at(const struct sp_board_head *head)
{
	return sp_board_terms_size(head) - sizeof(uint64_t);
}

void
sp_terms_fill(const struct sp_board_head *head, const struct sp_terms *terms, const uint32_t need[], char *bytes)
{
	uint64_t sum;

	memset(bytes, 0, sp_board_terms_size(head));
	memcpy(bytes, terms, sizeof(*terms));
	if (need)
		memcpy(bytes + sizeof(*terms), need, head->local_size * sizeof(need[0]));
	sum = sp_board_sum(bytes, sum_at(head));
	memcpy(bytes + sum_at(head), &sum, sizeof(sum));
}

/* Whether a copy is complete and has terms of this generation. */
static bool
are_terms(const struct sp_board_head *head, const char *bytes, uint64_t generation)
{
	struct sp_terms terms;
	uint64_t sum;

	memcpy(&sum, bytes + sum_at(head), sizeof(sum));
	memcpy(&terms, bytes, sizeof(terms));
	return sum == sp_board_sum(bytes, sum_at(head)) && terms.generation == generation && terms.how <= SP_TERMS_SHARED;
}

/* -EAGAIN: the copy is being overwritten for a later generation. */
static int
read_copy(int fd, const struct sp_board_head *head, char *bytes)
{
	uint64_t generation;
	int error = sp_board_read_at(fd, &generation, sizeof(generation), BOARD_TERMS_AT);

	if (!error)
		error = sp_board_read_at(fd, bytes, sp_board_terms_size(head), sp_board_terms_at(head, generation));
	return error ? error : are_terms(head, bytes, generation) ? 0 : -EAGAIN;
}

int
sp_terms_read(int fd, const struct sp_board *board, struct sp_terms *terms, uint32_t need[])
{
	char *bytes = malloc(sp_board_terms_size(&board->head));
	int error = bytes ? -EAGAIN : -ENOMEM;

	for (int i = 0; i < READ_TRIES && error == -EAGAIN; i++)
		error = read_copy(fd, &board->head, bytes);
	if (!error)
		memcpy(terms, bytes, sizeof(*terms));
	if (!error && need)
		memcpy(need, bytes + sizeof(*terms), board->head.local_size * sizeof(need[0]));
	free(bytes);
	return error == -EAGAIN ? -EPROTO : error;
}

int
sp_board_terms(struct sp_board *board, struct sp_terms *terms, uint32_t need[])
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_terms_read(fd, board, terms, need);
	close(fd);
	return error;
}

/* Called under the lock of the word: the other copy is written before the word. */
static int
replace(int fd, const struct sp_board_head *head, const struct sp_terms *terms, const uint32_t need[])
{
	uint64_t now, next = terms->generation;
	size_t size = sp_board_terms_size(head);
	int error = sp_board_read_at(fd, &now, sizeof(now), BOARD_TERMS_AT);

	if (error || now + 1 != next)
		return error ? error : -EEXIST;
	char *bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	sp_terms_fill(head, terms, need, bytes);
	error = sp_board_write_at(fd, bytes, size, sp_board_terms_at(head, next));
	free(bytes);
	return error ? error : sp_board_write_at(fd, &next, sizeof(next), BOARD_TERMS_AT);
}

int
sp_board_revise(struct sp_board *board, struct sp_terms *terms, const uint32_t need[])
{
	struct sp_terms next = *terms;
	int fd = sp_board_has_lost_lock() ? -ESTALE : sp_board_reopen(board);

	if (fd < 0)
		return fd;
	next.generation++;
	int error = sp_board_lock(fd, BOARD_TERMS_AT, sizeof(uint64_t));
	if (!error)
		error = replace(fd, &board->head, &next, need);
	close(fd);
	if (!error)
		terms->generation = next.generation;
	return error;
}
