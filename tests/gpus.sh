#!/bin/bash
# Ranks beside their GPUs: real processes, each with what its launcher gave it,
# on a recorded machine (SPLITPIN_DRYRUN=1).
#
#   tests/gpus.sh [BUILD [PRELOAD]]
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

machine=$PWD/tests/data/topologies/epyc-mi250x-tioga.xml
settle=$work/settle
gcc -O2 -pthread $sources/settle.c -o "$settle" || exit 1

# rank R N HERE VARIABLES...: one of N ranks, children of this shell as of a launcher,
# that stays until HERE of them are there: one that comes when all others have
# ended would be told as a job of its own.
rank() {
	exec env SPLITPIN_LOCAL_RANK="$1" SPLITPIN_LOCAL_SIZE="$2" SPLITPIN_DRYRUN="$machine" \
		SPLITPIN_DEBUG=1 SPLITPIN_REPORT=1 OMP_NUM_THREADS=2 LD_PRELOAD="$preload" "${@:4}" \
		timeout -k 5 "$hangs" "$settle" meet "$work/met" "$3"
}

# shares: of the ranks whose output is in $work/log.*, in order.
shares() { cat "$work"/log.* | sed -n 's/.* rank=\([0-9]*\)\/.* active=[a-z]* cpu_list=\([^ ]*\) .*/\1 \2/p' | sort -n | cut -d ' ' -f 2 | paste -s -d ' '; }

# job NAME EXPECTED N VARIABLES...: N ranks at once; %r in a variable stands for the rank's number, %s for 7 less that.
job() {
	local name=$1 expected=$2 n=$3 r variables pids=()
	shift 3
	rm -f "$work"/log.* "$work"/met.*
	for ((r = 0; r < n; r++)); do
		variables=("${@//%r/$r}")
		rank "$r" "$n" "$n" "${variables[@]//%s/$((7 - r))}" > "$work/log.$r" 2>&1 < /dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
	verdict "$name" "$(expect shares "$(shares)" "$expected"
		expect warnings "$(cat "$work"/log.* | grep -c warning:)" 0
		expect tables "$(cat "$work"/log.* | grep -c ' rank  *pid')" 1)"
}

own="48-55,112-119 56-63,120-127 16-23,80-87 24-31,88-95 0-7,64-71 8-15,72-79 32-39,96-103 40-47,104-111"
in_order="0-7,64-71 8-15,72-79 16-23,80-87 24-31,88-95 32-39,96-103 40-47,104-111 48-55,112-119 56-63,120-127"
reversed="40-47,104-111 32-39,96-103 8-15,72-79 0-7,64-71 24-31,88-95 16-23,80-87 56-63,120-127 48-55,112-119"
job "all see all" "$own" 8 SPLITPIN_DEVICES=gpu
job "what the job was given" "$own" 8 SLURM_STEP_GPUS=0,1,2,3,4,5,6,7
job "each sees one" "$reversed" 8 ROCR_VISIBLE_DEVICES=%s
job "each sees one, in its order" "$own" 8 HIP_VISIBLE_DEVICES=%r
job "two ranks a GPU" "0-3,64-67 4-7,68-71 8-11,72-75 12-15,76-79" 4 HIP_VISIBLE_DEVICES=4,5
job "no GPU given" "$in_order" 8
job "none visible" "$in_order" 8 HIP_VISIBLE_DEVICES=
job "off" "$in_order" 8 HIP_VISIBLE_DEVICES=0,1 SPLITPIN_DEVICES=off

# visible NAME EXPECTED: what the last job's ranks were made to see, in order.
visible() {
	verdict "visible: $1" "$(expect lists "$(cat "$work"/log.* | sed -n 's/.* rank=\([0-9]*\)\/.* note="\([A-Z_]*=[^ ]*\) would be set (SPLITPIN_DEVICES=gpu:own)"/\1 \2/p' |
		sort -n | cut -d ' ' -f 2 | paste -s -d ' ')" "$2")"
}

job "a list of its own" "$own" 8 SPLITPIN_DEVICES=gpu:own
visible "of all" "$(seq -f ROCR_VISIBLE_DEVICES=%.0f 0 7 | paste -s -d ' ')"
job "a list narrowed" "0-3,64-67 4-7,68-71 8-11,72-75 12-15,76-79" 4 HIP_VISIBLE_DEVICES=4,5 SPLITPIN_DEVICES=gpu:own
visible "of a list" "HIP_VISIBLE_DEVICES=4 HIP_VISIBLE_DEVICES=4 HIP_VISIBLE_DEVICES=5 HIP_VISIBLE_DEVICES=5"
job "a list that is one's own" "$own" 8 HIP_VISIBLE_DEVICES=%r SPLITPIN_DEVICES=gpu:own
visible "its own" ""
job "no list without GPUs" "$in_order" 8 HIP_VISIBLE_DEVICES= SPLITPIN_DEVICES=gpu:own
visible "without GPUs" ""

# One that never comes: nobody guesses, and one says so.
rm -f "$work"/log.* "$work"/met.*
pids=()
for r in 0 1 3; do
	rank $r 4 3 SLURM_STEP_GPUS=0,1,2,3 SPLITPIN_WAIT=0.5 > "$work/log.$r" 2>&1 < /dev/null &
	pids+=($!)
done
wait "${pids[@]}"
verdict "one does not come" "$(expect shares "$(shares)" "0-15,64-79 16-31,80-95 48-63,112-127"
	expect warnings "$(cat "$work"/log.* | grep -c "warning: .* not all 4 ranks of this node appeared within 0.5 seconds (SPLITPIN_WAIT), so their GPUs are unknown: ")" 1
	expect foreign "$(cat "$work"/log.* | grep -c 'result: .* beside')" 1)"
closing
