#!/bin/bash
# splitpin check and splitpin probe: each problem that check looks for on a node,
# and what it finds in launchers that are started with a probe in place of the
# program.
#
#   tests/check.sh [BUILD [PRELOAD]]
#
# Texts are looked at in tests/screens.sh; here are ids, statuses and CPUs.
set -u

# shellcheck source=tests/own-node.sh
. tests/own-node.sh

provoked=

# All with the library loaded, unless they say otherwise.
with() { env LD_PRELOAD="$preload" "$@"; }
check() { with "$splitpin" check "$@"; }
# in_mounts HOW COMMAND...: where a shell command has changed the mounts.
in_mounts() { unshare -m sh -c "$1"' && shift && exec "$@"' sh "$@"; }

# as_json COMMAND...: a command that ends in "check [WORD]...", with JSON in $work/out; its status in status.
as_json() {
	local command=() word is_before=yes i values=()
	for word; do
		command+=("$word")
		[[ $word = check && $is_before ]] && command+=(--format json) && is_before=
	done
	"${command[@]}" </dev/null >"$work/out" 2>"$work/err"
	status=$?
	asked=()
	[ -s "$work/out" ] || return
	mapfile -t -d '' values < <(PYTHONPATH=tests python3 -c "$look" "$work/out" "${usual[@]}" 2>&1)
	not_as_described+=${values[0]}
	for i in "${!usual[@]}"; do
		[ -z "${values[i + 1]+is there}" ] || asked[${usual[i]}]=${values[i + 1]}
	done
}
not_as_described=''
# What is wrong with the JSON, then the values of expressions over it, o, with a NUL behind each.
look='import json, schema, sys
o = json.load(open(sys.argv[1]))
print("\n".join(schema.of_command("check", o)), end="\0")
for expression in sys.argv[2:]:
    print(eval(expression), end="\0")'
# The value of such an expression; those that are usual are known.
declare -A asked
ask() {
	if [ -n "${asked[$1]+known}" ]; then
		echo "${asked[$1]}"
	else
		python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$work/out" "$1" 2>&1
	fi
}
ids='" ".join(p["id"] for p in o["problems"])'
all_notes="$ids + str(o[\"notes\"])"
problems='[o["why"]] + [p["problem"] for p in o["problems"]]'
notes='[n["id"] + ": " + n["note"] for n in o["notes"]]'
usual=("$ids" "$all_notes" "$problems" "$notes" 'o["active"]' 'o["why"]')

# finds IDS WORDS COMMAND...: exactly these problems, of which one, or the answer, has the words.
finds() {
	local expected=$1 words=$2
	shift 2
	provoked="$provoked $expected"
	as_json "$@"
	verdict "check finds $expected: $words" "$(
		expect status "$status" 1
		expect "what is found" "$(ask "$ids")" "$expected"
		has "$(ask "$problems")" "$words"
	)"
}

# notes ID WORDS COMMAND...: a note alone, which is no problem.
notes() {
	local expected=$1 words=$2
	shift 2
	provoked="$provoked $expected"
	as_json "$@"
	verdict "check notes $expected" "$(
		expect status "$status" 0
		expect "what is found" "$(ask "$ids")" ""
		has "$(ask "$notes")" "$expected: $words"
	)"
}

# answers NAME STATUS ACTIVE WHY COMMAND...: the answer; WHY is a part of its reason.
answers() {
	local name=$1 expected=$2 active=$3 why=$4
	shift 4
	as_json "$@"
	verdict "check: $name" "$(
		expect status "$status" "$expected"
		expect active "$(ask 'o["active"]')" "$active"
		has "$(ask 'o["why"]')" "$why"
	)"
}

clean() {
	local name=$1
	shift
	answers "$name" 0 True "" "$@"
	verdict "check: $name, nothing is found" "$(expect "what is found" "$(ask "$all_notes")" "[]")"
}

wrong "check: another format" "--format xml: use text or json" check --format xml
wrong "check: no such option" "--all: unknown option; see splitpin check --help" check --all
wrong "check: no such program" "no-such-program: no such program" check no-such-program
wrong "check: a variable in front" "A_1=2: no such program: it sets a variable, so put it in front of splitpin" check A_1=2 true
wrong "check: no program" "neither a program nor a script" check ./Makefile
rm -f "$work/fifo"
mkfifo "$work/fifo"
wrong "check: a fifo" "neither a program nor a script" check "$work/fifo"
wrong "probe: no program" "no program given" probe
verdict "probe: no such program" "$(
	has "$("$splitpin" probe no-such-program)" 'active=no'
	"$splitpin" probe no-such-program >/dev/null
	expect status $? 127
	OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 "$splitpin" probe no-such-program >/dev/null
	expect "status in a rank" $? 0)"
