#include <stdio.h>

#include "launcher/remedy.h"
#include "launcher/known/known.h"

/* For launchers without a remedy of their own, and for bindings by a program that the launcher started. */
static const char own_remedy[] = "set SPLITPIN_INHERITED=ignore";
static const char below_remedy[] = "start the program without that binding, or set SPLITPIN_INHERITED=ignore";

char *
sp_launcher_remedy(const char *from, uint32_t cores, char *text, size_t size)
{
	const struct sp_launcher_details *details = sp_launcher_details_of(from ? sp_launcher_find(from) : SP_LAUNCHERS);
	const char *format = !from ? below_remedy : !cores && details->remedy_for_all ? details->remedy_for_all : details->remedy;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, size, format ? format : own_remedy, cores);
#pragma GCC diagnostic pop
	return text;
}
