#!/bin/bash
# shellcheck disable=SC2034 # variables are for the scripts that source this
# What the test scripts share; sourced from the top of the source tree.
#
#   build     the build folder
#   preload   the library under test, with its whole path
#   work      this script's own folder, build/tests/<script>
#   again     the command that a failing test names; this script as it was called
#
# A test ends with "pass NAME", "fail NAME WHY" or "skip NAME WHY".  They print
# TAP, which prove reads; "closing" prints its plan and the counts and is the
# script's exit status.

# prove -e '' tests/*.sh runs this, too.
if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

script=$(basename "$0" .sh)
build=$(readlink -f "${1:-build}")
preload=$(realpath -ms "${2:-$build/libsplitpin.so}")
work=$build/tests/$script
again=${again:-$0${*:+ $*}}
sources=tests/programs
mkdir -p "$work"

# Seconds after which what hangs is ended: a machine with fifty processes a CPU makes nothing hang.
hangs=600

passed=0 failed=0 skipped=0

# A "#" in a name would begin a directive.
numbered() { echo "$1 $((passed + failed + skipped)) - $2"; }
escaped() { echo "${1//#/\\#}"; }

pass() { passed=$((passed + 1)); numbered ok "$(escaped "$1")"; }
skip() { skipped=$((skipped + 1)); numbered ok "$(escaped "$1") # SKIP $2"; }

# One write, since some tests run side by side.
fail() {
	failed=$((failed + 1))
	printf '%s\n' "$(
		numbered "not ok" "$(escaped "$1")"
		echo "#   ${2//$'\n'/$'\n'#   }"
		echo "#   to see it again: $again"
	)"
}

# relay PREFIX: count the tests that standard input has as TAP, and number them
# anew; other lines become comments.
relay() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok "*"- "*"# SKIP "*) skipped=$((skipped + 1)); numbered ok "$1${line#*- }" ;;
		"ok "*"- "*) passed=$((passed + 1)); numbered ok "$1${line#*- }" ;;
		"not ok "*"- "*) failed=$((failed + 1)); numbered "not ok" "$1${line#*- }" ;;
		"#"*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done
}

# side_by_side N FUNCTION: call FUNCTION with each line of standard input, N at a
# time, each in a shell of its own, and count their tests.
side_by_side() {
	local line left=$1
	relay "" < <(
		while IFS= read -r line; do
			[ "$left" -gt 0 ] || wait -n || true
			left=$((left > 0 ? left - 1 : 0))
			"$2" "$line" < /dev/null &
		done
		wait
	)
}

# The suites of the unit tests.
unit_suites() { sed -n 's/.*suite_create("\([^"]*\)").*/\1/p' tests/unit/*.c | sort -u; }

# unit_suite NAME COMMAND...: one of them, by a command that runs unit-tests.
unit_suite() {
	local said=$work/$1 status checks
	CK_RUN_SUITE=$1 "${@:2}" > "$said" 2>&1 < /dev/null
	status=$?
	checks=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\),.*/\1/p' "$said")
	if [ "$status" = 0 ] && [ "${checks:-0}" -gt 0 ]; then
		pass "$1, $checks tests"
	else
		fail "$1" "$(grep -E ':[FE]:|ERROR: |SUMMARY: |runtime error' "$said" | head -n 5 | paste -s -d ';'); see $said, or CK_RUN_SUITE='$1' ${*:2}"
	fi
}

# awaited COMMAND...: wait until it succeeds; fails where it does not within the time after which things hang.
awaited() {
	local end=$((SECONDS + hangs))
	until "$@"; do
		[ $SECONDS -lt $end ] || return
		sleep 0.01
	done
}

# there FILE...: wait until all of them are.
there() {
	local file
	for file; do
		awaited test -e "$file" || return
	done
}

# gone PID...: wait until none of these processes is there, not even as a zombie.
gone() {
	local pid
	for pid; do
		awaited test ! -e "/proc/$pid" || return
	done
}

# expect WHAT IS SHOULD: a fault where these differ.
expect() { [ "$2" = "$3" ] || echo "$1 is \"$2\", not \"$3\""; }

# verdict NAME FAULTS: passed where there are none; else its lines are told.
verdict() {
	if [ -z "$2" ]; then
		pass "$1"
	else
		fail "$1" "$(sed '/^$/d' <<< "$2" | paste -s -d ';' | sed 's/;/; /g')"
	fi
}