verdict "help" "$(
	has "$("$splitpin" check --help)" "usage: splitpin check"
	has "$("$splitpin" probe --help)" "usage: splitpin probe"
)"

#
# This node, this environment
#

clean "nothing" check
clean "with the library by its name" with LD_LIBRARY_PATH="$(dirname "$preload")" LD_PRELOAD=libsplitpin.so "$splitpin" check
clean "the one rank, without a launcher" with SPLITPIN_LOCAL_RANK=alone "$splitpin" check
clean "in a rank" with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$splitpin" check
clean "mpirun inside srun" with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 SLURM_STEP_ID=0 SLURM_LOCALID=0 \
	SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=1 SLURM_STEP_NUM_TASKS=1 "$splitpin" check
clean "a batch script" with SLURM_STEP_ID=4294967291 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_CPUS_ON_NODE="$ncpus" "$splitpin" check
clean "settings that are right" with SPLITPIN_SMT=1 OMP_PROC_BIND=close OMP_PLACES=cores KMP_AFFINITY=verbose "$splitpin" check
clean "a mask that is ignored" with SPLITPIN_INHERITED=ignore taskset -c "$one" "$splitpin" check

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
finds preload-missing "LD_PRELOAD names /nowhere/libsplitpin.so, which does not exist" \
	with LD_PRELOAD=/nowhere/libsplitpin.so "$splitpin" check
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
verdict "check: a part is missing" "$(expect active "$(ask 'o["active"]')" False)"
rm "$to/libsplitpin-engine.so"
mkdir -p "$to/splitpin"
said=$(with LD_PRELOAD="$to/libsplitpin.so" SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$(program none gcc alone.c)" 2>&1 >/dev/null)
verdict "a rank whose engine is missing says where it should be" "$(
	has "$said" "libsplitpin-engine.so is neither in $to nor in the folder splitpin there; the program runs as if")"
to=$(copy load)
sed -i 's/libnuma\.so\.1/libnumb.so.1/' "$to/libsplitpin-numa.so"
finds part-unloadable "libnumb.so.1" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
verdict "check: without libnuma ranks are placed" "$(expect active "$(ask 'o["active"]')" True)"
to=$(copy load-hwloc)
sed -i 's/libhwloc\.so\.15/libhwlod.so.15/' "$to/libsplitpin-hardware.so"
finds part-unloadable "libhwlod.so.15" with LD_PRELOAD="$to/libsplitpin.so" "$splitpin" check
verdict "check: a part cannot be loaded" "$(expect active "$(ask 'o["active"]')" False)"

finds cgroup-narrow "the job has $((ncpus + 1)) CPUs on this node" with SLURM_CPUS_ON_NODE=$((ncpus + 1)) "$splitpin" check
notes mask-narrow "processes that are started from here may use CPU $one; the job has $allowed" with taskset -c "$one" "$splitpin" check

finds setting-wrong "did you mean SPLITPIN_SMT?" with SPLITPIN_SMTT=1 "$splitpin" check
finds setting-wrong "SPLITPIN_BIND=sideways is wrong" with SPLITPIN_BIND=sideways "$splitpin" check
file=$("$splitpin" config --help | sed -n 's|^    \(/.*splitpin.conf\)$|\1|p')
if [ -d "$(dirname "$file")" ]; then
	finds site-wrong "$file:2" \
		in_mounts "mount -t tmpfs tmpfs $(dirname "$file") && printf 'smt = 1\nsmtt = 1\n' >$file" env LD_PRELOAD="$preload" "$splitpin" check
	verdict "check: off by a wrong line" "$(expect active "$(ask 'str(o["active"]) + ": " + o["why"]')" "False: switched off by an error in $file")"
else
	skip site-wrong "no folder for $file"
	provoked="$provoked site-wrong"
fi
finds openmp-unbound "KMP_AFFINITY=verbose,none" with KMP_AFFINITY=verbose,none "$splitpin" check
finds openmp-threads "OMP_NUM_THREADS=banana is not a number of threads" with OMP_NUM_THREADS=banana "$splitpin" check
finds openmp-threads "OMP_NUM_THREADS=1,x is not a number of threads" with OMP_NUM_THREADS=1,x "$splitpin" check

finds shm-absent "/dev/shm cannot be written: Read-only file system" \
	in_mounts "mount -t tmpfs -o ro tmpfs /dev/shm" env LD_PRELOAD="$preload" "$splitpin" check
