/* Names of settings as people write them, and texts as messages quote them. */
#include <limits.h>
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

/* At most every other letter of it differs, and the first is right; or at most one of three. */
const struct sp_setting *
sp_config_nearest(const char *name, size_t length)
{
	const struct sp_setting *best = NULL, *setting;
	unsigned least = UINT_MAX;

	for (unsigned i = 0; (setting = sp_config_setting(i)); i++) {
		unsigned far = sp_text_distance(name, length, setting->name);

		size_t letters = strlen(setting->name + strlen(PREFIX));
		bool begins_alike = length > FIRST && letters > 1 && name[FIRST] == setting->name[FIRST];

		if (far < least && (3 * far <= letters + 1 || (2 * far <= letters && begins_alike))) {
			least = far;
			best = setting;
		}
	}
	return best;
}

static char
as_in_a_variable(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return c == '-' ? '_' : c;
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
