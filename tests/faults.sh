#!/bin/bash
# Faults on purpose: each system call and each allocation that settling, pinning
# and leaving make fails, in a real job of four ranks.  The job ends as without
# splitpin, does not hang, has no two placed ranks on the same CPU, is warned
# once at most, and leaves nothing behind.
#
#   tests/faults.sh [short|long|all|CALL:PLACE:N:ERRNO [BUILD [PRELOAD]]]
#
# short   a sample of faults, the same each time (FAULTS_SEED=N for another)
# long    every call with one of its errors, every place in our code with each,
#         those in hwloc with three: in one rank, and in all
# all     every call with each of its errors: hours
# CALL... one of them, as a failing test names it
#
# Where there are fewer than eight CPUs the job is on a machine that is invented
# as far as splitpin sees it: /sys, and masks (tests/faults/machine.sh).  What a
# wrong job printed is kept in BUILD/tests/faults.
set -u
form=${1:-long}

# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
again="$0 $*"
[ $# = 0 ] || shift
# shellcheck source=tests/lib.sh
. tests/lib.sh
unset SPLITPIN_NEIGHBOURS

[ -e "$preload" ] || { echo "faults: no $preload: run make first" >&2; exit 1; }

[ "$(uname -m)" = x86_64 ] || give_up skip "everything" "faults.c is for x86-64"
[ "$shm" = own ] || give_up skip "everything" "no /dev/shm of its own"
mpi_tool mpich mpirun > /dev/null || give_up skip "everything" "no MPICH"

bin=$work/bin
mkdir -p "$bin"
gcc -O2 -g -Wall -Wextra -Wshadow -fPIC -shared -static-libgcc -o "$bin/libfaults.so" tests/faults/faults.c 2> "$bin/log" ||
	give_up skip "everything" "faults.c does not compile: glibc before 2.35?"
for runtime in libgomp libomp; do
	case $runtime in libgomp) compiler=gcc ;; libomp) compiler=clang ;; esac
	MPICH_CC=$compiler "$(mpi_tool mpich mpicc)" -O2 -g -fopenmp -I$sources $sources/hybrid.c $sources/placement.c \
		tests/faults/first.c -Wl,--no-as-needed "$bin/libfaults.so" -o "$bin/$runtime" 2>> "$bin/log" || rm -f "$bin/$runtime"
done
[ -e "$bin/libgomp" ] || give_up skip "everything" "hybrid.c does not compile"
: > "$bin/hit"
FAULTS=39:0:0:1 FAULTS_HIT=$bin/hit "$bin/libgomp" > /dev/null 2>&1 || give_up skip "everything" "no seccomp filter here"

masks=real
if [ "$ncpus" -lt 8 ] || [ -n "$confined" ]; then
	masks=invented
	to=$(folder machine)
	tests/faults/machine.sh "$to" 2> "$bin/log" || give_up skip "everything" "fewer than eight CPUs, and none can be invented: $(cat "$bin/log")"
fi

libomp=-
[ ! -e "$bin/libomp" ] || libomp=$bin/libomp
relay "" < <(python3 tests/faults/faults.py "$form" "$work" "$preload" "$(mpi_tool mpich mpirun)" "$bin/libgomp" "$libomp" $masks ||
	echo "not ok - faults.py ended with $?")
closing