finds shm-absent "/dev/shm is not there" in_mounts "mount -t tmpfs tmpfs /dev && : >/dev/null" env LD_PRELOAD="$preload" "$splitpin" check
finds shm-full "/dev/shm is full: it has 0 bytes left" \
	in_mounts "mount -t tmpfs -o size=64k tmpfs /dev/shm && ! head -c 99999 /dev/zero >/dev/shm/it 2>/dev/null" env LD_PRELOAD="$preload" "$splitpin" check

mkdir -p "$work/bin"
gcc -O2 -pthread "$sources/settle.c" -o "$work/bin/settle" || exit 1
strange=/dev/shm/splitpin-$uid-0123456789abcdef
echo "no board" >"$strange"
finds board-strange "$strange cannot be trusted: others may read or write it" check
chmod 600 "$strange"
finds board-strange "$strange cannot be trusted: it is truncated" check
rm "$strange"

lock=/dev/shm/splitpin-$uid-lock
: >"$lock"
chmod 600 "$lock"
clean "a lock that somebody holds" with flock "$lock" "$splitpin" check
chmod 644 "$lock"
finds lock-strange "$lock is not your own lock" check
rm "$lock"

not_loaded="neither LD_PRELOAD nor /etc/ld.so.preload names libsplitpin.so"
finds not-loaded "$not_loaded" "$splitpin" check
answers "a module that leaves LD_PRELOAD" 1 False "the module splitpin/1.0.0 is loaded, but neither LD_PRELOAD nor" env LOADEDMODULES=gcc/12:splitpin/1.0.0 "$splitpin" check
answers "what the loader could not load" 1 False "LD_PRELOAD names /nowhere/libsplitpin.so, which the loader could not load" \
	with LD_PRELOAD=/nowhere/libsplitpin.so "$splitpin" check
