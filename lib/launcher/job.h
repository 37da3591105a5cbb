/*
 * The name of the job that a rank belongs to, alike in all its ranks on a node
 * and in no other job's.
 */
#ifndef SP_JOB_H
#define SP_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "launcher/ancestors.h"
#include "rank.h"

#define SP_JOB_NAME 320		/* room for a name */

/*
 * Write the name into text: that of PMIx's name space, of Slurm's step or of
 * the manager's job, if the rank is read from its variables; else of the nearest
 * ancestor process that is no rank of the job, by pid and start time.  The
 * number of ranks is a part of it: one process may start two jobs (a shell,
 * with SPLITPIN_LOCAL_RANK).  Where variables name a job that has other nodes, so
 * is the node, since two nodes may share a /dev/shm (containers, two slurmd):
 * behind the last comma, by the launcher's name or its network name space.
 *
 * A shell that sets SPLITPIN_LOCAL_RANK for itself alone, and then starts the
 * program instead of executing it, is taken for the launcher.
 *
 * Returns 0, or a negative errno where /proc cannot be read.
 */
int sp_job_name(const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME]);

/* The same for another process of this user: its rank, its environment. */
int sp_job_name_of(pid_t pid, const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME]);

/*
 * The process that started the ranks of the calling one's job, where no launcher
 * that splitpin knows is among its ancestors: the nearest that is no process of
 * this rank, as a shell that runs several programs is; the parent where /proc
 * cannot be read.  The process itself where no launcher started it: what else its
 * shell has started is another job.
 */
pid_t sp_job_starter(const struct sp_rank *rank);

/*
 * The address that MPICH's proxies have of the mpiexec that started them,
 * "node:45791": alike on all nodes of a job, as its name is not.  Returns 0 or
 * -ENOENT.
 */
int sp_job_address(const struct sp_ancestor ancestor[], size_t n, char *text, size_t size);

/* The same of a process of this user. */
int sp_job_address_of(pid_t pid, char text[SP_JOB_NAME]);

/*
 * What the ranks have in common that one launch has started, on whatever nodes
 * and under whatever names of these: a PMIx name space, a step of Slurm, or
 * that address.  Returns 0, or -ENOENT: it is not known, or MPI_Comm_spawn has
 * started the process.
 */
int sp_job_launch_of(pid_t pid, char text[SP_JOB_NAME]);

/*
 * The number or name that the batch system gave the job of this environment,
 * as its users know it ("4711"); NULL: there is none.  Several launches of one
 * batch job have the same.
 */
const char *sp_job_batch_id(char *const environment[]);

/* Whether a name is that of an ancestor process (or, of a job without a launcher, of the process itself). */
bool sp_job_is_named_by_ancestor(const char *name);

/* How many ranks the job has on all nodes; 0: not known. */
uint32_t sp_job_ranks(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether the job has ranks on other nodes, too.  Then what is to be the same on
 * all of them may rest on nothing that is visible on one alone.  False where the
 * launcher does not give the number of all ranks.
 */
bool sp_job_has_other_nodes(const struct sp_rank *rank, char *const environment[]);

/*
 * The launcher's name of this node, where the job has other nodes; NULL: none is
 * given.  Containers may have one host name on all nodes.
 */
const char *sp_job_node(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether this rank reports what is alike in all ranks of the job, on whatever
 * nodes: its rank 0, or, where the launcher does not number all ranks, the
 * first of each node.
 */
bool sp_job_is_first_rank(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether the job's rank 0 is on another node that has as many ranks as this one:
 * what follows from that number is reported there.  It follows from the numbers
 * of the ranks where all nodes have equally many, in order or in turn.  False
 * where that cannot be told, or the batch system gave nodes different numbers
 * of CPUs.
 */
bool sp_job_first_node_is_alike(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether that node has as many CPUs as well, so that it reports if there are too
 * few.  Slurm says so; without Slurm it is assumed of jobs of more than 16 nodes,
 * where a line from each node would be too many.
 */
bool sp_job_first_node_has_as_many_cpus(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether MPI_Comm_spawn started this process: it then counts its ranks anew,
 * beside those of its parents.
 */
bool sp_job_is_spawned(char *const environment[]);

#endif
