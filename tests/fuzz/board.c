/*
 * The bytes of a board: a whole one is made once; an input changes it.
 *
 *   first byte   bit 0: the sums are made right again, as only its owner could;
 *                bit 1: the next two bytes are a length at which it is cut
 *   then, again and again: two bytes of offset, one of length (below 16), the bytes;
 *   or, with 128 added to the length, as many bytes of ones as that, which are not in the input
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "board/board_file.h"
#include "cut/explain.h"
#include "fuzz.h"
#include "report/mask_picture.h"
#include "report/rank_gpus.h"
#include "report/verdict.h"
#include "tests/unit/machines.h"

enum { RANKS = 3, PIECE = 64 };

static char *whole, *image, *written;	/* as it was made; as the input changes it; as the file is */
static size_t whole_size;
static int file = -1;
static char job[64], name[BOARD_NAME], path[BOARD_PATH];

/* The cut that is on the board: each rank has a CPU. */
static struct sp_common_cut asked = { .generation = 1 };
static uint32_t owner[SP_CPUS_MAX];

static void
leave(void)
{
	unlink(path);
}

static struct sp_gpus
some_gpus(void)
{
	struct sp_gpus gpus = { .n = 2 };

	gpus.gpu[0] = (struct sp_gpu){ "0000:17:00.0", "GPU-1", SP_NVIDIA, 1, { 0, 0, SP_ANYWHERE } };
	gpus.gpu[1] = (struct sp_gpu){ "0000:ca:00.0", "GPU-2", SP_NVIDIA, 1, { 1, 1, SP_ANYWHERE } };
	return gpus;
}

/* Seats in all states, and a decision. */
static void
fill(struct sp_board *board, const struct sp_machine *machine)
{
	struct sp_decision decision = { .what = 1, .evidence = "mpirun has --bind-to core" };
	struct sp_part part[RANKS] = { { .index = 0, .count = 2 }, { .index = 1, .count = 2 }, { .count = 0 } };

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct sp_seat seat = { .state = SP_SEAT_READY, .threads = 4, .memory = "interleave 0-1", .why = "a rule" };

		sp_cpus_add(&seat.inherited, machine->pu[rank].cpu);
		sp_cpus_add(&seat.share, machine->pu[rank].cpu);
		seat.gpus = (struct sp_gpu_list){ .told = SP_GPUS_LISTED, .n = 2, .gpu = { 0, 1 } };
		if (sp_board_arrive(board, rank, true) || sp_board_write(board, rank, &seat))
			abort();
		sp_cpus_add(&part[rank].cpus, machine->pu[rank].cpu);
	}
	if (sp_board_revise(board, NULL, NULL, &decision, part))
		abort();
}

static void
make_board(void)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .l2s = 4, .threads = 2 });
	struct sp_terms terms = { .threads = 1 };
	static const uint32_t need[RANKS];
	const struct sp_plan plan = { .cpus = &asked.cpus, .owner = owner };
	struct sp_common common = { .machine = machine, .terms = &terms, .need = need, .plan = &plan, .policy = &asked.policy };
	struct sp_board *board;
	const char *problem;

	machine->gpus = some_gpus();
	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = i < RANKS ? i : SP_NOBODY;
	sp_cpus_add(&terms.claim, 1);
	snprintf(job, sizeof(job), "fuzz.%d", (int)getpid());
	sp_board_name(job, name);
	sp_board_path(name, path);
	if (sp_board_begin(job, RANKS, 10000, &board, &problem) || board || sp_board_create(job, RANKS, &common, &board))
		abort();
	sp_board_end();
	atexit(leave);
	fill(board, machine);
	whole_size = (size_t)sp_board_size(&board->head);
	whole = malloc(whole_size);
	image = malloc(whole_size);
	written = malloc(whole_size);
	file = open(path, O_RDWR);
	if (!whole || !image || !written || file < 0 || read(file, whole, whole_size) != (ssize_t)whole_size)
		abort();
	sp_board_release(board);
	free(machine);
}

/* As a writer who knows the sums would. */
static void
mend_sums(void)
{
	struct sp_board_head *head = (struct sp_board_head *)image;
	struct sp_board_head first;

	memcpy(&first, whole, sizeof(first));
	if (head->ncpus < first.ncpus)
		first.ncpus = head->ncpus;	/* cut and machine lie where that has them */
	head->machine_sum = sp_board_sum(image + sp_board_machine_at(&first), first.ncpus * sizeof(struct sp_pu));
	head->sum = sp_board_sum(head, offsetof(struct sp_board_head, sum));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct sp_written_seat *seat = (struct sp_written_seat *)(image + sp_board_seat_at(rank));

		seat->sum = sp_board_sum(&seat->seat, sizeof(seat->seat));
	}

	for (uint64_t generation = 0; generation < 2; generation++) {
		char *plan = image + sp_board_plan_at(&first, generation);
		size_t size = sp_board_plan_size(&first) - sizeof(uint64_t);
		uint64_t sum = sp_board_sum(plan, size);

		memcpy(plan + size, &sum, sizeof(sum));
	}
}

