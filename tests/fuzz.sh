#!/bin/bash
# Fuzz targets: what reads text or bytes that others have written, under the
# compiler's checkers.
#
#   tests/fuzz.sh replay BUILD           every target once with each input of its corpus
#   tests/fuzz.sh run BUILD SECONDS [TARGET...]
#                                        libFuzzer, for so many seconds each; the
#                                        table tells executions and what was found
#
# Targets and corpora are in tests/fuzz.  An input that ends a target is kept
# in BUILD/found; once mended it belongs into tests/fuzz/corpus/TARGET.
set -u
how=$1
# shellcheck source=tests/lib.sh
. tests/lib.sh "$2"
seconds=${3:-60}
export ASAN_OPTIONS=abort_on_error=1:${ASAN_OPTIONS-} LSAN_OPTIONS=print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1

targets() { find tests/fuzz -maxdepth 1 -name '*.c' ! -name fuzz.c ! -name replay.c -printf '%f\n' | sed 's/\.c$//' | sort; }

# "make dist" leaves out the corpus that is programs.
replay() {
	local target=$1 said
	[ -d "tests/fuzz/corpus/$target" ] || { skip "$target" "its corpus is not among these sources"; return; }
	if said=$("$build/fuzz-$target" "tests/fuzz/corpus/$target" 2> "$work/$target.err"); then
		pass "$target: $said"
	else
		fail "$target" "$(tail -n 1 "$work/$target.err"); to see the input: FUZZ_VERBOSE=1 $build/fuzz-$target tests/fuzz/corpus/$target"
	fi
}

# What libFuzzer finds new goes to a corpus below the build folder; the
# project's own is only read.
# An input frees less than the quarantine holds: a larger one, as by default, only empties the CPU's caches.
run() {
	local target=$1 status number
	local -x ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=8:allocator_release_to_os_interval_ms=-1:$ASAN_OPTIONS
	mkdir -p "$build/corpus/$target" "$build/found"
	"$build/fuzz-$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=300 -rss_limit_mb=4096 \
		-artifact_prefix="$build/found/$target-" "$build/corpus/$target" "tests/fuzz/corpus/$target" \
		> "$work/$target.out" 2> "$work/$target.log"
	status=$?
	number=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
	if [ "$status" = 0 ] && [ "${number:-0}" -gt 0 ]; then
		pass "$target: $number executions"
	else
		fail "$target" "$(grep -m 1 -E 'does not hold|ERROR|runtime error' "$work/$target.log"); the input is in $build/found"
	fi
}

chosen=("${@:4}")
[ ${#chosen[@]} -gt 0 ] || mapfile -t chosen < <(targets)
for target in "${chosen[@]}"; do
	if [ -e "tests/fuzz/$target.c" ]; then
		"$how" "$target"
	else
		fail "$target" "there is no such target; these are: $(targets | xargs)"
	fi
done
closing
