#!/bin/bash
# The tests of CPython for threads, children and the operating system come out
# the same without the preload, with it, and in a rank whose main thread is pinned.
#
#   tests/cpython.sh [BUILD [PRELOAD]]
#
# A test that comes out different is repeated once, alone, with and without; it
# is named, and counts if it does so again.  Details are in BUILD/tests/cpython.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "cpython: no $preload: run make first" >&2; exit 1; }

# Whole modules, and of multiprocessing, for each way to start a process, these classes.
modules=(test_threading test_subprocess test_os test_posix)
started=(test_multiprocessing_fork test_multiprocessing_spawn test_multiprocessing_forkserver)
classes=(WithProcessesTestProcess WithProcessesTestPool WithProcessesTestQueue WithProcessesTestConnection TestStartMethod)

python=
for i in ${PYTHON:-python3 /usr/bin/python3}; do
	"$i" -c 'import test.test_threading, test.test_multiprocessing_fork, test.libregrtest' 2>/dev/null && python=$i && break
done
if [ -z "$python" ]; then
	skip "everything" "no Python here has its tests; Debian's are in libpython3.*-testsuite"
	closing
	exit
fi

# A team of OpenMP pins the thread that opens it: Python's main thread.
cat > "$work/team.c" <<'END_C'
int team(void);
int team(void)
{
	int threads = 0;
#pragma omp parallel reduction(+:threads)
	threads++;
	return threads;
}
END_C
cat > "$work/run.py" <<'END_PY'
"""run.py LIBRARY MASKS ...: regrtest with the rest, its main thread having opened a team of OpenMP.

Writes the mask of the main thread to MASKS, before the tests and after them.
"""
import atexit, ctypes, os, runpy, sys

def note(path, pid=os.getpid()):
    if os.getpid() == pid:
        with open(path, "a") as masks:
            print(*sorted(os.sched_getaffinity(0)), sep=",", file=masks)

# Children that multiprocessing spawns import this file.
if __name__ == "__main__":
    library, masks = sys.argv[1:3]
    ctypes.CDLL(library).team()
    note(masks)
    atexit.register(note, masks)
    sys.argv[0:3] = ["regrtest"]
    runpy.run_module("test.regrtest", run_name="__main__", alter_sys=True)
END_PY
# From regrtest's XML: one line a test, its name and what came of it.
cat > "$work/results.py" <<'END_PY'
import sys
from xml.etree import ElementTree

for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    kinds = sorted({kind.tag for kind in test} & {"failure", "error", "skipped"})
    print(test.get("name"), "+".join(kinds) or "ok")
END_PY
if ! gcc -O1 -fopenmp -shared -fPIC -o "$work/libteam.so" "$work/team.c"; then
	fail "team.c compiles" "see above"
	closing
	exit
fi

# How the process is started: with which variables.
size=$((ncpus < 4 ? 1 : 2))
[ -z "$confined" ] || size=1
environment() {
	case $1 in
	without) ;;
	guest) echo "LD_PRELOAD=$preload" ;;
	rank) echo "LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=$size SPLITPIN_WAIT=0" ;;
	esac
}

# regrtest WAY FOLDER ARGUMENTS: leaves results and masks in FOLDER.
regrtest() {
	local way=$1 to=$2
	shift 2
	rm -rf "$to"
	mkdir -p "$to/cwd"
	# shellcheck disable=SC2046 # a list of variables
	(cd "$to/cwd" && env $(environment "$way") timeout -k 5 300 "$python" "$work/run.py" \
		"$work/libteam.so" "$to/masks" --junit-xml "$to/xml" "$@") > "$to/out" 2>&1 < /dev/null
	"$python" "$work/results.py" "$to/xml" 2>> "$to/out" | sort > "$to/results"
}

# all WAY: every module; results of all in one file.
all() {
	local way=$1 module options=()
	rm -rf "${work:?}/$way"
	mkdir -p "$work/$way"
	for i in "${classes[@]}"; do
		options+=(-m "$i")
	done
	regrtest "$way" "$work/$way/modules" "${modules[@]}"
	for module in "${started[@]}"; do
		regrtest "$way" "$work/$way/$module" "${options[@]}" "$module"
	done
	cat "$work/$way"/*/results | sort > "$work/$way/results"
}

# Of a test's line only the result, or that there is none.
result_of() {
	local result
	result=$(awk -v name="$2" '$1 == name { print $2 }' "$1/results")
	echo "${result:-missing}"
}

# again WAY NAME: the result of one test alone.
again() {
	local module
	module=$(cut -d . -f 2 <<< "$2")
	regrtest "$1" "$work/$1/again" -m "$2" "$module"
	result_of "$work/$1/again" "$2"
}

# What differs between a way and "without", also where it is repeated.
differences() {
	local way=$1 name with without
	diff "$work/without/results" "$work/$way/results" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u > "$work/$way/different"
	if [ "$(wc -l < "$work/$way/different")" -gt 20 ]; then
		echo "$(wc -l < "$work/$way/different") tests differ: see $work/$way/different"
		return
	fi
	while read -r name; do
		echo "repeated: $name, $(result_of "$work/$way" "$name"), without the preload $(result_of "$work/without" "$name")" >&2
		with=$(again "$way" "$name")
		without=$(again without "$name")
		[ "$with" = "$without" ] || echo "$name: $with, without the preload $without; "
	done < "$work/$way/different"
}

# The masks of the main thread in all runs of a way.
masks() { cat "$work/$1"/*/masks | sort -u | paste -s -d ' '; }
whole=$("$python" -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep=",")')

all without
tests=$(wc -l < "$work/without/results")
test="$("$python" -V) runs its tests"
if [ "$tests" -gt 500 ]; then
	pass "$test: $tests, $(cut -d ' ' -f 2 "$work/without/results" | sort | uniq -c | awk '{ printf "%s%s %s", s, $1, $2; s = ", " }')"
else
	fail "$test" "only $tests results: see $work/without/modules/out"
fi

for way in guest rank; do
	all $way
	test="the same $tests results as $([ $way = rank ] && echo "the pinned thread of a rank" || echo "no rank")"
	different=$(differences $way)
	if [ -n "$different" ]; then
		fail "$test" "$(paste -s -d ' ' <<< "$different")"
	elif [ $way = guest ] && [ "$(masks $way)" != "$(masks without)" ]; then
		# A test of sched_setaffinity leaves its mask behind.
		fail "$test" "the main thread had CPUs $(masks $way), without the preload $(masks without)"
	elif [ $way = rank ] && [ "$ncpus" -ge 2 ] && { [ "$(masks $way)" = "$whole" ] || [[ $(masks $way) == *' '* ]]; }; then
		fail "$test" "the main thread was not pinned all the time: CPUs $(masks $way) of $whole"
	else
		pass "$test$([ $way = guest ] || echo ", on CPU $(masks $way) of $whole")"
	fi
done
closing
