#!/bin/bash
# A guest and a rank beside other tools: allocators, sanitizers, debuggers, auditors
# and tools of OMPT find what they find without the library, and threads are placed
# as without the tools.
#
#   tests/beside.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/beside/<test>.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/compared.sh
. tests/compared.sh

[ -e "$preload" ] || { echo "beside: no $preload: run make first" >&2; exit 1; }

# One MPI library is enough.
mpi=
for each in openmpi mpich; do
	! program "$each" gcc hybrid.c > /dev/null || mpi=$each
done
bin=$work/bin
mkdir -p "$bin"
guest "$bin" > "$bin/log" 2>&1 || fail "guest.c compiles" "see $bin/log"

library() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n "s|.*\b$1\.so[.0-9]* .*=> ||p" | head -n 1; }
declare -A preloaded=([libwrap]=$bin/libwrap.so [jemalloc]=$(library libjemalloc) [eatmydata]=$(library libeatmydata)
	[tcmalloc]=$(library libtcmalloc_minimal) [mimalloc]=$(library libmimalloc))
asan=$(gcc -print-file-name=libasan.so)
[ -e "$asan" ] || asan=
gcc -O1 -g -fsanitize=address -o "$bin/guest-asan" $sources/guest.c -L"$bin" -lnext -Wl,-rpath,"$bin" -lrt > "$bin/log" 2>&1 &&
	gcc -O1 -g -fsanitize=address -fopenmp -o "$bin/alone-asan" $sources/alone.c $sources/placement.c >> "$bin/log" 2>&1 ||
	asan=
