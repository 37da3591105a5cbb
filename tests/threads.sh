#!/bin/bash
# Threads that are made, unmade and interrupted in unusual ways: with attributes
# of every kind, in plugins that are unloaded or bind to libc
# directly, by handlers that do not return, by libc itself.
#
#   tests/threads.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/threads/<test>.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "threads: no $preload: run make first" >&2; exit 1; }
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	give_up skip "everything" "one CPU, or these tests are confined"
fi

export OMP_NUM_THREADS=2 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1

# run FOLDER COMMAND: in a rank of all CPUs; leaves out, err and status.
run() {
	LD_PRELOAD=$preload timeout -k 5 "$hangs" "${@:2}" > "$1/out" 2> "$1/err" < /dev/null
	echo $? > "$1/status"
}

# well FOLDER: as the program ends by itself, and without a word of splitpin's.
well() {
	expect "exit status" "$(cat "$1/status")" 0
	unasked "$1/err"
}

gcc -O1 -g -Wall -Wextra -DLIBRARY -shared -fPIC -fopenmp $sources/plugin.c -o "$work/plugin.so" &&
	gcc -O1 -g -Wall -Wextra -pthread $sources/plugin.c -o "$work/plugin" -ldl || exit 1

test="a plugin is unloaded, and libgomp with it"
to=$(folder "$test")
run "$to" "$work/plugin" "$work/plugin.so" unload
verdict "$test" "$(
	well "$to"
	expect "what the program finds" "$(paste -s -d ' ' "$to/out")" "team 2 cpus $ncpus"
)"

# Whether glibc is at least of this version.
glibc() { [ "$(printf '%s\n' "$1" "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -V | head -n 1)" = "$1" ]; }

# The first of two ranks.  One that has its share from its start keeps it; only its threads are not pinned.
for way in deepbind apart; do
	case $way in
	deepbind) title="a plugin's libgomp by RTLD_DEEPBIND" said='not used, or bypasses preloaded libraries' ;;
	apart) title="a plugin's libgomp by dlmopen" said='loaded by dlmopen' ;;
	esac
	for start in ranks none; do
		test=$title
		has="a part of them" lacks="threads not pinned"
		[ $start = ranks ] || test="$title, no rank from its start" has="all CPUs" lacks="not active"
		# glibc lists the namespaces since 2.35.
		if [ $way = apart ] && ! glibc 2.35; then
			skip "$test" "this glibc does not list its namespaces"
			continue
		fi
		to=$(folder "$test")
		mkdir "$to/asked"
		half=(env SPLITPIN_RUN="$start" SPLITPIN_LOCAL_SIZE=2 SPLITPIN_WAIT=0)
		run "$to" "${half[@]}" "$work/plugin" "$work/plugin.so" $way
		run "$to/asked" "${half[@]}" SPLITPIN_REPORT=1 "$work/plugin" "$work/plugin.so" $way
		verdict "$test" "$(
			well "$to"
			expect "team" "$(grep team "$to/out")" "team 2"
			expect "what it may use" "$(grep -qx "cpus $ncpus" "$to/out" && echo "all CPUs" || echo "a part of them")" "$has"
			expect "exit status where the user asked" "$(cat "$to/asked/status")" 0
			expect "lines at its end" "$(grep -c "splitpin: .* $lacks: its OpenMP runtime" "$to/asked/err")" 1
			grep -q "$said" "$to/asked/err" || echo "no line has \"$said\": $(cat "$to/asked/err")"
		)"
	done
done

gcc -O1 -g -Wall -Wextra -shared -fPIC "$sources/earlier.c" -o "$work/earlier.so" -ldl || exit 1
program=$(program none gcc alone.c) || exit 1
# It hides the call of libgomp's constructor, and its threads; one that is opened later is not seen at all.
earlier() { timeout -k 5 "$hangs" env LD_PRELOAD="$1:$2" SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2 SPLITPIN_WAIT=0 SPLITPIN_RUN=none SPLITPIN_DEBUG=1 OMP_NUM_THREADS=2 "${@:3}"; }
test="a library that is preloaded before splitpin and takes libgomp's calls"
to=$(folder "$test")
earlier "$work/earlier.so" "$preload" "$program" > "$to/out" 2> "$to/err"
earlier "$work/earlier.so" "$preload" "$work/plugin" "$work/plugin.so" stay > "$to/later.out" 2> "$to/later"
earlier "$preload" "$work/earlier.so" "$work/plugin" "$work/plugin.so" stay > "$to/first.out" 2> "$to/first"
verdict "$test" "$(
	expect "rank with its share" "$(grep -c " active=yes .* trigger=constructor " "$to/err")" 1
	expect "reasons" "$(grep -c 'not active: .* its calls go to earlier.so, which is preloaded before libsplitpin.so: preload libsplitpin.so first$' "$to/later")" 1
	grep -q " active=yes " "$to/first" || echo "not active where it is first: $(cat "$to/first")"
)"

