#!/bin/bash
# The unit tests under the compiler's checkers, each suite in a process of its
# own: the search for leaks at the end of each test goes over the results of all
# tests before it, which takes five times as long in one process.
#
#   tests/sanitized.sh BUILD     a build with -fsanitize=address,undefined
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh "$1"

one() { unit_suite "$1" "$build/unit-tests"; }
side_by_side "$ncpus" one < <(unit_suites)
closing
