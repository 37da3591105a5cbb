#!/bin/bash
# Teams of several root threads, of two OpenMP runtimes in one process, nested
# ones, ones that shrink and grow: no core has two threads of a team while
# another has none.  On invented machines (SPLITPIN_DRYRUN=1), since few real
# ones have enough cores; the programs and the runtimes are real.
#
#   tests/teams.sh [BUILD [PRELOAD]]
#
# SPLITPIN_SEED repeats the random part.
set -u
seed=${SPLITPIN_SEED:-20240817}	# lib.sh takes the variable away
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

cases=60
RANDOM=$seed
echo "# SPLITPIN_SEED=$seed"
again="SPLITPIN_SEED=$seed $0 $*"

if ! libgomp=$(program none gcc roots.c) || ! libomp=$(program none clang roots.c) ||
	! clang -DLIBRARY -O2 -fopenmp -shared -fPIC $sources/roots.c -o "$work/libomp.so"; then
	echo "teams: cannot compile roots.c: run make deps check-all" >&2
	exit 1
fi

# teams RUNTIME CORES THREADS_OF_EACH STEP...: RUNTIME+OTHER for two in one process.
teams() {
	local runtime=$1 cores=$2 smt=$3 program=$libomp other='' path='' name="$*${KMP_AFFINITY:+ KMP_AFFINITY=$KMP_AFFINITY}"
	shift 3
	case $runtime in
	libgomp*) program=$libgomp ;;
	libiomp5*) path=$build/tests/iomp-for-libomp ;;
	esac
	case $runtime in
	*+*) other=$work/${runtime#*+}.so ;;
	esac
	LD_LIBRARY_PATH=$path OTHER_TEAM=$other SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 \
		SPLITPIN_DRYRUN="pack:1 core:$cores pu:$smt" SPLITPIN_DEBUG=1 \
		LD_PRELOAD=$preload timeout -k 5 "$hangs" "$program" "$@" > "$work/log" 2>&1
	local status=$? faults
	faults=$(python3 tests/teams-check.py "$runtime" "$cores" $((cores * smt)) "$work/log" 2>&1)
	[ "$status" = 0 ] || faults="exit status $status; $faults"
	if [ -z "$faults" ]; then
		pass "$name"
	else
		cp "$work/log" "$work/failed-$failed"
		fail "$name" "$(paste -s -d ' ' <<< "$faults")"
	fi
}

# Not the other way round: in a program of libomp, that one has the names of libgomp, too.
runtimes=(libgomp libomp libgomp+libomp)
[ -z "$iomp" ] || runtimes+=(libiomp5)

for runtime in "${runtimes[@]}"; do
	teams "$runtime" 8 1 a4 b8
	teams "$runtime" 8 2 a4 b4 c16 a8
	teams "$runtime" 4 2 a8 b4 a8 b8 a4 b2
	teams "$runtime" 8 1 a4.2
	teams "$runtime" 8 2 b4.4 a8
	teams "$runtime" 8 1 a2 a4 a8 a16 a5
	teams "$runtime" 4 2 a8 a2 b2 a4
	teams "$runtime" 2 1 a2 a4
	teams "$runtime" 2 1 a2.2
	teams "$runtime" 8 2 a4.4 a8
	[[ $runtime == *+* ]] || continue
	teams "$runtime" 8 1 a4 +a8 +a4 a8
	teams "$runtime" 8 1 +a4 a4 +b4 b8
done

# A setting of a runtime that is not there does not narrow the share.
OMP_NUM_THREADS=2 KMP_AFFINITY=compact teams libgomp 4 2 a2 a4

# Two ranks of 4 threads, of which this is one, on cores of 2 hardware threads: two on each core only where none is left over.
for cores in 4 5; do
	OMP_NUM_THREADS=4 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2 SPLITPIN_DRYRUN="core:$cores pu:2" SPLITPIN_DEBUG=1 \
		LD_PRELOAD=$preload timeout -k 5 "$hangs" "$libgomp" a4 > "$work/log" 2>&1
	case $cores:$(grep -c '2 per core' "$work/log"):$(grep -c 'left to the kernel' "$work/log") in
	4:4:0 | 5:0:4) pass "2 ranks of 4 threads on $cores cores" ;;
	*) fail "2 ranks of 4 threads on $cores cores" "$(paste -s -d ' ' "$work/log")" ;;
	esac
done

# random_step CORES RUNTIME: set $step, a team of up to twice the cores.  Not by
# $(...), where bash seeds RANDOM anew.
random_step() {
	local roots=(a b c)
	step=${roots[RANDOM % 3]}$((2 + RANDOM % (2 * $1)))
	[[ $2 == *+* && $((RANDOM % 2)) = 1 ]] && step=+$step
	[ $((RANDOM % 6)) = 0 ] && step=${step%%[0-9]*}$((2 + RANDOM % 3)).$((2 + RANDOM % 2))
}

for ((i = 0; i < cases; i++)); do
	runtime=${runtimes[i % ${#runtimes[@]}]}
	cores=$((1 + RANDOM % 8)) smt=$((1 + RANDOM % 2)) steps=() nested=
	for ((j = 2 + RANDOM % 5; j > 0; j--)); do
		random_step "$cores" "$runtime"
		[[ $step == *.* ]] && { [ -z "$nested" ] || continue; nested=$step; continue; }
		steps+=("$step")
	done
	teams "$runtime" "$cores" "$smt" ${nested:+"${nested//[abc]/d}"} "${steps[@]:-a2}"
done
closing
