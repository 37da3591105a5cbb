# shellcheck shell=bash
# What measurements share that run jobs in several ways by turns; sourced from
# the top of the source tree, with a /dev/shm of its own where the kernel allows
# it.  Ends the script if there is no library.
#
# $work/WAY has a line for each run of a way: its time in seconds.  Figures are
# the median of the rounds and the fastest, which other programs disturb least.

# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "$script: no $preload: run make first" >&2; exit 1; }

# Of the numbers on standard input.
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
fastest() { sort -n | head -n 1; }

# slowest WAY FILE...: one run was these jobs, of which the slowest counts.
slowest() {
	sed -n 's/^slowest: //p' "${@:2}" | sort -n | tail -n 1 >> "$work/$1"
}

# row WAY BEST LABEL [LIMIT]: and the ratios of both figures to those of another way.
row() {
	printf '   %-34s%7s s  %7s s' "$3" "$(median < "$work/$1")" "$(fastest < "$work/$1")"
	awk -v a="$(median < "$work/$1")" -v b="$(median < "$work/$2")" -v c="$(fastest < "$work/$1")" -v d="$(fastest < "$work/$2")" \
		-v limit="${4-}" 'BEGIN {
		printf "   ratios %.3f  %.3f", a / b, c / d
		if (limit != "")
			printf "   (limit %s: %s)", limit, c / d <= limit ? "kept" : "EXCEEDED"
		print ""
	}'
}
