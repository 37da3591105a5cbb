#!/bin/bash
# Processes that are ranks from their start, whatever program they are: those that a
# launcher starts under "splitpin run", those that the user numbers, and lone ones.
#
#   tests/started.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/started/<test>.
set -u
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
unset SPLITPIN_NEIGHBOURS

splitpin=$build/splitpin
[ -e "$preload" ] || { echo "started: no $preload: run make first" >&2; exit 1; }
[ "$ncpus" -gt 1 ] || give_up skip "everything" "one CPU"
[ "$shm$processes" = ownown ] || give_up skip "everything" "jobs of this machine would be in the way: no name spaces of its own"

# A serial program that ends when as many of its kind have begun in this folder:
#   serial FOLDER N: leaves its mask there.
# team is the same with a team of libgomp.
serial=$work/serial static=$work/static team=$work/team
cat > "$serial.c" <<- 'END'
	#define _GNU_SOURCE
	#include <dirent.h>
	#include <sched.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>

	static int count(const char *folder)
	{
		DIR *files = opendir(folder);
		int n = 0;

		for (struct dirent *entry; files && (entry = readdir(files));)
			n += entry->d_name[0] == 'm';
		if (files)
			closedir(files);
		return n;
	}

	int main(int argc, char **argv)
	{
		char path[4096];
		cpu_set_t set;

		(void)argc;
	#pragma omp parallel
		sched_getaffinity(0, sizeof(set), &set);
		snprintf(path, sizeof(path), "%s/mask.%d", argv[1], (int)getpid());
		FILE *file = fopen(path, "w");
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				fprintf(file, "%d ", cpu);
		fclose(file);
		for (int i = 0; i < 60000 && count(argv[1]) < atoi(argv[2]); i++)
			usleep(10000);
		return 0;
	}
END
gcc -O2 -o "$serial" "$serial.c" && gcc -O2 -static -o "$static" "$serial.c" && gcc -O2 -fopenmp -o "$team" "$serial.c" || exit 1

# masks FOLDER: of all of them, sorted, and how many CPUs are in more than one.
masks() { cat "$1"/mask.* | tr ' ' '\n' | sed '/^$/d' | sort -n | paste -s -d ' '; }
all=$(awk -F '[,]' '{ for (i = 1; i <= NF; i++) { n = split($i, at, "-"); for (c = at[1]; c <= at[n]; c++) printf "%s%d", (k++ ? " " : ""), c } }' <<< "$cpus")
first=${all%% *}
some="$first $(cut -d " " -f 2 <<< "$all")"

# apart NAME FOLDER N: so many were there, no two of them on one CPU, and nothing was said.
apart() {
	verdict "$1" "$(
		expect "number of processes" "$(find "$2" -name 'mask.*' | wc -l)" "$3"
		expect "CPUs of more than one" "$(masks "$2" | tr ' ' '\n' | uniq -d)" ""
		grep splitpin: "$2/err")"
}

lone_program() { "$splitpin" run --alone --cores 1 -- "$@" 2>> "$to/err"; }
for program in "$serial" "$static"; do
	to=$(folder "lone ${program##*/}")
	lone_program "$program" "$to" 2 &
	lone_program "$program" "$to" 2 &
	wait
	apart "two lone programs, ${program##*/}" "$to" 2
done

to=$(folder "lone scripts")
# shellcheck disable=SC2016 # for the shell
lone_script() { lone_program sh -c '"$0" "$1" 4 & "$0" "$1" 4; wait' "$serial" "$to"; }
lone_script &
lone_script &
wait
verdict "two lone scripts of two programs each" "$(
	expect "CPUs, each twice" "$(masks "$to")" "$(for c in $some; do echo "$c $c"; done | paste -s -d ' ')"
	grep splitpin: "$to/err")"

