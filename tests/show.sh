#!/bin/bash
# splitpin show, on jobs that run, and splitpin check, with each of the things
# that it looks for.
#
#   tests/show.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/show/<test>.
set -u

# What others run on this machine without splitpin would be shown.
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# shellcheck source=tests/lib.sh
. tests/lib.sh
for name in $(compgen -e ASAN_); do unset "$name"; done

splitpin=$build/splitpin
if ! [ -x "$splitpin" ] || ! [ -e "$preload" ]; then
	echo "show: no $splitpin: run make first" >&2
	exit 1
fi
unset SPLITPIN_NEIGHBOURS NAMESPACE
uid=$(id -u)

if [ "$shm" = common ]; then
	skip "everything" "no /dev/shm of its own: the jobs of this machine would be shown"
	closing
	exit
fi
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	skip "everything" "${confined:-one CPU}"
	closing
	exit
fi

bin=$work/bin
mkdir -p "$bin"
# The first two without OpenMP's library, which would come before the program itself.
for source in settle launch busy crowd; do
	flag=(-pthread)
	[ $source = busy ] || [ $source = crowd ] && flag+=(-fopenmp)
	newer_than "$bin/$source" "$sources/$source.c" ||
		gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes "${flag[@]}" "$sources/$source.c" -o "$bin/$source" || exit 1
done

has() { grep -qF -e "$2" <<< "$1" || echo "no \"$2\" in: $1"; }
has_not() { ! grep -qF -e "$2" <<< "$1" || echo "\"$2\" in: $1"; }

#
# show
#

out='' err='' status=
show() {
	out=$("$splitpin" show "$@" 2>"$work/err" </dev/null)
	status=$?
	err=$(cat "$work/err")
}

# The value of a Python expression over the object that show prints as JSON.
ask() {
	local expression=$1
	shift
	"$splitpin" show --format json "$@" 2>/dev/null </dev/null | python3 -c '
import json, sys
o = json.load(sys.stdin)
jobs, problems = o["jobs"], o["problems"]
ranks = [r for j in jobs for r in j["ranks"]]
threads = [t for r in ranks for t in r["threads"]]
print('"$expression"')'
}

# start FILE RANKS COMMAND...: a job in the background, all of whose ranks are there.
# Many commands look at one, each of which may take long: it may stay longer than they.
start() {
	local file=$1 n=$2 rank
	shift 2
	rm -f "$file".[0-9]*
	timeout -k 5 $((3 * hangs)) "$bin/launch" -p "$preload" "$n" "$@" </dev/null >"$file.out" 2>"$file.err" &
	for ((rank = 0; rank < n; rank++)); do
		there "$file.$rank" || return
	done
}

release() {
	rm -f "$work"/*.[0-9] "$work"/*.[0-9][0-9]
	wait
}

show
verdict "no job" "$(
	expect status "$status" 0
	expect output "$out" "no job runs with splitpin on this node"
	expect errors "$err" ""
	expect "JSON" "$(ask 'jobs, problems')" "[] []"
)"

start "$work/a" 2 "$bin/settle" hold "$work/a"
board=$(find /dev/shm -name 'splitpin-*')
before=$(stat -c '%i %y %s' "$board"; cksum <"$board")
show
pids=$(ask '" ".join(str(r["pid"]) for r in ranks)')
read -r first second <<< "$pids"
verdict "two ranks" "$(
	expect status "$status" 0
	expect errors "$err" ""
	has "$out" "2 ranks: 2 disjoint shares"
	has "$out" "1 job, 2 ranks, 2 threads: no problems"
	expect "pictures and programs" "$(grep -c "^rank [01]  \[.*\]  pid [0-9]*  settle$" <<< "$out")" 2
	expect "why" "$(grep -c 'memory default (the launcher did not bind' <<< "$out")" 2
	expect "claims" "$(grep -c '^  announces no threads; claims CPU' <<< "$out")" 2
	for pid in $pids; do
		has "$out" "$(printf '%8d  settle' "$pid")"
	done
)"
verdict "two ranks in JSON" "$(
	expect "number of jobs" "$(ask 'len(jobs)')" 1
	expect "disjoint" "$(ask 'jobs[0]["disjoint"], jobs[0]["dry_run"], jobs[0]["uid"]')" "True False $uid"
	expect "states" "$(ask 'sorted(set(r["state"] for r in ranks))')" "['settled']"
	expect "threads are where the kernel says" \
		"$(ask '",".join(str(c) for c in ranks[0]["threads"][0]["cpus"])')" \
		"$(ask '",".join(str(c) for c in ranks[0]["cpus"])')"
	expect "mask by the kernel" "$(grep Cpus_allowed_list "/proc/$first/status" | cut -f 2)" "$(ask 'ranks[0]["list"]')"
	expect "last CPU is in the share" "$(ask 'all(t["last_cpu"] in r["cpus"] for r in ranks for t in r["threads"])')" True
)"
verdict "looking on changes nothing" "$(
	expect "the board" "$(stat -c '%i %y %s' "$board"; cksum <"$board")" "$before"
	expect "files" "$(find /dev/shm -type f)" "$board"
)"
verdict "a process, a part of the name, a number, who started it" "$(
	for which in "$second" "proc" "settle-" "$(sed -n 's/^job settle-\([0-9]*\), 2 ranks: .*/\1/p' <<< "$out")" $$; do
		show "$which"
		expect "status of $which" "$status" 0
		has "$out" "1 job, 2 ranks"
	done
	for which in 999999999 nobody "2 ranks" "rocess 0" 1; do
		show "$which"
		expect "status of $which" "$status" 2
		expect "output of $which" "$out" ""
		case $which in
		1) has "$err" "splitpin: 1: this process is not a rank, and has started none that runs" ;;
		*) has "$err" "splitpin: $which: no such job" ;;
		esac
	done
)"

# forge PID: the board as it would be if rank 1 were this process.
forge() {
	python3 - "$board" "$1" <<-'PYTHON'
		import struct, sys
		sys.path.insert(0, "tests")
		sys.dont_write_bytecode = True
		from board_sum import board_sum
		path, pid = sys.argv[1], int(sys.argv[2])
		board = bytearray(open(path, "rb").read())
		seat_size, place_size, ranks, places = struct.unpack_from("<4I", board, 12)
		part_size, terms_size, cut_size = struct.unpack_from("<3I", board, 36)
		words = (ranks + 1) // 2 * 8
		terms = words + 2 * (terms_size + words + 8) + cut_size + words + (places + 1) // 2 * 8 + 8
		at = len(board) - places * place_size - terms - ranks * part_size - (ranks - 1) * seat_size
		started = int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[19])
		struct.pack_into("<i4xQ", board, at + 8, pid, started)
		struct.pack_into("<Q", board, at + seat_size - 8, board_sum(board[at:at + seat_size - 8]))
		open(path, "r+b").write(board)
	PYTHON
}

cp "$board" "$work/board.saved"
forge "$second"
show
verdict "a board that is written anew as it was" "$(
	expect status "$status" 0
	has "$out" "1 job, 2 ranks, 2 threads: no problems"
)"
forge "$first"
show
verdict "a process with two seats" "$(
	expect status "$status" 0
	has "$out" "rank 1  has ended (it was process $first)"
	has "$out" "1 job, 1 rank, 1 thread: no problems"
)"
if [ "$uid" = 0 ] && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
	setpriv --reuid=65534 --clear-groups sleep "$hangs" &
	stranger=$!
	awaited grep -qx sleep "/proc/$stranger/comm"
	forge "$stranger"
	show
	verdict "a seat of another user's process" "$(
		expect status "$status" 0
		has "$out" "rank 1  has ended (it was process $stranger)"
		has "$out" "1 job, 1 rank, 1 thread: no problems"
	)"
	kill "$stranger"
	wait "$stranger" 2>/dev/null
else
	skip "a seat of another user's process" "takes root"
fi
cat "$work/board.saved" >"$board"
# The same board for jobs of 8192 ranks, of which none has come: files that take no room.
python3 - "$board" <<-'PYTHON'
	import os, struct, sys
	sys.path.insert(0, "tests")
	sys.dont_write_bytecode = True
	from board_sum import board_sum
	def of_name(data, start=0xcbf29ce484222325):
	    for word in data:
	        start = (start ^ word) * 0x100000001b3 % 2**64
	    return start
	path = sys.argv[1]
	board = open(path, "rb").read()
	seat_size, place_size, ranks, places = struct.unpack_from("<4I", board, 12)
	head_size, part_size, terms_size, cut_size = struct.unpack_from("<4I", board, 32)
	def terms(ranks):
	    words = (ranks + 1) // 2 * 8
	    return words + 2 * (terms_size + words + 8) + cut_size + words + (places + 1) // 2 * 8 + 8
	head = bytearray(board[:head_size])
	seats = len(board) - places * place_size - terms(ranks) - ranks * (part_size + seat_size)
	struct.pack_into("<I", head, 20, 8192)
	for number in range(5):
	    name = b"forged %d" % number
	    struct.pack_into("%ds" % (len(name) + 1), head, 72, name)
	    struct.pack_into("<Q", head, len(head) - 8, board_sum(head[:-8]))
	    with open("%s-%016x" % (path.rsplit("-", 1)[0], of_name(name)), "wb") as file:
	        os.fchmod(file.fileno(), 0o600)
	        file.write(head)
	        file.seek(seats + 8192 * (seat_size + part_size) + terms(8192))
	        file.write(board[len(board) - places * place_size:])
PYTHON
show
verdict "more ranks than a user can have" "$(
	expect status "$status" 0
	expect "boards that are left out" "$(grep -c 'is not shown: the jobs of user .* have more than 16384 ranks' <<< "$err")" 4
)"
find /dev/shm -name 'splitpin-*' ! -path "$board" -delete

taskset -pc "$allowed" "$first" >"$work/taskset" 2>&1
show
verdict "a rank that has drifted" "$(
	expect status "$status" 1
	has "$out" "outside the share"
	has "$out" "1 thread may run outside its rank's share"
	expect "marked lines" "$(grep -c '<- may run on CPU' <<< "$out")" 1
	expect "problems" "$(ask '[(p["kind"], p["rank"], p["tid"]) for p in problems]')" "[('drift', 0, $first)]"
	expect "marks" "$(ask 'sum(t["mark"] is not None for t in threads)')" 1
)"
verdict "a picture of it" "$(
	"$splitpin" show "$first" --picture "$work/drifted.svg"
	expect status $? 1
	expect "red threads" "$(grep -c "<rect .*fill='rgb(255,64,64)'" "$work/drifted.svg")" 1
	has "$(cat "$work/drifted.svg")" "outside its rank's share"
)"
kill -KILL "$first"
gone "$first"
show
verdict "a rank that has left" "$(
	expect status "$status" 0
	has "$out" "rank 0  has ended (it was process $first)"
	has "$out" "1 job, 1 rank, 1 thread: no problems"
	expect "states" "$(ask '[r["state"] for r in ranks]')" "['left', 'settled']"
)"
release
show
verdict "the job has ended" "$(has "$out" "no job runs")"

