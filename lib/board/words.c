/* The words that one rank writes for all: which process reports, how many ranks are ready. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "board/board_file.h"

/* Write a word that is 0 until the first process writes it, under its lock.  0: this call wrote it; -EEXIST: another process had. */
static int
write_first(int fd, off_t at, uint64_t word)
{
	uint64_t now = 0;
	int unlocked = sp_board_lock(fd, at, sizeof(now)), error = sp_board_read_at(fd, &now, sizeof(now), at);

	if (error || now != 0)
		return error ? error : -EEXIST;
	return unlocked ? unlocked : sp_board_write_at(fd, &word, sizeof(word), at);
}

static bool
is_first(struct sp_board *board, off_t at)
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return false;
	int error = write_first(fd, at, 1);
	close(fd);
	return error == 0;
}

static const off_t word_of[] = {
	[SP_FIRST_REPORT] = BOARD_WORD_AT(reporter), [SP_FIRST_OVERLAP] = BOARD_WORD_AT(shared), [SP_FIRST_CROWD] = BOARD_WORD_AT(crowded),
	[SP_FIRST_SPARE] = BOARD_WORD_AT(spare),
};

bool
sp_board_is_first(struct sp_board *board, enum sp_first what)
{
	return is_first(board, word_of[what]);
}

bool
sp_board_is_released(struct sp_board *board, uint32_t ms)
{
	struct timespec time;
	uint64_t before = 0;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return false;
	int error = sp_board_lock(fd, BOARD_WORD_AT(releaser), sizeof(before));
	/* Not before it is locked: whoever waited would find a time that is yet to come, and count it as none. */
	clock_gettime(CLOCK_BOOTTIME, &time);
	uint64_t now = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
	if (!error)
		error = sp_board_read_at(fd, &before, sizeof(before), BOARD_WORD_AT(releaser));
	bool is_recent = !error && before != 0 && before <= now && now - before <= ms;
	if (!error && !is_recent)
		sp_board_write_at(fd, &now, sizeof(now), BOARD_WORD_AT(releaser));
	close(fd);
	return is_recent;
}

/* Values of the word gpus. */
enum { GPUS_USED = 1, GPUS_GIVEN_UP };

bool
sp_board_use_gpus(struct sp_board *board, bool all_told, bool *first)
{
	uint64_t word = all_told ? GPUS_USED : GPUS_GIVEN_UP;
	int fd = sp_board_reopen(board);

	*first = false;
	if (fd < 0)
		return false;
	int error = write_first(fd, BOARD_WORD_AT(gpus), word);
	*first = error == 0;
	if (error == -EEXIST)
		error = sp_board_read_at(fd, &word, sizeof(word), BOARD_WORD_AT(gpus));
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
	return read_word(board, BOARD_WORD_AT(gpus)) == GPUS_GIVEN_UP;
}

bool
sp_board_had_first(struct sp_board *board, enum sp_first what)
{
	return read_word(board, word_of[what]) != 0;
}

void
sp_board_mark_stale(struct sp_board *board)
{
	is_first(board, BOARD_WORD_AT(stale));
}

bool
sp_board_is_stale(struct sp_board *board)
{
	return read_word(board, BOARD_WORD_AT(stale)) != 0;
}

/* Returns the sum; 0 on any error. */
static uint32_t
add_to_word(int fd, off_t at, uint32_t n)
{
	uint64_t sum = 0;

	if (sp_board_lock(fd, at, sizeof(sum)) || sp_board_read_at(fd, &sum, sizeof(sum), at))
		return 0;
	sum += n;
	return sp_board_write_at(fd, &sum, sizeof(sum), at) || sum > UINT32_MAX ? 0 : (uint32_t)sum;
}

void
sp_board_count_release(const struct sp_board *board)
{
	int fd = sp_board_reopen_as(board, BOARD_OPENING);

	if (fd < 0)
		return;
	add_to_word(fd, BOARD_WORD_AT(releases), 1);
	close(fd);
}

uint64_t
sp_board_releases(struct sp_board *board)
{
	return read_word(board, BOARD_WORD_AT(releases));
}

uint32_t
sp_board_count_ready(struct sp_board *board, uint32_t n)
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return 0;
	uint32_t ready = add_to_word(fd, BOARD_WORD_AT(ready), n);
	close(fd);
	return ready;
}
