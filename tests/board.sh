#!/bin/bash
# The ranks of a node see each other through a file in /dev/shm: whatever
# becomes of it and of them, jobs run, end as they would without splitpin, and
# leave nothing behind.
#
#   tests/board.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/board/<test>.
set -u

# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "board: no $preload: run make first" >&2; exit 1; }
unset SPLITPIN_NEIGHBOURS NAMESPACE

# Without OpenMP's libraries, which would come before the program itself.
bin=$work/bin
mkdir -p "$bin"
for source in settle launch; do
	newer_than "$bin/$source" "$sources/$source.c" ||
		gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -pthread "$sources/$source.c" -o "$bin/$source" || exit 1
done
settle=$bin/settle
alone=$(program none gcc alone.c)

# run FOLDER [LAUNCH'S OPTIONS] N COMMAND: leaves out (sorted), err, status, ms and naps.
run() {
	local to=$1
	shift
	timeout -k 5 "$hangs" "$bin/launch" -p "$preload" "$@" < /dev/null 2> "$to/err" | sort > "$to/out"
	echo "${PIPESTATUS[0]}" > "$to/status"
	sed -n 's/^launch: \([0-9]*\) ms, .*/\1/p' "$to/err" > "$to/ms"
	sed -n 's/^launch: .* \([0-9]*\) ms in naps$/\1/p' "$to/err" > "$to/naps"
	sed -i '/^launch: /d' "$to/err"
}

# together FOLDER [LAUNCH'S OPTIONS] N COMMAND...: the same with "settle" as the command, and none of the N ranks ends
# before all have settled: what one of them says for all is said as long as it is there.
together() {
	local to=$1 n=${*: -1}
	rm -f "$to"/met.*
	run "$@" "$settle" meet "$to/met" "$n"
}

# The same, and the launcher's output in the background.
in_background() {
	local to=$1
	mkdir -p "$to"
	run "$@" &
}

# Ranks that "settle hold" stay until they are released.
held() {
	local -a ranks=("${@:2}")
	there "${ranks[@]/#/$1.}"
}

release() {
	rm -f "$1".[0-9]*
	wait
}

warnings() { grep -c 'splitpin: warning:' "$1/err"; }
boards() { find /dev/shm -name 'splitpin-*' | sort; }
nothing_left() { expect "what is left in /dev/shm" "$(boards)" ""; }

# quiet FOLDER: no word, and it ended well.
quiet() {
	expect "exit status" "$(cat "$1/status")" 0
	expect "standard error" "$(cat "$1/err")" ""
}

# warned_once FOLDER PATTERN...
warned_once() {
	local to=$1 pattern
	shift
	expect "exit status" "$(cat "$to/status")" 0
	expect "number of warnings" "$(warnings "$to")" 1
	expect "other lines" "$(grep -v 'splitpin: warning:' "$to/err")" ""
	for pattern; do
		grep -q -- "$pattern" "$to/err" || echo "the warning does not name $pattern: $(head -n 1 "$to/err")"
	done
}

# took FOLDER LOW HIGH: milliseconds; at most so many in naps, which a busy machine makes no more.
took() {
	local ms naps
	ms=$(cat "$1/ms") naps=$(cat "$1/naps")
	[ "${ms:-0}" -ge "$2" ] && [ "${naps:-$3}" -lt "$3" ] || echo "it took ${ms:-no} ms, ${naps:-none} of them in naps, not $2 to $3"
}

# Where nobody is to wait, ranks may wait long: a loaded machine is no fault.
# straight FOLDER: a job of "patient run" in which nobody did.
patient() { SPLITPIN_WAIT=30 "$@"; }
straight() { took "$1" 0 15000; }

# No CPU of two ranks' lines "rank 0 cpus 0,1" (or lists 0-3,8) in a file.
disjoint() {
	awk '{
		n = split($4, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i], end, "-")
			for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++) {
				if (c in owner && owner[c] != $2)
					print "ranks " owner[c] " and " $2 " both have CPU " c
				owner[c] = $2
			}
		}
	}' "$1" | head -n 3
}

# The shares that debug lines tell, one line a rank.
shares() { sed -n 's/.* rank=\([0-9]*\)\/[0-9]* active=[a-z]* cpu_list=\([0-9,-]*\) .*/rank \1 cpus \2/p' "$1/err" | sort -n -k 2; }

on_knl() { SPLITPIN_DRYRUN="l2:34 core:2 pu:4" "$@"; }

if [ "$ncpus" -lt 2 ]; then
	give_up skip "everything" "one CPU"
fi

#
# Ranks that are killed.
#

# A job of one of five kinds, started with these options.  In three of them
# masks are compared, and ranks wait for each other.
job() {
	local kind=$1 to=$2
	shift 2
	case $kind in
	0) SPLITPIN_DEBUG=1 on_knl run "$to" "$@" 8 "$settle" stay 3 ;;
	1) run "$to" "$@" 2 "$settle" stay 3 ;;
	2) run "$to" "$@" -b 2 "$settle" stay 3 ;;
	3) run "$to" "$@" 2 "$settle" system "$settle" ;;
	4) run "$to" "$@" 2 sh -c "$settle; $settle" ;;
	esac
}

# What matters of a job: shares, and all that is said but debug lines.
essence() {
	cat "$1/status"
	shares "$1"
	cat "$1/out"
	grep -v ' why="' "$1/err"
}

test="500 jobs whose ranks are killed"
to=$(folder "$test")
mkdir "$to/job" "$to/next"
for kind in 0 1 2 3 4; do
	mkdir "$to/good.$kind"
	job "$kind" "$to/good.$kind"
	essence "$to/good.$kind" > "$to/good.$kind/essence"
	: > "$to/job.$kind"
done
verdict "jobs of each kind without that" "$(
	for kind in 0 1 2 3 4; do
		expect "exit status" "$(cat "$to/good.$kind/status")" 0
		expect "words" "$(grep -v ' why="' "$to/good.$kind/err")" ""
		shares "$to/good.$kind" > "$to/good.$kind/shares"
		[ "$kind" = 0 ] || cp "$to/good.$kind/out" "$to/good.$kind/shares"
		disjoint "$to/good.$kind/shares"
		[ -s "$to/good.$kind/shares" ] || echo "no rank had a share"
	done
	nothing_left
)"