# Two jobs that know nothing of each other.
NAMESPACE=alpha-7 start "$work/a" 2 "$bin/settle" hold "$work/a"
SPLITPIN_NEIGHBOURS=ignore NAMESPACE=beta-77 start "$work/b" 2 "$bin/settle" hold "$work/b"
show
verdict "jobs that overlap" "$(
	expect status "$status" 1
	expect "jobs" "$(grep -c '^job settle-[0-9]*, 2 ranks' <<< "$out")" 2
	expect "the overlap" "$(grep -cE '^problem: jobs settle-[0-9]+, 2 ranks and settle-[0-9]+, 2 ranks both use CPUs? ' <<< "$out")" 1
	has "$out" "2 jobs, 4 ranks, 4 threads: 1 overlap of shares"
	expect "problems" "$(ask '[p["kind"] for p in problems]')" "['overlap']"
)"
show alpha
verdict "one of two jobs" "$(
	expect status "$status" 1
	expect "jobs" "$(grep -c '^job' <<< "$out")" 1
	has "$out" " both use CPU"
	expect "by a whole number" "$(ask '[j["id"] for j in jobs]' 7)" "['PMIX_NAMESPACE alpha-7, 2 ranks']"
	expect "by another" "$(ask '[j["id"] for j in jobs]' 77)" "['PMIX_NAMESPACE beta-77, 2 ranks']"
)"
release

SLURM_JOB_ID=17 SLURM_STEP_ID=0 start "$work/a" 2 "$bin/settle" hold "$work/a"
for which in 17 "Slurm job 17" "step 0" slurm-17.0 slurm-17; do
	show "$which"
	verdict "a job of Slurm by \"$which\"" "$(expect "jobs" "$(grep -c '^Slurm job 17 step 0, 2 ranks: 2 disjoint shares' <<< "$out")" 1)"
done
show Slurm job 17 step 0
verdict "a job of Slurm by its name in several words" "$(expect "jobs" "$(grep -c '^Slurm job 17 step 0, 2 ranks: 2 disjoint shares' <<< "$out")" 1)"
for which in 1 slurm-1 slurm-17.; do
	show $which
	verdict "and not by $which, a part of its number" "$(expect status "$status" 2)"
done
verdict "in a table its name is a word" "$(
	expect words "$("$splitpin" show --format table 17 | awk '{ print $3, $4 }' | paste -s -d ' ')" "JOB RANK slurm-17.0 0 slurm-17.0 1"
	expect "in JSON" "$(ask '[j["word"] for j in jobs]' slurm-17.0)" "['slurm-17.0']")"
release

# The second rank was bound to a core that the first one gets.
# shellcheck disable=SC2016 # for the ranks' shell
SPLITPIN_WAIT=0.2 start "$work/a" 2 sh -c 'test $SPLITPIN_LOCAL_RANK = 0 || exec taskset -c '"${allowed%%[-,]*}"' "$@"; exec "$@"' \
	sh "$bin/settle" hold "$work/a"
show
verdict "ranks that overlap" "$(
	expect status "$status" 1
	has "$out" "2 of 2 shares overlap"
	has "$out" "2 of 2 ranks overlap: ranks 0 and 1 both have CPU"
	expect "disjoint" "$(ask 'jobs[0]["disjoint"]')" False
)"
release

# OpenMP: a thread a core, then two on one of them.
OMP_NUM_THREADS=2 start "$work/a" 1 "$bin/busy" "$work/a"
show
verdict "busy threads on their cores" "$(
	expect status "$status" 0
	expect "threads" "$(ask 'len(threads), len(set(tuple(t["cpus"]) for t in threads))')" "2 2"
	expect "busy" "$(ask '[t["state"] for t in threads]')" "['R', 'R']"
)"
read -r main worker <<< "$(ask '" ".join(str(t["tid"]) for t in threads)')"
core=$(ask 'threads[0]["cpus"][0]')
taskset -pc "$core" "$main" >"$work/taskset" 2>&1
taskset -pc "$core" "$worker" >>"$work/taskset" 2>&1
# Until both have been seen to have the same CPU alone; they share its time.
for ((i = 0; i < 20; i++)); do
	show
	[ "$status" = 1 ] && break
done
verdict "busy threads on one core" "$(
	expect status "$status" 1
	has "$out" "shares core"
	has "$out" "1 busy thread shares its core while another core is idle"
	has "$out" "with busy thread $main, while core"
)"
show "$worker"
verdict "a job by its thread" "$(has "$out" "1 job, 1 rank, 2 threads")"
release

# A list that is the same in both ranks, which libgomp obeys whatever the masks are.
OMP_NUM_THREADS=1 GOMP_CPU_AFFINITY=$core start "$work/a" 2 "$bin/busy" "$work/a"
for ((i = 0; i < 20; i++)); do
	show
	grep -q 'may run only on 1 CPU' <<< "$out" && break
done
verdict "two ranks bound to one CPU" "$(
	expect status "$status" 1
	has "$out" "2 busy threads of ranks 0 and 1 may run only on 1 CPU ($core): something has bound threads of several ranks"
	has "$out" "1 job with more busy threads than CPUs"
	expect "problems" "$(ask 'sorted(set(p["kind"] for p in problems))')" "['drift', 'few_cpus']"
)"
release
verdict "two ranks bound to one CPU: one warning for the node" \
	"$(expect warnings "$(grep -c "GOMP_CPU_AFFINITY=$core names the same CPUs in 2 of 2 ranks, CPU $core in both rank 0 and rank 1" "$work/a.err")" 1)"

# Each rank of the job announces more threads than it has CPUs.
if [ "$ncpus" -gt 1 ]; then
	OMP_NUM_THREADS=$((ncpus + 1)) start "$work/a" 2 "$bin/settle" hold "$work/a"
	show --format table
	verdict "two starved ranks: each is marked, and one problem counts them" "$(
		expect "marked" "$(grep -c ' starved$' <<< "$out")" 2
		expect "problems" "$(grep -c 'problem: ' <<< "$out")" 1
		has "$out" "2 of 2 ranks have too few CPUs for their threads, such as rank 0: CPU"
	)"
	release
fi

# More threads than were announced: one more than the rank has CPUs.
timeout -k 5 "$hangs" taskset -c "$core" "$bin/launch" -p "$preload" 1 "$bin/crowd" 2500 1 >"$work/crowd.out" 2>"$work/crowd.err"
remedy="idle on this node; set SPLITPIN_INHERITED=ignore"
[ "$ncpus" -gt 1 ] || remedy="start fewer threads"
verdict "threads that crowded are reported at the end" "$(
	has "$(cat "$work/crowd.err")" "2 busy threads of rank 0 had 1 CPU ($core) and waited "
	has "$(cat "$work/crowd.err")" " percent of their time for it: "
	has "$(cat "$work/crowd.err")" "$remedy"
	expect "lines of splitpin's" "$(grep -c 'splitpin:' "$work/crowd.err")" 1
)"
OMP_NUM_THREADS=1 timeout -k 5 "$hangs" taskset -c "$core" "$bin/launch" -p "$preload" 1 "$bin/crowd" 2500 0 >"$work/crowd.out" 2>"$work/crowd.err"
verdict "one busy thread is no crowd" "$(expect "lines of splitpin's" "$(grep -c 'splitpin:' "$work/crowd.err")" 0)"

# Its GPUs are in the reverse order of its cores.
SPLITPIN_DRYRUN=$PWD/tests/data/topologies/gpus/polaris-4xa100.xml SPLITPIN_DEVICES=gpu start "$work/a" 4 "$bin/settle" hold "$work/a"
verdict "the GPUs of ranks in JSON, by the names of the man page" "$(expect "GPUs" "$(ask '[([g["gpu"] for g in r["gpus"]], r["not_beside"]) for r in ranks]')" "[([0], False), ([1], False), ([2], False), ([3], False)]")"
release

SPLITPIN_DRYRUN="pack:2 core:4 pu:2" start "$work/a" 2 "$bin/settle" hold "$work/a"
show
verdict "a dry run" "$(
	expect status "$status" 0
	has "$out" "a dry run"
	has "$out" "no problems"
	has "$out" "rank 1  [../../../..][BB/BB/BB/BB]"
)"
release

# A real launcher.
run=$(mpi_tool openmpi mpirun)
if [ -n "$run" ]; then
	rm -f "$work"/a.[0-9]
	OMP_NUM_THREADS=1 timeout -k 5 "$hangs" "$run" --bind-to none -x LD_PRELOAD="$preload" -n 2 "$bin/busy" "$work/a" </dev/null >"$work/mpirun.out" 2>&1 &
	there "$work/a.0" "$work/a.1"
	show PMIX_NAMESPACE
	verdict "mpirun of Open MPI" "$(
		expect status "$status" 0
		has "$out" "2 ranks: 2 disjoint shares"
		has "$out" "no problems"
	)"
	release
else
	skip "mpirun of Open MPI" "not installed"
fi

# A container that has the same /dev/shm and other process numbers.
if unshare -p -f --mount-proc true 2>/dev/null; then
	rm -f "$work"/a.[0-9]
	timeout -k 5 "$hangs" unshare -p -f --mount-proc "$bin/launch" -p "$preload" 2 "$bin/settle" hold "$work/a" </dev/null >"$work/container.out" 2>&1 &
	there "$work/a.0" "$work/a.1"
	show
	verdict "a job in a container" "$(
		expect status "$status" 0
		has "$out" "its process is in another container"
		has "$out" "1 job, 2 ranks, 0 threads: no problems"
		expect "states" "$(ask '[(r["state"], r["program"], len(r["threads"])) for r in ranks]')" \
			"[('settled', '?', 0), ('settled', '?', 0)]"
	)"
	release
else
	skip "a job in a container" "no PID name space of its own"
fi

# Another user's.
other=65534
if [ "$uid" = 0 ] && setpriv --reuid $other --regid $other --clear-groups test -x "$bin/settle" -a -r "$preload" 2>/dev/null; then
	mkdir -p /dev/shm/hers
	chown $other /dev/shm/hers
	setpriv --reuid $other --regid $other --clear-groups timeout -k 5 "$hangs" "$bin/launch" -p "$preload" 2 "$bin/settle" hold /dev/shm/hers/a \
		</dev/null >"$work/a.out" 2>&1 &
	there /dev/shm/hers/a.0 /dev/shm/hers/a.1
	show
	verdict "another user's job is not shown" "$(has "$out" "no job runs")"
	show --all
	verdict "another user's job with --all" "$(
		expect status "$status" 0
		has "$out" "1 job, 2 ranks, 2 threads: no problems"
		expect "user" "$(ask 'jobs[0]["uid"]' --all)" $other
	)"
	start "$work/a" 1 "$bin/settle" hold "$work/a"
	out=$(setpriv --reuid $other --regid $other --clear-groups "$splitpin" show --all 2>"$work/err")
	status=$?
	err=$(cat "$work/err")
	verdict "a board that may not be read" "$(
		expect status "$status" 0
		has "$out" "1 job, 2 ranks"
		has "$err" "splitpin: warning: /dev/shm/splitpin-0-"
		has "$err" "is not shown: Permission denied"
	)"
	rm -rf /dev/shm/hers
	release
else
	skip "another user's job" "not root, or another user cannot reach this folder"
fi

if [ "$ncpus" = 2 ]; then
	NAMESPACE=wide OMP_NUM_THREADS=1 start "$work/a" 1 "$bin/settle" hold "$work/a"
	NAMESPACE=narrow OMP_NUM_THREADS=1 start "$work/b" 1 "$bin/settle" hold "$work/b"
	show
	verdict "cores that another job claims are not idle" "$(
		expect "of both jobs" "$(grep -c '1 disjoint share, 0 cores idle' <<< "$out")" 2
	)"
	release
fi

#
# As a table.
#

