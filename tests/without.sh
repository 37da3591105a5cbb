#!/bin/bash
# A build without pmix.h: threads are pinned, and the missing header is named.
#
#   tests/without.sh BUILD PRELOAD
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

test="threads are pinned"
if [ -n "$confined" ] || [ "$ncpus" -lt 2 ]; then
	skip "$test" "${confined:-there is one CPU}"
else
	to=$(folder "$test")
	command=$(program none gcc alone.c) || give_up fail "$test" "alone.c does not compile"
	OMP_NUM_THREADS=$ncpus SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 PLACEMENT_DIR=$to LD_PRELOAD=$preload \
		"$command" > "$to/out" 2> "$to/err"
	verdict "$test" "$(
		expect status $? 0
		expect output "$(cat "$to/out")" "$ncpus processors, $ncpus threads"
		expect "standard error" "$(cat "$to/err")" ""
		expect "CPUs of one thread each" "$(sed -n 's/^thread .* cpus=\([0-9]*\)$/\1/p' "$to/rank.0" | sort -u | wc -l)" "$ncpus"
	)"
fi

said=$(CC=false build-aux/pmix-flags 2>&1)
verdict "the header is named" "$(
	expect status $? 1
	expect "what it says" "$said" "-DSP_NO_PMIX
splitpin: no pmix.h (libpmix-dev): ranks that only PMIx names are not seen as such"
)"
closing