# A killed rank's child makes a board of its own, since it finds no launcher any more, while another rank may be there.
dying='another of your jobs uses CPU'
{
	for ((i = 0; i < 500; i++)); do
		kind=$((i % 5))
		SPLITPIN_WAIT=0.03 job $kind "$to/job" -w -k 12 -s "$i"
		took "$to/job" 0 15000
		case $kind in
		0 | 1) grep -v ' why="' "$to/job/err" ;;
		# Masks are compared here, with those of ranks that may not have lived to
		# tell theirs.
		*) grep -v 'warning: host=[^ ]* not all 2 ranks of this node appeared within 0.03 seconds' "$to/job/err" | grep -v "$dying" ;;
		esac
		# The one after it is as if there had been none.
		if [ $((i % 7)) = 0 ]; then
			job $((i / 7 % 5)) "$to/next"
			essence "$to/next" | diff "$to/good.$((i / 7 % 5))/essence" - | sed "s/^/after job $i: /"
			took "$to/next" 0 15000
		fi
	done
} > "$to/wrong"
job 1 "$to/next"
verdict "$test" "$(head -n 5 "$to/wrong"; nothing_left)"

# The first programs of both have gone, and with them the board; what a rank's shell runs is of its job all the same.
test="a program of a rank beside the other's pinned one"
to=$(folder "$test")
cpus=$(mask)
: > "$to/busy"
# shellcheck disable=SC2016 # for the ranks' shells
run "$to" 2 sh -c 'folder=$0 settle=$1 program=$2
if [ "$SPLITPIN_LOCAL_RANK" = 0 ]; then
	"$settle"
	until [ -e "$folder/pinned" ]; do sleep 0.01; done
	"$settle"
	rm "$folder/busy"
else
	"$settle" > /dev/null
	exec taskset -c "$3" sh -c "$program" "$folder"
fi' "$to" "$settle" ': > "$0/pinned"; while [ -e "$0/busy" ]; do :; done' "${cpus##*[-,]}"
verdict "$test" "$(
	expect "exit status" "$(cat "$to/status")" 0
	expect "words" "$(cat "$to/err")" ""
	expect "number of lines" "$(wc -l < "$to/out")" 2
	expect "different lines" "$(sort -u "$to/out" | wc -l)" 1
	nothing_left
)"

both_are_in() { [ "$(wc -l < "$1")" = 2 ]; }
for mpi in openmpi mpich; do
	test="$mpi: ranks that are killed"
	to=$(folder "$test")
	if ! mpi_tool "$mpi" mpirun >/dev/null; then
		skip "$test" "not installed"
		continue
	fi
	for i in 1 2 3; do
		: > "$to/pids"
		# shellcheck disable=SC2016
		LD_PRELOAD=$preload launch "$mpi" 2 sh -c 'echo $$ >> "$0"; exec "$@"' "$to/pids" "$settle" stay 100000 > "$to/killed.out" 2> "$to/killed.err" &
		awaited both_are_in "$to/pids"
		sleep "0.00$((i * 3))"
		kill -9 "$(sed -n "$((i % 2 + 1))p" "$to/pids")"
		wait $!
		# A launcher may end before the ranks that it kills have.
		xargs kill -9 < "$to/pids" 2> /dev/null
		mapfile -t pids < "$to/pids"
		gone "${pids[@]}"
		grep splitpin: "$to/killed.err" >> "$to/words"
		LD_PRELOAD=$preload launch "$mpi" 2 "$settle" 2>&1 | sort > "$to/out.$i"
	done
	verdict "$test" "$(
		cat "$to/words" 2>/dev/null
		for i in 1 2 3; do
			expect "what the next job prints" "$(grep -c '^rank [01] cpus' "$to/out.$i")" 2
			disjoint "$to/out.$i"
			grep splitpin: "$to/out.$i"
		done
		nothing_left
	)"
done

#
# Whatever lies in /dev/shm.
#

# Two ranks as Open MPI's: the board's name is known from a first run.
export NAMESPACE=hostile-$$	# another run of this script has a name of its own
to=$(folder "a good board")
in_background "$to" 2 "$settle" hold "$to/held"
held "$to/held" 0 1
board=$(boards)
cp "$board" "$work/board"
release "$to/held"
cp "$to/out" "$work/out"
lock=${board%-*}-lock

# hostile NAME PATTERN: /dev/shm has something wrong in it by now.
hostile() {
	local test="hostile: $1" to left
	to=$(folder "$test")
	left=$(boards)
	together "$to" 2
	verdict "$test" "$(
		warned_once "$to" "$2" "is not used"
		expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		took "$to" 0 15000
		[ -z "${3-}" ] || expect "what is in /dev/shm" "$(boards)" "$left"
	)"
	rm -rf "$board" "$lock"
}

# harmless NAME: it has something that belongs to another user, and the ranks use other names.
harmless() {
	local test="harmless: $1" to left
	to=$(folder "$test")
	left=$(boards)
	together "$to" 2
	verdict "$test" "$(
		quiet "$to"
		expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		took "$to" 0 15000
		expect "what is in /dev/shm" "$(boards)" "$left"
	)"
	rm -rf "$board" "$lock"
}

byte() { printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }

