#!/bin/bash
# What docs/sites.md tells administrators to write, tried: Slurm's TaskProlog,
# taken from there, and launchers whose own binding a variable switches off.
#
#   tests/recipes.sh [BUILD [PRELOAD]]
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
trap slurm_stop EXIT
trap 'exit 1' INT TERM HUP

# The report of two ranks in FILE: disjoint, and not by the launcher's doing.
reported() {
	grep -q '2 of 2 ranks have their own CPUs' "$1" || echo "no good result: $(grep result: "$1" || head -n 1 "$1")"
	expect "why, for both ranks" "$(grep -c 'why: the launcher did not bind' "$1")" 1
}

two_ranks=${confined:-$([ "$ncpus" -ge 2 ] || echo "there is one CPU")}

#
# A launcher's own binding, switched off for all jobs.
#

test="Open MPI: binding off by its variable"
# shellcheck disable=SC2016 # the marks of a table
variable=$(sed -n 's/^| Open MPI 4 .*`\([A-Z].*\)=none`.*/\1/p' docs/sites.md)
if [ -n "$two_ranks" ]; then
	skip "$test" "$two_ranks"
elif ! program=$(program openmpi gcc hybrid.c); then
	skip "$test" "it is not installed, or hybrid.c does not compile"
elif ! "$(mpi_tool openmpi mpirun)" --version | grep -q ' 4\.'; then
	skip "$test" "this is not Open MPI 4"
else
	env "$variable=none" SPLITPIN_REPORT=1 LD_PRELOAD="$preload" timeout "$hangs" \
		"$(mpi_tool openmpi mpirun)" -n 2 "$program" > "$work/openmpi" 2>&1
	verdict "$test" "$(reported "$work/openmpi")"
fi

#
# Slurm's TaskProlog.
#

slurm() {
	local other=$work/other.so command
	sed -n '/^    #!\/bin\/sh$/,/^    esac$/s/^    //p' docs/sites.md |
		sed "s|^library=.*|library=$preload|" > "$work/prolog"
	chmod +x "$work/prolog"
	echo "TaskProlog=$work/prolog" >> "$SLURM_CONF"
	timeout "$hangs" scontrol reconfigure
	: > "$work/other.c"
	gcc -shared -fPIC -o "$other" "$work/other.c"

	# Until slurmd has read the file anew a task starts without the prolog.
	awaited has_prolog
	verdict "TaskProlog: nothing preloaded before" "$(expect LD_PRELOAD "$(preloaded ALL)" "$preload")"
	verdict "TaskProlog: no environment of the user's" "$(expect LD_PRELOAD "$(preloaded NONE)" "$preload")"
	verdict "TaskProlog: it is there already" "$(expect LD_PRELOAD "$(preloaded "ALL,LD_PRELOAD=$other $preload")" "$other $preload")"
	verdict "TaskProlog: another is there" "$(expect LD_PRELOAD "$(preloaded "ALL,LD_PRELOAD=$other")" "$preload:$other")"

	if [ -n "$two_ranks" ] || ! command=$(program mpich gcc hybrid.c) || ! srun --mpi=list 2>&1 | grep -q pmi2; then
		skip "TaskProlog: ranks of a batch script" "${two_ranks:-there is no MPICH, or no pmi2 in Slurm}"
		return
	fi
	cat > "$work/job" <<-END
	#!/bin/sh
	export SPLITPIN_REPORT=1
	srun --mpi=pmi2 -n 2 -c $((ncpus / 2)) --cpu-bind=none $command > $work/srun 2>&1
	$(mpi_tool mpich mpirun) -n 2 $command > $work/mpirun 2>&1
	END
	timeout "$hangs" sbatch --quiet --wait --exclusive -N 1 -n 2 -o "$work/job.out" "$work/job" > /dev/null
	verdict "TaskProlog: srun in a batch script" "$(reported "$work/srun")"
	verdict "TaskProlog: mpirun in a batch script" "$(reported "$work/mpirun")"
}

has_prolog() { [ -n "$(preloaded ALL)" ]; }

# preloaded EXPORT: what a task has.
# shellcheck disable=SC2016 # the task's shell expands
preloaded() { timeout "$hangs" srun --quiet --immediate=300 -N 1 -n 1 --export="$1" /bin/sh -c 'echo "$LD_PRELOAD"' 2>&1; }

if slurm_start "$work/daemons" 1; then
	slurm
else
	skip "TaskProlog" "no Slurm: $slurm_why"
fi

closing
