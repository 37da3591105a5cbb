/* Parts of a job; ranks of different parts may differ. */
#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* More threads per rank are taken for a typing error. */
#define THREADS_MAX 65536

/* Ranks with consecutive numbers that are alike: "-n 4 -t 2". */
struct plan_part {
	uint32_t ranks;
	uint32_t threads;	/* of each; 0: not said */
	char *const *command;	/* plan_for: as in struct plan */
};

struct plan_parts {
	struct plan_part *part;
	uint32_t n;
};

/*
 * Parts, separated by a word ':'; of: what they are of, for messages,
 * such as "--beside \"-n 2\": ".  plan_parts_add adds one; plan_parts_end, when all
 * are there, counts the ranks, and gives a command of the last part alone to all.
 * Both return 0, or CMD_USAGE after a message.
 */
int plan_parts_add(struct plan_parts *parts, const struct plan_part *part, const char *of);
int plan_parts_end(struct plan_parts *parts, const char *of, uint32_t *nranks);

/* The threads of each rank; others: for ranks without a number.  The caller's. */
uint32_t *plan_parts_need(const struct plan_parts *parts, uint32_t nranks, uint32_t others);

/* Whether they have different programs. */
bool plan_parts_have_programs(const struct plan_parts *parts);

#endif
