/* The user's variables: splitpin's own, and what is read of OpenMP's. */
#include <string.h>

#include "fuzz.h"
#include "settings/config.h"
#include "settings/omp_env.h"

static void
complain(void *data, const char *sentence)
{
	(void)data;
	fuzz_must_be_a_sentence(sentence);
}

/* A list that was read is written so that it is read as the same set. */
static void
check_list(const char *text)
{
	static char written[8 * SP_CPUS_MAX];
	struct sp_cpus set, again;

	memset(&set, 0xa5, sizeof(set));
	again = set;
	if (sp_cpus_parse(text, &set)) {
		must(sp_cpus_equal(&set, &again));
		return;
	}
	must(sp_cpus_parse(sp_cpus_format(&set, written, sizeof(written)), &again) == 0);
	must(sp_cpus_equal(&set, &again));

	char small[32];

	must(strlen(sp_cpus_format(&set, small, sizeof(small))) < sizeof(small));
}

static void
check_setting(const char *text)
{
	char variable[64], quoted[SP_QUOTED];
	size_t length = strcspn(text, "=");
	const struct sp_setting *setting;

	must(strlen(sp_config_quote(text, length, quoted)) < sizeof(quoted));
	sp_config_name(text, length, variable, sizeof(variable));
	must(strlen(variable) < sizeof(variable));
	setting = sp_config_find(variable);
	must(!setting || strcmp(setting->name, variable) == 0);
	if (setting && text[length])
		sp_config_expects(setting, text + length + 1);
	sp_config_nearest(text, length);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_lines lines = fuzz_lines_read(data, size);
	struct sp_config config;
	struct sp_omp_env omp_env;

	sp_config_read(&config, lines.line, complain, NULL);
	must(config.wait_ms <= 60 * 1000);
	must(config.inherited <= SP_INHERITED_IGNORE && config.bind <= SP_NO_BIND);
	must(config.granularity <= SP_GRANULARITY_THREAD && config.guard <= SP_GUARD_KEEP);
	must(config.policy.share <= SP_SHARE_ALL && config.policy.distribution <= SP_CYCLIC);
	must(config.policy.kinds <= SP_KINDS_ALL && config.policy.devices <= SP_DEVICES_GPU_NIC);
	sp_omp_env_read(&omp_env, lines.line);
	must(!omp_env.team || omp_env.team_announced);
	must(!omp_env.numbers_from == sp_cpus_empty(&omp_env.numbers));
	for (size_t i = 0; i < lines.n; i++) {
		check_list(lines.line[i]);
		check_setting(lines.line[i]);
	}
	fuzz_lines_release(&lines);
	return 0;
}
