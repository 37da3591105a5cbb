/* A line of the table. */
#ifndef SHOW_TABLE_ROW_H
#define SHOW_TABLE_ROW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The columns that all lines of the table have. */
struct table_row {
	const char *user;
	const char *job;	/* its name, of which the word is printed (which.h) */
	const char *rank;
	pid_t pid;
	const char *program, *cpus;
	size_t busy, threads;
	uint32_t need;		/* 0: not known */
};

/* The node's name has HOST bytes at least, and is never cut: names of nodes differ in their last digits. */
#define TABLE_HOST 8

/* Their names; the longest name of a node has so many bytes. */
void table_row_heading(size_t host);

/* Without a line feed: more may follow. */
void table_row_print(const struct table_row *row);

#endif
