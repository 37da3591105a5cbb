/*
 * What a command line runs: a launcher or not, and the program behind it.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launcher/binding.h"
#include "launcher/options.h"
#include "settings/config.h"
#include "cmd/target/elf_file.h"
#include "cmd/target/loader.h"

enum target_launcher {
	TARGET_NO_LAUNCHER,
	TARGET_OPENMPI,		/* mpirun, mpiexec, prterun */
	TARGET_HYDRA,		/* mpirun and mpiexec of MPICH and Intel MPI */
	TARGET_SRUN,
	TARGET_OTHER,		/* another, whose command line is not read */
};

/* Which ranks of a launcher have the library by LD_PRELOAD. */
struct target_reach {
	bool here, others;	/* those of this node; of other nodes */
	bool names_others;	/* the command names another node */
	char *library;		/* entry of LD_PRELOAD that an option or "splitpin run" gives to the ranks; NULL: the environment's counts */
	char *missing;		/* names of SPLITPIN_* in the environment that do not reach other nodes, parted by ", "; NULL: none */
	bool lacks;		/* "splitpin run" starts some programs of the command, and another has no library; not here, then */
	char *how;		/* one sentence without a full stop */
};

/* Why nothing can be preloaded into a program. */
enum target_obstacle { TARGET_STATIC, TARGET_RIGHTS, TARGET_FOREIGN, TARGET_MUSL, TARGET_OBSTACLES };

/* Owns all that it points to; all zero: no command. */
struct target {
	size_t wrappers;	/* words before the launcher or the program: "time -p" */
	bool is_in_shell;	/* the launcher or program is in a shell's line (bash -c) behind these */
	char **given;		/* what wrappers in front or behind a launcher change of the environment, as in struct target_words; ends with NULL */
	char *arguments;	/* of the launcher, with its name, each with its NUL; NULL: there is none */
	size_t length;
	enum target_launcher launcher;
	bool is_by_part;	/* Open MPI 4's: an option such as -x counts for its program alone */
	char *launcher_name;	/* as people call it: "mpirun of Open MPI"; NULL: no launcher */
	struct target_reach reach;	/* of a launcher */
	uint32_t parts;		/* programs, parted by ':'; 0: of a launcher that is not read */
	uint32_t by_run;	/* of these, that "splitpin run" starts */
	char *word;		/* the program as it was written; NULL: not known, or none */
	char *path;		/* the executable that runs in the end, of a script its interpreter; NULL: not found here */
	bool is_script;
	struct elf_file elf;
	struct loader_object *object;	/* the program's, in the loader's order */
	size_t nobjects;
};

/*
 * Look at a command, NULL-terminated, which has one word at least.  Nothing of
 * it is run.
 *
 * Returns 0, or a negative errno: the program, which no launcher starts, is
 * not there (-ENOENT), is neither a program nor a script (-ENOEXEC) or cannot
 * be read; path is then what could not be opened.  One behind a launcher may
 * be there on the nodes alone: it is no error that it is not found here.
 */
int target_find(struct target *target, char *const command[]);
void target_release(struct target *target);

/* Instead of a variable: all are removed (env -i). */
#define TARGET_EMPTIES "-"

/* What is behind programs that execute a command (env, taskset, valgrind, gdb --args, bash -c), and what is in front. */
struct target_words {
	size_t n;		/* words of the command in front */
	bool is_in_shell;	/* what follows is inside one word of the command (bash -c) */
	char *const *rest;	/* in the command, or in inner; NULL-terminated, one word at least */
	char **inner;		/* of a shell's line, or NULL */
	char **given;		/* for the environment, in this order: "NAME=VALUE"; "NAME", which is removed; or TARGET_EMPTIES */
	size_t ngiven;
};

/* command: NULL-terminated, one word at least.  wrapper.c. */
void target_unwrap(char *const command[], struct target_words *words);
/* Change this process's environment as these words do. */
void target_export(const struct target_words *words);
void target_release_words(struct target_words *words);

/*
 * The last command in the line of "bash -c", with the variables in front of it,
 * as words; the caller's, target_release_list frees them.  NULL: it is no such command,
 * or takes a shell to be read.  shell.c.
 */
