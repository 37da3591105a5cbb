#!/bin/bash
# Jobs as people run them, several at a time or of unequal ranks, on an emulated
# node of 2 sockets with 8 cores of 2 hardware threads each: without splitpin and
# with it.  Every thread is to have a core of its own as long as there are cores
# enough, and nothing is to be said where it has.
#
#   tests/shapes.sh [short|long|SHAPE,... [BUILD [PRELOAD]]]
#
# short   8 shapes, with splitpin alone (two minutes on two cores)
# long    all (20 minutes there)
# SHAPE   these alone
#
# A line a shape: the load, which is threads a core where they are most crowded, as
# the masks of all threads allow it while all ranks of all jobs are held
# (tests/bignode/load.py).  What was seen is kept in BUILD/tests/shapes/2s/<shape>/.
set -u
form=${1:-long}
again="$0 $*"
shift
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/bignode/scenes.sh
. tests/bignode/scenes.sh

# What differs most from one equal part for each rank of one job.
in_short=ensemble,sizes,team-in-code,later-larger,parts,wrapper,bound-by-runtime,farm

is_wanted() {
	case $form in
	long) true ;;
	short) [[ ,$in_short, == *",$1,"* ]] ;;
	*) [[ ,$form, == *",$1,"* ]] ;;
	esac
}

# As users type it: Open MPI binds by itself, and puts no more ranks on the node than there are cores.
unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby

compile() {
	local source=$sources/shape.c
	mpich=$(compiled mpich libgomp shape.c) && openmpi=$(compiled openmpi libgomp shape.c) &&
		pure=$(built mpich libgomp shape_pure "$source" -fno-openmp -Wno-unknown-pragmas) &&
		plain=$(built none libgomp shape_plain "$source" -DNO_MPI) &&
		mpich_libomp=$(compiled mpich libomp shape.c) &&
		plain_libomp=$(built none libomp shape_plain "$source" -DNO_MPI)
}
compile || give_up fail shapes "$sources/shape.c does not compile, see $build/tests/bin"
mpiexec=$(launcher mpich) mpirun=$(launcher openmpi)
wrapper=tests/bignode/own-threads.sh

# What a shape consists of so far: its command, and the ranks and threads of its jobs.
command=() ranks=0 threads=0

# job [,RANKS] RANKS THREADS COMMAND...: one job more, with so many ranks and threads
# in all; ,RANKS: it starts as soon as so many are held.  Without it at once.
job() {
	local wait=,
	if [[ $1 == ,* ]]; then wait=$1; shift; fi
	[ ${#command[@]} = 0 ] || command+=("$wait")
	command+=(env HELD_FIRST="$ranks" "${@:3}")
	ranks=$((ranks + $1)) threads=$((threads + $2))
}

# of_mpich|of_openmpi [,RANKS] RANKS THREADS [WORD...]: a job with so many threads a rank.
of_mpich() { of "$mpiexec" "$mpich" "$@"; }
of_openmpi() { of "$mpirun" "$openmpi" "$@"; }
of() {
	local run=$1 program=$2 wait=()
	shift 2
	if [[ $1 == ,* ]]; then wait=("$1"); shift; fi
	job "${wait[@]}" "$1" $(($1 * $2)) OMP_NUM_THREADS="$2" "$run" -n "$1" "$program" "${@:3}"
}

# times N COMMAND...: call it so often.
times() {
	local i
	for ((i = 0; i < $1; i++)); do "${@:2}"; done
}

# shape NAME [LOAD] [WORD...]: the jobs so far are one; LOAD, where it must be higher
# than with a core a thread or all cores evenly; words: further expectations (judge.py).
# Where its jobs have 0 threads, nobody knows how many they are to have.
shape() {
	local name=$1
	shift
	if is_wanted "$name"; then
		write_shape "$@"
	fi
	command=() ranks=0 threads=0
}

write_shape() {
	local load="load=$threads" counted="counted=$threads" word with=() without=()
	if [[ ${1-} =~ ^[0-9./]+$ ]]; then load+=:$1; shift; fi
	[ $threads != 0 ] || load='' counted=ends
	for word in "${command[@]}"; do
		case $word in
		RUN) with+=("$build/splitpin" run) ;;
		*) with+=("$word") without+=("$word") ;;
		esac
	done
	for word; do
		[[ $word != helpers=* ]] || counted+=" $word"
	done
	write_scene "$name" "$ranks" - "$load $*" env LD_PRELOAD="$preload" bash tests/bignode/jobs.sh "${with[@]}"
	[ "$form" != short ] || return
	write_scene "$name-without" "$ranks" - "$counted" bash tests/bignode/jobs.sh "${without[@]}"
	[ -z "$load" ] || printf '%s\t%s\n' "$name-without" "$name" >> "$work/$shape/compared"
}

# --- several jobs at a time ---------------------------------------------------

