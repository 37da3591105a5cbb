/* In place of lib/node/open_hardware.c: an object of the test's own. */
#ifndef SP_TEST_GIVEN_HARDWARE_H
#define SP_TEST_GIVEN_HARDWARE_H

#include "hardware.h"

extern const struct sp_hardware *hardware_given;	/* NULL: there is none */
extern unsigned hardware_opened;	/* times */

#endif
