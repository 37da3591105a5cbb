/* What people are shown of a site's file. */
#include <stdio.h>

#include "settings/site.h"

#define LINE 512		/* room for a sentence with the file's name and a line's number */

static const struct sp_site_setting *
find_never(const struct sp_site *site)
{
	for (size_t i = 0; i < site->nsettings; i++)
		if (site->setting[i].by == SP_SITE_NEVER)
			return &site->setting[i];
	return NULL;
}

bool
sp_site_forbids(const struct sp_site *site, char why[SP_SITE_WHY])
{
	const struct sp_site_setting *never = find_never(site);

	if (site->state == SP_SITE_OFF)
		snprintf(why, SP_SITE_WHY, "%s", sp_site_off_file());
	else if (site->nfaults)
		snprintf(why, SP_SITE_WHY, "an error in %s", site->file);
	else if (never)
		snprintf(why, SP_SITE_WHY, "%s:%u, splitpin = never", site->file, never->line);
	return site->state == SP_SITE_OFF || site->nfaults || never;
}

const struct sp_site_setting *
sp_site_find(const struct sp_site *site, const char *entry)
{
	for (size_t i = 0; i < site->nsettings; i++)
		if (site->setting[i].entry == entry)
			return &site->setting[i];
	return NULL;
}

/* What a line says that has turned splitpin off, or the section of one that sets something. */
static int
describe(const struct sp_site *site, const struct sp_site_setting *setting, const char *apart, char *origin, size_t size)
{
	switch (setting->by) {
	case SP_SITE_LEAVE_ALONE:
		return snprintf(origin, size, "%sleave_alone = %s", apart, setting->section);
	case SP_SITE_PERCENT:
		return snprintf(origin, size, "%spercent = %u: this job is %s", apart, (unsigned)site->percent.value,
				setting->is_not_known ? "not known, since no batch system has numbered it" : "not among them");
	case SP_SITE_EXCLUSIVE:
		return snprintf(origin, size, "%sexclusive_only: %s", apart, setting->is_not_known ? "Slurm has not given the CPUs of this job" :
				"this job has only some CPUs of the node");
	case SP_SITE_SET:
	case SP_SITE_NEVER:
		break;
	}
	return setting->section ? snprintf(origin, size, "%s[%s]", apart, setting->section) : 0;
}

char *
sp_site_origin(const struct sp_site *site, const struct sp_site_setting *setting, const char *apart, char text[SP_SITE_ORIGIN])
{
	int n = snprintf(text, SP_SITE_ORIGIN, "%s:%u", site->file, setting->line);

	if (n < SP_SITE_ORIGIN)
		describe(site, setting, apart, text + n, SP_SITE_ORIGIN - (size_t)n);
	return text;
}

void
sp_site_complain(const struct sp_site *site, sp_complain *complain, void *data)
{
	char sentence[LINE];

	for (size_t i = 0; i < site->nkept; i++)
		complain(data, site->fault[i]);
	if (site->nfaults > site->nkept) {
		snprintf(sentence, sizeof(sentence), "%s: %zu more lines are wrong", site->file, site->nfaults - site->nkept);
		complain(data, sentence);
	}
}

void
sp_site_summarise(const struct sp_site *site, sp_complain *complain, void *data)
{
	char sentence[2 * LINE];

	if (site->nfaults == 0)
		return;
	size_t more = site->nfaults - 1;

	if (site->nkept == 0)
		snprintf(sentence, sizeof(sentence), "%s: out of memory; splitpin is off", site->file);
	else if (more == 0)
		snprintf(sentence, sizeof(sentence), "%s; splitpin is off", site->fault[0]);
	else
		snprintf(sentence, sizeof(sentence), "%s; %zu more line%s wrong: see splitpin config; splitpin is off", site->fault[0],
			 more, more == 1 ? " is" : "s are");
	complain(data, sentence);
}