# The highest descriptor that is closed on exec is a second one of standard error; others may be inherited.
cat > "$work/descriptors.c" <<- 'END'
	#include <dirent.h>
	#include <errno.h>
	#include <fcntl.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/wait.h>
	#include <unistd.h>

	static int highest(void)
	{
		DIR *all = opendir("/proc/self/fd");
		int highest = -1;

		for (struct dirent *one; all && (one = readdir(all));) {
			int fd = atoi(one->d_name);

			if (fd > highest && fcntl(fd, F_GETFD) == FD_CLOEXEC)
				highest = fd;
		}
		closedir(all);
		return highest;
	}

	static void in_child(const char *when, int fd)
	{
		errno = ERANGE;
		if (fork() == 0) {
			const char *kept = errno == ERANGE ? "" : " errno";

			printf("%s:%s%s\n", when, kept, fcntl(fd, F_GETFD) < 0 ? " closed" : " open");
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
	}

	int main(void)
	{
		int fd = highest();

		in_child("kept", fd);
		dup2(STDERR_FILENO, fd);
		in_child("its own", fd);
		close(fd);
		in_child("none", fd);
		return 0;
	}
END
gcc -O2 -o "$work/descriptors" "$work/descriptors.c" || exit 1
to=$(folder "lone descriptors")
"$splitpin" run --alone --report -- "$work/descriptors" > "$to/out" 2> "$to/err"
verdict "forked children of a lone program keep what is the program's" "$(
	expect "descriptors and errno" "$(paste -s -d , "$to/out")" "kept: closed,its own: open,none: closed")"

# libgomp would bind the one thread of each to the first core.
to=$(folder "bound")
core_of() { cat "/sys/devices/system/cpu/cpu$1/topology/thread_siblings_list"; }
cores=$(for c in $all; do core_of "$c"; done | sort -u | wc -l)
for ((i = 0; i < 2 * cores; i++)); do
	OMP_NUM_THREADS=1 OMP_PROC_BIND=true "$splitpin" run -- "$team" "$to" $((2 * cores)) 2>> "$to/err" &
done
wait
verdict "a farm of twice as many programs as cores, whose runtimes bind threads" "$(
	expect "programs of each core" "$(for mask in "$to"/mask.*; do core_of "$(cut -d " " -f 1 "$mask")"; done | sort | uniq -c | awk '{ print $1 }' | paste -s -d ' ')" \
		"$(yes 2 | head -n "$cores" | paste -s -d ' ')")"

# A team with more threads than places, which the runtime has read from the share: the first has its place, others leave it.
#   beyond FOLDER NAME N [OTHER]: opens a team when FOLDER/OTHER is there, and leaves the masks of its threads in FOLDER/NAME;
#   with OUTER=2 two inner teams, one after the other.
cat > "$work/beyond.c" <<- 'END'
	#include <omp.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>

	int main(int argc, char **argv)
	{
		int n = atoi(argv[3]);
		int outer = getenv("OUTER") ? atoi(getenv("OUTER")) : 1;
		char path[4096], (*mask)[256] = calloc((size_t)(n * outer), sizeof(*mask));

		for (int i = 0; argc > 4 && snprintf(path, sizeof(path), "%s/%s", argv[1], argv[4]) && i < 60000 && access(path, F_OK) != 0; i++)
			usleep(10000);
		omp_set_max_active_levels(2);
	#pragma omp parallel num_threads(outer)
	#pragma omp parallel num_threads(n)
		{
			char line[256];
			int number = omp_get_ancestor_thread_num(1) * n + omp_get_thread_num();
			FILE *status = fopen("/proc/thread-self/status", "r");

			while (fgets(line, sizeof(line), status))
				sscanf(line, "Cpus_allowed_list: %255s", mask[number]);
			fclose(status);
		}
		snprintf(path, sizeof(path), "%s/%s", argv[1], argv[2]);
		FILE *file = fopen(path, "w");
		for (int i = 0; i < n * outer; i++)
			fprintf(file, "%s\n", mask[i]);
		fclose(file);
		return 0;
	}
END
gcc -O2 -fopenmp -o "$work/beyond.gcc" "$work/beyond.c" && clang -O2 -fopenmp -o "$work/beyond.clang" "$work/beyond.c" || exit 1
many=$((2 * ncpus + 1))

# beyond_places COMPILER LEAVE SETTING...: two ranks that announce one thread, of whose team so many others leave; then all.
beyond_places() {
	local announced r
	to=$(folder "beyond $*")
	for announced in 1 $many; do
		for r in 0 1; do
			env OMP_NUM_THREADS="$announced" "${@:3}" SPLITPIN_LOCAL_RANK=$r SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD="$preload" \
				"$work/beyond.$1" "$to" "$announced.$r" "$many" 2>> "$to/err" &
		done
		wait
	done
	verdict "more threads than places, $*" "$(
		for r in 0 1; do
			expect "threads of rank $r that may use all CPUs" "$(awk "NR % $many != 1" "$to/1.$r" | grep -cxF "$cpus")" "$2"
			expect "those of a team that was announced" "$(grep -cxF "$cpus" "$to/$many.$r")" 0
		done
		expect "places of first threads that are all CPUs" "$(head -qn 1 "$to"/1.? | grep -cxF "$cpus")" 0)"
}