NAMESPACE=watched OMP_NUM_THREADS=1 start "$work/a" 2 "$bin/busy" "$work/a"
show --format table
verdict "a table" "$(
	expect status "$status" 0
	expect heading "$(head -n 1 <<< "$out" | tr -s ' ')" "HOST USER JOB RANK PID PROGRAM CPUS BUSY NEED"
	expect needs "$(grep -c ' busy .*/[0-9]*  *1 *\(claim\|$\)' <<< "$out")" 2
	expect ranks "$(grep -c " $(id -un | cut -c 1-8) .* busy  *[0-9]" <<< "$out")" 2
)"
show
verdict "need and claim" "$(
	expect "of the ranks" "$(grep -c '^  needs 1 core; claims CPU' <<< "$out")" 2
	has "$out" "cores idle; 2 cores claimed"
	expect "in JSON" "$(ask 'jobs[0]["terms"], sorted(jobs[0]["claim"]) == sorted(c for r in ranks for c in r["claim"]), [r["need"] for r in ranks], all(set(r["claim"]) <= set(r["cpus"]) for r in ranks)')" \
		"alone True [1, 1] True"
)"
if [ "$ncpus" = 2 ]; then
	NAMESPACE=other OMP_NUM_THREADS=1 start "$work/b" 2 "$bin/busy" "$work/b"
	show other
	verdict "a job that shares the node claims nothing" "$(
		expect "of the ranks" "$(grep -c '^  needs 1 core; claims none: its threads may be on any core' <<< "$out")" 2
		expect "in JSON" "$(ask 'jobs[0]["terms"], jobs[0]["claim"], [r["claim"] for r in ranks]' other)" "shared [] [[], []]"
	)"
	rm -f "$work"/b.[0-9]
else
	skip "a job that shares the node claims nothing" "it takes two CPUs"
fi
pids=$(ask '" ".join(str(r["pid"]) for r in ranks)')
# shellcheck disable=SC2086 # two numbers
kill -KILL $pids
# shellcheck disable=SC2086 # two numbers
gone $pids
release
show
verdict "what a killed job has left over" "$(
	expect status "$status" 0
	has "$out" "no job runs with splitpin on this node"
	has "$out" "left over: /dev/shm/splitpin-$uid-"
	expect "in JSON" "$(ask '[(b["uid"], b["file"][:9]) for b in o["left_over"]]')" "[($uid, 'splitpin-')]"
)"
find /dev/shm -name "splitpin-$uid-*" -delete

strange=/dev/shm/splitpin-$uid-0123456789abcdef
echo "no board" >"$strange"
chmod 600 "$strange"
show
verdict "what is no board" "$(
	expect status "$status" 0
	expect output "$out" "no job runs with splitpin on this node"
	expect errors "$err" "splitpin: warning: $strange is not shown: it is truncated"
)"
rm -f "$strange"

# wrong NAME MESSAGE COMMAND...: status 2, one line that has the message, no output.
wrong() {
	local name=$1 message=$2
	shift 2
	out=$(timeout "$hangs" "$splitpin" "$@" 2>"$work/err" </dev/null)
	status=$?
	verdict "$name" "$(
		expect status "$status" 2
		expect output "$out" ""
		expect "lines of errors" "$(wc -l <"$work/err")" 1
		has "$(cat "$work/err")" "$message"
	)"
}

#
# Jobs that run without splitpin.
#

# others EXPRESSION: of these, as JSON.
others() { "$splitpin" show --format json 2>&1 | python3 -c "
import json, sys
o = json.load(sys.stdin)['without_splitpin']
print($1)"; }

if [ "$processes" != own ]; then
	skip "jobs without splitpin" "no processes of its own: those of this machine would be shown"
else
	# A program of two threads more than there are CPUs.
	threads=$((ncpus + 2))
	rm -f "$work"/alone.*
	OMP_NUM_THREADS=$threads "$bin/busy" "$work/alone" &
	alone=$!
	there "$work/alone.none"
	show
	verdict "a program with OpenMP that runs without splitpin" "$(
		expect status "$status" 1
		has "$out" "no job runs with splitpin on this node, 1 without it: 1 job without splitpin has more busy threads than CPUs"
		has "$out" "without splitpin: busy-$alone busy, 1 process"
		expect "lines of its heading, wrapped or not" "$(COLUMNS=200 "$splitpin" show 2>/dev/null | grep -c '^without splitpin: busy-')" 1
		has "$out" "problem: $threads busy threads may run only on $ncpus CPU"
		has "$out" "start it with: splitpin run --alone -- $bin/busy $work/alone"
		has "$out" "process  pid $alone  busy: $threads threads, $threads busy, last on CPU"
	)"
	verdict "it as JSON" "$(
		expect "programs" "$(others '[(j["name"], [p["program"] for p in j["processes"]], [p["threads"] for p in j["processes"]]) for j in o]')" \
			"[('busy-$alone', ['busy'], [$threads])]"
		expect "problem and line" "$(others 'bool(o[0]["problem"]), o[0]["line"][:23]')" "True splitpin run --alone --"
	)"
	show --format table
	verdict "it in the table" "$(has "$(tr -s ' ' <<< "$out")" " busy-$alone - $alone busy "; has "$out" "few_cpus without splitpin"; has "$out" "; start it with: splitpin run")"
	for which in busy ./busy "$alone" "busy-" "busy-$alone" "busy[$alone]"; do
		show "$which"
		verdict "it by $which" "$(has "$out" "without splitpin: busy-$alone")"
	done
	start "$work/a" 2 "$bin/settle" hold "$work/a"
	show
	verdict "it beside a job with splitpin" "$(has "$out" "2 disjoint shares"; has "$out" "without splitpin: busy-$alone")"
	show settle
	verdict "a job by its program" "$(has "$out" "2 disjoint shares"; has_not "$out" "without splitpin"; expect status "$status" 0)"
	show --format table
	verdict "names in a table are whole" "$(
		has "$out" " settle "
		expect headings "$(grep -c '^HOST' <<< "$out")" 1
		grep -qE ' settle-[0-9]+ +[01] ' <<< "$out" || echo "no whole name: $out"
		name=$(sed -n 's/.* \(settle-[0-9]*\) .*/\1/p' <<< "$out" | head -n 1)
		show "$name"
		expect "status of $name" "$status" 0
		has "$out" "2 disjoint shares"
		show "${name%?}"
		expect "status of ${name%?}" "$status" 2
		show "${name/-/[}]"
		expect "status of ${name/-/[}]" "$status" 0
		for shell in bash dash zsh fish; do
			[ -z "$(command -v $shell)" ] || expect "$name in $shell" "$($shell -c "echo $name" 2>&1)" "$name"
		done
	)"
	# release waits for all that runs.
	rm -f "$work/alone.none"
	release
	show
	verdict "a program that has ended" "$(expect output "$out" "no job runs with splitpin on this node")"

	if run=$(mpi_tool mpich mpirun); then
		rm -f "$work/bound.none"
		OMP_NUM_THREADS=$threads "$run" -n 1 -bind-to core "$bin/busy" "$work/bound" &
		launcher=$!
		awaited test -e "$work/bound.none"
		show "$launcher"
		verdict "a binding that was asked for, which a run would keep" "$(
			expect status "$status" 1
			has "$out" "start it with: splitpin run --inherited ignore -- $run -n 1 -bind-to core $bin/busy"
		)"
		rm "$work/bound.none"
		wait "$launcher"
	else
		skip "a binding that was asked for, which a run would keep" "no MPICH"
	fi
	if run=$(mpi_tool openmpi mpirun) && mpi=$(program openmpi gcc typed.c); then
		rm -rf "$work/mpi"
		mkdir -p "$work/mpi/session"
		# By a worker of torchrun, whose variables the ranks inherit.
		TORCHELASTIC_RUN_ID=run LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 RANK=0 WORLD_SIZE=1 \
			SLURM_JOB_NAME=solver TYPED_DIR=$work/mpi TYPED_LAST=$work/mpi/go OMP_NUM_THREADS=1 OMPI_MCA_orte_tmpdir_base=$work/mpi/session \
			"$run" --bind-to none -n 2 "$mpi" mpi >"$work/mpi/out" 2>&1 </dev/null &
		launcher=$!
		there "$work/mpi/0" "$work/mpi/1"
		# mpirun of Open MPI 5 becomes prterun.
		line=$(tr '\0' ' ' <"/proc/$launcher/cmdline")
		named=${line%% *} named=${named##*/} named=${named%.openmpi}
		for which in "" "${mpi##*/}" "$launcher" solver "$named-$launcher" "${named}[$launcher]" $$; do
			show ${which:+"$which"}
			verdict "a job of MPI without splitpin, by \"${which//[0-9]/N}\"" "$(
				has "$out" "without splitpin: $named-$launcher ${mpi##*/}, 2 processes"
				expect "ranks" "$(grep -c "^rank [01]  pid [0-9]*  ${mpi##*/}: " <<< "$out")" 2
			)"
		done
		verdict "its line" "$(
			expect line "$(others 'o[0]["line"]')" "splitpin run -- ${line% }"
			has "$line" " --bind-to none -n 2 $mpi mpi"
		)"
		touch "$work/mpi/go"
		wait "$launcher"
		rm -f "$work"/mpi/[01go]*
		LD_PRELOAD=$preload TYPED_DIR=$work/mpi TYPED_LAST=$work/mpi/go OMP_NUM_THREADS=1 OMPI_MCA_orte_tmpdir_base=$work/mpi/session \
			"$run" -x LD_PRELOAD --bind-to none -n 2 "$mpi" mpi >"$work/mpi/out" 2>&1 </dev/null &
		launcher=$!
		awaited test -e "$work/mpi/0"
		awaited test -e "$work/mpi/1"
		show "$named-$launcher"
		verdict "a job is named by its launcher and program" "$(has "$out" "job $named-$launcher ${mpi##*/}, 2 ranks: 2 disjoint shares")"
		touch "$work/mpi/go"
		wait "$launcher"
	else
		skip "a job of MPI without splitpin" "no Open MPI"
	fi
fi
wrong "show: another format" "--format svg: use text, table or json" show --format svg
wrong "show: a picture of no job" "--picture: no job runs with splitpin on this node" show --picture "$work/none.svg"
wrong "show: two jobs" "a b: no such job, program or process on this node; " show a b
wrong "show: a process that is no rank" "this process is not a rank, and has started none that runs" show $$
wrong "show: no such option" "--threads: unknown option; see splitpin show --help" show --threads
wrong "check: another format" "--format xml: use text or json" check --format xml
wrong "check: another format behind the program" "--format xml: use text or json" check true --format xml
wrong "check: no such option" "--all: unknown option; see splitpin check --help" check --all
wrong "check: no such program" "no-such-program: no such program" check no-such-program
wrong "check: no program" "neither a program nor a script" check ./Makefile
rm -f "$work/fifo"
mkfifo "$work/fifo"
wrong "check: a fifo" "neither a program nor a script" check "$work/fifo"
printf '#!/nowhere/interpreter\n' >"$work/orphan"
wrong "check: a script without its interpreter" "a script for /nowhere/interpreter: no such program" check "$work/orphan"
verdict "help" "$(
	has "$("$splitpin" show --help)" "usage: splitpin show"
	has "$("$splitpin" check --help)" "usage: splitpin check"
)"

#
# check
#

provoked=

# The ids of all that check finds, in its own order.
ids() {
	"$@" </dev/null 2>"$work/err" | python3 -c '
import json, sys
o = json.load(sys.stdin)
for p in o["problems"]:
	assert p["problem"] and p["remedy"]
print(" ".join(p["id"] for p in o["problems"]))'
}

# The same of a command that ends in "check [--] [COMMAND...]".
ids_of() {
	local command=() word is_before=yes
	for word; do
		command+=("$word")
		[ "$word" = check ] && [ $is_before ] && command+=(--format json) && is_before=
	done
	ids "${command[@]}"
}

# What check says in its rows, its problems and its answer: nothing of it twice.
twice() { sed -n 's/^problem: //p; s/^[a-z]*  *//p' <<< "$out" | sed 's/^.*active: //' | sort | uniq -d; }

