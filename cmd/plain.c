/* Texts from elsewhere (names of files and programs, arguments) that must not control the terminal. */
#include <stdbool.h>
#include <string.h>

#include "base/json_line.h"
#include "cmd/cmd.h"

/* C1 controls (U+0080 to U+009F), and U+200E to U+200F, U+2028 to U+202E, U+2066 to U+2069: lines and directions. */
static bool
is_control(const unsigned char *c, size_t n)
{
	if (n == 1)
		return *c < ' ' || *c == 0x7f;
	if (n == 2)
		return c[0] == 0xc2 && c[1] < 0xa0;
	return n == 3 && c[0] == 0xe2 && ((c[1] == 0x80 && ((c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
					  (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

void
cmd_make_plain(char *text)
{
	for (size_t n; *text; text += n) {
		n = sp_utf8_length(text);
		if (n && !is_control((unsigned char *)text, n))
			continue;
		n = n ? n : 1;
		memset(text, '?', n);
	}
}
