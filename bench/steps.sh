#!/bin/bash
# Where the time goes while a rank finds its share: instructions in user space
# and system calls, by step.
#
#   [MACHINE=DESCRIPTION] [RANKS=64] bench/steps.sh [BUILD]
#
# A dry run for a Knights Landing with 64 ranks, as in bench/settle.sh, or for
# that machine and so many, by callgrind.  Steps below a step are part of it.
set -u
# shellcheck source=bench/ways.sh
. bench/ways.sh

valgrind --version > /dev/null 2>&1 || { echo "steps: skipped: no valgrind"; exit; }
rm -rf "$work"
mkdir -p "$work"
program=$work/settle
gcc -O2 -g -Wall -Wextra bench/settle.c -o "$program" || exit 1

# As MPICH does: a rank by SPLITPIN_LOCAL_RANK would settle while it is loaded, which is not counted.
ranks=${RANKS:-64} last=$((${RANKS:-64} - 1))
export SPLITPIN_DRYRUN="${MACHINE:-l2:34 core:2 pu:4}" MPI_LOCALNRANKS=$ranks PMI_SIZE=$ranks

# count N: what rank N does, function by function.
count() {
	MPI_LOCALRANKID=$1 PMI_RANK=$1 LD_PRELOAD=$preload valgrind --tool=callgrind --callgrind-out-file="$work/$1.out" --collect-systime=yes \
		--toggle-collect=take_share "$program" > "$work/$1.log" 2>&1
	callgrind_annotate --inclusive=yes --threshold=100 "$work/$1.out" 2> /dev/null | sed 's/([ 0-9.]*%)//g; s/,//g' > "$work/$1.steps"
}

# of N FUNCTION: its instructions and system calls; 0 where it is not called, or has become part of another.
of() { awk -v name="$2" '{ split($4, path, ":") } path[2] == name && !n { n = 1; print $1 + 0, $2 + 0 } END { if (!n) print "- -" }' "$work/$1.steps"; }

count 0
MPI_LOCALRANKID=1 PMI_RANK=1 LD_PRELOAD=$preload "$program" "$work/here" > /dev/null &
awaited test -e "$work/here"
count "$last"
echo "$ranks ranks, $SPLITPIN_DRYRUN; the board has $(stat -c %s /dev/shm/splitpin-* | sort -n | tail -n 1) bytes"
rm -f "$work/here"
wait

printf '%-46s%21s   %21s\n' "A rank finds its share, by step" "the first of a node" "each of the others"
printf '%-46s%13s %7s   %13s %7s\n' "" instructions calls instructions calls
while read -r function what; do
	read -r instructions calls other_instructions other_calls <<< "$(of 0 "$function") $(of "$last" "$function")"
	printf '   %-43s%13s %7s   %13s %7s\n' "${what//_/ }" "$instructions" "$calls" "$other_instructions" "$other_calls"
done << 'STEPS'
ompt_start_tool all
sp_library_open open_the_engine
bind_all __bind_libc's_functions
read_config settings
sp_omp_env_read what_is_asked_of_OpenMP
join join_the_others
name_job __which_job
sp_hardware_open __open_hwloc
discover __discover_the_machine,_with_that
sp_board_create __make_the_board
read_board __read_the_board
sp_board_arrive __take_the_seat
sp_share_find find_the_share
sp_terms_share __the_cut
sp_state_set_memory memory_policy
sp_workers_create the_table_of_slots
sp_state_write_seat write_the_seat
STEPS