if [ "$shm" = own ]; then
	ln -s "$work/board" "$board"; hostile "a symbolic link to a board" "symbolic link" stays
	ln -s /dev/zero "$board"; hostile "a symbolic link to a device" "symbolic link" stays
	mkfifo "$work/fifo.$$"; ln -s "$work/fifo.$$" "$board"; hostile "a symbolic link to a fifo" "symbolic link" stays
	rm -f "$work/fifo.$$"
	mkfifo -m 600 "$board"; hostile "a fifo" "not a regular file" stays
	mkdir "$board"; hostile "a folder" "cannot be opened" stays
	install -m 600 /dev/null "$board"; hostile "an empty file" "truncated" stays
	head -c 5000 "$work/board" | install -m 600 /dev/stdin "$board"; hostile "a truncated board" "truncated" stays
	head -c 100000 /dev/urandom | install -m 600 /dev/stdin "$board"; hostile "garbage" "not a board" stays
	install -m 620 "$work/board" "$board"; hostile "a group-writable board" "others may" stays
	install -m 600 "$work/board" "$board"; byte "$board" 8 '\377'; hostile "another version" "another version" stays
	install -m 600 "$work/board" "$board"; byte "$board" 100 '\377'; hostile "a damaged head" "damaged" stays
	if [ "$(id -u)" = 0 ] && install -m 600 -o 4711 "$work/board" "$board" 2>/dev/null; then
		harmless "another user's board"
		install -m 600 -o 4711 /dev/null "$lock"; harmless "another user's lock"
	else
		skip "harmless: another user's board" "only root can make one"
	fi

	NAMESPACE=other in_background "$work/other" 2 "$settle" hold "$work/other/held"
	held "$work/other/held" 0 1
	cp -p "$(boards)" "$board"
	hostile "another job's board" "another job" stays
	release "$work/other/held"

	ln -s /dev/zero "$lock"; hostile "the lock is a symbolic link" "lock" stays
	mkfifo -m 600 "$lock"; hostile "the lock is a fifo" "lock" stays
	mkdir "$lock"; hostile "the lock is a folder" "lock" stays
	install -m 666 /dev/null "$lock"; hostile "a lock that anybody may lock" "lock" stays

	# Whoever has it, ranks wait a bounded time, and all at once.
	test="hostile: the lock is held for ever"
	to=$(folder "$test")
	install -m 600 /dev/null "$lock"
	# shellcheck disable=SC2016
	flock -F "$lock" sh -c ': > "$0"; exec sleep 600' "$to/locked.0" &
	holder=$!
	held "$to/locked" 0
	together "$to" 2
	kill "$holder"
	wait "$holder" 2>/dev/null
	verdict "$test" "$(
		warned_once "$to" "did not create it in time"
		expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		took "$to" 2000 20000
	)"
	rm -f "$lock"

	test="hostile: the board is locked for ever"
	to=$(folder "$test")
	in_background "$to/first" 2 "$settle" hold "$to/held"
	held "$to/held" 0 1
	python3 -c 'import fcntl, sys, time
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
open(sys.argv[2], "w").close()
time.sleep(600)' "$board" "$to/locked.0" &
	holder=$!
	held "$to/locked" 0
	# Two more processes of its ranks.
	together "$to" 2
	kill "$holder"
	release "$to/held"
	verdict "$test" "$(
		warned_once "$to" "another process has locked it"
		expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		quiet "$to/first"
		took "$to" 0 15000
		nothing_left
	)"

	# The machine in it is wrong, the rest is not.
	test="hostile: the machine in it is damaged"
	to=$(folder "$test")
	in_background "$to/first" 2 "$settle" hold "$to/held"
	held "$to/held" 0 1
	byte "$board" $(($(stat -c %s "$board") - 20)) '\377'
	together "$to" 2
	release "$to/held"
	verdict "$test" "$(
		warned_once "$to" "damaged"
		expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		quiet "$to/first"
		nothing_left
	)"

	# A folder that gives nothing.
	in_namespace() {
		local test=$1 pattern=$2 how=$3 to
		to=$(folder "$test")
		# shellcheck disable=SC2016
		unshare -m bash -c "$how"' && shift && exec "$0" "$@"' "$bin/launch" - -p "$preload" 2 "$settle" meet "$to/met" 2 > "$to/out.raw" 2> "$to/err" < /dev/null
		echo $? > "$to/status"
		sort "$to/out.raw" > "$to/out"
		sed -i '/^launch: /d' "$to/err"
		verdict "$test" "$(
			warned_once "$to" "$pattern" "is not used"
			expect "standard output" "$(cat "$to/out")" "$(cat "$work/out")"
		)"
	}
	in_namespace "/dev/shm is full" "No space left" "mount -t tmpfs -o size=4k tmpfs /dev/shm"
	in_namespace "/dev/shm has no room for a file" "No space left" "mount -t tmpfs -o nr_inodes=1 tmpfs /dev/shm"
	in_namespace "/dev/shm is read-only" "Read-only" "mount -t tmpfs -o ro tmpfs /dev/shm"
	in_namespace "/dev/shm is not there" "No such file" "mount -t tmpfs tmpfs /dev"
else
	skip "hostile boards" "no /dev/shm of our own"
fi
unset NAMESPACE

# limited NAME PATTERN LIMIT: a rank that may not do all it wants.  It writes
# into pipes, since a limit of file sizes holds for all files, and has no
# descriptor of whoever has started this script, since one of them counts.
limited() {
	local test=$1 pattern=$2 to
	to=$(folder "$test")
	# shellcheck disable=SC2016
	run "$to" 2 bash -c 'for fd in /proc/$$/fd/*; do [ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"; done
		exec 2> >(cat >&2; : > "$0.$SPLITPIN_LOCAL_RANK"); exec prlimit "$@"' "$to/told" "$3" "$settle"
	held "$to/told" 0 1
	verdict "$test" "$(
		[ "$(warnings "$to")" -le 2 ] || echo "$(warnings "$to") warnings"
		expect "exit status" "$(cat "$to/status")" 0
		expect "lines" "$(grep -c '^rank [01] cpus' "$to/out")" 2
		grep -q "$pattern" "$to/err" || echo "no word of $pattern: $(head -n 1 "$to/err")"
		nothing_left
	)"
}
# The shell, which has no such limit, is not to be the rank from its start.
SPLITPIN_RUN=none limited "no file may grow" "File too large" --fsize=0
SPLITPIN_RUN=none limited "no descriptor is left" "Too many open files" --nofile=4

# SIGXFSZ must not end the program.
test="a message into a file that may not grow"
to=$(folder "$test")
(ulimit -f 0; LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 SPLITPIN_DEBUG=1 "$settle" 2> "$to/err" | cat > /dev/null; exit "${PIPESTATUS[0]}")
verdict "$test" "$(expect "exit status" $? 0; nothing_left)"

test="a umask that forbids everything"
to=$(folder "$test")
# shellcheck disable=SC2016
run "$to" 2 sh -c 'umask 777; exec "$0"' "$settle"
verdict "$test" "$(quiet "$to"; disjoint "$to/out"; nothing_left)"

test="signals all the time"
to=$(folder "$test")
run "$to" 2 "$settle" signals
verdict "$test" "$(quiet "$to"; disjoint "$to/out"; nothing_left)"

test="a program that closes all descriptors"
to=$(folder "$test")
run "$to" 2 "$settle" close
verdict "$test" "$(quiet "$to"; disjoint "$to/out"; nothing_left)"

test="many threads are the first"
to=$(folder "$test")
SPLITPIN_DEBUG=1 run "$to" 2 "$settle" threads 16
verdict "$test" "$(
	expect "number of decisions" "$(grep -c ' active=yes ' "$to/err")" 2
	expect "exit status" "$(cat "$to/status")" 0
	disjoint "$to/out"
	nothing_left
)"

test="a forked child that ends"
to=$(folder "$test")
in_background "$to" 2 "$settle" fork "$to/held"
held "$to/held" 0 1
during=$(boards | wc -l)
release "$to/held"
verdict "$test" "$(quiet "$to"; expect "boards after the child's end" "$during" 1; nothing_left)"

#
# Masks.
#

test="ranks bound one by one are kept"
to=$(folder "$test")
SPLITPIN_DEBUG=1 patient run "$to" -b 2 "$settle"
verdict "$test" "$(
	expect "reasons" "$(grep -c 'why="kept the binding that was asked for (no launcher bound it)"' "$to/err")" 2
	disjoint "$to/out"
	straight "$to"
	nothing_left
)"

