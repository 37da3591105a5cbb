#!/bin/bash
# The plugin for Slurm, packaging/slurm, on two nodes: the option --splitpin and
# the site's default decide what the tasks of a step preload, and nothing else does;
# with --multi-prog, heterogeneous jobs, batch scripts, and a node without the library.
#
#   tests/spank.sh [BUILD [PRELOAD]]
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
trap slurm_stop EXIT
trap 'exit 1' INT TERM HUP

# site [ARGUMENT...]: Slurm reads it anew for each step.
site() { echo "optional $build/spank-splitpin.so $*" > "$work/daemons/plugstack.conf"; }

step() { timeout -k 5 "$hangs" srun --quiet --mpi=none "$@" 2>&1 < /dev/null | sort; }

# What a task is given; a line for each.
cat > "$work/task" <<'END'
#!/bin/sh
echo "$(hostname) preload=$LD_PRELOAD debug=$SPLITPIN_DEBUG report=$SPLITPIN_REPORT"
END
chmod +x "$work/task"

# tasks OPTION...: one on each node.
tasks() { step -N 2 -n 2 "$@" "$work/task"; }

# on_both [PRELOAD [DEBUG [REPORT]]]: what tasks prints then.
on_both() {
	for node in n1 n2; do
		echo "$node preload=${1-} debug=${2-} report=${3-}"
	done
}

make -s B="$build" spank > "$work/make" 2>&1 || {
	[ -e /usr/include/slurm/spank.h ] || give_up skip "the plugin for Slurm" "no slurm/spank.h, run make deps check-all"
	give_up fail "make spank" "$(grep -m 1 error "$work/make")"
}
slurm_start "$work/daemons" 2 || give_up skip "the plugin for Slurm" "no Slurm: $slurm_why"
other=$work/other.so
echo > "$work/other.c"
gcc -shared -fPIC -o "$other" "$work/other.c"

site library="$preload"
verdict "srun --help" "$(expect "lines" "$(timeout -k 5 "$hangs" srun --help | grep -c 'splitpin=off|on|observe|debug|report')" 1)"
verdict "on by default" "$(expect tasks "$(tasks)" "$(on_both "$preload")")"
verdict "--splitpin=on" "$(expect tasks "$(tasks --splitpin=on)" "$(on_both "$preload")")"
verdict "--splitpin=off" "$(expect tasks "$(tasks --splitpin=off)" "$(on_both)")"
verdict "--splitpin=debug" "$(expect tasks "$(tasks --splitpin=debug)" "$(on_both "$preload" 1)")"
verdict "--splitpin=report" "$(expect tasks "$(tasks --splitpin=report)" "$(on_both "$preload" "" 1)")"
# switches OPTION...: SPLITPIN in the tasks.
# shellcheck disable=SC2016 # the task's shell expands
switches() { step -N 2 -n 2 "$@" sh -c 'echo "${SPLITPIN-unset} ${LD_PRELOAD:+loaded}"' | sort -u; }
verdict "--splitpin=observe" "$(
	expect "tasks" "$(switches --splitpin=observe)" "observe loaded"
	expect "tasks whose user has it off" "$(switches --splitpin=observe --export=ALL,SPLITPIN=off)" "observe loaded"
	site library="$preload" default=observe
	expect "tasks by default" "$(switches)" "observe loaded"
	expect "by default, tasks whose user has it off" "$(switches --export=ALL,SPLITPIN=off)" "off loaded"
	expect "by default, --splitpin=on" "$(switches --splitpin=on)" "unset loaded"
)"
site library="$preload"
verdict "--splitpin=of" "$(
	said=$(tasks --splitpin=of)
	grep -q -- '--splitpin=of: takes off, on, observe, debug or report' <<< "$said" || echo "it says: $said"
	! grep -q preload= <<< "$said" || echo "the tasks ran"
)"
verdict "with a preload of the user's" "$(expect tasks "$(tasks --export=ALL,LD_PRELOAD="$other")" "$(on_both "$preload:$other")")"
verdict "where it is preloaded already" "$(expect tasks "$(tasks --export=ALL,LD_PRELOAD="$other $preload")" "$(on_both "$other $preload")")"
verdict "--splitpin=off where it is preloaded" "$(expect tasks "$(tasks --splitpin=off --export=ALL,LD_PRELOAD="$other $preload")" "$(on_both "$other")")"
verdict "--export=NONE" "$(expect tasks "$(tasks --export=NONE)" "$(on_both "$preload")")"
echo "* $work/task" > "$work/programs"
verdict "--multi-prog" "$(expect tasks "$(step -N 2 -n 2 --multi-prog "$work/programs")" "$(on_both "$preload")")"
verdict "a heterogeneous job" "$(
	expect tasks "$(step -N 1 -n 1 "$work/task" : -N 1 -n 1 "$work/task")" "$(on_both "$preload")"
	expect "tasks with debug" "$(step --splitpin=debug -N 1 -n 1 "$work/task" : --splitpin=debug -N 1 -n 1 "$work/task")" "$(on_both "$preload" 1)"
)"
verdict "a program that salloc starts here" "$(expect task "$(timeout -k 5 "$hangs" salloc --quiet -N 1 -n 1 "$work/task" 2>&1 | sed 's/.* preload/preload/')" "preload= debug= report=")"