for variable in LOADEDMODULES=splitpin/1.0.0 LOADEDMODULES=a/1:splitpin:b _LMFILES_=/a/b.lua:/opt/modulefiles/splitpin/1.0.0.lua; do
	as_json with "$variable" "$splitpin" check
	verdict "check: by the module in $variable" "$(has "$(ask 'o["loaded_by"]')" "LD_PRELOAD (module ")"
done
as_json with LOADEDMODULES=splitpinner/1 "$splitpin" check
verdict "check: another module" "$(expect by "$(ask 'o["loaded_by"]')" LD_PRELOAD)"
if unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null; then
	# in_file LINE COMMAND...: with a file of the loader that has the line; without those files of root's that this user may not read.
	in_file() {
		in_mounts "mount -t tmpfs tmpfs /mnt && { cp -a /etc /mnt/etc 2>/dev/null; echo $1 >/mnt/etc/ld.so.preload; } && mount --bind /mnt/etc /etc" "${@:2}"
	}
	answers "by ld.so.preload" 0 True "" in_file "$preload" "$splitpin" check
	verdict "check: by ld.so.preload, by what" "$(expect by "$(ask 'o["loaded_by"]')" /etc/ld.so.preload)"
	finds preload-file "/etc/ld.so.preload names /nowhere/libsplitpin.so, which does not exist" in_file /nowhere/libsplitpin.so "$splitpin" check
	answers "by both" 0 True "" in_file "$preload" env LD_PRELOAD="$preload" "$splitpin" check
	verdict "check: by both, by what" "$(expect by "$(ask 'o["loaded_by"]')" "LD_PRELOAD and /etc/ld.so.preload")"
else
	skip "check: by ld.so.preload" "no mounts of its own"
	provoked="$provoked preload-file"
fi
answers "off" 1 False "switched off by SPLITPIN=off in the environment" with SPLITPIN=off "$splitpin" check
answers "observe" 1 False "made to observe alone by SPLITPIN=observe in the environment" with SPLITPIN=observe "$splitpin" check
answers "in a rank" 0 True "local rank 1 of 2 (Open MPI)" with OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$splitpin" check
answers "in a rank of PMIx" 0 True "once PMIx_Init has given its number" with PMIX_RANK=1 "$splitpin" check
answers "the user's own rank is wrong" 1 False "SPLITPIN_LOCAL_RANK=x is wrong" with SPLITPIN_LOCAL_RANK=x SPLITPIN_LOCAL_SIZE=2 "$splitpin" check
answers "the user's own rank lacks a size" 1 False "SPLITPIN_LOCAL_SIZE is not set" with SPLITPIN_LOCAL_RANK=0 "$splitpin" check

#
# A program
#

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
dummy "$libraries/lost" liblost.so.1
dummy "$libraries" libcudart.so.12
rpath=-Wl,-rpath,$libraries

# Without a launcher, as "splitpin run" starts it.
alone() { with SPLITPIN_LOCAL_RANK=alone "$@"; }
plain=$(linked plain)
static=
if static=$(linked static -static 2>"$work/err"); then
	finds program-static "static is linked statically" alone "$splitpin" check "$static"
else
	skip program-static "$(tail -n 1 "$work/err")"
	provoked="$provoked program-static"
fi
cp "$plain" "$work/programs/setuid"
chmod ug+s "$work/programs/setuid"
as_json alone "$splitpin" check "$work/programs/setuid"
verdict "a setuid program of the user's own" "$(expect problems "$(ask '[f["id"] for f in o["problems"] if f["id"] == "program-rights"]')" "[]")"
if [ "$(id -u)" = 0 ]; then
	chown nobody "$work/programs/setuid"
	chmod u+s "$work/programs/setuid"
	finds program-rights "setuid is setuid or setgid" alone "$splitpin" check "$work/programs/setuid"
else
	finds program-rights "su is setuid or setgid" alone "$splitpin" check "$(command -v su)"
fi
cp "$plain" "$work/programs/foreign"
printf '\001' | dd of="$work/programs/foreign" bs=1 seek=4 conv=notrunc status=none
finds program-foreign "foreign is a 32-bit program" alone "$splitpin" check "$work/programs/foreign"
lost=$(linked lost "$libraries/lost/liblost.so.1")
finds program-missing "needs liblost.so.1, which cannot be found" alone "$splitpin" check "$lost"
answers "a program whose library is found" 3 None "" with LD_LIBRARY_PATH="$libraries/lost" "$splitpin" check "$lost"
verdict "check: nothing is missing" "$(expect "what is found" "$(ask "$ids")" "")"
finds program-openmp "loads 2 OpenMP runtimes: $libraries/libgomp.so.1, $libraries/libomp.so.5" \
	check "$(linked openmp "$rpath" "$libraries"/{libgomp.so.1,libomp.so.5})"
finds program-hook "old/libgomp.so.1 does not call pthread_getaffinity_np" \
	alone LD_LIBRARY_PATH="$libraries/old" "$splitpin" check "$(linked old-gomp -fopenmp)"
finds program-hook "old/libiomp5.so does not call ompt_start_tool" \
	check "$(linked old-iomp -Wl,-rpath,"$libraries/old" "$libraries/old/libiomp5.so")"
if sanitized=$(linked sanitized -fsanitize=address 2>"$work/err"); then
	finds program-sanitizer "sanitized is built with -fsanitize=address" alone "$splitpin" check "$sanitized"
	answers "a sanitized program" 3 None "" with ASAN_OPTIONS=verify_asan_link_order=0 "$splitpin" check "$sanitized"
	verdict "check: it starts" "$(expect "what is found" "$(ask "$ids")" "")"
else
	skip program-sanitizer "$(tail -n 1 "$work/err")"
	provoked="$provoked program-sanitizer"
fi

musl=$(linked musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1)
finds program-musl "musl is linked with musl" alone "$splitpin" check "$musl"

# on_node COMMAND...: as on a node of Polaris, with four GPUs.
on_node() { with SPLITPIN_DRYRUN="$PWD/tests/data/topologies/gpus/polaris-4xa100.xml" "$@"; }

# about_gpus NAME EXPECTED COMMAND...: the row of GPUs; empty: there is none.
about_gpus() {
	verdict "check: $1" "$(
		expect "the row of GPUs" "$("${@:3}" 2>/dev/null | sed -n 's/^GPUs      //p')" "$2"
		expect "in JSON" "$("${@:3}" --format json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["about_gpus"] or "")')" "$2"
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
# Launchers, which are started with a probe in place of the program
#

answers "no MPI, no launcher" 3 None "is neither a known launcher nor linked with MPI or OpenMP" check sh
answers "a program without a launcher" 1 False "not started by a known MPI launcher" check "$(linked gomp -fopenmp)"
clean "the same behind splitpin run" "$splitpin" check "$splitpin" run -- "$work/programs/gomp"
clean "the same, with options" "$splitpin" check -- env A=b "$splitpin" run --smt 1 "$work/programs/gomp"
clean "splitpin run --check" "$splitpin" run --check=json --smt 1 -- "$work/programs/gomp"
if [ -d "$(dirname "$file")" ]; then
	answers "left alone by the site's file" 1 False "switched off by $file:1, leave_alone = gomp" \
		in_mounts "mount -t tmpfs tmpfs $(dirname "$file") && echo 'leave_alone = gomp' >$file" env LD_PRELOAD="$preload" SPLITPIN_LOCAL_RANK=alone \
		"$splitpin" check "$work/programs/gomp"
fi

# Never started: what would queue, and what is not known.
mkdir -p "$work/never"
for name in srun salloc sbatch qsub flux jsrun aprun; do
	printf '#!/bin/sh\ntouch %s\n' "$work/never/started" >"$work/never/$name"
	chmod +x "$work/never/$name"
done
for line in "srun -n 2" "salloc -n 2" "sbatch" "qsub" "flux run -n 2" "jsrun -n 6 -a 1 -c 7" "aprun -n 4"; do
	# shellcheck disable=SC2086 # words
	answers "$line" 3 None "not measured: " with PATH="$work/never:$PATH" "$splitpin" check $line "$work/programs/gomp"
done
verdict "none of these was started" "$(expect "the file that they make" "$(ls "$work/never/started" 2>/dev/null)" "")"

# That a run does what check says of its line: tests/lines.sh.
for kind in openmpi mpich; do
	if ! run=$(mpi_tool $kind mpirun) || ! program=$(program $kind gcc region.c); then
		skip "check: $kind" "not installed"
		continue
	fi
	more=
	[ $kind = openmpi ] && more="--oversubscribe"
	finds ranks-without "2 of 2 ranks run without the library" "$splitpin" check "$run" -n 2 "$program"
	# Beside it may be said that the rank has waited for the other, which it does in vain.  PRRTE 3.0.8 ends by a signal with any two programs.
	as_json env SPLITPIN_WAIT=0.2 "$splitpin" check "$run" -n 1 "$splitpin" run "$program" : -n 1 "$program"
	test="check: the two ranks of $kind, one with the library"
	if "$run" $more -n 1 true : -n 1 true >/dev/null 2>&1; then
		verdict "$test" "$(
			expect status "$status" 1
			has "$(ask '[p["problem"] for p in o["problems"] if p["id"] == "ranks-without"]')" "1 of 2 ranks runs without the library"
			expect active "$(ask 'sorted(r["active"] for r in o["ranks"])')" "[False, True]")"
	else
		skip "$test" "$run does not start two programs"
	fi
	case $kind in
	openmpi) other=libmpi.so.12 ;;
	mpich) other=libmpi.so.40 ;;
	esac
	finds program-launcher "needs $other of" env OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$run" -n 2 "$(linked "one-$other" "$rpath" "$libraries/$other")"
	[ -n "$static" ] && finds program-static "linked statically" check "$run" -n 1 "$static"
	finds launcher-failed "ended with status" check "$run" --no-such-option -n 1 "$program"
	# Without a folder Open MPI starts what is in this one, and MPICH does not.
	cp "$program" "$work/programs/${kind}-here"
	as_json env -C "$work/programs" OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$run" -n 1 "${kind}-here"
	in_folder=True
	(cd "$work/programs" && "$run" -n 1 "${kind}-here") </dev/null >/dev/null 2>&1 || in_folder=False
	verdict "check: $kind, a program that is in this folder alone" "$(expect active "$(ask 'o["active"]')" $in_folder)"
	verdict "check: $kind, a program of the folder in which it is started" "$(has "$("$splitpin" check --no-start "$run" -wdir "$work/programs" -n 1 "./${kind}-here")" "/programs/./${kind}-here needs lib")"
	as_json check "$run" -n 1 ./Makefile
	verdict "check: $kind, a file that is no program" "$(has "$("$splitpin" check "$run" -n 1 ./Makefile)" "program   ./Makefile: it is neither a program nor a script")"
	# Each rank of a job may look at itself: in-rank.
	said=$(OMP_NUM_THREADS=1 "$run" $more -n 2 "$splitpin" run --check "$program" 2>&1)
	verdict "check in each rank of $kind" "$(
		expect "ranks without problems" "$(grep -c "ok: no problems found" <<< "$said")" 2
		expect "lines to type instead" "$(tr -s '\n ' '  ' <<< "$said" | grep -oF "to check the job, type: $splitpin run --check -- $run ${more:+$more }-n 2 $program" | wc -l)" 1
		has_not "$said" "were measured")"
	# No line to type where the launcher starts a script.
	printf '#!/bin/sh\nexec "%s" run --check "%s"\n' "$splitpin" "$program" > "$work/self"
	chmod +x "$work/self"
	said=$(OMP_NUM_THREADS=1 "$run" $more -n 2 "$work/self" 2>&1)
	verdict "check in a script in each rank of $kind" "$(
		expect "ranks without problems" "$(grep -c "ok: no problems found" <<< "$said")" 2
		has_not "$said" "to check the job, type")"
	answers "$kind, --no-start" 3 None "not measured: --no-start" check --no-start "$run" -n 2 "$program"
	answers "$kind, a program that may load MPI" 0 None "not linked with MPI or OpenMP" with OMP_NUM_THREADS=1 "$splitpin" check "$run" -n 1 "$plain"
	# shellcheck disable=SC2086 # words
	as_json env OMP_NUM_THREADS=2 "$splitpin" check "$splitpin" run -- "$run" $more -n 1 taskset -c "$one,$two" "$program"
	verdict "check: places of threads, $kind" "$(expect "their places" "$(ask '[t["cpus"] for t in o["ranks"][0]["threads"]]')" "[[$one], [$two]]")"
	clean "$kind, the same behind splitpin run" env OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$run" -n 1 "$plain"
	# In an allocation a plan is what was measured, and predicts only where it is asked for something else.
	# shellcheck disable=SC2086 # words
	planned=$(env OAR_JOB_ID=1 OMP_NUM_THREADS=1 "$splitpin" plan --smt 1 "$splitpin" run --debug 0 -- "$run" $more -n 1 taskset -c "$one" "$program" 2>&1)
	verdict "plan in an allocation: $kind" "$(
		has "$planned" "splitpin  active: in 1 rank on 1 node"
		expect "CPUs of the rank" "$(awk '$1 == 0 && /\[/ { print $5 }' <<< "$planned")" "$one"
		has_not "$planned" "this machine:"
		has "$(env OAR_JOB_ID=1 OMP_NUM_THREADS=1 "$splitpin" plan -n 1 "$run" -n 1 taskset -c "$one" "$program" 2>&1)" "this machine:")"
	wrong "check: $kind without a program" "no program in its line" check "$run" -n 2
	# What a launcher binds is no fault of the node, and what confines the launcher is noted.
	bound=$(with OMP_NUM_THREADS=1 "$run" --bind-to core -n 1 "$splitpin" check 2>&1)
	# A launcher that shares its only CPU has been seen to lose all that its rank printed.
	for _ in 1 2 3; do
		confined=$(with OMP_NUM_THREADS=1 taskset -c "$one" "$run" -n 1 "$splitpin" check 2>&1)
		[ -z "$confined" ] || break
	done
	verdict "check in a rank of $kind that its launcher has bound" "$(
		has "$bound" "ok: no problems found"
		! grep '^note: ' <<< "$bound"
		has "$confined" "note: processes that are started from here may use CPU $one; the job has $allowed")"
