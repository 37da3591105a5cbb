#!/bin/bash
# make demo on a machine whose CPUs others use: it says so, and what it compares is
# not their doing.
#
#   tests/demo.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

test="the demonstration on busy CPUs"
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ] || [ "$ncpus" -gt 32 ]; then
	skip "$test" "${confined:-$ncpus CPU$([ "$ncpus" = 1 ] || echo s)}"
elif ! mpi_tool openmpi mpirun > /dev/null && ! mpi_tool mpich mpirun > /dev/null; then
	skip "$test" "no MPI"
else
	busy=()
	for ((i = 0; i < 2 * ncpus; i++)); do
		timeout "$hangs" sh -c 'while :; do :; done' &
		busy+=($!)
	done
	# What is compared is CPU time, which one run shows as well as three.
	ROUNDS=1 bench/demo.sh "$build" > "$work/out" 2> "$work/err"
	status=$?
	kill "${busy[@]}"
	wait "${busy[@]}" 2> /dev/null
	ratio=$(sed -n 's/^The same program on the same machine, \(.*\) times as fast by the CPU time used\.$/\1/p' "$work/out" | head -n 1)
	verdict "$test" "$(
		expect "exit status" "$status" 0
		cat "$work/err"
		grep -q '^  Other programs use these CPUs too' "$work/out" || echo "it does not say that others use the CPUs: see $work/out"
		# Two threads a CPU without splitpin, one with it.
		awk "BEGIN { exit !(${ratio:-0} > 1.4) }" || echo "${ratio:-no} times as fast by the CPU time used, not about 2"
	)"
fi
closing
