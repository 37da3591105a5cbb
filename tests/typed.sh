#!/bin/bash
# Jobs as users type them, with the launchers' default bindings and with those
# that are asked for; and ranks that do not come as one would expect.
#
#   tests/typed.sh [BUILD [PRELOAD]]
#
# What a test printed and where its threads were is kept in BUILD/tests/typed/<test>.
# What happens first is told by files, and no time is measured: nothing here
# depends on how busy the machine is.
set -u

# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh

[ -e "$preload" ] || { echo "typed: no $preload: run make first" >&2; exit 1; }
unset SPLITPIN_NEIGHBOURS OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby

cores=$(taskset -c "$cpus" lscpu -p=CPU,CORE | awk -F, -v cpus=",$(taskset -c "$cpus" python3 -c 'import os; print(*os.sched_getaffinity(0), sep=",")')," \
	'!/^#/ && index(cpus, "," $1 ",") && !seen[$2]++' | wc -l)
if [ "$shm" != own ] || [ -n "$confined" ] || [ "$cores" -lt 2 ]; then
	[ "$cores" -ge 2 ] || confined="it takes two cores"
	give_up skip "everything" "${confined:-no /dev/shm of its own: the jobs of this machine would be neighbours}"
fi

typed() { built "$1" "$2" typed_c $sources/typed.c; }

# launcher LIBRARY: sets `run`, as users type it.
launcher() {
	case $1 in
	openmpi) run=("$(mpi_tool openmpi mpirun)") ;;
	openmpi5) run=("$ompi5/bin/mpirun") ;;
	mpich) run=("$(mpi_tool mpich mpirun)") ;;
	mpich5) run=("$mpich5/bin/mpiexec") ;;
	intel) run=("$impi/bin/mpiexec.hydra") ;;
	esac
}

# job LIBRARY [LAUNCHER'S OPTIONS] COMMAND: in $to; leaves out, err and status,
# and of each rank what typed.c writes.
job() {
	local library=$1 run
	shift
	mkdir -p "$to/session"
	launcher "$library"
	TYPED_DIR=$to OMPI_MCA_orte_tmpdir_base=$to/session LD_PRELOAD=$preload tried "$to" timeout -k 5 "$hangs" "${run[@]}" "$@"
}

value() { sed -n "s/^$2 //p" "$1" 2>/dev/null | paste -s -d ' '; }
threads() { sed -n 's/^thread [0-9]* //p' "$1"; }
warnings() { grep 'splitpin: warning:' "$to/err"; }

# Faults of a job in $to.
ended() { expect "exit status" "$(cat "$to/status")" 0; }
quiet() {
	ended
	[ "$(cat "$to/status")" = 0 ] && unasked "$to/err"
}
warned_once() {
	ended
	expect "number of warnings" "$(warnings | wc -l)" 1
	warnings | grep -qF -- "$1" || echo "no warning has \"$1\": $(warnings)"
}

# apart FILE...: no thread of one is on a CPU of another's.
apart() {
	local file twice
	for file; do
		[ -s "$file" ] || echo "no ${file##*/}"
		threads "$file" | tr , '\n' | sort -u
	done > "$to/cpus"
	grep '^no ' "$to/cpus"
	twice=$(grep -v '^no ' "$to/cpus" | sort | uniq -d | paste -s -d ,)
	[ -z "$twice" ] || echo "CPUs $twice twice"
}

# Each thread of a rank on one CPU, no two on the same.
pinned() {
	expect "threads of ${1##*/}" "$(threads "$1" | grep -c '^[0-9]*$')" "$2"
	expect "CPUs of ${1##*/}" "$(threads "$1" | sort -u | wc -l)" "$2"
}

#
# The launchers' bindings.
#