# finds IDS WORDS COMMAND...: exactly these, and a problem or the reason why it is not active has the words.
finds() {
	local expected=$1 words=$2
	shift 2
	provoked="$provoked $expected"
	out=$("$@" </dev/null 2>"$work/err")
	status=$?
	verdict "check finds $expected" "$(
		expect status "$status" 1
		expect "what is found" "$(ids_of "$@")" "$expected"
		expect "lines of remedies" "$(grep -c '^  remedy: .' <<< "$out")" "$(grep -c '^problem: .' <<< "$out")"
		has "$(grep '^problem:\|^splitpin  not active:' <<< "$out")" "$words"
		expect "what is said twice" "$(twice)" ""
	)"
}

# notes ID WORDS COMMAND...: a note alone, which is no problem.
notes() {
	local expected=$1 words=$2
	shift 2
	provoked="$provoked $expected"
	out=$("$@" </dev/null 2>"$work/err")
	status=$?
	verdict "check notes $expected" "$(
		expect status "$status" 0
		expect "what is found" "$(ids_of "$@")" ""
		expect "the last line" "$(tail -n 1 <<< "$out" | sed 's/([0-9]* /(N /')" "ok: no problems found (N checks)"
		has "$(grep '^note: .*; your next job ' <<< "$out")" "$words"
		has "$("$@" --format json </dev/null | python3 -c 'import json, sys; print(*(n["id"] + ": " + n["note"] for n in json.load(sys.stdin)["notes"]))')" "$expected: "
	)"
}

clean() {
	local name=$1
	shift
	out=$("$@" </dev/null 2>"$work/err")
	status=$?
	verdict "check: $name" "$(
		expect status "$status" 0
		grep -q '^splitpin  active: \|^splitpin  perhaps active: ' <<< "$out" || echo "$out"
		expect "what is loaded" "$(grep -c '^library   .*/libsplitpin.so, version [0-9.]*, by LD_PRELOAD$' <<< "$out")" 1
		expect "lines that are no part of the answer" "$(grep -v '^splitpin  \|^library  \|^program  ' <<< "$out" | sed 's/([0-9]* /(N /')" \
			"ok: no problems found (N checks)"
		expect "errors" "$(cat "$work/err")" ""
	)"
}

# All with the library loaded, unless they say otherwise.
check() { with "$splitpin" check "$@"; }
# in_mounts HOW COMMAND...: where a shell command has changed the mounts.
in_mounts() { unshare -m sh -c "$1"' && shift && exec "$@"' sh "$@"; }
with() { env LD_PRELOAD="$preload" "$@"; }

clean "nothing" check
clean "with the library by its name" with LD_LIBRARY_PATH="$(dirname "$preload")" LD_PRELOAD=libsplitpin.so "$splitpin" check
clean "the one rank, without a launcher" with SPLITPIN_LOCAL_RANK=alone "$splitpin" check
clean "in a rank" with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$splitpin" check
clean "mpirun inside srun" with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 SLURM_STEP_ID=0 SLURM_LOCALID=0 \
	SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=1 SLURM_STEP_NUM_TASKS=1 "$splitpin" check
clean "a batch script" with SLURM_STEP_ID=4294967291 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_CPUS_ON_NODE="$ncpus" "$splitpin" check
clean "settings that are right" with SPLITPIN_SMT=1 OMP_PROC_BIND=close OMP_PLACES=cores KMP_AFFINITY=verbose "$splitpin" check
clean "a mask that is ignored" with SPLITPIN_INHERITED=ignore taskset -c "${allowed%%[-,]*}" "$splitpin" check

finds rank-half "OMPI_COMM_WORLD_LOCAL_RANK=1 is set and OMPI_COMM_WORLD_LOCAL_SIZE is not" \
	with OMPI_COMM_WORLD_LOCAL_RANK=1 "$splitpin" check
finds rank-half "MPI_LOCALNRANKS=2 is set and MPI_LOCALRANKID is not" with MPI_LOCALNRANKS=2 "$splitpin" check
finds rank-half "SLURM_STEP_TASKS_PER_NODE is not" with SLURM_STEP_ID=3 SLURM_LOCALID=0 "$splitpin" check
finds rank-nonsense "SPLITPIN_LOCAL_RANK=2 contradicts" with SPLITPIN_LOCAL_RANK=2 SPLITPIN_LOCAL_SIZE=2 "$splitpin" check
finds rank-nonsense "MPI_LOCALRANKID=x" with MPI_LOCALRANKID=x MPI_LOCALNRANKS=2 "$splitpin" check
finds rank-user "SPLITPIN_LOCAL_RANK=0 is set, but according to MPI_LOCALRANKID this is rank 1 of 2" \
	with SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 "$splitpin" check
clean "the user's own rank, as the launcher's" with SPLITPIN_LOCAL_RANK=1 SPLITPIN_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 "$splitpin" check
finds rank-contradiction "according to OMPI_COMM_WORLD_LOCAL_RANK this is rank 0 of 2, according to MPI_LOCALRANKID rank 1 of 2" \
	with OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 "$splitpin" check

# copy NAME: the library in a folder of its own.
copy() {
	local to=$work/$1
	rm -rf "$to"
	mkdir -p "$to"
	cp "$(dirname "$preload")"/libsplitpin*.so "$to"
	echo "$to"
}

if [ -e /usr/local/lib/libsplitpin.so ]; then
	skip library-missing "it is installed"
	provoked="$provoked library-missing"
else
	mkdir -p "$work/alone"
	cp "$splitpin" "$work/alone"
	finds library-missing "is neither in LD_PRELOAD nor" "$work/alone/splitpin" check
fi
finds preload-missing "which does not exist: the quotes count as part of the name" env LD_PRELOAD="'$preload'" "$splitpin" check
finds preload-relative ", which only programs started in this folder can find" env LD_PRELOAD="$(realpath --relative-to=. "$preload")" "$splitpin" check
finds preload-missing "LD_PRELOAD names /nowhere/libsplitpin.so, which does not exist" \
	with LD_PRELOAD=/nowhere/libsplitpin.so "$splitpin" check
finds preload-twice "libsplitpin.so 2 times" with LD_PRELOAD="$preload:$preload" "$splitpin" check
to=$(copy foreign)
printf '\001' | dd of="$to/libsplitpin.so" bs=1 seek=4 conv=notrunc status=none
finds preload-foreign "a 32-bit library" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
to=$(copy version)
clean "a copy" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
version=$("$splitpin" --version | cut -d ' ' -f 2)
sed -i "s/@(#)splitpin $version/@(#)splitpin 9.9.9/" "$to/libsplitpin-engine.so"
finds version "libsplitpin-engine.so has version 9.9.9" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
sed -i "s/@(#)splitpin $version/@(#)nothing+ $version/" "$to/libsplitpin-engine.so"
sed -i "s/@(#)splitpin 9.9.9/@(#)nothing+ 9.9.9/" "$to/libsplitpin-engine.so"
finds version "libsplitpin-engine.so has no version" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
to=$(copy part)
rm "$to/libsplitpin-hardware.so"
finds part-missing "libsplitpin-hardware.so is neither beside" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
verdict "check: a part is missing" "$(expect "the answer" "$(head -n 1 <<< "$out")" "splitpin  not active: libsplitpin-hardware.so is missing, see below")"
rm "$to/libsplitpin-engine.so"
mkdir -p "$to/splitpin"
said=$(with LD_PRELOAD="$to/libsplitpin.so" SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$(program none gcc alone.c)" 2>&1 >/dev/null)
verdict "a rank whose engine is missing says where it should be" "$(
	has "$said" "libsplitpin-engine.so is neither in $to nor in the folder splitpin there; the program runs as if")"
to=$(copy load)
sed -i 's/libnuma\.so\.1/libnumb.so.1/' "$to/libsplitpin-numa.so"
finds part-unloadable "libnumb.so.1" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
verdict "check: without libnuma ranks are placed" "$(head -n 1 <<< "$out" | grep "not active")"
to=$(copy load-hwloc)
sed -i 's/libhwloc\.so\.15/libhwlod.so.15/' "$to/libsplitpin-hardware.so"
finds part-unloadable "libhwlod.so.15" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
verdict "check: a part cannot be loaded" "$(expect "the answer" "$(head -n 1 <<< "$out")" "splitpin  not active: part of the library cannot be loaded, see below")"

