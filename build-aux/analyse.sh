#!/bin/bash
# What gcc's warnings, its analyser and cppcheck find: nothing, or "make lint" fails.
# The analyser and cppcheck look at lib, ompt and cmd, the warnings at the unit tests, too.
#
#   build-aux/analyse.sh BUILD
#
# gcc's is told apart by its version: before 12 it is an experiment.  Its search
# for leaks is off: it loses sight of what is stored behind a pointer by a
# variable index; the unit tests look for leaks of memory under the address sanitizer,
# and for leaks of descriptors themselves.  From 13 on it takes what is read from a
# file for uninitialised; make check-storm runs ranks under valgrind.
# What is not installed is skipped and named.
set -u
build=$1
failed=0

skip() { echo "analyse: skipped: $1"; }

# built CFLAGS GOAL...: by gcc, with warnings as errors.
built() {
	${MAKE:-make} --no-print-directory -k -j"$(nproc)" B="$build/analysed" CC=gcc CI=1 CFLAGS="$1" "${@:2}" > "$build/analysed.log" 2>&1 ||
		{ grep -E 'warning:|error:' "$build/analysed.log" || tail -n 5 "$build/analysed.log"; failed=1; }
}

version=$(gcc -dumpversion 2>/dev/null) && version=${version%%.*}
if [ "${version:-0}" -ge 12 ]; then
	uninitialised=
	[ "$version" -lt 13 ] || uninitialised=-Wno-analyzer-use-of-uninitialized-value
	built "-O2 -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-fd-leak $uninitialised" all
else
	skip "gcc 12 or later is not there"
fi
built -O2 all "$build/analysed/unit-tests"

if command -v cppcheck > /dev/null; then
	# That it does not try all branches of a long function is no finding.
	cppcheck -q -j "$(nproc)" --enable=warning,performance,portability --suppress=normalCheckLevelMaxBranches --error-exitcode=1 \
		--std=c11 -D_GNU_SOURCE -DSP_VERSION='""' -Ilib -Iinclude -I. lib ompt cmd || failed=1
else
	skip "cppcheck is not installed"
fi
exit $failed
