#!/bin/bash
# Ranks that were confined together, on a node of four CPUs or more: those
# that inherited the same mask cut it, one that is alone with its mask keeps it.
#
#   tests/bignode-groups.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/bignode-groups/<test>.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "bignode-groups: no $preload: run make first" >&2; exit 1; }

# Four CPUs, each of a core of its own where there are as many cores.
mapfile -t cpu < <(taskset -c "$allowed" lscpu -p=CPU,CORE | awk -F, -v allowed="$allowed" '
	BEGIN {
		n = split(allowed, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i], end, "-")
			for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++)
				mine[c] = 1
		}
	}
	!/^#/ && mine[$1] { if (seen[$2]++) later[++n2] = $1; else print $1 }
	END { for (i = 1; i <= n2; i++) print later[i] }' | head -n 4 | sort -n)
if [ "${#cpu[@]}" -lt 4 ] || [ "$(taskset -c "$allowed" nproc)" -lt 4 ]; then
	give_up skip "everything" "it takes four CPUs"
fi
if [ "$(taskset -c "$allowed" nproc)" = 4 ]; then
	# All four are the allowed set itself, so a mask of all four is no narrow one.
	pairs_only=1
else
	pairs_only=
fi
low=${cpu[0]},${cpu[1]} high=${cpu[2]},${cpu[3]} middle=${cpu[1]},${cpu[2]}

bin=$work/bin
mkdir -p "$bin"
for source in settle launch; do
	newer_than "$bin/$source" "$sources/$source.c" ||
		gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -pthread "$sources/$source.c" -o "$bin/$source" || exit 1
done
settle=$bin/settle launch=$bin/launch

# masked FOLDER MASK... -- COMMAND...: one rank with each mask; leaves out (sorted) and err.
masked() {
	local to=$1 masks=() i
	shift
	while [ "$1" != -- ]; do
		masks+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016
	MASKS=${masks[*]} timeout -k 5 "$hangs" "$launch" -p "$preload" "${#masks[@]}" bash -c '
		read -ra masks <<< "$MASKS"
		exec taskset -c "${masks[$SPLITPIN_LOCAL_RANK]}" "$@"' - "$@" \
		> "$to/out.raw" 2> "$to/err.raw" < /dev/null
	echo $? > "$to/status"
	sort "$to/out.raw" > "$to/out"
	grep -v '^launch: ' "$to/err.raw" > "$to/err"
}

# one NAME "RANK'S MASKS" "EXPECTED SHARES": quiet, and each rank has its share.
one() {
	local test=$1 list=$2 shares=$3 to i=0 share
	shift 3
	to=$(folder "$test")
	# shellcheck disable=SC2086
	masked "$to" $list -- "${@:-$settle}"
	for share in $shares; do
		echo "rank $((i++)) cpus $share"
	done | sort -u > "$to/expected"
	verdict "$test" "$(
		expect "shares" "$(sort -u "$to/out" | paste -s -d ' ')" "$(paste -s -d ' ' "$to/expected")"
		expect "standard error" "$(cat "$to/err")" ""
		expect "exit status" "$(cat "$to/status")" 0
	)"
}

one "two ranks confined together" "$low $low" "${cpu[0]} ${cpu[1]}"
one "two groups of two" "$low $high $low $high" "${cpu[0]} ${cpu[2]} ${cpu[1]} ${cpu[3]}"
one "bound one by one" "${cpu[0]} ${cpu[1]} ${cpu[2]}" "${cpu[0]} ${cpu[1]} ${cpu[2]}"
one "a group beside one that is bound" "$low ${cpu[3]} $low" "${cpu[0]} ${cpu[3]} ${cpu[1]}"
[ -n "$pairs_only" ] || one "four ranks confined together" "$low,$high $low,$high $low,$high $low,$high" "${cpu[*]}"
one "children of a confined rank" "$low $low" "${cpu[0]} ${cpu[1]}" "$settle" system "$settle"
one "a confined rank executes another program" "$low $low" "${cpu[0]} ${cpu[1]}" "$settle" exec "$settle"
one "two programs one after the other" "$low $low" "${cpu[0]} ${cpu[1]}" sh -c "$settle; $settle"

test="masks that overlap in part are kept, and a warning says so"
to=$(folder "$test")
masked "$to" "$low" "$middle" -- "$settle" meet "$to/all" 2
verdict "$test" "$(
	expect "shares" "$(sed 's/.* //' "$to/out" | paste -s -d ' ')" "$low $middle"
	expect "warnings" "$(grep -c 'warning: .* 2 of 2 ranks overlap' "$to/err")" 1
	expect "lines" "$(wc -l < "$to/err")" 1
)"

