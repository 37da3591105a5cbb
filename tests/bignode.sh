#!/bin/bash
# Large machines that are not there: a Linux kernel in an emulator sees two or
# four sockets, or a Knights Landing, and real jobs run on it, each looked at
# from outside.
#
#   tests/bignode.sh [short|long|SHAPE [BUILD [PRELOAD]]]
#
# short   a node of two sockets and a small Knights Landing (two and a half
#         minutes on a busy machine of two cores): each MPI with each runtime,
#         jobs as typed, each memory policy, a cgroup, CPUs that are offline,
#         and Intel's runtime on a Knights Landing without splitpin and with it
# long    these with more scenes (other launchers, two jobs, Slurm), memory that
#         does not fit, four CPUs, four sockets, a Knights Landing of 240 CPUs
#         (half an hour there)
#         and memory that is no CPU's
# SHAPE   the long form of one machine: one 2s far snc2 knl64 4s knl240
#
# One line a scene: a job under one setting, and what is to be seen of it
# (tests/bignode/judge.py has the words).  What was seen is kept in
# BUILD/tests/bignode/<shape>/<scene>/.  Without the emulator it is skipped,
# and says what is missing.
set -u
form=${1:-long}
case $form in short | long) ;; *) form="only $form" ;; esac
again="$0 $*"
shift
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/bignode/scenes.sh
. tests/bignode/scenes.sh

is_long() { [ "$form" != short ]; }

runtimes="libgomp libomp libiomp5"
[ -n "$iomp" ] || { runtimes="libgomp libomp"; skip "libiomp5" "$(cat "$build/deps/intel/absent" 2>/dev/null || echo "run make deps check-all")"; }

# scene NAME RANKS PREPARATION EXPECTATION MPI RUNTIME [HOW...] [VARIABLE=VALUE...] -- PROGRAM [ARGUMENT...]
# How, in this order: "without": without splitpin.  "outside WORD... ,": what
# stands before mpirun.  "typed WORD... ,": mpirun's options; else nothing is
# bound.  "wrapped WORD... ,": what starts the program.
scene() {
	local name=$1 ranks=$2 preparation=$3 expectation=$4
	line_of "${@:5}" || { fail "$shape $name" "its program does not compile"; return; }
	write_scene "$name" "$ranks" "$preparation" "$expectation" "${line[@]}"
}

# words_before_comma WORD... , ...: sets `words`, and `count` to what is to be shifted.
words_before_comma() {
	words=() count=1
	while [ "$1" != , ]; do
		words+=("$1")
		count=$((count + 1))
		shift
	done
}

# line_of MPI RUNTIME ...: as scene; sets `line`, the command of a job of so many `ranks`.
line_of() {
	local mpi=$1 runtime=$2 command variables=(LD_PRELOAD="$preload") outside=() wrapped=() options words count
	case $mpi in openmpi*) options=(--bind-to none) ;; intel) options=(-genv I_MPI_PIN 0) ;; *) options=() ;; esac
	shift 2
	if [ "$1" = without ]; then
		variables=()
		shift
	fi
	if [ "$1" = outside ]; then words_before_comma "${@:2}"; outside=("${words[@]}"); shift $((count + 1)); fi
	if [ "$1" = typed ]; then words_before_comma "${@:2}"; options=("${words[@]}"); shift $((count + 1)); fi
	if [ "$1" = wrapped ]; then words_before_comma "${@:2}"; wrapped=("${words[@]}"); shift $((count + 1)); fi
	[ "$runtime" != libiomp5 ] || variables+=(LD_LIBRARY_PATH="$build/tests/iomp-for-libomp")
	while [ "$1" != -- ]; do variables+=("$1"); shift; done
	shift
	command=$(compiled "$mpi" "$runtime" "$1") || return
	shift
	line=(env "${variables[@]}" "${outside[@]}" "$(launcher "$mpi")" "${options[@]}" -n "$ranks" "${wrapped[@]}" "$command" "$@")
}

# A job as users type it.  Open MPI binds to a core each by default where there are two ranks.
# shellcheck disable=SC2054 # a word
typed=(outside env -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy -u PRTE_MCA_mapby ,)