audit=$bin/libaudit.so
cat > "$bin/audit.c" <<'END'
#define _GNU_SOURCE
#include <link.h>
unsigned int la_version(unsigned int version) { return version; }
unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)map, (void)space, (void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
END
gcc -shared -fPIC -o "$audit" "$bin/audit.c"
# What of these works here at all.
has_valgrind=$(valgrind --version 2>/dev/null)
has_strace=$(strace -o /dev/null true 2>/dev/null && echo yes)
debugger=(gdb -q -batch -iex "set auto-load no" -iex "set debuginfod enabled off" -iex "set print thread-events off" \
	-iex "set print inferior-events off" -ex run --args)
has_gdb=$("${debugger[@]}" true 2>/dev/null | grep 'exited normally')

for other in libwrap jemalloc tcmalloc mimalloc eatmydata; do
	if [ -n "${preloaded[$other]}" ]; then
		beside "all functions with $other preloaded before and after" "${preloaded[$other]}" "$bin/guest"
		beside "python3 with $other preloaded before and after" "${preloaded[$other]}" python3 $sources/children-threads.py
	else
		skip "$other preloaded before and after" "it is not installed"
	fi
done

# Such a library lies below the address for which it was linked, so that the loader adds a negative number.
echo 'int high(void) { return 1; }' > "$bin/high.c"
test="all functions with a library linked to an address that there is not"
if gcc -shared -fPIC -Wl,-Ttext-segment=0x7ffffff00000000 -o "$bin/libhigh.so" "$bin/high.c" 2> "$bin/log" &&
	LD_PRELOAD=$bin/libhigh.so true 2>/dev/null; then
	beside "$test" "$bin/libhigh.so" "$bin/guest"
else
	skip "$test" "it cannot be linked or loaded"
fi

# Tools tell of callers: ThreadSanitizer of the line that made a thread.
test="who calls, for a library that is preloaded too"
if gcc -O1 -Wall -Wextra -DLIBRARY -shared -fPIC -o "$bin/libcallers.so" $sources/callers.c > "$bin/log" 2>&1 &&
	gcc -O0 -w -pthread -o "$bin/callers" $sources/callers.c >> "$bin/log" 2>&1; then
	beside "$test" "$bin/libcallers.so" "$bin/callers"
	verdict "$test: all of them" "$(expect "functions called from the program" \
		"$(LD_PRELOAD=$preload:$bin/libcallers.so "$bin/callers" | grep -c ' from callers$')" "$(nm -D --defined-only "$bin/libcallers.so" | grep -c ' T ')")"
else
	fail "$test" "callers.c does not compile: see $bin/log"
fi

# ASan's own runtime insists on being the first.
test="all functions under ASan"
if [ -n "$asan" ]; then
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" env LD_PRELOAD="$asan" "$bin/guest-asan" environ
	run "$to/with" env LD_PRELOAD="$asan:$preload" "$bin/guest-asan" environ
	verdict "$test" "$(difference "$to/without" "$to/with")"
else
	skip "$test" "no libasan"
fi

same "all functions with LD_AUDIT" env LD_AUDIT="$audit" "$bin/guest"
if [ -n "$has_valgrind" ]; then
	same "all functions under valgrind" valgrind -q "$bin/guest" environ
else
	skip "all functions under valgrind" "no valgrind"
fi
if [ -n "$has_strace" ]; then
	same "all functions under strace -f" strace -f -o /dev/null "$bin/guest" environ
else
	skip "all functions under strace -f" "strace does not work here"
fi
# gdb names processes by numbers, which differ.
if [ -n "$has_gdb" ]; then
	# shellcheck disable=SC2016 # the inner shell expands
	same "all functions under gdb" bash -c '"$@" 2>&1 | grep "^  [a-zA-Z]\|exited" | sed "s/ (process [0-9]*)//"' \
		bash "${debugger[@]}" "$bin/guest" environ
else
	skip "all functions under gdb" "gdb does not work here"
fi

# A rank beside other tools: its threads are where they are without these.
# alone TO COMMAND: leaves the places of the threads in TO/places.
alone() {
	local to=$1
	shift
	mkdir -p "$to"
	run "$to" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 PLACEMENT_DIR="$to" "$@"
	sed -n 's/^thread .*number=\([0-9]*\) .*cpus=/\1 /p' "$to/rank.0" 2>&1 | sort -n > "$to/places"
}

# beside_tool FAMILY TOOL COMMAND: says what is wrong; fails where the tool is not there.
beside_tool() {
	local family=$1 tool=$2 command=$3 to i
	to=$(folder "a rank beside $tool, $family")
	case $tool in
	libwrap | jemalloc | eatmydata)
		[ -n "${preloaded[$tool]}" ] || return 1
		alone "$to/before" env LD_PRELOAD="${preloaded[$tool]}:$preload" "$command"
		alone "$to/after" env LD_PRELOAD="$preload:${preloaded[$tool]}" "$command" ;;
	LD_AUDIT)
		alone "$to/with" env LD_PRELOAD="$preload" LD_AUDIT="$audit" "$command" ;;
	valgrind)
		[ -n "$has_valgrind" ] || return 1
		# Not every valgrind can read what clang writes for debuggers.
		strip -o "$to/stripped" "$command"
		alone "$to/with" env LD_PRELOAD="$preload" valgrind -q "$to/stripped" ;;
	strace)
		[ -n "$has_strace" ] || return 1
		alone "$to/with" env LD_PRELOAD="$preload" strace -f -o /dev/null "$command" ;;
	gdb)
		[ -n "$has_gdb" ] || return 1
		alone "$to/with" env LD_PRELOAD="$preload" "${debugger[@]}" "$command" ;;
	esac
	for i in "$to"/*/; do
		expect "exit status" "$(cat "$i/status")" 0
		diff "$reference/places" "$i/places" | grep '^[<>]'
		grep -m 3 -e splitpin -e ERROR: "$i/err"
	done
	return 0
}

# ASan makes all threads itself, so that libgomp's cannot be told from others: they have the share.
test="a rank under ASan"
if [ -n "$asan" ]; then
	to=$(folder "$test")
	alone "$to" env LD_PRELOAD="$asan:$preload" "$bin/alone-asan"
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		expect "places of threads" "$(sed 's/.* //' "$to/places" | sort -u)" "$cpus"
		grep -m 3 -e splitpin -e ERROR: "$to/err"
	)"
else
	skip "$test" "no libasan"
fi

# MemorySanitizer ends a program for what splitpin writes: it is left alone.  The rank has no other library that could be at fault.
test="a rank under MemorySanitizer"
cat > "$bin/msan.c" <<'END'
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef LIBRARY
int MPI_Init(int *argc, char ***argv) { return argc && argv ? 0 : 1; }
#else
int MPI_Init(int *argc, char ***argv);
int main(int argc, char **argv)
{
	int status = -1;
	pid_t pid;

	printf("%d\n", MPI_Init(&argc, &argv));
	printf("%d\n", posix_spawnp(&pid, "true", NULL, NULL, argv, environ));
	waitpid(pid, &status, 0);
	printf("%d\n", status);
	return 4;
}
#endif
END
if clang -fsanitize=memory -shared -fPIC -DLIBRARY -o "$bin/libmsan.so" "$bin/msan.c" > "$bin/log" 2>&1 &&
	clang -D_GNU_SOURCE -fsanitize=memory -o "$bin/msan" "$bin/msan.c" -L"$bin" -lmsan -Wl,-rpath,"$bin" >> "$bin/log" 2>&1; then
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" "$bin/msan"
	run "$to/with" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 LD_PRELOAD="$preload" "$bin/msan"
	grep '^splitpin: ' "$to/with/err" > "$to/lines"
	sed -i '/^splitpin: /d' "$to/with/err"
	verdict "$test" "$(
		difference "$to/without" "$to/with"
		expect "warnings that name it" "$(grep -c 'warning: .*MemorySanitizer' "$to/lines")" 1
	)"
else
	skip "$test" "no clang with it"
fi

for family in gcc clang; do
	if ! command=$(program none $family alone.c); then
		skip "a rank beside other tools, $family" "alone.c does not compile"
		continue
	fi
	test="a rank without a launcher, $family"
	reference=$(folder "$test")
	alone "$reference" env LD_PRELOAD="$preload" "$command"
	verdict "$test" "$(
		expect "exit status" "$(cat "$reference/status")" 0
		expect "number of places" "$(sed 's/.* //' "$reference/places" | sort -u | wc -l)" "$(wc -l < "$reference/places")"
		[ -s "$reference/places" ] || echo "no thread told its place"
	)"
	for tool in libwrap jemalloc eatmydata LD_AUDIT valgrind strace gdb; do
		test="a rank beside $tool, $family"
		if wrong=$(beside_tool $family $tool "$command"); then
			verdict "$test" "$wrong"
		else
			skip "$test" "it is not here"
		fi
	done
done

test="valgrind finds nothing in splitpin"
if [ -n "$mpi" ] && valgrind --version >/dev/null 2>&1; then
	to=$(folder "$test")
	LD_PRELOAD=$preload ranks "$to" "$mpi" 1 valgrind -q --num-callers=40 "$(program "$mpi" gcc hybrid.c)"
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		grep -m 5 libsplitpin "$to/err"
	)"
else
	skip "$test" "no valgrind or no MPI"
fi

# Other tools of OMPT: a runtime takes one, and theirs goes first, wherever it is named.
ompt_tool=$work/ompt-tool.so
archer=$(find /usr/lib -name libarcher.so 2>/dev/null | head -n 1)

# tool_ranks FOLDER PRELOAD TOOL: two ranks, the tool named by OpenMP's own variable if given.
tool_ranks() (
	[ -z "$3" ] || export OMP_TOOL_LIBRARIES=$3
	export LD_PRELOAD=$2 SPLITPIN_REPORT=1 OMP_NUM_THREADS=2
	ranks "$1" "$mpi" 2 "$command"
	sort -o "$1/out" "$1/out"
)

for way in before behind library archer; do
	test="a tool of OMPT, $way"
	named='' alone=$ompt_tool both=$preload:$ompt_tool
	case $way in
	before) both=$ompt_tool:$preload ;;
	library) named=$ompt_tool alone='' both=$preload ;;
	archer) named=$archer alone='' both=$preload ;;
	esac
	if [ -z "$mpi" ] || [ "$way$archer" = archer ] || ! command=$(program "$mpi" clang hybrid.c) ||
		! gcc -O2 -shared -fPIC -I. $sources/ompt-tool.c -o "$ompt_tool" 2>/dev/null; then
		skip "$test" "no MPI, clang or tool"
		continue
	fi
	to=$(folder "$test")
	tool_ranks "$to/without" "$alone" "$named"
	tool_ranks "$to/with" "$both" "$named"
	verdict "$test" "$(
		expect "standard output" "$(cat "$to/with/out")" "$(cat "$to/without/out")"
		[ $way = archer ] || expect "what the tool says" "$(grep -c '^tool: 2 regions$' "$to/with/out")" 2
		expect "exit status" "$(cat "$to/with/status")" 0
		expect "verdicts" "$(grep -c 'result: 2 of 2 ranks have their own CPUs' "$to/with/err")" 1
	)"
done

test="nothing left in /dev/shm"
if [ "$shm" = own ]; then
	verdict "$test" "$(find /dev/shm -iname '*splitpin*')"
else
	skip "$test" "no /dev/shm of its own"
fi

closing
