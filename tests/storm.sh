#!/bin/bash
# 10,000 operations at random in a rank whose OpenMP threads are pinned:
# children and threads of every kind, from main's thread and from OpenMP's.
#
#   tests/storm.sh [BUILD [PRELOAD]]
#
# SEED=n and OPERATIONS=n repeat a storm; without them the seed is another each
# time.  What went wrong is kept in BUILD/tests/storm/<runtime>.
set -u

# What LLVM's runtime leaves in /dev/shm for each forked child goes with it.
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "storm: no $preload: run make first" >&2; exit 1; }
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
operations=${OPERATIONS:-10000}
again="SEED=$seed OPERATIONS=$operations $0 $*"
# As the first of as many ranks as leave it several cores.
size=$((ncpus < 8 ? 1 : 2))
[ -z "$confined" ] || size=1

# storm RUNTIME OPERATIONS COMMAND: leaves out, err and status.
storm() {
	local to=$work/$1
	SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=$size LD_PRELOAD=$preload SPLITPIN_WAIT=0 \
		timeout -k 5 900 "${@:3}" "$seed" "$2" "$work/mask" > "$to.out" 2> "$to.err" < /dev/null
	echo $? > "$to.status"
}

# What a storm says that has gone well, and what is wrong else.
faults() {
	local to=$work/$1
	[ "$(cat "$to.status")" = 0 ] || echo "exit status $(cat "$to.status") with SEED=$seed; "
	head -n 5 "$to.err"
	grep -q ', 0 faults' "$to.out" || echo "it has not come to its end"
}

if [ "$ncpus" -lt 2 ]; then
	give_up skip "everything" "one CPU: a thread's place is the share"
fi
gcc -O2 -g -Wall -Wextra -I"$sources" -o "$work/mask" $sources/mask.c || give_up fail "mask.c compiles" "see above"

for runtime in libgomp libomp libiomp5; do
	test="$runtime, seed $seed"
	family=clang path=
	[ $runtime = libgomp ] && family=gcc
	[ $runtime = libiomp5 ] && path=$build/tests/iomp-for-libomp
	if [ $runtime = libiomp5 ] && [ -z "$iomp" ]; then
		skip "$test" "no libiomp5"
	elif ! command=$(program none $family storm.c); then
		skip "$test" "storm.c does not compile with $family"
	else
		storm $runtime "$operations" env LD_LIBRARY_PATH="$path" KMP_WARNINGS=0 "$command"
		wrong=$(faults $runtime)
		if [ -z "$wrong" ]; then
			pass "$test: $(cat "$work/$runtime.out")"
		else
			fail "$test" "$(paste -s -d ' ' <<< "$wrong")"
		fi
	fi
done

# Of OpenMP's runtimes this one makes and ends threads for each root, and leaves a child's mask alone.
test="a forked child inherits what it should while places change hands"
if ! command=$(program none gcc forks.c); then
	skip "$test" "forks.c does not compile"
else
	SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=$size LD_PRELOAD=$preload SPLITPIN_WAIT=0 \
		timeout -k 5 "$hangs" "$command" 200 > "$work/forks.out" 2> "$work/forks.err"
	verdict "$test" "$(expect "its exit status" $? 0; cat "$work/forks.err"
		expect "what it prints" "$(cat "$work/forks.out")" "pinned 1, other children: of the pinned thread 0, of the chosen mask 0")"
fi

# A mask that the program's own handlers of the fork have set counts as chosen; what a thread has whose slot is not known
# counts as splitpin's.  Teams of two root threads are pinned on two CPUs only on request.
for case in "child:child other, parent own" "prepare:child other, parent own" "team:child share, parent neither" "kept:child share, parent own"; do
	test="a forked child inherits what it should where the program takes part in the fork: ${case%%:*}"
	if ! command=$(program none gcc fork_handlers.c); then
		skip "$test" "fork_handlers.c does not compile"
		continue
	fi
	SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=$size LD_PRELOAD=$preload SPLITPIN_WAIT=0 SPLITPIN_DEBUG=1 SPLITPIN_BIND=close OMP_NUM_THREADS=2 \
		timeout -k 5 "$hangs" "$command" "${case%%:*}" > "$work/fork_handlers.out" 2> "$work/fork_handlers.err"
	verdict "$test" "$(expect "its exit status" $? 0
		expect "who has which CPUs" "$(cat "$work/fork_handlers.out")" "${case#*:}")"
