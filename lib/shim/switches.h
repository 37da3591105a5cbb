/* What the environment switches on and off before there is an engine to read settings. */
#ifndef SP_SWITCHES_H
#define SP_SWITCHES_H

#include <stdbool.h>

/* SPLITPIN, SPLITPIN_DEBUG; and whether the user asked why a process does nothing, by that or SPLITPIN_REPORT. */
bool sp_switch_is_off(void);
bool sp_switch_is_debugging(void);
bool sp_switch_is_asked_why(void);

/*
 * A setuid program, preloaded by /etc/ld.so.preload: the variables of the user
 * who runs it do not count.  Not getauxval, whose version the loader would have
 * to look up in each process of a site; the engine uses that as well.
 */
bool sp_switch_is_setuid(void);

#endif