# with_lists FOLDER LIST0 LIST1: OMP_PLACES of each rank, set by a script between launcher and program.
# shellcheck disable=SC2016 # the ranks expand
own_list='case $SPLITPIN_LOCAL_RANK in 0) export OMP_PLACES=$0;; *) export OMP_PLACES=$1;; esac; exec "${@:2}"'
with_lists() {
	patient run "$1" 2 bash -c "$own_list" "$2" "$3" "$settle" meet "$1/met" 2
}
one=$(awk -v list="$cpus" 'BEGIN { n = split(list, part, /[-,]/); print part[1] }')
# shellcheck disable=SC2016 # for the shell
two=$(taskset -c "$cpus" bash -c 'for c in $(seq '"$((one + 1))"' 8191); do taskset -c $c true 2>/dev/null && echo $c && break; done')

test="lists of CPUs that differ between ranks are their shares"
to=$(folder "$test")
with_lists "$to" "{$two}" "{$one}"
verdict "$test" "$(
	quiet "$to"
	expect "CPUs" "$(cat "$to/out")" "$(printf 'rank 0 cpus %s\nrank 1 cpus %s' "$two" "$one")"
	straight "$to"
	nothing_left
)"

test="and in the report"
to=$(folder "$test")
SPLITPIN_REPORT=1 with_lists "$to" "{$two}" "{$one}"
verdict "$test" "$(expect "reasons" "$(grep -c "kept the CPUs that were listed for this rank (OMP_PLACES={[$one$two]})" "$to/err")" 2)"

test="lists of CPUs that overlap are kept, with one warning"
to=$(folder "$test")
with_lists "$to" "{$one},{$two}" "{$two}"
verdict "$test" "$(
	warned_once "$to" "2 of 2 ranks overlap: ranks 0 and 1 both have CPU $two"
	expect "CPUs of rank 1" "$(grep -c "^rank 1 cpus $two$" "$to/out")" 1
	nothing_left
)"

test="the same list in all ranks says nothing of their shares"
to=$(folder "$test")
with_lists "$to" "{$one}" "{$one}"
verdict "$test" "$(
	warned_once "$to" "OMP_PLACES={$one} names the same CPUs in 2 of 2 ranks"
	disjoint "$to/out"
	straight "$to"
	nothing_left
)"

test="ranks confined to too few CPUs"
to=$(folder "$test")
patient together "$to" -c 2
verdict "$test" "$(warned_once "$to" "2 ranks share 1 CPU"; straight "$to"; nothing_left)"

test="and their children"
to=$(folder "$test")
patient run "$to" -c 2 "$settle" system "$settle meet $to/met 2"
verdict "$test" "$(warned_once "$to" "2 ranks share 1 CPU"; straight "$to"; nothing_left)"

test="more ranks than CPUs, and their children"
to=$(folder "$test")
patient run "$to" $((ncpus + 1)) "$settle" system "$settle meet $to/met $((ncpus + 1))"
verdict "$test" "$(warned_once "$to" "$((ncpus + 1)) ranks share"; straight "$to"; nothing_left)"

test="a setting leaves too few CPUs"
to=$(folder "$test")
SPLITPIN_RESERVE=0-$((ncpus - 2)) together "$to" 2
if [ -n "$confined" ] || [ "$cpus" != "0-$((ncpus - 1))" ]; then
	skip "$test" "the CPUs here are $cpus of $allowed"
else
	verdict "$test" "$(warned_once "$to" "SPLITPIN_RESERVE leaves 1 CPU for 2 ranks"; nothing_left)"
fi

# Environments that all of them read together are as many as the ranks, and not the square of that.
test="one of the ranks that wait looks at the others"
if strace -o /dev/null true 2>/dev/null; then
	to=$(folder "$test")
	cp "$bin/launch" "$bin/mpirun"
	# shellcheck disable=SC2016 # the ranks expand
	patient timeout -k 5 "$hangs" "$bin/mpirun" -p "$preload" -c 32 sh -c 'exec strace -qq -o "$0.$SPLITPIN_LOCAL_RANK" -e trace=openat "$@"' \
		"$to/trace" "$settle" meet "$to/met" 32 < /dev/null > "$to/out" 2> "$to/err"
	verdict "$test" "$(
		expect "ranks" "$(grep -c '^rank' "$to/out")" 32
		read=$(cat "$to"/trace.* | grep -c '/proc/[0-9]*/environ"')
		[ "$read" -gt 0 ] && [ "$read" -le $((32 * 8)) ] || echo "32 ranks read $read environments"
		nothing_left
	)"
else
	skip "$test" "strace does not work here"
fi

# Without MPI nobody knows when all ranks are there: told when the first one ends.
test="a rank that was bound beside one that was not"
to=$(folder "$test")
# shellcheck disable=SC2016
bound_last='if [ "$SPLITPIN_LOCAL_RANK" = 1 ]; then exec taskset -c "$0" "$@"; else exec "$@"; fi'
run "$to" 2 bash -c "$bound_last" "${cpus%%[-,]*}" "$settle" hold "$to/held" &
held "$to/held" 0 1
release "$to/held"
verdict "$test" "$(warned_once "$to" "2 of 2 ranks overlap" "CPUs* ${cpus%%[-,]*}"; nothing_left)"

# Whichever of them ends first.
# shellcheck disable=SC2016
unlike='[ "$SPLITPIN_LOCAL_RANK" = 0 ] || export SPLITPIN_RESERVE=$0
	"${@:2}" && : > "$1.$SPLITPIN_LOCAL_RANK"'
for first in 0 1; do
	test="settings that leave no share to rank 1 alone, where rank $first ends first"
	to=$(folder "$test")
	in_background "$to" 2 bash -c "$unlike" "$ncpus" "$to/ended" "$settle" hold "$to/held"
	held "$to/held" 0 1
	rm "$to/held.$first"
	held "$to/ended" "$first"
	release "$to/held"
	verdict "$test" "$(warned_once "$to" "settings differ between ranks, so that 1 of 2 has no share, such as rank 1:" SPLITPIN_RESERVE; nothing_left)"
done

test="a report without MPI"
to=$(folder "$test")
SPLITPIN_REPORT=1 run "$to" 2 "$settle" hold "$to/held" &
held "$to/held" 0 1
release "$to/held"
verdict "$test" "$(
	expect "lines of ranks" "$(grep -Ec 'splitpin: host=[^ ]+ +[01] +[0-9]+ ' "$to/err")" 2
	expect "verdicts" "$(grep -c 'result: 2 of 2 ranks have their own CPUs' "$to/err")" 1
	nothing_left
)"