# binding LIBRARY ASKED... : a rank with two threads by default, and as asked for.
binding() {
	local library=$1 remedy=$2 program to test why
	shift 2
	why=$(no_library "$library" | head -n 1)
	[ -n "$why" ] || program=$(typed "$library" libgomp) || why="typed.c does not compile"
	if [ -n "$why" ]; then
		skip "$library" "$why"
		return
	fi
	test="$library as typed: a core for each thread"
	to=$(folder "$test")
	OMP_NUM_THREADS=2 job "$library" -n 1 "$program" mpi
	verdict "$test" "$(quiet; pinned "$to/0" 2)"

	test="$library as typed: ranks of one thread are apart"
	to=$(folder "$test")
	OMP_NUM_THREADS=1 job "$library" -n 2 "$program" mpi
	verdict "$test" "$(quiet; apart "$to"/[01])"

	test="$library $*: kept, with one warning"
	to=$(folder "$test")
	OMP_NUM_THREADS=2 job "$library" "$@" -n 1 "$program" mpi
	verdict "$test" "$(warned_once "$remedy"; expect "CPUs" "$(threads "$to/0" | tr , '\n' | sort -u | wc -l)" 1)"
}

binding openmpi "use mpirun --bind-to none" --bind-to core
binding openmpi5 "use mpirun --bind-to none" --bind-to core
binding mpich "use mpiexec -bind-to none instead" -bind-to core
binding mpich5 "use mpiexec -bind-to none instead" -bind-to core
binding intel "set I_MPI_PIN_CELL=core and I_MPI_PIN_DOMAIN=2 instead" -genv I_MPI_PIN_DOMAIN core

test="a launcher that is confined itself is not said to have started what binds"
to=$(folder "$test")
if program=$(typed mpich libgomp); then
	launcher mpich
	TYPED_DIR=$to SPLITPIN_REPORT=1 OMP_NUM_THREADS=1 LD_PRELOAD=$preload tried "$to" timeout -k 5 "$hangs" taskset -c "${cpus%%[-,]*}" "${run[@]}" -n 1 "$program" mpi
	verdict "$test" "$(
		ended
		grep -qF "kept the binding that was asked for (the launcher itself may use only these CPUs)" "$to/err" || cat "$to/err")"
else
	skip "$test" "no MPICH"
fi

{ program=$(typed openmpi libgomp) && late=$(typed openmpi libomp); } ||
	give_up skip "the rest" "no Open MPI, or typed.c does not compile"

# A pool of processes has the CPUs of its rank.
test="children that take turns on the one core of their rank: one warning"
to=$(folder "$test")
if pool=$(built openmpi libgomp pool_c $sources/pool.c); then
	unset OMP_NUM_THREADS
	job openmpi -n 1 "$pool" 4
	verdict "$test" "$(
		warned_once "child processes of rank 0 took turns on 1 core, since the launcher binds ranks to one core by default and OMP_NUM_THREADS is not set; "
		expect "CPUs of the children" "$(sort -u "$to/out" | wc -l)" 1
	)"
	remedy=$(sed -n 's/.* set \(OMP_NUM_THREADS=[0-9]*\) to use all.*/\1/p' "$to/err")
	test="and none as it says"
	to=$(folder "$test")
	export "${remedy:-OMP_NUM_THREADS=1}"
	job openmpi -n 1 "$pool" 4
	unset OMP_NUM_THREADS
	verdict "$test" "$(quiet; expect "CPUs of the children" "$(sort -u "$to/out")" "$cpus")"
else
	skip "$test" "pool.c does not compile"
fi

# numactl as it is used for memory alone.
test="numactl that binds no CPUs is no binding"
to=$(folder "$test")
if numactl --localalloc true 2>/dev/null; then
	OMP_NUM_THREADS=2 job openmpi -n 1 numactl --localalloc "$program" mpi
	verdict "$test" "$(quiet; pinned "$to/0" 2)"
else
	skip "$test" "no numactl, or it may set no policy"
fi

# A CPU of each of two cores, the last one first.
mapfile -t reversed < <(taskset -c "$cpus" lscpu -p=CPU,CORE | awk -F, -v cpus=",$(taskset -c "$cpus" python3 -c 'import os; print(*os.sched_getaffinity(0), sep=",")')," \
	'!/^#/ && index(cpus, "," $1 ",") && !seen[$2]++ { print $1 }' | head -n 2 | tac)
lists=${reversed[0]}-${reversed[0]}:${reversed[1]}-${reversed[1]}