finds cgroup-narrow "the job has $((ncpus + 1)) CPUs on this node" with SLURM_CPUS_ON_NODE=$((ncpus + 1)) "$splitpin" check
finds mask-narrow "this process may use only CPU ${allowed%%[-,]*}; the job has $allowed" with taskset -c "${allowed%%[-,]*}" "$splitpin" check
verdict "check: a mask that taskset made" "$(has "$(grep remedy: <<< "$out")" "start without what confines this process (taskset")"
provoked="$provoked mask-launcher"
if run=$(mpi_tool openmpi mpirun) && [ "$ncpus" -ge 2 ]; then
	COLUMNS=300 with "$run" --bind-to hwthread -n 1 "$splitpin" check >"$work/out" 2>"$work/err" </dev/null
	verdict "check: a mask that mpirun made" "$(has "$(grep remedy: "$work/out")" "turn the launcher's binding off: --bind-to none (Open MPI)")"
	COLUMNS=300 with "$run" --bind-to none -n 1 taskset -c "${allowed%%[-,]*}" "$splitpin" check >"$work/out" 2>"$work/err" </dev/null
	verdict "check: a mask that taskset made behind mpirun" "$(has "$(grep remedy: "$work/out")" "start without what confines this process (taskset")"
else
	skip "check: a mask that mpirun made" "no Open MPI, or one CPU"
fi
for name in XMLFILE SYNTHETIC COMPONENTS THISSYSTEM FSROOT; do
	finds hwloc-variable "HWLOC_$name=value changes" with "HWLOC_$name=value" "$splitpin" check
done

finds setting-wrong "did you mean SPLITPIN_SMT?" with SPLITPIN_SMTT=1 "$splitpin" check
finds setting-wrong "SPLITPIN_BIND=sideways is wrong" with SPLITPIN_BIND=sideways "$splitpin" check
file=$("$splitpin" config --help | sed -n 's|^    \(/.*splitpin.conf\)$|\1|p')
if [ -d "$(dirname "$file")" ]; then
	finds site-wrong "$file:2" \
		in_mounts "mount -t tmpfs tmpfs $(dirname "$file") && printf 'smt = 1\nsmtt = 1\n' >$file" env LD_PRELOAD="$preload" "$splitpin" check
else
	skip site-wrong "no folder for $file"
	provoked="$provoked site-wrong"
fi
finds openmp-contradiction "OMP_PLACES=cores and KMP_AFFINITY=scatter are both set" \
	with OMP_PLACES=cores KMP_AFFINITY=scatter "$splitpin" check
finds "openmp-places-off openmp-unbound" "OMP_PROC_BIND=false switches off what OMP_PLACES=cores asks for" \
	with OMP_PROC_BIND=false OMP_PLACES=cores "$splitpin" check
finds openmp-unbound "KMP_AFFINITY=verbose,none" with KMP_AFFINITY=verbose,none "$splitpin" check
finds openmp-outside "GOMP_CPU_AFFINITY=8000 names CPU 8000" with GOMP_CPU_AFFINITY=8000 "$splitpin" check
finds openmp-same "OMP_PLACES={${allowed%%[-,]*}} names the same CPUs in all 2 ranks" \
	with OMP_PLACES="{${allowed%%[-,]*}}" MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 "$splitpin" check
finds openmp-threads "OMP_NUM_THREADS=banana is not a number of threads" with OMP_NUM_THREADS=banana "$splitpin" check
finds openmp-threads "OMP_NUM_THREADS=1,x is not a number of threads" with OMP_NUM_THREADS=1,x "$splitpin" check
finds openmp-tool "OMP_TOOL=disabled and SPLITPIN_PIN=ompt" with OMP_TOOL=disabled SPLITPIN_PIN=ompt "$splitpin" check

finds shm-absent "/dev/shm cannot be written: Read-only file system" \
	in_mounts "mount -t tmpfs -o ro tmpfs /dev/shm" env LD_PRELOAD="$preload" "$splitpin" check
finds shm-absent "/dev/shm is not there" in_mounts "mount -t tmpfs tmpfs /dev && : >/dev/null" env LD_PRELOAD="$preload" "$splitpin" check
finds shm-full "/dev/shm is full: it has 0 bytes left" \
	in_mounts "mount -t tmpfs -o size=64k tmpfs /dev/shm && ! head -c 99999 /dev/zero >/dev/shm/it 2>/dev/null" env LD_PRELOAD="$preload" "$splitpin" check

start "$work/a" 2 "$bin/settle" hold "$work/a"
clean "a job that runs" check
board=$(find /dev/shm -name 'splitpin-*')
# shellcheck disable=SC2046 # pids
kill -KILL $(ask '" ".join(str(r["pid"]) for r in ranks)')
release
notes board-stale "$board was left by a job that has ended: process" check
rm "$board"

echo "no board" >"$strange"
finds board-strange "$strange cannot be trusted: others may read or write it" check
chmod 600 "$strange"
finds board-strange "$strange cannot be trusted: it is truncated" check
rm "$strange"

lock=/dev/shm/splitpin-$uid-lock
: >"$lock"
chmod 600 "$lock"
notes lock-stale "$lock was left by a process that was killed" check
clean "a lock that somebody holds" with flock "$lock" "$splitpin" check
chmod 644 "$lock"
finds lock-strange "$lock is not your own lock" check
rm "$lock"

# dummy FOLDER SONAME [CODE]: a shared library that has the soname.
dummy() {
	mkdir -p "$1"
	gcc -shared -fPIC -Wl,-soname,"$2" -x c - -x none -o "$1/$2" <<< "${3:-int dummy;}" || exit 1
}

# program NAME [OPTION...]: a program that is linked so, and needs all that it is linked with.
linked() {
	local to=$work/programs/$1
	shift
	mkdir -p "$work/programs"
	gcc -x c - -x none -o "$to" -Wl,--no-as-needed "$@" <<< "${code:-}int main(void) { return 0; }" && echo "$to"
}

libraries=$work/libraries
rm -rf "$libraries" "$work/programs"
hooked='int pthread_getaffinity_np(); void ompt_start_tool(void); void f(void) { pthread_getaffinity_np(); } void ompt_start_tool(void) { }'
dummy "$libraries" libgomp.so.1 "$hooked"
dummy "$libraries" libomp.so.5 "$hooked"
dummy "$libraries/old" libgomp.so.1
dummy "$libraries/old" libiomp5.so
dummy "$libraries" libmpi.so.40
dummy "$libraries" libmpi.so.12
dummy "$libraries/pmix" libpmix.so.2
dummy "$libraries/pmix" libpmix.so.1
dummy "$libraries/own" libpmix.so.2
dummy "$libraries/lost" liblost.so.1
dummy "$libraries" libcudart.so.12
rpath=-Wl,-rpath,$libraries

plain=$(linked plain)
clean "a program" check "$plain"
clean "a program that splitpin run starts" "$splitpin" check "$splitpin" run -- "$plain"
clean "the same, with options" "$splitpin" check -- "$splitpin" run --smt 1 "$plain"
clean "splitpin run --check" "$splitpin" run --check --smt 1 -- "$plain"
clean "both" "$splitpin" check "$splitpin" run --check -- "$plain"
clean "a program of the path" check sh
printf '#!/usr/bin/env sh\n' >"$work/programs/script"
chmod +x "$work/programs/script"
clean "a script" check "$work/programs/script"
verdict "a script is named, with its interpreter" "$(has "$("$splitpin" check "$work/programs/script")" "programs/script is a script for ")"
printf '#!/usr/bin/env -S A=1 sh -e\n' >"$work/programs/options"
printf '#!%s -x\n' "$work/programs/script" >"$work/programs/nested"
chmod +x "$work/programs/options" "$work/programs/nested"
clean "a script whose line is parted by env" check "$work/programs/options"
clean "a script that a script runs" check "$work/programs/nested"
clean "OpenMP" check "$(linked gomp -fopenmp)"
clean "OpenMP, MPI and PMIx" with LD_LIBRARY_PATH="$libraries/pmix" "$splitpin" \
	check "$(linked all "$rpath" "$libraries"/{libgomp.so.1,libmpi.so.40,pmix/libpmix.so.2})"

if static=$(linked static -static 2>"$work/err"); then
	finds program-static "static is linked statically" check "$static"
else
	skip program-static "$(tail -n 1 "$work/err")"
	provoked="$provoked program-static"
fi
cp "$plain" "$work/programs/setuid"
chmod u+s "$work/programs/setuid"
finds program-rights "setuid is setuid or setgid" check "$work/programs/setuid"
cp "$plain" "$work/programs/foreign"
printf '\001' | dd of="$work/programs/foreign" bs=1 seek=4 conv=notrunc status=none
finds program-foreign "foreign is a 32-bit program" check "$work/programs/foreign"
lost=$(linked lost "$libraries/lost/liblost.so.1")
finds program-missing "needs liblost.so.1, which cannot be found" check "$lost"
clean "a program whose library is found" with LD_LIBRARY_PATH="$libraries/lost" "$splitpin" check "$lost"
finds program-openmp "loads 2 OpenMP runtimes: $libraries/libgomp.so.1, $libraries/libomp.so.5" \
	check "$(linked openmp "$rpath" "$libraries"/{libgomp.so.1,libomp.so.5})"
finds program-mpi "loads 2 MPI libraries: $libraries/libmpi.so.40, $libraries/libmpi.so.12" \
	check "$(linked mpi "$rpath" "$libraries"/{libmpi.so.40,libmpi.so.12})"
finds program-pmix "loads 2 PMIx libraries" \
	with LD_LIBRARY_PATH="$libraries/pmix" "$splitpin" check "$(linked pmix "$libraries"/pmix/{libpmix.so.2,libpmix.so.1})"
# shellcheck disable=SC2016 # $ORIGIN is for the loader
finds program-rpath "$work/programs/../libraries/own/libpmix.so.2, and other libraries find $libraries/pmix/libpmix.so.2" \
	with LD_LIBRARY_PATH="$libraries/pmix" "$splitpin" check "$(linked rpath -Wl,-rpath,/nowhere:'$ORIGIN/../libraries/own')"
finds program-hook "old/libgomp.so.1 does not call pthread_getaffinity_np" \
	with LD_LIBRARY_PATH="$libraries/old" "$splitpin" check "$(linked old-gomp -fopenmp)"
finds program-hook "old/libiomp5.so does not call ompt_start_tool" \
	check "$(linked old-iomp -Wl,-rpath,"$libraries/old" "$libraries/old/libiomp5.so")"
if sanitized=$(linked sanitized -fsanitize=address 2>"$work/err"); then
	finds program-sanitizer "sanitized is built with -fsanitize=address" check "$sanitized"
	clean "a sanitized program" with ASAN_OPTIONS=verify_asan_link_order=0 "$splitpin" check "$sanitized"
else
	skip program-sanitizer "$(tail -n 1 "$work/err")"
	provoked="$provoked program-sanitizer"
fi

musl=$(linked musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1)
finds program-musl "musl is linked with musl" check "$musl"

# on_node COMMAND...: as on a node of Polaris, with four GPUs.
on_node() { with SPLITPIN_DRYRUN="$PWD/tests/data/topologies/gpus/polaris-4xa100.xml" "$@"; }

# about_gpus NAME EXPECTED COMMAND...: the row of GPUs; empty: there is none.
about_gpus() {
	verdict "check: $1" "$(
		expect "the row of GPUs" "$("${@:3}" 2>/dev/null | sed -n 's/^GPUs      //p')" "$2"
		expect "in JSON" "$("${@:3}" --format json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["gpus"] or "")')" "$2"
	)"
}
cuda=$(linked cuda "$rpath" "$libraries/libcudart.so.12")
inside=$(code='__attribute__((section(".nv_fatbin"))) const char code[] = "code"; ' linked inside)
finds program-gpus "cuda is a program for GPUs (libcudart.so.12), this node has 4 GPUs, and the variables of this job give it none" \
	on_node CUDA_VISIBLE_DEVICES= "$splitpin" check "$cuda"
about_gpus "a program for GPUs" "the program needs libcudart.so.12; this node has 4 GPUs, and no variable says which GPUs the job has; ranks get cores beside their GPUs" \
	on_node "$splitpin" check "$cuda"
about_gpus "a list" "this node has 4 GPUs, and the job has 3,1 (40:00.0,20:00.0); ranks get cores beside their GPUs" \
	on_node CUDA_VISIBLE_DEVICES=3,1 "$splitpin" check "$plain"
about_gpus "a runtime that is linked statically" "the program has code for GPUs, linked with its runtime: .nv_fatbin; this node has 4 GPUs, and no variable says which GPUs the job has; a run cannot detect this: set SPLITPIN_DEVICES=gpu to place ranks beside the GPUs" \
	on_node "$splitpin" check "$inside"
about_gpus "no GPU" "" with SPLITPIN_DRYRUN="core:4 pu:1" "$splitpin" check "$plain"

#
# Is it on?
#

# answers NAME STATUS FIRST COMMAND...: how the answer begins, and the status.  Its rows are in out.
answers() {
	local name=$1 expected=$2 first=$3
	shift 3
	out=$("$@" </dev/null 2>"$work/err")
	status=$?
	verdict "check: $name" "$(
		expect status "$status" "$expected"
		expect "the answer" "$(head -n 1 <<< "$out")" "splitpin  $first"
		expect "what is said twice" "$(twice)" ""
	)"
}
row() { sed -n "s/^$1  *//p" <<< "$out"; }
in_job="active: in the ranks of a job; programs started here without a launcher are left alone"

not_loaded="not active: neither LD_PRELOAD nor /etc/ld.so.preload names libsplitpin.so"
finds not-loaded "neither LD_PRELOAD nor" "$splitpin" check
answers "not loaded" 1 "$not_loaded" "$splitpin" check
verdict "check: not loaded, said once, with the remedy" "$(
	expect library "$(row library)" "not loaded"
	expect "how often" "$(grep -c 'not loaded' <<< "$out")" 1
	has "$(row remedy)" "load the site's module, set LD_PRELOAD to the full path of libsplitpin.so, or put \"splitpin run --\" in front of the command"
	expect "the last line" "$(tail -n 1 <<< "$out" | sed 's/([0-9]* /(N /')" "no other problems found (N checks)")"
answers "not loaded, with a program" 1 "$not_loaded" "$splitpin" check sh -c true
answers "a module that leaves LD_PRELOAD" 1 "not active: the module splitpin/1.0.0 is loaded, but neither LD_PRELOAD nor /etc/ld.so.preload names the library" \
	env LOADEDMODULES=gcc/12:splitpin/1.0.0 "$splitpin" check
answers "what the loader could not load" 1 "not active: LD_PRELOAD names /nowhere/libsplitpin.so, which the loader could not load" \
	with LD_PRELOAD=/nowhere/libsplitpin.so "$splitpin" check