# The first rank warns as it settles where it cannot have the policy itself; of
# another tells whoever reports, which may be that one.
cat > "$work/denied.c" <<'END'
#include <errno.h>
long set_mempolicy(void) { errno = EPERM; return -1; }
END
gcc -O2 -shared -fPIC "$work/denied.c" -o "$bin/libdenied.so" || exit 1
# shellcheck disable=SC2016 # the ranks expand
denied='[ "$SPLITPIN_LOCAL_RANK" = 0 ] || export LD_PRELOAD=$LD_PRELOAD:$0
	"${@:2}" && : > "$1.$SPLITPIN_LOCAL_RANK"'
for first in 0 1; do
	test="a memory policy that rank 1 cannot have, where rank $first ends first"
	to=$(folder "$test")
	if ! SPLITPIN_MEMORY=bind run "$to" 1 "$settle" || [ -s "$to/err" ]; then
		skip "$test" "rank 0 cannot have it either: $(head -n 1 "$to/err")"
		continue
	fi
	SPLITPIN_MEMORY=bind in_background "$to" 2 bash -c "$denied" "$bin/libdenied.so" "$to/ended" "$settle" hold "$to/held"
	held "$to/held" 0 1
	rm "$to/held.$first"
	held "$to/ended" "$first"
	release "$to/held"
	verdict "$test" "$(warned_once "$to" "SPLITPIN_MEMORY=bind is not available to 1 of 2 ranks, such as rank 1:"; nothing_left)"
done

test="the program's streams are closed: none of the files has the number of one"
if strace -o /dev/null true 2>/dev/null; then
	to=$(folder "$test")
	# It ends with 9 where its line cannot be written.
	# shellcheck disable=SC2016
	run "$to" 1 strace -f -o "$to/trace" -e trace=open,openat bash -c '"$0" <&- >&- 2>&-; test $? = 9' "$settle"
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		expect "files of the board, its draft and the lock that were opened" "$(grep -oE '/dev/shm/splitpin-[0-9]+-(draft|lock|[0-9a-f]{16})' "$to/trace" | sed 's/.*-//; s/[0-9a-f]\{16\}/board/' | sort -u | paste -sd ' ')" "board draft lock"
		expect "numbers below 3" "$(grep -E '/dev/shm/splitpin-.*= [0-2]$' "$to/trace")" ""
		nothing_left)"
else
	skip "$test" "strace does not work here"
fi

test="ranks in PID name spaces of their own"
if ! unshare -p -f --mount-proc true 2>/dev/null; then
	skip "$test" "no PID name space"
else
	to=$(folder "$test")
	run "$to" 2 unshare -p -f --mount-proc "$settle"
	verdict "$test" "$(quiet "$to"; disjoint "$to/out"; nothing_left)"
fi

for absent in 0 1; do
	test="rank $absent never comes"
	to=$(folder "$test")
	SPLITPIN_WAIT=0.5 run "$to" -b -x $absent 2 "$settle"
	verdict "$test" "$(
		warned_once "$to" "not all 2 ranks" SPLITPIN_WAIT
		took "$to" 450 5000
		expect "standard output" "$(cat "$to/out")" "$(grep "^rank $((1 - absent))" "$work/500_jobs_whose_ranks_are_killed/good.2/out")"
		nothing_left
	)"
done

test="a rank comes too late"
to=$(folder "$test")
export NAMESPACE=late-$$ SPLITPIN_DEBUG=1
# The second has given up when the first is started, which does not wait again.
SPLITPIN_WAIT=0.3 in_background "$to/second" -b -x 0 2 "$settle" hold "$to/held"
held "$to/held" 1
patient run "$to" -b -x 1 2 "$settle"
release "$to/held"
unset NAMESPACE SPLITPIN_DEBUG
cat "$to/second/out" >> "$to/out"
cat "$to/second/err" >> "$to/err"
verdict "$test" "$(
	expect "number of warnings" "$(warnings "$to")" 1
	expect "masks kept" "$(grep -c 'not all ranks of the node could be compared: it is kept' "$to/err")" 2
	expect "lines" "$(wc -l < "$to/out")" 2
	disjoint "$to/out"
	straight "$to"
	nothing_left
)"

#
# Other jobs on the same node.
#

# Each of one rank with one core.
export SPLITPIN_CORES=1
if [ -n "$confined" ] || [ "$shm" != own ]; then
	skip "two jobs on one node" "${confined:-no /dev/shm of our own}"