# The first job has all cores but one, of which the second makes a place; when the first has ended, the others are idle.
#   until_settled FILE: where a rank writes its log
until_settled() { for ((i = 0; i < 6000; i++)); do grep -qs active=yes "$1" && return; sleep 0.01; done; }
idle_cores() {
	local one
	to=$(folder "idle cores $1")
	SPLITPIN_DEBUG=1 OMP_NUM_THREADS=$((cores - 1)) "$splitpin" run -- "$work/beyond.$1" "$to" one $((cores - 1)) begin 2> "$to/one.err" &
	one=$!
	until_settled "$to/one.err"
	SPLITPIN_DEBUG=1 OMP_NUM_THREADS=1 OMP_PLACES=cores "$splitpin" run -- "$work/beyond.$1" "$to" two "$cores" end 2> "$to/two.err" &
	until_settled "$to/two.err"
	touch "$to/begin"
	wait $one
	touch "$to/end"
	wait
	verdict "idle cores are claimed for a team whose runtime binds threads, $1" "$(
		expect "threads of the team that may use all CPUs" "$(tail -n +2 "$to/two" | grep -cxF "$cpus")" $((cores - 1))
		expect "times that cores were claimed" "$(grep -c "why=\"*$cores threads, more than announced: idle cores were claimed" "$to/two.err")" 1
		expect "threads that are said to have left" "$(grep -c "more threads than the runtime has places" "$to/two.err")" $((cores - 1)))"
}

for by in gcc clang; do
	beyond_places $by $((many - 1)) OMP_PROC_BIND=close
	beyond_places $by $((many - 1)) OMP_PLACES=cores
	beyond_places $by $((many - 1)) OMP_PROC_BIND=spread OMP_PLACES=threads
	beyond_places $by 0 OMP_PROC_BIND=master
	beyond_places $by 0 "OMP_PLACES=cores(1)"
	[ "$cores" = 1 ] || idle_cores $by
done
# libomp binds these threads before their team is known, and inner teams in any order.
beyond_places clang 0 KMP_AFFINITY=compact
beyond_places clang 0 OMP_PROC_BIND=false
beyond_places clang 0 OMP_PROC_BIND=close OUTER=2

to=$(folder "numbered")
for r in 0 1; do SPLITPIN_LOCAL_RANK=$r SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD=$preload "$serial" "$to" 2 2>> "$to/err" & done
wait
apart "numbered by the user" "$to" 2

# What a rank starts may use all CPUs, whether libgomp's constructor or the start of the program has settled the rank.
cat > "$work/starts.c" <<- 'END'
	#include <stdlib.h>

	int main(void)
	{
		return system("sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status");
	}
END
for with in "" -fopenmp; do
	to=$(folder "starts $with")
	# shellcheck disable=SC2086 # no option, or one
	gcc -O2 $with -Wl,--no-as-needed -o "$work/starts" "$work/starts.c" || exit 1
	for r in 0 1; do OMP_NUM_THREADS=1 SPLITPIN_LOCAL_RANK=$r SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD=$preload "$work/starts" > "$to/cpus.$r" 2>> "$to/err" & done
	wait
	verdict "programs that a rank starts${with:+, $with}" "$(expect "CPUs" "$(cat "$to"/cpus.?)" "$cpus"$'\n'"$cpus"; cat "$to/err")"
done

# What a rank starts does not try again what has failed in the rank.
to=$(folder "no engine")
cp "$preload" "$to/libsplitpin.so"
SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 LD_PRELOAD="$to/libsplitpin.so" "$work/starts" > "$to/cpus" 2> "$to/err"
verdict "without its engine a rank warns, and nothing that it starts" "$(expect "warnings" "$(grep -c 'libsplitpin-engine.so is neither' "$to/err")" 1)"

to=$(folder "numbered behind a shell")
for r in 0 1; do SPLITPIN_LOCAL_RANK=$r SPLITPIN_LOCAL_SIZE=2 sh -c 'LD_PRELOAD=$0 "$1" "$2" 2; exit $?' "$preload" "$serial" "$to" 2>> "$to/err" & done
wait
apart "numbered, and loaded behind a shell" "$to" 2

