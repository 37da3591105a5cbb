#!/bin/bash
# Each command's section of splitpin(1) has the options of its table, and no other,
# and the synopsis has no others either.
#
#   tests/man-options.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

page=man/splitpin.1
splitpin=$build/splitpin
# Those that are not settings.
options() {
	"$splitpin" complete "$1" -- | cut -f 1 | grep -vxF -f <("$splitpin" help settings | sed -n 's/^  SPLITPIN_\(.*\)/--\L\1/p' | tr _ -) | sort
}
# section PATTERN: the long options that begin its lines.
section() { sed -n "$1" "$page" | grep -o 'Fl -[a-z][a-z-]*' | sed 's/Fl /-/' | sort -u; }

for command in plan run config show check compare; do
	listed=$(section "/^\\.Ss $command\$/,/^\\.S[sh] /{/^\\.It Fl/p}")
	verdict "$page has the options of splitpin $command" "$(diff -L "the table" -L "the page" -u <(options $command) - <<< "$listed" | sed '/^@@/d')"
	synopsis=$(section "/^\\.Sh SYNOPSIS/,/^\\.Sh DESCRIPTION/{/^\\.Cm $command/,/^\\.Nm/{/Fl/p}}")
	verdict "the synopsis of splitpin $command" "$([ -n "$synopsis" ] || echo "it has no options"; comm -13 <(options $command) - <<< "$synopsis")"
done
closing
