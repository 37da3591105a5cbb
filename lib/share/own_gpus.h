/*
 * SPLITPIN_DEVICES=gpu:own: the variable by which a rank sees its own GPUs alone,
 * for programs that take the first that they see.
 */
#ifndef SP_OWN_GPUS_H
#define SP_OWN_GPUS_H

#include "node/situation.h"

#define SP_VISIBLE_WHY 256

/*
 * Put the variable into the process's environment, unless this is a dry run,
 * the rank has a list of its own, or a GPU runtime has started, which has read
 * the variable.
 *
 * To be called before this rank's seat says that it has settled.  The ranks'
 * lists of GPUs may differ, so all lists are waited for as in
 * node/beside_gpus.h.  what: one sentence that says what was done, or why
 * nothing was done.
 */
void sp_visible_settle(const struct sp_situation *situation, char what[SP_VISIBLE_WHY]);

#endif
