#!/bin/bash
# What it costs a rank to find its share: the first of a node discovers the
# machine, all others read what it found.
#
#   bench/settle.sh [BUILD]
#
# A dry run for a Knights Landing, so that the figures are those of a large
# node; CPU time, as little as possible of which is the machine's own noise.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "settle: no $preload: run make first" >&2; exit 1; }
rounds=41 limit_first=1500 limit=250 limit_instructions=80000
rm -rf "$work"
mkdir -p "$work"
program=$work/settle
gcc -O2 -g -Wall -Wextra bench/settle.c -o "$program" || exit 1

# As MPICH does: a rank by SPLITPIN_LOCAL_RANK would settle while it is loaded, which is not measured.
export SPLITPIN_DRYRUN="l2:34 core:2 pu:4" MPI_LOCALNRANKS=64 PMI_SIZE=64

median_us() { sed -n 's/^settle_ns: //p' "$1" | sort -n | awk '{ v[NR] = $1 } END { printf "%.0f", v[int((NR + 1) / 2)] / 1000 }'; }

# rank N COMMAND...: this shell is the launcher.
rank() { MPI_LOCALRANKID=$1 PMI_RANK=$1 LD_PRELOAD=$preload "${@:2}"; }

for ((i = 0; i < 9; i++)); do
	rank 0 "$program" >> "$work/first"
done

# One stays, so that the others find its board.
MPI_LOCALRANKID=0 PMI_RANK=0 LD_PRELOAD=$preload "$program" "$work/here" > /dev/null &
for ((i = 0; i < 1000; i++)); do
	[ -e "$work/here" ] && break
	sleep 0.01
done
for ((i = 0; i < rounds; i++)); do
	rank $((i + 1)) "$program" >> "$work/others"
done
instructions=
if valgrind --version >/dev/null 2>&1; then
	# Not in a shell of its own, which would be another launcher.
	rank 63 valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=take_share "$program" > "$work/callgrind" 2>&1
	instructions=$(sed -n 's/.*Collected : //p' "$work/callgrind")
fi
rm -f "$work/here"
wait

others=$(median_us "$work/others")
echo "A rank finds its share, node of 68 cores x 4, 64 ranks: CPU time, median"
# row WHAT FIGURE UNIT LIMIT
row() { printf '   %-42s%7s %-2s   (limit %s: %s)\n' "$1" "$2" "$3" "$4" "$([ "$2" -le "$4" ] && echo kept || echo EXCEEDED)"; }

row "the first, which discovers the machine" "$(median_us "$work/first")" us $limit_first
row "each of the others" "$others" us $limit
[ -z "$instructions" ] || row "instructions of each of the others" "$instructions" "" $limit_instructions