# two_jobs NAME WAIT EXPECTATION FIRST'S-RANKS FIRST'S-THREADS SECOND'S-RANKS SECOND'S-THREADS
# WAIT: the second starts when so many ranks of the first are held.
two_jobs() {
	local name=$1 wait=$2 expectation=$3 total=$(($4 + $6)) ranks first line
	ranks=$4
	line_of openmpi libgomp "${typed[@]}" typed , OMP_NUM_THREADS="$5" -- daxpy.c each || return
	first=("${line[@]}")
	ranks=$6
	line_of openmpi libgomp "${typed[@]}" typed , OMP_NUM_THREADS="$7" HELD_FIRST="$4" -- daxpy.c each
	write_scene "$name" $total - "$expectation" bash tests/bignode/jobs.sh "${first[@]}" ",$wait" "${line[@]}"
}

# order NAME SCENE...: from the best placement to the worst.
order() { printf '%s\t%s\n' "$1" "${*:2}" >> "$work/$shape/orders"; }
table() { printf '%s\t%s\t%s\t%s\n' "$@" >> "$work/$shape/tables"; }

# matrix RANKS THREADS MPI...: every one with every runtime.
matrix() {
	local ranks=$1 threads=$2 mpi runtime
	for mpi in "${@:3}"; do
		for runtime in $runtimes; do
			scene "$mpi-$runtime-${ranks}x$threads" "$ranks" - "threads=$threads disjoint first" \
				"$mpi" "$runtime" OMP_NUM_THREADS="$threads" -- daxpy.c each
		done
	done
}

two_sockets() {
	begin 2s
	matrix 4 4 mpich openmpi
	policies
	scene node-not-allowed 2 cpuset=0-15:0 "warn=is_not_available_to_1_of_2_ranks,_such_as_rank_1 disjoint" mpich libgomp \
		OMP_NUM_THREADS=4 SPLITPIN_MEMORY=bind -- daxpy.c each
	scene cpuset 2 cpuset=2-7,18-23:0 "threads=3 disjoint within=2-7,18-23 first" mpich libomp OMP_NUM_THREADS=3 -- daxpy.c each
	scene offline 4 offline=3,21 "threads=3 disjoint within=0-2,4-20,22-31 first" mpich libgomp \
		OMP_NUM_THREADS=3 -- daxpy.c each
	as_typed
	if is_long; then
		more_as_typed
		matrix 2 16 mpich openmpi
		matrix 16 1 mpich openmpi
		more_policies
		scene cpuset-both-sockets 4 cpuset=4-11,20-27:0-1 "threads=2 disjoint within=4-11,20-27 first" openmpi libgomp \
			OMP_NUM_THREADS=2 -- daxpy.c each
		scene offline-core 4 offline=3,19,21 "threads=3 disjoint within=0-2,4-18,20,22-31 first" openmpi libomp \
			OMP_NUM_THREADS=3 -- daxpy.c each
		classroom
		places
	fi
	play
}

# Jobs without an option for binding, and with one.
as_typed() {
	scene typed 2 - "threads=8 cores=8 disjoint first" openmpi libgomp "${typed[@]}" typed , OMP_NUM_THREADS=8 -- daxpy.c each
	scene typed-core 2 - "apart cores=1 warn=use_mpirun_--bind-to_none_instead,_or_--map-by_slot:PE=4" openmpi libgomp \
		"${typed[@]}" typed --bind-to core , OMP_NUM_THREADS=4 -- daxpy.c each 4
}

