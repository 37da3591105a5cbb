/* A site's file: the first line is the program's path, the rest is the file. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "settings/site.h"

static void
complain(void *data, const char *sentence)
{
	fuzz_must_be_a_sentence(sentence);
	++*(size_t *)data;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *feed = size ? memchr(data, '\n', size) : NULL;
	size_t length = feed ? (size_t)(feed - data) : 0;
	char *program = strndup((const char *)data, length);
	size_t offset = feed ? length + 1 : 0, told = 0, wrong = 0;
	struct sp_site site;
	struct sp_config config;
	char *nothing[] = { NULL };

	if (!program)
		abort();
	sp_site_parse(&site, "/etc/splitpin.conf", (const char *)data + offset, size - offset, &(struct sp_subject){
		.program = length ? program : NULL, .account = "physics", .job = "4711", .online = 4 });
	must(site.state == SP_SITE_READ || site.nfaults > 0);
	must(site.nkept <= SP_SITE_FAULTS && site.nkept <= site.nfaults);
	for (size_t i = 0; i < site.nkept; i++)
		fuzz_must_be_a_sentence(site.fault[i]);
	for (size_t i = 0; i < site.nsettings; i++) {
		must(strncmp(site.setting[i].entry, "SPLITPIN", 8) == 0);
		must(sp_site_find(&site, site.entries[i]) == &site.setting[i]);
		must(length || site.setting[i].by != SP_SITE_LEAVE_ALONE);
	}
	sp_site_complain(&site, complain, &told);
	must(told <= site.nkept + 1 && !told == !site.nfaults);
	/* What holds was examined: the settings themselves have nothing to add. */
	sp_config_read_over(&config, site.entries, nothing, complain, &wrong, NULL);
	must(wrong == 0);
	sp_site_release(&site);
	free(program);
	return 0;
}
