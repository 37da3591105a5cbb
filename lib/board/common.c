/* Reading what is the same for all ranks of a board. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "board/board_file.h"

static int
read_common(int fd, const struct sp_board_head *head, struct sp_common *common, struct sp_machine **machine)
{
	size_t size = head->ncpus * sizeof(struct sp_pu);
	struct sp_machine *made = malloc(sp_machine_size(head->ncpus));

	if (!made)
		return -ENOMEM;
	made->ncpus = head->ncpus;
	made->gpus = head->gpus;
	made->gpu_memory = head->gpu_memory;
	made->far_memory = head->far_memory;
	for (uint32_t i = 0; i < made->gpus.n; i++)
		made->gpus.gpu[i].address[sizeof(made->gpus.gpu[i].address) - 1] =
			made->gpus.gpu[i].uuid[sizeof(made->gpus.gpu[i].uuid) - 1] = '\0';
	int error = sp_board_read_at(fd, made->pu, size, sp_board_machine_at(head));
	if (!error && (head->machine_sum != sp_board_sum(made->pu, size) || sp_machine_fault(made)))
		error = -EPROTO;
	if (error) {
		free(made);
		return error;
	}
	*common = (struct sp_common){ .launcher = head->launcher, .machine = made, .dry_run = head->dry_run != 0,
		.observe = head->dry_run == BOARD_OBSERVED };
	*machine = made;
	return 0;
}

int
sp_board_common_terms(struct sp_board *board, struct sp_common *common, struct sp_machine **machine, struct sp_terms *terms, uint32_t need[])
{
	int fd = sp_board_take_open(board);

	if (fd < 0)
		return fd;
	int error = read_common(fd, &board->head, common, machine);
	if (!error && terms) {
		free(board->plan);
		error = sp_plan_read(fd, &board->head, &board->plan);
		if (!error)
			sp_plan_terms(&board->head, board->plan, terms, need);
	}
	if (error || board->self.pid)
		close(fd);
	else
		board->fd = fd;
	return error;
}

int
sp_board_common(struct sp_board *board, struct sp_common *common, struct sp_machine **machine)
{
	return sp_board_common_terms(board, common, machine, NULL, NULL);
}
