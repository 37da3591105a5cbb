#!/bin/bash
# A build without omp-tools.h and pmix.h: threads are bound natively, and no
# rank is seen that only PMIx names.
#
#   tests/without.sh BUILD PRELOAD
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# placed FAMILY: each thread of a lone rank has a CPU of its own, and the program its output.
placed() {
	local command to
	to=$(folder "$1")
	command=$(program none "$1" alone.c) || { echo "alone.c does not compile"; return; }
	OMP_NUM_THREADS=$ncpus SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 PLACEMENT_DIR=$to LD_PRELOAD=$preload \
		"$command" > "$to/out" 2> "$to/err"
	expect status $? 0
	expect output "$(cat "$to/out")" "$ncpus processors, $ncpus threads"
	expect "standard error" "$(cat "$to/err")" ""
	expect "CPUs of one thread each" "$(sed -n 's/^thread .* cpus=\([0-9]*\)$/\1/p' "$to/rank.0" | sort -u | wc -l)" "$ncpus"
}

for family in gcc clang; do
	if [ -n "$confined" ] || [ "$ncpus" -lt 2 ]; then
		skip "$family: threads are pinned" "${confined:-there is one CPU}"
	elif ! command -v $family > /dev/null; then
		skip "$family: threads are pinned" "it is not there, run make deps check-all"
	else
		verdict "$family: threads are pinned" "$(placed $family)"
	fi
done

for part in ompt pmix; do
	said=$(CC=false build-aux/header-flags $part 2>&1)
	verdict "$part: left out with a word" "$(
		expect status $? 1
		expect "the flag" "$(grep '^-D' <<< "$said")" "-DSP_NO_${part^^}"
		grep -q "^splitpin: no .*\.h (lib.*-dev): " <<< "$said" || echo "it says: $said"
	)"
done

closing