# Numbered ranks that different processes start are one job; two such jobs at once are two.
by_hand() { SPLITPIN_LOCAL_RANK=$1 SPLITPIN_LOCAL_SIZE=2 SPLITPIN_DEBUG=1 LD_PRELOAD=$preload "${@:2}"; }
program=$(program none gcc busy.c) || exit 1
to=$(folder "different parents")
for r in 0 1; do (cd / && OMP_NUM_THREADS=1 by_hand $r "$program" "$to/busy"; cd /) 2>> "$to/err" & done
there "$to/busy.0" "$to/busy.1"
boards=$(find /dev/shm -name 'splitpin-*-*[0-9a-f]' | wc -l)
mkdir "$to/2"
# shellcheck disable=SC2016 # for the shell
for r in 0 1; do (cd / && OMP_NUM_THREADS=1 by_hand $r bash -c '"$0" "$1"; exit $?' "$program" "$to/2/busy"; cd /) 2>> "$to/2/err" & done
there "$to/2/busy.0" "$to/2/busy.1"
boards="$boards $(find /dev/shm -name 'splitpin-*-*[0-9a-f]' | wc -l)"
rm "$to"/busy.* "$to"/2/busy.*
wait
verdict "numbered ranks that different processes start" "$(
	expect "jobs" "$boards" "1 2"
	expect "cores of the first job's ranks" "$(sed -n 's/.* active=yes cpu_list=\([^ ]*\) .*/\1/p' "$to/err" | sort -n | paste -s -d ' ')" "$some"
	expect "second processes of a rank" "$(cat "$to/err" "$to/2/err" | grep -c 'already is this rank')" 0)"

# A library moves the first thread of both ranks to one CPU.
test="masks are restored without MPI"
to=$(folder "$test")
gcc -O2 -shared -fPIC -o "$work/libmoves.so" $sources/guardlib.c || exit 1
cat > "$work/moved.c" <<- 'END'
	#define _GNU_SOURCE
	#include <sched.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>

	int guardlib_self(const char *how, int cpu);

	int main(int argc, char **argv)
	{
		cpu_set_t before, now;

		(void)argc;
		sched_getaffinity(0, sizeof(before), &before);
		guardlib_self("libc", atoi(argv[1]));
		for (int i = 0; i < 6000; i++) {
			sched_getaffinity(0, sizeof(now), &now);
			if (CPU_EQUAL(&now, &before))
				return 0;
			usleep(10000);
		}
		return 1;
	}
END
gcc -O2 -o "$work/moved" "$work/moved.c" "$work/libmoves.so" || exit 1
for r in 0 1; do
	SPLITPIN_GUARD=keep SPLITPIN_LOCAL_RANK=$r SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD=$preload "$work/moved" "$first" 2> "$to/err.$r"
	echo $? > "$to/status.$r"
done
verdict "$test" "$(expect "exit status" "$(cat "$to"/status.*)" $'0\n0'
	grep -q "changed from .* to $first by libmoves.so: restored" "$to/err.1" || echo "rank 1 does not say that: $(cat "$to/err.1")")"

# As two of "gmx mdrun -pin on" do, each of which begins at the first CPU that it may use: both jobs may use all of them.
test="the first threads of two jobs on one CPU"
to=$(folder "$test")
cat > "$work/meets.c" <<- 'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <time.h>
	#include <unistd.h>

	int guardlib_self(const char *how, int cpu);

	/* meets CPU HERE OTHER ENDS: both jobs are there, and bind, and one of them ends later */
	int main(int argc, char **argv)
	{
		time_t begun = time(NULL), met, end;

		(void)argc;
		fclose(fopen(argv[2], "w"));
		while (access(argv[3], F_OK) != 0 && time(NULL) < begun + 300)
			usleep(1000);
		guardlib_self("libc", atoi(argv[1]));
		met = time(NULL);
		end = met + 3 + 3 * (met - begun);	/* mostly busy, however late the other came */
		while (time(NULL) <= end || (access(argv[4], F_OK) != 0 && time(NULL) < end + 300))
			;
		return 0;
	}
