#!/bin/bash
# The unit tests under the compiler's checkers, each suite in a process of its
# own: the search for leaks at the end of each test goes over the results of all
# tests before it, which takes five times as long in one process.
#
#   tests/sanitized.sh BUILD     a build with -fsanitize=address,undefined
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh "$1"

mapfile -t suites < <(grep -ho 'suite_create("[^"]*")' tests/unit/*.c | cut -d '"' -f 2 | sort -u)
for suite in "${suites[@]}"; do
	said=$work/$suite
	CK_RUN_SUITE=$suite "$build/unit-tests" > "$said" 2>&1
	status=$?
	checks=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\),.*/\1/p' "$said")
	if [ "$status" = 0 ] && [ "${checks:-0}" -gt 0 ]; then
		pass "$suite, $checks tests"
	else
		fail "$suite" "$(grep -E ':[FE]:|ERROR: |SUMMARY: |runtime error' "$said" | head -n 5 | paste -s -d ';'); see $said, or CK_RUN_SUITE='$suite' $build/unit-tests"
	fi
done
closing
