# shellcheck shell=bash disable=SC2154,SC2034 # work, preload, mpich5 and others: the scripts that tests/nodes.sh has sourced
# Jobs on both nodes, and what is asked about them.  Sourced by tests/nodes.sh.
#
#   way       how ranks are started: an MPI library's mpirun over ssh, srun, or an
#             mpirun in salloc
#   vars      variables that the launcher is told to hand on to all ranks
#   options   more options of the launcher

mpirun_ways="openmpi openmpi5 mpich mpich5 intel"
slurm_ways="srun-pmi2 srun-pmix salloc-openmpi salloc-openmpi5 salloc-mpich5 salloc-intel"

library_of() {
	case $1 in
	srun-pmi2) echo mpich5 ;;
	srun-pmix) echo openmpi ;;
	*) echo "${1#*-}" ;;
	esac
}

# scene NAME WAY: sets test, to and program, and empties vars and options; fails,
# with the test skipped, where that way does not exist, or, without a word, where
# SCENES is an expression that its name does not match.
scene() {
	local library why
	test=$1
	[[ $test =~ ${SCENES-} ]] || return
	library=$(library_of "$2")
	vars=() options=()
	why=$(no_library "$library" | head -n 1)
	case $2 in
	srun* | salloc*) [ -n "${SLURM_CONF-}" ] || why="no Slurm" ;;
	esac
	[ -n "$why" ] || program=$(built "$library" libgomp where_c "$sources/where.c") || why="where.c does not compile: $programs/$library-libgomp"
	to=$(folder "$test")
	mkdir "$to/at"
	[ -z "$why" ] && return
	skip "$test" "$why"
	return 1
}

# with_each OPTION FORMAT: into `passed`, an option for each of vars.
with_each() {
	local variable
	passed=()
	for variable in "LD_PRELOAD=$library_path" "${vars[@]}"; do
		case $1 in
		-x) passed+=(-x "$variable") ;;
		-genv | -env) passed+=("$1" "${variable%%=*}" "${variable#*=}") ;;
		esac
	done
}

# job WAY N [COMMAND...]: N ranks on each node, which run COMMAND, or where.c; started
# on node a.  In $to: out, err, status, and what where.c writes.
job() {
	local way=$1 n=$2 passed list
	shift 2
	[ $# -gt 0 ] || set -- "$program" "$to/at"
	case $way in
	*openmpi*) with_each -x ;;
	*mpich* | *intel) with_each -genv ;;
	esac
	case $way in
	openmpi) start "$(mpi_tool openmpi mpirun)" --host "a:$n,b:$n" "${passed[@]}" -n $((2 * n)) "${options[@]}" "$@" ;;
	openmpi5) start "$ompi5/bin/mpirun" --host "a:$n,b:$n" "${passed[@]}" -n $((2 * n)) "${options[@]}" "$@" ;;
	mpich) start "$(mpi_tool mpich mpirun)" -hosts "a:$n,b:$n" "${passed[@]}" "${options[@]}" -n $((2 * n)) "$@" ;;
	mpich5) start "$mpich5/bin/mpiexec" -hosts "a:$n,b:$n" "${passed[@]}" "${options[@]}" -n $((2 * n)) "$@" ;;
	intel) start "$impi/bin/mpiexec.hydra" -hosts a,b -ppn "$n" "${passed[@]}" "${options[@]}" -n $((2 * n)) "$@" ;;
	srun-*)
		list=$(printf ',%s' "LD_PRELOAD=$library_path" "${vars[@]}")
		start salloc --quiet --exclusive -N 2 srun -N 2 -n $((2 * n)) --ntasks-per-node="$n" --mpi="${way#*-}" --export="ALL$list" "${options[@]}" "$@" ;;
	salloc-openmpi) start salloc --quiet --exclusive -N 2 --ntasks-per-node="$n" "$(mpi_tool openmpi mpirun)" "${passed[@]}" "${options[@]}" "$@" ;;
	salloc-openmpi5) start salloc --quiet --exclusive -N 2 --ntasks-per-node="$n" "$ompi5/bin/mpirun" "${passed[@]}" "${options[@]}" "$@" ;;
	salloc-mpich5) start salloc --quiet --exclusive -N 2 --ntasks-per-node="$n" "$mpich5/bin/mpiexec" "${passed[@]}" "${options[@]}" "$@" ;;
	salloc-intel) start salloc --quiet --exclusive -N 2 --ntasks-per-node="$n" "$impi/bin/mpiexec.hydra" "${passed[@]}" "${options[@]}" "$@" ;;
	esac
}

# beside WAY: two ranks on node a, of which the first alone has the library and vars;
# options are the launcher's.  Open MPI 5 hands -x on to all programs.
beside() {
	local way=$1 passed run without=()
	case $way in
	openmpi) run=("$(mpi_tool openmpi mpirun)" --host a:2) ;;
	openmpi5) run=("$ompi5/bin/mpirun" --host a:2) without=(env -u LD_PRELOAD) ;;
	mpich) run=("$(mpi_tool mpich mpirun)" -hosts a:2) ;;
	mpich5) run=("$mpich5/bin/mpiexec" -hosts a:2) ;;
	intel) run=("$impi/bin/mpiexec.hydra" -hosts a) ;;
	esac
	with_each -x
	[[ $way = openmpi* ]] || with_each -env
	start "${run[@]}" "${options[@]}" "${passed[@]}" -n 1 "$program" "$to/at" : -n 1 "${without[@]}" "$program" "$to/at"
}

