#!/bin/bash
# Jobs of which ranks are killed or stopped at random moments, several at a time,
# some in containers, some under mpiexec.  Ranks that are placed never share a
# CPU, no rank waits for longer than lib/process/patience.h says, a rank says each
# warning once at most, and the job after all of them leaves nothing in /dev/shm.
#
#   tests/kills.sh [BUILD [JOBS]]     10,000 jobs; SEED=n repeats them
#
# What a job with a fault said is in BUILD/tests/kills/job.N.
set -u

# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

jobs=${2:-10000}
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
again="SEED=$seed $0 $*"
set -- "${1:-build}"
# shellcheck source=tests/lib.sh
. tests/lib.sh
unset SPLITPIN_NEIGHBOURS NAMESPACE

[ -e "$preload" ] || { echo "kills: no $preload: run make first" >&2; exit 1; }
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ] || [ "$shm" != own ]; then
	give_up skip "everything" "one CPU, or these tests are confined, or no /dev/shm of our own"
fi
for source in settle launch; do
	gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -pthread "$sources/$source.c" -o "$work/$source" || exit 1
done
rm -f "$work"/job.* "$work"/pids.*

wrong=$(python3 tests/kills-jobs.py "$work/launch" "$work/settle" "$preload" "$jobs" "$seed" "$work" "$(mpi_tool mpich mpiexec)" 2>&1)
sed -n '/ with a fault$/d; /^# /p' <<< "$wrong"   # without the progress
verdict "$jobs jobs, seed $seed" "$(grep -v '^#' <<< "$wrong" | head -n 10)"

# The next job finds no trace of them, and removes what they left.
SPLITPIN_DEBUG=1 "$work/launch" -p "$preload" 2 "$work/settle" stay 3 > "$work/next.out" 2> "$work/next.err"
verdict "the job after them" "$(
	expect "shares" "$(sed -n 's/.* rank=\([01]\)\/2 active=yes cpu_list=\([0-9,-]*\) .*/\1/p' "$work/next.err" | sort -u | wc -l)" 2
	grep warning "$work/next.err"
)"
# Only from the first PID name space can all processes be seen, and so that those of another one have ended.
left="nothing is left in /dev/shm"
if [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; then
	verdict "$left" "$(expect "what is left" "$(find /dev/shm -name 'splitpin-*')" "")"
else
	skip "$left" "from this PID name space it is not known whether killed ranks of others have ended"
fi
closing
