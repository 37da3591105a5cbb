/* What other commands that start programs use of splitpin run. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include <stdbool.h>

#include "cmd/run_line.h"
#include "cmd/target/target.h"

/* Exit statuses of shells. */
#define CMD_CANNOT_RUN 126
#define CMD_NOT_FOUND 127

/*
 * Put the library and the settings into the environment of the calling
 * process, and with --alone the process on its cores.  Returns 0, or CMD_USAGE
 * after a message.
 */
int run_prepare(const struct run_request *request);

/*
 * Why the library will do nothing in a program, which the caller frees; NULL if
 * it may: a program that needs neither MPI nor OpenMP may start one that does.
 * Call it when the request is prepared.
 */
char *run_why_nothing(const struct run_request *request, const struct target *target);

/*
 * Where a program, the caller's, has MPI or OpenMP but no launcher, and the
 * calling process is not a rank: make it a job of one rank, by SPLITPIN_LOCAL_RANK in
 * the environment, unless that is set or --alone off was given.  To be called when the request is
 * prepared, which may set it.
 */
void run_be_alone(const struct run_request *request, const struct target *target);

/* Execute the command, found in PATH.  Returns only on failure, with a status, after a message. */
int run_start(char *const command[]);

/*
 * The same of this splitpin, with a subcommand and its options in front of the command.
 * The first of these words is "splitpin", a name that only starts others: as any other
 * program it might be a lone rank, and claim CPUs.
 */
int run_self(char *const words[], char *const command[]);

#endif
