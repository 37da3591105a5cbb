#!/bin/bash
# A perfect guest: processes that are no ranks behave as without the preload,
# and so does a rank whatever is wrong around it.
#
#   tests/guest.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/guest/<test>.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/compared.sh
. tests/compared.sh

[ -e "$preload" ] || { echo "guest: no $preload: run make first" >&2; exit 1; }

mpis=
for mpi in openmpi mpich; do
	if program "$mpi" gcc hybrid.c >/dev/null; then
		mpis="$mpis $mpi"
	else
		skip "everything with $mpi" "it is not installed, or hybrid.c does not compile"
	fi
done
# Other users' jobs are none of this.
boards() { find /dev/shm -iname '*splitpin*' -user "$(id -u)" 2>/dev/null | sort; }
boards > "$work/boards"

# What an auditor reads is what there is.
# shellcheck disable=SC2016 # the marks of names
verdict "SECURITY.md has all names that are exported, and no others" "$(diff \
	<(sed -n '/^## What runs/,/^To audit/p' SECURITY.md | grep '^  ' | grep -o '`[^`]*`' | tr -d '`' | sort) \
	<(nm -D --defined-only "$preload" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | sort -u) | sed -n 's/^</it is not exported:/p; s/^>/it is not there:/p')"

#
# Processes that are no ranks.
#

same "true" true
same "false" false
same "an empty environment" env -i LD_PRELOAD="$preload" /bin/sh -c 'echo "$?"'
same "a missing command" bash -c 'no-such-command; exit 3'

cat > "$work/script.sh" <<'END'
getenv() { echo "own getenv: $1"; }
trap 'echo at the end' EXIT
getenv HOME
for i in 1 2 3; do echo "$i"; done | sort -r | tee /dev/stderr | (read -r first; echo "first $first"; cat)
answer=$(cd / && (exec pwd))
{ sleep 0.01; echo background; } &
wait $!
echo "$answer $((6 * 7))" | sed 's/4/four/'
exit 5
END
same "a bash script" bash "$work/script.sh"
same "a sh script" sh "$work/script.sh"
same "ssh -V" ssh -V
gcc -O2 -pthread -o "$work/own-phdr" tests/programs/own-phdr.c &&
	same "a program with a dl_iterate_phdr of its own" "$work/own-phdr"
test="reading the mask a second time takes no lock of the loader's"
if ! (echo '#include <dlfcn.h>'; echo 'int main(void) { struct dl_find_object found; return _dl_find_object(main, &found); }') |
	gcc -D_GNU_SOURCE -w -x c -o "$work/find" - 2>/dev/null; then
	skip "$test" "this glibc has no look-up without a lock"
elif gcc -O2 -pthread -o "$work/iterations" tests/programs/iterations.c; then
	same "$test" "$work/iterations"
	same "$test, in a rank" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$work/iterations"
else
	fail "$test" "iterations.c does not compile"
fi
# MPICH 4.0's mpirun ends now and then by SIGPIPE before it has printed anything, without the preload as well.
# shellcheck disable=SC2016
thrice='for _ in 1 2 3; do out=$("$@") && break; done; status=$?; echo "$out"; exit $status'
for mpi in $mpis; do
	same "$mpi: mpirun -n 1 hostname" bash -c "$thrice" - "$(mpi_tool "$mpi" mpirun)" -n 1 hostname
done

cat > "$work/hello.c" <<'END'
#include <stdio.h>
int main(void) { puts("hello"); return 4; }
END
same "gcc compiles and the program runs" sh -c "gcc -O2 -o '$work/hello' '$work/hello.c' && '$work/hello'"
same "gcc with an error" gcc -o /dev/null "$work/no-such-file.c"

same "python3 with threads and children" python3 $sources/children-threads.py

# A library of nothing shows what loading a library costs, whoever wrote it.
test="true makes no more system calls than loading takes"
if strace -o /dev/null true 2>/dev/null; then
	to=$(folder "$test")
	: > "$to/empty.c"
	gcc -shared -fPIC -o "$to/empty.so" "$to/empty.c"
	strace -f -o "$to/empty" -E LD_PRELOAD="$to/empty.so" true
	strace -f -o "$to/splitpin" -E LD_PRELOAD="$preload" true
	for name in empty splitpin; do
		# Segments of a library are mapped; how many it has is no cost of ours.
		sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$to/$name" |
			grep -v -e '^mmap$' -e '^mprotect$' -e '^munmap$' | sort > "$to/$name.calls"
	done
	verdict "$test" "$(diff "$to/empty.calls" "$to/splitpin.calls" | grep '^[<>]')"