# on_hosts WAY HOST N HOST M [OPTION...]: N ranks on one host, and M on the other; options for Intel MPI.
on_hosts() {
	local way=$1 passed
	local hosts=("$2:$3" "$4:$5") start_words=(-n $(($3 + $5)) "$program" "$to/at")
	with_each -genv
	case $way in
	mpich) start "$(mpi_tool mpich mpirun)" -hosts "${hosts[0]},${hosts[1]}" "${passed[@]}" "${start_words[@]}" ;;
	mpich5) start "$mpich5/bin/mpiexec" -hosts "${hosts[0]},${hosts[1]}" "${passed[@]}" "${start_words[@]}" ;;
	intel)
		printf '%s\n' "${hosts[@]}" > "$to/machines"
		start "$impi/bin/mpiexec.hydra" -machinefile "$to/machines" "${passed[@]}" "${@:6}" "${start_words[@]}" ;;
	esac
}

# on_fewer NODE CPUS COMMAND...: while what ssh starts on NODE has these CPUs alone.
on_fewer() {
	local node=$1 cpus=$2
	shift 2
	# shellcheck disable=SC2016 # the node's shell expands
	on "$node" sh -c 'taskset -p -c "$0" $(pgrep -o -x sshd)' "$cpus" > /dev/null
	"$@"
	# shellcheck disable=SC2016 # the node's shell expands
	on "$node" sh -c 'taskset -p -c "$0" $(pgrep -o -x sshd)' "$allowed" > /dev/null
}

# uneven WAY N M: N ranks on node a, and M on node b.
uneven() { on_hosts "$1" a "$2" b "$3"; }

# two_names WAY N M: N ranks on node b, and M on it by its other name.
two_names() { on_hosts "$1" b "$2" b-ib "$3" -genv I_MPI_PIN 0; }

# twins N M: under Slurm, N ranks on node b, and M on it by its second slurmd; M is N or less.
twins() {
	local list
	list=$(printf ',%s' "LD_PRELOAD=$library_path" "${vars[@]}")
	start salloc --quiet --exclusive -p twins -N 2 srun -N 2 -n $(($1 + $2)) --ntasks-per-node="$1" --mpi=pmi2 --export="ALL$list" "$program" "$to/at"
}

# typed WAY [OPTION...] -- COMMAND...: one rank on each node, as a user types it,
# without options for splitpin; $before stands in front.
typed() {
	local way=$1 run
	shift
	case $way in
	openmpi) run=("$(mpi_tool openmpi mpirun)" --host "a:1,b:1") ;;
	openmpi5) run=("$ompi5/bin/mpirun" --host "a:1,b:1") ;;
	mpich5) run=("$mpich5/bin/mpiexec" -hosts "a:1,b:1") ;;
	intel) run=("$impi/bin/mpiexec.hydra" -hosts "a,b" -ppn 1) ;;
	esac
	start "${run[@]}" "$@"
}

# start COMMAND...: on node a.
# In MPI_Finalize ranks of MPICH before 4.2 may wait for each other for ever, with
# and without splitpin: one for UCX on the other node, which makes no progress while its
# ranks wait in a barrier (https://github.com/pmodels/mpich/pull/6596).  So a job of
# that one has hung when it has done so three times.
start() {
	local try hangs=$hangs may_hang=
	[ "${way-}" != mpich ] || may_hang=124 hangs=$((hangs / 3))
	printf '%q ' "$@" > "$to/command"
	for try in 1 2 3; do
		[ $try = 1 ] || rm -f "$to"/at/*
		# shellcheck disable=SC2086 # words
		on a $before "$@" > "$to/out" 2> "$to/err"
		echo $? > "$to/status"
		[ "$(cat "$to/status")" = "$may_hang" ] || stumbled "$to/err" || break
	done
}

library_path=$preload before=

warnings() { grep 'splitpin: warning:' "$to/err"; }
ended() {
	expect "exit status" "$(cat "$to/status")" 0
	[ "$(cat "$to/status")" = 0 ] || tail -n 2 "$to/err"
}

# apart NODE N [THREADS]: as many ranks, each thread on one CPU, no two on the same.
apart() {
	local files=("$to"/at/"$1"-*)
	[ -e "${files[0]}" ] || files=()
	expect "ranks on $1" "${#files[@]}" "$2"
	[ ${#files[@]} -gt 0 ] || return
	expect "CPUs of threads on $1" "$(cat "${files[@]}" | tr ';' '\n' | sort -u | grep -c '^[0-9]*$')" "$(($2 * ${3:-1}))"
}

# Two ranks on each of two nodes, of a job with SPLITPIN_REPORT: no core has two of them.
two_apart() {
	local node
	ended
	for node in a b; do
		apart $node 2
		expect "verdicts of $node" "$(grep -c "host=$node .*result: 2 of 2 ranks have their own CPUs" "$to/err")" 1
	done
	expect "warnings" "$(warnings)" ""
}

# On how many CPUs the threads of NODE's ranks may run, all together.
cpus_on() { cat "$to"/at/"$1"-* 2>/dev/null | tr ';' '\n' | tr , '\n' | sort -u | grep -c .; }
