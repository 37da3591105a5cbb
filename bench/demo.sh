#!/bin/bash
# The bug and the fix on this machine, for someone who has never heard of
# thread affinity.
#
#   bench/demo.sh [BUILD]
#
# The best of three runs of each way, or of ROUNDS.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

rounds=${ROUNDS:-3}
ranks=$((ncpus < 4 ? ncpus : 4))
threads=$((ncpus / ranks))

if [ "$ncpus" -lt 2 ]; then
	cat <<-END
	This machine gives us one CPU.  splitpin spreads the processes of a parallel job over
	the CPUs of a machine, so with one CPU there is nothing to show.
	END
	exit 0
fi

if [ -n "$confined" ]; then
	echo "demo: this shell may use CPUs $cpus of $allowed (taskset?), and splitpin leaves such a mask as it is:" >&2
	echo "demo: please run it from a shell that may use them all" >&2
	exit 1
fi

for mpi in openmpi mpich ''; do
	[ -n "$mpi" ] && mpi_tool "$mpi" mpirun >/dev/null && break
done
[ -n "$mpi" ] || { echo "demo: neither Open MPI nor MPICH found: run make deps demo" >&2; exit 1; }

# Intel's runtime shows it best; the others do the same when asked to bind.
if [ -n "$iomp" ] && spin=$(program "$mpi" clang bench/spin.c); then
	# What Intel's runtime does by default on a Knights Landing.
	runtime="Intel's" setting=KMP_AFFINITY=scatter,granularity=fine
	export LD_LIBRARY_PATH=$build/tests/iomp-for-libomp
elif spin=$(program "$mpi" clang bench/spin.c); then
	runtime="LLVM's" setting=KMP_AFFINITY=scatter,granularity=fine
elif spin=$(program "$mpi" gcc bench/spin.c); then
	runtime="GNU's" setting=OMP_PROC_BIND=true
else
	echo "demo: bench/spin.c does not compile: see $build/tests/bin/$mpi-gcc/spin_c.log" >&2
	exit 1
fi
export OMP_NUM_THREADS=$threads "${setting?}"

# slowest WAY: the time of the slowest rank.
slowest() { sed -n 's/slowest: //p' "$work/$1"; }

# counted WAY: what that would be if no other program used these CPUs.
counted() { sed -n 's/busiest: //p' "$work/$1"; }

# is_disturbed WAY: others do, so that the time says little.
is_disturbed() { awk "BEGIN { exit !($(slowest "$1") > 1.15 * $(counted "$1") + 0.05) }"; }

# once WAY: one run; keeps the fastest of each way.
once() {
	local preload_it=() time
	[ "${1%-typed}" = with ] && preload_it=(LD_PRELOAD="$preload")
	env "${preload_it[@]}" "$(mpi_tool "$mpi" mpirun)" "${unbound[@]}" -n "$ranks" "$spin" "$steps" \
		> "$work/$1.new" 2> "$work/$1.err" < /dev/null || {
		echo "demo: a run failed:" >&2
		cat "$work/$1.new" "$work/$1.err" >&2
		exit 1
	}
	time=$(slowest "$1.new")
	if [ ! -e "$work/$1" ] || awk "BEGIN { exit !($time < $(slowest "$1")) }"; then
		mv "$work/$1.new" "$work/$1"
	fi
}

# Which rank's threads were seen where, and what that means.
show() {
	awk -v ncpus="$ncpus" -v disturbed="$(is_disturbed "$1" && echo 1)" -v counted="$(counted "$1")" '
		/^rank/ {
			n = split($3, cpu, ",")
			printf "    rank %s %s on CPU %s\n", $2, (n > 1 ? "its " n " threads" : "its thread"), $3
			for (i = 1; i <= n; i++)
				if (!busy[cpu[i]]++)
					used++
		}
		/^slowest/ { time = $2 }
		/^least/ { least = $2 }
		END {
			most = 0
			for (i in busy)
				if (busy[i] > most)
					most = busy[i]
			printf "  %d of %d CPUs work; ", used, ncpus
			if (most > 1)
				printf "%d threads take turns on the same one.\n", most
			else
				printf "no two threads share one.\n"
			if (disturbed) {
				printf "  Other programs use these CPUs too: the slowest rank needed %.2f seconds.  By the CPU time\n", time
				printf "  that it used, it needs %.2f where they do not.\n", counted
				exit
			}
			printf "  The slowest rank needs %.2f seconds", time
			if (most > 1)
				printf ", since a thread has a CPU for %.0f %% of the time.\n", 100 * least
			else
				printf ".\n"
		}' "$work/$1"
}

# compare BEFORE AFTER: by the times, or, where others use the CPUs in one of them, by what load does not change.
compare() {
	local measure=slowest how=
	if is_disturbed "$1" || is_disturbed "$2"; then
		measure=counted how=" by the CPU time used"
	fi
	awk -v without="$($measure "$1")" -v with="$($measure "$2")" -v how="$how" \
		'BEGIN { printf "The same program on the same machine, %.2f times as fast%s.\n", without / with, how }'
}

# A demonstration that shows the opposite is a failure.
check() {
	! sed -n 's/^rank.*: //p' "$work/$1" | tr ',' '\n' | sort | uniq -d | grep -q . || {
		echo "demo: threads share CPUs although splitpin is loaded; please report this" >&2
		exit 1
	}
}

unbound=() steps=400
[ "$mpi" = openmpi ] && unbound=(--bind-to none)
rm -f "$work"/with* "$work"/without*
fold -s -w 88 <<END | sed 's/ *$//'
A parallel program is started as $ranks processes, called ranks, of $threads thread$([ "$threads" = 1 ] || echo s) each. \
This machine has $ncpus CPUs, so every thread could have one of its own. \
Inside each rank an OpenMP runtime ($runtime) creates the threads, and here it binds them \
to fixed CPUs: $setting. \
It sees all CPUs but not the other ranks, so it makes the same choice in each of them.

END
for ((round = 0; round < rounds; round++)); do
	once without
	[ -e "$preload" ] && once with
done
echo "Without splitpin:"
show without
if [ ! -e "$preload" ]; then
	echo "demo: no $preload: run make first" >&2
	exit 1
fi
echo
echo "With splitpin (the same, and LD_PRELOAD=${preload##*/}):"
show with
echo
compare without with
check with

# The job as typed: Open MPI binds each of two ranks to one core, with all its threads.
[ "$mpi" = openmpi ] && [ "$ncpus" -ge 4 ] || exit 0
ranks=2 threads=$((ncpus / 2)) unbound=()
steps=$((800 / threads > 20 ? 800 / threads : 20))
unset "${setting%%=*}" OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby
export OMP_NUM_THREADS=$threads
for ((round = 0; round < rounds; round++)); do
	once without-typed
	once with-typed
done
fold -s -w 88 <<END | sed 's/ *$//'

Nothing need be set for that. A job as it is typed, with $threads threads for each of 2 ranks:
END
echo
echo "    OMP_NUM_THREADS=$threads mpirun -n 2 ./program"
echo
echo "Without splitpin, where Open MPI binds each rank to one core:"
show without-typed
echo
echo "With splitpin:"
show with-typed
echo
compare without-typed with-typed
check with-typed
