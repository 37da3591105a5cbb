/*
 * For whom a site's file is read: the program, its user and its job, as sections
 * of the file may name them.
 *
 * The user and the groups are the kernel's numbers: names would come from a
 * server for which a rank does not wait.  What is known of the job are variables
 * of the batch system, which a user can change.
 */
#ifndef SP_SUBJECT_H
#define SP_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All zero: a program of root's of which nothing else is known. */
struct sp_subject {
	const char *program;	/* whole path of the executable; NULL: none in particular */
	uid_t user;
	const gid_t *group;	/* the process's own, and the supplementary ones; NULL: those of this process, read where a section asks */
	size_t ngroups;
	const char *account, *partition;	/* NULL: the batch system does not name it */
	const char *job;	/* the batch system's number of the whole job, alike on all its nodes; NULL: there is none */
	const char *cpus;	/* of the job on each of its nodes, as Slurm has them: "48(x2),24"; NULL: not known */
	uint32_t online;	/* CPUs of this node; 0: read where exclusive_only asks */
};

/* program: as above.  The texts point into the environment.  Never fails. */
void sp_subject_read(struct sp_subject *subject, char *const environment[], const char *program);

enum sp_answers { SP_NO, SP_YES, SP_NOT_KNOWN };

/*
 * Whether what stands in the brackets of a section is true of the subject: a
 * glob of programs, or KIND=VALUE... with the kinds user, group, account and
 * partition.  SP_NOT_KNOWN: the batch system does not say it, memory is short,
 * or no program is given.
 */
enum sp_answers sp_subject_is_in(const struct sp_subject *subject, const char *section);

/* Why a section's text is wrong, a clause; NULL: it is right. */
const char *sp_subject_why_wrong(const char *section);

/* The same for a glob of programs, and whether it matches one: NULL matches none. */
const char *sp_subject_why_wrong_glob(const char *glob);
bool sp_subject_glob_matches(const char *glob, const char *program);

/* Whether its job is among so many per cent of all jobs. */
enum sp_answers sp_subject_is_chosen(const struct sp_subject *subject, uint32_t percent);

/* Whether its job has all CPUs of this node, whose number is read where `online` is 0. */
enum sp_answers sp_subject_has_node(const struct sp_subject *subject);

#endif
