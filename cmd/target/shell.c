/*
 * What "bash -c" executes, as far as it can be read without a shell: the last
 * command of a line such as "cd there && OMP_NUM_THREADS=4 exec ./a >out".
 */
#include <stdlib.h>
#include <string.h>

#include "base/starters.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"

static bool
is_shell(const char *word)
{
	const char *name = sp_last_part(word);

	return sp_starts(name, strlen(name)) & SP_STARTS_LINE;
}

/* What "bash -c" executes; NULL: a script, or nothing. */
static const char *
line_of_shell(char *const command[])
{
	bool is_line = false;
	size_t n = 1;

	if (!is_shell(command[0]))
		return NULL;
	for (; command[n] && strchr("-+", command[n][0]) && command[n][0]; n++) {
		is_line |= command[n][1] != '-' && strchr(command[n], 'c');
		if (strcmp(command[n], "-o") == 0 && command[n + 1])
			n++;
	}
	return is_line ? command[n] : NULL;
}

static bool
is_variable_of_shell(const char *word)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return length > 0 && word[length] == '=';
}

/* Whether a command begins with shell syntax that is not read here: a keyword, a group, a variable. */
static bool
is_beyond(const char *word)
{
	static const char *const words[] = { "for", "do", "done", "if", "then", "else", "fi", "while", "until", "case", "esac", "function" };

	if (strpbrk(word, "$`(){}!*?[]") || strcmp(word, ".") == 0)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* Reads a line of a shell and splits its last command into words. */
struct line {
	const char *at;
	char **word;
	size_t n;
	char *text;		/* the word that is read */
	size_t length;
	bool has_text;		/* it may be empty, between quotes */
	bool is_over;		/* what follows is another command's input, or a file */
};

static void
end_word(struct line *line)
{
	if (line->has_text && !line->is_over) {
		line->text[line->length] = '\0';
		line->word[line->n++] = cmd_format("%s", line->text);
		line->word[line->n] = NULL;
	}
	line->length = 0;
	line->has_text = false;
}

static void
begin_command(struct line *line)
{
	while (line->n)
		free(line->word[--line->n]);
	line->word[0] = NULL;
	line->is_over = false;
}

static void
read_quoted(struct line *line, char quote)
{
	line->has_text = true;
	for (line->at++; *line->at && *line->at != quote; line->at++) {
		bool is_escaped = quote == '"' && *line->at == '\\' && line->at[1];

		line->at += is_escaped;
		if (!is_escaped || *line->at != '\n')
			line->text[line->length++] = *line->at;
	}
	if (!*line->at)
		line->at--;
}

/* In "cd there && ./a" the last command counts. */
static void
read_separator(struct line *line)
{
	bool is_list = *line->at == ';' || *line->at == '\n' || line->at[0] == line->at[1];

	if (strchr("<>", *line->at) && strspn(line->text, "0123456789") >= line->length)
		line->has_text = false;
	end_word(line);
	if (!is_list || strchr("<>", *line->at)) {
		line->is_over = true;
		return;
	}
	line->at += line->at[0] == line->at[1];
	if (line->at[1 + strspn(line->at + 1, " \t\n")])
		begin_command(line);
}

/* NULL-terminated, with room for all; separators: what ends a command, or joins it to another. */
static char **
split_line(const char *text, const char *separators)
{
	size_t room = strlen(text) + 2;
	struct line line = { .at = text, .word = cmd_allocate(room, sizeof(char *)), .text = cmd_allocate(room, 1) };

	for (; *line.at; line.at++) {
		if (strchr(" \t", *line.at)) {
			end_word(&line);
		} else if (strchr(separators, *line.at)) {
			line.text[line.length] = '\0';
			read_separator(&line);
		} else if (strchr("\"'", *line.at)) {
			read_quoted(&line, *line.at);
		} else if (line.at[0] == '\\' && line.at[1] == '\n') {
			line.at++;	/* goes on in the next line */
		} else {
			line.at += *line.at == '\\' && line.at[1];
			line.text[line.length++] = *line.at;
			line.has_text = true;
		}
	}
	end_word(&line);
	free(line.text);
	return line.word;
}

char **
target_split(const char *text)
{
	return split_line(text, "");
}

void
target_release_list(char **word)
{
	for (size_t i = 0; word && word[i]; i++)
		free(word[i]);
	free(word);
}

char **
target_shell_words(char *const command[], size_t *variables)
{
	const char *line = line_of_shell(command);
	char **word = line ? split_line(line, ";&|<>\n") : NULL;
	size_t first = 0, n = 0;

	while (word && word[first] && is_variable_of_shell(word[first]))
		first++;
	if (word && word[first] && strcmp(word[first], "exec") == 0 && word[first + 1]) {
		free(word[first]);
		for (n = first; word[n + 1]; n++)
			word[n] = word[n + 1];
		word[n] = NULL;
	}
	*variables = first;
	if (word && word[first] && word[first][0] != '-' && !is_beyond(word[first]))
		return word;
	target_release_list(word);
	return NULL;
}