test="more ranks than CPUs in one group"
to=$(folder "$test")
masked "$to" "${cpu[3]}" "$low" "$low" "$low" -- "$settle"
verdict "$test" "$(
	expect "warnings" "$(grep -c 'warning: .* 3 ranks share 2 CPUs' "$to/err")" 1
	expect "lines" "$(wc -l < "$to/err")" 1
	expect "shares" "$(sed 's/.* //' "$to/out" | paste -s -d ' ')" "${cpu[3]} $low $low $low"
)"

# Whoever is killed, and when: those that live are cut or keep, all alike.
test="100 groups of which ranks are killed"
to=$(folder "$test")
for ((i = 0; i < 100; i++)); do
	SPLITPIN_WAIT=0.05 taskset -c "$low" "$launch" -p "$preload" -k 12 -s $i 2 "$settle" stay 2 2> "$to/err" < /dev/null | sort > "$to/out"
	if [ "$(wc -l < "$to/out")" = 2 ]; then
		both=$(sed 's/.* //' "$to/out" | paste -s -d ' ')
		[ "$both" = "${cpu[0]} ${cpu[1]}" ] || [ "$both" = "$low $low" ] || echo "shares $both"
	fi
	grep -v -e ^launch: -e 'not all 2 ranks of this node appeared' "$to/err"
done > "$to/wrong"
verdict "$test" "$(head -n 3 "$to/wrong")"

for mpi in openmpi mpich; do
	if ! command=$(program "$mpi" gcc hybrid.c); then
		skip "$mpi" "not installed"
		continue
	fi
	run=$(mpi_tool "$mpi" mpirun)
	none=()
	[ "$mpi" = mpich ] || none=(--bind-to none)
	started() { sed -n "s/^start .*\bcpus=\([^ ]*\).*/\1/p" "$1/rank.$2"; }
	export LD_PRELOAD=$preload

	test="$mpi: taskset before the launcher"
	to=$(folder "$test")
	PLACEMENT_DIR=$to timeout -k 5 "$hangs" taskset -c "$low" "$run" "${none[@]}" -n 2 "$command" > "$to/out" 2> "$to/err" < /dev/null
	verdict "$test" "$(
		expect "share of rank 0" "$(started "$to" 0)" "${cpu[0]}"
		expect "share of rank 1" "$(started "$to" 1)" "${cpu[1]}"
		grep splitpin: "$to/err"
	)"

	test="$mpi: the launcher binds to cores"
	to=$(folder "$test")
	bound=(--bind-to core)
	[ "$mpi" = openmpi ] || bound=(-bind-to core)
	(unset LD_PRELOAD; PLACEMENT_DIR=$to timeout -k 5 "$hangs" "$run" "${bound[@]}" -n 2 "$command" > "$to/out" 2> "$to/err" < /dev/null)
	cp "$to/rank.0" "$to/without.0"
	cp "$to/rank.1" "$to/without.1"
	PLACEMENT_DIR=$to timeout -k 5 "$hangs" "$run" "${bound[@]}" -n 2 "$command" > "$to/out" 2> "$to/err" < /dev/null
	verdict "$test" "$(
		for rank in 0 1; do
			expect "mask of rank $rank" "$(started "$to" $rank)" "$(sed -n "s/^start .*\bcpus=\([^ ]*\).*/\1/p" "$to/without.$rank")"
		done
		grep splitpin: "$to/err"
	)"

	test="$mpi: masks that overlap in part are told of"
	to=$(folder "$test")
	# One program for both: mpirun of Open MPI 5.0.7 cannot start two, see board.sh.
	# shellcheck disable=SC2016 # the ranks expand
	PLACEMENT_DIR=$to timeout -k 5 "$hangs" "$run" "${none[@]}" -n 2 bash -c '
		masks=("$0" "$1")
		exec taskset -c "${masks[${OMPI_COMM_WORLD_RANK:-$PMI_RANK}]}" "$2"' "$low" "$middle" "$command" \
		> "$to/out" 2> "$to/err" < /dev/null
	verdict "$test" "$(
		expect "warnings" "$(grep -c "2 of 2 ranks overlap: ranks 0 and 1 both have CPUs* ${cpu[1]}\$" "$to/err")" 1
		expect "lines" "$(grep -c splitpin: "$to/err")" 1
	)"
	unset LD_PRELOAD
done

closing
