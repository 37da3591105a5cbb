/* What splitpin probe prints, and how splitpin check reads it. */
#ifndef CMD_PROBE_H
#define CMD_PROBE_H

/* Begins the line that says what was found; KEY=VALUE and KEY="SENTENCE" follow. */
#define PROBE_MARK "splitpin: probe: "

/* Variables of OpenMP that are told by their own names. */
#define PROBE_OPENMP 3
extern const char *const probe_openmp[PROBE_OPENMP];

/*
 * The value of a key in such a line, or in one of SPLITPIN_DEBUG; the caller's, to
 * free().  NULL: the line does not have it.  "why" is the last key of a line, and
 * its sentence may contain quotation marks.
 */
char *probe_field(const char *line, const char *key);

#endif