# below LIBRARY WHAT [LAUNCHER'S OPTIONS] COMMAND: what the launcher starts binds
# it, so that no option of the launcher would help; that what is named helps.
below() {
	local test="$1: bound by $2, not by the launcher" library=$1 what=$2
	shift 2
	to=$(folder "$test")
	job "$library" "$@"
	mkdir "$to/ignored"
	verdict "$test" "$(warned_once "kept the binding that was asked for ($what); start the program without that binding, or set SPLITPIN_INHERITED=ignore"
		to=$to/ignored
		SPLITPIN_INHERITED=ignore job "$library" "$@"
		quiet
		pinned "$to/0" 2)"
}

one=${lists%%-*}
export OMP_NUM_THREADS=2
below openmpi "by taskset" -n 1 --bind-to none taskset -c "$one" "$program" mpi
# shellcheck disable=SC2016 # the rank's shell expands
below openmpi "not bound by mpirun, but by something it started" -n 1 --bind-to none sh -c 'taskset -cp '"$one"' $$ >/dev/null; exec "$0" mpi' "$program"
# shellcheck disable=SC2016
if mpi=$(typed mpich libgomp); then
	below mpich "by taskset" -bind-to none -n 1 taskset -c "$one" "$mpi" mpi
	below mpich "not bound by mpiexec, but by something it started" -bind-to none -n 1 sh -c 'taskset -cp '"$one"' $$ >/dev/null; exec "$0" mpi' "$mpi"
fi

#
# What the user says of each rank's CPUs.
#

export OMP_NUM_THREADS=1
test="SPLITPIN_DOMAIN counts more than a default binding"
to=$(folder "$test")
SPLITPIN_DOMAIN=$lists job openmpi -n 2 "$program" mpi
verdict "$test" "$(quiet; expect "CPU of rank 0" "$(threads "$to/0")" "${reversed[0]}"; expect "CPU of rank 1" "$(threads "$to/1")" "${reversed[1]}")"

# Open MPI binds a single rank to the first core.
for setting in "DOMAIN=${reversed[0]}-${reversed[0]}" "RESERVE=${reversed[1]}-${reversed[1]}"; do
	test="SPLITPIN_${setting%=*} counts more than a default binding, of one rank, too"
	to=$(folder "$test")
	export "SPLITPIN_$setting"
	job openmpi -n 1 "$program" mpi
	unset "SPLITPIN_${setting%=*}"
	verdict "$test" "$(quiet; [ "$(threads "$to/0")" != "${reversed[1]}" ] || echo "it is on CPU ${reversed[1]}")"
done

test="SPLITPIN_DOMAIN counts less than a binding that was asked for"
to=$(folder "$test")
SPLITPIN_DOMAIN=$lists job openmpi -n 2 --bind-to core "$program" mpi
verdict "$test" "$(quiet; apart "$to"/[01]; [ "$(threads "$to/0")" != "${reversed[0]}" ] || echo "rank 0 has its list")"

test="SPLITPIN_DOMAIN with too few lists: one warning, nothing changed"
to=$(folder "$test")
SPLITPIN_DOMAIN=${lists%:*} job openmpi -n 2 --bind-to none "$program" mpi
verdict "$test" "$(warned_once "SPLITPIN_DOMAIN does not fit this job (1 list for 2 ranks: each needs one)")"

test="SPLITPIN_RESERVE of CPUs that are not there: one warning"
to=$(folder "$test")
SPLITPIN_RESERVE=8191-8191 job openmpi -n 2 "$program" mpi
verdict "$test" "$(warned_once "SPLITPIN_RESERVE=8191-8191 reserves nothing: the CPUs here are")"

# MPICH's launcher takes variables for each part of a job.
test="settings of one rank alone that leave it no share: one warning"
to=$(folder "$test")
if mpi=$(typed mpich libgomp); then
	job mpich -n 1 "$mpi" mpi : -n 1 -env SPLITPIN_RESERVE 4096 "$mpi" mpi
	verdict "$test" "$(warned_once "so that 1 of 2 has no share, such as rank 1: SPLITPIN_RESERVE leaves 0 CPUs for 2 ranks")"
else
	skip "$test" "no MPICH"
fi

