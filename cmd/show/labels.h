#ifndef SHOW_LABELS_H
#define SHOW_LABELS_H

#include "cmd/show/running.h"

/* Words for JSON and the table. */
const char *show_state_name(enum sp_seat_state state);
const char *show_kind_name(enum show_kind kind);

/* The name of a user, or the number if there is no name; the caller's, to free(). */
char *show_user(uid_t uid);

/* The name of this node. */
const char *show_host(void);

#endif
