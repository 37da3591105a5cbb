#!/bin/bash
# Several jobs at a time, of which the first ends first.
#
#   jobs.sh FIRST... ,[RANKS] SECOND... [,[RANKS] THIRD... ...]
#
# After ",2" the next job starts as soon as two ranks are held (held.h), or have
# had a team (shape.c: leave), after "," at once.  Exits with the status of a job
# that failed, or 0.
set -u

there() { grep -sl '^held \|^here ' /proc/[0-9]*/comm | wc -l; }

pids=()
# start RANKS COMMAND...
start() {
	local i
	for ((i = 0; i < 900; i++)); do
		[ "$(there)" -lt "${1:-0}" ] || break
		sleep 0.1
	done
	shift
	if [ ${#pids[@]} = 0 ]; then
		"$@" &
	else
		HELD_UNTIL=$HELD_DIR/first-has-ended "$@" &
	fi
	pids+=($!)
}

after='' command=()
for word; do
	case $word in
	, | ,[0-9]*)
		start "$after" "${command[@]}"
		after=${word#,} command=() ;;
	*) command+=("$word") ;;
	esac
done
start "$after" "${command[@]}"

status=0
for pid in "${pids[@]}"; do
	wait "$pid" || status=$?
	: > "$HELD_DIR/first-has-ended"
done
exit $status
