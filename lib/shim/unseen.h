/* An OpenMP runtime of which splitpin has seen nothing until the process ends. */
#ifndef SP_UNSEEN_H
#define SP_UNSEEN_H

#include <stdbool.h>

/*
 * Whether a runtime is loaded, and a library that was preloaded before this one has
 * the functions by which runtimes are seen, as a checkpointer's (DMTCP).
 */
bool sp_unseen_is_taken_over(void);

/* Room for a reason. */
#define SP_UNSEEN 192

/*
 * Why, or NULL: no runtime is loaded, or the process is torchrun or its like,
 * which starts ranks and looks like one itself.  The reason is static, or made in
 * text, of SP_UNSEEN bytes.  Allocates nothing.
 */
const char *sp_unseen_reason(char text[SP_UNSEEN]);

#endif
