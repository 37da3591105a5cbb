#include "cmd/show/labels.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

const char *
show_state_name(enum sp_seat_state state)
{
	static const char *const names[] = {
		[SP_SEAT_EMPTY] = "absent", [SP_SEAT_LEFT] = "left", [SP_SEAT_COMING] = "coming", [SP_SEAT_HERE] = "coming",
		[SP_SEAT_REFUSED] = "refused", [SP_SEAT_SETTLED] = "settled", [SP_SEAT_READY] = "ready",
	};

	return names[state < sizeof(names) / sizeof(names[0]) ? state : SP_SEAT_EMPTY];
}

const char *
show_kind_name(enum show_kind kind)
{
	static const char *const names[SHOW_KINDS] = {
		[SHOW_DRIFT] = "drift", [SHOW_CROWDED] = "crowded", [SHOW_FEW_CPUS] = "few_cpus", [SHOW_OVERLAP] = "overlap",
		[SHOW_STARVED] = "starved", [SHOW_REFUSED] = "refused",
	};

	return names[kind];
}

char *
show_user(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);
	char *name = entry ? cmd_format("%s", entry->pw_name) : cmd_format("%u", (unsigned)uid);

	cmd_make_plain(name);
	return name;
}

const char *
show_host(void)
{
	static char host[65];

	if (!*host && gethostname(host, sizeof(host)) != 0)
		strcpy(host, "?");
	cmd_make_plain(host);
	return host;
}
