#!/bin/bash
# Two lists of goals of make, those of the second in the order given, and beside
# them those of the first where jobs can have processes and a /dev/shm of their own,
# else before them.  What the first said follows when both have ended.
#
#   build-aux/check.sh BUILD "GOALS THAT START NO JOB" "GOALS THAT START JOBS"
#
# A signal that ends make ends what runs beside it, too.
set -u
said=$1/check.log
read -ra without <<< "$2"
read -ra jobs <<< "$3"

in_turn() { "${MAKE:-make}" --no-print-directory "$@"; }

# As tests/own-processes.sh and tests/own-shm.sh do.
own() { unshare "$1" --mount-proc mount -t tmpfs tmpfs /dev/shm 2>/dev/null; }

if ! own -mpf && ! own -Urmpf; then
	in_turn "${without[@]}" "${jobs[@]}"
	exit
fi
echo "check: ${without[*]}: beside the others, in $said"
in_turn "${without[@]}" > "$said" 2>&1 < /dev/null &
beside=$!
trap 'kill "$beside" 2>/dev/null' INT TERM HUP
in_turn "${jobs[@]}"
status=$?
wait "$beside" || status=$?
cat "$said"
exit "$status"
