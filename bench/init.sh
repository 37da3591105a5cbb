#!/bin/bash
# What each of two ranks pays until MPI_Init has returned: CPU time over that
# without the preload, and beside that of ranks that taskset has bound.
#
#   bench/init.sh [BUILD]
#
# The MPI libraries' own start takes a hundred times as long and is never twice
# the same, so the ways take turns, and the figures are lower quartiles.
set -u
# shellcheck source=bench/ways.sh
. bench/ways.sh

[ "$ncpus" -ge 2 ] || { echo "MPI_Init of 2 ranks: skipped, one CPU"; exit; }
rounds=31 limit=2.0
rm -rf "$work"
mkdir -p "$work"

# Half of the CPUs for each rank, as splitpin gives them where cores have one CPU each.
awk -v cpus="$cpus" 'BEGIN {
	n = split(cpus, part, ",")
	for (i = 1; i <= n; i++) {
		split(part[i], end, "-")
		for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++)
			all[m++] = c
	}
	for (i = 0; i < 2 * int(m / 2); i++)
		half[i >= int(m / 2)] = half[i >= int(m / 2)] (i % int(m / 2) ? "," : "") all[i]
	print "#!/bin/sh\ncase ${OMPI_COMM_WORLD_LOCAL_RANK-}${MPI_LOCALRANKID-} in\n0) exec taskset -c " half[0] " \"$@\" ;;\nesac\nexec taskset -c " half[1] " \"$@\""
}' > "$work/halves"
chmod +x "$work/halves"

# ms WAY: the lower quartile of the ranks'.
ms() { sed -n 's/^init_ns: //p' "$work/$1" | sort -n | awk '{ v[NR] = $1 / 1e6 } END { print v[int((NR + 3) / 4)] }'; }

printf '%-42s%12s %12s %12s\n' "MPI_Init of 2 ranks, CPU time of each" without taskset with
for mpi in mpich openmpi; do
	program=$(program "$mpi" gcc bench/init.c 2> /dev/null) || { echo "   $mpi is skipped: not installed"; continue; }
	for ((i = 0; i < rounds; i++)); do
		launch "$mpi" 2 env NOTHING=0 "$program" >> "$work/$mpi.without"
		launch "$mpi" 2 "$work/halves" env NOTHING=0 "$program" >> "$work/$mpi.taskset"
		launch "$mpi" 2 env LD_PRELOAD="$preload" "$program" >> "$work/$mpi.with"
	done < /dev/null 2>> "$work/err"
	awk -v what="   $mpi" -v a="$(ms "$mpi.without")" -v b="$(ms "$mpi.taskset")" -v c="$(ms "$mpi.with")" -v limit=$limit 'BEGIN {
		printf "%-42s%9.2f ms %9.2f ms %9.2f ms   ratio %.3f, %+.2f ms (limit %+.1f: %s)\n", what, a, b, c, c / a, c - a, limit, c - a <= limit ? "kept" : "EXCEEDED" }'
done