else
	# neighbours COMMAND...: runs it, given a job's folder, while another job is there.
	neighbours() {
		in_background "$to/first" "${first[@]}" hold "$to/held"
		held "$to/held" 0
		mkdir -p "$to/second"
		"$@"
		release "$to/held"
		sed 's/rank 0/rank second/' "$to/second/out" | cat "$to/first/out" - > "$to/both"
	}
	first=(1 "$settle")

	test="a second job takes free cores"
	to=$(folder "$test")
	neighbours run "$to/second" 1 "$settle"
	verdict "$test" "$(quiet "$to/first"; quiet "$to/second"; disjoint "$to/both"; nothing_left)"

	# When it makes its board, when it decides and when it ends, whatever is asked about the other: there may be hundreds.
	test="and looks at the process of the other job three times"
	if strace -o /dev/null true 2>/dev/null; then
		to=$(folder "$test")
		look() {
			other=$(pgrep -f "^$settle hold $to/held")
			run "$to/second" 1 strace -qq -o "$to/trace" -e trace=openat "$settle"
		}
		neighbours look
		verdict "$test" "$(quiet "$to/second"; expect "looks" "$(grep -c "\"/proc/$other/stat\"" "$to/trace")" 3; nothing_left)"
	else
		skip "$test" "strace does not work here"
	fi

	test="and is told where there are none"
	to=$(folder "$test")
	SPLITPIN_CORES=equal SPLITPIN_DEBUG=1 neighbours run "$to/second" "$ncpus" "$settle" meet "$to/all" "$ncpus"
	verdict "$test" "$(
		expect "ranks that share" "$(grep -c 'active=yes .*not enough free cores for all threads: the node is shared' "$to/second/err")" "$ncpus"
		expect "exit status" "$(cat "$to/second/status")" 0
		expect "kinds of masks" "$(sed 's/.*cpus/cpus/' "$to/second/out" | sort -u | wc -l)" 1
		nothing_left
	)"

	# The maker of the board has read the other one before, for the name of its job and for the machine.
	test="one of the ranks that lack cores looks at the other job"
	if strace -o /dev/null true 2>/dev/null; then
		to=$(folder "$test")
		look() {
			of_first=$(boards)
			# shellcheck disable=SC2016 # the ranks expand
			run "$to/second" "$ncpus" sh -c 'exec strace -qq -o "$0.$SPLITPIN_LOCAL_RANK" -e trace=openat sh -c "$start" "$@"' \
				"$to/trace" "$to/started" "$ncpus" "$settle" meet "$to/all" "$ncpus"
		}
		# Those that have been started when it looks, not such as start later.
		# shellcheck disable=SC2016 # the ranks expand
		export start=': > "$0.$SPLITPIN_LOCAL_RANK"; i=0; while [ $i -lt "$1" ]; do [ ! -e "$0.$i" ] || i=$((i + 1)); done; shift; exec "$@"'
		SPLITPIN_CORES=equal SPLITPIN_RUN=none patient neighbours look
		verdict "$test" "$(
			expect "ranks that read its board to release its threads" "$(awk -v of="\"$of_first\"" 'FNR == 1 { ranks += n; n = 0 }
				/-draft/ { n = 0 } index($0, of) && /O_RDONLY/ { n = 1 } END { print ranks + n }' "$to"/trace.*)" 1
			nothing_left
		)"
	else
		skip "$test" "strace does not work here"
	fi

	# The first two share what the other job has; it pins again before rank 0 has another program.
	test="and a later program of that job looks again"
	if strace -o /dev/null true 2>/dev/null; then
		to=$(folder "$test")
		look() {
			of_first=$(boards)
			# shellcheck disable=SC2016 # the ranks expand
			run "$to/second" "$ncpus" sh -c 'to=$0 settle=$1 n=$2
				[ "$SPLITPIN_LOCAL_RANK" = 0 ] || exec "$settle" hold "$to/here"
				"$settle" meet "$to/here" "$n"
				# The kernel has the start of a process in hundredths of a second.
				sleep 0.02
				strace -qq -o "$to/trace" -e trace=openat "$settle"
				rm "$to"/here.*' "$to" "$settle" "$ncpus"
		}
		SPLITPIN_CORES=equal SPLITPIN_RUN=none patient neighbours look
		verdict "$test" "$(
			expect "it has read the board of the other job to release threads" "$(awk -v of="\"$of_first\"" '
				/-draft/ { n = 0 } index($0, of) && /O_RDONLY/ { n = 1 } END { print n + 0 }' "$to/trace")" 1
			nothing_left
		)"
	else
		skip "$test" "strace does not work here"
	fi

	# Its board cannot be read, and is left as it is.
	test="a job of another version is known by its busy threads"
	to=$(folder "$test")
	if ! busy=$(program none gcc busy.c); then
		skip "$test" "busy.c does not compile"
	else
		mkdir "$to/second"
		OMP_NUM_THREADS=$ncpus SPLITPIN_CORES=equal in_background "$to/first" 1 "$busy" "$to/held"
		held "$to/held" 0
		of_first=$(boards)
		byte "$of_first" 8 '\377'
		OMP_NUM_THREADS=$ncpus SPLITPIN_CORES=equal SPLITPIN_DEBUG=1 run "$to/second" 1 "$settle"
		"$build/splitpin" show > "$to/shown" 2> "$to/not-shown"
		there "$of_first"
		release "$to/held"
		verdict "$test" "$(
			quiet "$to/first"
			expect "exit status" "$(cat "$to/second/status")" 0
			expect "that it shares the node" "$(grep -c 'active=yes .*not enough free cores for all threads: the node is shared' "$to/second/err")" 1
			expect "warnings" "$(warnings "$to/second")" 0
			expect "standard error of splitpin show" "$(cat "$to/not-shown")" "splitpin: warning: $of_first is not shown: another version of splitpin wrote it"
			nothing_left
		)"
	fi

	# Where there are more threads than cores, the kernel balances all of them, not only those that came last.
	test="and the first job, which has all cores, is released"
	to=$(folder "$test")
	mkdir "$to/second"
	# shellcheck disable=SC2016 # the rank's shell expands
	SPLITPIN_CORES=equal in_background "$to/first" "$ncpus" sh -c 'echo $$ >> "$0"; exec "$@"' "$to/pids" "$settle" hold "$to/held"
	# shellcheck disable=SC2046
	held "$to/held" $(seq 0 $((ncpus - 1)))
	masks() { sed 's|.*|/proc/&/status|' "$to/pids" | xargs sed -n 's/^Cpus_allowed_list:\t//p' | sort; }
	masks > "$to/before"
	SPLITPIN_CORES=equal run "$to/second" 1 "$settle"
	masks > "$to/after"
	release "$to/held"
	verdict "$test" "$(
		quiet "$to/first"
		quiet "$to/second"
		expect "CPUs before" "$(sort -u "$to/before" | wc -l)" "$ncpus"
		expect "ranks with all CPUs" "$(grep -cx -e "$allowed" "$to/after")" "$ncpus"
		nothing_left
	)"

	# Each phase has new threads, as a team of one more makes the one after it anew.
	test="whose threads are pinned again where teams come when no other job is there"
	to=$(folder "$test")
	if ! phases=$(program none gcc phases.c) || [ "$allowed" != "$cpus" ]; then
		skip "$test" "phases.c does not compile, or these are not all CPUs"
	else
		mkdir "$to/first" "$to/second"
		many=$((ncpus + 1))
		OMP_NUM_THREADS=$ncpus SPLITPIN_CORES=equal in_background "$to/first" 1 "$phases" "$to/next" "$ncpus" "$many" "$ncpus" "$many" "$ncpus"
		for phase in 2 3 4 5; do
			until [ -e "$to/next" ]; do sleep 0.01; done
			[ $phase != 2 ] || SPLITPIN_CORES=equal in_background "$to/second" 1 "$settle" hold "$to/held"
			[ $phase != 2 ] || held "$to/held" 0
			[ $phase != 4 ] || { rm "$to/held.0"; wait $!; }
			rm "$to/next"
		done
		wait
		verdict "$test" "$(
			quiet "$to/second"
			expect "exit status" "$(cat "$to/first/status")" 0
			expect "threads with all CPUs, by phase" "$(tr ' ' '\n' < "$to/first/out" | awk -v all="$allowed" '/:/ { n[++i] = 0 } $0 == all { n[i]++ } END { print n[1], n[3], n[5] }')" "0 $ncpus 0"
			nothing_left
		)"
	fi

	# All cores are free then, but threads that are not pinned would have to make do with what pinned ones leave.
	test="nor is a third one pinned, while the second is there, unless a core is left for each of its threads"
	to=$(folder "$test")
	mkdir "$to/third" "$to/fourth"
	SPLITPIN_CORES=equal in_background "$to/first" "$ncpus" "$settle" hold "$to/held"
	first_job=$!
	# shellcheck disable=SC2046
	held "$to/held" $(seq 0 $((ncpus - 1)))
	SPLITPIN_CORES=equal in_background "$to/second" 1 "$settle" hold "$to/stays"
	held "$to/stays" 0
	rm -f "$to"/held.*
	wait $first_job
	export OMP_NUM_THREADS=1 SPLITPIN_CORES=equal SPLITPIN_DEBUG=1
	run "$to/third" "$ncpus" "$settle" meet "$to/all" "$ncpus"
	run "$to/fourth" $((ncpus - 1)) "$settle"
	unset OMP_NUM_THREADS SPLITPIN_DEBUG
	export SPLITPIN_CORES=1
	release "$to/stays"
	verdict "$test" "$(
		quiet "$to/first"
		quiet "$to/second"
		expect "exit status" "$(cat "$to/third/status")" 0
		expect "ranks that share" "$(grep -c 'active=yes .*not enough free cores for all threads' "$to/third/err")" "$ncpus"
		expect "ranks of fewer that share" "$(grep -c 'not enough free cores for all threads' "$to/fourth/err")" 0
		nothing_left
	)"

	test="and is told of one whose ranks have no share"
	to=$(folder "$test")
	mkdir "$to/second"
	in_background "$to/first" $((ncpus + 1)) "$settle" hold "$to/held"
	# shellcheck disable=SC2046
	held "$to/held" $(seq 0 "$ncpus")
	run "$to/second" 1 "$settle"
	release "$to/held"
	verdict "$test" "$(
		warned_once "$to/first" "$((ncpus + 1)) ranks share"
		warned_once "$to/second" "another of your jobs uses CPU"
		nothing_left
	)"

	test="neighbours can be ignored"
	to=$(folder "$test")
	SPLITPIN_NEIGHBOURS=ignore neighbours run "$to/second" 1 "$settle"
	verdict "$test" "$(quiet "$to/second"; expect "cores" "$(cat "$to/second/out")" "$(cat "$to/first/out")"; nothing_left)"

	test="a dry run is no neighbour"
	to=$(folder "$test")
	first=(1 env SPLITPIN_DRYRUN=1 "$settle")
	neighbours run "$to/second" 1 "$settle"
	first=(1 "$settle")
	mkdir "$to/third"
	run "$to/third" 1 "$settle"
	verdict "$test" "$(quiet "$to/second"; expect "cores" "$(cat "$to/second/out")" "$(cat "$to/third/out")"; nothing_left)"

	test="a job that was bound is seen by one that was not"
	to=$(folder "$test")
	first=(1 taskset -c "${allowed%%[,-]*}" "$settle")
	neighbours run "$to/second" 1 "$settle"
	first=(1 "$settle")
	verdict "$test" "$(quiet "$to/second"; disjoint "$to/both"; nothing_left)"

	# A rank's child must not take away what is known of the rank.
	test="a rank stays on the board after its children"
	to=$(folder "$test")
	in_background "$to/first" 1 "$settle" system "$settle; $settle; touch $to/held.0; while [ -e $to/held.0 ]; do sleep 0.01; done"
	held "$to/held" 0
	mkdir "$to/second"
	run "$to/second" 1 "$settle"
	release "$to/held"
	verdict "$test" "$(
		quiet "$to/first"
		quiet "$to/second"
		expect "different masks in the rank and its children" "$(sort -u "$to/first/out" | wc -l)" 1
		sed 's/rank 0/rank second/' "$to/second/out" | cat "$to/first/out" - > "$to/both"
		disjoint "$to/both"
		nothing_left
	)"

	test="a dead neighbour is removed"
	to=$(folder "$test")
	mkdir "$to/second"
	LD_PRELOAD=$preload SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$settle" hold "$to/held" > "$to/first" &
	held "$to/held" 0
	kill -9 $!
	wait $! 2>/dev/null
	before=$(boards | wc -l)
	run "$to/second" 1 "$settle"
	verdict "$test" "$(
		expect "boards of the dead" "$before" 1
		quiet "$to/second"
		expect "cores" "$(cat "$to/second/out")" "$(cat "$to/first")"
		nothing_left
	)"

	test="two jobs that start at the same moment, 50 times"
	to=$(folder "$test")
	for ((i = 0; i < 50; i++)); do
		rm -f "$to"/met.*
		in_background "$to/first" 1 "$settle" meet "$to/met" 2
		in_background "$to/second" 1 "$settle" meet "$to/met" 2
		wait
		sed 's/rank 0/rank second/' "$to/second/out" | cat "$to/first/out" - > "$to/both"
		expect "lines" "$(wc -l < "$to/both")" 2
		disjoint "$to/both"
		cat "$to/first/err" "$to/second/err"
	done > "$to/wrong"
	verdict "$test" "$(head -n 3 "$to/wrong"; nothing_left)"