several_jobs() {
	times 4 of_mpich 2 2
	shape ensemble
	of_mpich 1 8
	of_mpich ,1 4 2
	shape sizes
	times 4 of_openmpi 2 2
	shape ensemble-bound
	times 4 of_mpich 1 4
	shape farm-of-launchers
	times 20 of_mpich 1 1
	shape twenty
	times 2 of_mpich 4 2
	shape coupled
	of_mpich 2 4
	of_mpich ,2 2 4
	shape staggered
	# Threads of the first job leave the cores on which those of the second have to be.
	of_mpich 2 4
	job ,2 2 4 OMP_NUM_THREADS=2 taskset -c 0-3 "$mpiexec" -n 2 "$mpich"
	shape then-confined
	# The first job grows before the second comes.
	job 2 8 OMP_NUM_THREADS=2 "$mpiexec" -n 2 "$mpich" team=4
	of_mpich ,2 2 4
	shape larger-team
	# Open MPI binds each rank to a core, and the program sets 8 threads.
	job 2 16 "$mpirun" -n 2 "$openmpi" team=8
	shape team-in-code
	# Each rank opens a larger team than it announces, so that teams grow into the shares of others.
	job 2 32 OMP_NUM_THREADS=1 "$mpiexec" -n 2 "$mpich" team=16
	shape all-larger
	job 4 32 OMP_NUM_THREADS=1 "$mpiexec" -n 4 "$mpich" team=8
	shape four-larger
	job 4 32 OMP_NUM_THREADS=2 "$mpiexec" -n 4 "$mpich" first=2 team=8
	shape later-larger
	job 4 32 OMP_NUM_THREADS=2 "$mpiexec" -n 4 "$mpich_libomp" first=2 team=8
	shape later-larger-libomp
	times 2 job 1 16 OMP_NUM_THREADS=2 "$mpiexec" -n 1 "$mpich" team=16
	shape jobs-larger
	# One thread for a library says nothing of OpenMP's.
	job 2 32 OPENBLAS_NUM_THREADS=1 "$mpiexec" -n 2 "$mpich" team=16
	shape library-of-one-thread
	pure 9 9
	pure 6 10
	pure 4 12
	pure 13 3
	# What the first one leaves is taken when it ends.
	command=(env OMP_NUM_THREADS=1 "$mpirun" --bind-to core -n 8 "$openmpi" leave=2)
	of_mpich ,8 2 8 grow
	shape after-another
}

# pure A B: two jobs of ranks without OpenMP.
pure() {
	job "$1" "$1" "$mpiexec" -n "$1" "$pure"
	job ",$1" "$2" "$2" "$mpiexec" -n "$2" "$pure"
	shape "pure-$1-$2"
}

# --- unequal ranks --------------------------------------------------------------

unequal_ranks() {
	parts_of_mpich 4 2 1 8
	shape parts
	job 5 16 "$mpiexec" -n 5 $wrapper 8 2 -- "$mpich"
	shape wrapper
	job 5 16 "$mpirun" -n 1 -x OMP_NUM_THREADS=8 "$openmpi" : -n 4 -x OMP_NUM_THREADS=2 "$openmpi"
	shape parts-bound
	job 5 16 "$mpirun" -n 5 $wrapper 8 2 -- "$openmpi"
	shape wrapper-bound
	printf '%s\n' "0 env OMP_NUM_THREADS=8 $mpich" "1-4 env OMP_NUM_THREADS=2 $mpich" > "$work/programs"
	job 5 16 tests/bignode/in-slurm.sh salloc --quiet --exclusive -N 1 srun --quiet --mpi=pmi2 -n 5 --multi-prog "$work/programs"
	shape slurm-programs
	parts_of_mpich 4 3 4 1
	shape io-servers
	parts_of_mpich 1 10 3 2
	shape large-first
	# A driver that sleeps beside a worker, on two CPUs: neither has one for itself.
	job 2 3 taskset -c 0,1 "$mpiexec" -n 1 -env OMP_NUM_THREADS 1 "$mpich" : -n 1 -env OMP_NUM_THREADS 2 "$mpich"
	shape driver 3/2
	# Ranks whose parts would have 16 threads for 10, 10 and 12 CPUs, and a team of one thread too many: the kernel moves them.
	of_mpich 3 16
	shape three-of-16
	of_mpich 1 33
	shape one-too-many warn=32_CPUs_for_33_threads
}

# parts_of_mpich RANKS THREADS RANKS THREADS: one job of two parts.
parts_of_mpich() {
	job $(($1 + $3)) $(($1 * $2 + $3 * $4)) \
		"$mpiexec" -n "$1" -env OMP_NUM_THREADS "$2" "$mpich" : -n "$3" -env OMP_NUM_THREADS "$4" "$mpich"
}

# --- threads of other kinds, and without a launcher ---------------------------

