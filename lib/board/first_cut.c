/* The cut that the board's maker made for all ranks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board_file.h"

/* At the beginning of the part: whether there is a cut.  After it come the needs and the owners. */
struct written_cut {
	uint64_t is_made;
	struct sp_first_cut first;
};

_Static_assert(sizeof(struct written_cut) == BOARD_CUT_HEAD, "board_file.h gives it room");

static char *
owners_in(const struct sp_board_head *head, char *bytes)
{
	return bytes + BOARD_CUT_HEAD + sp_board_words_size(head);
}

static char *
sum_in(const struct sp_board_head *head, char *bytes)
{
	return bytes + sp_board_cut_size(head) - sizeof(uint64_t);
}

void
sp_first_cut_fill(const struct sp_board_head *head, const struct sp_first_cut *first, const uint32_t need[],
		  const uint32_t owner[], char *bytes)
{
	struct written_cut written;
	uint64_t sum;

	memset(bytes, 0, sp_board_cut_size(head));
	memset(&written, 0, sizeof(written));
	if (first) {
		written.is_made = 1;
		written.first = *first;
		written.first.policy.lists = NULL;
		memcpy(bytes + BOARD_CUT_HEAD, need, head->local_size * sizeof(need[0]));
		memcpy(owners_in(head, bytes), owner, head->ncpus * sizeof(owner[0]));
	}
	memcpy(bytes, &written, sizeof(written));
	sum = sp_board_sum(bytes, sp_board_cut_size(head) - sizeof(sum));
	memcpy(sum_in(head, bytes), &sum, sizeof(sum));
}

/* No field of them is compared with padding, nor is the text of lists, which the domain excludes. */
static bool
is_same_policy(const struct sp_policy *a, const struct sp_policy *b)
{
	return a->domain == SP_DOMAIN_AUTO && b->domain == SP_DOMAIN_AUTO && a->share == b->share && a->distribution == b->distribution &&
	       a->kinds == b->kinds && a->devices == b->devices && a->smt == b->smt && a->cores == b->cores &&
	       a->reserve == b->reserve && sp_cpus_equal(&a->reserved, &b->reserved);
}

/* The bytes of a bool that another process may have written. */
static bool
is_bool(const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, 1);
	return byte <= 1;
}

static bool
are_figures(const struct sp_cut *c)
{
	const uint32_t all = c->units | c->fair | c->idle | c->crossing | c->largest | c->beside | c->foreign |
		c->crowd.cores | c->crowd.fewest | c->crowd.most | c->crowd.threads | c->crowd.largest |
		c->dealt.objects | c->dealt.fewest | c->dealt.most | c->dealt.largest;

	return all < 2 * SP_CPUS_MAX && is_bool(&c->by_cpu) && is_bool(&c->by_need) && is_bool(&c->splits_cores);
}

static bool
are_owners(const struct sp_board_head *head, const char *owners, uint32_t owner[])
{
	memcpy(owner, owners, head->ncpus * sizeof(owner[0]));
	for (uint32_t i = 0; i < head->ncpus; i++)
		if (owner[i] >= head->local_size && owner[i] != SP_NOBODY)
			return false;
	return true;
}

static int
take(const struct sp_board_head *head, char *bytes, const struct sp_first_cut *asked, const uint32_t need[], uint32_t owner[], struct sp_cut *cut)
{
	struct written_cut written;
	uint64_t sum;

	memcpy(&written, bytes, sizeof(written));
	memcpy(&sum, sum_in(head, bytes), sizeof(sum));
	if (sum != sp_board_sum(bytes, sp_board_cut_size(head) - sizeof(sum)))
		return -EPROTO;
	if (written.is_made != 1 || !sp_cpus_equal(&written.first.cpus, &asked->cpus) ||
	    !is_same_policy(&written.first.policy, &asked->policy) ||
	    memcmp(bytes + BOARD_CUT_HEAD, need, head->local_size * sizeof(need[0])) != 0)
		return -ENOENT;
	if (!are_figures(&written.first.cut) || !are_owners(head, owners_in(head, bytes), owner))
		return -EPROTO;
	*cut = written.first.cut;
	return 0;
}

int
sp_board_first_cut(struct sp_board *board, const struct sp_first_cut *asked, const uint32_t need[],
		   uint32_t owner[], uint32_t n, struct sp_cut *cut)
{
	size_t size = sp_board_cut_size(&board->head);
	int fd = n == board->head.ncpus ? sp_board_reopen(board) : -ENOENT;

	if (fd < 0)
		return fd;
	char *bytes = malloc(size);
	int error = bytes ? sp_board_read_at(fd, bytes, size, sp_board_cut_at(&board->head)) : -ENOMEM;
	close(fd);
	if (!error)
		error = take(&board->head, bytes, asked, need, owner, cut);
	free(bytes);
	return error;
}
