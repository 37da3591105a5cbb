#!/bin/bash
# The site's file: what ranks and the command make of it, and what it must not
# do to them.
#
#   tests/site.sh [BUILD]
#
# BUILD is a build whose SYSCONFDIR is BUILD/etc, as "make check-site" makes:
# build/site.
set -u
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# The file has to be root's; to a user who is none, those in a name space of
# their own are.
if [ "$(id -u)" != 0 ]; then
	unshare -r true 2>/dev/null && exec unshare -r "$0" "$@"
	echo "1..0 # SKIP no root and no name space of users"
	echo "site: 0 passed, 0 failed, 1 skipped"
	exit 0
fi

[ $# -gt 0 ] || set -- build/site
# shellcheck source=tests/lib.sh
. tests/lib.sh
splitpin=$build/splitpin
etc=$build/etc
file=$etc/splitpin.conf
[ -x "$splitpin" ] || { echo "site: no $splitpin: run make check-site" >&2; exit 1; }
umask 022
rm -rf "$etc" "$work"
mkdir -p "$etc" "$work/opt/app/bin" "$work/opt/other"
work=$(readlink -f "$work")

# The file's new text, from standard input.
conf() {
	rm -rf "$file"
	cat > "$file"
}

# expect NAME EXPECTED FOUND
expect() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "\"$3\" instead of \"$2\""; fi; }

warnings() { grep -c 'splitpin: warning: ' "$work/err"; }

# warned NAME SENTENCE: exactly one warning, which ends in this.
warned() {
	local found
	found=$(sed -n 's/^splitpin: warning: host=[^ ]* //p' "$work/err")
	expect "$1" "$2" "$found"
}

# as_rank COMMAND: as the one rank of an invented machine of 8 cores with 2
# hardware threads each; the output is in $work/err.
as_rank() {
	timeout -k 5 "$hangs" env LD_PRELOAD="$preload" SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 \
		SPLITPIN_DRYRUN="core:8 pu:2" SPLITPIN_DEBUG=1 "$@" > "$work/out" 2> "$work/err" < /dev/null
	echo $? > "$work/status"
}

# The number of cores in the decision of $work/err; nothing where there is none.
decided() { sed -n 's/.* active=.* core_list=\([0-9,-]*\) .*/\1/p' "$work/err" | tr , '\n' | awk -F- '{ n += $NF - $1 + 1 } END { if (NR) print n }'; }

# "none": the rank of $work/err has decided nothing, and says that the site is why.
shares_nothing() {
	local found
	found=$(decided)
	[ -n "$found" ] || grep -q 'note="SPLITPIN=off by ' "$work/err" || found="no decision, and no note"
	echo "${found:-none}"
}

# cores NAME EXPECTED COMMAND: how many cores the rank's decision has; "none"
# where there is no decision.  It says nothing unasked, and the program ends well.
cores() {
	local name=$1 expected=$2 found
	shift 2
	as_rank "$@"
	found=$(decided)
	found="${found:-none}$(sed -n 's/.*splitpin: warning:/, &/p' "$work/err")"
	[ "$(cat "$work/status")" = 0 ] || found="$found, status $(cat "$work/status")"
	expect "$name" "$expected" "$found"
}

# refused NAME WHY: nobody can say what was in the file, so splitpin is off, with this one warning.
refused() {
	as_rank env SPLITPIN=on "$app"
	expect "$1: splitpin is off, also with SPLITPIN=on" "none 0" "$(shares_nothing) $(cat "$work/status")"
	warned "$1: one warning" "$file: $2; splitpin is off"
}

if ! program=$(program none gcc alone.c); then
	fail "the program for the tests" "alone.c does not compile"
	closing
	exit 1
fi
app=$work/opt/app/bin/solver other=$work/opt/other/solver
cp "$program" "$app"
cp "$program" "$other"

#
# What holds.
#

cores "no file" 8 "$app"
conf <<< "cores = 3"
cores "a line for every program" 3 "$app"
expect "a note tells the line" 1 "$(grep -c "note=\"SPLITPIN_CORES=3 by $file:1\"" "$work/err")"
cores "the environment is above the file" 2 env SPLITPIN_CORES=2 "$app"
cores "an empty variable is not set" 3 env SPLITPIN_CORES= "$app"
as_rank env SPLITPIN_CORES=x "$app"
warned "a wrong variable leaves the file's value" \
	"SPLITPIN_CORES=x is wrong: use equal, all, or a number from 1; 3 is used instead"
expect "and it holds" 3 "$(decided)"

conf <<END
# the site
cores = 2       # for all
Cores=3

[$work/opt/app/*]
  cores = 5
[$work/opt/other/solver]
cores = 6
[$work/opt/*/bin/*]
cores = 7
[$work/opt]
cores = 4
END
cores "a later section is above an earlier one" 7 "$app"
cores "a section of a whole path" 6 "$other"
ln -sf "$app" "$work/link"
cores "a program is known by its own path" 7 "$work/link"
cp "$app" "$work/elsewhere"
cores "a program that no section matches" 3 "$work/elsewhere"
cp "$app" "$work/opt/app/bin/a name with blanks"
conf <<END
[solver]
cores = 4
[*/a name with blanks]
cores = 5
[$work/opt/app/bin/s*r[12]]
cores = 6
END
cores "a section with blanks" 5 "$work/opt/app/bin/a name with blanks"
cp "$app" "$work/opt/app/bin/solver2"
cores "a section with brackets" 6 "$work/opt/app/bin/solver2"
cores "a section of a name" 4 "$app"

# A program that has been replaced while it runs.
if strace -o /dev/null true 2>/dev/null; then
	conf <<< "[/*/going]"$'\n'"cores = 5"
	cp "$app" "$work/going"
	cores "a program whose file is gone" 5 env -u LD_PRELOAD sh -c "exec 3< '$work/going' && rm '$work/going' &&
		LD_PRELOAD='$preload' exec /proc/self/fd/3"
fi

#
# Programs that are left alone.
#