END
gcc -O2 -o "$work/meets" "$work/meets.c" "$work/libmoves.so" || exit 1
meets() { SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 LD_PRELOAD=$preload "$work/meets" "$first" "$@"; }
meets "$to/here.0" "$to/here.1" / 2> "$to/err" &
one=$!
meets "$to/here.1" "$to/here.0" "$to/ends" 2> "$to/err.1" &
wait $one
touch "$to/ends"
wait
warned="the first thread of rank 0 was bound to CPU $first (by libmoves.so), as was that of another of your jobs (PID N), and waited N percent of its time for it: SPLITPIN_GUARD=keep restores masks"
verdict "$test" "$(
	expect "what the job says that ends first" "$(sed -n 's/.*splitpin: warning: host=[^ ]* //; s/PID [0-9]*/PID N/; s/waited [0-9]*/waited N/p' "$to/err")" "$warned"
	expect "what the other says" "$(cat "$to/err.1")" "")"

# Flux on two nodes tells the size of the whole job; this script starts the tasks of one node as its shell does, which does not sleep meanwhile.
cat > "$work/flux-shell" <<- 'END'
	#!/bin/bash
	for ((i = 0; i < $1; i++)); do
		FLUX_TASK_LOCAL_ID=$i FLUX_TASK_RANK=$i "${@:2}" &
		for ((j = 0; j < 20000; j++)); do :; done
	done
	wait
END
# Task 1 ends; then task 0 begins a program, beside one that it has begun before where there is a HOLDER.
#   task FOLDER PROGRAM [HOLDER]
cat > "$work/task" <<- 'END'
	#!/bin/bash
	is() { until [ -e "$1" ]; do sleep 0.01; done; }
	if [ "$FLUX_TASK_LOCAL_ID" = 1 ]; then
		echo $$ > "$1/new"
		[ -z "${3-}" ] || is "$1/held.none"
		mv "$1/new" "$1/ends"
		exit
	fi
	[ -z "${3-}" ] || "$3" "$1/held" &
	is "$1/ends"
	while [ -e "/proc/$(cat "$1/ends")" ]; do sleep 0.01; done
	PLACEMENT_DIR=$1 OMP_NUM_THREADS=1 "$2"
	rm -f "$1/held.none"
	wait
END
chmod +x "$work/flux-shell" "$work/task"
# flux TASKS COMMAND...: two of so many are on this node.
flux() { FLUX_JOB_ID=f7 FLUX_JOB_SIZE=$1 FLUX_JOB_NNODES=2 SPLITPIN_DEBUG=1 "${run[@]}" "$work/flux-shell" 2 "${@:2}" > "$to/out" 2> "$to/log"; }
unknown="note=\"not active: whether this node has so many"

run=("$splitpin" run --)
to=$(folder "flux")
flux 4 "$serial" "$to" 2
grep 'splitpin: warning' "$to/log" > "$to/err"
apart "flux: half of the tasks on this node" "$to" 2
for tasks in 6 5 2; do
	to=$(folder "flux $tasks")
	flux $tasks "$serial" "$to" 2
	verdict "flux: 2 of $tasks tasks on one of two nodes may use what they may without splitpin" "$(
		expect "CPUs" "$(masks "$to")" "$(for c in $all; do echo "$c $c"; done | paste -s -d ' ')"
		expect "ranks that say why" "$(grep -c "$unknown" "$to/log")" "$((tasks == 6 ? 2 : tasks == 2))"
		grep 'splitpin: warning' "$to/log")"
done

run=(env LD_PRELOAD="$preload")
if program=$(program none gcc alone.c) && holder=$(program none gcc busy.c); then
	to=$(folder "flux ended")
	flux 4 "$work/task" "$to" "$program"
	verdict "flux: a program begins after a task has ended" "$(
		expect "ranks that are active, and that say why not" "$(grep -c ' active=yes ' "$to/log") $(grep -c "$unknown" "$to/log")" "0 1")"
	to=$(folder "flux ended beside")
	flux 4 "$work/task" "$to" "$program" "$holder"
	verdict "flux: a program begins after a task has ended, beside one of the job" "$(
		expect "ranks that are active, and that say why not" "$(grep -c ' active=yes ' "$to/log") $(grep -c "$unknown" "$to/log")" "2 0"
		expect "processes that find the rank's share" "$(grep -c 'already is this rank' "$to/log")" 1)"
fi

