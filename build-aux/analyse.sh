#!/bin/bash
# What gcc's analyser and cppcheck find in lib, ompt and cmd: nothing, or "make lint" fails.
#
#   build-aux/analyse.sh BUILD
#
# gcc's is told apart by its version: before 12 it is an experiment.  Its search
# for leaks is off: gcc 12 loses sight of what is stored behind a pointer by a
# variable index; the unit tests look for leaks under the address sanitizer.
# What is not installed is skipped and named.
set -u
build=$1
failed=0

skip() { echo "analyse: skipped: $1"; }

version=$(gcc -dumpversion 2>/dev/null) && version=${version%%.*}
if [ "${version:-0}" -ge 12 ]; then
	${MAKE:-make} --no-print-directory B="$build/analysed" CC=gcc CI=1 CFLAGS="-O2 -fanalyzer -Wno-analyzer-malloc-leak" all > "$build/analysed.log" 2>&1 ||
		{ grep -E 'warning:|error:' "$build/analysed.log" || tail -n 5 "$build/analysed.log"; failed=1; }
else
	skip "gcc 12 or later is not there"
fi

if command -v cppcheck > /dev/null; then
	cppcheck -q --enable=warning,performance,portability --error-exitcode=1 --std=c11 -D_GNU_SOURCE -Ilib -Iinclude -I. lib ompt cmd || failed=1
else
	skip "cppcheck is not installed"
fi
exit $failed
