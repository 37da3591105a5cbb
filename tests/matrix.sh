#!/bin/bash
# Every launcher x OpenMP runtime x language, in real jobs: each rank has a
# share of its own and each thread a place of its own in it, and what the
# program prints and how it ends are as without splitpin.
#
#   tests/matrix.sh [short|long] [BUILD [PRELOAD]]
#
# "short" runs two ranks of each language under the runtimes that come with
# compilers; "long", the default, other numbers of ranks and threads, settings of
# the runtimes, Intel's runtime, and ranks that fail, as well.
#
# One line a cell; what a cell printed and where its threads were is kept in
# BUILD/tests/matrix/<cell>.  Runs two cells at a time.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
length=long again="$0${*:+ $*}"
case ${1-} in
short | long) length=$1; shift ;;
esac
# shellcheck source=tests/lib.sh
. tests/lib.sh

# A cell is one line of words:
#   MPI RUNTIME SOURCE ARGUMENTS RANKS THREADS SETTING WAY
# ARGUMENTS has commas for blanks; "-" stands for none.  WAY is how
# LD_PRELOAD reaches the ranks: exported before the launcher, or by its option.

runtimes="libgomp libomp"
[ "$length" = short ] || runtimes+=" libiomp5 libiomp5-for-libgomp"

compiler_of() {
	case $1 in
	libgomp | libiomp5-for-libgomp) echo gcc ;;
	*) echo clang ;;
	esac
}

# What a runtime's file is called, and where it is found.
file_of() { echo "${1%%-*}"; }

library_path_of() {
	case $1 in
	libiomp5) echo "$build/tests/iomp-for-libomp" ;;
	libiomp5-for-libgomp) echo "$build/tests/iomp-for-libgomp" ;;
	esac
}

programs_of() {
	echo "hybrid.c -"
	echo "hybrid.c thread"
	echo "hybrid.cc -"
	echo "multiple.c -"
	[ "$(compiler_of "$1")" = gcc ] && echo "hybrid_mpi.f90 -" && echo "hybrid_f08.f90 -"
}

rank_counts() {
	[ "$length" = long ] || { echo 2; return; }
	printf '%s\n' 1 2 $((ncpus < 4 ? ncpus : 4)) | sort -nu
}

cells() {
	local mpi runtime source arguments ranks setting way n=0
	for mpi in openmpi mpich; do
		for runtime in $runtimes; do
			while read -r source arguments; do
				for ranks in $(rank_counts); do
					[ "$ranks" -le "$ncpus" ] || continue
					way='export'
					[ $((n++ % 4)) = 3 ] && way='option'
					echo "$mpi $runtime $source $arguments $ranks - - $way"
				done
				[[ $ncpus -ge 2 && $length = long ]] || continue
				# twice as many threads as CPUs
				echo "$mpi $runtime $source $arguments 2 $((ncpus / 2 * 2)) - export"
			done < <(programs_of "$runtime")
			[ "$length" = long ] || continue
			for setting in OMP_PROC_BIND=close OMP_PLACES=cores GOMP_CPU_AFFINITY="$cpus" \
				KMP_AFFINITY=compact KMP_AFFINITY=scatter,granularity=fine; do
				# libgomp does not know the last two.
				[[ $runtime/$setting != libgomp/KMP_* ]] || continue
				for ranks in 1 2; do
					[ "$ranks" -le "$ncpus" ] || continue
					echo "$mpi $runtime hybrid.c - $ranks - $setting export"
				done
			done
		done
		[[ $ncpus -ge 2 && $length = long ]] || continue
		echo "$mpi libgomp ending.c exit,3 2 - - export"
		echo "$mpi libgomp ending.c abort,3 2 - - export"
		echo "$mpi libgomp ending.c signal,11 2 - - export"
		echo "$mpi libgomp ending.c signal,9 2 - - option"
	done
}

# run_cell FOLDER WITH|WITHOUT CELL: leaves out, err, status and rank.* in FOLDER.
run_cell() {
	local folder=$1 with=$2 mpi=$3 runtime=$4 source=$5 arguments=$6 ranks=$7 threads=$8 setting=$9 way=${10}
	local environment=(PLACEMENT_DIR="$folder") options=() command path
	command=$(program "$mpi" "$(compiler_of "$runtime")" "$source") || return
	rm -rf "$folder"
	mkdir -p "$folder"
	path=$(library_path_of "$runtime")
	[ -z "$path" ] || environment+=(LD_LIBRARY_PATH="$path")
	[ "$threads" = - ] || environment+=(OMP_NUM_THREADS="$threads")
	[ "$setting" = - ] || environment+=("$setting" SPLITPIN_DEBUG=1)
	case $with/$way/$mpi in
	with/export/*) environment+=(LD_PRELOAD="$preload") ;;
	with/option/openmpi) options=(-x LD_PRELOAD="$preload") ;;
	with/option/mpich) options=(-genv LD_PRELOAD "$preload") ;;
	esac
	(
		export "${environment[@]}"
		if [ "$arguments" = - ]; then
			set --
		else
			IFS=, read -ra words <<< "$arguments"
			set -- "${words[@]}"
		fi
		launch "$mpi" "$ranks" ${options[@]+"${options[@]}"} "$command" "$@"
	) > "$folder/out" 2> "$folder/err"
	echo $? > "$folder/status"
}

# run_patiently FOLDER WITH|WITHOUT CELL: mpirun of Open MPI 4 was seen, without splitpin and
# on a busy machine, not to end after MPI_Abort, or to end with the signal by which it ends
# the other ranks: what does so has to do it three times.
run_patiently() {
	local _
	# For what is known to hang ten minutes are too many.
	[[ $2/$3/$6 != */openmpi/abort,* ]] || local hangs=120
	for _ in 1 2 3; do
		run_cell "$@"
		[[ $2/$3/$6 == */openmpi/abort,* && $(cat "$1/status") == 1[23][4-9] ]] || return
	done
}

