#include "shim/switches.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"

/* __environ throughout: for its alias environ the loader would take another look-up in every process. */

/* As the settings' own parser reads them; arrays, since pointers would be relocated in every process. */
#define NWORDS 4
static const char words_off[NWORDS][6] = { "off", "0", "no", "false" };
static const char words_on[NWORDS][6] = { "on", "1", "yes", "true" };

/* Whether a variable has one of these words as its value. */
static bool
has_word(const char *name, const char words[NWORDS][6])
{
	const char *value = sp_environment_value(__environ, name);

	for (int i = 0; value && i < NWORDS; i++)
		if (sp_ascii_is(value, words[i]))
			return true;
	return false;
}

bool
sp_switch_is_off(void)
{
	return has_word("SPLITPIN", words_off);
}

bool
sp_switch_is_setuid(void)
{
	return syscall(SYS_getuid) != syscall(SYS_geteuid) || syscall(SYS_getgid) != syscall(SYS_getegid);
}

bool
sp_switch_is_debugging(void)
{
	return has_word("SPLITPIN_DEBUG", words_on);
}

bool
sp_switch_is_asked_why(void)
{
	const char *report = sp_environment_value(__environ, "SPLITPIN_REPORT");

	return sp_switch_is_debugging() || has_word("SPLITPIN_REPORT", words_on) || (report && sp_ascii_is(report, "memory"));
}
