# shellcheck shell=bash
# shellcheck disable=SC2154,SC2086 # preload and sources are lib.sh's
# Programs without and with the preload, compared; sourced after lib.sh.

if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

# run FOLDER COMMAND: leaves out, err and status in FOLDER.
run() {
	local to=$1
	shift
	timeout -k 5 "$hangs" "$@" > "$to/out" 2> "$to/err" < /dev/null
	echo $? > "$to/status"
}

# What of out, err and status differs between two folders.
difference() {
	local file
	for file in status out err; do
		if cmp -s "$1/$file" "$2/$file"; then
			continue
		elif [ "$(cat "$1/$file" "$2/$file" | wc -c)" -gt 600 ]; then
			printf '%s: "%s", < is without the preload; ' $file \
				"$(diff "$1/$file" "$2/$file" | grep '^[<>]' | head -n 6)"
		else
			printf '%s "%s", without the preload "%s"; ' $file "$(cat "$2/$file")" "$(cat "$1/$file")"
		fi
	done
}

# same TEST COMMAND: output and status are as without the preload.
same() {
	local test=$1 to
	shift
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" "$@"
	run "$to/with" env LD_PRELOAD="$preload" "$@"
	verdict "$test" "$(difference "$to/without" "$to/with")"
}

# ranks FOLDER MPI N COMMAND: run ranks with whatever environment is exported;
# leaves out, err, status and what the ranks write about their placement.
ranks() {
	local to=$1
	shift
	mkdir -p "$to"
	PLACEMENT_DIR=$to launch "$@" > "$to/out" 2> "$to/err"
	echo $? > "$to/status"
}

# The value of a word in the line that a rank writes first.
started() { sed -n "s/^start .*\b$3=\([^ ]*\).*/\1/p" "$1/rank.$2"; }

warnings() { grep -c 'splitpin: warning:' "$1/err"; }

# One warning, which matches all patterns given; the program ended well.
warned_once() {
	local to=$1 pattern
	shift
	expect "number of warnings" "$(warnings "$to")" 1
	for pattern; do
		grep 'splitpin: warning:' "$to/err" | grep -q -- "$pattern" ||
			echo "the warning does not name $pattern: $(grep -m 1 splitpin: "$to/err")"
	done
	expect "exit status" "$(cat "$to/status")" 0
}

# beside TEST LIBRARY COMMAND: the same with another preloaded library, before ours and after it.
beside() {
	local test=$1 other=$2 to
	shift 2
	to=$(folder "$test")
	mkdir "$to/without" "$to/before" "$to/after"
	run "$to/without" env LD_PRELOAD="$other" "$@"
	run "$to/before" env LD_PRELOAD="$other:$preload" "$@"
	run "$to/after" env LD_PRELOAD="$preload:$other" "$@"
	verdict "$test" "$(difference "$to/without" "$to/before"; difference "$to/without" "$to/after")"
}

# guest FOLDER: compile there guest.c and the libraries that are called for its functions.
guest() {
	local flags=(-O1 -g -Wall -Wextra -I"$sources")
	gcc "${flags[@]}" -shared -fPIC -o "$1/libnext.so" $sources/guest-next.c &&
	gcc "${flags[@]}" -shared -fPIC -DWRAP_EXECL -o "$1/libwrap.so" $sources/guest-next.c &&
	gcc "${flags[@]}" -o "$1/guest" $sources/guest.c -L"$1" -lnext -Wl,-rpath,"$1" -pthread -lrt
}
