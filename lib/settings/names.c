/* Names of settings as people write them, and texts as messages quote them. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "settings/config.h"

#define PREFIX "SPLITPIN"
#define FIRST sizeof(PREFIX)	/* behind the prefix and its '_' */

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

const char *
sp_config_quote(const char *text, size_t length, char quoted[SP_QUOTED])
{
	bool cut = length > SP_QUOTED - 1;

	if (cut)
		length = SP_QUOTED - 4;
	for (size_t i = 0; i < length; i++)
		quoted[i] = is_control(text[i]) ? '?' : text[i];
	strcpy(quoted + length, cut ? "..." : "");
	return quoted;
}

static char
as_in_a_variable(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return c == '-' ? '_' : c;
}

/* "split_pin_debug" is SPLITPIN_DEBUG.  Returns the length; a name that is cut is near to none. */
static size_t
write_in_capitals(const char *name, size_t length, char written[SP_QUOTED])
{
	size_t n = 0;

	for (size_t i = 0; i < length && n < SP_QUOTED; i++)
		if (i != strlen("SPLIT") || name[i] != '_')
			written[n++] = as_in_a_variable(name[i]);
	return n;
}

bool
sp_config_is_near(const char *written, size_t length, const char *setting, unsigned *far)
{
	bool is_ours = strncmp(written, PREFIX, strlen(PREFIX)) == 0;
	char name[SP_QUOTED] = "";

	length = write_in_capitals(written, length, name);
	*far = sp_text_distance(name, length, setting);

	size_t letters = strlen(setting + strlen(PREFIX));
	bool begins_alike = length > FIRST && letters > 1 && is_ours && name[FIRST] == setting[FIRST];

	return 3 * *far <= letters + 1 || (2 * *far <= letters && begins_alike);
}

size_t
sp_config_name(const char *name, size_t length, char *variable, size_t size)
{
	const char *rest;
	bool whole = sp_ascii_begins(name, "splitpin", &rest) && rest <= name + length &&
		     (rest == name + length || *rest == '_' || *rest == '-');
	size_t n = (size_t)snprintf(variable, size, "%s%.*s", whole ? "" : PREFIX "_", (int)length, name);

	for (char *c = variable; *c != '\0'; c++)
		*c = as_in_a_variable(*c);
	return n;
}
