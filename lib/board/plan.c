/*
 * The plan: what is decided for all ranks of the node, one record.  Of its two
 * copies the current one is never written; the other becomes the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board_file.h"

#define READ_TRIES 8		/* of a plan that is replaced meanwhile */

static uint32_t *
needs_in(struct sp_written_plan *plan)
{
	return (uint32_t *)(plan + 1);
}

static uint32_t *
groups_in(const struct sp_board_head *head, struct sp_written_plan *plan)
{
	return needs_in(plan) + sp_board_even(head->local_size);
}

static uint32_t *
owners_in(const struct sp_board_head *head, struct sp_written_plan *plan)
{
	return groups_in(head, plan) + sp_board_even(head->local_size);
}

static uint64_t *
sum_in(const struct sp_board_head *head, struct sp_written_plan *plan)
{
	return (uint64_t *)(void *)(owners_in(head, plan) + sp_board_even(head->ncpus));
}

static uint64_t
sum_of(const struct sp_board_head *head, const struct sp_written_plan *plan)
{
	return sp_board_sum(plan, sp_board_plan_size(head) - sizeof(uint64_t));
}

/* plan NULL: there is no cut for these terms. */
static void
put_cut(const struct sp_board_head *head, const struct sp_plan *plan, const struct sp_policy *policy, struct sp_written_plan *written)
{
	written->is_cut = plan && plan->owner && !plan->error && plan->terms.how != SP_TERMS_SHARED;
	if (!written->is_cut)
		return;
	written->cut.cpus = *plan->cpus;
	written->cut.policy = *policy;
	written->cut.policy.lists = NULL;
	written->cut.cut = plan->cut;
	memcpy(owners_in(head, written), plan->owner, head->ncpus * sizeof(plan->owner[0]));
}

void
sp_plan_begin(const struct sp_board_head *head, const struct sp_common *common, struct sp_written_plan *plan)
{
	plan->generation = 1;
	if (common->terms)
		plan->terms = *common->terms;
	plan->terms.generation = 1;
	if (common->need)
		memcpy(needs_in(plan), common->need, head->local_size * sizeof(common->need[0]));
	put_cut(head, common->plan, common->policy, plan);
	*sum_in(head, plan) = sum_of(head, plan);
}

/* Whether a copy is complete and has the plan of this generation. */
static bool
is_plan(const struct sp_board_head *head, struct sp_written_plan *plan, uint64_t generation)
{
	bool is_whole = *sum_in(head, plan) == sum_of(head, plan);

	plan->decision.evidence[sizeof(plan->decision.evidence) - 1] = '\0';
	return is_whole && plan->generation == generation && plan->terms.how <= SP_TERMS_SHARED;
}

/* -EAGAIN: the copy is being overwritten for a later generation. */
static int
read_copy(int fd, const struct sp_board_head *head, struct sp_written_plan *plan)
{
	uint64_t generation;
	int error = sp_board_read_at(fd, &generation, sizeof(generation), BOARD_WORD_AT(plan));

	if (!error)
		error = sp_board_read_at(fd, plan, sp_board_plan_size(head), sp_board_plan_at(head, generation));
	return error ? error : is_plan(head, plan, generation) ? 0 : -EAGAIN;
}

int
sp_plan_read(int fd, const struct sp_board_head *head, struct sp_written_plan **plan)
{
	struct sp_written_plan *read = malloc(sp_board_plan_size(head));
	int error = read ? -EAGAIN : -ENOMEM;

	for (int i = 0; i < READ_TRIES && error == -EAGAIN; i++)
		error = read_copy(fd, head, read);
	if (error) {
		free(read);
		read = NULL;
	}
	*plan = read;
	return error == -EAGAIN ? -EPROTO : error;
}

void
sp_plan_terms(const struct sp_board_head *head, struct sp_written_plan *plan, struct sp_terms *terms, uint32_t need[])
{
	*terms = plan->terms;
	if (need)
		memcpy(need, needs_in(plan), head->local_size * sizeof(need[0]));
}

/* The plan of a board, the caller's to free. */
static int
plan_of(const struct sp_board *board, struct sp_written_plan **plan)
{
	int fd = sp_board_reopen(board);

	*plan = NULL;
	if (fd < 0)
		return fd;
	int error = sp_plan_read(fd, &board->head, plan);
	close(fd);
	return error;
}

int
sp_board_terms(struct sp_board *board, struct sp_terms *terms, uint32_t need[])
{
	struct sp_written_plan *plan;
	int error = plan_of(board, &plan);

	if (!error)
		sp_plan_terms(&board->head, plan, terms, need);
	free(plan);
	return error;
}

int
sp_board_groups(struct sp_board *board, uint32_t group[])
{
	struct sp_written_plan *plan;
	int error = plan_of(board, &plan);

	if (!error)
		memcpy(group, groups_in(&board->head, plan), board->head.local_size * sizeof(group[0]));
	free(plan);
	return error;
}

/* Replacing it. */

/* What sp_board_revise was given. */
struct revision {
	struct sp_terms *terms;
	const uint32_t *need;
	const struct sp_decision *decision;
	const struct sp_part *part;
	const struct sp_plan *plan;
	const struct sp_policy *policy;
};