conf <<END
cores = 3
leave_alone = /no/such/program $work/opt/app/*
leave_alone = elsewhere
[$work/opt/app/bin/solver2]
splitpin = on
END
cores "a program that is left alone" none "$app"
expect "a note tells why" "note=\"SPLITPIN=off by $file:2\"" "$(grep -o 'note=.*' "$work/err")"
as_rank env -u SPLITPIN_DEBUG SPLITPIN_REPORT=1 "$app"
expect "a report tells why too" "note=\"SPLITPIN=off by $file:2\"" "$(grep -o 'note=.*' "$work/err")"
cores "a program that is left alone by name" none "$work/elsewhere"
cores "other programs are not" 3 "$other"
cores "SPLITPIN=on is above it" 3 env SPLITPIN=on "$app"
cores "a section may take one out" 3 "$work/opt/app/bin/solver2"
conf <<END
splitpin = off
[$work/opt/app/*]
splitpin = on
END
cores "off for all" none "$other"
cores "but for some" 8 "$app"
cores "and for who wants it" 8 env SPLITPIN=on "$other"

#
# Sections of users and jobs, and some of the jobs.
#

group=$(id -g)
conf <<END
cores = 1
[user=$(id -u),4294967295]
cores = 2
[group=$group]
smt = 1
[account=phys-*]
cores = 3
[partition=debug,long]
cores = 4
END
unset SLURM_JOB_ACCOUNT SLURM_JOB_PARTITION SLURM_JOB_ID SLURM_HET_JOB_ID SLURM_JOB_CPUS_PER_NODE PBS_QUEUE PBS_JOBID LSB_QUEUE LSB_JOBID
cores "a section of a user" 2 "$app"
expect "and of a group" 1 "$(grep -c "note=\"SPLITPIN_SMT=1 by $file:5\"" "$work/err")"
cores "a section of an account" 3 env SLURM_JOB_ACCOUNT=phys-a "$app"
cores "another account" 2 env SLURM_JOB_ACCOUNT=chem "$app"
cores "a section of a partition" 4 env SLURM_JOB_ACCOUNT=phys-a SLURM_JOB_PARTITION=long "$app"
cores "a queue of PBS" 4 env PBS_QUEUE=debug "$app"
SLURM_JOB_ACCOUNT=chem "$splitpin" config > "$work/out"
expect "config: which section has chosen" "$file:3  [user=$(id -u),4294967295]" "$(sed -n 's/^cores  *2  *//p' "$work/out")"
expect "config: what is not known" "user=$(id -u),4294967295 matches,group=$group matches,account=phys-* does not match,partition=debug,long not known here, does not apply" \
	"$(sed -n 's/^          line [0-9]* *\[\(.*\)\]  */\1 /p' "$work/out" | paste -s -d ,)"

conf <<< "percent = 5"
in_trial() { SLURM_JOB_ID=$1 "$splitpin" config --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["on"])'; }
in=0 out=0
for ((id = 4711; !in || !out; id++)); do
	if [ "$(in_trial $id)" = True ]; then in=$id; else out=$id; fi
done
cores "percent: a job that is among them" 8 env SLURM_JOB_ID=$in "$app"
cores "percent: one that is not" none env SLURM_JOB_ID=$out "$app"
expect "percent: a note tells the line" "note=\"SPLITPIN=off by $file:1\"" "$(grep -o 'note=.*' "$work/err")"
cores "percent: who wants it" 8 env SLURM_JOB_ID=$out SPLITPIN=on "$app"
cores "percent: no batch system" none "$app"
expect "percent: config says why" "splitpin  is off: $file:1  percent = 5: this job is not among them" "$(SLURM_JOB_ID=$out "$splitpin" config | grep "^splitpin  is")"
expect "percent: config says that it is not known" \
	"percent percent = 5: this job is not known, since no batch system has numbered it" \
	"$("$splitpin" config --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["settings"][0]["off_by"])') $("$splitpin" config | tr -s ' \n' ' ' | grep -o 'percent = 5: .* numbered it' | sed 's/ numbered it .*/ numbered it/')"
conf <<< "exclusive_only = 1"
cores "exclusive_only: a job with some of the CPUs" none env SLURM_JOB_CPUS_PER_NODE="0,100000" "$app"
cores "exclusive_only: a job with all" 8 env SLURM_JOB_CPUS_PER_NODE="100000(x2)" "$app"
cores "exclusive_only: a job of which nobody knows" none "$app"

#
# Real ranks.
#

if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	skip "real ranks" "${confined:-it takes two CPUs}"
else
	gcc -O2 -pthread -Wall -Wextra -o "$work/launch" $sources/launch.c || fail launch "it does not compile"
	shares() {
		SPLITPIN_DEBUG=1 timeout -k 5 "$hangs" "$work/launch" -p "$preload" 2 "$@" 2>&1 < /dev/null |
			sed -n 's/.* active=[a-z]* cpu_list=\([^ ]*\) .*/\1/p' | sort | paste -s -d ' '
	}
	masks() {
		timeout -k 5 "$hangs" "$work/launch" -p "$preload" 2 "$@" 2> "$work/err" < /dev/null | sort | paste -s -d ' '
	}
	first=$("$splitpin" plan -n 2 --allowed "$allowed" --format lists | paste -s -d ' ')
	conf <<< "debug = 1"
	expect "ranks that the file makes talk" "$first" "$(unset SPLITPIN_DEBUG; timeout -k 5 "$hangs" "$work/launch" -p "$preload" 2 "$app" 2>&1 |
		sed -n 's/.* active=[a-z]* cpu_list=\([^ ]*\) .*/\1/p' | sort -n | paste -s -d ' ')"
	conf <<< "leave_alone = $work/opt/app/*"
	expect "ranks that are left alone share nothing out" "$ncpus processors, $ncpus threads $ncpus processors, $ncpus threads" "$(masks "$app")"
	expect "and say nothing" 0 "$(grep -c splitpin: "$work/err")"
	n=$(tr , '\n' <<< "${first%% *}" | awk -F - '{ n += NF > 1 ? $2 - $1 + 1 : 1 } END { print n }')
	expect "ranks that are not" "$n processors, $n threads" "$(masks "$other" | sed 's/threads .*/threads/')"
	expect "a job in which SPLITPIN=on" "$first" "$(SPLITPIN=on shares "$app")"

	conf <<END
smt = none
cores = 1
END
	unpinned="$ncpus processors, $ncpus threads $ncpus processors, $ncpus threads"
	expect "a wrong line leaves ranks unpinned, also with SPLITPIN=on" "$unpinned" "$(SPLITPIN=on SPLITPIN_REPORT=1 masks "$app")"
	warned "and is one warning a node" "$file:1: smt=none is wrong: use all, or a number from 1; splitpin is off"
	conf <<< "splitpin = never"
	expect "splitpin = never leaves ranks unpinned, also with SPLITPIN=on" "$unpinned" "$(SPLITPIN=on masks "$app")"
	expect "and says nothing" 0 "$(grep -c splitpin: "$work/err")"
	conf <<< "cores = 1"
	ln -s nowhere "$etc/splitpin.off"
	expect "splitpin.off leaves ranks unpinned, also with SPLITPIN=on" "$unpinned" "$(SPLITPIN=on masks "$app")"
	expect "and says nothing either" 0 "$(grep -c splitpin: "$work/err")"
	rm "$etc/splitpin.off"
fi

#
# Wrong lines.
#

