/*
 * The same command on other nodes: by srun in a Slurm allocation, or by ssh.
 */
#ifndef SHOW_NODES_H
#define SHOW_NODES_H

#include <stdbool.h>
#include <stddef.h>

struct node {
	char *name;
	char *output;		/* what it printed; "": nothing */
	int status;		/* exit status of srun or ssh; NODE_LATE: it did not answer */
};

#define NODE_LATE (-1)
#define NODE_SECONDS 30		/* so long is waited for all of them */

struct nodes {
	char *slurm_job;	/* its number; NULL: by ssh */
	struct node *node;
	size_t n;
};

/*
 * Find the nodes.
 *
 *   list  names parted by commas, to be reached by ssh; "": those of the Slurm
 *         job
 *   job   its number, or "slurm-17.0"; NULL: that of this environment
 *
 * Returns 0, or CMD_USAGE after a message.
 */
int nodes_find(const char *list, const char *job, struct nodes *nodes);

/* Run this command with arguments, ended by NULL, on all of them at once, and fill in what they printed. */
void nodes_run(struct nodes *nodes, char *const arguments[]);

void nodes_release(struct nodes *nodes);

#endif