else
	skip "$test" "strace does not work here"
fi

test="true with 100 variables loads with at most 4145 instructions more than with a library of nothing"
if valgrind --version >/dev/null 2>&1; then
	to=$(folder "$test")
	mkdir "$to/0" "$to/1"
	: > "$to/empty.c"
	# Names of one length, and an environment of its own: the loader's work depends on them.
	gcc -shared -fPIC -o "$to/0/libsplitpin.so" "$to/empty.c"
	cp "$preload" "$to/1/libsplitpin.so"
	letters=ABCDEFGHIJKLMNOPQRSTUVWXYZ_ many=()
	for ((i = 0; i < 100; i++)); do
		many+=("${letters:i % 26:1}${letters:i * 7 % 27:1}_VARIABLE_$i=value")
	done
	for i in 0 1; do
		env -i PATH="$PATH" "${many[@]}" LD_PRELOAD="$to/$i/libsplitpin.so" valgrind --tool=callgrind \
			--callgrind-out-file=/dev/null /bin/true 2>&1 | sed -n 's/.*Collected : //p' > "$to/$i/instructions"
	done
	verdict "$test" "$(
		more=$(($(cat "$to/1/instructions") - $(cat "$to/0/instructions")))
		[ "$more" -le 4145 ] || echo "$more more"
	)"
else
	skip "$test" "no valgrind"
fi

# A name more would be taken from every program.
test="what is exported is what is interposed"
to=$(folder "$test")
nm -D --defined-only "$preload" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort > "$to/exported"
tr ' ' '\n' > "$to/names" <<END
MPI_Init PMPI_Init MPI_Init_thread PMPI_Init_thread MPI_Session_init PMPI_Session_init PMIx_Init ompt_start_tool
pthread_create pthread_getaffinity_np pthread_setaffinity_np sched_getaffinity sched_setaffinity thrd_create
execve execv execvp execvpe fexecve execveat execl execlp execle posix_spawn posix_spawnp system popen wordexp
aio_read aio_read64 aio_write aio_write64 aio_fsync aio_fsync64 lio_listio lio_listio64 timer_create
mq_notify getaddrinfo_a _Fork _exit
END
verdict "$test" "$(diff <(sort "$to/names") "$to/exported" | grep '^[<>]')"

# The loader binds references of a library to its own names by name, too.
cat > "$work/names.c" <<'END'
int system(int particles, double *x, long n, double scale) { return particles + (int)(x[n] * scale); }
int popen = 7;
int execl(int a, double b) { return a + (int)b; }
int timer_create(double seconds, int a, int b, int c, int d, int e, int f, int g) { return a + b + c + d + e + f + g + (int)seconds; }
int aio_read = 3;
int sum(void)
{
	double x[3] = { 1, 2, 3 };
	popen++;
	aio_read *= 5;
	return system(10, x, 2, 2.0) + popen + execl(1, 2.0) + timer_create(9.5, 1, 2, 3, 4, 5, 6, 7) + aio_read;
}
END
cat > "$work/namesmain.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int sum(void);
int execv(const char *path, char *const argv[]) { (void)argv; puts(path); return 3; }
int main(void) { printf("%d %d\n", sum(), execv("own", (char *[]){ NULL })); return 0; }
END
test="a library's own system, popen, execl and timer_create"
if gcc -w -O1 -fno-builtin -shared -fPIC "$work/names.c" -o "$work/libnames.so" &&
	gcc -w -O1 "$work/namesmain.c" -o "$work/namesmain" -L"$work" -lnames -Wl,-rpath,"$work"; then
	same "$test" "$work/namesmain"
	same "$test, in a rank" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$work/namesmain"
else
	fail "$test" "it does not compile"
fi