more_as_typed() {
	local library
	scene typed-4 4 - "threads=4 cores=4 disjoint first" openmpi libomp "${typed[@]}" typed , OMP_NUM_THREADS=4 -- daxpy.c each
	for library in openmpi5 intel; do
		if [ -n "$(no_library $library)" ]; then
			skip "$library as typed" "$(no_library $library)"
			continue
		fi
		scene typed-$library 2 - "threads=8 cores=8 disjoint first" $library libgomp "${typed[@]}" typed , OMP_NUM_THREADS=8 -- daxpy.c each
	done
	[ -n "$(no_library openmpi5)" ] ||
		scene typed-openmpi5-core 2 - "apart cores=1 warn=use_mpirun_--bind-to_none_instead,_or_--map-by_slot:PE=8" openmpi5 libgomp \
			"${typed[@]}" typed --bind-to core , OMP_NUM_THREADS=8 -- daxpy.c each
	[ -n "$(no_library intel)" ] ||
		scene typed-intel-core 2 - "apart cores=1 warn=CELL=core_and" intel libgomp \
			typed -genv I_MPI_PIN_DOMAIN core , OMP_NUM_THREADS=8 -- daxpy.c each
	# By itself Intel MPI counts hardware threads, as Slurm does.
	[ -n "$(no_library intel)" ] ||
		scene typed-intel-remedy 2 - "threads=8 cores=8 disjoint first" intel libgomp \
			typed -genv I_MPI_PIN_CELL core -genv I_MPI_PIN_DOMAIN 8 , OMP_NUM_THREADS=8 -- daxpy.c each
	scene typed-mpich-core 2 - "apart cores=1 warn=use_mpiexec_-bind-to_none_instead,_or_-bind-to_core:8" mpich libgomp \
		typed -bind-to core , OMP_NUM_THREADS=8 -- daxpy.c each
	scene typed-confined 1 - "threads=4 cores=4 within=0-3,16-19 first" openmpi libgomp outside taskset -c 0-3,16-19 , typed , \
		OMP_NUM_THREADS=4 -- daxpy.c each
	scene own-cpusets 4 - "threads=2 cores=2 disjoint first" openmpi libgomp typed --bind-to none , \
		wrapped tests/bignode/own-cpuset.sh 0-1,16-17 2-3,18-19 8-9,24-25 10-11,26-27 -- , OMP_NUM_THREADS=2 -- daxpy.c each
	scene common-cpusets 4 - "threads=2 cores=2 disjoint first" openmpi libgomp typed --bind-to none , \
		wrapped tests/bignode/own-cpuset.sh 0-3,16-19 0-3,16-19 8-11,24-27 8-11,24-27 -- , OMP_NUM_THREADS=2 -- daxpy.c each
	two_jobs two-jobs 0 "threads=1 apart" 1 1 1 1
	two_jobs second-job 1 "apart" 1 1 1 8
	two_jobs squeeze 5 "overlap load=23" 5 3 1 8
	under_slurm
}

# The node is the job's alone.  A step that srun makes by itself has a CPU for
# each rank of it, and the rest may be another step's.
under_slurm() {
	local ranks=2 line srun=(srun --quiet --mpi=pmi2)
	line_of mpich libgomp typed , OMP_NUM_THREADS=8 -- daxpy.c each || return
	# What line_of has before mpirun -n 2, and after it.
	local before=(tests/bignode/in-slurm.sh "${line[@]:0:3}") after=(-n 2 "${line[@]:(-2)}")
	write_scene typed-slurm 2 - "threads=8 cores=8 disjoint first" \
		"${before[@]}" salloc --quiet --exclusive -N 1 "${srun[@]}" "${after[@]}"
	write_scene typed-slurm-step 2 - "apart cores=1 warn=use_srun_-c_8_--hint=nomultithread_and_no_--cpu-bind" \
		"${before[@]}" "${srun[@]}" --exclusive "${after[@]}"
	write_scene typed-slurm-remedy 2 - "threads=8 cores=8 disjoint first" \
		"${before[@]}" "${srun[@]}" --exclusive -c 8 --hint=nomultithread "${after[@]}"
}

# Every policy that a machine without high-bandwidth memory has.
policies() {
	local memory=(OMP_NUM_THREADS=4 SPLITPIN_REPORT=memory)
	scene local 4 - "first home=share checked" mpich libgomp outside numactl --interleave=all , \
		"${memory[@]}" SPLITPIN_MEMORY=local -- daxpy.c each
	scene bind 4 - "home=share checked" mpich libomp "${memory[@]}" SPLITPIN_MEMORY=bind -- daxpy.c first
	scene preferred 4 - "home=share checked" mpich libgomp "${memory[@]}" SPLITPIN_MEMORY=preferred -- daxpy.c first
	scene interleave 1 - "deal=share checked" mpich libgomp "${memory[@]}" SPLITPIN_MEMORY=interleave -- daxpy.c first
	scene interleave-all 4 - "deal=all checked" mpich libgomp "${memory[@]}" SPLITPIN_MEMORY=interleave:all -- daxpy.c first
}

