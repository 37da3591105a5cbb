#!/bin/bash
# Build, then run suites, each by "make check-NAME": those that start jobs one after
# another, and beside them those that start none, where jobs can have processes
# and a /dev/shm of their own, else before them.
#
#   build-aux/check.sh BUILD "NAMES THAT START NO JOB" ["NAMES THAT START JOBS"]
#
# A line a suite as it ends, with its time and what failed; at the end what was
# skipped, and one line of counts.  What a suite printed is kept in BUILD/check/NAME.
set -u
said=$1/check
read -ra alone <<< "$2"
read -ra jobs <<< "${3-}"
rm -rf "$said"
mkdir -p "$said"

in_log() { "${MAKE:-make}" --no-print-directory "$2" > "$said/$1" 2>&1 < /dev/null; }

# counted FILE STATUS: passed, failed and skipped.  A suite without counts is one test, of which the status tells;
# a failure that is not in the counts is one more.
counted() {
	awk -v status="$2" '
		/^[a-z0-9-]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $2; failed += $4; skipped += $6; counts = 1 }
		END {
			if (status != 0 && failed == 0) failed = 1
			if (status == 0 && !counts) passed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$1"
}

# The tests that failed, with what is said of each; where none did, how it ended.
failures() {
	grep -q '^not ok ' "$1" || tail -n 15 "$1"
	awk '/^not ok / { told = 1; print; next } told && /^#   / { print; next } { told = 0 }' "$1"
}

suite() {
	local name=$1 log=$said/$1 began=$SECONDS status passed failed skipped
	in_log "$name" "check-$name"
	status=$?
	read -r passed failed skipped < <(counted "$log" $status)
	echo "$passed $failed $skipped" > "$log.counts"
	# One write, since two run at a time.
	printf '%s\n' "$(
		printf '%-14s %4d s  %d passed' "$name" $((SECONDS - began)) "$passed"
		[ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
		[ "$failed" = 0 ] || printf ', %d FAILED: see %s\n%s' "$failed" "$log" "$(failures "$log" | sed 's/^/    /')"
	)"
}
suites() { for name; do suite "$name"; done; }

# As tests/own-processes.sh and tests/own-shm.sh do.
own() { unshare "$1" --mount-proc mount -t tmpfs tmpfs /dev/shm 2>/dev/null; }

# Each in a process group of its own, all of which a signal ends.
lanes=()
in_lane() {
	set -m
	"$@" &
	set +m
	lanes+=($!)
}
end_lanes() {
	kill -- "${lanes[@]/#/-}" 2>/dev/null
	exit 1
}
trap end_lanes INT TERM HUP

in_lane in_log build built
if ! wait "${lanes[0]}"; then
	tail -n 20 "$said/build"
	echo "check: it does not build: see $said/build"
	exit 1
fi
printf '%-14s %4d s\n' build "$SECONDS"
lanes=()
if own -mpf || own -Urmpf; then
	in_lane suites "${alone[@]}"
	in_lane suites ${jobs[@]+"${jobs[@]}"}
else
	in_lane suites "${alone[@]}" ${jobs[@]+"${jobs[@]}"}
fi
wait

# The same reason once, with the number of tests.
for name in "${alone[@]}" ${jobs[@]+"${jobs[@]}"}; do
	sed -n 's/^ok .* # SKIP //p' "$said/$name" | sort | uniq -c | sed "s/^ */skipped in $name: /; s/\([0-9]\) /\1 x /"
done
cat "$said"/*.counts | awk '{ passed += $1; failed += $2; skipped += $3 }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }'