test="two ranks bound to each CPU: one warning"
to=$(folder "$test")
if mpi=$(typed mpich libgomp); then
	OMP_NUM_THREADS=1 job mpich -n $((2 * ncpus)) -bind-to hwthread "$mpi" mpi
	verdict "$test" "$(warned_once "2 ranks share 1 CPU, too few for one each")"
	test="a debug line of each rank says that splitpin is not active"
	to=$(folder "$test")
	OMP_NUM_THREADS=1 SPLITPIN_DEBUG=1 job mpich -n $((ncpus + 1)) "$mpi" mpi
	verdict "$test" "$(
		ended
		expect "lines" "$(grep -c "rank=[0-9]*/$((ncpus + 1)) active=no cpu_list=$cpus .* start_cpus=$cpus job_cpus=$cpus .* launcher=MPICH why=\"$((ncpus + 1)) ranks share $ncpus CPU" "$to/err")" $((ncpus + 1)))"
else
	skip "$test" "no MPICH"
fi

test="one SPLITPIN_LOCAL_RANK for all ranks: one warning"
to=$(folder "$test")
for kind in libgomp libomp; do
	if mpi=$(typed mpich $kind); then
		SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2 job mpich -n 2 "$mpi" mpi
		verdict "$test, $kind" "$(warned_once "SPLITPIN_LOCAL_RANK=0 is set in processes ")"
	else
		skip "$test, $kind" "no MPICH, or no compiler"
	fi
done

# Its ranks inherit the worker's variables, by which all of them are its rank 0.
test="an MPI job that a worker of torchrun starts"
to=$(folder "$test")
if mpi=$(typed mpich libgomp); then
	TORCHELASTIC_RUN_ID=none LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 RANK=0 WORLD_SIZE=1 GROUP_RANK=0 GROUP_WORLD_SIZE=1 \
		job mpich -n 2 "$mpi" mpi
	verdict "$test" "$(quiet; pinned "$to/0" 1; pinned "$to/1" 1; apart "$to"/[01])"
else
	skip "$test" "no MPICH"
fi

# Its hosts have names of their own, which a script in the place of ssh takes for this machine.
test="a node that the launcher takes for two: one warning"
cat > "$work/here" <<'END'
#!/bin/sh
# Its daemons would make one folder at the same time.
base=$OMPI_MCA_orte_tmpdir_base host=$1
mkdir "$base/$host"
shift
exec sh -c "$(printf '%s\n' "$*" | sed "s|$base|&/$host|g")"
END
chmod +x "$work/here"
to=$(folder "$test")
if ! "$(mpi_tool openmpi mpirun)" --version 2>/dev/null | grep -qF "(OpenRTE) 4."; then
	skip "$test" "no Open MPI 4"
elif mpi=$(typed openmpi libgomp); then
	OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=$work/here OMPI_MCA_btl=tcp,self \
		job openmpi --host one:1,two:1 -n 2 "$mpi" mpi
	verdict "$test" "$(warned_once "counts this node as two, so ranks ")"
else
	skip "$test" "no Open MPI"
fi

# Rank 0 has settled when rank 1 comes with the CPU of rank 0 as its list, or, on request, has a list as well.
one_list() {
	# shellcheck disable=SC2016 # the rank's shell expands
	LIST0=${1:-} job openmpi -n 2 --bind-to none sh -c '
		if [ "$OMPI_COMM_WORLD_LOCAL_RANK" = 0 ]; then
			[ -z "$LIST0" ] || export OMP_PLACES="{$LIST0}"
			export TYPED_LAST=$TYPED_DIR/1
		else
			until [ -n "$LIST0" ] || [ -s "$TYPED_DIR/0" ]; do sleep 0.1; done
			export OMP_PLACES="{'"${reversed[1]}"'}"
		fi
		exec "$0" omp' "$program"
}
test="a list of one rank alone that comes late: one warning"
to=$(folder "$test")
one_list
verdict "$test" "$(warned_once "2 of 2 ranks overlap: ranks 0 and 1 both have CPU ${reversed[1]}; rank 1 has a list of CPUs of its own and rank 0 has none: give each rank a list, or none")"
test="and none where each has one"
to=$(folder "$test")
one_list "${reversed[0]}"
verdict "$test" "$(quiet; apart "$to"/[01])"

#
# Two jobs.
#