# The runtime is a library of the test's, since libgomp's own attributes are few.
test="a worker has the attributes that it was given, and its creator stays"
gcc -O1 -g -Wall -Wextra -DLIBRARY -shared -fPIC -pthread $sources/attributes.c -o "$work/attributes.so" -ldl &&
	gcc -O1 -g -Wall -Wextra -pthread $sources/attributes.c -o "$work/attributes" "$work/attributes.so" || exit 1
to=$(folder "$test")
timeout -k 5 "$hangs" env LD_PRELOAD="$work/attributes.so" "$work/attributes" > "$to/without" 2>&1
timeout -k 5 "$hangs" env LD_PRELOAD="$preload:$work/attributes.so" SPLITPIN_DEBUG=1 "$work/attributes" > "$to/out" 2> "$to/err"
made=$(grep -c 'stack of' "$to/without")
verdict "$test" "$(
	diff "$to/without" "$to/out" | grep '^[<>]'
	expect "threads pinned, their creator too" "$(grep -c ' trigger=pthread ' "$to/err")" $((made + 1))
	[ "$made" -ge 6 ] || echo "only $made threads"
)"

# The kernel looks for an idle CPU when a thread is made: among those of its creator, and not once it is there.
test="a thread that is not pinned starts with the mask of its creator, which may be anywhere by then"
to=$(folder "$test")
for size in 1 2; do
	timeout -k 5 "$hangs" env LD_PRELOAD="$preload:$work/attributes.so" TEAM=$((ncpus + 1)) SPLITPIN_LOCAL_SIZE=$size SPLITPIN_WAIT=0 \
		"$work/attributes" > "$to/out-$size" 2> "$to/err-$size"
done
timeout -k 5 "$hangs" env LD_PRELOAD="$preload:$work/attributes.so" TEAM=2 "$work/attributes" > "$to/out-pinned" 2> "$to/err-pinned"
timeout -k 5 "$hangs" env LD_PRELOAD="$preload:$work/attributes.so" TEAM=2 "$work/attributes" own > "$to/out-own" 2> "$to/err-own"
starts() { grep '^CPUs given' "$to/err-$1" | sort -u; }
verdict "$test" "$(
	for run in 1 2 own; do
		expect "where threads start, $run" "$(starts $run)" "CPUs given 0, of its creator $ncpus"
	done
	starts pinned | grep -q 'given [1-9]' || echo "pinned ones have no CPU to start on: $(starts pinned)"
)"

gcc -O1 -g -Wall -Wextra -fopenmp $sources/helpers.c -o "$work/helpers" -lrt -lanl || exit 1
test="threads and children of libc's own have the share"
to=$(folder "$test")
run "$to" "$work/helpers" "$to/file"
verdict "$test" "$(
	well "$to"
	for name in aio_write aio_read aio_fsync lio_listio timer_create mq_notify getaddrinfo_a wordexp $(! glibc 2.34 || echo execveat _Fork); do
		grep -q "^$name " "$to/out" || echo "nothing of $name"
	done
	expect "the pin of main, before and after" "$(grep -c "^main [0-9]*\$" "$to/out")" 2
	grep -v -x -e "main .*" -e "mq_notify none" -e "[a-zF_]* $cpus" "$to/out"
)"

# Threads for which there are no cores of their own may be where they would be without splitpin.
gcc -O2 -pthread -o "$work/launch" $sources/launch.c || exit 1
for runtime in libgomp libomp; do
	test="more threads of $runtime than CPUs, beside another rank"
	[ $runtime = libgomp ] && compiler=gcc || compiler=clang
	if ! $compiler -O1 -g -pthread -fopenmp $sources/roots.c -o "$work/roots-$runtime" -ldl 2> "$work/$compiler"; then
		skip "$test" "$compiler cannot build for it: $(head -n 1 "$work/$compiler")"
		continue
	fi
	to=$(folder "$test")
	run "$to" env -u SPLITPIN_LOCAL_RANK -u SPLITPIN_LOCAL_SIZE -u LD_PRELOAD SPLITPIN_DEBUG=1 OMP_NUM_THREADS=$((ncpus + 1)) \
		"$work/launch" -p "$preload" 2 "$work/roots-$runtime" a$((ncpus + 1))
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		expect "threads that may leave the share" "$(grep "why=.*left to the kernel" "$to/err" | grep -c "cpu_list=$cpus ")" $((2 * (ncpus + 1)))
	)"
