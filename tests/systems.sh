#!/bin/bash
# Wherever it is loaded: other C libraries, other systems, what is missing there.
#
#   tests/systems.sh [short|long [BUILD [PRELOAD]]]
#
# short   what the libraries and the command refer to; a program of musl; a rank without the
#         engine, or without hwloc (a few seconds)
# long    these; then trees of Debian 11, 12 and 13, made by debootstrap in
#         BUILD/deps/systems, in which every program runs with the preload and
#         without, and jobs of ranks in containers; and tests/cross.sh for aarch64.
#         Takes root.  Ends with the table that docs/tested.md should have;
#         RENEW=1 puts it there (half an hour)
#
# What was seen is kept in BUILD/tests/systems/<test>.
set -u
form=${1:-long}
shift
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/systems/table.sh
. tests/systems/table.sh

[ -e "$preload" ] || { echo "systems: no $preload: run make first" >&2; exit 1; }
parts=$(dirname "$preload")

#
# References.  The loader of an old system, or of musl, ends every program for one
# that it does not find.
#

# undefined LIBRARY: names and versions; versions LIBRARY: those of glibc that it refers to, the highest last
# (what it defines is for programs that refer to it: no older system has such).
undefined() { readelf --dyn-syms -W "$1" | awk '$7 == "UND" && $8 { print $8 }'; }
versions() { LC_ALL=C readelf -V -W "$1" | sed -n '/^Version needs/,$p' | grep -o 'GLIBC_2[.0-9]*' | sort -u -V; }
floor=GLIBC_2.17

case $(uname -m) in
x86_64 | aarch64)
	test="the shim refers to nothing that glibc 2.17 or musl lacks"
	verdict "$test" "$(
		undefined "$preload" | sed 's/@.*//' | grep -vx -e '_*environ' -e dl_iterate_phdr -e _r_debug -e __cxa_finalize |
			sed 's/^/it refers to /'
		expect "what it needs" "$(readelf -d "$preload" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')" libc.so.6
	)"
	for part in libsplitpin.so libsplitpin-engine.so libsplitpin-hardware.so libsplitpin-numa.so splitpin; do
		highest=$( (versions "$parts/$part"; echo $floor) | sort -V | tail -n 1)
		judge "glibc 2.17" loads "by its symbols: none is later" "$part refers to no version of glibc after $floor" \
			"$(expect "the highest version" "$highest" $floor)"
	done ;;
*) skip "versions of glibc" "on this processor they are those of the machine that builds" ;;
esac

#
# Programs of other C libraries.
#

# build_wide COMPILER...: $to/guest and $to/rank in an empty folder.
build_wide() {
	to=$(folder "programs of $*")
	"$@" -O1 -Wall -pthread -o "$to/guest" $sources/wide.c > "$to/log" 2>&1 &&
	"$@" -O1 -Wall -fPIC -shared -o "$to/libmpi.so" $sources/wide-mpi.c >> "$to/log" 2>&1 &&
	"$@" -O1 -Wall -pthread -DMPI -o "$to/rank" $sources/wide.c -L"$to" -lmpi -Wl,-rpath,"$to" >> "$to/log" 2>&1
}

# outcome COMMAND: all that can be seen of it.
outcome() { timeout "$hangs" "$@" 2>&1 < /dev/null; echo "status $?"; }

# job FOLDER LIBRARY PROGRAM: two ranks, one after the other; out.0, out.1 and err are in the folder.
job() {
	local rank
	: > "$1/err"
	for rank in 0 1; do
		SPLITPIN_WAIT=0 SPLITPIN_LOCAL_RANK=$rank SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD=$2 outcome "$3" 2>> "$1/err" > "$1/out.$rank"
	done
}

# warned FOLDER TEXT: the faults of a job of which the first rank should say this, and which should go on.
warned() {
	expect "number of warnings" "$(cat "$1"/out.* | grep -c splitpin:)" 1
	expect "the first rank's warnings" "$(grep splitpin: "$1/out.0" | grep -c "$2")" 1
	for rank in 0 1; do
		expect "rank $rank" "$(grep -v splitpin: "$1/out.$rank" | grep -v CPUs | paste -s -d ' ')" \
			"system 4 spawn 3 popen exec status 6"
	done
}

if ! command -v musl-gcc > /dev/null; then
	skip "a program of musl" "no musl-gcc, run make deps"
elif ! build_wide musl-gcc; then
	skip "a program of musl" "it does not compile: $(head -n 1 "$to/log")"
else
	outcome "$to/guest" > "$to/without"
	LD_PRELOAD=$preload outcome "$to/guest" > "$to/with"
	cell musl loads "$(LD_PRELOAD=$preload loads "$to/guest")"
	judge musl idle "all interposed functions as without it" "a program of musl starts, and is left alone" "$(
		diff "$to/without" "$to/with"
		expect "exit status" "$(tail -n 1 "$to/with")" "status 6")"
	job "$to" "$preload" "$to/rank"
	judge musl placed "no: one warning, and the ranks go on" "ranks of musl go on, and one of them says so" \
		"$(warned "$to" 'not glibc')"
fi

#
# What may be missing beside the shim.
#

if build_wide "${CC:-cc}"; then
	programs=$to
	for missing in engine hardware; do
		says="libsplitpin-$missing.so: cannot open"
		[ "$missing" = hardware ] || says="libsplitpin-engine.so is neither in .* nor in the folder splitpin there"
		test="ranks without libsplitpin-$missing.so go on, and one of them says so"
		to=$(folder "$test")
		cp "$parts"/libsplitpin*.so "$to"
		rm "$to/libsplitpin-$missing.so"
		job "$to" "$to/libsplitpin.so" "$programs/rank"
		verdict "$test" "$(warned "$to" "$says")"
		verdict "a program that is no rank says nothing without libsplitpin-$missing.so" "$(
			diff <(outcome "$programs/guest") <(LD_PRELOAD=$to/libsplitpin.so outcome "$programs/guest"))"
	done
	test="ranks without libsplitpin-numa.so are placed, and say nothing"
	to=$(folder "$test")
	cp "$parts"/libsplitpin*.so "$to"
	job "$to" "$to/libsplitpin.so" "$programs/rank"
	whole=$(cat "$to"/out.*)
	rm "$to/libsplitpin-numa.so"
	job "$to" "$to/libsplitpin.so" "$programs/rank"
	verdict "$test" "$(expect "what they say" "$(cat "$to"/out.*)" "$whole"; grep splitpin: <<< "$whole")"
else
	fail "wide.c compiles" "$(head -n 1 "$to/log")"
fi

if [ "$form" = long ]; then
	# shellcheck source=tests/systems/trees.sh
	. tests/systems/trees.sh
	# shellcheck source=tests/systems/long.sh
	. tests/systems/long.sh
	# shellcheck source=tests/systems/others.sh
	. tests/systems/others.sh
	table_agrees
fi

closing