fi
unset SPLITPIN_CORES

#
# Several processes of one rank.
#

# Each prints one line, and all those of a rank have its share.
one_share_each() {
	expect "lines" "$(wc -l < "$1/out")" "$2"
	expect "different lines" "$(sort -u "$1/out" | wc -l)" 2
	disjoint "$1/out"
}

to=$(folder "processes of one rank")
mkdir "$to"/{after,beside,system,exec,openmp,both}
patient run "$to/after" 2 sh -c "$settle; $settle"
verdict "two programs one after the other" "$(quiet "$to/after"; one_share_each "$to/after" 4; straight "$to/after"; nothing_left)"

SPLITPIN_DEBUG=1 run "$to/beside" 2 sh -c "$settle meet $to/met 4 & $settle meet $to/met 4 & wait"
verdict "two programs side by side" "$(
	one_share_each "$to/beside" 4
	expect "second processes" "$(grep -c 'already is this rank: its share' "$to/beside/err")" 2
	expect "exit status" "$(cat "$to/beside/status")" 0
	nothing_left
)"

SPLITPIN_DEBUG=1 run "$to/system" 2 "$settle" system "$settle"
verdict "a program under system()" "$(
	one_share_each "$to/system" 6
	expect "second processes" "$(grep -c 'already is this rank: its share' "$to/system/err")" 2
	nothing_left
)"

SPLITPIN_DEBUG=1 patient run "$to/exec" 2 "$settle" exec "$settle" stay 50
verdict "a program that executes another" "$(
	one_share_each "$to/exec" 4
	expect "programs with the rank's share" "$(shares "$to/exec" | uniq -c | awk '{ print $1, $3 }' | paste -s -d ' ')" "2 0 2 1"
	expect "second processes" "$(grep -c 'already is this rank' "$to/exec/err")" 0
	expect "exit status" "$(cat "$to/exec/status")" 0
	straight "$to/exec"
	nothing_left
)"

