#!/bin/bash
# The test suites of others come out the same without splitpin and with it: of
# LLVM's and GNU's OpenMP runtimes, of MPICH, mpi4py and CPython.
#
#   tests/foreign.sh [BUILD [PRELOAD [SUITE...]]]
#
# Each test is run without the preload and, in these ways, with it:
#
#   guest     preloaded, in a process that is no rank
#   rank      as the one rank of the node
#   half      as the first of two ranks, beside one that taskset confines to
#             the same CPUs
#   ranks     started by the MPI library's own launcher, without and with
#
# A test whose result differs is repeated, alone, three times without and three
# times with the preload.  It counts as a difference if it then comes out with
# the preload as it never did without; else it is named, as one that varies of
# itself.  tests/foreign/expected has the differences that are meant to be.
#
# A suite is tests/foreign/SUITE, which has three actions:
#
#   ways                      each way, and the one to compare it with
#   prepare                   compile; what it prints on failure is why it is skipped
#   run WAY RESULTS [NAME...] write "NAME RESULT" lines for all tests or these, and
#                             what splitpin said in them to RESULTS.said
#
# Its environment: FOREIGN_DEPS, the folder of fetched sources; FOREIGN_WORK, its
# own; FOREIGN_PREFIX, words to stand before each program; FOREIGN_JOBS, how many
# may run at a time.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "foreign: no $preload: run make first" >&2; exit 1; }
suites=("${@:3}")
[ ${#suites[@]} -gt 0 ] || suites=(libgomp libomp cpython mpi4py mpich)
most=40		# differences of one way that are looked into
export FOREIGN_DEPS=$build/deps/foreign FOREIGN_JOBS=$ncpus

# What rank 0 of two gets.
half=$(LD_LIBRARY_PATH='' "$build/splitpin" plan -n 2 --format lists 2>/dev/null | head -n 1)

prefix() {
	local with="LD_PRELOAD=$preload"
	local rank="SPLITPIN_WAIT=0 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE"
	case $1 in
	without | launched) echo env ;;
	guest | ranks) echo "env $with" ;;
	rank) echo "env $with $rank=1" ;;
	half) echo "env $with $rank=2" ;;
	confined) echo "taskset -c $half env" ;;
	esac
}

suite_do() {
	local suite=$1
	shift
	if [ -e "tests/foreign/$suite.py" ]; then
		FOREIGN_WORK=$work/$suite python3 "tests/foreign/$suite.py" "$@"
	else
		FOREIGN_WORK=$work/$suite bash "tests/foreign/$suite.sh" "$@"
	fi
}

# results SUITE WAY FILE [NAME]: written sorted.
results() {
	FOREIGN_PREFIX=$(prefix "$2") suite_do "$1" run "$2" "$3" "${@:4}" > "$3.log" 2>&1 < /dev/null
	[ -e "$3" ] || : > "$3"
	LC_ALL=C sort -o "$3" "$3"
}

result_of() {
	local result
	result=$(awk -v name="$2" '$1 == name { print $2 }' "$1")
	echo "${result:-missing}"
}

# repeated SUITE WAY NAME: three results.
repeated() {
	local file=$work/$1/again i
	for i in 1 2 3; do
		rm -f "$file"
		FOREIGN_JOBS=1 results "$1" "$2" "$file" "$3"
		result_of "$file" "$3"
	done
}

# reason SUITE WAY NAME: why a difference is meant to be; fails where it is not.
reason() {
	local suite way pattern why
	while read -r suite way pattern why; do
		# shellcheck disable=SC2053 # a pattern
		[ "$suite" = "$1" ] && [[ $2 == $way ]] && [[ $3 == $pattern ]] && echo "$why" && return
	done < <(grep -v '^#' tests/foreign/expected)
	return 1
}

# Entries that no difference needed; on a machine of another size they may.
unneeded() {
	local suite way pattern why name used
	while read -r suite way pattern why; do
		# shellcheck disable=SC2053 # patterns
		if [ "$suite" != "$1" ] || [[ $2 != $way ]]; then
			continue
		fi
		used=
		for name in "${@:3}"; do
			# shellcheck disable=SC2053 # a pattern
			[[ $name == $pattern ]] && used=1
		done
		[ -n "$used" ] || echo "# $suite, $2: $pattern no longer differs (tests/foreign/expected: $why)"
	done < <(grep -v '^#' tests/foreign/expected)
}