done
# What ranks have of OpenMP's variables: not what the launcher's environment or line says.
if run=$(mpi_tool mpich mpirun) && program=$(program mpich gcc region.c); then
	printf '#!/bin/sh\nOMP_NUM_THREADS=1 OMP_PROC_BIND=false exec "$@"\n' >"$work/unbinds"
	chmod +x "$work/unbinds"
	finds openmp-unbound "OMP_PROC_BIND=false" "$splitpin" check "$splitpin" run -- "$run" -n 1 "$work/unbinds" "$program"
	clean "a variable that a wrapper takes away" env OMP_PROC_BIND=false "$splitpin" check "$splitpin" run -- "$run" -n 1 env -u OMP_PROC_BIND OMP_NUM_THREADS=1 "$program"
	printf '#!/bin/sh\ncat\nexec "$@"\n' >"$work/reads"
	chmod +x "$work/reads"
	clean "a wrapper that reads all of its input" env OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$run" -n 1 "$work/reads" "$program"
	finds setting-wrong "SPLITPIN=obsrve is wrong" with SPLITPIN=obsrve OMP_NUM_THREADS=1 "$splitpin" check "$run" -n 1 "$program"
	notes cores-few "SPLITPIN_CORES=9999: no rank has more than " env OMP_NUM_THREADS=1 SPLITPIN_CORES=9999 "$splitpin" check "$splitpin" run -- "$run" -n 1 "$program"
	finds ranks-withheld "1 of 1 rank runs without the library" with OMP_NUM_THREADS=1 "$splitpin" check "$run" -n 1 env -u LD_PRELOAD "$program"
	test="check: more ranks than CPUs, said once"
	verdict "$test" "$(expect "times" "$("$splitpin" run --check -- "$run" -n $((ncpus + 1)) "$program" 2>&1 | grep -c "ranks share $ncpus CPU")" 1)"
