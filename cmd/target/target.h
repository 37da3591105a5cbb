/*
 * What a command line runs: a launcher or not, and the program behind it.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launcher/binding.h"
#include "launcher/launch_line.h"
#include "launcher/options.h"
#include "settings/config.h"
#include "cmd/target/elf_file.h"
#include "cmd/target/loader.h"
#include "cpus.h"

enum target_launcher {
	TARGET_NO_LAUNCHER,
	TARGET_OPENMPI,		/* mpirun, mpiexec, prterun */
	TARGET_HYDRA,		/* mpirun and mpiexec of MPICH and Intel MPI */
	TARGET_SRUN,
	TARGET_OTHER,		/* another, whose command line is not read */
};

/* Why nothing can be preloaded into a program. */
enum target_obstacle { TARGET_STATIC, TARGET_RIGHTS, TARGET_FOREIGN, TARGET_MUSL, TARGET_OBSTACLES };

/* One of the programs of a launcher's line. */
struct target_part {
	char **given;		/* what stands in front of the program changes of the environment, as in struct target_words; ends with NULL */
	bool is_by_run;		/* "splitpin run" gives it the library */
	const char *binder;	/* of what stands in front of it, as in struct target_words */
	char *word, *folder;	/* the program, and where it is started; NULL: not known */
};

/* Owns all that it points to; all zero: no command. */
struct target {
	size_t wrappers;	/* words before the launcher or the program: "time -p" */
	const char *binder;	/* of these, as in struct target_words */
	bool is_in_shell;	/* the launcher or program is in a shell's line (bash -c) behind these */
	char **given;		/* what wrappers in front change of the environment, as in struct target_words; ends with NULL */
	char *arguments;	/* of the launcher, with its name, each with its NUL; NULL: there is none */
	size_t length;
	enum target_launcher launcher;
	bool is_by_part;	/* Open MPI 4's: an option such as -x counts for its program alone */
	char *launcher_name;	/* as people call it: "mpirun of Open MPI"; NULL: no launcher */
	struct target_part *part;	/* of a launcher's line */
	uint32_t parts;		/* programs, parted by ':'; 0: of a launcher that is not read */
	uint32_t by_run;	/* of these, that "splitpin run" starts */
	char *word;		/* the program as it was written; NULL: not known, or none */
	char *path;		/* the executable that runs in the end, of a script its interpreter; NULL: not found here, or what is there cannot be executed */
	int error;		/* of the program behind a launcher, as target_find returns it without one */
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
	char *folder;		/* in which what follows is started (env -C); NULL: the same */
	const char *binder;	/* of these, what binds the rest to CPUs: taskset or numactl; NULL: nothing */
};

/* command: NULL-terminated, one word at least.  wrapper.c. */
void target_unwrap(char *const command[], struct target_words *words);
void target_release_words(struct target_words *words);

/* Start what follows in a folder; pass env with its options: false: it executes nothing.  env_words.c. */
void target_enter_folder(struct target_words *words, const char *folder);
bool target_pass_env(struct target_words *words);

/*
 * What words give: add an entry; add assignments from *at on, up to another word; take all
 * over, with a NULL at the end.  given.c.
 */
void target_words_add(struct target_words *words, const char *entry);
void target_pass_assignments(struct target_words *words, char *const **at);
char **target_take_given(struct target_words *words);

/* The environment of this process, changed as words do. */
void target_export(const struct target_words *words);

/*
 * Environments that target_release_list frees: a copy; with one entry, which is taken over,
 * and with what is given, instead of the one that is handed over.
 */
char **target_copy(char *const environment[]);
char **target_put(char **environment, char *entry);
char **target_change(char **environment, char *const given[]);

/*
 * The last command in the line of "bash -c" as words, the first of which are variables,
 * which are counted, and one at least is none; the caller's, target_release_list frees
 * them.  NULL: it is no such command, or takes a shell to be read.  shell.c.
 */
char **target_shell_words(char *const command[], size_t *variables);
void target_release_list(char **word);
/* A text's words, parted by blanks, with the quotes of a shell; the caller's as well. */
char **target_split(const char *text);

/* The job, as its launcher's line describes it. */
struct target_job {
	uint32_t ranks;		/* in all; 0: it does not say */
	uint32_t here;		/* on this node, or on one of several; 0: not known */
	uint32_t parts;		/* programs, parted by ':' */
	char **environment;	/* as the ranks of the first part have it, NULL-terminated: this process's, with what the line and wrappers add */
	uint32_t *threads;	/* that each part announces; 0: it announces none */
	uint32_t *ranks_of;	/* of each part; 0: it does not say */
	char *unread;		/* what else the line says, such as "--bind-to core"; NULL: nothing */
};

/* Read a launcher's line; launched_job.c.  Without a launcher whose lines are read, only the environment is filled in. */
void target_read_job(const struct target *target, struct target_job *job);
void target_release_job(struct target_job *job);

/* Such an error in words. */
const char *target_problem(int error);
/* What is wrong with the name of a program that is not there (-ENOENT), as the rest of a sentence, or "". */
const char *target_hint(const char *word);

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

/* Whether the command lines of such a launcher are read, and how. */
bool target_is_read(enum target_launcher launcher);
const struct sp_syntax *target_syntax(enum target_launcher launcher);

/* The line of such a launcher; points into the target. */
struct sp_launch target_launch(const struct target *target);

/* Read the programs of a launcher's line, and what stands in front of each; started.c. */
void target_read_parts(struct target *target);
void target_release_parts(struct target *target);

/*
 * The value of a variable after such changes of an environment, "" where they remove it;
 * NULL: they leave it as it is.
 */
const char *target_given(char *const given[], const char *name);

/* The environment of this process as what stands in front of the command changes it; target_release_list frees it. */
char **target_environment(const struct target *target);

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

#endif
