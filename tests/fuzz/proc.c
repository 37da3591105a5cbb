/* What is read of other processes in /proc, whose names are the program's own. */
#include <string.h>

#include "base/json_line.h"
#include "process/numa_maps.h"
#include "cmd/show/process_threads.h"
#include "fuzz.h"

/* Whole characters, none of which controls a terminal (U+0080 to U+009F do). */
static void
check_name(const char *text)
{
	must(memchr(text, '\0', SHOW_NAME) != NULL);
	for (size_t n; *text; text += n) {
		n = sp_utf8_length(text);
		must(n != 0);
		must((unsigned char)*text >= ' ' && *text != 0x7f);
		must(n != 2 || (unsigned char)text[0] != 0xc2 || (unsigned char)text[1] >= 0xa0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sp_numa_maps pages;
	struct fuzz_lines lines = fuzz_lines_read(data, size);
	struct show_thread thread;
	char text[64];

	memset(&pages, 0, sizeof(pages));
	for (size_t i = 0; i < lines.n; i++) {
		memset(&thread, 0, sizeof(thread));
		if (threads_parse_stat(lines.line[i], &thread))
			check_name(thread.name);
		threads_parse_status(lines.line[i], &thread);
		sp_numa_maps_add(&pages, lines.line[i], 4);
	}
	must(strlen(sp_numa_maps_format(&pages, text, sizeof(text))) < sizeof(text));
	fuzz_lines_release(&lines);
	return 0;
}