answers "loaded" 0 "$in_job" check
for variable in LOADEDMODULES=splitpin/1.0.0 LOADEDMODULES=a/1:splitpin:b _LMFILES_=/a/b.lua:/opt/modulefiles/splitpin/1.0.0.lua; do
	with "$variable" "$splitpin" check >"$work/out" 2>"$work/err"
	verdict "check: by the module in $variable" "$(
		grep -qE '^library .*, by LD_PRELOAD \(module [^ ]*splitpin[^ ]*\)$' "$work/out" || cat "$work/out")"
done
with LOADEDMODULES=splitpinner/1 "$splitpin" check >"$work/out"
verdict "check: another module" "$(! grep module "$work/out")"
if unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null; then
	# Without those files of root's that this user may not read.
	in_file() {
		in_mounts "mount -t tmpfs tmpfs /mnt && { cp -a /etc /mnt/etc 2>/dev/null; echo $preload >/mnt/etc/ld.so.preload; } && mount --bind /mnt/etc /etc" "$@"
	}
	answers "by ld.so.preload" 0 "$in_job" in_file "$splitpin" check
	verdict "check: by ld.so.preload, the row" "$(has "$(row library)" ", by /etc/ld.so.preload")"
	in_wrong_file() {
		in_mounts "mount -t tmpfs tmpfs /mnt && { cp -a /etc /mnt/etc 2>/dev/null; echo /nowhere/libsplitpin.so >/mnt/etc/ld.so.preload; } && mount --bind /mnt/etc /etc" "$@"
	}
	finds preload-file "/etc/ld.so.preload names /nowhere/libsplitpin.so, which does not exist" in_wrong_file "$splitpin" check
	answers "a file of the loader that is wrong" 1 "not active: /etc/ld.so.preload names /nowhere/libsplitpin.so, which the loader could not load" \
		in_wrong_file "$splitpin" check
	answers "by both" 0 "$in_job" in_file env LD_PRELOAD="$preload" "$splitpin" check
	verdict "check: by both, the row" "$(has "$(row library)" ", by LD_PRELOAD and /etc/ld.so.preload")"
else
	skip "check: by ld.so.preload" "no mounts of its own"
	provoked="$provoked preload-file"
fi
answers "off" 1 "not active: switched off by SPLITPIN=off in the environment" with SPLITPIN=off "$splitpin" check
verdict "check: off is not ok" "$(expect "the last line" "$(tail -n 1 <<< "$out" | sed 's/([0-9]* /(N /')" "no other problems found (N checks)")"
if [ -d "$(dirname "$file")" ]; then
	leave_plain="mount -t tmpfs tmpfs $(dirname "$file") && echo 'leave_alone = plain' >$file"
	answers "left alone by the site's file" 1 "not active: switched off by $file:1, leave_alone = plain" \
		in_mounts "$leave_plain" env LD_PRELOAD="$preload" "$splitpin" check "$plain"
	answers "another program" 0 "perhaps $in_job" in_mounts "$leave_plain" env LD_PRELOAD="$preload" "$splitpin" check sh
fi
answers "in a rank" 0 "active: local rank 1 of 2 (Open MPI)" \
	with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$splitpin" check "$work/programs/gomp"
answers "in a rank of PMIx" 0 "active: in this rank, once PMIx_Init has given its number" with PMIX_RANK=1 "$splitpin" check
answers "in a rank that cannot be" 1 "not active: the variables of the launcher do not give a local rank, see below" \
	with OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$splitpin" check
answers "the user's own rank is wrong" 1 "not active: SPLITPIN_LOCAL_RANK is wrong or not set" \
	with SPLITPIN_LOCAL_RANK=x SPLITPIN_LOCAL_SIZE=2 "$splitpin" check
answers "musl" 1 "not active: $musl is linked with musl, and the library with glibc" check -- "$musl"
answers "a setuid program" 1 "not active: $work/programs/setuid is setuid or setgid, so the loader preloads nothing that is named by its path" \
	check "$work/programs/setuid" -n 4 --format xml
answers "OpenMP" 0 "$in_job" check "$work/programs/gomp"
verdict "check: OpenMP, the row" "$(expect program "$(row program)" "$work/programs/gomp needs libgomp.so.1")"
verdict "check: JSON of the answer" "$(
	check --format json -- "$work/programs/gomp" | python3 -c '
import json, sys
o = json.load(sys.stdin)
assert o["active"] == "yes" and o["loaded"] is True and o["by"] == "LD_PRELOAD", o
assert o["version"] == o["splitpin"] and o["library"].endswith("/libsplitpin.so"), o
assert o["program"]["openmp"] == "libgomp.so.1" and o["program"]["mpi"] is None and o["launcher"] is None, o
assert o["why"] and o["problems"] == [], o' 2>&1
	"$splitpin" check --format json | python3 -c '
import json, sys
o = json.load(sys.stdin)
assert o["active"] == "no" and o["loaded"] is False and o["library"] is None and o["program"] is None, o
assert [p["id"] for p in o["problems"]] == ["not-loaded"], o' 2>&1
)"

# What the line of a launcher says of the job.
one=${allowed%%[-,]*}
many=$((ncpus + 1))
not_asked=(env -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy -u PRTE_MCA_mapby)
finds threads-many "$((2 * ncpus)) threads, but a job may use only $ncpus CPU" with OMP_NUM_THREADS="2,$ncpus" "$splitpin" check
finds threads-many "$many threads, but a job may use only $ncpus CPU" with OMP_NUM_THREADS=$many "$splitpin" check
for kind in openmpi mpich; do
	run=$(mpi_tool $kind mpirun) || continue
	case $kind in openmpi) title="mpirun of Open MPI" ;; *) title="mpirun of MPICH or Intel MPI" ;; esac
	answers "splitpin run behind $kind" 0 "active: in the ranks that $title starts" "$splitpin" check "$run" -n 1 "$splitpin" run --cores 1 -- env A=b "$work/programs/gomp"
	verdict "check: splitpin run behind $kind, the rows" "$(
		has "$(row library)" "/libsplitpin.so, version "
		has "$(row library)" ", by splitpin run"
		expect launcher "$(row launcher)" "$title starts splitpin run, which loads the library into the program"
		expect program "$(row program)" "$work/programs/gomp needs libgomp.so.1")"
	answers "splitpin run behind $kind, off" 1 "not active: switched off by SPLITPIN=off in the environment" \
		"$splitpin" check "$run" -n 1 "$splitpin" run --set splitpin=off "$work/programs/gomp"
	finds program-without "splitpin run is in front of only 1 of the 2 programs of $title: $plain runs without the library" \
		"$splitpin" check -- "$run" -n 1 "$splitpin" run "$work/programs/gomp" : -n 1 "$plain"
	finds program-without "splitpin run is in front of only 1 of the 2 programs of $title: ./first runs without the library" \
		"$splitpin" check -- "$run" -n 1 ./first : -n 1 env A=b "$splitpin" run ./b
	answers "splitpin run before one program of $kind" 1 "not active: splitpin run is in front of only 1 of the 2 programs of $title: $plain runs without the library" \
		"$splitpin" check -- "$run" -n 1 "$splitpin" run "$work/programs/gomp" : -n 1 "$plain"
	answers "splitpin run before each program of $kind" 0 "active: in the ranks that $title starts" \
		"$splitpin" check "$run" -n 1 "$splitpin" run "$work/programs/gomp" : -n 1 nice "$splitpin" run "$plain"
	answers "splitpin run before one program of $kind, the library for all" 0 "active: in the ranks that $title starts" \
		check "$run" -n 1 "$splitpin" run "$work/programs/gomp" : -n 1 "$plain"
	case $kind in openmpi) option=-x ;; *) option=-genv ;; esac
	answers "splitpin run --check of $kind without the library" 1 "not active: $title with $option gives its ranks another LD_PRELOAD, which does not name libsplitpin.so" \
		"$splitpin" run --check -- "$run" $option LD_PRELOAD=/nowhere/other.so -n 1 "$plain"
	finds openmp-same "GOMP_CPU_AFFINITY=$one names the same CPUs in all 2 ranks of this node" \
		with GOMP_CPU_AFFINITY="$one" OMP_NUM_THREADS=1 "$splitpin" check "$run" -n 2 "$plain"
	finds openmp-same "OMP_PLACES={$one} names the same CPUs in all 2 ranks of this node" \
		with OMP_NUM_THREADS=1 "$splitpin" check -- "$run" -n 2 env OMP_PLACES="{$one}" "$plain"
	finds openmp-same "KMP_AFFINITY=granularity=fine,proclist=[$one],explicit names the same CPUs in all 2 ranks" \
		with KMP_AFFINITY="granularity=fine,proclist=[$one],explicit" OMP_NUM_THREADS=1 "$splitpin" check "$run" -n 2 "$plain"
	finds threads-many "$many ranks with $many threads in all, but the job may use only $ncpus CPU" with OMP_NUM_THREADS=1 "${not_asked[@]}" "$splitpin" check "$run" -n $many "$plain"
	finds threads-many "2 ranks with $((2 * many)) threads in all, but the job may use only $ncpus CPU" with OMP_NUM_THREADS=$many "$splitpin" check "$run" -n 2 "$plain"
done
if run=$(mpi_tool openmpi mpirun); then
	finds openmp-same "OMP_PLACES={$one} names the same CPUs in all ranks of a node" \
		with OMP_NUM_THREADS=1 "$splitpin" check -- "$run" -x LD_PRELOAD -x OMP_PLACES="{$one}" --host elsewhere:2 -n 2 "$plain"
	finds threads-many "2 ranks with $((many + 1)) threads in all" check -- "$run" -n 1 -x OMP_NUM_THREADS=1 "$plain" : -n 1 -x OMP_NUM_THREADS=$many "$plain"
	answers "more ranks than CPUs, as asked for" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" \
		with OMP_NUM_THREADS=1 "$splitpin" check "$run" --oversubscribe -n $many "$plain"
	finds other-nodes "but not to those on other nodes: use -x LD_PRELOAD" with OMP_NUM_THREADS=1 "$splitpin" check -- "$run" --hostfile /nowhere/hosts -n 2 "$plain"
	finds other-nodes "but not to those on other nodes: use -x LD_PRELOAD" \
		with OMP_NUM_THREADS=1 OMPI_MCA_orte_default_hostfile=/nowhere/hosts "$splitpin" check "$run" -n 2 "$plain"
	finds other-nodes "but not to those on other nodes: use -x LD_PRELOAD" \
		with OMP_NUM_THREADS=1 SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=2 OMPI_MCA_plm=rsh "$splitpin" check "$run" -n 2 "$plain"
	cores=$(lscpu -p=CORE | grep -v '^#' | sort -u | wc -l)
	if [ "$cores" -ge 2 ] && [ -z "$confined" ]; then
		finds bound-default "binds its rank to one core by default, with all threads and children of $plain" check "$run" -n 1 "$plain"
		answers "Open MPI, not bound" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" check "$run" -n 1 --bind-to none "$plain"
		answers "Open MPI, threads that are announced" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" \
			check "$run" -n 1 env OMP_NUM_THREADS=2 "$plain"
		answers "Open MPI, a binding that was asked for" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" check "$run" -n 1 --bind-to core "$plain"
		finds bound-asked "the binding that was asked for is kept (mpirun has --bind-to core): the rank has 1 core for 2 threads, and $((cores - 1)) of the $cores cores here stay" \
			with OMP_NUM_THREADS=2 "$splitpin" check "$run" -n 1 --bind-to core "$plain"
		verdict "splitpin run --check finds the same" "$(has "$(OMP_NUM_THREADS=2 "$splitpin" run --check -- "$run" -n 1 --bind-to core "$plain")" "$(grep '^problem:' <<< "$out")")"
		finds bound-asked "(mpirun has --bind-to hwthread)" with OMP_NUM_THREADS=2 "$splitpin" check "$run" --mca btl self -n 1 --bind-to hwthread "$plain"
		if mpich=$(mpi_tool mpich mpirun); then
			finds bound-asked "mpirun has -bind-to core): the rank has 1 core" with OMP_NUM_THREADS=2 "$splitpin" check "$mpich" -n 1 -bind-to core "$plain"
			answers "MPICH, a binding to two cores" 0 "perhaps active: in the ranks that mpirun of MPICH or Intel MPI starts" \
				with OMP_NUM_THREADS=2 "$splitpin" check "$mpich" -n 1 -bind-to core:2 "$plain"
		fi
		for asked in "--bind-to core --map-by slot:PE=2" "--bind-to core --cpus-per-rank 2" "--bind-to none" "--bind-to core --bind-to none"; do
			# shellcheck disable=SC2086 # words
			answers "Open MPI, $asked" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" with OMP_NUM_THREADS=2 "$splitpin" check "$run" -n 1 $asked "$plain"
		done
		answers "Open MPI, an ignored binding" 0 "perhaps active: in the ranks that mpirun of Open MPI starts" \
			with OMP_NUM_THREADS=2 SPLITPIN_INHERITED=ignore "$splitpin" check "$run" -n 1 --bind-to core "$plain"
		answers "Open MPI, MPI without OpenMP" 0 "active: in the ranks that mpirun of Open MPI starts" \
			check "$run" -n 1 "$(linked one-libmpi.so.40 "$rpath" "$libraries/libmpi.so.40")"
	else
		skip "check finds bound-default" "one core"
	fi
