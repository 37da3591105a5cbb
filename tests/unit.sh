#!/bin/bash
# The unit tests, each suite in a process of its own, as many at a time as there
# are CPUs; the search for leaks at the end of each test, of a build with sanitizers,
# would else go over the results of all tests before it.
#
#   tests/unit.sh BUILD
#
# What a suite printed is kept in BUILD/tests/unit/<suite>.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# LLVM's OpenMP runtime, of the machine or unpacked by "make deps".
for unpacked in "$build"/deps/libomp/usr/lib/llvm-*/lib; do
	[ ! -e "$unpacked/libomp.so.5" ] || export LD_LIBRARY_PATH=$unpacked${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done

one() { unit_suite "$1" "$build/unit-tests"; }
side_by_side "$ncpus" one < <(unit_suites)
closing
