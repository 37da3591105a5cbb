/*
 * Lines of KEY=VALUE and KEY="SENTENCE", as SPLITPIN_DEBUG prints them.
 */
#ifndef PROBE_LINE_H
#define PROBE_LINE_H

/*
 * The value of a key in such a line; the caller's, to free().  NULL: the line
 * does not have it.  "why" is the last key of a line, and its sentence may
 * contain quotation marks.
 */
char *probe_field(const char *line, const char *key);

#endif
