#!/bin/bash
# splitpin show, on jobs that run.
#
#   tests/show.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/show/<test>.
set -u

# shellcheck source=tests/own-node.sh
. tests/own-node.sh

bin=$work/bin
mkdir -p "$bin"
# The first two without OpenMP's library, which would come before the program itself.
for source in settle launch busy crowd; do
	flag=(-pthread)
	[ $source = busy ] || [ $source = crowd ] && flag+=(-fopenmp)
	newer_than "$bin/$source" "$sources/$source.c" ||
		gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes "${flag[@]}" "$sources/$source.c" -o "$bin/$source" || exit 1
done

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
sys.path.insert(0, "tests")
import schema
o = json.load(sys.stdin)
for fault in schema.of_command("show", o): print(fault)
jobs, problems = o["jobs"], o["problems"]
ranks = [r for j in jobs for r in j["ranks"]]
threads = [t for r in ranks for t in r["threads"]]
print('"$expression"')' 2>&1
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
	has "$out" "2 ranks: each rank has its own CPUs"
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

taskset -pc "$(ask 'ranks[1]["list"]')" "$first" >"$work/taskset" 2>&1
show
verdict "a rank that has drifted" "$(
	expect status "$status" 1
	has "$out" "outside the share"
	has "$out" "1 thread may run outside its rank's share"
	expect "marked lines" "$(grep -c '<- may run on CPU' <<< "$out")" 1
	# While both ranks happen to run, that they have one CPU is a problem, too.
	expect "problems" "$(ask '[(p["id"], p["rank"], p["tid"]) for p in problems if p["id"] != "few_cpus"]')" "[('drift', 0, $first)]"
	expect "marks" "$(ask 'sum(t["problem"] is not None for t in threads)')" 1
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
	expect "problems" "$(ask '[p["id"] for p in problems]')" "['overlap']"
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
	verdict "a job of Slurm by \"$which\"" "$(expect "jobs" "$(grep -c '^Slurm job 17 step 0, 2 ranks: each rank has its own CPUs' <<< "$out")" 1)"
done
show Slurm job 17 step 0
verdict "a job of Slurm by its name in several words" "$(expect "jobs" "$(grep -c '^Slurm job 17 step 0, 2 ranks: each rank has its own CPUs' <<< "$out")" 1)"
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
	has "$out" "2 busy threads of ranks 0 and 1 may run only on 1 CPU ($core): leave lists of CPUs"
	has "$out" "1 job with more busy threads than CPUs"
	expect "problems" "$(ask 'sorted(set(p["id"] for p in problems))')" "['drift', 'few_cpus']"
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
verdict "one busy thread is no crowd" "$(expect "exit status" $? 0; expect "lines of splitpin's" "$(grep -c 'splitpin:' "$work/crowd.err")" 0)"

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
		has "$out" "2 ranks: each rank has its own CPUs"
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
		expect "of both jobs" "$(grep -c 'it has its own CPUs, 0 cores idle' <<< "$out")" 2
	)"
	release
fi

if [ "$ncpus" -gt 1 ]; then
	OMP_NUM_THREADS=1 timeout -k 5 "$hangs" "$bin/launch" -p "$preload" 2 "$bin/crowd" $((hangs * 1000)) 3 </dev/null >"$work/crowd.out" 2>"$work/crowd.err" &
	verdict "busy threads that are left to the kernel" "$(
		# shellcheck disable=SC2317 # by awaited
		is_said() { show && [[ $out == *": each rank has its own CPUs, "*" may also run on others, "* ]]; }
		awaited is_said || echo "$out"
	)"
	# shellcheck disable=SC2046 # numbers
	kill -KILL $(ask '*[r["pid"] for r in ranks]')
	wait
fi

if [ "$ncpus" = 2 ]; then
	rm -f "$work/holder"
	# Not below what starts the ranks, since what that starts is the job's own.
	# shellcheck disable=SC2016 # for that shell
	setsid -f taskset -c 0 sh -c 'echo $$ > "$1"; while :; do :; done' - "$work/holder" < /dev/null > /dev/null 2>&1
	awaited test -s "$work/holder"
	holder=$(cat "$work/holder")
	NAMESPACE=beside OMP_NUM_THREADS=1 start "$work/a" 2 "$bin/busy" "$work/a"
	show
	verdict "a process that holds a core" "$(
		has "$out" "1 core (CPU 0) held by PID $holder, "
		has "$out" " of user $(id -un)"
		expect "in JSON" "$(ask 'jobs[0]["terms"], [(h["pid"], h["uid"], h["cpus"]) for h in jobs[0]["held_by"]]')" "shared [($holder, $uid, [0])]"
	)"
	kill -KILL "$holder"
	gone "$holder"
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
	holder=$(ask '" ".join(str(r["pid"]) for r in ranks)' watched)
	NAMESPACE=other OMP_NUM_THREADS=1 start "$work/b" 2 "$bin/busy" "$work/b"
	show other
	verdict "a job that shares the node claims nothing" "$(
		expect "of the ranks" "$(grep -c '^  needs 1 core; claims none: its threads may be on any core' <<< "$out")" 2
		expect "in JSON" "$(ask 'jobs[0]["terms"], jobs[0]["claim"], [r["claim"] for r in ranks]' other)" "shared [] [[], []]"
		has "$out" "2 cores (CPUs 0-1) held by PID ${holder%% *}, busy of user $(id -un)"
		expect "who holds the cores, in JSON" "$(ask '[(h["pid"], h["program"], h["cpus"]) for h in jobs[0]["held_by"]]' other)" "[(${holder%% *}, 'busy', [0, 1])]"
	)"
	rm -f "$work"/b.[0-9]
