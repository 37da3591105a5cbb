#!/bin/bash
# What a rank pays among many: CPU time from its start until it has its share,
# by real launchers, bound to cores and not.
#
#   [RANKS="16 128 512"] [LAUNCHERS="mpich openmpi slurm"] bench/ranks.sh [BUILD]
#
# Without and with the preload take turns; each figure is the median of the
# rounds, of which each is the mean of all ranks.  More ranks than CPUs have no
# share, and warn: that they find out together all the same.  srun's jobs run
# under a Slurm of our own, which takes root or Slurm's own user.
set -u
# shellcheck source=bench/ways.sh
. bench/ways.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
trap slurm_stop EXIT

read -ra numbers <<< "${RANKS-16 128 512}"
read -ra launchers <<< "${LAUNCHERS-mpich openmpi slurm}"
rounds=5 limit=1.0
rm -rf "$work"
mkdir -p "$work"
program=$work/ranks
gcc -O2 -Wall -Wextra bench/ranks.c -o "$program" || exit 1

# round MPI BINDING N [VARIABLE=VALUE]: milliseconds of a rank, and seconds of the job; nothing where a rank is missing.
round() {
	local run begin
	[ "$1" = slurm ] || run=$(mpi_tool "$1" mpirun)
	case $1-$2 in
	slurm-none) run="srun --quiet --immediate=20 -N 1 --overcommit --cpu-bind=none" ;;
	slurm-core) run="srun --quiet --immediate=20 -N 1 --overcommit --cpu-bind=cores" ;;
	mpich-*) run="$run -bind-to $2" ;;
	openmpi-none) run="$run --oversubscribe --bind-to none" ;;
	openmpi-core) run="$run --oversubscribe --bind-to core:overload-allowed" ;;
	esac
	rm -f "$work/lines"
	begin=$(date +%s%N)
	# shellcheck disable=SC2086 # words
	timeout -k 5 "$hangs" $run -n "$3" env "${@:4}" "$program" "$3" "$work/lines" < /dev/null > "$work/out" 2>&1
	awk -v n="$3" -v s=$(($(date +%s%N) - begin)) '{ sum += $1 } END { if (NR == n) printf "%.3f %.3f\n", sum / n / 1e6, s / 1e9 }' "$work/lines"
}

# field WAY NUMBER: the median of a figure.
field() { cut -d ' ' -f "$2" "$work/$1" | median; }

printf '%-36s%9s %9s %9s   %s\n' "CPU time of a rank" without with more "wall, with over without"
for mpi in "${launchers[@]}"; do
	if [ "$mpi" = slurm ]; then
		slurm_start "$work/daemons" 1 || { echo "   srun is skipped: $slurm_why"; continue; }
	elif ! mpi_tool "$mpi" mpirun > /dev/null; then
		echo "   $mpi is skipped: not installed"
		continue
	fi
	for binding in none core; do
		for n in "${numbers[@]}"; do
			: > "$work/without"
			: > "$work/with"
			for ((i = 0; i < rounds; i++)); do
				round "$mpi" "$binding" "$n" NOTHING=0 >> "$work/without"
				round "$mpi" "$binding" "$n" LD_PRELOAD="$preload" >> "$work/with"
			done
			if [ ! -s "$work/without" ] || [ ! -s "$work/with" ]; then
				echo "   $mpi, --bind-to $binding, $n ranks: skipped, they do not all start"
				continue
			fi
			awk -v what="   $mpi, --bind-to $binding, $n ranks" -v limit=$limit \
				-v a="$(field without 1)" -v b="$(field with 1)" -v wa="$(field without 2)" -v wb="$(field with 2)" 'BEGIN {
				printf "%-36s%6.2f ms %6.2f ms %+6.2f ms   %.2f   (limit %+.1f ms: %s)\n", what, a, b, b - a, wb / wa, limit, b - a <= limit ? "kept" : "EXCEEDED" }'
		done
	done
done