# The run without splitpin to compare with, one for each program; what is printed
# depends neither on the runtime nor on the number of threads and where they are.
own_runtime() { [ "$(compiler_of "$1")" = gcc ] && echo libgomp || echo libomp; }
reference_folder() { echo "$work/reference/$1.$(own_runtime "$2").$3.$4.$5"; }

reference() {
	run_patiently "$(reference_folder "$1" "$2" "$3" "$4" "$5")" without "$1" "$2" "$3" "$4" "$5" - - -
}

# Why a cell cannot run here, or nothing.
why_not() {
	[ -z "$confined" ] || [ "$5" = 1 ] || { echo "$confined"; return; }
	mpi_tool "$1" mpirun >/dev/null || { echo "no $1"; return; }
	[ "$(file_of "$2")" != libiomp5 ] || [ -n "$iomp" ] || {
		echo "no libiomp5: $(cat "$build/deps/intel/absent" 2>/dev/null || echo "run make deps check-all")"
		return
	}
	program "$1" "$(compiler_of "$2")" "$3" >/dev/null || echo "$3 does not compile: $build/tests/bin/$1-$(compiler_of "$2")/${3//./_}.log"
}

# Where a signal has ended a rank, mpiexec of MPICH 4.2 ends with its number or, now and then, with 0.
same_status() {
	case $1/$2/$3 in
	mpich\ signal,9/[09]/[09] | mpich\ signal,11/0/11 | mpich\ signal,11/11/0) ;;
	*) [ "$2" = "$3" ] ;;
	esac
}

# Print what is wrong with a cell that has run.
faults() {
	local folder=$1 mpi=$2 runtime=$3 source=$4 arguments=$5 ranks=$6 threads=$7 setting=$8 old
	old=$(reference_folder "$mpi" "$runtime" "$source" "$arguments" "$ranks")
	same_status "$mpi $arguments" "$(cat "$old/status")" "$(cat "$folder/status")" ||
		echo "exit status $(cat "$folder/status"), without splitpin $(cat "$old/status")"
	[ "$setting" != - ] || unasked "$folder/err"
	# A job that fails is described by its launcher, with process numbers.
	[ "$source" != ending.c ] || return
	cmp -s "$old/out" "$folder/out" || echo "standard output differs from that without splitpin"
	local check=(--ranks "$ranks" --allowed "$cpus" --runtime "$(file_of "$runtime")")
	[ "$threads" = - ] || check+=(--threads "$threads")
	case $setting/$ranks in
	-/*) ;;
	GOMP_CPU_AFFINITY=*/[2-9])
		grep -q 'splitpin: warning: .*GOMP_CPU_AFFINITY' "$folder/err" ||
			echo "no warning that GOMP_CPU_AFFINITY leaves the share"
		return ;;
	*) check+=(--log "$folder/err") ;;
	esac
	python3 tests/placement-check.py "$folder" "${check[@]}" 2>&1
}

name_of() {
	local name="$1 $2 $3"
	[ "$4" = - ] || name="$name ${4//,/ }"
	name="$name, $5 rank"
	[ "$5" = 1 ] || name="${name}s"
	[ "$6" = - ] || name="$name x $6 threads"
	[ "$7" = - ] || name="$name, $7"
	[ "$8" = export ] || name="$name, preload by launcher's option"
	echo "$name"
}

one() {
	local name folder why
	name=$(name_of "$@")
	folder=$work/$(tr -c '[:alnum:]=.\n-' '_' <<< "$name")
	why=$(why_not "$@")
	if [ -n "$why" ]; then
		skip "$name" "$why"
		return
	fi
	run_patiently "$folder" with "$@"
	again="$0 $build $preload one \"$*\""
	verdict "$name" "$(faults "$folder" "$@")"
}

# Programs are compiled before any cell runs: two cells may need the same one.
compile() { program "$@" >/dev/null; }

# shellcheck disable=SC2086 # the words of a cell
cell() { "$step" $1; }
two_at_a_time() {
	step=$1
	side_by_side 2 cell
}

if [ "${3-}" = one ]; then
	step=one cell "$4"
	exit
fi

[ -e "$preload" ] || { echo "matrix: no $preload: run make first" >&2; exit 1; }
list=$(cells)
while read -r mpi runtime source _; do
	echo "$mpi $(compiler_of "$runtime") $source"
done <<< "$list" | sort -u > "$work/programs"
two_at_a_time compile < "$work/programs"
while read -r mpi runtime source arguments ranks _; do
	echo "$mpi $(own_runtime "$runtime") $source $arguments $ranks"
done <<< "$list" | sort -u > "$work/references"
two_at_a_time reference < "$work/references"
two_at_a_time one <<< "$list"
[ "$((passed + failed + skipped))" = "$(wc -l <<< "$list")" ] || fail "all cells" "some cells did not report"
closing
