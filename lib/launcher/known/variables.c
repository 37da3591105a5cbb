#include "launcher/known/variables.h"

#include "base/ascii.h"

bool
sp_variable_number(const char *text, uint32_t *number)
{
	return text && sp_ascii_number(text, number);
}
