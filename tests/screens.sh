#!/bin/bash
# What the commands print in a terminal of 80 columns is what is kept in
# tests/data/screens, and nothing is wider on any recorded machine.
#
#   tests/screens.sh [BUILD]
#
# After a deliberate change "make screens" writes what is kept anew.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

splitpin=$build/splitpin
screens=$build/screens
kept=tests/data/screens
machines=tests/data/topologies
for tool in "$splitpin" "$screens"; do
	[ -x "$tool" ] || { echo "screens: no $tool: run make check-screens" >&2; exit 1; }
done
export COLUMNS=80 LC_ALL=C.UTF-8
unset NO_COLOR TERM SPLITPIN_NEIGHBOURS

# screen NAME COMMAND...: its output, on both streams, is the one that is kept.
screen() {
	local name=$1
	shift
	"$@" >"$work/$name.txt" 2>&1 </dev/null
	if [ -n "${RENEW-}" ]; then
		mkdir -p $kept
		cp "$work/$name.txt" "$kept/$name.txt"
	fi
	if diff -u "$kept/$name.txt" "$work/$name.txt" >"$work/$name.diff"; then
		pass "$name"
	else
		fail "$name" "$(head -n 20 "$work/$name.diff")"
	fi
}

# fits NAME COMMAND...: no line on standard output is wider than COLUMNS, and none has a control character.
fits() {
	local name=$1 wrong
	shift
	"$@" >"$work/out" 2>"$work/err" </dev/null
	wrong=$(grep -n -e ".\\{$((COLUMNS + 1))\\}" "$work/out" | head -n 3 | cat -v)$(cat "$work/out" "$work/err" | grep '[[:cntrl:]]' | cat -v)
	cat "$work/err" >>"$work/out"
	if [ -s "$work/out" ] && [ -z "$wrong" ]; then pass "$name"; else fail "$name" "$* printed: $wrong"; fi
}

on() { "$splitpin" plan --topology "$machines/$1.xml" "${@:2}"; }

for machine in knl-snc4-flat:4:16 epyc-9654-2s:8:24 hybrid-pe-20:2:7; do
	IFS=: read -r name ranks threads <<<"$machine"
	screen "plan-$name" on "$name" -n "$ranks" -t "$threads"
	screen "report-$name" "$screens" report "$machines/$name.xml" "$ranks" "$threads"
	screen "show-$name" "$screens" show "$machines/$name.xml" "$ranks" "$threads"
done
screen plan-parts-beside on epyc-9654-2s -n 4 -t 8 : -n 1 -t 20 --beside "-n 2 -t 12 : -n 1 -t 3"
screen plan-gpus on epyc-mi250x-tioga -n 8 --gpus all
screen advise on epyc-9654-2s --advise
screen advise-gpus on epyc-mi250x-tioga --advise --gpus all --nodes 4
screen plan-4096 "$splitpin" plan -n 4096 -t 1 --topology "pack:16 numa:2 core:128 pu:2"
screen plan-colours on hybrid-pe-20 -n 2 -t 4 --color always
screen help "$splitpin" help
for command in plan run show check; do screen "help-$command" "$splitpin" $command --help; done
fits help-config "$splitpin" config --help
fits help-compare "$splitpin" compare --help
fits check "$splitpin" check
fits config "$splitpin" config --all

for machine in "$machines"/*.xml "$machines"/gpus/*.xml; do
	name=$(basename "$machine" .xml)
	fits "fits-$name" "$splitpin" plan -n 3 -t 5 --gpus all --topology "$machine"
	COLUMNS=40 fits "fits-$name-in-40" "$splitpin" plan -n 3 -t 5 --gpus all --memory hbm --topology "$machine"
	fits "fits-$name-show" "$screens" show "$machine" 3 12
done
COLUMNS=40 fits "fits-advise-in-40" on epyc-9654-2s --advise
COLUMNS=40 fits "fits-many-in-40" "$splitpin" plan -n 4096 -t 1 --topology "pack:16 numa:2 core:128 pu:2"

# A page, whatever the number of ranks; --all has every one.
lines=$(wc -l <"$work/plan-4096.txt")
if [ "$lines" -gt 9 ] && [ "$lines" -le 24 ]; then pass plan-4096-is-a-page; else fail plan-4096-is-a-page "$lines lines"; fi
found=$("$splitpin" plan -n 300 -t 1 --all --topology "pack:2 core:256 pu:1" | grep -c '^rank ')
if [ "$found" = 300 ]; then pass all-ranks; else fail all-ranks "$found ranks"; fi

# Names do not control the terminal.
cp "$machines/hybrid-pe-20.xml" "$work/"$'a\e[31mb.xml'
fits name-of-a-file "$splitpin" plan -n 1 --topology "$work/"$'a\e[31mb.xml'
fits wrong-name "$splitpin" plan -n 1 --topology $'x\e]0;title\ax'
fits wrong-option "$splitpin" plan $'--x\e[2J'

# Colours only where they are wanted.
coloured() { "$@" | grep -q $'\e\['; }
if on hybrid-pe-20 -n 2 | grep -v $'\e\[' | cmp -s - <(on hybrid-pe-20 -n 2 --color never) && [ -n "$(on hybrid-pe-20 -n 2)" ]; then
	pass no-colours-in-a-pipe
else
	fail no-colours-in-a-pipe "there are some, or nothing"
fi
if ! command -v script >/dev/null; then
	skip colours-on-a-terminal "no script"
else
	# In a terminal of script's: with a TERM, without, and with NO_COLOR.
	terminal() { env "$@" script -qec "'$splitpin' plan -n 2 --topology $machines/hybrid-pe-20.xml" /dev/null </dev/null; }
	faults=
	coloured terminal TERM=xterm || faults+="none with TERM=xterm; "
	! coloured terminal TERM=dumb || faults+="some with TERM=dumb; "
	! coloured terminal TERM=xterm NO_COLOR=1 || faults+="some with NO_COLOR=1; "
	! coloured terminal TERM=xterm OMPI_COMM_WORLD_LOCAL_RANK=0 || faults+="some in a rank of Open MPI; "
	verdict colours-on-a-terminal "$faults"
fi

closing
