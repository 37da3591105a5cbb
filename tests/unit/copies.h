/* Small copies of /sys and /proc, made by each test: a checked fixture. */
#ifndef SP_TEST_COPIES_H
#define SP_TEST_COPIES_H

extern char copies_root[];	/* the folder that stands before /sys and /proc */

void copies_make(void);
void copies_remove(void);

/* A file with this text, and the folders around it. */
void copies_put(const char *path, const char *format, ...);

#endif