# folder NAME: an empty folder for a test of this name.
folder() {
	local to=$work/${1//[^[:alnum:]]/_}
	rm -rf "$to"
	mkdir -p "$to"
	echo "$to"
}

# The plan is for prove, the last line for people and CI.
closing() {
	echo "1..$((passed + failed + skipped))"
	echo "$script: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}

# give_up skip|fail NAME WHY: the rest of the script would say nothing.
give_up() {
	"$@"
	closing
	exit
}

# A test's outcome must not depend on the shell that runs it.
for name in $(compgen -e); do
	case $name in
	OMP_* | KMP_* | GOMP_* | LIBOMP_* | SPLITPIN* | LD_PRELOAD | LD_LIBRARY_PATH | \
	SLURM_* | PMI_* | PMIX_* | MPI_LOCAL* | OMPI_COMM_* | PRTE_* | PBS_GPUFILE | COLUMNS | HWLOC_* | \
	CUDA_VISIBLE_DEVICES | ROCR_VISIBLE_DEVICES | HIP_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | ZE_AFFINITY_MASK | \
	LOADEDMODULES | _LMFILES_)
		unset "$name" ;;
	esac
done
unset name

# Nor on another test's job that runs at the same time.
export SPLITPIN_NEIGHBOURS=ignore

# Open MPI: root is fine, and so is a container that forbids ptrace.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
# Open MPI 5: the same by PRRTE's name, and Open MPI 6 by another, which complains
# of that one.
case $( (mpirun.openmpi --version || mpirun --version) 2>/dev/null) in
*"(Open MPI) "[6-9]* | *"(Open MPI) "[1-9][0-9]*) export PRTE_MCA_mapby=:oversubscribe ;;
*) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
esac
# Its TCP is for ranks that were spawned and for Slurm's nodes, which are all on
# this machine; of a network of which it cannot make sense it complains on
# standard error.
export OMPI_MCA_btl_tcp_if_include=lo
# Two jobs of Open MPI 4 that begin and end at the same moment may meet over the
# folder of their sessions ("mkdir was unable ...: File exists"): here each suite
# has its own, and each run of `launch`.
mkdir -p "$work/session"
export OMPI_MCA_orte_tmpdir_base=$work/session