fi
provoked="$provoked bound-default bound-asked other-nodes program-without threads-many"
# What follows is not about that.
export OMP_NUM_THREADS=1

# Launchers' command lines.  reaches NAME THIS OTHER COMMAND...: whether LD_PRELOAD reaches ranks on this and on other nodes.
reaches() {
	local name=$1 expected="$2 $3"
	shift 3
	verdict "check: $name" "$(expect "here and there" "$("$@" </dev/null 2>"$work/err" | python3 -c '
import json, sys
o = json.load(sys.stdin)["launcher"]
print(o["this_node"], o["other_nodes"])')" "$expected")"
}
launched() { check --format json -- "$@"; }
for kind in openmpi mpich; do
	run=$(mpi_tool $kind mpirun)
	if [ -z "$run" ]; then
		skip "check: mpirun of $kind" "not installed"
		continue
	fi
	case $kind in
	openmpi) others=False called="mpirun of Open MPI" ;;
	mpich) others=True called="mpirun of MPICH or Intel MPI" ;;
	esac
	answers "$kind" 0 "active: in the ranks that $called starts" check "$run" -n 2 "$work/programs/gomp" -x
	verdict "check: $kind, the program" "$(expect program "$(row program)" "$work/programs/gomp needs libgomp.so.1")"
	reaches "$kind, the environment" True "$others" launched "$run" -n 2 "$plain"
	answers "$kind, a program that is not here" 0 "perhaps active: in the ranks that $called starts" check "$run" -n 2 /nowhere/a.out
	answers "$kind, not loaded" 1 "$not_loaded" "$splitpin" check "$run" -n 2 "$plain"
	[ -z "$static" ] || answers "$kind, a static program" 1 "not active: $static is linked statically, so nothing can be preloaded into it" \
		check "$run" -n 2 "$static"
done
if run=$(mpi_tool openmpi mpirun); then
	reaches "Open MPI, -x" True True launched "$run" -x LD_PRELOAD -n 2 "$plain"
	reaches "Open MPI, -x of another" True False launched "$run" -x LD_LIBRARY_PATH -n 2 "$plain"
	reaches "Open MPI, a program's -x" True False launched "$run" -n 2 "$plain" -x LD_PRELOAD
	answers "Open MPI, -x alone has the library" 0 "active: in the ranks that mpirun of Open MPI starts" \
		"$splitpin" check "$run" -x LD_PRELOAD="$preload" -n 2 "$work/programs/gomp"
	answers "Open MPI, -x has one that is not there" 1 "not active: mpirun of Open MPI gives its ranks /nowhere/libsplitpin.so, which does not exist" \
		check "$run" -x LD_PRELOAD=/nowhere/libsplitpin.so -n 2 "$plain"
	reaches "Open MPI, its list of variables" True True launched "$run" --mca mca_base_env_list 'A;LD_PRELOAD' -n 2 "$plain"
	reaches "Open MPI, the list in the environment" True True env OMPI_MCA_mca_base_env_list=LD_PRELOAD LD_PRELOAD="$preload" \
		"$splitpin" check --format json -- "$run" -n 2 "$plain"
	reaches "Open MPI in a job of Slurm's" True True env SLURM_JOB_ID=1 LD_PRELOAD="$preload" "$splitpin" check --format json -- "$run" -n 2 "$plain"
	reaches "Open MPI in a job of Slurm's, by ssh" True False env SLURM_JOB_ID=1 OMPI_MCA_plm=rsh LD_PRELOAD="$preload" \
		"$splitpin" check --format json -- "$run" -n 2 "$plain"
	reaches "Open MPI, -x for each of two programs" True True launched "$run" -x LD_PRELOAD -n 1 "$plain" : -x LD_PRELOAD -n 1 "$plain"
	printf '# nodes\nlocalhost slots=2\n%s\n' "$(hostname)" > "$work/hosts"
	reaches "Open MPI, a file of this node" True False launched "$run" --hostfile "$work/hosts" -n 2 "$plain"
	answers "Open MPI, this node by its name" 0 "active: in the ranks that mpirun of Open MPI starts" check "$run" --host "$(hostname):2" "$work/programs/gomp"
	finds other-nodes "but not to those on other nodes: use -x LD_PRELOAD" check -- "$run" --host localhost,elsewhere:2 -n 2 "$plain"
	answers "Open MPI, other nodes, behind splitpin run" 0 "active: in the ranks that mpirun of Open MPI starts" \
		"$splitpin" check "$splitpin" run -- "$run" --host localhost,elsewhere:2 -n 2 "$work/programs/gomp"
	echo elsewhere slots=2 >> "$work/hosts"
	finds other-nodes "but not to those on other nodes: use -x LD_PRELOAD" check -- "$run" -hostfile "$work/hosts" -n 2 "$plain"
	finds other-nodes "does not pass SPLITPIN_SMT on to ranks on other nodes" env SPLITPIN_SMT=1 SPLITPIN_BIND=close LD_PRELOAD="$preload" \
		"$splitpin" check -- "$run" --host elsewhere -x LD_PRELOAD -x SPLITPIN_BIND -n 2 "$plain"
	case $("$run" --version) in
	*" 4."*)
		reaches "Open MPI 4, -x for one of two programs" True False launched "$run" -x LD_PRELOAD -n 1 "$plain" : -n 1 "$plain"
		reaches "Open MPI 4, -x with a path for one of two programs" False False "$splitpin" check --format json -- \
			"$run" -x LD_PRELOAD="$preload" -n 1 "$plain" : -n 1 "$plain"
		reaches "Open MPI 4, -x with a path for one program, splitpin run for the other" True True "$splitpin" check --format json -- \
			"$run" -n 1 "$splitpin" run "$plain" : -x LD_PRELOAD="$preload" -n 1 "$plain" ;;
	esac
	finds preload-withheld "with -x gives its ranks another LD_PRELOAD" check -- "$run" -x LD_PRELOAD=/lib/libm.so.6 -n 2 "$plain"
fi
if run=$(mpi_tool mpich mpirun); then
	reaches "MPICH, -genvnone" False False launched "$run" -genvnone -n 2 "$plain"
	reaches "MPICH, -genvlist" True True launched "$run" -genvlist PATH,LD_PRELOAD -n 2 "$plain"
	reaches "MPICH, -genvlist without" False False launched "$run" -genvlist PATH -n 2 "$plain"
	answers "MPICH, -genv alone has the library" 0 "active: in the ranks that mpirun of MPICH or Intel MPI starts" \
		"$splitpin" check "$run" -genv LD_PRELOAD "$preload" -n 2 "$work/programs/gomp"
fi
reaches "srun" True True launched srun -n 2 "$plain"
reaches "srun, a part without a program" True True launched srun -n 2 : -n 2 "$plain"
reaches "srun, no program at all" True True launched srun -n 2 -- :
reaches "srun --export=NONE" False False launched srun --export=NONE -n 2 "$plain"
reaches "srun --export=ALL,A=b" True True launched srun --export=ALL,A=b -n 2 "$plain"
reaches "SLURM_EXPORT_ENV=NONE" False False env SLURM_EXPORT_ENV=NONE LD_PRELOAD="$preload" "$splitpin" check --format json srun -n 2 "$plain"
finds preload-withheld "srun with --export=NONE keeps LD_PRELOAD from its ranks" check -- srun --export=NONE -n 2 "$plain"
answers "srun --export alone has the library" 0 "active: in the ranks that srun starts" \
	"$splitpin" check srun --export=ALL,LD_PRELOAD="$preload" -n 2 "$work/programs/gomp"
answers "a launcher whose options are not known" 0 "perhaps active: in the ranks that flux starts" check flux run -n 2 "$plain"

# The launcher of another MPI library.
unrelated() {
	local kind=$1 soname=$2 what=$3 run
	run=$(mpi_tool "$kind" mpirun) || { skip "program-launcher: $kind" "not installed"; return; }
	if [ "$4" = wrong ]; then
		finds program-launcher "needs $soname of $what, but mpirun of" check -- "$run" -n 2 "$(linked "one-$soname" "$rpath" "$libraries/$soname")"
	else
		answers "$kind with $soname" 0 "active: in the ranks that $what starts" check -- "$run" -n 2 "$(linked "one-$soname" "$rpath" "$libraries/$soname")"
	fi
}
provoked="$provoked program-launcher"
unrelated mpich libmpi.so.40 "Open MPI" wrong
unrelated openmpi libmpi.so.12 "MPICH or Intel MPI" wrong
unrelated openmpi libmpi.so.40 "mpirun of Open MPI" right
unrelated mpich libmpi.so.12 "mpirun of MPICH or Intel MPI" right
answers "srun with any MPI library" 0 "active: in the ranks that srun starts" check -- srun -n 2 "$(linked one-libmpi.so.40 "$rpath" "$libraries/libmpi.so.40")"

# What executes a launcher, or a program behind one.
behind() {
	local name=$1
	shift
	answers "$name, the launcher" 0 "perhaps active: in the ranks that srun starts" check "$@" srun -n 2 /nowhere/a.out
	answers "$name, a program" 0 "$in_job" check "$@" "$work/programs/gomp" -n 4
	verdict "check: $name, the program" "$(expect program "$(row program)" "$work/programs/gomp needs libgomp.so.1")"
	answers "$name, behind a launcher" 0 "active: in the ranks that srun starts" check srun -n 2 "$@" "$work/programs/gomp"
	answers "$name, splitpin run" 0 "active: in the ranks that srun starts" "$splitpin" check "$@" "$splitpin" run --smt 1 -- srun -n 2 "$work/programs/gomp"
	verdict "check: $name, one that is not there" "$(
		expect message "$(check "$@" /nowhere/a.out 2>&1)" "splitpin: /nowhere/a.out: no such program")"
}
behind env env OMP_NUM_THREADS=1 OMP_PLACES=cores
behind taskset taskset -c 0
behind "several of them" nohup nice -n 5 timeout -k 5 --signal KILL 10
# Those that may not be installed, by name alone.
mkdir -p "$work/tools"
for tool in valgrind gdb perf nsys; do
	printf '#!/bin/sh\n' >"$work/tools/$tool"
	chmod +x "$work/tools/$tool"
