#include "settings/settings.h"

#include <string.h>

void
sp_settings_combine(struct sp_settings *settings, char *const environment[],
		    sp_complain *complain, void *data)
{
	char why[SP_SITE_WHY];

	memset(settings->origin, 0, sizeof(settings->origin));
	sp_config_read_over(&settings->config, settings->site.entries, environment, complain, data,
			    settings->origin);
	if (sp_site_forbids(&settings->site, why))
		settings->config.on = false;
}

void
sp_settings_read(struct sp_settings *settings, char *const environment[], const char *program,
		 sp_complain *complain, void *data)
{
	settings->site = (struct sp_site){ .state = SP_SITE_ABSENT };
	settings->is_site_read = sp_config_is_on(environment);
	if (settings->is_site_read)
		sp_site_read(&settings->site, environment, program);
	sp_settings_combine(settings, environment, complain, data);
}

const struct sp_site_setting *
sp_settings_line(const struct sp_settings *settings, unsigned i)
{
	return settings->origin[i] ? sp_site_find(&settings->site, settings->origin[i]) : NULL;
}

struct sp_config
sp_settings_keep(const struct sp_settings *settings)
{
	struct sp_config config = settings->config;

	config.log = NULL;
	if (config.policy.lists)
		config.policy.lists = strdup(config.policy.lists);
	if (!config.policy.lists && config.policy.domain == SP_DOMAIN_LISTS)
		config.policy.domain = SP_DOMAIN_AUTO;
	return config;
}

void
sp_settings_release(struct sp_settings *settings)
{
	sp_site_release(&settings->site);
}
