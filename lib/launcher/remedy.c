#include <stdio.h>

#include "launcher/remedy.h"
#include "launcher/table.h"

char *
sp_launcher_remedy(const char *from, uint32_t threads, char *text, size_t size)
{
	enum sp_launcher launcher = sp_launcher_find(from);
	const char *format = launcher < SP_LAUNCHERS ? sp_launcher_details[launcher].remedy : NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, size, format ? format : "set SPLITPIN_INHERITED=ignore", threads);
#pragma GCC diagnostic pop
	return text;
}
