# shellcheck shell=bash
# Virtual environments of Python; sourced by deps-stacks.sh and deps-wheel.sh after packages.sh.

# environment FOLDER MEGABYTES REQUIREMENT...: a virtual environment with these wheels,
# complete where its file "ready" says for which folder and of what it was made.
# Where it cannot be had "absent" says why.
environment() {
	local to=$1 name=${1##*/} size=$2 why sign
	shift 2
	mkdir -p "${to%/*}"
	sign="$(readlink -f "${to%/*}") $*"
	[ "$(cat "$to/ready" 2>/dev/null)" = "$sign" ] && return
	if [ -e "$to/absent" ]; then
		say "no $name: $(cat "$to/absent") (remove $to/absent to try again)"
		return
	fi
	rm -rf "$to"
	mkdir -p "$to"
	say "making a Python environment with $* in $to ($size MB)"
	if ! python3 -m venv "$to" > "$to/log" 2>&1; then
		why="python3 makes no virtual environment: $(head -n 1 "$to/log")"
	elif ! timeout 600 "$to/bin/python" -m pip install --quiet --retries 2 --only-binary :all: "$@" > "$to/log" 2>&1; then
		why="pip: $(grep -i error "$to/log" | tail -n 1)"
	else
		echo "$sign" > "$to/ready"
		return
	fi
	rm -rf "$to"
	mkdir -p "$to"
	echo "$why" > "$to/absent"
	say "no $name: $why; its tests will be skipped"
}