# Beside a job with a thread for each core, which is told when to end.  Either half of the remedy helps.
too_few() { sed -n 's/.* \([0-9]* ranks share .*, too few for .*\)/\1/p' "$to/err"; }
first=$(folder "beside a full node, the first job")
to=$first TYPED_LAST=$first/end OMP_NUM_THREADS=$cores job openmpi --bind-to none -n 1 "$program" mpi &
begun=$(there "$first/0" || echo "it has not begun")
test="beside a full node, two threads for each CPU: too few"
to=$(folder "$test")
OMP_NUM_THREADS=$ncpus job openmpi --bind-to none -n 2 "$program" mpi
verdict "$test" "$(ended; expect "what is said" "$(too_few)" \
	"2 ranks share $ncpus CPUs, too few for their $((2 * ncpus)) threads: start fewer ranks on this node, or fewer threads in each (OMP_NUM_THREADS)")"
test="beside a full node, fewer threads: enough"
to=$(folder "$test")
OMP_NUM_THREADS=1 job openmpi --bind-to none -n 2 "$program" mpi
verdict "$test" "$(ended; expect "what is said" "$(too_few)" "")"
test="beside a full node, fewer ranks: enough"
to=$(folder "$test")
OMP_NUM_THREADS=$ncpus job openmpi --bind-to none -n 1 "$program" mpi
verdict "$test" "$(ended; expect "what is said" "$(too_few)" "")"
touch "$first/end"
wait $!
to=$first
verdict "beside a full node, the first job" "$(printf '%s' "$begun"; ended)"

# together FIRST-RANKS SECOND-RANKS [WORD...]: two jobs of which the second
# starts when the first has its share, or, with "at once", when it does; the
# first ends first.
together() {
	local whole=$to how=${3:-}
	mkdir -p "$whole"/{a,b}
	to=$whole/a TYPED_LAST=$whole/b/0 job openmpi -n "$1" "$program" mpi &
	[ "$how" = "at once" ] || there "$whole/a/0"
	to=$whole/b TYPED_LAST=$whole/a/status job openmpi -n "$2" "$program" mpi
	wait $!
}

export OMP_NUM_THREADS=1
for i in 1 2 3; do
	test="two jobs at once, $i"
	to=$(folder "$test")
	together 1 1 "at once"
	verdict "$test" "$(to=$to/a quiet; to=$to/b quiet; apart "$to"/[ab]/0)"
done

test="of two jobs that overlap both are told"
to=$(folder "$test")
export SPLITPIN_REPORT=1
together "$ncpus" "$ncpus"
unset SPLITPIN_REPORT
for job in a b; do
	grep -qE 'another of your jobs uses CPUs? ' "$to/$job/err" || echo "job $job is not told"
	expect "verdicts of $job" "$(grep -cE 'result: [0-9]+ of [0-9]+ ranks? (ha|shares? the node)' "$to/$job/err")" 1
done > "$to/faults"
verdict "$test" "$(cat "$to/faults")"

#
# Ranks that do not come as one would expect.
#

# The first region is what settles these ranks: the second waits until the first has gone on.
test="ranks that come far apart do not wait for each other"
to=$(folder "$test")
# shellcheck disable=SC2016 # the rank's shell expands
job openmpi -n 2 --bind-to core sh -c '
	if [ "$OMPI_COMM_WORLD_LOCAL_RANK" = 0 ]; then
		export TYPED_LAST=$TYPED_DIR/1
	else
		export TYPED_FIRST=$TYPED_DIR/0
		sleep 3
	fi
	exec "$0" omp' "$late"
verdict "$test" "$(quiet; pinned "$to/0" 1; pinned "$to/1" 1; apart "$to"/[01])"

# The second announces its threads when the first has its share, so that both shares change when all have come.
test="a memory policy that is not there: one warning, though the share changes"
to=$(folder "$test")
export SPLITPIN_DRYRUN="core:8 pu:1" SPLITPIN_MEMORY=hbm SPLITPIN_DEBUG=1
# shellcheck disable=SC2016 # the rank's shell expands
SPLITPIN_LOG=$to/log.%r job openmpi -n 2 --bind-to none -x OMP_NUM_THREADS=2 sh -c '
	if [ "$OMPI_COMM_WORLD_LOCAL_RANK" = 1 ]; then
		until [ -s "$TYPED_DIR/log.0" ]; do sleep 0.1; done
		export OMP_NUM_THREADS=6
	fi
	exec "$0" mpi' "$program"