# The loader relocates this library before the preloaded ones, and calls its resolver then.
cat > "$work/resolver.c" <<'END'
#include <sched.h>
#include <stdio.h>
static void one(void) { puts("chosen"); }
static void many(void) { puts("chosen"); }
static void (*choose(void))(void) { cpu_set_t set; return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1 ? many : one; }
static void chosen(void) __attribute__((ifunc("choose")));
void (*call)(void) = chosen;
END
test="a library that chooses a function by its CPUs while it is loaded"
if gcc -D_GNU_SOURCE -w -shared -fPIC -Wl,-z,now "$work/resolver.c" -o "$work/libresolver.so" &&
	echo 'extern void (*call)(void); int main(void) { call(); return 3; }' |
	gcc -x c - -o "$work/resolver" -L"$work" -lresolver -Wl,-rpath,"$work" && [ "$("$work/resolver")" = chosen ]; then
	same "$test" "$work/resolver"
	same "$test, in a rank" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$work/resolver"
else
	skip "$test" "no indirect functions here, or none that may call others"
fi

# Room for such variables of preloaded libraries is small, and taken in every thread.
test="at most 64 bytes of thread-local memory"
bytes=$(readelf -lW "$preload" | awk '$1 == "TLS" { print $6 }')
verdict "$test" "$([ $((${bytes:-0})) -le 64 ] || echo "$((bytes)) bytes")"

#
# Every interposed function, from wherever a program can be.
#

bin=$work/bin
mkdir -p "$bin"
guest "$bin" > "$bin/log" 2>&1 || fail "guest.c compiles" "see $bin/log"

same "all functions from everywhere" "$bin/guest"
same "all functions with LD_BIND_NOW=1" env LD_BIND_NOW=1 "$bin/guest"
same "all functions with environ NULL" "$bin/guest" environ
same "all functions after clearenv" "$bin/guest" clearenv
same "all functions and a plugin with RTLD_DEEPBIND" "$bin/guest" plugin "$bin/libwrap.so"
same "exec on a stack of one page" "$bin/guest" stack
same "exec on a stack of one page with LD_BIND_NOW=1" env LD_BIND_NOW=1 "$bin/guest" stack
same "read and write as the only system calls" "$bin/guest" strict
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
	same "number of descriptors with $closed" sh -c "\"\$0\" files $closed" "$bin/guest"
	same "all functions with $closed" sh -c "\"\$0\" environ $closed" "$bin/guest"
done

# No variable at all, not even LD_PRELOAD.
test="all functions in an empty environment"
loader=$(readelf -lW "$bin/guest" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
if "$loader" --preload "$preload" /bin/true 2>/dev/null; then
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" env -i "$loader" "$bin/guest"
	run "$to/with" env -i "$loader" --preload "$preload" "$bin/guest"
	verdict "$test" "$(difference "$to/without" "$to/with")"
else
	skip "$test" "this loader has no --preload"
fi

# What a program has freed is read by nobody, unless it calls what reads its environment.
cat > "$bin/freed.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static void *nothing(void *data) { return data; }
int main(void)
{
	char **freed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cpu_set_t set;
	pthread_t thread;

	environ = freed;
	munmap(freed, 4096);
	printf("%d ", sched_getaffinity(0, sizeof(set), &set));
	printf("%d ", pthread_getaffinity_np(pthread_self(), sizeof(set), &set));
	printf("%d ", sched_setaffinity(0, sizeof(set), &set));
	printf("%d ", pthread_create(&thread, NULL, nothing, NULL));
	printf("%d\n", pthread_join(thread, NULL));
	return 0;
}
END
gcc -O2 -pthread -o "$bin/freed" "$bin/freed.c"
for setting in A=b SPLITPIN_CORES=all SPLITPIN_DEBUG=1 SLURM_JOB_ID=1; do
	same "a program that has freed its environment, $setting" env $setting "$bin/freed"
done

# OpenMP without MPI and launcher.
for runtime in libgomp libomp libiomp5; do
	test="OpenMP alone, $runtime"
	family=clang path=
	[ $runtime = libgomp ] && family=gcc
	[ $runtime = libiomp5 ] && path=$build/tests/iomp-for-libomp
	if [ $runtime = libiomp5 ] && [ -z "$iomp" ]; then
		skip "$test" "no libiomp5"
	elif ! command=$(program none $family alone.c); then
		skip "$test" "alone.c does not compile with $family"
	else
		for setting in A=b OMP_PROC_BIND=true; do
			to=$(folder "$test $setting")
			mkdir "$to/without" "$to/with"
			export LD_LIBRARY_PATH=$path "${setting?}"
			run "$to/without" env PLACEMENT_DIR="$to/without" "$command"
			run "$to/with" env PLACEMENT_DIR="$to/with" LD_PRELOAD="$preload" "$command"
			unset LD_LIBRARY_PATH "${setting%%=*}"
			for i in without with; do
				sed -E 's/ (region|tid)=[0-9]*//g' "$to/$i/rank.0" | grep -v -e 'libsplitpin.so$' | sort > "$to/$i/facts"
			done
			verdict "$test$([ $setting = A=b ] || echo ", $setting")" "$(
				difference "$to/without" "$to/with"
				diff "$to/without/facts" "$to/with/facts" | grep '^[<>]'
			)"
		done
	fi