# complains LINE SENTENCE
complains() {
	conf <<< "$1"$'\n'"cores = 3"
	as_rank env SPLITPIN=on "$app"
	warned "wrong: $1" "$file:1: $2; splitpin is off"
	expect "wrong: $1: splitpin is off, also with SPLITPIN=on" none "$(shares_nothing)"
}
complains "smt = x" "smt=x is wrong: use all, or a number from 1"
complains "smt =" "smt= is wrong: use all, or a number from 1"
complains "splitpin = of" "splitpin=of is wrong: use on, off, observe or never"
complains "smtt = 1" "smtt is not a setting of splitpin: did you mean smt?"
complains "colour = red" "colour is not a setting of splitpin: see splitpin.conf(5)"
complains "smt 1" "smt 1 is wrong: a line is NAME = VALUE, [GLOB] or a comment after #"
complains "local_rank = alone" "local_rank cannot be set in a site's file: every rank has its own"
complains "local_rank = 1" "local_rank cannot be set in a site's file: every rank has its own"
complains "local_size = 1" "local_size cannot be set in a site's file: every job has its own"
complains "dryrun = core:2" "dryrun cannot be set in a site's file: a machine is only for a user's dry run"
complains "leave_alone =" "leave_alone= is wrong: use globs separated by blanks"
complains "leave_alone = bin/x" "leave_alone=bin/x is wrong: it matches no path: a glob begins with / or *, or is a file's name without any /"