more_policies() {
	scene bind-openmpi 4 - "home=share checked" openmpi libomp OMP_NUM_THREADS=4 SPLITPIN_REPORT=memory \
		SPLITPIN_MEMORY=bind -- daxpy.c first
	scene inherited-kept 4 - "deal=all" mpich libgomp outside numactl --interleave=all , OMP_NUM_THREADS=4 -- daxpy.c each
	scene moved 2 - "moved home=share" mpich libgomp outside numactl --membind=1 , \
		OMP_NUM_THREADS=1 SPLITPIN_MEMORY=bind:move -- daxpy.c first
	scene interleave-in-one-node 4 - "warn=the_share_lies_in_one_NUMA_node first" mpich libgomp \
		OMP_NUM_THREADS=4 SPLITPIN_MEMORY=interleave -- daxpy.c each
	scene no-hbm 4 - "warn=no_high-bandwidth_memory first" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=hbm -- daxpy.c each
}

# What the textbooks teach about memory and cores must come out inside of the
# shares, in this order.
classroom() {
	local each=(OMP_NUM_THREADS=16)
	scene serial-local 1 - "threads=1 home=share" mpich libgomp SPLITPIN_CORES=1 SPLITPIN_MEMORY=local OMP_NUM_THREADS=1 -- daxpy.c first
	scene serial-interleaved 1 - "threads=1 deal=all" mpich libgomp SPLITPIN_CORES=1 SPLITPIN_MEMORY=interleave:all OMP_NUM_THREADS=1 -- daxpy.c first
	scene serial-remote 1 - "threads=1" mpich libgomp SPLITPIN_CORES=1 OMP_NUM_THREADS=1 -- daxpy.c first remote
	order "daxpy, serial" serial-local serial-interleaved serial-remote
	for threads in 1 4; do
		scene "ranks-x$threads-local" 4 - "first home=share" mpich libgomp OMP_NUM_THREADS=$threads SPLITPIN_MEMORY=local -- daxpy.c each
		scene "ranks-x$threads-master" 4 - "first home=share" mpich libgomp OMP_NUM_THREADS=$threads -- daxpy.c first
		scene "ranks-x$threads-interleaved" 4 - "deal=all" mpich libgomp OMP_NUM_THREADS=$threads SPLITPIN_MEMORY=interleave:all -- daxpy.c each
		scene "ranks-x$threads-remote" 4 - "disjoint" mpich libgomp OMP_NUM_THREADS=$threads -- daxpy.c each remote
		order "daxpy, 4 ranks x $threads" "ranks-x$threads-local" "ranks-x$threads-interleaved" "ranks-x$threads-remote"
		order "daxpy, 4 ranks x $threads, by the first thread" "ranks-x$threads-master" "ranks-x$threads-interleaved" "ranks-x$threads-remote"
	done
	scene big-each 1 - "threads=16 first" openmpi libomp "${each[@]}" -- daxpy.c each
	scene big-interleaved 1 - "deal=share" openmpi libomp "${each[@]}" SPLITPIN_MEMORY=interleave -- daxpy.c first
	scene big-master 1 - "threads=16" openmpi libomp "${each[@]}" -- daxpy.c first
	order "daxpy, 1 rank x 16" big-each big-interleaved big-master
	scene heat-parallel 1 - "threads=16 first" mpich libomp "${each[@]}" -- heat.c parallel
	scene heat-interleaved 1 - "deal=share" mpich libomp "${each[@]}" SPLITPIN_MEMORY=interleave -- heat.c serial
	scene heat-serial 1 - "threads=16" mpich libomp "${each[@]}" -- heat.c serial
	order "heat equation, 1 rank x 16" heat-parallel heat-interleaved heat-serial
	scene heat-ranks-serial 2 - "threads=8 first" mpich libomp OMP_NUM_THREADS=8 -- heat.c serial
	order "heat equation, 2 ranks x 8" heat-ranks-serial heat-serial
	scene triad-local 2 - "threads=8 first" openmpi libgomp OMP_NUM_THREADS=8 -- triad.c 4 2
	scene triad-interleaved 2 - "deal=all" openmpi libgomp OMP_NUM_THREADS=8 SPLITPIN_MEMORY=interleave:all -- triad.c 4 2
	order "STREAM triad, 2 ranks x 8" triad-local triad-interleaved
}

