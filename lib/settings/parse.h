/*
 * Parsers for the values of settings, one a kind of field.  For config.c
 * alone; others include config.h.
 *
 *   text   the value, which lives as long as the field
 *   field  a field of struct sp_config, or its policy, of the parser's type
 *   words  the words that are right, ended by a text of NULL; NULL where the
 *          parser takes none
 *
 * Return 0, or the field is untouched: -EINVAL, or -ERANGE (a list with a CPU
 * number of SP_CPUS_MAX or more).
 */
#ifndef SP_PARSE_H
#define SP_PARSE_H

struct sp_word {
	const char *text;	/* in small letters */
	unsigned value;
};

/* Of a word that says two things. */
#define SP_BOTH(first, second) ((first) | (second) << 8)
#define SP_FIRST(value) ((value) & 0xff)
#define SP_SECOND(value) ((value) >> 8)

typedef int sp_parser(const char *text, void *field, const struct sp_word *words);

sp_parser sp_parse_flag;	/* bool */
sp_parser sp_parse_word;	/* an enum */
sp_parser sp_parse_count;	/* uint32_t: "all" is 0, else a number from 1 */
sp_parser sp_parse_cores;	/* struct sp_policy: share, by a word, or cores */
sp_parser sp_parse_domain;	/* struct sp_policy: domain, by a word, or lists, not copied */
sp_parser sp_parse_switch;	/* struct sp_config: on and observe, by SP_BOTH */
sp_parser sp_parse_report;	/* struct sp_config: report and memory_check, by SP_BOTH */
sp_parser sp_parse_dry_run;	/* struct sp_config: dry_run and topology, not copied */
sp_parser sp_parse_bind;	/* struct sp_config: bind and granularity, by SP_BOTH */
sp_parser sp_parse_devices;	/* struct sp_config: policy.devices and visible, by SP_BOTH */
sp_parser sp_parse_memory;	/* struct sp_config: memory and memory_move, by SP_BOTH */
sp_parser sp_parse_reserve;	/* struct sp_policy: reserve or reserved */
sp_parser sp_parse_seconds;	/* uint32_t, in milliseconds */
sp_parser sp_parse_pattern;	/* const char *, not copied: a file name, a pattern of base/pattern.h */

#endif
