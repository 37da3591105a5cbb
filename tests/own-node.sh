# shellcheck shell=bash
# A node of its own, with a splitpin to try on it: no process and no job of this
# machine is seen by the script, which needs two CPUs, and skips everything where
# that cannot be had.  Sourced first of all, instead of lib.sh.
#
#   splitpin    the command that was built
#   uid         this user's number
#   one, two    the first CPUs that the script may use

# prove -e '' tests/*.sh runs this, too.
if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
for name in $(compgen -e ASAN_); do unset "$name"; done

splitpin=$build/splitpin
if ! [ -x "$splitpin" ] || ! [ -e "$preload" ]; then
	echo "$script: no $splitpin: run make first" >&2
	exit 1
fi
unset SPLITPIN_NEIGHBOURS NAMESPACE
# shellcheck disable=SC2034 # for the script
uid=$(id -u) one=${allowed%%[-,]*} two=$(taskset -c "$allowed" python3 -c 'import os; print(sorted(os.sched_getaffinity(0))[1])')

if [ "$shm" = common ]; then
	give_up skip "everything" "no /dev/shm of its own: other jobs of this machine would count"
fi
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	give_up skip "everything" "${confined:-one CPU}"
fi

has() { grep -qF -e "$2" <<< "$1" || echo "no \"$2\" in: $1"; }
has_not() { ! grep -qF -e "$2" <<< "$1" || echo "\"$2\" in: $1"; }

# wrong NAME MESSAGE WORD...: status 2, one line that has the message, no output.
wrong() {
	local name=$1 message=$2
	shift 2
	out=$(timeout "$hangs" "$splitpin" "$@" 2>"$work/err" </dev/null)
	status=$?
	verdict "$name" "$(
		expect status "$status" 2
		expect output "$out" ""
		expect "lines of errors" "$(wc -l <"$work/err")" 1
		has "$(cat "$work/err")" "$message"
	)"
}