# batch OPTION...: the script, and a step in it.
batch() {
	printf '%s\n' '#!/bin/sh' "$work/task" "srun --quiet --mpi=none -N 2 -n 2 $work/task | sort" > "$work/job"
	timeout -k 5 "$hangs" sbatch --quiet --wait -N 2 -n 2 -o "$work/job.out" "$@" "$work/job" > "$work/sbatch" 2>&1 || cat "$work/sbatch"
	cat "$work/job.out"
}
verdict "a batch script, and a step in it" "$(expect tasks "$(batch)" "$(on_both "$preload" | head -n 1; on_both "$preload")")"
verdict "sbatch --splitpin=off" "$(expect tasks "$(batch --splitpin=off)" "$(on_both | head -n 1; on_both)")"

site library="$preload" default=off
verdict "default=off" "$(expect tasks "$(tasks)" "$(on_both)")"
verdict "default=off: what a user preloads stays" "$(expect tasks "$(tasks --export=ALL,LD_PRELOAD="$preload")" "$(on_both "$preload")")"
verdict "default=off, --splitpin=on" "$(expect tasks "$(tasks --splitpin=on)" "$(on_both "$preload")")"
site library="$preload" default=report
verdict "default=report" "$(expect tasks "$(tasks)" "$(on_both "$preload" "" 1)")"

# n1 has it in its own /dev/shm.
site default=off
step -w n1 -N 1 -n 1 sh -c "mkdir -p /dev/shm/only && cp $preload /dev/shm/only"
site library=/dev/shm/only/libsplitpin.so
verdict "a node without the library" "$(
	lacking="n1 preload=/dev/shm/only/libsplitpin.so debug= report=
n2 preload= debug= report="
	expect tasks "$(tasks)" "$lacking"
	expect "tasks of a script that has it" "$(tasks --export=ALL,LD_PRELOAD=/dev/shm/only/libsplitpin.so)" "$lacking"
)"
site library="$preload" default=never
verdict "default=never" "$(expect tasks "$(tasks)" "$(on_both)")"
verdict "default=never, --splitpin=on" "$(expect tasks "$(tasks --splitpin=on)" "$(on_both)")"
verdict "default=never: what a user preloads goes" "$(expect tasks "$(tasks --export=ALL,LD_PRELOAD="$other $preload")" "$(on_both "$other")")"
for word in default=dryrun library=relative.so user=root percent=101 account=; do
	site library="$preload" "$word"
	verdict "a wrong plugstack.conf: $word" "$(
		said=$(tasks --splitpin=on --export=ALL,SPLITPIN=on)
		grep -q "spank-splitpin in plugstack.conf: $word is wrong: use library=/PATH, default=on|off|never|observe|debug|report, user=, group=, account=, partition=, percent= or exclusive_only; *splitpin is off" <<< "$said" || echo "not said: $said"
		expect tasks "$(grep preload= <<< "$said")" "$(on_both)"
	)"