done

# entry_of PROGRAM NAME: where the program's libomp has the address of this function, from its start.
entry_of() { readelf -rW "$(ldd "$1" | awk '/omp\.so|iomp5/ { print $3 }')" | awk -v name="$2" 'index($5, name "@") == 1 { print $1; n = 1 } END { exit !n }'; }

# The kernel does not look for an idle CPU when it is told that a thread may leave those of its creator.
# narrowed FILE: calls in it by which threads other than the first have set themselves fewer CPUs than there are.
narrowed() { awk -v all="$ncpus" 'NR == 1 { first = $1 }
	$1 != first && /sched_setaffinity\(0,/ { set = $0; gsub(/.*\[|\].*|\.\.\./, "", set); if (split(set, cpus, " ") < all) print }' "$1"; }
for pin in auto ompt; do
	test="libomp does not put its threads that are not pinned on the share, SPLITPIN_PIN=$pin"
	if ! strace -o /dev/null true 2> /dev/null || ! program=$(program none clang alone.c); then
		skip "$test" "strace does not work here, or nothing compiles for libomp"
		continue
	fi
	to=$(folder "$test")
	timeout -k 5 "$hangs" strace -f -qq -E LD_PRELOAD="$preload" -E SPLITPIN_PIN=$pin -E SPLITPIN_LOCAL_SIZE=2 -E SPLITPIN_WAIT=0 \
		-E OMP_NUM_THREADS=$((ncpus + 1)) -o "$to/trace" -e trace=sched_setaffinity "$program" > "$to/out" 2> "$to/err"
	verdict "$test" "$(
		grep -q "[, ]$((ncpus + 1)) threads" "$to/out" || echo "no team: $(cat "$to/out" "$to/err")"
		narrowed "$to/trace"
		[ "$(cut -d ' ' -f 1 "$to/trace" | sort -u | wc -l)" -gt "$ncpus" ] || echo "threads that set no mask: $(cat "$to/trace")"
	)"
done

# libomp asks for the size of masks in this way, maybe when its calls already go through splitpin.
test="a mask at no address is refused to libomp by the kernel"
if ! program=$(program none clang probe.c) || ! offset=$(entry_of "$program" syscall); then
	skip "$test" "nothing compiles for libomp, or it has no such entry"
else
	to=$(folder "$test")
	run "$to" env SPLITPIN_LOCAL_SIZE=2 SPLITPIN_WAIT=0 OMP_NUM_THREADS=$((ncpus + 1)) "$program" "$offset"
	verdict "$test" "$(
		well "$to"
		expect "what it finds" "$(cat "$to/out")" "all refused"
	)"
fi

# alarm_is PROCESS MASK: whether this mask of its first thread (/proc/PID/status) has SIGALRM.
alarm_is() { (($(sed -n "s/^$2:\t/0x/p" "/proc/$1/status" 2>/dev/null || echo 0) & 0x2000)); }

test="a handler leaves by siglongjmp while the rank settles"
if [ "$shm" != own ]; then
	skip "$test" "no /dev/shm of its own"
else
	gcc -O1 -g -Wall -Wextra -pthread $sources/jump.c -o "$work/jump" -ldl || exit 1
	to=$(folder "$test")
	lock=/dev/shm/splitpin-$(id -u)-lock
	(umask 077 && : >> "$lock")
	# Held until the alarm has come: the rank waits for it, and has the signal wait.
	# It is no rank from its start: it settles when it has its handler.
	exec 9< "$lock"
	flock 9
	# shellcheck disable=SC2016 # the rank's shell expands
	run "$to" env SPLITPIN_RUN=none SPLITPIN_LOCAL_SIZE=2 SPLITPIN_WAIT=0 sh -c 'echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$1"' "$to/pid" "$work/jump" 9<&- &
	there "$to/pid"
	awaited alarm_is "$(cat "$to/pid")" SigBlk
	kill -ALRM "$(cat "$to/pid")"
	awaited alarm_is "$(cat "$to/pid")" ShdPnd
	exec 9<&-
	wait $!
	verdict "$test" "$(
		well "$to"
		expect "what it finds" "$(cat "$to/out")" "fewer CPUs, cancellation enabled, signal not blocked"
	)"
fi

closing