done

# Why a parallel process is left alone: one line, where it is asked for.
# explained TEST REASON VARIABLE=VALUE... COMMAND...: what is printed but for this line is as without the preload.
explained() {
	local test=$1 reason=$2 to
	shift 2
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" env "$@"
	run "$to/with" env LD_PRELOAD="$preload" "$@"
	grep '^splitpin: ' "$to/with/err" > "$to/lines"
	sed -i '/^splitpin: /d' "$to/with/err"
	verdict "$test" "$(
		difference "$to/without" "$to/with"
		expect "what it says" "$(sed 's/^splitpin: host=[^ ]* pid=[0-9][0-9]* not active: //' "$to/lines")" "$reason"
	)"
}

no_launcher="not started by a known launcher"
by_user="SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1"
for family in gcc clang; do
	command=$(program none $family alone.c) || continue
	explained "left alone, $family: not asked" "" A=b "$command"
	explained "left alone, $family: not asked, and off" "" SPLITPIN=off SPLITPIN_DEBUG=0 "$command"
	for setting in SPLITPIN_DEBUG=1 "SPLITPIN_DEBUG= Yes " SPLITPIN_REPORT=1 SPLITPIN_REPORT=memory; do
		explained "left alone, $family: no launcher, $setting" "$no_launcher" "$setting" "$command"
		# shellcheck disable=SC2086 # two variables
		explained "left alone, $family: off in a rank, $setting" "switched off by SPLITPIN=off" $by_user \
			SPLITPIN=off "$setting" "$command"
	done
	explained "left alone, $family: off without a launcher" "switched off by SPLITPIN=off" SPLITPIN=" Off " SPLITPIN_DEBUG=1 "$command"
	explained "left alone, $family: PMIx alone has the rank" "its local rank is not known before PMIx_Init has returned" \
		PMIX_RANK=0 SPLITPIN_DEBUG=1 "$command"
	# shellcheck disable=SC2016 # the inner shell expands
	explained "left alone, $family: a shell that runs it twice" "$no_launcher"$'\n'"$no_launcher" SPLITPIN_DEBUG=1 \
		sh -c '"$0"; "$0"' "$command"
done
explained "left alone: true has nothing to explain" "" SPLITPIN_DEBUG=1 true
explained "left alone: a script has nothing to explain" "" SPLITPIN_DEBUG=1 SPLITPIN_REPORT=1 bash "$work/script.sh"
explained "left alone: python3 has nothing to explain" "" SPLITPIN_DEBUG=1 python3 $sources/children-threads.py
explained "left alone: a forked child does not repeat it" "$no_launcher" SPLITPIN_DEBUG=1 python3 -c '
import ctypes, os
gomp = ctypes.CDLL("libgomp.so.1")
pid = os.fork()
gomp.omp_get_num_procs()
if pid == 0: os._exit(0)
os.waitpid(pid, 0)'
for mpi in $mpis; do
	explained "left alone: $mpi without its launcher" "$no_launcher" SPLITPIN_DEBUG=1 PLACEMENT_DIR= "$(program "$mpi" gcc hybrid.c)"
	explained "left alone: $mpi, the launcher has nothing to explain" "" SPLITPIN_DEBUG=1 "$(mpi_tool "$mpi" mpirun)" -n 1 hostname
done

#
# Ranks.
#