conf <<END
cores = 3
[opt/app/*]
cores = 4
[$work/opt/app
cores = 5
END
as_rank "$app"
expect "wrong sections switch splitpin off" none "$(shares_nothing)"
expect "and are told in one warning" "$file:2: section [opt/app/*] is wrong: it matches no path: a glob begins with / or *, or is a file's name without any /; 1 more line is wrong: see splitpin config; splitpin is off" \
	"$(sed -n 's/^splitpin: warning: host=[^ ]* //p' "$work/err")"

for ((i = 0; i < 100; i++)); do echo "line $i"; done | conf
as_rank "$app"
warned "many wrong lines are one warning" "$file:1: line 0 is wrong: a line is NAME = VALUE, [GLOB] or a comment after #; 99 more lines are wrong: see splitpin config; splitpin is off"
expect "and splitpin config tells them" 17 "$("$splitpin" config | sed -n '/^problems/,$p' | grep -c '^  .*splitpin.conf:')"
conf <<END
cores = 3
[$work/opt/other/*]
leave_alone = $work/opt/app/*
END
as_rank env SPLITPIN=on "$app"
warned "leave_alone behind a section" "$file:3: leave_alone is wrong here: it belongs before the first section; in a section use splitpin = off; splitpin is off"
expect "leave_alone behind a section: splitpin is off, also with SPLITPIN=on" none "$(shares_nothing)"

#
# Off for good.
#

conf <<< "splitpin = never"
cores "splitpin = never" none env SPLITPIN=on "$app"
expect "a note tells the line" "note=\"SPLITPIN=off by $file:1, splitpin = never\"" "$(grep -o 'note=.*' "$work/err")"
conf <<< "cores = 3"
: > "$etc/splitpin.off"
cores "splitpin.off" none env SPLITPIN=on "$app"
expect "a note tells the file" "note=\"SPLITPIN=off by $etc/splitpin.off\"" "$(grep -o 'note=.*' "$work/err")"
rm "$etc/splitpin.off"
cores "on again for the next program" 3 "$app"

#
# Files that are not to be trusted.
#

conf <<< "cores = 3"
if chown 12345 "$file" 2>/dev/null; then
	refused "another's file" "its owner is user 12345 instead of root"
else
	skip "another's file" "chown is not allowed here"
fi
conf <<< "cores = 3"
chmod 664 "$file"
refused "writable by the group" "its mode is 0664, so users other than root may write to it; chmod go-w"
chmod 646 "$file"
refused "writable by others" "its mode is 0646, so users other than root may write to it; chmod go-w"
chmod 644 "$file"
# Where each folder from / to the file's is root's: in a name space of users / is nobody's.
way_is_roots() {
	local at=$etc
	while [ "$(stat -c %u "$at")" = 0 ]; do
		[ "$at" != / ] || return 0
		at=$(dirname "$at")
	done
	return 1
}
links() {
	mv "$file" "$etc/real"
	ln -s real "$file"
	cores "a symbolic link on a way that is root's" 3 "$app"
	local way="it is a symbolic link, and on the way to its target"
	mkdir -p "$etc/managed/current"
	mv "$etc/real" "$etc/managed/current/splitpin.conf"
	ln -sfn managed/current "$etc/now"
	ln -sf "$etc/../etc/now/splitpin.conf" "$file"
	cores "a link through links and folders" 3 "$app"
	chmod 777 "$etc/managed"
	refused "a link through a folder of everybody's" "$way \"managed\" can be written to by users other than root"
	chmod 1777 "$etc/managed"
	cores "a link through a folder like /tmp" 3 "$app"
	chmod 755 "$etc/managed"
	if chown -h 12345 "$etc/now" 2>/dev/null; then
		refused "a link through another user's link" "$way \"now\" is not root's"
		chown -h 0 "$etc/now"
		chown 12345 "$etc/managed"
		refused "a link through another user's folder" "$way \"managed\" is not root's"
		chown 0 "$etc/managed"
	fi
	chmod 666 "$etc/managed/current/splitpin.conf"
	refused "a link to a file of everybody's" "its mode is 0666, so users other than root may write to it; chmod go-w"
	rm -r "$etc/managed" "$etc/now" "$file"
	ln -s nowhere "$file"
	refused "a symbolic link to nothing" "$way \"nowhere\" is not there"
	ln -sf splitpin.conf "$file"
	refused "a symbolic link to itself" "Too many levels of symbolic links"
}
if way_is_roots; then
	links
else
	skip "symbolic links" "a folder on the way to $etc is not root's"
fi
rm -f "$file"
mkfifo -m 600 "$file"
refused "a FIFO" "it is not a regular file"
rm "$file"
mkdir "$file"
refused "a folder" "it is not a regular file"
conf < <(yes "# filling" | head -c 65537)
refused "a huge file" "it is larger than 64 KiB"
conf < <(yes "# filling" | head -c 65525; echo; echo "cores = 4")
cores "a file that is just not too large" 4 "$app"
conf < <(printf 'cores = 3\n\0\n')
refused "a zero byte" "it is not text: it contains a zero byte"
conf < /dev/null
cores "an empty file" 8 "$app"
denied=(strace -o /dev/null -P "$file" -e trace=openat -e inject=openat:error=EPERM)
if "${denied[@]}" true 2>/dev/null; then
	as_rank "${denied[@]}" "$app"
	warned "a file that a filter of system calls denies: one warning" "$file: Operation not permitted; splitpin is off"
else
	skip "a file that a filter of system calls denies" "no strace, or it may not trace"
fi
for seed in 1 2 3 4; do
	conf < <(awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 20000; i++) printf("%c", 1 + int(rand() * 255)) }')
	as_rank "$app"
	expect "garbage $seed" "none 0" "$(shares_nothing) $(cat "$work/status")"
done

# What ordinary users' ranks make of it.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
as_nobody() { as_rank "${nobody[@]}" "$app"; }
# why_not_nobody: the reason where that cannot be tried.
why_not_nobody() {
	local needed
	"${nobody[@]}" true 2>/dev/null || { echo "setpriv does not work here"; return; }
	for needed in "$app" "$preload" "$(dirname "$preload")"/libsplitpin-*.so "$etc"; do
		"${nobody[@]}" test -r "$needed" || { echo "$needed is not for everybody"; return; }
	done
	! "${nobody[@]}" test -r /etc/shadow || echo "another user may read all files here"
}
conf <<< "cores = 3"
why=$(why_not_nobody)
if [ -n "$why" ]; then
	skip "ranks of another user" "$why"
else
	as_nobody
	expect "a rank of another user obeys" 3 "$(decided)"
	chmod 600 "$file"
	as_nobody
	warned "a file that users may not read" "$file: Permission denied; splitpin is off"
	chown 65534 "$file"
	as_nobody
	warned "a user's own file" "$file: its owner is user 65534 instead of root; splitpin is off"
fi

#
# Who reads it at all.
#

if strace -o /dev/null true 2>/dev/null; then
	conf <<< "cores = 3"
	opens() { strace -f -o "$work/trace" -E LD_PRELOAD="$preload" "$@" > /dev/null 2>&1; grep -c 'splitpin\.conf' "$work/trace"; }
	expect "a rank opens it once" 1 "$(SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 opens "$app")"
	expect "a rank with SPLITPIN=off does not open it" 0 "$(SPLITPIN=off SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 opens "$app")"
	expect "nor where off is written otherwise" 0 "$(SPLITPIN=" Off " SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 opens "$app")"
	expect "an OpenMP program that is no rank does not" 0 "$(opens "$app")"
	expect "nor does true" 0 "$(opens true)"
	expect "nor a shell with the variables of a rank" 0 "$(MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1 opens bash -c 'exit 0')"
	expect "it is closed again" 0 "$(SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 opens bash -c "'$app'; ls -l /proc/self/fd" > /dev/null
		awk '/openat?\(.*splitpin\.conf/ { fd = $NF } fd != "" && $0 ~ "close\\(" fd "\\)" { closed = 1 } END { print fd == "" || !closed }' "$work/trace")"
	# On several nodes a rank of Flux looks how many tasks its launcher has started, and may wait for them.
	# shellcheck disable=SC2016 # for that shell
	printf '%s\n' '#!/bin/bash' 'FLUX_TASK_LOCAL_ID=0 "$@" &' wait > "$work/flux-shell"
	chmod +x "$work/flux-shell"
	looks() {
		FLUX_JOB_ID=f7 FLUX_JOB_SIZE=2 FLUX_JOB_NNODES=2 strace -f -o "$work/trace" -E LD_PRELOAD="$preload" "$work/flux-shell" "$app" > /dev/null 2>&1
		grep -q '/children"' "$work/trace" && echo looks || echo "does not look"
	}
	expect "a rank of Flux on several nodes" looks "$(looks)"
	conf <<< "splitpin = never"
	expect "a rank of Flux where splitpin = never" "does not look" "$(looks)"
	conf <<< "cores = 3"
	# Of the library's own folder, which all nodes may share: the three parts, and whether one is in the subfolder.
	parts() { strace -f -o "$work/trace" -e trace=%file -E LD_PRELOAD="$preload" "$@" > /dev/null 2>&1; grep -c '/libsplitpin[-a-z]*\.so", ' "$work/trace"; }
	expect "calls of a rank that name a part of the library" 4 "$(SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 parts "$app")"
	expect "calls of an OpenMP program that is no rank" 1 "$(parts "$app")"
else
	skip "who opens the file" "strace does not work here"
fi

#
# The command.
#

# shows NAME EXPECTED STATUS OPTIONS: what "splitpin config" prints, with one
# blank behind a section: where its column ends depends on the path of BUILD.
shows() {
	local name=$1 expected=$2 status=$3 found
	shift 3
	LD_PRELOAD=${loaded-$preload} "$splitpin" config "$@" > "$work/out" 2> "$work/err" < /dev/null
	expected+=$'\n'"status $status" status=$?
	found=$(sed 's/\]  *\(matches\|does\|not known\)/] \1/' "$work/out"; echo "status $status"; cat "$work/err")
	expect "$name" "$expected" "$found"
}
unset SPLITPIN_NEIGHBOURS

rm -rf "$file"
shows "config: no file" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file (not there)
splitpin  active: in ranks

All settings have their defaults; --all shows them." 0

loaded='' shows "config: not loaded" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file (not there)
splitpin  is on, but not loaded here: see splitpin check

All settings have their defaults; --all shows them." 0
expect "config: not loaded, in JSON" "False True None" "$("$splitpin" config --format json | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["active"], found["on"], found["library"])')"

conf <<END
smt = 1
leave_alone = gmx_mpi
[$work/opt/app/*]
memory = interleave:all
[/opt/*]
END
export SPLITPIN_BIND=close
shows "config: for a program" "program   $app
file      $file
          line 3    [$work/opt/app/*] matches
          line 5    [/opt/*] does not match
splitpin  active: in ranks

setting  value           from
smt      1               $file:1
bind     close           environment
memory   interleave:all  $file:4  [$work/opt/app/*]

All other settings have their defaults; --all shows them." 0 --for "$app"
unset SPLITPIN_BIND
shows "config: a program that is left alone" "program   /opt/gmx/bin/gmx_mpi
file      $file
          line 3    [$work/opt/app/*] does not match
          line 5    [/opt/*] matches
splitpin  leaves this program alone: $file:2  leave_alone = gmx_mpi

setting   value  from
splitpin  off    $file:2  leave_alone = gmx_mpi
smt       1      $file:1

All other settings have their defaults; --all shows them." 0 --for /opt/gmx/bin/gmx_mpi
SPLITPIN=off shows "config: off in the environment" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file (not read, since SPLITPIN is off in the environment)
splitpin  is off: environment

setting   value  from
splitpin  off    environment

All other settings have their defaults; --all shows them." 0

expect "config: a name is looked for in PATH" "program   $app" \
	"$(PATH="$work/opt/app/bin:$PATH" "$splitpin" config --for solver | head -n 1)"
expect "config: a link is followed" "program   $app" "$("$splitpin" config --for "$work/link" | head -n 1)"
printf '#!/bin/sh\n' > "$work/script"
chmod +x "$work/script"
expect "config: a script" "program   $work/script (a script: in a run its interpreter's path counts)" \
	"$("$splitpin" config --for "$work/script" | head -n 1)"
settings=$("$splitpin" help settings | grep -c '^  SPLITPIN')
expect "config: a launcher, whose ranks are other programs" "a launcher: name the program that it starts" \
	"$(ln -sf "$app" "$work/mpirun" && "$splitpin" config --for "$work/mpirun" | sed -n '1s/.*(\(.*\))$/\1/p')"
expect "config: --all has every setting" "$settings" \
	"$("$splitpin" config --all | sed '1,/^setting /d' | wc -l)"

conf <<END
cores = 3
smt = x
END
SPLITPIN_BINT=1 shows "config: what is wrong" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file
splitpin  is off, whatever the environment says: an error in $file

setting  value  from
cores    3      $file:1

All other settings have their defaults; --all shows them.

problems
  SPLITPIN_BINT is not a setting of splitpin: did you mean SPLITPIN_BIND?
  $file:2: smt=x is wrong: use all, or a number from 1" 1
SPLITPIN_LOCAL_RANK=2 SPLITPIN_LOCAL_SIZE=2 "$splitpin" config > "$work/out"
expect "config: a rank that cannot be" "1 1" \
	"$? $(grep -c '^  SPLITPIN_LOCAL_RANK=2 is wrong: .* and SPLITPIN_LOCAL_SIZE to a larger one$' "$work/out")"
rm -f "$file"
mkfifo -m 600 "$file"
shows "config: a file that is refused" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file (refused, see below)
splitpin  is off, whatever the environment says: an error in $file

All settings have their defaults; --all shows them.

problems
  $file: it is not a regular file" 1

rm "$file"
: > "$etc/splitpin.off"
SPLITPIN=on shows "config: splitpin.off" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $file (not read)
splitpin  is off, whatever the environment says: $etc/splitpin.off

setting   value  from
splitpin  on     environment

All other settings have their defaults; --all shows them." 0
rm "$etc/splitpin.off"

conf <<END
smt = 1
leave_alone = /opt/gmx/*
[$work/opt/*]
cores = 3
mistake
END
LD_PRELOAD=$preload SPLITPIN_BIND=close "$splitpin" config --for "$app" --format json --all > "$work/json"
verdict "config: its JSON is as docs/splitpin.schema.json has it" "$(tests/schema.py config < "$work/json" 2>&1)"
if python3 - "$work/json" "$file" "$app" "$work" <<'END' 2> "$work/err"
import json, sys

found = json.load(open(sys.argv[1]))
settings = {row["name"]: row for row in found["settings"]}
assert found["file"] == sys.argv[2] and found["state"] == "read" and found["active"] is False
assert found["on"] is False and found["forbidden_by"] == "an error in " + sys.argv[2] and found["library"].endswith("/libsplitpin.so")
assert found["program"] == sys.argv[3]
assert found["sections"] == [{"line": 3, "section": sys.argv[4] + "/opt/*", "matches": True, "known": True}]
assert len(found["problems"]) == 1 and ":5: mistake is wrong" in found["problems"][0]["problem"]
def row(name, value, source, line=None, section=None):
    fields = settings["SPLITPIN_" + name]
    assert (fields["value"], fields["from"], fields["line"], fields["section"]) == (value, source, line, section), fields
row("SMT", "1", "file", 1)
row("CORES", "3", "file", 4, sys.argv[4] + "/opt/*")
row("BIND", "close", "environment")
row("MEMORY", "default", "default")
END
then
	pass "config: JSON"
else
	fail "config: JSON" "$(tail -n 1 "$work/err")"
fi
expect "config: JSON of a program that is left alone" "False /opt/gmx/*" \
	"$("$splitpin" config --for /opt/gmx/mdrun --format json | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["active"], found["settings"][0]["leave_alone"])')"
expect "config: JSON of a path that is no UTF-8" '/opt/\ufffd\xe9' \
	"$("$splitpin" config --for /opt/$'\xe9\xc3\xa9' --format json | python3 -c '
import json, sys
print(ascii(json.loads(sys.stdin.buffer.read().decode("utf-8"))["program"])[1:-1])')"

# A file before it is the site's: whoever owns it, and whatever is in its place or in the environment.
new=$work/new.conf
cat > "$new" <<END
splitpin = never
[$work/opt/app/*]
cores = 3
END
chmod 666 "$new"
ln -sf new.conf "$work/link.conf"
SPLITPIN=on SPLITPIN_BINT=1 SPLITPIN_CORES=2 shows "config --file" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $work/link.conf
          line 2    [$work/opt/app/*] not known here, does not apply
splitpin  is off, whatever the environment says: $work/link.conf:1, splitpin = never

setting   value  from
splitpin  off    $work/link.conf:1

All other settings have their defaults; --all shows them." 0 --file "$work/link.conf"
sed -i 1d "$new"
shows "config --file --for" "program   $app
file      $new
          line 1    [$work/opt/app/*] matches
splitpin  is on by this file

setting  value  from
cores    3      $new:2  [$work/opt/app/*]

All other settings have their defaults; --all shows them." 0 --file "$new" --for "$app"
printf '%s\n' "leave_alone = solver" "smtt = 1" >> "$new"
shows "config --file: wrong lines" "program   none given: use --for PROGRAM to apply sections and leave_alone
file      $new
          line 1    [$work/opt/app/*] not known here, does not apply
splitpin  is off, whatever the environment says: an error in $new

All settings have their defaults; --all shows them.

problems
  $new:3: leave_alone is wrong here: it belongs before the first section; in a section use splitpin = off
  $new:4: smtt is not a setting of splitpin: did you mean smt?" 1 --file "$new"
expect "config --file: JSON" "1 $new 2" "$("$splitpin" config --file "$new" --format json > "$work/json"; echo "$?" "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
print(found["file"], len(found["problems"]))' "$work/json")")"
rm "$new"
expect "config --file: a link to nothing" "1 $work/link.conf: No such file or directory" \
	"$("$splitpin" config --file "$work/link.conf" > "$work/out"; echo "$? $(sed -n 's/^  \([^ ]*link\.conf: \)/\1/p' "$work/out")")"
mkfifo "$new"
expect "config --file: a FIFO" "1 $new: it is not a regular file" \
	"$("$splitpin" config --file "$new" > "$work/out"; echo "$? $(sed -n 's/^  \([^ ]*new\.conf: \)/\1/p' "$work/out")")"

# wrong NAME MESSAGE OPTIONS: status 2 and one line.
wrong() {
	local name=$1 message=$2 status
	shift 2
	"$splitpin" config "$@" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
	expect "$name" "2 1 splitpin: $message" "$status $(cat "$work/out" "$work/err" | wc -l) $(cat "$work/err")"
}
wrong "config: no such program" "--for no-such-program: not found in PATH; include a slash if it is a path" --for no-such-program
wrong "config: no such path" "--for no/such: No such file or directory" --for no/such
wrong "config: a folder" "--for /usr/bin: not an executable file" --for /usr/bin
wrong "config: unknown format" "--format svg: use text or json" --format svg
wrong "config: unknown option" "--frob: unknown option; see splitpin config --help" --frob
wrong "config: an argument" "x: splitpin config takes only options; --for PROGRAM names a program" x
expect "config: full device" 1 "$("$splitpin" config > /dev/full 2> /dev/null; echo $?)"

conf <<< "cores = 3"
expect "a plan has the file's settings" 3 \
	"$("$splitpin" plan -n 1 -t 1 --topology "core:8 pu:1" --format lists | tr , '\n' | wc -l)"
expect "and others above them" 2 \
	"$("$splitpin" plan -n 1 -t 1 --topology "core:8 pu:1" --cores 2 --format lists | tr , '\n' | wc -l)"
conf <<< "splitpin = off"
expect "a plan is shown where splitpin is off for all" "0-7" \
	"$("$splitpin" plan -n 1 -t 1 --topology "core:8 pu:1" --format lists)"

# splitpin run in a program in which nothing will happen.
runs() {
	local name=$1 expected=$2
	shift 2
	"$splitpin" run "$@" > "$work/out" 2> "$work/err" < /dev/null
	expect "run: $name" "0 $expected" "$? $(cat "$work/err")"
	[ "$name" = "a shell" ] || expect "run: $name, and the program runs" 1 "$(grep -c ' processors, ' "$work/out")"
}
nothing="splitpin: nothing will be pinned:"
conf <<< "leave_alone = $work/opt/app/*"
runs "a program that is left alone" "$nothing switched off by $file:1, leave_alone = $work/opt/app/*" "$app"
runs "a link to it, with --alone" "$nothing switched off by $file:1, leave_alone = $work/opt/app/*" --alone "$work/link"
conf <<< "splitpin = never"
SPLITPIN=on runs "splitpin = never" "$nothing switched off by $file:1, splitpin = never" "$app"
conf <<< "leave_alone = $work/opt/app/*"
SPLITPIN=on runs "SPLITPIN=on" "" --local-rank 0 --local-size 1 "$app"
SPLITPIN=off runs "SPLITPIN=off" "$nothing switched off by SPLITPIN=off in the environment" "$other"
runs "no launcher" "" "$other"
runs "no launcher, behind env" "" env A=B "$other"
SPLITPIN_LOCAL_RANK=alone runs "no launcher, and the user does not want it" "$nothing $other has no launcher, and --alone is off" --alone off "$other"
runs "the same by an option" "$nothing $other has no launcher, and --alone is off" --alone=off "$other"
runs "the same of one around it" "$nothing $other has no launcher, and --alone is off" --alone off -- nice "$splitpin" run --smt 1 "$other"
runs "the same, where the inner one says otherwise" "" --alone off -- "$splitpin" run --alone "$other"
SPLITPIN=off runs "off, and on for an inner one" "" env SPLITPIN=on "$splitpin" run --local-rank 0 --local-size 1 "$other"
runs "a rank by env" "" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$other"
runs "a rank" "" --local-rank 0 --local-size 1 "$other"
SPLITPIN_LOCAL_RANK=1 SPLITPIN_LOCAL_SIZE=2 runs "the second rank" "" "$app"
runs "alone" "" --alone "$other"
runs "a shell" "" sh -c 'exit 0'
if gcc -O2 -static -fopenmp -I$sources -o "$work/static" $sources/alone.c $sources/placement.c 2> "$work/err"; then
	runs "a static program" "$nothing $work/static is linked statically, so nothing can be preloaded into it" "$work/static"
	if run=$(mpi_tool openmpi mpirun); then
		runs "a static program behind a launcher" "$nothing $work/static is linked statically, so nothing can be preloaded into it" \
			"$run" --bind-to none -n 1 "$work/static"
	fi
else
	skip "run: a static program" "it does not compile"
fi

# The file for the stage of one partition.
sed -n '/^    splitpin = off$/,/^    percent = /s/^    //p' docs/sites.md > "$work/stage.conf"
expect "the file in docs/sites.md has no fault" "0 5" "$("$splitpin" config --file "$work/stage.conf" > /dev/null; echo "$? $(grep -c = "$work/stage.conf")")"

# The example, as it is and with its settings made valid.
conf < docs/splitpin.conf.example
"$splitpin" config > "$work/out"
expect "the example has no fault" 0 $?
conf < <(sed 's/^#\([^ ]\)/\1/' docs/splitpin.conf.example)
"$splitpin" config --for /opt/climate/bin/model > "$work/out"
expect "nor have the settings in it" 0 $?
expect "which are there" "all" "$(sed -n 's/^smt *\([^ ]*\) .*\[.*/\1/p' "$work/out")"

#
# What lasts: the user's log and the site's record.
#

export SPLITPIN_NEIGHBOURS=ignore	# other jobs of this machine are not the subject

# ranks N COMMAND: as N ranks at once that come and go together.
ranks() {
	timeout -k 5 "$hangs" "$bin/launch" -p "$preload" "$@" > "$work/out" 2> "$work/err" < /dev/null
}

# The values of these keys in the lines of a file of JSON, each parted by blanks.
values() {
	python3 -c '
import json, sys
sys.path.insert(0, "tests")
import schema
for line in open(sys.argv[1]):
    o = json.loads(line)
    print(*schema.of_command("record" if "observed" in o else "log", o), sep="\n", end="")
    if o.get("event") != "end" or "duration_s" in sys.argv:
        print(*[o.get(key, "-") for key in sys.argv[2:]])' "$@"
}

bin=$work/bin
mkdir -p "$bin"
if gcc -O2 -pthread -o "$bin/launch" $sources/launch.c && gcc -O2 -pthread -o "$bin/settle" $sources/settle.c; then
	rm -rf "$file"
	(
		cd "$work" || exit
		NAMESPACE=one SPLITPIN_DEBUG=1 SPLITPIN_LOG="log-%h-%j-%r.jsonl" ranks 2 "$bin/settle" meet "$work/met" 2
	)
	host=$(uname -n)
	rm -f "$work"/met.*
	expect "a log each: the program's own output alone" "$(grep -v '^launch: \|more threads than' "$work/err")" ""
	expect "a log each: lines of JSON" "0 share PMIX_NAMESPACE one 1 share PMIX_NAMESPACE one" "$(
		for i in 0 1; do values "$work/log-$host-PMIX_NAMESPACE-one-$i.jsonl" rank event job | grep share; done | paste -sd' ')"
	SPLITPIN_DEBUG=1 SPLITPIN_REPORT=memory OMP_NUM_THREADS=9999 SPLITPIN_LOG="$work/words.json" ranks 1 "$bin/settle"
	# Its threads are pinned where there is more than one CPU.
	SPLITPIN_DEBUG=1 OMP_NUM_THREADS=$ncpus SPLITPIN_LOG="$work/team.json" ranks 1 "$program"
	expect "a log: its lines are as docs/splitpin.schema.json has them" "" "$(cat "$work"/log-*.jsonl "$work/words.json" "$work/team.json" | tests/schema.py log)"
	expect "a log: of these events among others" "pages$([ "$ncpus" -lt 2 ] || echo " pin") result row share warning" \
		"$(for log in words team; do values "$work/$log.json" event; done | sort -u | grep -xE 'pages|pin|result|row|share|warning' | paste -sd' ')"
	expect "a log each: no third file" 2 "$(find "$work" -name 'log-*' | wc -l)"
	expect "log: the report" 1 "$(SLURM_JOB_ID=47 SPLITPIN_LOG="$work/log.%j" ranks 1 "$bin/settle"; grep -c '1 of 1 rank has its own CPUs' "$work/log.47")"

	SPLITPIN_DRYRUN="core:16 pu:1" SPLITPIN_DEBUG=1 SPLITPIN_LOG="$work/log.all" ranks 16 "$bin/settle" stay 20
	expect "16 ranks in one log: whole lines" "" "$(grep -v '^splitpin: dry run: host=[^ ]* rank=[0-9]*/16 .*"$' "$work/log.all")"
	expect "16 ranks in one log: all are there" 16 "$(grep -c ' active=no cpu_list=' "$work/log.all")"

	echo x > "$work/opt/kept"
	for kind in "a missing folder" "a full disk" "a symbolic link" "a fifo" "no right to write"; do
		target=$work/bad/log
		rm -rf "$work/bad"
		mkdir "$work/bad"
		case $kind in
		"a missing folder") target=$work/bad/no/log ;;
		"a full disk")
			mount -t tmpfs -o size=4k tmpfs "$work/bad" 2>/dev/null || { skip "log: $kind" "nothing can be mounted"; continue; }
			head -c 8192 /dev/zero > "$target" 2>/dev/null ;;
		"a symbolic link") ln -s "$work/opt/kept" "$target" ;;
		"a fifo") mkfifo "$target" ;;
		"no right to write") echo > "$target"; chattr +i "$target" 2>/dev/null || { skip "log: $kind" "root may write all files"; continue; } ;;
		esac
		rm -f "$work"/kind.*
		SPLITPIN_DEBUG=1 SPLITPIN_LOG=$target ranks 2 "$bin/settle" meet "$work/kind" 2
		expect "log: $kind: the program goes on" "0 2" "$? $(grep -c '^rank [01] cpus' "$work/out")"
		expect "log: $kind: one warning" 1 "$(grep -c "splitpin: warning: host=$(hostname) cannot write to SPLITPIN_LOG=$target: " "$work/err")"
		chattr -i "$target" 2>/dev/null
		umount "$work/bad" 2>/dev/null
	done
	expect "log: a link's target stays" x "$(cat "$work/opt/kept")"

	env LD_PRELOAD="$preload" SPLITPIN_DEBUG=1 SPLITPIN_LOG="$work/log.guest" "$bin/settle" > "$work/out" 2>&1
	expect "log: no file by what is no rank" "" "$(find "$work" -name log.guest)"

	conf <<< "record = $work/record.%u"
	SLURM_JOB_ID=47 LOGNAME=me OMP_NUM_THREADS=1 ranks 2 "$bin/settle" meet "$work/met" 2
	expect "record: one line a job, and no name from the environment" "47 $(id -u) - 2 1 disjoint 0 0 False $bin/settle" \
		"$(values "$work/record.$(id -u)" job uid user rank_count thread_count result starved crowded shares_node program)"
	expect "record: for the user and root alone" 600 "$(stat -c %a "$work/record.$(id -u)")"
	rm -f "$work"/met.* "$work/record."*
	NAMESPACE=two OMP_NUM_THREADS=9999 ranks 1 "$bin/settle"
	expect "record: a starved job" "PMIX_NAMESPACE two 1 9999 1" \
		"$(values "$work/record.$(id -u)" job rank_count thread_count starved)"
	rm -f "$work/record."*
	SPLITPIN=off ranks 1 "$bin/settle"
	env LD_PRELOAD="$preload" "$bin/settle" > "$work/out" 2>&1
	expect "record: none by SPLITPIN=off or what is no rank" "" "$(find "$work" -name 'record.*')"
	conf <<< "record = $work/record.%u"$'\n'"splitpin = observe"
	SPLITPIN_SMT=none OMP_NUM_THREADS=9999 ranks 2 "$bin/settle" meet "$work/met" 2
	expect "observe: nothing is said, of settings neither" "" "$(grep -v '^launch: ' "$work/err")"
	expect "observe: masks are unchanged" 1 "$(sed -n 's/^rank [01] cpus //p' "$work/out" | sort -u | wc -l)"
	expect "observe: the record has what would be said" "job True 2 2 9999" \
		"$(values "$work/record.$(id -u)" event observed rank_count before_crowded thread_count)"
	expect "observe: the record of the end" "end True" \
		"$(values "$work/record.$(id -u)" event observed duration_s | sed -n 's/^\(end True\) [0-9]*$/\1/p')"
	rm -f "$work"/met.* "$work/record."*
	SPLITPIN=on OMP_NUM_THREADS=1 ranks 2 "$bin/settle" meet "$work/met" 2
	expect "observe: a user may turn it on" "job False 0" "$(values "$work/record.$(id -u)" event observed after_crowded)"
	rm -f "$work"/met.* "$work/record."*
	conf <<< "record = $work/record.%u"
	OMP_NUM_THREADS=1 ranks $((2 * ncpus)) "$bin/settle" meet "$work/met" $((2 * ncpus))
	expect "record: of ranks without a share, and of their end" "job refused -,end - N" \
		"$(values "$work/record.$(id -u)" event action duration_s | sed 's/ [0-9]*$/ N/' | paste -s -d ,)"
	rm -f "$work"/met.* "$work/record."*
	SPLITPIN_RECORD="$work/record.mine" ranks 1 "$bin/settle"
	expect "record: not for users to set" "$work/record.$(id -u)" "$(find "$work" -name 'record.*')"
	expect "record: a user who tries" 1 "$(grep -c "SPLITPIN_RECORD is not a setting of splitpin" "$work/err")"
	expect "record: shown by splitpin config" "record    $work/record.%u (line 1): lines for each job, for the staff of this site" \
		"$("$splitpin" config | grep '^record')"

	# A folder for everybody, in which another user was there first.  Without its sticky bit:
	# with it the kernel refuses some of this as well (fs.protected_regular, protected_hardlinks).
	mkdir -p "$work/spool"
	mine=$work/spool/$(id -u).jsonl
	conf <<< "record = $work/spool/%u.jsonl"
	captured() {
		SPLITPIN_DEBUG=1 ranks 1 "$bin/settle"
		expect "record: $1" "0 $2" "$? $(sed -n 's/.*the site.s record of this job cannot be written: //p' "$work/err")"
	}
	for mode in 733 1733; do
		chmod $mode "$work/spool"
		for way in "made with rights for all" "made by another user" "a second name of a file of the user's" "a link" "a FIFO"; do
			rm -f "$mine" "$work/kept"
			(umask 077; echo kept > "$work/kept")
			why="it must be the user's own, with mode 0600 and one name"
			case $way in
			*"rights for all") : > "$mine"; chmod 666 "$mine" ;;
			*"another user")
				: > "$mine"; chmod 666 "$mine"
				chown 65534 "$mine" 2>/dev/null || { skip "record: $way" "chown is not allowed here"; continue; }
				[ $mode = 733 ] || ! grep -qs '[12]' /proc/sys/fs/protected_regular || why="Permission denied" ;;
			*"second name"*) ln "$work/kept" "$mine" ;;
			"a link") ln -s "$work/kept" "$mine"; why="it is a symbolic link" ;;
			"a FIFO") mkfifo "$mine"; exec 4<> "$mine"; why="it is not a regular file" ;;
			esac
			captured "$way, in a folder $mode" "$why"
			expect "record: $way, in a folder $mode: nothing is written" kept "$(cat "$work/kept"; [ "$way" = "a link" ] || [ "$way" = "a FIFO" ] || grep uid "$mine")"
			exec 4<&-
		done
	done
	rm -rf "$work/spool"

	# Two nodes of one step, as Slurm numbers their ranks: 2 and 2, or 1 and 3.
	node() {
		local i first=$2 n=$3
		rm -f "$work"/met.*
		for ((i = 0; i < n; i++)); do
			SLURM_JOB_ID=48 SLURM_STEP_ID=0 SLURM_LOCALID=$i SLURM_NODEID=$1 SLURM_PROCID=$((first + i)) SLURM_STEP_NUM_TASKS=4 \
				SLURM_STEP_TASKS_PER_NODE=$4 SLURM_JOB_CPUS_PER_NODE=${5-'8(x2)'} OMP_NUM_THREADS=1 LD_PRELOAD=$preload \
				timeout -k 5 "$hangs" "$bin/settle" meet "$work/met" "$n" > /dev/null 2> "$work/err.$i" < /dev/null &
		done
		wait
	}
	recorded() { values "$work/record.$(id -u)" job job_rank_count rank_count result | paste -s -d ,; rm -f "$work/record."*; }
	if [ "$ncpus" -ge 2 ]; then
		conf <<< "record = $work/record.%u"
		rm -f "$work/record."*
		node 0 0 2 "2(x2)"
		node 1 2 2 "2(x2)"
		expect "record: one line a job where nodes are alike" "48 4 2 disjoint" "$(recorded)"
		node 0 0 1 "1,3" "8,16"
		node 1 1 3 "1,3" "8,16"
		expect "record: a line a node where they are not" 2 "$(recorded | tr , '\n' | grep -c '^48 4 ')"
	fi

	# A process that listens at a socket: root's, another user's, and one whose queue is full.
	listening=$work/socket
	cat > "$work/listen.py" <<-'PYTHON'
		import os, socket, struct, subprocess, sys
		path, user, run = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
		def job():
		    return subprocess.run(run, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
		def why(text):
		    return [line.split("cannot be written: ")[1] for line in text.splitlines() if "cannot be written" in line]
		server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		server.bind(path)
		os.chmod(path, 0o666)
		if user:	# who listens is who called listen()
		    pid = os.fork()
		    if not pid:
		        os.setresuid(user, user, user)
		        server.listen(1)
		        os._exit(0)
		    os.waitpid(pid, 0)
		    print(*why(job()))
		    server.setblocking(False)
		    try:
		        got = server.accept()[0].recv(65536)
		        print(*(["got", got] if got else []))
		    except BlockingIOError:
		        pass
		    sys.exit()
		server.listen(0)
		print(*why(job()))
		peer, _ = server.accept()
		pid, uid, gid = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
		line = peer.recv(65536).decode()
		print(uid == os.getuid(), line.count("\n"), '"rank_count": 1' in line)
		waiting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		waiting.connect(path)
		print(*why(job()))
		server.close()
		print(*why(job()))
	PYTHON
	conf <<< "record = $listening"
	listen() { rm -f "$listening"; SPLITPIN_DEBUG=1 python3 "$work/listen.py" "$listening" "$1" "$bin/launch" -p "$preload" 1 "$bin/settle" 2> "$work/err" | grep . | paste -s -d ';'; }
	expect "record: a socket of root's, also when it is full or nobody listens" \
		"True 1 True;Resource temporarily unavailable;Connection refused" "$(listen 0)"
	if "${nobody[@]}" true 2>/dev/null; then
		expect "record: a socket of another user's gets nothing" "the process that listens there is not root's" "$(listen 65534)"
	else
		skip "record: a socket of another user's gets nothing" "setpriv does not work here"
	fi

	conf <<< "record = $work/no/record"
	ranks 1 "$bin/settle"
	expect "record: a missing folder" "0 " "$? $(grep 'splitpin:' "$work/err")"

	# A log of the system's own, whose queue fills: in a /dev of its own.
	conf <<< "record = syslog"
	cat > "$work/syslog.sh" <<-'SHELL'
		mkdir -p "$1/dev" && mount -t tmpfs tmpfs "$1/dev" || exit 77
		for device in null zero urandom; do
			touch "$1/dev/$device" && mount --bind "/dev/$device" "$1/dev/$device" || exit 77
		done
		mkdir -m 1777 "$1/dev/shm" && ln -s /proc/self/fd "$1/dev/fd" && mount --rbind "$1/dev" /dev || exit 77
		exec python3 - "${@:2}" <<-'PYTHON'
			import json, os, socket, subprocess, sys
			log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
			log.bind("/dev/log")
			run = subprocess.run(sys.argv[1:], check=True, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
			log.setblocking(False)
			begin, line = log.recv(65536).decode().split(": ", 1)
			begin = begin.rstrip("0123456789]")
			if begin != "<14>splitpin[":
			    print(begin, line, *[said for said in run.stderr.splitlines() if not said.startswith("launch: ")])
			    sys.exit()
			o = json.loads(line)
			print(begin, o["rank_count"], o["result"])
			other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
			other.setblocking(False)
			try:
			    while True:
			        other.sendto(b"full", "/dev/log")
			except BlockingIOError:
			    pass
			subprocess.run(sys.argv[1:], check=True, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
			log.close()
			subprocess.run(sys.argv[1:], check=True, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
			print("full and gone")
		PYTHON
	SHELL
	unshare -m bash "$work/syslog.sh" "$work" "$bin/launch" -p "$preload" 1 "$bin/settle" > "$work/syslog.out" 2> "$work/err"
	status=$?
	if ! unshare -m true 2>/dev/null; then
		skip "record: the system's log" "no mount name space of its own"
	elif [ $status = 77 ]; then
		skip "record: the system's log" "no /dev of its own"
	else
		expect "record: the system's log, also when it is full or gone" "<14>splitpin[ 1 disjoint full and gone" "$(paste -sd' ' "$work/syslog.out")"
		conf <<< "smt = none"
		unshare -m bash "$work/syslog.sh" "$work" "$bin/launch" -p "$preload" 2 "$bin/settle" > "$work/syslog.out" 2> "$work/err"
		expect "a wrong line is for the system's log alone" "<12>splitpin[ $file:1: smt=none is wrong: use all, or a number from 1; splitpin is off" \
			"$(cat "$work/syslog.out")"
	fi
else
	fail "what lasts" "its programs do not compile"
fi

rm -rf "$file"
closing