# OpenMP's own settings mean inside of a share what they mean on a machine that
# has nothing else: rank 1 of 2 has a core for each of its 4 threads, spread over
# its half of the node.
places() {
	local runtime place bind programs=(pi.c falsesharing.c sines.c) n=0 name may
	for runtime in libgomp libomp; do
		for place in cores threads sockets; do
			for bind in close spread master true false; do
				name=$runtime-$place-$bind
				local variables=(OMP_NUM_THREADS=4 "OMP_PLACES=$place" "OMP_PROC_BIND=$bind") program=${programs[n++ % 3]}
				scene "$name-alone" 1 - ends mpich "$runtime" without outside taskset -c 8,10,12,14,24,26,28,30 , "${variables[@]}" -- "$program"
				# All threads of a team are then on one place, too many for it.
				[ $bind = master ] && may=may=keeps_a_team_on_the_place_of_its_first_thread || may=
				scene "$name" 2 - "like=$name-alone:1 $may" mpich "$runtime" "${variables[@]}" -- "$program"
			done
		done
	done
}

# Intel's runtime believes that it is on a Knights Landing, where it binds
# threads unless it is told not to, in every rank to the same CPUs.
the_bug() {
	local ranks=4
	[ -n "$iomp" ] || return
	scene bug "$ranks" - "collide" mpich libiomp5 without OMP_NUM_THREADS=4 -- daxpy.c each
	scene fixed "$ranks" - "threads=4 disjoint first" mpich libiomp5 OMP_NUM_THREADS=4 -- daxpy.c each
	table "without splitpin" bug "with splitpin" fixed
	is_long || return
	scene bug-no-setting "$ranks" - "collide" mpich libiomp5 without -- daxpy.c each 16
	scene fixed-no-setting "$ranks" - "threads=$1 disjoint first" mpich libiomp5 -- daxpy.c each 16
	table "without splitpin, nothing set" bug-no-setting "with splitpin, nothing set" fixed-no-setting
}

hbm() {
	scene hbm 4 - "home=hbm" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=hbm -- daxpy.c each
	scene hbm-bind 4 - "home=hbm checked" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_REPORT=memory \
		SPLITPIN_MEMORY=hbm:bind -- daxpy.c each
}

more_hbm() {
	local memory=(OMP_NUM_THREADS=4 SPLITPIN_REPORT=memory)
	scene hbm-two-nodes 2 - "home=hbm checked" openmpi libomp "${memory[@]}" SPLITPIN_MEMORY=hbm:bind -- daxpy.c each
	scene ddr-bind 4 - "home=share checked" openmpi libomp "${memory[@]}" SPLITPIN_MEMORY=bind -- daxpy.c first
	scene ddr-interleave 2 - "deal=share checked" mpich libgomp "${memory[@]}" SPLITPIN_MEMORY=interleave -- daxpy.c first
	scene hbm-not-allowed 4 cpuset=0-63:0-3 "warn=may_use first" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=hbm -- daxpy.c each
	scene interleave-all 4 - "deal=all checked" mpich libgomp "${memory[@]}" SPLITPIN_MEMORY=interleave:all -- daxpy.c first
	scene preferred 4 - "home=share" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=preferred -- daxpy.c first
	scene local 4 - "first home=share" mpich libgomp outside numactl --preferred=4 , \
		OMP_NUM_THREADS=4 SPLITPIN_MEMORY=local -- daxpy.c each
}

# Arrays that are larger than the room.  Ordinary memory is not only theirs.
full() {
	scene hbm-full 4 room=4-7:24 spills=hbm mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=hbm -- fill.c 2560
	scene hbm-bind-full 4 room=4-7:24 killed mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=hbm:bind -- fill.c 2560
	scene preferred-full 4 room=1-1:64 spills=share mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=preferred -- fill.c 5120
}

small_knights_landing() {
	begin knl64
	the_bug 16
	hbm
	if is_long; then
		more_hbm
		matrix 4 4 mpich openmpi
		matrix 2 32 mpich openmpi
		scene offline 4 offline=0,17,34,51 "threads=3 disjoint first" openmpi libgomp OMP_NUM_THREADS=3 -- daxpy.c each
		full
	fi
	play
}

big_knights_landing() {
	begin knl240
	the_bug 60
	matrix 4 15 mpich openmpi
	scene hbm-bind 4 - "home=hbm checked" mpich libgomp OMP_NUM_THREADS=15 SPLITPIN_REPORT=memory SPLITPIN_MEMORY=hbm:bind -- daxpy.c each
	play
}