if [ -n "$alone" ]; then
	run "$to/openmp" 2 "$settle" system "$alone"
	verdict "an OpenMP program under system()" "$(
		quiet "$to/openmp"
		n=$(grep rank "$to/openmp/out" | head -n 1 | tr -cd , | wc -c)
		expect "processors and threads" "$(grep -v rank "$to/openmp/out" | sort -u)" "$((n + 1)) processors, $((n + 1)) threads"
		nothing_left
	)"
fi

# The child's mask is the whole machine's in a dry run, and it gets the share.
SPLITPIN_DEBUG=1 on_knl run "$to/both" 4 "$settle" system "$settle"
verdict "children of ranks of a larger node" "$(
	shares "$to/both" > "$to/both/shares"
	expect "lines" "$(wc -l < "$to/both/shares")" 8
	expect "different lines" "$(sort -u "$to/both/shares" | wc -l)" 4
	disjoint "$to/both/shares"
	nothing_left
)"

test="ranks that do not see each other's processes"
to=$(folder "$test")
if [ "$shm" = own ] && unshare -pf --mount-proc true 2>/dev/null; then
	NAMESPACE=containers patient run "$to" 2 unshare -pf --mount-proc "$settle" stay 50
	verdict "$test" "$(quiet "$to"; disjoint "$to/out"; straight "$to"; nothing_left)"
else
	skip "$test" "no PID name spaces here"
fi

#
# One discovers the machine for all.
#

test="64 ranks, one discovery"
to=$(folder "$test")
mkdir "$to/files" "$to/told"
on_knl run "$to" 64 env LD_DEBUG=files LD_DEBUG_OUTPUT="$to/files/of" "$settle" meet "$to/met" 64
SPLITPIN_DEBUG=1 on_knl run "$to/told" 64 "$settle" meet "$to/told/met" 64
shares "$to/told" > "$to/shares"
verdict "$test" "$(
	expect "ranks that opened libsplitpin-engine.so" "$(grep -l 'calling init: .*/libsplitpin-engine.so' "$to"/files/of.* | wc -l)" 64
	expect "ranks that opened libsplitpin-hardware.so" "$(grep -l 'calling init: .*/libsplitpin-hardware.so' "$to"/files/of.* | wc -l)" 1
	expect "ranks that opened libnuma" "$(grep -l 'calling init: .*/\(libsplitpin-numa.so\|libnuma.so\)' "$to"/files/of.* | wc -l)" 0
	expect "shares" "$(wc -l < "$to/shares")" 64
	disjoint "$to/shares"
	quiet "$to"
	nothing_left
)"

#
# The verdict.
#

# As the library of Omni-Path does (libpsm2), before libgomp asks for the mask: one CPU for a moment, and all
# again.  By the kernel, since libc is not initialised so early.
cat > "$work/loading.c" <<'END'
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((constructor)) static void
load(int argc, char **argv, char **environment)
{
	const char *go = NULL;
	for (; *environment; environment++)
		if (strncmp(*environment, "LOADING=", 8) == 0)
			go = *environment + 8;
	cpu_set_t all, first;
	int cpu = 0;
	if (!go)
		return;
	CPU_ZERO(&all);
	syscall(SYS_sched_getaffinity, 0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&first);
	CPU_SET(cpu, &first);
	syscall(SYS_sched_setaffinity, 0, sizeof(first), &first);
	while (access(go, F_OK) != 0)
		usleep(1000);
	usleep(100000);
	syscall(SYS_sched_setaffinity, 0, sizeof(all), &all);
}
END
gcc -O2 -D_GNU_SOURCE -shared -fPIC -Wl,-z,initfirst "$work/loading.c" -o "$bin/libloading.so" || exit 1

# put_on_one TEST SCRIPT: two ranks that a script starts, whose $0 is a CPU and $1 the program, end up on that CPU both.
# One program for both: mpirun of Open MPI 5.0.7 cannot start two ("-n 1 a : -n 1 b" ends it with a segmentation fault).
put_on_one() {
	test=$1 to=$(folder "$1")
	if [ -n "$confined" ]; then
		skip "$test" "$confined"
		return
	fi
	LD_PRELOAD=$preload timeout -k 5 "$hangs" "$run_mpi" "${none[@]}" -n 2 sh -c "$2" "$lowest" "$command" "$to/go" "$bin/libloading.so" \
		> "$to/out" 2> "$to/err" < /dev/null
	echo $? > "$to/status"
	verdict "$test" "$(warned_once "$to" "2 of 2 ranks overlap: ranks 0 and 1 both have CPUs* $lowest"; nothing_left)"
}

for mpi in openmpi mpich; do
	if ! command=$(program "$mpi" gcc hybrid.c); then
		skip "$mpi: the verdict" "not installed"
		continue
	fi
	run_mpi=$(mpi_tool "$mpi" mpirun)
	none=()
	[ "$mpi" = mpich ] || none=(--bind-to none)
	lowest=${allowed%%[,-]*}

	# One may use all and gets its half, the other has been put on a CPU of that half.
	# shellcheck disable=SC2016 # the ranks expand
	put_on_one "$mpi: shares that overlap" '
		[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || exec taskset -c "$0" "$1"
		exec "$1"'
	# shellcheck disable=SC2016 # the ranks expand
	put_on_one "$mpi: shares that overlap, while the first rank loads libraries" '
		if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ]; then
			: > "$2"
			exec taskset -c "$0" "$1"
		fi
		LOADING=$2 LD_PRELOAD=$LD_PRELOAD:$3 exec "$1"'

	test="$mpi: the report"
	to=$(folder "$test")
	LD_PRELOAD=$preload SPLITPIN_REPORT=1 launch "$mpi" 2 "$command" > "$to/out" 2> "$to/err"
	verdict "$test" "$(
		expect "lines" "$(grep -c splitpin: "$to/err")" 5
		expect "reasons" "$(grep -c "splitpin: host=[^ ]* why: " "$to/err")" 1
		for rank in 0 1; do
			expect "lines of rank $rank" "$(grep -cE "splitpin: host=[^ ]+ +$rank +[0-9]+ " "$to/err")" 1
		done
		expect "verdicts" "$(grep -c 'result: 2 of 2 ranks have their own CPUs' "$to/err")" 1
		nothing_left
	)"
done

nothing_left > "$work/left"
verdict "nothing left in /dev/shm" "$(cat "$work/left")"
closing