unset SPLITPIN_DRYRUN SPLITPIN_MEMORY SPLITPIN_DEBUG
verdict "$test" "$(
	ended
	expect "shares" "$(grep -ho ' active=no cpu_list=[^ ]*' "$to"/log.[01] | sort -u | paste -s -d ' ')" " active=no cpu_list=0-1  active=no cpu_list=0-3  active=no cpu_list=2-7  active=no cpu_list=4-7"
	expect "what rank 0 says of its memory" "$(grep -c 'SPLITPIN_MEMORY=hbm is not available: ' "$to/log.0")" 1
	expect "what rank 1 says of its memory" "$(grep -c 'SPLITPIN_MEMORY=hbm is not available: ' "$to/log.1")" 1
)"

# helped COMMAND...: a rank that has started an OpenMP program, which stays.
helped() {
	export OMP_NUM_THREADS=2 SPLITPIN_REPORT=1
	TYPED_HELPER="TYPED_NAME=helper TYPED_LAST=$to/0 exec env -u TYPED_HELPER -u TYPED_FIRST $program omp" TYPED_FIRST=$to/helper job openmpi -n 1 "$@"
	unset SPLITPIN_REPORT
	export OMP_NUM_THREADS=1
}

test="an OpenMP program that the rank has started is not the rank"
to=$(folder "$test")
helped "$late" mpi
verdict "$test" "$(
	ended
	expect "warnings" "$(warnings)" ""
	pinned "$to/0" 2
	grep -q "splitpin: .* 0 *$(value "$to/0" pid) " "$to/err" || echo "the report has not process $(value "$to/0" pid) as rank 0"
)"

# Without a right to change masks.
test="masks that cannot be set: one warning, and nobody waits"
to=$(folder "$test")
if strace -f -o "$to/trace" -e trace=sched_setaffinity -e inject=sched_setaffinity:error=EPERM true 2>/dev/null; then
	alone=$(program none gcc alone.c)
	# Longer than the test may take.
	SPLITPIN_WAIT=60 job openmpi -n 1 --bind-to none strace -f -o "$to/trace" -e trace=sched_setaffinity \
		-e inject=sched_setaffinity:error=EPERM "$program" mpi "$alone"
	verdict "$test" "$(warned_once "cannot set the mask of this process"; expect "children" "$(grep -c processors "$to/out")" 3)"
else
	skip "$test" "no strace, or it may not trace"
fi

# Without room for the mask: libc's callers ask again with more, so the first answer alone is changed.
test="a kernel for more CPUs than a mask has room for: one warning"
to=$(folder "$test")
if strace -o "$to/trace" -e trace=sched_getaffinity -e inject=sched_getaffinity:error=EINVAL:when=1 true 2>/dev/null; then
	LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 timeout -k 5 "$hangs" strace -o "$to/trace" -e trace=sched_getaffinity \
		-e inject=sched_getaffinity:error=EINVAL:when=1 "$(program none gcc alone.c)" > "$to/out" 2> "$to/err" < /dev/null
	echo $? > "$to/status"
	verdict "$test" "$(warned_once "cannot read the mask of this process: it has CPU numbers above 8191")"
else
	skip "$test" "no strace, or it may not trace"
fi

# wrong_machine NAME DESCRIPTION WHAT
wrong_machine() {
	test="a dry run for a machine that $1: one warning"
	to=$(folder "$test")
	LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 SPLITPIN_DRYRUN=$2 \
		timeout -k 5 "$hangs" "$(program none gcc alone.c)" > "$to/out" 2> "$to/err" < /dev/null
	echo $? > "$to/status"
	verdict "$test" "$(warned_once "cannot read the topology of SPLITPIN_DRYRUN=$2: $3")"
}
wrong_machine "is too large" "pack:100 core:1000 pu:2" "it has CPU numbers above 8191"
wrong_machine "has no CPUs" pack:2 "neither a file in hwloc's XML (lstopo NAME.xml writes one), nor the text of lstopo or lscpu -p, nor a description such as \"pack:2 core:8 pu:2\""
wrong_machine "orders by what it has not" "pu:4(indexes=core)" "indexes= takes numbers, or the names of levels above its own"
cat > "$work/no-number.xml" <<'end'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_cpuset="0x1" allowed_nodeset="0x1" gp_index="1">
<object type="NUMANode" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1024"/>
<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="3"/>
</object>
</topology>
end
wrong_machine "has a node without a number" "$work/no-number.xml" "a CPU, a core or a NUMA node in it has no number (os_index), one above 8191, or one that another has too"