done
export PATH=$work/tools:$PATH
behind valgrind valgrind -q --tool=memcheck
behind gdb gdb -q -ex run --args
behind perf perf stat -e cycles,instructions -r 3 --
behind nsys nsys profile -t cuda,nvtx -o /tmp/out
behind "valgrind behind env" env A=1 valgrind
PATH=${PATH#*:}
# line NAME LINE PROGRAM: what a shell is told to execute, behind a launcher, before one and alone.
line() {
	answers "bash -c, $1" 0 "$in_job" check bash -c "$2"
	verdict "check: bash -c, $1" "$(expect program "$(row program)" "$work/programs/gomp needs libgomp.so.1")"
	answers "bash -lc, $1, behind a launcher" 0 "active: in the ranks that srun starts" check srun -n 2 bash -lc "$2"
	local program=$work/programs/gomp
	[[ $2 != *"'$work"* ]] || program="'$program"
	answers "sh -e -c, $1, a launcher" 0 "active: in the ranks that srun starts" check sh -e -c "${2/"$program"/srun -n 2 "$program"}"
}
line "a program" "$work/programs/gomp -n 4"
line "the last command" "cd /tmp && ulimit -s unlimited; exec $work/programs/gomp -i x 2>&1 | tee out"
line "quotes and a variable" "OMP_PLACES=cores '$work/programs/gomp' \"a b\" >out 2>err"
verdict "check: bash -c, the variable counts" "$(
	has "$(check bash -c "OMP_NUM_THREADS=$many $work/programs/gomp" 2>&1)" "$many threads, but a job may use only")"
# shellcheck disable=SC2016 # for a shell that is not run
for text in 'for i in 1 2; do ./a; done' '$PROGRAM -n 2' '(./a)' 'exec -a b ./a'; do
	answers "bash -c, beyond what is read: $text" 0 "perhaps $in_job" check bash -c "$text"
done
without_it="active: neither LD_PRELOAD nor /etc/ld.so.preload names libsplitpin.so"
gomp=$work/programs/gomp
# The name of a program that looks like a variable to env, and to no shell.
ln -sf gomp "$work/programs/a=b"
for front in "" "C=d exec "; do
	answers "bash -c, ${front}a=b as a program" 0 "$in_job" check bash -c "$front$work/programs/a=b"
	verdict "check: bash -c, ${front}a=b, the program" "$(has "$(row program)" "$work/programs/a=b needs libgomp.so.1")"
done
for options in "-i" "-" "-u LD_PRELOAD" "-iu SMT" "LD_PRELOAD=" "-C /tmp --unset=LD_PRELOAD" "-v -uLD_PRELOAD --"; do
	# shellcheck disable=SC2086 # words
	answers "env $options in front of a launcher" 1 "not $without_it" check env $options "$(type -P srun || echo srun)" -n 2 "$gomp"
	# shellcheck disable=SC2086 # words
	answers "env $options in front of a program" 1 "not $without_it" check env $options "$gomp"
	# shellcheck disable=SC2086 # words
	answers "env $options behind a launcher" 1 "not active: $gomp runs without the library: behind srun, LD_PRELOAD is removed" \
		check srun -n 2 env $options "$gomp"
	# shellcheck disable=SC2086 # words
	answers "env $options behind splitpin run behind a launcher" 1 "not active: $gomp runs without the library: behind srun, LD_PRELOAD is removed" \
		"$splitpin" check srun -n 2 "$splitpin" run env $options "$gomp"
	# shellcheck disable=SC2086 # words
	answers "env $options behind splitpin run" 1 "not $without_it" "$splitpin" run --check -- env $options "$gomp"
	# shellcheck disable=SC2086 # words
	verdict "run: env $options" "$(
		expect said "$("$splitpin" run -- env $options "$gomp" 2>&1 | grep ^splitpin)" "splitpin: nothing will be pinned: the command removes LD_PRELOAD")"
done
answers "a shell that takes the library away" 1 "not $without_it" check bash -c "LD_PRELOAD= exec $gomp"
answers "another preloaded library behind a launcher" 1 "not active: $gomp runs without the library: behind srun, LD_PRELOAD is replaced" \
	check srun -n 2 env LD_PRELOAD=/nowhere/other.so "$gomp"
finds preload-withheld "$gomp runs without the library: behind mpirun of Open MPI, LD_PRELOAD is removed" \
	check "$(mpi_tool openmpi mpirun)" -n 1 ./first : -n 1 env -u LD_PRELOAD "$gomp"
answers "the library by env behind a launcher" 0 "active: in the ranks that srun starts" "$splitpin" check srun -n 2 env LD_PRELOAD="$preload" "$gomp"
verdict "check: the library by env behind a launcher, the row" "$(has "$(row library)" ", by LD_PRELOAD, set behind srun")"
answers "env -u in front of a setting" 0 "active: in the ranks that srun starts" with SPLITPIN=off "$splitpin" check env -u SPLITPIN srun -n 2 "$gomp"
answers "env with a folder" 0 "active: in the ranks that srun starts" check srun -n 2 env -C "$work" env --chdir=programs ./gomp
verdict "check: env with a folder, the program" "$(has "$(row program)" "$work/programs/./gomp needs libgomp.so.1")"
answers "env with a folder in front" 0 "$in_job" check env -C "$work/programs" ./gomp
answers "env with a path" 0 "active: in the ranks that srun starts" check srun -n 2 env PATH="$work/programs" gomp
verdict "check: env with a path, the program" "$(has "$(row program)" "$gomp needs libgomp.so.1")"
answers "env -S" 1 "active: in the ranks that srun starts" with SLURM_JOB_ID=1 OMP_NUM_THREADS=1 "$splitpin" check srun -n 1 env -S "-u A 'OMP_NUM_THREADS=$many' $gomp" b
answers "env -S, beyond what is read" 0 "perhaps active: in the ranks that srun starts" check srun -n 1 env -S "A=\${B} $gomp"
answers "a variable behind one of two programs" 0 "active: in the ranks that mpirun of Open MPI starts" \
	with OMP_NUM_THREADS=1 "$splitpin" check "$(mpi_tool openmpi mpirun)" -n 1 env OMP_NUM_THREADS=$((many - 2)) "$gomp" : -n 1 "$gomp"
for options in "-i" "-" "--ignore-environment A=b" "-u SPLITPIN" "-uSPLITPIN -u OMP_NUM_THREADS" "--unset=SPLITPIN --" "--unset SPLITPIN"; do
	# shellcheck disable=SC2086 # words
	answers "env $options in front of splitpin run" 0 "active: in the ranks that srun starts" \
		env SPLITPIN=off "$splitpin" check env $options "$splitpin" run srun -n 2 "$work/programs/gomp"
done
answers "env -u of another setting in front of splitpin run" 1 "not active: switched off by SPLITPIN=off in the environment" \
	env SPLITPIN=off "$splitpin" check env -u SPLITPIN_SMT "$splitpin" run srun -n 2 "$work/programs/gomp"
answers "env -u in front of a program" 1 "$in_job" with OMP_NUM_THREADS=1 "$splitpin" check env -u OMP_NUM_THREADS OMP_NUM_THREADS=$many "$work/programs/gomp"
answers "env -u of the threads" 0 "$in_job" with OMP_NUM_THREADS=$many "$splitpin" check env -u OMP_NUM_THREADS "$work/programs/gomp"
answers "env -u in front of a launcher and behind it" 0 "active: in the ranks that srun starts" \
	with SLURM_JOB_ID=1 OMP_NUM_THREADS=$many "$splitpin" check env -u A srun -n 1 env -u OMP_NUM_THREADS "$work/programs/gomp"
answers "env with a setting in front of splitpin run" 1 "not active: switched off by SPLITPIN=off in the environment" \
	"$splitpin" check nice env SPLITPIN=off "$splitpin" run srun -n 2 "$work/programs/gomp"
answers "env with a setting in front of splitpin run, behind a launcher" 1 "not active: switched off by SPLITPIN=off in the environment" \
	"$splitpin" check srun -n 2 env SPLITPIN=off "$splitpin" run "$work/programs/gomp"
answers "a shell's line with splitpin run" 0 "active: in the ranks that srun starts" \
	"$splitpin" check bash -c "SPLITPIN_SMT=1 $splitpin run srun -n 2 $work/programs/gomp"
off="not active: switched off by SPLITPIN=off in the environment"
answers "env with a setting of its own" 1 "$off" check env SPLITPIN=off srun -n 2 "$gomp"
answers "env with a setting of its own, behind a launcher" 1 "$off" check srun -n 2 env SPLITPIN=off "$gomp"
answers "a shell with a setting of its own" 1 "$off" check bash -c "SPLITPIN=off $gomp"
# What binds the job is counted, and is no problem where the command has it.
for wrapper in "taskset -c $one" "taskset $(printf '%x' $((1 << one)))" "taskset --cpu-list $one" "env A=b taskset -c $one env B=c" "numactl -C $one" "numactl --physcpubind=$one" \
	"taskset -c $one-8191:8192" "numactl -C +0" "numactl --phys $one"; do
	type -P "${wrapper%% *}" >/dev/null || { skip "check: $wrapper" "no ${wrapper%% *}"; continue; }
	# shellcheck disable=SC2086 # words
	verdict "check: $wrapper" "$(
		found=$(with OMP_NUM_THREADS=1 "$splitpin" check $wrapper "$gomp" 2>&1)
		has "$found" "note: the command confines itself to CPU $one; the job has $allowed"
		has "$found" "ok: no problems found"
		has "$(with OMP_NUM_THREADS=2 "$splitpin" check $wrapper "$gomp" 2>&1)" "2 threads, but a job may use only 1 CPU here ($one)"
		has "$(OMP_NUM_THREADS=2 "$splitpin" run --check -- $wrapper "$gomp" 2>&1)" "2 threads, but a job may use only 1 CPU here ($one)"
		has "$(OMP_NUM_THREADS=2 "$splitpin" check $wrapper "$splitpin" run "$gomp" 2>&1)" "2 threads, but a job may use only 1 CPU here ($one)"
		has "$(with OMP_NUM_THREADS=2 SPLITPIN_INHERITED=ignore "$splitpin" check $wrapper "$gomp" 2>&1)" "ok: no problems found"
		has "$(OMP_NUM_THREADS=1 taskset -c "$one" "$splitpin" run --check "$gomp" 2>&1)" "start without what confines this process (taskset"
		has_not "$(with OMP_NUM_THREADS=2 "$splitpin" check $wrapper srun -n 1 "$gomp" 2>&1)" "the command confines itself"
	)"
done
verdict "check: a mask that cannot be read" "$(has "$(with OMP_NUM_THREADS=1 "$splitpin" check taskset -c 1-0 "$gomp" 2>&1)" \
	"warning: the options of taskset in front of the command cannot be read: the CPUs to which it binds are ignored")"
verdict "check: taskset behind a launcher" "$(has "$(with OMP_NUM_THREADS=1 "$splitpin" check srun -n 1 taskset -c "$one" "$gomp" 2>&1)" \
	"note: behind srun, taskset binds each rank, and a run keeps that: the cores here are those of ranks that it does not bind")"
verdict "check: taskset in front of another PATH" "$(has "$(with OMP_NUM_THREADS=1 "$splitpin" check taskset -c "$one" env PATH=/nowhere "$gomp" 2>&1)" "ok: no problems found")"
answers "a wrapper alone" 0 "perhaps $in_job" check taskset -c 0

verdict "all findings have been provoked" "$(
	for id in $("$splitpin" check --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z/L].*/\1/p'); do
		[[ " $provoked " == *" $id "* ]] || echo "$id"
	done
)"
closing