else
	skip "a job that shares the node claims nothing" "it takes two CPUs"
fi
pids=$(ask '" ".join(str(r["pid"]) for r in ranks)' watched)
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
		has "$out" "remedy: the node has no other CPUs: start fewer ranks on this node, or fewer threads in each (OMP_NUM_THREADS)"
		has "$out" "process  pid $alone  busy: $threads threads, $threads busy, last on CPU"
	)"
	verdict "it as JSON" "$(
		expect "programs" "$(others '[(j["name"], [p["program"] for p in j["processes"]], [p["thread_count"] for p in j["processes"]]) for j in o]')" \
			"[('busy-$alone', ['busy'], [$threads])]"
		expect "problem, remedy and line" "$(others 'bool(o[0]["problem"]), bool(o[0]["remedy"]), o[0]["command_line"]')" "True True None"
	)"
	show --format table
	verdict "it in the table" "$(has "$(tr -s ' ' <<< "$out")" " busy-$alone - $alone busy "; has "$out" "few_cpus without splitpin"; has "$out" "; the node has no other CPUs")"
	for which in busy ./busy "$alone" "busy-" "busy-$alone" "busy[$alone]"; do
		show "$which"
		verdict "it by $which" "$(has "$out" "without splitpin: busy-$alone")"
	done
	start "$work/a" 2 "$bin/settle" hold "$work/a"
	show
	verdict "it beside a job with splitpin" "$(has "$out" "each rank has its own CPUs"; has "$out" "without splitpin: busy-$alone")"
	show settle
	verdict "a job by its program" "$(has "$out" "each rank has its own CPUs"; has_not "$out" "without splitpin"; expect status "$status" 0)"
	show --format table
	verdict "names in a table are whole" "$(
		has "$out" " settle "
		expect headings "$(grep -c '^HOST' <<< "$out")" 1
		grep -qE ' settle-[0-9]+ +[01] ' <<< "$out" || echo "no whole name: $out"
		name=$(sed -n 's/.* \(settle-[0-9]*\) .*/\1/p' <<< "$out" | head -n 1)
		show "$name"
		expect "status of $name" "$status" 0
		has "$out" "each rank has its own CPUs"
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
		rm -f "$work/bound.0"
		OMP_NUM_THREADS=$threads "$run" -n 1 -bind-to core "$bin/busy" "$work/bound" &
		launcher=$!
		awaited test -e "$work/bound.0"
		show "$launcher"
		verdict "a binding that was asked for, which a run would keep" "$(
			expect status "$status" 1
			has "$out" "start it with: splitpin run --inherited ignore -- $run -n 1 -bind-to core $bin/busy"
		)"
		rm "$work/bound.0"
		wait "$launcher"
		OMP_NUM_THREADS=1 "$run" -genv LD_PRELOAD "$preload" -n 1 -bind-to core "$bin/busy" "$work/bound" &
		launcher=$!
		there "$work/bound.0"
		show "$launcher"
		verdict "a binding to a core, which is kept, leaves nothing to the kernel" "$(
			has "$out" "kept the binding that was asked for"
			has_not "$out" "left to the kernel"
		)"
		rm "$work/bound.0"
		wait "$launcher"
		# Each runtime binds its thread to the first CPU; the remedy is followed.
		OMP_NUM_THREADS=1 OMP_PROC_BIND=true "$run" -n 2 "$bin/busy" "$work/first" &
		launcher=$!
		there "$work/first.0" "$work/first.1"
		show "$launcher"
		line=$(COLUMNS=999 "$splitpin" show "$launcher" 2>/dev/null | sed -n 's/.*remedy: start it with: //p')
		rm -f "$work"/first.[01]
		wait "$launcher"
		verdict "ranks that their runtimes bind to one CPU" "$(
			has "$out" "2 busy threads may run only on 1 CPU"
			expect "the remedy" "$line" "splitpin run -- $run -n 2 $bin/busy $work/first"
		)"
		eval "PATH=$build:\$PATH OMP_NUM_THREADS=1 OMP_PROC_BIND=true $line" &
		launcher=$!
		there "$work/first.0" "$work/first.1"
		show busy
		rm -f "$work"/first.[01]
		wait "$launcher"
		verdict "and no longer with what the remedy says" "$(expect status "$status" 0; has "$out" "2 ranks, "; has "$out" "no problems")"
		# As many threads as there are CPUs, as the other remedy has it.
		OMP_NUM_THREADS=$ncpus "$bin/busy" "$work/alone" &
		there "$work/alone.none"
		show
		rm -f "$work/alone.none"
		wait "$!"
		verdict "a program without splitpin that has a CPU for each thread" "$(expect status "$status" 0; has "$out" "without splitpin: "; has_not "$out" "problem:")"
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
		program=${mpi##*/}
		for which in "" "$program" "${program%?}" "$named-$launcher $program" "$launcher" solver "$named-$launcher" "${named}[$launcher]" $$; do
			show ${which:+"$which"}
			verdict "a job of MPI without splitpin, by \"${which//[0-9]/N}\"" "$(
				has "$out" "without splitpin: $named-$launcher ${mpi##*/}, 2 processes"
				expect "ranks" "$(grep -c "^rank [01]  pid [0-9]*  ${mpi##*/}: " <<< "$out")" 2
			)"
		done
		verdict "its line" "$(
			expect line "$(others 'o[0]["command_line"]')" "splitpin run -- ${line% }"
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
		verdict "a job is named by its launcher and program" "$(has "$out" "job $named-$launcher ${mpi##*/}, 2 ranks: each rank has its own CPUs")"
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
verdict "help" "$(has "$("$splitpin" show --help)" "usage: splitpin show")"

closing
