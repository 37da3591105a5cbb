/*
 * What helps against problems that both the warnings of a run and commands
 * name: one table, so that all say the same.
 */
#ifndef SP_REPORT_REMEDY_H
#define SP_REPORT_REMEDY_H

enum sp_problem {
	SP_PROBLEM_FULL_NODE,	/* ranks, or jobs, have more busy threads than the CPUs that all of them may use */
	SP_PROBLEM_FULL_SHARE,	/* a rank has more busy threads than CPUs, and its share has no others */
	SP_PROBLEM_ONE_PLACE,	/* OMP_PROC_BIND=master: its threads stay on the place of the first */
	SP_PROBLEM_BOUND,	/* busy threads of a rank are bound to fewer CPUs than its share has */
	SP_PROBLEM_SAME_CPUS,	/* threads of several ranks are bound to the same CPUs, though not by splitpin */
};

/* A clause without a full stop. */
const char *sp_problem_remedy(enum sp_problem problem);

#endif