most=$((ncpus < 4 ? ncpus : 4))
for mpi in $mpis; do
	hybrid=$(program "$mpi" gcc hybrid.c)

	to=$(folder "$mpi without")
	ranks "$to" "$mpi" "$most" "$hybrid"
	without=$to
	export LD_PRELOAD=$preload
	to=$(folder "$mpi with")
	ranks "$to" "$mpi" "$most" "$hybrid"
	with=$to

	test="$mpi: silent unless asked"
	verdict "$test" "$(difference "$without" "$with")"

	test="$mpi: bash between launcher and rank"
	to=$(folder "$test")
	# shellcheck disable=SC2016 # the inner shell expands
	ranks "$to" "$mpi" "$most" bash -c '"$0"; code=$?; (true) | cat; exit $code' "$hybrid"
	verdict "$test" "$(
		difference "$with" "$to"
		for ((i = 0; i < most; i++)); do
			expect "share of rank $i" "$(started "$to" "$i" cpus)" "$(started "$with" "$i" cpus)"
		done
	)"

	test="$mpi: OpenMP without MPI in a rank's shell, then the rank"
	to=$(folder "$test")
	# shellcheck disable=SC2016
	ranks "$to" "$mpi" "$most" bash -c 'PLACEMENT_DIR= "$0" >/dev/null; exec "$1"' "$(program none gcc alone.c)" "$hybrid"
	verdict "$test" "$(
		difference "$with" "$to"
		for ((i = 0; i < most; i++)); do
			expect "share of rank $i" "$(started "$to" "$i" cpus)" "$(started "$with" "$i" cpus)"
		done
	)"

	test="$mpi: SPLITPIN=off"
	to=$(folder "$test")
	SPLITPIN=off SPLITPIN_DEBUG=1 ranks "$to" "$mpi" "$most" "$hybrid"
	grep -c ' not active: switched off by SPLITPIN=off$' "$to/err" > "$to/lines"
	sed -i '/^splitpin: host=.* not active: /d' "$to/err"
	verdict "$test" "$(
		difference "$without" "$to"
		expect "lines that tell why" "$(cat "$to/lines")" "$most"
		for ((i = 0; i < most; i++)); do
			expect "mask of rank $i" "$(started "$to" "$i" cpus)" "$cpus"
			expect "omp_get_max_threads() of rank $i" "$(started "$to" "$i" max_threads)" "$ncpus"
		done
		! grep -q engine "$to/rank.0" || echo "the engine is mapped"
	)"

	test="$mpi: a wrong value"
	to=$(folder "$test")
	SPLITPIN_SMT=lots ranks "$to" "$mpi" 1 "$hybrid"
	verdict "$test" "$(warned_once "$to" SPLITPIN_SMT lots; expect share "$(started "$to" 0 cpus)" "$cpus")"

	test="$mpi: an unknown variable"
	to=$(folder "$test")
	SPLITPIN_INHERITTED=keep ranks "$to" "$mpi" 1 "$hybrid"
	verdict "$test" "$(warned_once "$to" SPLITPIN_INHERITTED 'SPLITPIN_INHERITED\b'; expect share "$(started "$to" 0 cpus)" "$cpus")"

	test="$mpi: more ranks than CPUs"
	to=$(folder "$test")
	if [ -n "$confined" ]; then
		skip "$test" "$confined"
	elif [ "$ncpus" -le 16 ]; then
		# Open MPI starts so many only if told that these are slots, or that it may; then nothing is said.
		slots=()
		[ "$mpi" = mpich ] || slots=(--host "localhost:$((ncpus + 1))")
		(
			unset PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby
			OMPI_MCA_rmaps_base_oversubscribe=0 ranks "$to" "$mpi" $((ncpus + 1)) "${slots[@]}" "$hybrid"
		)
		verdict "$test" "$(
			warned_once "$to" $((ncpus + 1)) "\b$ncpus\b"
			for ((i = 0; i <= ncpus; i++)); do
				expect "mask of rank $i" "$(started "$to" "$i" cpus)" "$cpus"
			done
		)"
		test="$mpi: and not with fewer ranks, as the warning has it"
		to=$(folder "$test")
		ranks "$to" "$mpi" "$ncpus" "$hybrid"
		verdict "$test" "$(
			expect "exit status" "$(cat "$to/status")" 0
			expect "lines of too few CPUs" "$(grep -c 'too few for one each' "$to/err")" 0
			expect "masks" "$(for ((i = 0; i < ncpus; i++)); do started "$to" "$i" cpus; done | sort -u | wc -l)" "$ncpus"
		)"
		test="$mpi: more ranks than CPUs on request"
		if [ "$mpi" = openmpi ]; then
			to=$(folder "$test")
			ranks "$to" "$mpi" $((ncpus + 1)) --oversubscribe "$hybrid"
			verdict "$test" "$(
				expect "splitpin's lines" "$(grep -c splitpin: "$to/err")" 0
				expect "exit status" "$(cat "$to/status")" 0
				expect "mask of the last rank" "$(started "$to" "$ncpus" cpus)" "$cpus"
			)"
			test="$mpi: more ranks than CPUs on request, in the report"
			to=$(folder "$test")
			SPLITPIN_REPORT=1 ranks "$to" "$mpi" $((ncpus + 1)) "$hybrid"
			grep -q "why: $((ncpus + 1)) ranks share $ncpus CPU.*which was asked for (rmaps_base_oversubscribe)" "$to/err"
			verdict "$test" "$(expect "search for the reason" $? 0; expect warnings "$(warnings "$to")" 0)"
		fi
	else
		skip "$test" "$ncpus CPUs would need as many processes"
	fi

	test="$mpi: a relative path in LD_PRELOAD, and chdir before MPI_Init"
	to=$(folder "$test")
	mkdir "$to/lib"
	cp "$(dirname "$preload")"/libsplitpin*.so "$to/lib"
	(cd "$to" && LD_PRELOAD=lib/libsplitpin.so ranks "$to" "$mpi" "$most" "$hybrid" chdir)
	verdict "$test" "$(
		difference "$with" "$to"
		for ((i = 0; i < most; i++)); do
			expect "share of rank $i" "$(started "$to" "$i" cpus)" "$(started "$with" "$i" cpus)"
		done
	)"

	for part in "$(dirname "$preload")"/libsplitpin-*.so; do
		part=${part##*/}
		test="$mpi: $part is missing"
		to=$(folder "$test")
		mkdir "$to/lib"
		cp "$(dirname "$preload")"/libsplitpin*.so "$to/lib"
		rm "$to/lib/$part"
		# One of them is needed for a policy alone.
		SPLITPIN_MEMORY=local LD_PRELOAD=$to/lib/libsplitpin.so ranks "$to" "$mpi" 1 "$hybrid"
		verdict "$test" "$(
			warned_once "$to" "$part"
			expect "standard output" "$(cat "$to/out")" "$(PLACEMENT_DIR='' LD_PRELOAD='' launch "$mpi" 1 "$hybrid")"
			expect "mask" "$(started "$to" 0 cpus)" "$cpus"
		)"
	done

	test="$mpi: standard error is closed"
	to=$(folder "$test")
	# shellcheck disable=SC2016
	SPLITPIN_DEBUG=1 ranks "$to" "$mpi" 1 bash -c 'exec "$0" 2>&-' "$hybrid"
	verdict "$test" "$(
		expect "exit status" "$(cat "$to/status")" 0
		expect "standard output" "$(cat "$to/out")" "$(PLACEMENT_DIR='' LD_PRELOAD='' launch "$mpi" 1 "$hybrid")"
		! grep -l splitpin: "$to/rank.0" || echo "a debug line went into a file of the program's"
	)"

	last=${cpus##*[,-]}
	test="$mpi: taskset before the launcher"
	to=$(folder "$test")
	(taskset -cp "$last" $BASHPID >/dev/null; ranks "$to" "$mpi" 1 "$hybrid")
	verdict "$test" "$(expect share "$(started "$to" 0 cpus)" "$last"; cat "$to/err")"

	test="$mpi: taskset before the launcher, SPLITPIN_INHERITED=ignore"
	to=$(folder "$test")
	(taskset -cp "$last" $BASHPID >/dev/null; SPLITPIN_INHERITED=ignore ranks "$to" "$mpi" 1 "$hybrid")
	verdict "$test" "$(expect share "$(started "$to" 0 cpus)" "$allowed"; cat "$to/err")"

	case $mpi in
	openmpi) bound=(--bind-to core) ;;
	mpich) bound=(-bind-to core) ;;
	esac
	for way in "" ignore; do
		test="$mpi: bound to cores by the launcher${way:+, SPLITPIN_INHERITED=ignore}"
		to=$(folder "$test")
		if [ "$ncpus" -lt 2 ]; then
			skip "$test" "one CPU"
			continue
		fi
		[ -z "$way" ] || export SPLITPIN_INHERITED=$way
		for i in with without; do
			mkdir "$to/$i"
			[ $i = with ] || unset LD_PRELOAD
			"$(mpi_tool "$mpi" mpirun)" "${bound[@]}" -n 1 env PLACEMENT_DIR="$to/$i" "$hybrid" > "$to/$i/out" 2> "$to/$i/err" < /dev/null
			echo $? > "$to/$i/status"
		done
		export LD_PRELOAD=$preload
		unset SPLITPIN_INHERITED
		verdict "$test" "$(
			difference "$to/without" "$to/with"
			if [ -z "$way" ]; then
				expect share "$(started "$to/with" 0 cpus)" "$(started "$to/without" 0 cpus)"
			else
				expect share "$(started "$to/with" 0 cpus)" "$allowed"
			fi
		)"
	done

	test="$mpi: no launcher"
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/with" env PLACEMENT_DIR="$to/with" "$hybrid"
	run "$to/without" env -u LD_PRELOAD PLACEMENT_DIR="$to/without" "$hybrid"
	verdict "$test" "$(
		difference "$to/without" "$to/with"
		expect "mask" "$(started "$to/with" 0 cpus)" "$cpus"
	)"

	test="$mpi: the format of debug lines"
	to=$(folder "$test")
	list='[0-9][0-9,-]*'
	SPLITPIN_DEBUG=1 ranks "$to" "$mpi" "$most" "$hybrid"
	grep splitpin: "$to/err" > "$to/lines"
	who="splitpin: host=[^ ]+ rank=[0-9]+/$most"
	decision="$who active=yes cpu_list=$list core_list=$list numa_list=$list thread_count=[0-9]+ memory=[a-z:]+ start_cpus=$list job_cpus=$list trigger=[A-Za-z_]+ launcher=([A-Za-z]+|\"[A-Za-z ]+\") why=\"[^\"]+\""
	pin="$who (thread=[0-9]+ )?tid=[0-9]+ cpu_list=$list core_list=$list numa_list=$list( trigger=(ompt|pthread))? why=\"[^\"]+\""
	verdict "$test" "$(
		grep -vE "^($decision|$pin)\$" "$to/lines"
		expect "number of decisions" "$(grep -c ' active=yes ' "$to/lines")" "$most"
		# Where a thread was last told to be, it was found.
		sed -n 's/.* thread=\([0-9]*\) tid=\([0-9]*\) cpu_list=\([^ ]*\) .*/\1 \2 \3/p' "$to/lines" |
			awk '{ last[$2] = $0 } END { for (tid in last) print last[tid] }' > "$to/told"
		while read -r number tid list; do
			grep -q "number=$number tid=$tid cpus=$list\$" "$to"/rank.* ||
				echo "thread $number, tid $tid is not on $list, as a line says"
		done < "$to/told"
		expect "number of threads told of" "$(wc -l < "$to/told")" "$(cat "$to"/rank.* | grep -c 'region=0')"
	)"

	test="$mpi: one write for each debug line"
	to=$(folder "$test")
	if strace -o /dev/null true 2>/dev/null; then
		SPLITPIN_DEBUG=1 ranks "$to" "$mpi" 1 strace -f -o "$to/trace" -s 4096 -e trace=write,writev "$hybrid"
		grep -o 'writev\?(.*splitpin: .*' "$to/trace" > "$to/writes"
		verdict "$test" "$(
			grep -v '^write(2, "splitpin: [^\\]*\(\\"[^\\]*\\"[^\\]*\)*\\n", ' "$to/writes"
			[ -s "$to/writes" ] || echo "no line at all"
		)"
	else
		skip "$test" "strace does not work here"
	fi

	for family in gcc clang; do
		test="$mpi: children of a pinned thread have the share, $family"
		to=$(folder "$test")
		if ! command=$(program "$mpi" $family children.c); then
			skip "$test" "children.c does not compile"
			continue
		fi
		# One rank, so that its share is more than one core.
		ranks "$to" "$mpi" 1 "$command"
		verdict "$test" "$(
			while read -r way list; do
				if [ "$way" = variables ]; then
					expect "environment" "$list" "$(env | grep -E '^(LD_PRELOAD|SPLITPIN)' | sort | paste -s -d ' ')"
				else
					expect "mask of a child by $way" "$list" "$(started "$to" 0 cpus)"
				fi
			done < "$to/children.0"
			expect "exit status" "$(cat "$to/status")" 0
			cat "$to/err"
		)"
	done
	unset LD_PRELOAD