static size_t
change(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint8_t how = fuzz_byte(&bytes);
	size_t length = how & 2 ? fuzz_below(&bytes, 65536) : whole_size;

	memcpy(image, whole, whole_size);
	while (bytes.left > 2) {
		size_t at = fuzz_below(&bytes, 65536);

		uint8_t length_byte = fuzz_byte(&bytes);

		for (uint32_t n = length_byte % 16; n > 0 && at < whole_size; n--)
			image[at++] = length_byte & 128 ? (char)0xff : (char)fuzz_byte(&bytes);
	}
	if (how & 1)
		mend_sums();
	return length < whole_size ? length : whole_size;
}

/* Make the file what the image is; most inputs leave its length, and all but a few bytes of it, as they were. */
static void
write_file(size_t length)
{
	static size_t had = SIZE_MAX;
	size_t from = 0, to = length;

	if (length != had && ftruncate(file, (off_t)length) != 0)
		abort();
	while (length == had && from < to && to - from >= PIECE && memcmp(image + from, written + from, PIECE) == 0)
		from += PIECE;
	while (length == had && to - from >= PIECE && memcmp(image + to - PIECE, written + to - PIECE, PIECE) == 0)
		to -= PIECE;
	if (from < to && pwrite(file, image + from, to - from, (off_t)from) != (ssize_t)(to - from))
		abort();
	memcpy(written + from, image + from, to - from);
	had = length;
}

/* What a rank and a report do with what they have read. */
static void
use(const struct sp_machine *machine, struct sp_seat seats[])
{
	struct sp_cpus all, cores, nodes;
	struct sp_verdict verdict;
	struct sp_rank_gpus gpus;
	char text[256];

	sp_machine_cpus(machine, &all);
	sp_machine_extent(machine, &all, &cores, &nodes);
	fuzz_use_machine(machine, RANKS);
	sp_verdict(machine, &all, seats, RANKS, &verdict);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		sp_rank_gpus(machine, seats, RANKS, rank, &gpus);
		for (uint32_t i = 0; i < gpus.own.n; i++)
			must(gpus.own.gpu[i] < machine->gpus.n);
		must(strlen(sp_picture(machine, &seats[rank].share, text, sizeof(text))) < sizeof(text));
	}
}

static void
read_all(struct sp_board *board)
{
	struct sp_seat seats[RANKS];
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_decision decision;
	struct sp_part part;
	struct sp_cut cut;
	uint32_t read[SP_CPUS_MAX];
	char text[512];

	memset(seats, 0, sizeof(seats));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		int error = sp_board_read(board, rank, &seats[rank]);

		must(error <= 0);
		if (error)
			continue;
		must(seats[rank].state >= SP_SEAT_LEFT && seats[rank].state <= SP_SEAT_READY);
		must(memchr(seats[rank].why, '\0', sizeof(seats[rank].why)) != NULL);
		must(memchr(seats[rank].memory, '\0', sizeof(seats[rank].memory)) != NULL);
		must(seats[rank].gpus.n <= SP_GPUS_MAX);
	}
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (sp_board_decision(board, rank, &decision, &part, NULL, NULL) == 0) {
			must(decision.what && memchr(decision.evidence, '\0', sizeof(decision.evidence)));
			must(part.count == 0 || part.index < part.count);
		}
	if (sp_board_common(board, &common, &machine) == 0) {
		must(!sp_machine_fault(machine));
		use(machine, seats);
		if (sp_board_cut(board, &asked, (const uint32_t[RANKS]){ 0 }, read, machine->ncpus, &cut) == 0) {
			for (uint32_t i = 0; i < machine->ncpus; i++)
				must(read[i] < RANKS || read[i] == SP_NOBODY);
			must(strlen(sp_explain_cut(machine, &asked.policy, RANKS, &cut, text, sizeof(text))) < sizeof(text));
		}
		free(machine);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sp_board *board;
	const char *problem;
	size_t length;
	int error;

	fuzz_begin(data, size);
	if (file < 0)
		make_board();
	length = change(data, size);
	write_file(length);
	error = sp_board_open_name(name, geteuid(), BOARD_READING, &board, &problem);
	must(error <= 0 && (error != -EPROTO || problem));
	if (error == 0) {
		must(board->head.local_size > 0 && board->head.local_size <= BOARD_RANKS_MAX);
		if (board->head.local_size == RANKS)
			read_all(board);
		sp_board_release(board);
	}
	return 0;
}
