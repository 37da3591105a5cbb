#!/bin/bash
# Masks that others change behind splitpin's back: found, named, restored.
#
#   tests/guard.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/guard/<test>.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "guard: no $preload: run make first" >&2; exit 1; }

library=$work/libguardtest.so
gcc -O2 -Wall -Wextra -shared -fPIC -o "$library" $sources/guardlib.c || exit 1
starter=$work/libguardinit.so
gcc -O2 -Wall -Wextra -shared -fPIC -o "$starter" $sources/guardinit.c || exit 1

first=${cpus%%[,-]*}
last=${cpus##*[,-]}

# One CPU a thread, so that a thread elsewhere is not where it was put.
export SPLITPIN_BIND=spread:thread GUARDLIB=$library

# guarded FOLDER WAY [keep]: one rank, or $ranks, the environment as exported; out, err and rank.0.
ranks=1
guarded() {
	local to=$1
	shift
	rm -rf "$to"
	mkdir -p "$to"
	PLACEMENT_DIR=$to LD_PRELOAD=$preload launch "$mpi" $ranks "$program" "$1" "$cpu" "${@:2}" > "$to/out" 2> "$to/err"
	echo $? > "$to/status"
}

# The mask, or the tid, of a thread in a region.
mask_in() { sed -n "s/^thread region=$2 number=$3 tid=[0-9]* cpus=//p" "$1/rank.0"; }
tid_in() { sed -n "s/^thread region=$2 number=$3 tid=\([0-9]*\) .*/\1/p" "$1/rank.0"; }

well() { expect "exit status" "$(cat "$1/status")" 0; }
silent() { well "$1"; grep splitpin: "$1/err"; }

# One warning and nothing else, that has this text.
warned() {
	well "$1"
	expect "number of lines" "$(grep splitpin: "$1/err" | grep -vc "more threads than CPUs")" 1
	grep -q "^splitpin: warning: host=[^ ]* rank=0/1 .*$2" "$1/err" || echo "no warning has \"$2\": $(cat "$1/err")"
}

# changed FOLDER: how the warning names thread 1.
changed() {
	echo "mask of thread 1 (tid $(tid_in "$1" 0 1)) changed from $(mask_in "$1" 0 1) to $cpu"
}

test="a call without a size, as before glibc 2.3.4"
if gcc -O2 -Wall -Wextra -o "$work/guardold" $sources/guardold.c 2> "$work/guardold.log"; then
	verdict "$test" "$(expect "the mask" "$(LD_PRELOAD=$preload "$work/guardold" "$last" 2>&1)" "$last")"
else
	skip "$test" "this machine's libc is younger"
fi

# With libomp such a process has no end of its own: its threads wait for ever.
test="the thread that restores is not the last of the process"
program=$(program none gcc mainexit.c) || exit 1
SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 SPLITPIN_GUARD=keep LD_PRELOAD=$preload \
	timeout -s KILL "$hangs" "$program" > "$work/out" 2> "$work/err"
verdict "$test" "$(expect "exit status" $? 0; expect "output" "$(cat "$work/out" "$work/err")" "the last thread ends")"

mpis=
for mpi in openmpi mpich; do
	mpi_tool "$mpi" mpirun >/dev/null && mpis="$mpis $mpi"
done
[ "$ncpus" -gt 1 ] || { skip "everything else" "one CPU"; mpis=; }

# With the first MPI everything; with the others what MPI could spoil.
full=${mpis#* } full=${full%% *}
for mpi in $mpis; do
for runtime in libgomp libomp libiomp5; do
	name="$mpi, $runtime"
	family=clang
	unset LD_LIBRARY_PATH
	[ $runtime != libgomp ] || family=gcc
	[ $runtime != libiomp5 ] || export LD_LIBRARY_PATH=$build/tests/iomp-for-libomp
	if [ $runtime = libiomp5 ] && [ -z "$iomp" ]; then
		skip "everything with $name" "no libiomp5"
		continue
	fi
	program=$(program "$mpi" $family guard.c) || { skip "everything with $name" "guard.c does not compile"; continue; }
	cpu=$first
	export OMP_NUM_THREADS=2
	base=$work/$mpi-$runtime

	for way in libc pthread raw outside unloaded; do
		case $way in
		libc | pthread) by=" by libguardtest.so;" ;;
		unloaded) by=" by a library that has been unloaded;" ;;
		*) by=";" ;;
		esac
		to=$base-$way/warn
		SPLITPIN_GUARD=warn guarded "$to" $way
		verdict "$name: $way, warn" "$(
			warned "$to" "$(changed "$to")$by SPLITPIN_GUARD=keep would restore it\$"
			expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$cpu"
		)"
	done

	for way in none child foreign shrink quiet moment; do
		to=$base-$way/warn
		SPLITPIN_GUARD=warn guarded "$to" $way
		verdict "$name: silent, $way, warn" "$(silent "$to")"
	done

	[ "$mpi" = "$full" ] || continue

	to=$base-libc/off
	guarded "$to" libc
	verdict "$name: libc, off" "$(silent "$to"; expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$cpu")"

	for way in libc raw; do
		to=$base-$way/keep
		SPLITPIN_GUARD=keep guarded "$to" $way keep
		verdict "$name: $way, keep" "$(
			warned "$to" "$(changed "$to").*: restored"
			expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$(mask_in "$to" 0 1)"
			grep -q "^task tid=[0-9]* cpus=$cpus name=splitpin\$" "$to/rank.0" || echo "no thread that restores"
		)"
	done

	for way in none shrink moment; do
		to=$base-$way/keep
		# A moment that has lasted for two looks is restored.
		for _ in 1 2 3 4 5; do
			SPLITPIN_GUARD=keep guarded "$to" $way keep
			grep -q "a long moment" "$to/err" || break
		done
		verdict "$name: silent, $way, keep" "$(
			silent "$to"
			expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$(mask_in "$to" 0 1)"
		)"
	done

	to=$base-init/keep
	GUARDCPU=$cpu SPLITPIN_GUARD=keep preload="$preload $starter" guarded "$to" none keep
	verdict "$name: silent, a mask for a moment within MPI_Init, keep" "$(
		silent "$to"
		grep guardinit "$to/err"
		expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$(mask_in "$to" 0 1)"
	)"

	to=$base-main/warn
	SPLITPIN_GUARD=warn guarded "$to" main
	verdict "$name: the main thread, no OpenMP" "$(
		warned "$to" "mask of the main thread (tid [0-9]*) changed from $cpus to $cpu by libguardtest.so; "
	)"
	to=$base-main/keep
	SPLITPIN_GUARD=keep guarded "$to" main keep
	verdict "$name: the main thread, no OpenMP, keep" "$(
		warned "$to" "mask of the main thread (tid [0-9]*) changed from $cpus to $cpu by libguardtest.so: restored"
		expect "the mask at the end" "$(grep -m 1 -o '^task .* cpus=[^ ]*' "$to/rank.0" | sed 's/.*=//')" "$cpus"
	)"

	# A library that binds by a CPU's number does so in each rank.
	ranks=2
	to=$base-main/two
	OMP_NUM_THREADS=1 guarded "$to" main
	verdict "$name: the first threads of two ranks on one CPU" "$(
		well "$to"
		expect "what is said" "$(sed -n 's/.*splitpin: warning: host=[^ ]* //p' "$to/err")" \
			"the first threads of ranks 0 and 1 were both bound to CPU $cpu (by libguardtest.so): SPLITPIN_GUARD=keep restores masks"
	)"
	to=$base-main/two-kept
	OMP_NUM_THREADS=1 SPLITPIN_GUARD=keep guarded "$to" main keep
	verdict "$name: as restored" "$(
		well "$to"
		grep "first threads" "$to/err"
		expect "ranks that are back on their share" "$(grep -c ": restored" "$to/err")" 1
		expect "their masks" "$(for i in 0 1; do grep -m 1 -o '^task .* cpus=[^ ]*' "$to/rank.$i" | sed 's/.*=//'; done | sort -u | wc -l)" 2
	)"
	ranks=1

	to=$base-libc/debug
	SPLITPIN_DEBUG=1 guarded "$to" libc
	verdict "$name: debug tells each thread" "$(
		well "$to"
		expect "number of warnings" "$(grep -c 'splitpin: warning' "$to/err")" 1
		grep -q " note=\"$(changed "$to") by libguardtest.so\"\$" "$to/err" || echo "no note on thread 1"
	)"

	to=$base-own/keep
	SPLITPIN_GUARD=keep guarded "$to" own keep
	verdict "$name: what the program itself sets stands" "$(
		silent "$to"
		expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$cpu"
	)"
	for way in own jump; do
		to=$base-$way/debug
		SPLITPIN_DEBUG=1 guarded "$to" $way
		verdict "$name: what the program itself sets is noted, $way" "$(
			well "$to"
			grep warning "$to/err"
			grep -q " note=\"$(changed "$to") by the program itself, and is kept\"\$" "$to/err" || echo "no note"
		)"
	done

	to=$base-ended
	SPLITPIN_GUARD=warn guarded "$to" ended
	verdict "$name: the team of a thread that has ended" "$(
		warned "$to" "changed from [0-9]* to $cpu by libguardtest.so.* SPLITPIN_GUARD=keep would restore"
		grep "(tid $(tid_in "$to" 0 0))" "$to/err"
	)"

	to=$base-more
	OMP_NUM_THREADS=$((5 * ncpus)) SPLITPIN_GUARD=warn guarded "$to" libc
	verdict "$name: more threads than are named" "$(
		moved=$(grep '^thread region=0 ' "$to/rank.0" | grep -vc " cpus=$cpu\$")
		warned "$to" "; $((moved - 3)) more; SPLITPIN_GUARD=keep would restore them\$"
		expect "threads that are named" "$(grep -o 'mask of thread' "$to/err" | wc -l)" 3
	)"

	to=$base-user
	OMP_PROC_BIND=close OMP_PLACES=threads SPLITPIN_GUARD=warn guarded "$to" none
	verdict "$name: the user's own binding" "$(silent "$to")"

	to=$base-dry
	SPLITPIN_DRYRUN=1 SPLITPIN_GUARD=keep guarded "$to" libc
	verdict "$name: a dry run" "$(
		silent "$to"
		expect "the mask in the next region" "$(mask_in "$to" 1 1)" "$cpu"
		grep '^task .* name=splitpin$' "$to/rank.0"
	)"
done
done

closing
