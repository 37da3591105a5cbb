#!/bin/bash
# "make help" has a line for each goal that people make, on one screen; the
# suites have one for all.
#
#   tests/help.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

goals=$(make -pnq 2> /dev/null | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | sort -u)
listed=$(make -s help)
verdict "each goal has one line" "$(expect "make help" "$(awk '{ print $1 }' <<< "$listed" | sort)" \
	"$({ grep -vE '^(FORCE|built|check-.*)$' <<< "$goals"; echo check-all; echo check-NAME; } | sort)")"
verdict "on one screen" "$(
	[ "$(wc -l <<< "$listed")" -lt 24 ] || echo "too many lines"
	grep '.\{80\}' <<< "$listed"
)"
closing