done

# Below valgrind a child of posix_spawn, system or popen, which else shares its
# parent's memory until it executes a program, has a copy of it: with a lock of
# libc's that another thread held at that moment, nobody is there to release it
# (glibc 2.41).

# lock_of PID: the library whose lock a process waits for that has no other thread, so that it waits for ever.
lock_of() {
	local address from to range path at='' name=''
	grep -q '^Threads:.1$' "/proc/$1/status" && grep -q ^futex_ "/proc/$1/wchan" || return
	read -r _ address _ < "/proc/$1/syscall" || return
	[[ $address == 0x* ]] || return
	while read -r range _ _ _ _ path; do
		from=$((16#${range%-*})) to=$((16#${range#*-}))
		# What lies behind a library's file is its data, too.
		[ -n "$path" ] || [ $from = "$at" ] || path='?'
		name=${path:-$name} at=$to
		if ((address >= from && address < to)); then
			echo "${name##*/}"
			return
		fi
	done < "/proc/$1/maps"
} 2>/dev/null

# end_copies COMMAND-LINE: end those that wait for libc's, until their storm is over; what waits for another's lock is
# named in $work/waits.
end_copies() {
	local pid lock
	while :; do
		for pid in $(pgrep -f -- "$1"); do
			lock=$(lock_of "$pid")
			[ -n "$lock" ] || continue
			sleep 0.2
			[ "$(lock_of "$pid")" = "$lock" ] || continue
			echo "$lock" >> "$work/waits"
			kill -KILL "$pid"
		done
		sleep 0.5
	done
}

# Whether the kernel names what this shell waits for, once it does.
names_waits() {
	for _ in {1..20}; do
		grep -q '[a-z]' "/proc/$$/wchan" && return
	done
	return 1
}

test="a child that waits for ever is found, and ended"
if ! gcc -O1 -pthread -o "$work/copied" $sources/copied.c 2> "$work/copied.log"; then
	skip "$test" "this libc has no _Fork"
elif [ ! -r /proc/self/syscall ] || ! names_waits; then
	skip "$test" "the kernel does not tell what a process waits for"
else
	: > "$work/waits"
	end_copies "$work/copied (libc|own)" &
	watcher=$!
	for whose in libc own; do
		timeout "$hangs" "$work/copied" $whose || echo "the child for $whose was not ended"
	done > "$work/wrong"
	kill $watcher
	wait $watcher 2> /dev/null
	verdict "$test" "$(cat "$work/wrong"; expect "whose locks" "$(sed 's/^libc[.-].*/libc/' "$work/waits" | paste -s -d ' ')" "libc copied")"
fi

# What is allocated for each thread and each child is freed again.
test="no memory of splitpin's is lost, seed $seed"
if ! valgrind --version >/dev/null 2>&1; then
	skip "$test" "no valgrind"
elif ! command=$(program none gcc storm.c); then
	skip "$test" "storm.c does not compile with gcc"
else
	: > "$work/waits"
	end_copies "--num-callers=40 $command $seed 100" &
	watcher=$!
	storm valgrind 100 valgrind -q --leak-check=full --show-leak-kinds=definite --num-callers=40 "$command"
	kill $watcher
	wait $watcher 2> /dev/null
	ended=$(wc -l < "$work/waits")
	[ "$ended" = 0 ] || echo "# children that waited for ever in a copy of their parent's memory, and were ended: $ended"
	if grep -qv '^libc[.-]' "$work/waits"; then
		fail "$test" "a child waits for ever for a lock in $(grep -v '^libc[.-]' "$work/waits" | sort -u | paste -s -d ' ')"
	elif ! grep -q '^[0-9]* operations' "$work/valgrind.out"; then
		fail "$test" "it has not come to its end: $(head -n 3 "$work/valgrind.err" | paste -s -d ' ')"
	elif grep -q libsplitpin "$work/valgrind.err"; then
		fail "$test" "$(grep -m 1 -B 8 libsplitpin "$work/valgrind.err" | paste -s -d ' ')"
	else
		pass "$test"
	fi
fi

test="nothing left in /dev/shm"
left=$(find /dev/shm -iname '*splitpin*' | paste -s -d ' ')
if [ "$shm" = common ]; then
	skip "$test" "no /dev/shm of our own"
elif [ -z "$left" ]; then
	pass "$test"
else
	fail "$test" "$left"
fi
closing
