#!/bin/bash
# Two jobs at a time, of which the first ends first.
#
#   jobs.sh RANKS FIRST... , SECOND...
#
# The second starts as soon as so many ranks of the first are held (held.h); 0:
# at the same time.
set -u
wait_for=$1
shift
first=()
while [ "$1" != , ]; do
	first+=("$1")
	shift
done
shift

held() { grep -sl '^held ' /proc/[0-9]*/comm | wc -l; }

"${first[@]}" &
pid=$!
for ((i = 0; i < 900; i++)); do
	[ "$(held)" -lt "$wait_for" ] || break
	sleep 0.1
done
HELD_UNTIL=$HELD_DIR/first-has-ended "$@" &
wait $pid
status=$?
: > "$HELD_DIR/first-has-ended"
wait $! && exit $status