fi
# SIGPIPE ends Hydra, and what its ranks said is lost, if it reads the end of its input when they have ended.
mkdir -p "$work/hydra"
cat >"$work/hydra/mpirun" <<-'END'
	#!/bin/bash
	# hydra -n 1 PROGRAM
	said=$("${@:3}" </dev/null)
	! read -r -t 0 || kill -PIPE $$
	echo "$said"
END
chmod +x "$work/hydra/mpirun"
# On a machine that takes seconds to start a program there may be that end.
for _ in 1 2 3; do
	as_json check "$work/hydra/mpirun" -n 1 "$plain"
	[[ $(ask "$ids") = *launcher-failed* ]] || break
done
verdict "check: a launcher that SIGPIPE ends if its input ends after its rank" "$(
	expect measured "$(ask 'o["measured"]')" True
	has_not "$(ask "$ids")" launcher-failed)"
# The check is no rank itself: it claims no CPUs, and is not bound.
for alone in "" --alone; do
	# shellcheck disable=SC2086 # words
	as_json env OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run $alone --cores 1 -- "$work/programs/gomp"
	verdict "check: a lone rank of a core $alone" "$(
		expect "what is found" "$(ask "$all_notes")" "[]"
		has "$(ask 'o["ranks"][0]["why"]')" "started without a launcher: 1 rank with 1 core")"
