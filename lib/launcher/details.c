#include <string.h>

#include "base/environment.h"
#include "launcher/known/known.h"
#include "launcher/syntax.h"

#define ROW(number, details, ...) [number] = &details,
const struct sp_launcher_details *const sp_launcher_details[SP_LAUNCHERS] = { SP_EACH_LAUNCHER(ROW) };

const struct sp_launcher_details *
sp_launcher_details_of(enum sp_launcher launcher)
{
	static const struct sp_launcher_details none;

	return launcher < SP_LAUNCHERS ? sp_launcher_details[launcher] : &none;
}

enum sp_launcher
sp_launcher_find(const char *name)
{
	enum sp_launcher launcher = 0;

	while (launcher < SP_LAUNCHERS && strcmp(sp_launcher_row[launcher].name, name) != 0)
		launcher++;
	return launcher;
}

enum sp_launcher
sp_launcher_of_rank(const struct sp_rank *rank, char *const environment[])
{
#define MARK(launcher, variable) { launcher, variable },
	static const struct { enum sp_launcher launcher; const char *mark; } marks[] = { SP_EACH_MARK(MARK) };

	enum sp_launcher launcher = sp_launcher_find(rank->from);
	if (launcher != SP_LAUNCHER_USER && launcher != SP_LAUNCHER_ALONE)
		return launcher;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *value = sp_environment_value(environment, marks[i].mark);

		if (value && *value != '\0')
			return marks[i].launcher;
	}
	return launcher;
}

const char *
sp_launcher_title(const char *name)
{
	enum sp_launcher launcher = sp_launcher_find(name);

	return launcher < SP_LAUNCHERS ? sp_launcher_details[launcher]->title : name;
}

const struct sp_syntax *
sp_syntax_of(const char *command, enum sp_launcher launcher)
{
	const struct sp_syntax *its = sp_launcher_details_of(launcher)->syntax;

	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		const struct sp_syntax *syntax = sp_launcher_details[i]->syntax;

		if (syntax && syntax->command && strcmp(syntax->command, command) == 0)
			return syntax;
	}
	return its && !its->command ? its : &sp_syntax_hydra;
}