for mpi in openmpi mpich; do
	mpi_tool $mpi mpirun > "$work/tool" || { skip "$mpi" "not installed"; continue; }
	to=$(folder "$mpi")
	run=("$splitpin" run --)
	launched() { "${run[@]}" "$(mpi_tool $mpi mpirun)" -n "$@" 2>> "$to/err"; }

	launched 2 "$serial" "$to" 2
	apart "$mpi: serial programs" "$to" 2

	# Open MPI binds the rank of each to the first core.
	to=$(folder "$mpi twice")
	launched 1 "$serial" "$to" 2 &
	launched 1 "$serial" "$to" 2 &
	wait
	verdict "$mpi: two jobs of one serial program" "$(
		if [ $mpi = openmpi ]; then expect "CPUs of more than one" "$(masks "$to" | tr ' ' '\n' | uniq -d)" ""; fi
		grep splitpin: "$to/err")"

	to=$(folder "$mpi shell")
	# shellcheck disable=SC2016 # for the shell
	launched 2 sh -c '"$0" "$1" 2; exit $?' "$serial" "$to"
	verdict "$mpi: serial programs behind a shell may use what they may without splitpin" "$(
		[ $mpi = openmpi ] && may=$some || may=$(for c in $all; do echo "$c $c"; done | paste -s -d ' ')
		expect "CPUs" "$(masks "$to")" "$may"
		grep splitpin: "$to/err")"

	to=$(folder "$mpi not asked")
	run=(env LD_PRELOAD="$preload")
	[ $mpi = openmpi ] && none=(--bind-to none) || none=()
	launched 2 "${none[@]}" "$serial" "$to" 2
	verdict "$mpi: loaded by a site, serial programs stay as they are" "$(
		expect "CPUs" "$(masks "$to")" "$(for c in $all; do echo "$c $c"; done | paste -s -d ' ')"
		grep splitpin: "$to/err")"

	# A program of OpenMP takes the place of the shell that started it, and the next one as well.
	program=$(program none gcc alone.c) || { skip "$mpi: OpenMP behind a shell" "alone.c does not compile"; continue; }
	to=$(folder "$mpi OpenMP")
	mkdir "$to/1" "$to/2"
	run=(env OMP_NUM_THREADS=1 SPLITPIN_DEBUG=1 "$splitpin" run --)
	# shellcheck disable=SC2016 # for the shell
	launched 2 sh -c 'PLACEMENT_DIR=$0/1 "$1"; PLACEMENT_DIR=$0/2 "$1"' "$to" "$program" > "$to/out"
	verdict "$mpi: OpenMP programs behind a shell" "$(
		expect "ranks that are active" "$(grep -c ' active=yes .* trigger=libgomp ' "$to/err")" 4
		expect "processes of no share" "$(grep -c 'already is this rank' "$to/err")" 0)"

	if [ $mpi = mpich ] && [ "$cores" = 2 ]; then
		to=$(folder "$mpi background")
		run=(env OMP_NUM_THREADS=1 SPLITPIN_DEBUG=1 LD_PRELOAD="$preload")
		# shellcheck disable=SC2016 # for the shell
		launched 1 sh -c '"$1" "$2" 3 &
			until ls "$2"/mask.* > "$2/out" 2>&1; do sleep 0.01; done
			"$0" -n 2 "$1" "$2" 3
			wait' "$(mpi_tool $mpi mpirun)" "$team" "$to"
		verdict "$mpi: a job that a rank's script starts beside its program" "$(
			expect "ranks that find too few free cores" "$(grep -c ' active=yes .*not enough free cores' "$to/err")" 2)"
	fi

	[ $mpi = openmpi ] || continue
	to=$(folder "$mpi two at once")
	run=(env OMP_NUM_THREADS=2 SPLITPIN_DEBUG=1 LD_PRELOAD="$preload")
	# shellcheck disable=SC2016 # for the shell
	launched 1 sh -c '"$0" "$1" & "$0" "$1"; wait' "$(program none gcc busy.c)" "$to/busy" &
	there "$to/busy.0" && awaited grep -q 'process [0-9]* already is this rank' "$to/err"
	verdict "$mpi: of two OpenMP programs at once both have the rank's share" "$(
		expect "shares" "$(sed -n 's/.* active=yes cpu_list=\([^ ]*\) .*/\1/p' "$to/err" | sort -u)" "${some/ /-}")"
	rm "$to/busy.0"
	wait
done

closing