other_threads() {
	job 4 16 OMP_NUM_THREADS=4 OMP_PROC_BIND=true "$mpirun" --bind-to none -n 4 "$openmpi"
	shape bound-by-runtime
	times 4 job 1 4 OMP_NUM_THREADS=4 RUN "$plain"
	shape farm
	# Each rank has a thread of MPI's, which runs all the time.
	job 9 18 OMP_NUM_THREADS=1 MPICH_ASYNC_PROGRESS=1 "$mpiexec" -n 9 "$mpich"
	shape async-progress helpers=1
	async_progress_of_intel
	times 4 job 1 4 OMP_NUM_THREADS=4 OMP_PROC_BIND=true RUN "$plain"
	shape farm-bound
	times 4 job 1 4 OMP_NUM_THREADS=4 KMP_AFFINITY=compact RUN "$plain_libomp"
	shape farm-compact
	times 4 job 1 4 OMP_NUM_THREADS=4 SPLITPIN_LOCAL_RANK=alone "$plain"
	shape farm-alone
	job 1 8 LD_PRELOAD= OMP_NUM_THREADS=8 OMP_PLACES=cores OMP_PROC_BIND=close "$plain" spin
	of_mpich ,1 2 4
	shape beside-pinned
	job 2 8 HELD_DIR=/tmp OMP_NUM_THREADS=4 setpriv --reuid 1001 --clear-groups "$mpiexec" -n 2 "$mpich" spin
	job ,2 2 8 HELD_DIR=/tmp OMP_NUM_THREADS=4 setpriv --reuid 1002 --clear-groups "$mpiexec" -n 2 "$mpich"
	shape two-users
	# Neither sees pinned threads of the other: what starts is left to the kernel.
	job 2 8 HELD_DIR=/tmp OMP_NUM_THREADS=4 setpriv --reuid 1001 --clear-groups "$mpiexec" -n 2 "$mpich"
	job 2 8 HELD_DIR=/tmp OMP_NUM_THREADS=4 setpriv --reuid 1002 --clear-groups "$mpiexec" -n 2 "$mpich"
	shape two-users-at-once
	in_container 2 4 spin
	in_container ,2 2 4
	shape two-containers
	times 2 in_container 2 4
	shape two-containers-at-once
	mixtures
}

# Several of these at a time.
mixtures() {
	times 4 job 1 4 OMP_NUM_THREADS=4 OMP_PROC_BIND=true "$mpiexec" -n 1 "$mpich"
	shape farm-of-launchers-places
	job 4 16 MPICH_ASYNC_PROGRESS=1 "$mpiexec" -n 1 -env OMP_NUM_THREADS 6 "$mpich" : -n 3 -env OMP_NUM_THREADS 2 "$mpich"
	shape parts-async helpers=1
	of_openmpi 2 4
	of_mpich ,2 4 2
	shape bound-beside-unbound
	job 1 5 LD_PRELOAD= OMP_NUM_THREADS=5 OMP_PLACES=cores OMP_PROC_BIND=close "$plain" spin
	of_openmpi ,1 2 4
	shape bound-beside-pinned
}

# in_container [,RANKS] RANKS THREADS [WORD...]: a job with a /dev/shm of its own.
in_container() {
	local wait=()
	if [[ $1 == ,* ]]; then wait=("$1"); shift; fi
	# shellcheck disable=SC2016 # for the inner shell
	job "${wait[@]}" "$1" $(($1 * $2)) OMP_NUM_THREADS="$2" unshare -m bash -c 'mount -t tmpfs tmpfs /dev/shm && exec "$@"' container \
		"$mpiexec" -n "$1" "$mpich" "${@:3}"
}

# Intel's library itself puts these threads on the last CPUs of the node.
async_progress_of_intel() {
	local program why
	why=$(no_library intel)
	[ -n "$why" ] || program=$(compiled intel libgomp shape.c) || why="shape.c does not compile with Intel MPI"
	if [ -n "$why" ]; then
		! is_wanted async-intel || skip "async-intel" "$why"
		return
	fi
	job 9 18 OMP_NUM_THREADS=1 I_MPI_ASYNC_PROGRESS=1 I_MPI_PIN=0 "$(launcher intel)" -n 9 "$program"
	shape async-intel helpers=1
	job 9 18 OMP_NUM_THREADS=1 I_MPI_ASYNC_PROGRESS=1 "$(launcher intel)" -n 9 "$program"
	shape async-intel-bound helpers=1
}

# --- as it was, and what only the user can change -------------------------------

equal_ranks() {
	of_mpich 4 4
	shape lone-4x4
	of_mpich 2 2
	shape lone-2x2
	of_openmpi 2 8
	shape lone-2x8-bound
}

# One line, with what would be right; nobody looks at the last two, which are told of when they end.
named() {
	# All ranks announce what one has: told of, since nobody knows before; its threads reach what the others leave idle.
	job 4 19 OMP_NUM_THREADS=16 "$mpiexec" -n 4 "$mpich" alone
	shape one-works warn=start_fewer_ranks
	job 0 0 OMP_NUM_THREADS=16 "$mpiexec" -n 4 "$mpich" alone busy=60
	shape one-works-on "warns=1:rank"
	job 0 0 "$mpirun" -n 2 "$openmpi" busy=4
	shape no-number "warn=12_cores_were_idle"
}

begin 2s "$form"
several_jobs
unequal_ranks
other_threads
equal_ranks
named
[ -e "$work/$shape/scenes" ] || { echo "shapes: no shape '$form'" >&2; exit 2; }
play
closing
