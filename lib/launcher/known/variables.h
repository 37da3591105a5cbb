/* The variables of list.h by number: values that the shim collects from the environment are indexed by these. */
#ifndef SP_LAUNCHER_VARIABLES_H
#define SP_LAUNCHER_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launcher/known/list.h"

enum variable {
#define NOTHING(...)
#define NUMBER(variable, name) variable,
	SP_EACH_VARIABLE(NOTHING, NUMBER)
#undef NUMBER
#undef NOTHING
	NVARIABLES
};

/* What follows start in text, or NULL if text does not begin with it. */
static inline const char *
sp_variable_after(const char *text, const char *start)
{
	while (*start != '\0' && *text == *start) {
		text++;
		start++;
	}
	return *start == '\0' ? text : NULL;
}

/* Whether a value is there and is a number, with blanks around it at most. */
bool sp_variable_number(const char *text, uint32_t *number);

#endif