/* Change a copy of the current plan to be the next; -EEXIST: it is not the one that was meant. */
static int
change(const struct sp_board_head *head, const struct revision *revision, struct sp_written_plan *plan)
{
	if ((revision->terms && revision->terms->generation != plan->terms.generation) || (revision->decision && plan->decision.what))
		return -EEXIST;
	plan->generation++;
	if (revision->terms) {
		plan->terms = *revision->terms;
		plan->terms.generation++;
		memset(needs_in(plan), 0, head->local_size * sizeof(revision->need[0]));
		if (revision->need)
			memcpy(needs_in(plan), revision->need, head->local_size * sizeof(revision->need[0]));
		put_cut(head, revision->plan, revision->policy, plan);
	}
	if (revision->decision) {
		plan->decision = *revision->decision;
		for (uint32_t rank = 0; rank < head->local_size; rank++)
			groups_in(head, plan)[rank] = revision->part[rank].group;
	}
	*sum_in(head, plan) = sum_of(head, plan);
	return 0;
}

/* The parts are written once, before the plan by which they hold; then the other copy, before the word that makes it current. */
static int
write_next(int fd, const struct sp_board_head *head, const struct revision *revision, const struct sp_written_plan *plan)
{
	const uint64_t next = plan->generation;
	int error = 0;

	if (revision->decision)
		error = sp_board_write_at(fd, revision->part, head->local_size * sizeof(revision->part[0]), sp_board_part_at(head, 0));
	if (!error)
		error = sp_board_write_at(fd, plan, sp_board_plan_size(head), sp_board_plan_at(head, next));
	return error ? error : sp_board_write_at(fd, &next, sizeof(next), BOARD_WORD_AT(plan));
}

static int
replace(int fd, const struct sp_board_head *head, const struct revision *revision)
{
	struct sp_written_plan *plan = NULL;
	int error = sp_board_lock(fd, BOARD_WORD_AT(plan), sizeof(uint64_t));

	if (!error)
		error = sp_plan_read(fd, head, &plan);
	if (!error)
		error = change(head, revision, plan);
	if (!error)
		error = write_next(fd, head, revision, plan);
	free(plan);
	return error;
}

static int
revise(struct sp_board *board, const struct revision *revision)
{
	int fd = sp_board_has_lost_lock() ? -ESTALE : sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = replace(fd, &board->head, revision);
	close(fd);
	if (!error && revision->terms)
		revision->terms->generation++;
	return error;
}

int
sp_board_revise(struct sp_board *board, struct sp_terms *terms, const uint32_t need[], const struct sp_decision *decision,
		const struct sp_part part[])
{
	return revise(board, &(struct revision){ terms, need, decision, part, NULL, NULL });
}

int
sp_board_revise_all(struct sp_board *board, struct sp_plan *plan, const struct sp_policy *policy, const struct sp_decision *decision)
{
	return revise(board, &(struct revision){ &plan->terms, plan->need, decision, plan->part, plan, policy });
}

/* The decision. */

static bool
is_part(const struct sp_part *part, const struct sp_board_head *head)
{
	return part->count == 0 || (part->index < part->count && part->count <= head->local_size);
}

/* Of n ranks from this one. */
static int
read_parts(struct sp_board *board, uint32_t rank, uint32_t n, struct sp_decision *decision, struct sp_part part[],
	   struct sp_terms *terms, uint32_t need[])
{
	struct sp_written_plan *plan = NULL;
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int error = sp_plan_read(fd, &board->head, &plan);
	if (!error && terms)
		sp_plan_terms(&board->head, plan, terms, need);
	if (!error) {
		*decision = plan->decision;
		error = !decision->what ? -ENOENT : sp_board_read_at(fd, part, n * sizeof(part[0]), sp_board_part_at(&board->head, rank));
	}
	free(plan);
	close(fd);
	for (uint32_t i = 0; !error && i < n; i++)
		error = is_part(&part[i], &board->head) ? 0 : -EPROTO;
	return error;
}

int
sp_board_decision(struct sp_board *board, uint32_t local_rank, struct sp_decision *decision, struct sp_part *part,
		  struct sp_terms *terms, uint32_t need[])
{
	return local_rank < board->head.local_size ? read_parts(board, local_rank, 1, decision, part, terms, need) : -EINVAL;
}

int
sp_board_parts(struct sp_board *board, struct sp_decision *decision, struct sp_part part[])
{
	return read_parts(board, 0, board->head.local_size, decision, part, NULL, NULL);
}

/* The cut. */

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
are_owners(const struct sp_board_head *head, const uint32_t owner[])
{
	for (uint32_t i = 0; i < head->ncpus; i++)
		if (owner[i] >= head->local_size && owner[i] != SP_NOBODY)
			return false;
	return true;
}

/* With what is common the first plan was read, which mostly stays. */
int
sp_board_cut(struct sp_board *board, const struct sp_common_cut *asked, const uint32_t need[],
		   uint32_t owner[], uint32_t n, struct sp_cut *cut)
{
	const struct sp_board_head *head = &board->head;
	int error = 0;

	if (!board->plan || board->plan->terms.generation != asked->generation) {
		free(board->plan);
		error = plan_of(board, &board->plan);
	}
	struct sp_written_plan *plan = board->plan;
	if (error || n != head->ncpus)
		return error ? error : -ENOENT;
	if (plan->is_cut != 1 || plan->terms.generation != asked->generation || !sp_cpus_equal(&plan->cut.cpus, &asked->cpus) || !is_same_policy(&plan->cut.policy, &asked->policy) ||
	    memcmp(needs_in(plan), need, head->local_size * sizeof(need[0])) != 0)
		return -ENOENT;
	if (!are_figures(&plan->cut.cut) || !are_owners(head, owners_in(head, plan)))
		return -EPROTO;
	memcpy(owner, owners_in(head, plan), n * sizeof(owner[0]));
	*cut = plan->cut.cut;
	return 0;
}