# Memory without CPUs: of a GPU (a GH200), as its driver names it, or behind CXL.
memory_of_no_cpu() {
	local kind preparation=- name="nodes_2-3_have_no_CPU"
	begin 2s-far
	for kind in cxl gpu; do
		[ $kind = cxl ] || preparation=gpus=2,3 name="nodes_2-3_are_GPU_memory"
		far "$kind-local" "ordinary first home=share" -- daxpy.c each
		far "$kind-bind" "ordinary home=share" SPLITPIN_MEMORY=bind -- daxpy.c first
		far "$kind-preferred" "ordinary home=share" SPLITPIN_MEMORY=preferred -- daxpy.c first
		far "$kind-interleave-all" "ordinary deal=cpus says=NUMA_$name" SPLITPIN_REPORT=1 SPLITPIN_MEMORY=interleave:all -- daxpy.c first
		far "$kind-hbm" "ordinary warn=no_high-bandwidth_memory" SPLITPIN_MEMORY=hbm -- daxpy.c each
	done
	far gpu-beside "cpus=4-7,12-15/0-3,8-11 says=rank_0_sees_GPU-0,GPU-1" CUDA_VISIBLE_DEVICES=GPU-0,GPU-1 -- visible.c
	far gpu-none "cpus=0-3,8-11/4-7,12-15 says=rank_0_sees_all" SPLITPIN_REPORT=1 -- visible.c
	far gpu-visible "cpus=4-7,12-15/0-3,8-11 says=rank_0_sees_GPU-0 says=rank_1_sees_GPU-1" SPLITPIN_DEVICES=gpu:own -- visible.c
	ranks=1 far gpu-interleave "ordinary deal=share" SPLITPIN_MEMORY=interleave -- daxpy.c first
	play
}

# far NAME EXPECTATION VARIABLE=VALUE... -- PROGRAM...
far() { scene "$1" "${ranks:-2}" "$preparation" "$2" mpich libgomp OMP_NUM_THREADS=4 "${@:3}"; }

# One rank on a socket of two nodes: the kernel's weights, from Linux 6.9 on.
two_nodes_of_a_socket() {
	begin snc2
	scene interleave 1 - "deal=share" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=interleave -- daxpy.c first
	scene weighted 1 weights=0:3,1:1 "deal=weights" mpich libgomp OMP_NUM_THREADS=4 SPLITPIN_MEMORY=interleave -- daxpy.c first
	play
}

# Ranks of a job on four sockets have the sockets that sites gave them by hand:
# rank r is on socket r / (ranks / 4).
four_sockets() {
	local ways
	begin 4s
	for ways in 4 8 12 16; do
		scene "$ways-ways" "$ways" - "disjoint sockets first" mpich libgomp OMP_NUM_THREADS=1 -- daxpy.c each
	done
	scene 4-ways-threads 4 - "threads=6 disjoint sockets first" openmpi libomp OMP_NUM_THREADS=6 -- daxpy.c each
	play
}

# The tests of ranks that were confined together take four CPUs.
four_cpus() {
	local log=$work/groups begin=$SECONDS
	[ -x tests/bignode-groups.sh ] || return
	$machine --shape one --timeout 1800 --dir "$build/tests" -- \
		bash tests/bignode-groups.sh "$build" "$preload" > "$log" 2>&1
	grep -q '^bignode-groups: .* passed, ' "$log" || fail one "it did not come to its end: $(tail -n 1 "$log"), see $log"
	relay "one " < <(grep -e '^ok ' -e '^not ok ' -e '^#' "$log")
	echo "# one: $((SECONDS - begin)) seconds"
}

case $form in
short) two_sockets; small_knights_landing ;;
long) four_cpus; two_sockets; memory_of_no_cpu; two_nodes_of_a_socket; small_knights_landing; four_sockets; big_knights_landing ;;
*one) four_cpus ;;
*2s) two_sockets ;;
*far) memory_of_no_cpu ;;
*snc2) two_nodes_of_a_socket ;;
*knl64) small_knights_landing ;;
*4s) four_sockets ;;
*knl240) big_knights_landing ;;
*) echo "bignode: no machine '${form#only }'" >&2; exit 2 ;;
esac
closing