# look_into SUITE WAY BASE: compare, and count in compared, differences, expected and varying.
look_into() {
	local suite=$1 way=$2 base=$3 name with without why n names=()
	local mine=$work/$suite/$way.results theirs=$work/$suite/$base.results

	n=$(cat "$mine" "$theirs" | cut -d ' ' -f 1 | sort -u | wc -l)
	compared=$((compared + n))
	mapfile -t names < <(LC_ALL=C diff "$theirs" "$mine" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u)
	if [ ${#names[@]} -gt $most ]; then
		differences=$((differences + ${#names[@]}))
		fail "$suite, $way: the same $n results as $base" "${#names[@]} differ: diff $theirs $mine"
		return
	fi
	local found=0
	for name in "${names[@]}"; do
		if why=$(reason "$suite" "$way" "$name"); then
			echo "# $suite, $way: $name $(result_of "$mine" "$name"), $base $(result_of "$theirs" "$name"): expected, $why"
			expected=$((expected + 1))
			continue
		fi
		without=$(result_of "$theirs" "$name"; repeated "$suite" "$base" "$name")
		with=$(repeated "$suite" "$way" "$name")
		if grep -qvxF "$without" <<< "$with"; then
			found=$((found + 1))
			fail "$suite, $way: $name" "$(paste -s -d ' ' <<< "$with"), $base $(paste -s -d ' ' <<< "$without")
$(again_alone "$suite" "$way" "$name")"
		else
			echo "# $suite, $way: $name varies of itself: $base $(paste -s -d ' ' <<< "$without"), with the preload $(result_of "$mine" "$name") $(paste -s -d ' ' <<< "$with")"
			varying=$((varying + 1))
		fi
	done
	differences=$((differences + found))
	[ $found -gt 0 ] || pass "$suite, $way: the same $n results as $base"
	unneeded "$suite" "$way" "${names[@]}"
	said "$suite" "$way"
}

again_alone() {
	local program=bash kind=sh
	[ ! -e "tests/foreign/$1.py" ] || program=python3 kind=py
	echo "alone: FOREIGN_DEPS=$FOREIGN_DEPS FOREIGN_WORK=$work/$1 FOREIGN_JOBS=1 FOREIGN_PREFIX=\"$(prefix "$2")\" $program tests/foreign/$1.$kind run $2 /dev/stdout '$3'"
}

# What splitpin warned of in these tests: each sentence once, without its figures.
said() {
	[ -s "$work/$1/$2.results.said" ] || return
	grep 'splitpin: .*warning:' "$work/$1/$2.results.said" | sed 's/^[^ ]* splitpin: //; s/host=[^ ]* //; s/[0-9][0-9,-]*/N/g' | cut -c 1-150 | sort | uniq -c |
		sed "s/^ */# $1, $2: said in times: /"
}

build-aux/deps-foreign.sh "$build" "${suites[@]}" 2>&1 | sed 's/^/# /'
for suite in "${suites[@]}"; do
	begin=$SECONDS compared=0 differences=0 expected=0 varying=0 done_ways=" "
	mkdir -p "$work/$suite"
	if ! why=$(suite_do "$suite" prepare 2> "$work/$suite/prepare.log" < /dev/null); then
		skip "$suite" "${why##*$'\n'}"
		continue
	fi
	while read -r way base; do
		if [[ $way == half && ( -n $confined || -z $half || $ncpus -lt 2 ) ]]; then
			skip "$suite, half" "${confined:-one CPU}"
			continue
		fi
		for i in $base $way; do
			[[ $done_ways == *" $i "* ]] || { rm -f "$work/$suite/$i.results"; results "$suite" "$i" "$work/$suite/$i.results"; }
			done_ways+="$i "
		done
		look_into "$suite" "$way" "$base"
	done < <(suite_do "$suite" ways)
	tests=$(cut -d ' ' -f 1 "$work/$suite"/*.results | sort -u | wc -l)
	echo "# $suite: $tests tests, $compared results compared, $differences differ, $expected as expected, $varying vary of themselves, $((SECONDS - begin)) s"
done
closing