# Where python3 is a script that looks for the right one, as pyenv's is, each start takes ten times as long.
python=$(command -v python3)
if [ -n "$python" ] && read -r -n 2 begins < "$python" && [ "$begins" = "#!" ] && python=$(python3 -c 'import sys; print(sys.executable)'); then
	PATH=${python%/*}:$PATH
fi
unset python begins

# The CPUs that this script may use, and those that its cgroup allows.  Where
# these differ (taskset make check), ranks inherit a mask that splitpin keeps.
mask() { "$@" grep Cpus_allowed_list /proc/self/status | cut -f 2; }
cpus=$(mask)
ncpus=$(nproc)
allowed=$(mask taskset -c 0-8191)
confined=
[ "$cpus" = "$allowed" ] || confined="these tests themselves are confined to CPUs $cpus of $allowed"

# mpi_tool openmpi|mpich TOOL: the name under which that MPI's TOOL is
# installed; fails where it is not.
mpi_tool() {
	local sign
	command -v "$2.$1" && return
	case $1 in
	openmpi) sign="Open MPI\|OpenRTE" ;;
	mpich) sign=HYDRA ;;
	esac
	mpirun --version 2>/dev/null | grep -q "$sign" && command -v "$2"
}

# launch openmpi|mpich N [LAUNCHER'S OPTIONS] COMMAND: run N ranks, not bound.
launch() {
	local run folder status
	run=$(mpi_tool "$1" mpirun) || return 127
	folder=$(mktemp -d "/tmp/splitpin-XXXXXX") || return 1
	case $1 in
	openmpi) set -- "$run" --mca orte_tmpdir_base "$folder" --bind-to none -n "${@:2}" ;;
	mpich) set -- "$run" -n "${@:2}" ;;
	esac
	timeout -k 5 "$hangs" "$@" < /dev/null
	status=$?
	rm -rf "$folder"
	return $status
}

# stumbled FILE: whether the job whose errors these are failed by a fault of Open MPI 5
# that has nothing to do with splitpin, and comes now and then on a machine with dozens
# of processes a CPU: its mpirun ends before it starts a rank, or a rank dies of a
# message that comes too early in MPI_Init (open-mpi/ompi, issue 11438).
stumbled() {
	local errors
	errors=$(< "$1")
	[[ $errors = *"PMIx server's listener thread failed to start"* || $errors = *"(mca_pml_ob1_recv_frag_callback_match+"* ]]
}

# tried FOLDER COMMAND...: run a job, again where it has stumbled, up to three times;
# leaves out, err and status in FOLDER.
tried() {
	local folder=$1 try
	shift
	for try in 1 2 3; do
		"$@" > "$folder/out" 2> "$folder/err" < /dev/null
		echo $? > "$folder/status"
		stumbled "$folder/err" || break
	done
}

# PyTorch's torchrun: TORCHRUN, BUILD/deps/torch/bin/torchrun, or that of the path;
# fails where none works (that of Debian 12 does not, with its Python 3.11).
torchrun() {
	local tool=${TORCHRUN:-$build/deps/torch/bin/torchrun}
	[ -x "$tool" ] || tool=$(type -P torchrun) || return
	timeout -k 5 "$hangs" "$tool" --nproc-per-node 1 --no-python true > "$work/torchrun" 2>&1 && echo "$tool"
}
no_torchrun="no torchrun that works: python3 -m venv $build/deps/torch; $build/deps/torch/bin/pip install torch"

newer_than() {
	local target=$1 source
	shift
	[ -e "$target" ] || return 1
	for source; do
		[ "$target" -nt "$source" ] || return 1
	done
}

# Without clang gcc's programs run on LLVM's runtime, too: it has the functions of libgomp.
has_clang=$(command -v clang)
on_libomp=("-Wl,--no-as-needed" -l:libomp.so.5 "-Wl,--as-needed")
# That of "make deps check" is unpacked.
for unpacked in "$build"/deps/libomp/usr/lib/llvm-*/lib; do
	[ ! -e "$unpacked/libomp.so.5" ] || on_libomp+=("-L$unpacked" "-Wl,-rpath,$unpacked")
done
unset unpacked

# program openmpi|mpich|none gcc|clang SOURCE: compile tests/programs/SOURCE
# (or a path) with OpenMP, once, and print the program's path.  Fails where a
# compiler is missing; the compiler's words are in *.log beside the program.
program() {
	local mpi=$1 family=$2 source=$3 name=${3##*/} folder=$build/tests/bin/$1-$2 to compiler tool library='' linked=()
	[[ $source == */* ]] || source=$sources/$source
	to=$folder/${name//./_}
	local flags=(-O2 -g -fopenmp -Wall -Wextra -I"$sources")
	# An MPI library that came later may lie elsewhere.
	[ "$mpi" = none ] || library=$(mpi_tool "$mpi" mpicc)
	newer_than "$to" "$source" $sources/placement.[ch] ${library:+"$library"} && echo "$to" && return
	# Another suite may need it at the same moment.
	local new=$to.$BASHPID
	case $family in
	gcc) local c=gcc cxx=g++ ;;
	clang) local c=clang cxx=clang++
		[ -n "$has_clang" ] || c=gcc cxx=g++ linked=("${on_libomp[@]}") ;;
	esac
	case $name in
	*.c) compiler=$c tool=mpicc flags+=(-Wshadow -Wstrict-prototypes) ;;
	*.cc) compiler=$cxx tool=mpicxx flags+=(-Wshadow -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX) ;;
	*.f90)
		[ "$family" = gcc ] || return 1
		compiler=gfortran tool=mpifort flags+=(-J "$to.mod")
		mkdir -p "$to.mod" ;;
	esac
	mkdir -p "$folder"
	{
		[ "$mpi" = none ] || tool=$(mpi_tool "$mpi" $tool) &&
		[ "$mpi" != none ] || tool=$compiler &&
		$c -O2 -g -Wall -Wextra -c $sources/placement.c -o "$new.o" &&
		OMPI_CC=$compiler MPICH_CC=$compiler OMPI_CXX=$compiler MPICH_CXX=$compiler \
		OMPI_FC=$compiler MPICH_FC=$compiler \
			"$tool" "${flags[@]}" "$source" "$new.o" ${linked[@]+"${linked[@]}"} -o "$new" &&
		rm "$new.o" && mv "$new" "$to"
	} > "$to.log" 2>&1 && echo "$to"
}

# Folders for LD_LIBRARY_PATH in which Intel's runtime answers to the name of
# LLVM's and of GNU's; fails where "make deps check-all" could not have it.
iomp=$(find "$build/deps/intel" -name libiomp5.so 2>/dev/null | head -n 1)
if [ -n "$iomp" ]; then
	mkdir -p "$build/tests/iomp-for-libomp" "$build/tests/iomp-for-libgomp"
	ln -sf "$iomp" "$build/tests/iomp-for-libomp/libomp.so.5"
	ln -sf "$iomp" "$build/tests/iomp-for-libomp/libomp.so"
	ln -sf "$iomp" "$build/tests/iomp-for-libgomp/libgomp.so.1"
fi

# unasked FILE: what splitpin wrote there without being asked, as a fault.  That a
# job has more threads than CPUs is right to say on a small machine, once.
unasked() {
	local said
	said=$(grep splitpin: "$1" | grep -v 'more threads than CPUs')
	[ -z "$said" ] || echo "says unasked: ${said%%$'\n'*}"
	[ "$(grep -c 'more threads than' "$1")" -le 1 ] || echo "says more than once that there are more threads than CPUs"
}