char **target_shell_words(char *const command[]);
void target_release_list(char **word);

/* The job, as its launcher's line describes it. */
struct target_job {
	uint32_t ranks;		/* in all; 0: it does not say */
	uint32_t here;		/* on this node, or on one of several; 0: not known */
	uint32_t parts;		/* programs, parted by ':' */
	char **environment;	/* as the ranks of the first part have it, NULL-terminated: this process's, with what the line and wrappers add */
	uint32_t *threads;	/* that each part announces; 0: it announces none */
	uint32_t *ranks_of;	/* of each part; 0: it does not say */
	enum target_binding { TARGET_UNBOUND, TARGET_BOUND_BY_DEFAULT, TARGET_BOUND_AS_ASKED } binding;
	bool is_core_default;	/* the launcher's default binds each rank of so few to one core */
	bool is_core_asked;	/* an option asks for a binding of each rank to one core or CPU */
	const char *overcommit;	/* what asks for more ranks than CPUs; NULL: nothing */
	char evidence[SP_EVIDENCE];	/* of the last: "mpirun has --bind-to core" */
};

/* Read a launcher's line; launched_job.c.  Without a launcher whose lines are read, only the environment is filled in. */
void target_read_job(const struct target *target, struct target_job *job);
void target_release_job(struct target_job *job);

/* Whether the launcher's default binds each rank to a core, and the settings keep this unless threads need more. */
bool target_binds_to_core(const struct target_job *job, const struct sp_config *config);

/* Such an error in words. */
const char *target_problem(int error);

/* The sentence on one obstacle or on the first, the caller's; NULL: there is none. */
char *target_obstacle(const struct target *target, enum target_obstacle obstacle);
char *target_first_obstacle(const struct target *target);

/*
 * Whether a file of this name is an OpenMP runtime; an MPI library, with or
 * without libmpi_abi, which may wrap another; PMIx.
 */
bool target_is_openmp(const char *name);
bool target_is_mpi(const char *name);
bool target_is_any_mpi(const char *name);
bool target_is_pmix(const char *name);

/* The first such library that the program needs, or NULL. */
const char *target_needs(const struct target *target, bool (*is_kind)(const char *name));

/* Whether it needs any of these. */
bool target_is_parallel(const struct target *target);

/* Whether the command lines of such a launcher are read, whose ranks it starts then, and how they are read. */
bool target_is_read(enum target_launcher launcher);
enum sp_launcher target_known(enum target_launcher launcher);
const struct sp_syntax *target_syntax(enum target_launcher launcher);

/*
 * Count the programs of a launcher's line, and those that "splitpin run" starts,
 * which have the library on whatever node; reach is then what holds for all;
 * started.c.
 */
void target_read_run(struct target *target);

/*
 * Read how a launcher hands LD_PRELOAD on; reach.c.  is_openmpi4: its -x counts for
 * one of several programs.
 */
struct target_reach target_read_reach(enum target_launcher launcher, const char *name, bool is_openmpi4, const char *arguments,
				      size_t length, const char **program);

/*
 * Have Open MPI hand LD_PRELOAD and SPLITPIN_* of this process's environment on to
 * the ranks of other nodes: by a variable in that environment, or, where the
 * command has -x, which excludes it, by more of these.  A list of the user's on
 * the command line stays as it is.
 *
 * Returns the command to start: this one, or an array for the rest of the
 * process's life.  hand_on.c.
 */
char **target_hand_on(const struct target *target, char *command[]);

/*
 * A copy of Open MPI's command in which -x hands on the variables of these entries
 * ("NAME=VALUE", ends with NULL) to each program that does not name them itself;
 * target_release_list frees it.
 */
char **target_give(const struct target *target, char *const command[], char *const entry[]);

/* The variable by which target_hand_on does it. */
#define TARGET_LIST "OMPI_MCA_mca_base_env_list"

/* Whether an entry of an environment is one of those. */
bool target_is_handed_on(const char *entry);

/* Whether a command line of Open MPI's mpirun, or its environment, names another node than this one, in a list or a file of hosts; hosts.c. */
bool target_names_others(const char *arguments, size_t length);

#endif
