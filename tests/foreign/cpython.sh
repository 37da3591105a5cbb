#!/bin/bash
# CPython's own tests of threads, children and the operating system, in processes
# whose main thread has opened a team of OpenMP, so that in a rank it is pinned.
# See tests/foreign.sh.
#
#   cpython.sh ways | prepare | run WAY RESULTS [NAME...]
#
# Whole modules, and of multiprocessing, for each way to start a process, some
# classes.  "mask" is a result, too: where the main thread is at the end is where
# it was after the team.
set -u
modules=(test_threading test_subprocess test_os test_posix)
started=(test_multiprocessing_fork test_multiprocessing_spawn test_multiprocessing_forkserver)
classes=(WithProcessesTestProcess WithProcessesTestPool WithProcessesTestQueue WithProcessesTestConnection TestStartMethod)

prepare() {
	local i
	for i in ${PYTHON:-python3 /usr/bin/python3}; do
		"$i" -c 'import test.test_threading, test.test_multiprocessing_fork, test.libregrtest' 2>/dev/null &&
			echo "$i" > "$FOREIGN_WORK/python" && break
	done
	[ -e "$FOREIGN_WORK/python" ] || { echo "no Python here has its tests; Debian's are in libpython3.*-testsuite"; exit 1; }
	cat > "$FOREIGN_WORK/team.c" <<-'END'
		int team(void);
		int team(void)
		{
			int threads = 0;
		#pragma omp parallel reduction(+:threads)
			threads++;
			return threads;
		}
	END
	cat > "$FOREIGN_WORK/run.py" <<-'END'
		"""run.py LIBRARY MASKS ...: regrtest with the rest, its main thread having opened a team of OpenMP."""
		import atexit, ctypes, os, runpy, sys

		def note(path, pid=os.getpid()):
		    if os.getpid() == pid:
		        with open(path, "a") as masks, open("/proc/thread-self/status") as status:
		            print([line.split()[1] for line in status if line.startswith("Cpus_allowed_list")][0], file=masks)

		# Children that multiprocessing spawns import this file.
		if __name__ == "__main__":
		    library, masks = sys.argv[1:3]
		    ctypes.CDLL(library).team()
		    note(masks)
		    atexit.register(note, masks)
		    sys.argv[0:3] = ["regrtest"]
		    runpy.run_module("test.regrtest", run_name="__main__", alter_sys=True)
	END
	gcc -O1 -fopenmp -shared -fPIC -o "$FOREIGN_WORK/libteam.so" "$FOREIGN_WORK/team.c" || { echo "team.c does not compile"; exit 1; }
}

# regrtest ARGUMENTS: adds to the results.
regrtest() {
	local words to=$FOREIGN_WORK/regrtest.$way
	read -ra words <<< "$FOREIGN_PREFIX"
	rm -rf "$to"
	mkdir -p "$to/cwd"
	(cd "$to/cwd" && "${words[@]}" timeout -k 5 600 "$(cat "$FOREIGN_WORK/python")" "$FOREIGN_WORK/run.py" \
		"$FOREIGN_WORK/libteam.so" "$to/masks" --junit-xml "$to/xml" "$@")
	python3 - "$to/xml" >> "$results" <<-'END'
		import sys
		from xml.etree import ElementTree

		for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
		    kinds = sorted({kind.tag for kind in test} & {"failure", "error", "skipped"})
		    print(test.get("name"), "+".join(kinds) or "ok")
	END
	echo "mask:${!#} $([ "$(sort -u "$to/masks" | wc -l)" = 1 ] && echo stays || echo changes)" >> "$results"
}

run() {
	local name options=()
	way=$1 results=$2
	shift 2
	: > "$results"
	if [ $# -gt 0 ]; then
		for name; do
			if [[ $name == mask:* ]]; then regrtest "${name#*:}"; else regrtest -m "$name" "$(cut -d . -f 2 <<< "$name")"; fi
		done
		return
	fi
	for name in "${classes[@]}"; do
		options+=(-m "$name")
	done
	for name in "${modules[@]}"; do
		regrtest "$name"
	done
	for name in "${started[@]}"; do
		regrtest "${options[@]}" "$name"
	done
}

case $1 in
ways) printf '%s\n' "guest without" "rank without" "half confined" ;;
prepare) prepare ;;
run) shift; run "$@" ;;
esac
