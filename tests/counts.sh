#!/bin/bash
# What the threads of a rank may use, and what its program counts: masks that the
# program has chosen itself, pools of libraries, Python.
#
#   tests/counts.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/counts/<test>.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "counts: no $preload: run make first" >&2; exit 1; }

# rank FOLDER LOCAL_RANK LOCAL_SIZE [VARIABLE=VALUE...] COMMAND: leaves out, err and status.
rank() {
	local to=$1
	timeout -k 5 60 env SPLITPIN_LOCAL_RANK="$2" SPLITPIN_LOCAL_SIZE="$3" "${@:4}" \
		> "$to/out" 2> "$to/err" < /dev/null
	echo $? > "$to/status"
}

# Masks of a pinned rank: what the program itself has chosen, and what is only lent.
# scene TEST [VARIABLE=VALUE...] -- FAMILY ARGUMENT...: out, err and status in $to; fails where it does not compile.
scene() {
	local variables=() command
	to=$(folder "$1")
	shift
	while [ "$1" != -- ]; do variables+=("$1"); shift; done
	command=$(program none "$2" masks.c) || return 1
	rank "$to" 0 1 OMP_NUM_THREADS=2 LD_PRELOAD="$preload" "${variables[@]}" \
		"$command" "${@:3}"
}
# What a library of tests/programs compiles to; fails where it does not.
helper() {
	gcc -O2 -Wall -Wextra -shared -fPIC -o "$work/$1.so" "$sources/$1.c" > "$work/$1.log" 2>&1 && echo "$work/$1.so"
}
# A mask of hexadecimal digits as a list.
lists() { python3 -c '
import sys
for line in sys.stdin:
    *what, mask = line.split()
    cpus = mask if mask[:2] != "0x" else ",".join(str(i) for i in range(64) if int(mask, 16) >> i & 1)
    print(*what, cpus)' < "$1"; }
last=${cpus##*[,-]}

for family in gcc clang; do
	for setting in SPLITPIN_BIND=spread OMP_PROC_BIND=true; do
		test="a mask that the program gives itself is inherited, $setting, $family"
		if [ "$ncpus" -lt 2 ] || [ "$last" -gt 63 ]; then
			skip "$test" "one CPU, or more than 64"
		elif scene "$test" $setting -- $family own "$last"; then
			verdict "$test" "$(
				expect "masks" "$(lists "$to/out" | paste -s -d ' ')" "itself $last thread $last child $last"
				cat "$to/err"
			)"
		else
			skip "$test" "masks.c does not compile"
		fi
	done
done

test="a thread is put back on its core where the cpuset has shrunk"
if [ "$ncpus" -lt 8 ]; then
	skip "$test" "fewer than 8 CPUs"
elif [ "$(uname -m)" = x86_64 ] && fakeset=$(helper fakeset) && scene "$test" LD_PRELOAD="$preload:$fakeset" -- gcc shrink; then
	pinned=$(sed -n 's/^pinned //p' "$to/out")
	verdict "$test" "$(
		expect "masks" "$(sed 's/.* //' "$to/out" | paste -s -d ' ')" "$pinned $pinned $pinned"
		[ "$pinned" != 0xff ] || echo "it was never pinned"
	)"
else
	skip "$test" "not for this machine"
fi

test="beside a tracer that defines GOMP_parallel, threads of the program have the share"
if [ "$ncpus" -lt 2 ] || [ "$last" -gt 63 ]; then
	skip "$test" "one CPU, or more than 64"
elif tracer=$(helper tracer) && scene "$test" LD_PRELOAD="$tracer:$preload" -- gcc plain; then
	verdict "$test" "$(expect "masks" "$(sort -u "$to/out" | wc -l) $(sed 's/.* //' "$to/out" | sort -u | wc -l)" "2 1"; cat "$to/err")"
else
	skip "$test" "tracer.c or masks.c does not compile"
fi

test="children that are forked while others make threads can open libraries"
if scene "$test" -- gcc forks 4000; then
	verdict "$test" "$(expect "outcome" "$(cat "$to/out" "$to/err")" "all children ended")"
else
	skip "$test" "masks.c does not compile"
fi

closing