done

# A child of a pinned thread may have a stack of one page too.
test="exec on a stack of one page in a rank"
if gcc -O1 -g -fopenmp -I"$sources" -o "$bin/guest-team" $sources/guest.c -L"$bin" -lnext -Wl,-rpath,"$bin" -lrt > "$bin/log" 2>&1; then
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" "$bin/guest-team" stack
	run "$to/with" env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 LD_PRELOAD="$preload" "$bin/guest-team" stack
	verdict "$test" "$(difference "$to/without" "$to/with")"
else
	fail "$test" "guest.c does not compile: see $bin/log"
fi

# Stack that calls take, with the preload and without.  A fibre may have a stack of a page.  Kernels for many CPUs have large masks.
painted() { # TEST LIMIT PROGRAM VARIABLE...
	local test="stack of each call: $1" limit=$2 program=$3
	shift 3
	to=$(folder "$test")
	env "$@" "$program" > "$to/without" 2> "$to/err"
	env "$@" LD_PRELOAD="$preload" "$program" > "$to/with" 2>> "$to/err"
	verdict "$test" "$(
		cat "$to/err"
		expect "calls" "$(cut -d" " -f1 "$to/with")" "$(cut -d" " -f1 "$to/without")"
		expect "number of calls" "$(wc -l < "$to/with")" 32
		paste -d" " "$to/without" "$to/with" | awk -v limit="$limit" '
			$1 == "mask" { if ($2 > 128) limit += 3 * ($2 - 128); next }
			$4 > $2 + limit { print $1 ": " $4 " bytes of stack instead of " $2 }'
	)"
}
if gcc -O1 -g -Wall -Wextra -o "$bin/painted" $sources/painted.c -pthread -lrt > "$bin/log" 2>&1 &&
   gcc -O1 -g -Wall -Wextra -fopenmp -o "$bin/painted-team" $sources/painted.c -lrt >> "$bin/log" 2>&1; then
	a_rank=(SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1)
	painted "not a rank" 256 "$bin/painted" OMP_NUM_THREADS=2
	painted "a rank of two threads" 1024 "$bin/painted-team" "${a_rank[@]}" OMP_NUM_THREADS=2
	painted "a rank of one thread" 1024 "$bin/painted-team" "${a_rank[@]}" OMP_NUM_THREADS=1
	painted "a rank whose runtime binds its threads" 1024 "$bin/painted-team" "${a_rank[@]}" OMP_NUM_THREADS=2 OMP_PROC_BIND=true
	painted "a rank whose masks are watched" 1024 "$bin/painted-team" "${a_rank[@]}" OMP_NUM_THREADS=2 SPLITPIN_GUARD=warn
