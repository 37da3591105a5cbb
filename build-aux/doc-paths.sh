#!/bin/bash
# Every path that a document names exists.  make lint runs this.
#
#   build-aux/doc-paths.sh DOCUMENT...
#
# A path is what stands between backquotes, has a slash, and begins with a
# folder of the sources; or what a Markdown link leads to.  Both may be
# patterns (lib/cut/*.c).  What a build makes, in build/, is not looked for.
set -u

faults=0
exists() { compgen -G "$1" > /dev/null; }

# words PATTERN FILE: "line:match" of each.
words() { grep -n -o -E "$1" "$2"; }

# shellcheck disable=SC2016 # backquotes of Markdown
for document; do
	while IFS=: read -r line path; do
		path=${path//\`/}
		[[ $path == */* && -d ${path%%/*} && $path != build/* ]] || continue
		exists "$path" || { echo "$document:$line: there is no $path" >&2; faults=1; }
	done < <(words '`[A-Za-z][A-Za-z0-9_./*-]*`' "$document")
	while IFS=: read -r line path; do
		path=${path#\](} path=${path%)}
		exists "$(dirname "$document")/${path%%#*}" ||
			{ echo "$document:$line: there is no $path" >&2; faults=1; }
	done < <(words '\]\([A-Za-z][A-Za-z0-9_./#-]*\)' "$document")
done
exit $faults
