#include "cmd/picture/svg_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cut/cut.h"

#define COLOURS 12		/* that can be told apart */
#define PATTERNS 7		/* over a colour; the first is none */
#define SMALLEST 5.0		/* font, in pixels */

/* Advance of ' ' to '~' in hundredths of the font's size: DejaVu Sans 2.37, regular and bold. */
static const unsigned char advance[2][95] = {
	{
		32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
		64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
		61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
		64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
	}, {
		35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70,
		70, 70, 40, 40, 84, 84, 84, 59, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 38, 78, 64, 100, 84, 86,
		74, 86, 78, 73, 69, 82, 78, 111, 78, 73, 73, 46, 37, 46, 84, 50, 50, 68, 72, 60, 72, 68, 44, 72,
		72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60, 48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
	}
};

static const struct {
	const char *class;
	double size;
	bool is_bold;
	const char *anchor;
	const char *fill;
} kinds[SVG_TEXTS] = {
	[SVG_TITLE] = { "title", 16, true, "start", "#222" },
	[SVG_NOTE] = { "note", 12, false, "start", "#222" },
	[SVG_NAME] = { "name", 12, false, "start", "#333" },
	[SVG_BAR] = { "bar-name", 10.5, false, "start", "#222" },
	[SVG_HEAD] = { "head", 8.5, false, "start", "#444" },
	[SVG_RANK] = { "rank", 9, true, "end", "#222" },
	[SVG_NUMBER] = { "number", 8, false, "start", "#444" },
	[SVG_THREAD] = { "thread", 12, true, "middle", "#111" },
	[SVG_TEAM] = { "team", 17, true, "middle", "#111" },
	[SVG_DRIFT] = { "drift", 11, true, "middle", "#d40000" },
};

/* In hundredths of the font's size; a character beyond ASCII, which its first byte stands for, is as wide as the font is high. */
static unsigned
width_of(enum svg_text kind, unsigned char c)
{
	if (c >= ' ' && c <= '~')
		return advance[kinds[kind].is_bold][c - ' '];
	return (c & 0xc0) == 0x80 ? 0 : 100;
}

double
svg_width(enum svg_text kind, const char *text)
{
	unsigned hundredths = 0;

	while (*text)
		hundredths += width_of(kind, (unsigned char)*text++);
	return hundredths * kinds[kind].size / 100;
}

/* Bytes of the first character. */
static size_t
character(const char *text)
{
	size_t n = *text != '\0';

	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Bytes of the characters that fit, before the first that does not. */
static size_t
fitting(enum svg_text kind, const char *text, double room)
{
	unsigned hundredths = 0;
	size_t length = 0;

	for (; text[length]; length += character(text + length)) {
		hundredths += width_of(kind, (unsigned char)text[length]);
		if (hundredths * kinds[kind].size / 100 > room)
			break;
	}
	return length;
}

size_t
svg_line(enum svg_text kind, const char *text, double room)
{
	size_t most = fitting(kind, text, room), at;

	if (most == 0)
		most = character(text);
	if (text[most] == '\0')
		return most;
	for (at = most; at > 0 && text[at] != ' '; at--)
		;
	if (at == 0)
		for (at = most; at > 0 && text[at - 1] != ','; at--)
			;
	return at ? at : most;
}

void
svg_escaped(const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", stdout); break;
		case '<': fputs("&lt;", stdout); break;
		case '>': fputs("&gt;", stdout); break;
		default: putchar(*text);
		}
}

static void
print_styles(void)
{
	puts("<style>\ntext{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif}");
	for (int i = 0; i < SVG_TEXTS; i++)
		printf(".%s{font-size:%gpx;fill:%s;text-anchor:%s%s}\n", kinds[i].class, kinds[i].size, kinds[i].fill,
		       kinds[i].anchor, kinds[i].is_bold ? ";font-weight:bold" : "");
	puts(".box{fill:#f4f5f7;stroke:#8a94a6;stroke-width:1.2}.odd{fill:#fff}\n"
	     ".core{fill:#fff;stroke:#555;stroke-width:.9}.slow{fill:#e9e4da;stroke-dasharray:4 2}\n"
	     ".cpu{stroke:#999;stroke-width:.6}.over{stroke:none}.out{fill:none;stroke:#d40000;stroke-width:2}\n"
	     ".memory{fill:#efdfde;stroke:#a88;stroke-width:.8}.fast{fill:#f9d9a0}.far{fill:#e4e0f0}\n"
	     ".device{stroke:#575;stroke-width:.9}.card{fill:#dfe8cf;stroke:#575;stroke-width:.9}\n"
	     ".others{fill:#c9ccd2}\n"
	     "</style>");
}