else
	fail "stack of each call" "painted.c does not compile: see $bin/log"
fi

# /etc/ld.so.preload reaches setuid programs, too, with the environment of whoever calls.
test="a setuid program by way of ld.so.preload"
# shellcheck disable=SC2016
by_preload_file='mount -t tmpfs tmpfs /mnt && cp -a /etc /mnt/etc && mkdir /mnt/bin && cp "$1"/libsplitpin*.so "$2" /mnt/bin &&
	echo /mnt/bin/libsplitpin.so > /mnt/etc/ld.so.preload && mount --bind /mnt/etc /etc && chmod 755 /mnt /mnt/bin &&
	chmod "$3" "/mnt/bin/${2##*/}" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "/mnt/bin/${2##*/}"'
settle=$work/settle
if [ "$(id -u)" != 0 ] || ! unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null ||
	! gcc -O2 -pthread $sources/settle.c -o "$settle"; then
	skip "$test" "only root can try that, in a mount name space"
else
	to=$(folder "$test")
	for mode in 755 4755; do
		SPLITPIN_DEBUG=1 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 unshare -m bash -c "$by_preload_file" - \
			"$(dirname "$preload")" "$settle" $mode > "$to/$mode" 2>&1
	done
	verdict "$test" "$(
		grep -q 'splitpin: .* active=yes ' "$to/755" || echo "not loaded at all: $(head -n 1 "$to/755")"
		expect "what a setuid program prints" "$(grep -v '^splitpin: ' "$to/4755")" "$(SPLITPIN_LOCAL_RANK=0 "$settle")"
		expect "why it is left alone" "$(sed -n 's/^splitpin: .* not active: //p' "$to/4755")" "a setuid or setgid program"
	)"
fi

# Another job's board may be there for a while.
for ((i = 0; i < 20; i++)); do
	left=$(boards | comm -13 "$work/boards" -)
	[ -n "$left" ] || break
	sleep 0.5
done
verdict "nothing left in /dev/shm" "$left"

closing