done
finds run-warning "more threads than CPUs" alone OMP_NUM_THREADS=$((2 * ncpus)) "$splitpin" check "$work/programs/gomp"

# torchrun executes Python with what stands behind its options, or that itself; here one that takes options alike.
cat >"$work/torchrun" <<-'END'
	#!/usr/bin/env python3
	import argparse, os, subprocess, sys
	parser = argparse.ArgumentParser()
	parser.add_argument("--nproc-per-node", "--nproc_per_node", type=int)
	parser.add_argument("--standalone", action="store_true")
	parser.add_argument("-m", "--module", action="store_true")
	parser.add_argument("--no-python", "--no_python", action="store_true")
	parser.add_argument("-r", "--redirects")
	parser.add_argument("script")
	parser.add_argument("rest", nargs=argparse.REMAINDER)
	its = parser.parse_args()
	command = [its.script] if its.no_python else [sys.executable, "-u"] + ["-m"] * its.module + [its.script]
	workers = [subprocess.Popen(command + its.rest, env={**os.environ, "LOCAL_RANK": str(rank), "RANK": str(rank), "TORCHELASTIC_RUN_ID": "1",
	           "LOCAL_WORLD_SIZE": str(its.nproc_per_node), "WORLD_SIZE": str(its.nproc_per_node)}) for rank in range(its.nproc_per_node)]
	sys.exit(max(worker.wait() for worker in workers))
END
chmod +x "$work/torchrun"
echo 'open("started", "w")' >"$work/train.py"
for line in "--standalone --nproc_per_node=2 train.py" "--nproc-per-node 2 -r 3 -m train --epochs 3" "--nproc_per_node 2 --no-python python3 train.py -m"; do
	# shellcheck disable=SC2086 # words
	as_json env -C "$work" OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$work/torchrun" $line
	verdict "check: torchrun $line" "$(
		expect status "$status" 0
		expect "its workers" "$(ask '[(r["active"], r["launcher"], len(r["cpus"])) for r in o["ranks"]]')" "[(True, 'torchrun', 1), (True, 'torchrun', 1)]"
		[ ! -e "$work/started" ] || echo "the program was started"
	)"
done

mkdir -p "$work/torch/distributed"
cp "$work/torchrun" "$work/torch/distributed/run.py"
as_json env -C "$work" PYTHONPATH="$work" OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- python3 -m torch.distributed.run --standalone --nproc_per_node=2 train.py
verdict "check: python -m torch.distributed.run" "$(
	expect "its workers" "$(ask '[(r["active"], r["launcher"], len(r["cpus"])) for r in o["ranks"]]')" "[(True, 'torchrun', 1), (True, 'torchrun', 1)]"
	[ ! -e "$work/started" ] || echo "the program was started")"
for line in "torchrun --nnodes=2" "torchrun --nnodes 1:4" "accelerate launch" "deepspeed --num_gpus 2"; do
	[ -e "$work/${line%% *}" ] || cp "$work/torchrun" "$work/${line%% *}"
	# shellcheck disable=SC2086 # words
	answers "$line is not started" 3 None "not measured: " env -C "$work" PATH="$work:$PATH" LD_PRELOAD="$preload" "$splitpin" check $line --nproc_per_node=2 train.py
done

# PMIx alone numbers the ranks: the probe asks it as they would.
prte=$build/deps/stacks/ompi5/bin
if [ -x "$prte/prterun" ] && "$prte/mpicc" -fopenmp "$sources/region.c" -o "$work/region.ompi5" 2>"$work/err"; then
	as_json env OMP_NUM_THREADS=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$splitpin" check "$splitpin" run -- "$prte/prterun" -n 2 "$work/region.ompi5"
	verdict "check: prterun" "$(
		expect status "$status" 0
		expect "ranks and CPUs" "$(ask '[(r["active"], r["launcher"], len(r["cpus"]) > 0) for r in o["ranks"]]')" "[(True, 'PMIx', True), (True, 'PMIx', True)]")"
else
	skip "check: prterun" "make deps check-all fetches it"
fi

