#!/bin/bash
# What the threads of a rank may use, and what its program counts: masks that the
# program has chosen itself, pools of libraries, Python.
#
#   tests/counts.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/counts/<test>.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "counts: no $preload: run make first" >&2; exit 1; }

# rank FOLDER LOCAL_RANK LOCAL_SIZE [VARIABLE=VALUE...] COMMAND: leaves out, err and status.
rank() {
	local to=$1
	timeout -k 5 "$hangs" env SPLITPIN_LOCAL_RANK="$2" SPLITPIN_LOCAL_SIZE="$3" "${@:4}" \
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

test="a child that is forked while its parent settles does not wait for that"
if [ "$ncpus" -lt 2 ]; then
	skip "$test" "one CPU"
elif command=$(program none gcc settling.c); then
	to=$(folder "$test")
	# Confined, it waits for the other rank's mask.
	rank "$to" 0 2 SPLITPIN_RUN=none SPLITPIN_WAIT=5 LD_PRELOAD="$preload" taskset -c "$last" "$command"
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		grep -q 'not all 2 ranks' "$to/err" || echo "the parent did not wait"
		expect "when the child ended, with its parent's settling" "$(cat "$to/out")" before
	)"
else
	skip "$test" "settling.c does not compile"
fi

# What a pinned thread is told: the share, but in a region its pin.
for family in gcc clang; do
	for answer in share pin; do
		test="what a pinned thread is told, SPLITPIN_ANSWER=$answer, $family"
		if [ "$ncpus" != 2 ] || [ "$cpus" != 0-1 ]; then
			skip "$test" "not on CPUs 0 and 1"
			continue
		fi
		scene "$test" SPLITPIN_ANSWER=$answer -- $family ask || { skip "$test" "masks.c does not compile"; continue; }
		told=0x3 back=0x1
		[ $answer = share ] || told=0x1 back=0x1
		verdict "$test" "$(
			expect "told" "$(sed -n 's/^[ab][a-z]* //p' "$to/out" | paste -s -d ' ')" "0x3 $told"
			expect "told inside" "$(sed -n 's/^inside //p' "$to/out" | sort | paste -s -d ' ')" "0x1 0x1 0x2 0x2"
			expect "where it is" "$(sed -n 's/^[ts][a-z-]* //p' "$to/out" | paste -s -d ' ')" "0x1 $back $back"
			cat "$to/err"
		)"
	done
done

# Libraries that make a pool of threads before anything else is seen of the rank.
cat > "$work/blas.c" <<'END'
#include <dirent.h>
#include <stdio.h>
#include <string.h>
int openblas_get_num_threads(void);
int main(void)
{
	char path[300], line[256];
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");

	printf("pool %d\n", openblas_get_num_threads());
	while ((entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		FILE *status = entry->d_name[0] == '.' ? NULL : fopen(path, "r");

		while (status && fgets(line, sizeof(line), status))
			if (strncmp(line, "Cpus_allowed_list:", 18) == 0)
				printf("thread %s", line + 19);
	}
	return 0;
}
END
cat > "$work/tbb.cc" <<'END'
#include <cstdio>
#include <oneapi/tbb/info.h>
int main() { std::printf("pool %d\n", oneapi::tbb::info::default_concurrency()); }
END

# Its children settle, too, and are given the same.
share_of() { sed -n 's/.* active=yes cpu_list=\([^ ]*\) .*/\1/p' "$1/err" | head -n 1; }
size_of() { taskset -c "$1" nproc; }

for library in blas tbb; do
	case $library in
	blas) build_it=(gcc -O2 "$work/blas.c" -lopenblas) ;;
	tbb) build_it=(g++ -O2 "$work/tbb.cc" -ltbb) ;;
	esac
	for ranks in 1 2; do
		test="the pool of $library, rank $((ranks - 1)) of $ranks"
		if ! "${build_it[@]}" -o "$work/$library" 2> "$work/$library.log"; then
			skip "$test" "it does not compile: $(head -n 1 "$work/$library.log")"
			continue
		elif [ "$ranks" -gt "$ncpus" ]; then
			skip "$test" "too few CPUs"
			continue
		fi
		to=$(folder "$test")
		rank "$to" $((ranks - 1)) $ranks SPLITPIN_RUN=none SPLITPIN_WAIT=0 SPLITPIN_DEBUG=1 LD_PRELOAD="$preload" "$work/$library"
		share=$(share_of "$to")
		verdict "$test" "$(
			expect "exit status" "$(cat "$to/status")" 0
			expect "first sign" "$(sed -n 's/.* active=yes .* trigger=\([^ ]*\) .*/\1/p' "$to/err")" pool
			expect "threads" "$(sed -n 's/^pool //p' "$to/out")" "$(size_of "$share")"
			sed -n 's/^thread //p' "$to/out" | grep -vx "$share"
		)"
	done
done

python=$build/deps/stacks/numpy/bin/python
for ranks in 1 2; do
	test="numpy, joblib and multiprocessing, rank $((ranks - 1)) of $ranks"
	if [ ! -e "${python%/bin/*}/ready" ]; then
		skip "$test" "no numpy: run make deps check-all"
		continue
	elif ! "$python" -c '' 2> /dev/null; then
		skip "$test" "this user may not run $(readlink -f "$python")"
		continue
	elif [ "$ranks" -gt "$ncpus" ]; then
		skip "$test" "too few CPUs"
		continue
	fi
	to=$(folder "$test")
	rank "$to" $((ranks - 1)) $ranks SPLITPIN_WAIT=0 SPLITPIN_DEBUG=1 LD_PRELOAD="$preload" "$python" $sources/counts.py
	share=$(share_of "$to")
	n=$(size_of "$share")
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		expect "before" "$(grep '^before' "$to/out")" "before mask $n blas $n joblib $n child $n threads $share"
		expect "after" "$(sed -n 's/^\(after .*\) threads.*/\1/p' "$to/out")" "after mask $n blas $n joblib $n child $n"
		expect "results" "$(grep '^results' "$to/out")" "results [1, 2]"
		grep -v '^splitpin: ' "$to/err"
	)"
done

closing