test="a job that was killed in a container is in nobody's way"
to=$(folder "$test")
if unshare -pf --mount-proc true 2>/dev/null; then
	mkdir "$to/dead"
	TYPED_DIR=$to/dead TYPED_LAST=$to/never LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 \
		unshare -pf --mount-proc --kill-child "$program" omp < /dev/null > "$to/dead/out" 2>&1 &
	there "$to/dead/0"
	kill -KILL $!
	wait $! 2>/dev/null
	OMP_NUM_THREADS=$ncpus job openmpi -n 1 "$program" mpi
	verdict "$test" "$([ -e "$to/dead/0" ] || echo "the first job did not run"; quiet; pinned "$to/0" "$ncpus")"
else
	skip "$test" "no PID name spaces"
fi

#
# What is read and what is reported.
#

test="HWLOC_SYNTHETIC is not the machine"
to=$(folder "$test")
HWLOC_SYNTHETIC="pack:4 core:8 pu:2" HWLOC_THISSYSTEM=1 OMP_NUM_THREADS=2 job mpich -n 1 "$(typed mpich libgomp)" mpi
verdict "$test" "$(quiet; pinned "$to/0" 2)"

# As README says of it: each thread reads its mask before it is pinned.
test="OMP_DISPLAY_AFFINITY of libgomp shows the share, not the pins"
to=$(folder "$test")
OMP_DISPLAY_AFFINITY=TRUE OMP_NUM_THREADS=2 job mpich -n 1 "$(typed mpich libgomp)" mpi
verdict "$test" "$(
	ended
	expect "what it shows" "$(sed -n 's/^level 1 thread .* affinity //p' "$to/err" | sort -u)" "$cpus"
	pinned "$to/0" 2)"

test="a dry run changes no answer"
to=$(folder "$test")
unset OMP_NUM_THREADS
SPLITPIN_DRYRUN=1 SPLITPIN_DEBUG=1 job openmpi -n 2 --bind-to none "$program" mpi
export OMP_NUM_THREADS=1
verdict "$test" "$(
	ended
	for i in 0 1; do
		expect "processors of rank $i" "$(value "$to/$i" procs)" "$ncpus"
		expect "share of rank $i" "$(value "$to/$i" share | tr , '\n' | wc -l)" "$ncpus"
	done
	grep -q 'splitpin: ' "$to/err" || echo "nothing is said"
	grep 'splitpin: ' "$to/err" | grep -v 'dry run:'
)"

test="a dry run for another machine counts that one's cores"
to=$(folder "$test")
(
	taskset -cp "${cpus%%[-,]*}" $BASHPID > "$to/taskset"
	SPLITPIN_DRYRUN="pack:2 core:8 pu:1" SPLITPIN_CORES=1 SPLITPIN_REPORT=1 job mpich -n 2 "$(typed mpich libgomp)" mpi
)
verdict "$test" "$(
	ended
	expect result "$(sed -n 's/.* result: //p' "$to/err")" "2 of 2 ranks have their own CPUs, 14 cores idle"
)"

# no_mpi FIRST: the rank that ends first; the other waits for its end.
no_mpi() {
	local test="a program without MPI, rank $1 ends first: one report" other=$((1 - $1))
	to=$(folder "$test")
	# shellcheck disable=SC2016
	SPLITPIN_REPORT=1 job mpich -n 2 sh -c '
		[ "$MPI_LOCALRANKID" = '"$1"' ] || export TYPED_LAST=$TYPED_DIR/ended
		[ "$MPI_LOCALRANKID" = '"$1"' ] && TYPED_FIRST=$TYPED_DIR/'$other' "$0" omp && exec touch "$TYPED_DIR/ended"
		exec "$0" omp' "$program"
	verdict "$test" "$(
		ended
		expect "verdicts" "$(grep -c 'result:' "$to/err")" 1
		grep -q 'result: 2 of 2 ranks have their own CPUs' "$to/err" || echo "says $(grep result: "$to/err")"
		apart "$to"/[01]
	)"
}
no_mpi 0
no_mpi 1