/* Drawn over the colour; the first is none. */
static void
print_patterns(void)
{
	static const char *const paths[PATTERNS] = {
		[1] = "M-1,1l2,-2M0,6l6,-6M5,7l2,-2", [2] = "M-1,5l2,2M0,0l6,6M5,-1l2,2", [3] = "M0,3h6", [4] = "M3,0v6",
		[5] = "M0,3h6M3,0v6", [6] = "M0,0l6,6M0,6l6,-6",
	};

	puts("<defs>");
	for (int i = 1; i < PATTERNS; i++)
		printf("<pattern id=\"p%d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
		       "<path d=\"%s\" stroke=\"#555\" stroke-width=\".7\" fill=\"none\" opacity=\".55\"/></pattern>\n", i, paths[i]);
	puts("</defs>");
}

void
svg_begin(struct size size, const char *title)
{
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
	       size.width, size.height, size.width, size.height);
	svg_escaped(title);
	puts("</title>");
	print_styles();
	print_patterns();
	puts("<rect class=\"canvas\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
}

void
svg_end(void)
{
	puts("</svg>");
}

void
svg_text(enum svg_text kind, double x, double y, double room, const char *text)
{
	double width = svg_width(kind, text), size = kinds[kind].size;
	size_t length = strlen(text);

	printf("<text class=\"%s\" x=\"%g\" y=\"%g\"", kinds[kind].class, x, y);
	if (width > room) {
		double smaller = (double)(int)(size * room / width * 10) / 10;

		if (smaller < SMALLEST) {
			smaller = SMALLEST;
			length = fitting(kind, text, room * size / smaller);
		}
		printf(" style=\"font-size:%gpx\"", smaller);
	}
	putchar('>');
	char *shown = cmd_format("%.*s", (int)length, text);
	cmd_make_plain(shown);
	svg_escaped(shown);
	free(shown);
	puts("</text>");
}

void
svg_rect(double x, double y, struct size size, const char *class)
{
	printf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", class, x, y, size.width, size.height);
}

/*
 * Of a colour by hue in degrees, saturation and lightness: the part of red (channel 0), green (8) or blue (4), 0 to 255.
 * Without fmod(), of which glibc 2.38 has a new version: the command is to start with older ones.
 */
static unsigned
channel(unsigned at, unsigned hue, double saturation, double lightness)
{
	double turned = at + hue / 30.0, k = turned < 12 ? turned : turned - 12, least = fmin(lightness, 1 - lightness);

	return (unsigned)lround(255 * (lightness - saturation * least * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))));
}

/* Neighbouring numbers are far apart on the colour wheel.  As #rrggbb: not all that draw SVG know hsl(). */
static void
print_colour(uint32_t rank, bool is_light)
{
	unsigned hue = (210 + rank % COLOURS * 150) % 360;
	double saturation = .60 + rank % 2 * .15, lightness = is_light ? .93 : .79;

	printf("#%02x%02x%02x", channel(0, hue, saturation, lightness), channel(8, hue, saturation, lightness),
	       channel(4, hue, saturation, lightness));
}

void
svg_rank_rect(double x, double y, struct size size, const char *class, uint32_t rank, bool is_light)
{
	uint32_t pattern = rank == SP_NOBODY ? 0 : rank / COLOURS % PATTERNS;

	printf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"", class, x, y, size.width,
	       size.height);
	if (rank == SP_NOBODY)
		fputs("#fff", stdout);
	else
		print_colour(rank, is_light);
	puts("\"/>");
	if (pattern)
		printf("<rect class=\"over\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"url(#p%u)\"/>\n", x, y,
		       size.width, size.height, pattern);
}
