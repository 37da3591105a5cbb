#!/bin/bash
# The workers of PyTorch's torchrun, and of accelerate and deepspeed where these are
# installed beside it: disjoint as typed, those of torchrun with the losses that they
# have without splitpin to the last bit, and with all that they start on their
# shares: gloo's threads, data loaders by fork, forkserver and spawn, a helper.
#
#   tests/torch.sh [BUILD [PRELOAD]]
#
# Which torchrun: TORCHRUN, BUILD/deps/torch/bin/torchrun, or that of the path.
# A whole PyTorch is large (with CUDA three gigabytes), so none is fetched.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

torchrun=$(torchrun) || give_up skip "everything" "$no_torchrun"
if [ "$(nproc)" -lt 2 ]; then
	give_up skip "everything" "there is one CPU"
fi

# train NAME [VARIABLE=VALUE...] [-- WAY]: the lines of two workers are in $work/NAME, sorted.
train() {
	local name=$1 variables=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do variables+=("$1"); shift; done
	timeout -k 5 "$hangs" env -u OMP_NUM_THREADS "${variables[@]}" "$torchrun" --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint localhost:0 \
		"$sources/train.py" "${@:2}" > "$work/$name.log" 2>&1 || echo "status $?: $(tail -n 1 "$work/$name.log")"
	grep '^rank ' "$work/$name.log" | sort > "$work/$name"
}

# of NAME RANK KEY: the values, once each.
of() { sed -n "s/^rank $2 $3 //p" "$work/$1" | sort -u | paste -s -d ' '; }

# Losses stay in the order of the steps.
losses() { grep '^rank [01] loss ' "$work/$1.log" | sort -s -k 2,2n; }

# on_shares NAME: all is on the share of its worker, and the shares are disjoint.
on_shares() {
	local rank share all=""
	for rank in 0 1; do
		share=$(of "$1" $rank begin)
		all="$all,$share"
		expect "the CPUs of rank $rank in the end" "$(of "$1" $rank end)" "$share"
		expect "the CPUs of a helper of rank $rank" "$(of "$1" $rank helper)" "$share"
		expect "the CPUs of threads of rank $rank" "$(sed -n "s/^rank $rank thread [^ ]* //p" "$work/$1" | sort -u | expanded)" "$share"
		[ "$1" = plain ] || expect "the CPUs of data loaders of rank $rank" "$(sed -n "s/^rank $rank loader [0-9]* //p" "$work/$1" | sort -u | expanded)" "$share"
	done
	[ "$(tr , '\n' <<< "$all" | grep -c .)" = "$(tr , '\n' <<< "$all" | grep . | sort -u | grep -c .)" ] || echo "shares overlap: $all"
}

# expanded: CPU lists, one a line, as numbers with commas between them.
expanded() { while IFS= read -r line; do tr , '\n' <<< "$line" | awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | paste -s -d ,; done; }

verdict "without splitpin" "$(train without; expect "workers" "$(of without 0 begin)" "$(of without 1 begin)")"
verdict "as typed" "$(train plain LD_PRELOAD="$preload"; on_shares plain
	expect losses "$(losses plain)" "$(losses without)")"
for way in fork forkserver spawn; do
	verdict "data loaders by $way" "$(train $way LD_PRELOAD="$preload" -- $way; on_shares $way
		expect losses "$(losses $way)" "$(losses without)")"
done
verdict "one thread, by torchrun" "$(train single LD_PRELOAD="$preload" SPLITPIN_DRYRUN="core:28 pu:1" SPLITPIN_REPORT=1
	expect "what the report says" "$(grep -o '2 ranks have 1 thread, set by torchrun unless you did; the share has 14 cores' "$work/single.log")" \
		"2 ranks have 1 thread, set by torchrun unless you did; the share has 14 cores")"

# What check says of its line, from probes in the workers' places.
OMP_NUM_THREADS=1 LD_PRELOAD=$preload timeout -k 5 "$hangs" "$build/splitpin" check --format json \
	"$torchrun" --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint localhost:0 "$sources/train.py" >"$work/check" 2>"$work/check.err"
verdict "check" "$(expect status $? 0
	expect "the CPUs of the workers" "$(python3 -c 'import json, sys
print(*(",".join(map(str, r["cpus"])) for r in json.load(open(sys.argv[1]))["ranks"]), sep="\n")' "$work/check")" "$(for rank in 0 1; do of plain $rank begin; done)")"

# Launchers of others, where they are installed beside torchrun.
for launcher in "accelerate launch --multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no" \
	"deepspeed --no_local_rank --num_accelerators 2"; do
	name=${launcher%% *}
	if [ ! -x "${torchrun%/*}/$name" ]; then
		skip "$name" "not installed beside $torchrun"
		continue
	fi
	# shellcheck disable=SC2086 # a command and its options
	verdict "$name" "$(
		timeout -k 5 "$hangs" env -u OMP_NUM_THREADS PATH="${torchrun%/*}:$PATH" DS_ACCELERATOR=cpu LD_PRELOAD="$preload" \
			$launcher $sources/train.py > "$work/plain.log" 2>&1 || echo "status $?: $(tail -n 1 "$work/plain.log")"
		grep '^rank ' "$work/plain.log" | sort > "$work/plain"
		expect "workers" "$(grep -c '^rank [01] begin' "$work/plain")" 2
		on_shares plain
	)"
done
closing