test="of a rank that is no OpenMP program nothing is said"
to=$(folder "$test")
# Rank 0 ends last: before that the other might still become an OpenMP program.  Hydra
# waits for rank 0 first, so the other one stays as a zombie.
# shellcheck disable=SC2016
SPLITPIN_REPORT=1 job mpich -n 2 sh -c '
	[ "$MPI_LOCALRANKID" != 0 ] || TYPED_LAST=$TYPED_DIR/ended exec "$0" omp
	env -i PATH="$PATH" sh -c "while grep -q \"^State:[^Z]*\$\" /proc/$$/status; do sleep 0.01; done; : > \"$TYPED_DIR/ended\"" > /dev/null 2>&1 < /dev/null &
	exec true' "$program"
verdict "$test" "$(
	ended
	expect "verdicts" "$(grep -c 'result:' "$to/err")" 1
	grep -q 'result: only 1 of 2 ranks appeared' "$to/err" || echo "says $(grep result: "$to/err")"
	expect "lines of ranks" "$(grep -c 'splitpin: host=[^ ]* *[01] *[0-9]' "$to/err")" 1
)"

test="more ranks than CPUs"
to=$(folder "$test")
n=$((ncpus + 1))
SPLITPIN_REPORT=1 TYPED_LAST=$to/shown job mpich -n $n "$(typed mpich libgomp)" mpi &
there "$to/$ncpus" "$to/0" "$to/1"
"$build/splitpin" show > "$to/show" 2>&1
: > "$to/shown"
wait $!
verdict "$test" "$(
	warned_once "$n ranks share $ncpus CPUs"
	expect "verdicts" "$(grep -c 'result:' "$to/err")" 1
	grep -q "result: $n of $n ranks have no share" "$to/err" || echo "says $(grep result: "$to/err")"
	expect "lines of ranks" "$(grep -c 'splitpin: host=[^ ]* *[0-9]* *[0-9]\{2,\} ' "$to/err")" $n
	expect "reasons" "$(grep -c 'splitpin: host=[^ ]* why: .*run as if splitpin were absent' "$to/err")" 1
	grep -q "no share" "$to/show" || echo "splitpin show does not say that ranks have no share"
)"

# The same with a Python program, whose MPI comes last.
python=$deps/mpi4py-system/bin/python
test="mpi4py after an OpenMP program that it has started"
to=$(folder "$test")
if [ -e "$deps/mpi4py-system/ready" ] && team=$(built none libgomp team.so -shared -fPIC $sources/team.c $sources/placement.c); then
	export OMP_NUM_THREADS=2 SPLITPIN_REPORT=1
	PLACEMENT_DIR=$to MPI4PY_MPIABI=openmpi HELPER="TYPED_NAME=helper TYPED_LAST=$to/over exec $program omp" \
		job openmpi -n 1 "$python" -c '
import ctypes, os, subprocess, sys, time
directory = os.environ["TYPED_DIR"]
helper = subprocess.Popen(os.environ["HELPER"], shell=True)
while not os.path.exists(directory + "/helper"):
    time.sleep(0.01)
from mpi4py import MPI
team = ctypes.CDLL(sys.argv[1])
team.team_work.restype = ctypes.c_long
team.placement_start(0, 1, team.team_max_threads())
team.team_work(0, 0)
team.placement_end()
print("pid", os.getpid())
open(directory + "/over", "w").close()
sys.exit(helper.wait())' "$team"
	unset SPLITPIN_REPORT
	verdict "$test" "$(
		ended
		expect "warnings" "$(warnings)" ""
		python3 tests/placement-check.py "$to" --ranks 1 --allowed "$cpus" --runtime libgomp --threads 2 2>&1
		grep -q "splitpin: .* 0 *$(value "$to/out" pid) " "$to/err" || echo "the report has not process $(value "$to/out" pid) as rank 0"
	)"
else
	skip "$test" "$(absent mpi4py-system)"
fi

verdict "nothing left in /dev/shm" "$(find /dev/shm -name 'splitpin-*')"
closing