done
# In which jobs it is on by default: narrowed ARGUMENT EXPECTED OPTION...
narrowed() {
	local argument=$1 expected=$2
	shift 2
	site library="$preload" "$argument"
	verdict "$argument${*:+, $*}" "$(expect tasks "$(tasks "$@")" "$(on_both "$([ "$expected" = off ] || echo "$preload")")")"
}
group=$(id -g)
narrowed "user=4294967295,$(id -u)" on
narrowed "user=4294967295" off
narrowed "user=4294967295" on --splitpin=on
narrowed "group=$group" on
narrowed "group=4294967295" off
narrowed "partition=debug,al*" on
narrowed "partition=debug" off
narrowed "account=phys*,chem" on -A physics
narrowed "account=phys*,chem" off -A biology
narrowed "account=*" off
narrowed "partition=all user=4294967295" off
narrowed "exclusive_only=0" on

# The nodes of a job agree, and with the library, which reads the same number: n1 1 4711.
site library="$preload" percent=50
verdict "percent=50" "$(
	# shellcheck disable=SC2016 # the task's shell expands
	for ((i = 0; i < 8; i++)); do
		step -N 2 -n 2 sh -c 'echo "$(hostname) ${LD_PRELOAD:+chosen} $SLURM_JOB_ID"'
	done > "$work/chosen"
	while read -r job; do
		chosen=$(grep -c " chosen $job$" "$work/chosen") expected=0
		# Every other step of the golden section on a circle.
		! python3 -c "import sys; sys.exit($job * 0x9e3779b97f4a7c15 % 2**64 >= (2**64 - 1) // 100 * 50)" || expected=2
		expect "nodes of job $job that are chosen" "$chosen" "$expected"
	done < <(sed 's/.* //' "$work/chosen" | sort -u)
	expect "lines" "$(wc -l < "$work/chosen")" 16
	expect "kinds of jobs" "$(sed 's/^n. \(chosen\|\).*/\1/' "$work/chosen" | sort -u | wc -l)" 2
)"
site library="$preload" exclusive_only
cores=$(cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list | sort -u | wc -l)
if [ "$cores" -lt 2 ] || ! timeout -k 5 "$hangs" sinfo -h -o %c > "$work/cpus" 2>&1 || [ "$(head -n 1 "$work/cpus")" -lt "$cores" ]; then
	skip "exclusive_only" "a node of Slurm has $(head -n 1 "$work/cpus" 2> /dev/null) of $cores cores"
else
	verdict "exclusive_only" "$(expect tasks "$(tasks --exclusive)" "$(on_both "$preload")")"
	verdict "exclusive_only in a part of the node" "$(expect tasks "$(tasks -c 1)" "$(on_both)")"
fi

site library="$preload"
verdict "a list that is too long" "$(
	colons=$(printf '%40000s' '' | tr ' ' :)
	# shellcheck disable=SC2016 # the task's shell expands
	said=$(step -N 2 -n 2 --export=ALL,LD_PRELOAD="$colons" sh -c 'echo "length ${#LD_PRELOAD}"')
	expect "tasks without it" "$(grep -cx "length 40000" <<< "$said")" 2
	expect "tasks that say so" "$(grep -c "spank-splitpin: cannot read LD_PRELOAD, or it has more than 32767 bytes: it stays as it is" <<< "$said")" 2
)"

site library="$preload"
if [ -n "$confined" ] || [ "$ncpus" -lt 2 ]; then
	skip "ranks on two nodes" "${confined:-there is one CPU}"
elif ! program=$(program mpich gcc hybrid.c) || ! timeout -k 5 "$hangs" srun --mpi=list 2>&1 | grep -q pmi2; then
	skip "ranks on two nodes" "there is no MPICH, or no pmi2 in Slurm"
else
	timeout -k 5 "$hangs" srun --quiet --mpi=pmi2 -N 2 -n 4 -c $((ncpus / 2)) --cpu-bind=none --splitpin=report "$program" > "$work/ranks" 2>&1 < /dev/null
	verdict "ranks on two nodes" "$(
		expect status $? 0
		for node in n1 n2; do
			grep -q "host=$node result: 2 of 2 ranks have their own CPUs" "$work/ranks" || echo "$node: $(grep -m 1 "host=$node result" "$work/ranks" || head -n 1 "$work/ranks")"
		done
	)"
fi
closing