# A probe is seen by nobody: it claims nothing, and a job beside it divides the node as alone.
if run=$(mpi_tool mpich mpirun) && program=$(program mpich gcc region.c); then
	cat >"$work/beside" <<-END
		#!/bin/sh
		"$splitpin" probe "\$@" >"$work/probe.out" 2>&1
		find /dev/shm -name 'splitpin-*' | wc -l >"$work/probe.left"
	END
	chmod +x "$work/beside"
	"$run" -genv LD_PRELOAD "$preload" -n 1 "$work/beside" "$program" </dev/null >/dev/null 2>&1
	verdict "a probe leaves nothing" "$(
		has "$(cat "$work/probe.out")" "active=yes"
		expect "files in /dev/shm" "$(cat "$work/probe.left")" 0)"
fi

# It counts what other jobs have claimed, as a run beside them does.
if run=$(mpi_tool mpich mpirun) && program=$(program mpich gcc region.c); then
	rm -f "$work"/b.[0-9]
	OMP_NUM_THREADS=1 with SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 timeout -k 5 "$hangs" "$work/bin/settle" hold "$work/b" </dev/null >"$work/b.out" 2>&1 &
	there "$work/b.0"
	as_json env OMP_NUM_THREADS=1 "$splitpin" check "$splitpin" run -- "$run" -n 1 "$program"
	is=$(ask '",".join(map(str, o["ranks"][0]["cpus"]))')
	OMP_NUM_THREADS=1 "$splitpin" run --debug -- "$run" -n 1 "$program" </dev/null >"$work/out" 2>&1
	verdict "check beside another job" "$(
		expect status "$status" 0
		expect "CPUs of the rank" "$is" "$(sed -n 's/.* active=yes cpu_list=\([^ ]*\) .*/\1/p' "$work/out" | tr , '\n' |
			awk -F - '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | paste -s -d ,)"
		[ "$is" != "$(ask '",".join(map(str, o["ranks"][0]["inherited"]))')" ] || echo "the other job's core is not left to it")"
	rm "$work/b.0"
	wait $!
fi

# Probes that are killed leave nothing, whether the first still waits for the other or has reported.
if run=$(mpi_tool mpich mpirun) && program=$(program mpich gcc region.c); then
	cat >"$work/killed" <<-'END'
		#!/bin/sh
		[ "$MPI_LOCALRANKID" = 0 ] || exec sleep 1000
		"$@" &
		until ls /dev/shm/splitpin-*[0-9a-f] >/dev/null 2>&1; do sleep 0.01; done
		kill -KILL $! $$
	END
	chmod +x "$work/killed"
	as_json "$splitpin" check "$splitpin" run -- "$run" -n 2 "$work/killed" "$program"
	verdict "check: probes that are killed leave nothing" "$(
		expect status "$status" 1
		grep -qE 'launcher-failed|ranks-silent' <<< "$(ask "$ids")" || ask "$ids"
		expect "files in /dev/shm" "$(find /dev/shm -name 'splitpin-*' ! -name '*-lock')" "")"
	# A signal from elsewhere ends what was started as well, which is in a process group of its own.
	printf '#!/bin/sh\necho $$ >>"%s"\nexec sleep 1000\n' "$work/sleeping" >"$work/sleeps"
	chmod +x "$work/sleeps"
	: >"$work/sleeping"
	"$splitpin" check "$splitpin" run -- "$run" -n 2 "$work/sleeps" "$program" >"$work/out" 2>&1 </dev/null &
	until [ "$(wc -l <"$work/sleeping")" = 2 ]; do sleep 0.01; done
	kill -TERM $!
	wait $!
	status=$?
	verdict "check: what it has started ends with it" "$(
		expect status "$status" 143
		while read -r pid; do ! kill -0 "$pid" 2>/dev/null || echo "$pid lives"; done <"$work/sleeping")"
fi

# A launcher that loses the output of a rank; settings that differ between nodes are in tests/nodes.sh.
if run=$(mpi_tool mpich mpirun) && program=$(program mpich gcc region.c); then
	cat >"$work/deaf" <<-'END'
		#!/bin/sh
		[ "$MPI_LOCALRANKID" = 0 ] || exec "$@" >/dev/null 2>&1
		exec "$@"
	END
	chmod +x "$work/deaf"
	OMP_NUM_THREADS=1 finds ranks-silent "only 1 of 2 ranks on node" "$splitpin" check "$splitpin" run -- "$run" -n 2 "$work/deaf" "$program"
fi
provoked="$provoked in-rank ranks-silent ranks-settings"

verdict "all findings have been provoked" "$(
	for id in $("$splitpin" check --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z/L].*/\1/p'); do
		[[ " $provoked " == *" $id "* ]] || echo "$id"
	done
)"
verdict "check: its JSON is as docs/splitpin.schema.json has it" "$not_as_described"
closing
