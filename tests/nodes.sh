#!/bin/bash
# Jobs of two nodes, by the real launchers over ssh and under Slurm: the nodes are
# name spaces of this machine.  Each rank has its own cores on its own node, all
# nodes decide the same, and what is wrong with the job is said once.
#
#   tests/nodes.sh short|long [BUILD [PRELOAD]]
#
# short is a part of "make check", in a minute and a half at most.  It takes root,
# openssh-server and, for the scenes with srun and salloc, Slurm.  SCENES="without|torchrun"
# runs those alone of which the name matches.
set -u
form=${1:-short}
[ $# -eq 0 ] || shift
again="tests/nodes.sh $form $*"

# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
# shellcheck source=tests/nodes/nodes.sh
. tests/nodes/nodes.sh
# shellcheck source=tests/nodes/jobs.sh
. tests/nodes/jobs.sh
unset SPLITPIN_NEIGHBOURS

trap nodes_stop EXIT
trap 'exit 1' INT TERM HUP
if [ -n "$confined" ] || [ "$ncpus" -lt 2 ] || ! nodes_start "$work/nodes"; then
	give_up skip "everything" "${confined:-${nodes_why:-there is one CPU}}"
fi
nodes_slurm || slurm_ways=''
[ "$form" = long ] && ways="$mpirun_ways $slurm_ways" || ways="openmpi openmpi5 mpich5 ${slurm_ways:+srun-pmi2}"
[ -n "$slurm_ways" ] || skip "srun and salloc" "no Slurm: $slurm_why"

# warned N HOST TEXT: as many warnings, all of that node.
warned() {
	expect "warnings" "$(warnings | wc -l)" "$1"
	expect "warnings of node $2 with \"$3\"" "$(warnings | grep -cF "warning: host=$2 $3")" "$1"
}

#
# Each node is divided among its own ranks.
#

for way in $ways; do
	scene "$way: two ranks on each of two nodes" "$way" || continue
	vars=(SPLITPIN_REPORT=1 OMP_NUM_THREADS=1)
	job "$way" 2
	verdict "$test" "$(two_apart)"
done

# In turn, so that rank 1 is the first one of node b.
for way in openmpi openmpi5; do
	[ "$form" = long ] || [ "$way" = openmpi ] || continue
	scene "$way: --map-by node" "$way" || continue
	vars=(SPLITPIN_REPORT=1 OMP_NUM_THREADS=1 SPLITPIN_SMTT=1)
	options=(--map-by node)
	job "$way" 2
	verdict "$test" "$(
		ended
		apart a 2
		apart b 2
		for node in a b; do
			expect "verdicts of $node" "$(grep -c "host=$node .*result: 2 of 2 ranks have their own CPUs" "$to/err")" 1
		done
		warned 1 a "SPLITPIN_SMTT")"
done

#
# A rank on one core, with two threads: all nodes keep the binding, or none does.
#

# binding WAY CPUS [OPTION...]: on how many CPUs each rank then is; the words of
# $before and $wrapper stand before the launcher and the program.
binding() {
	local way=$1 cpus=$2 what
	shift 2
	what="${before:+ $before}${*:+ $*}${wrapper:+ $wrapper}"
	scene "$way: nodes decide alike,${what:- the default}" "$way" || return
	vars=(OMP_NUM_THREADS=2)
	options=("$@")
	# shellcheck disable=SC2086 # words
	job "$way" 1 $wrapper "$program" "$to/at"
	verdict "$test" "$(
		ended
		expect "CPUs on a" "$(cpus_on a)" "$cpus"
		expect "CPUs on b" "$(cpus_on b)" "$cpus")"
}

before="" wrapper=""
binding openmpi5 2 --bind-to core
if [ -n "$slurm_ways" ]; then
	binding srun-pmi2 2 --cpu-bind=cores
	binding srun-pmi2 1 --cpu-bind=map_cpu:0
fi

# The step has one CPU a node: only more of them help.
if [ -n "$slurm_ways" ] && scene "srun --cpu-bind=none: the warning does not advise it" srun-pmi2; then
	start srun -N 1 -n 1 -c 1 --mpi=pmi2 --cpu-bind=none --export="ALL,LD_PRELOAD=$library_path,OMP_NUM_THREADS=2" "$program" "$to/at"
	verdict "$test" "$(
		ended
		expect "warnings" "$(warnings | wc -l)" 1
		warnings | grep -q 'use srun -c 2 --hint=nomultithread and no --cpu-bind$' || echo "no remedy: $(warnings)")"
fi

if [ "$form" = long ]; then
	binding openmpi 2
	binding openmpi 1 --bind-to core
	binding openmpi 1 --map-by slot:PE=1
	binding openmpi5 2
	binding openmpi5 2 --map-by slot:PE=1
	binding openmpi5 1 --prtemca hwloc_default_binding_policy core
	before="env PRTE_MCA_hwloc_default_binding_policy=core" binding openmpi5 1
	before="env OMPI_MCA_hwloc_default_binding_policy=core" binding openmpi5 1
	wrapper="taskset -c 0" binding openmpi5 1
	wrapper="taskset -c 0" binding openmpi 1
	binding mpich 1 -bind-to core
	binding mpich5 1 -bind-to core
	wrapper="taskset -c 0" binding mpich5 1
	binding intel 1 -genv I_MPI_PIN_DOMAIN core
	binding intel 2 -bind-to core
	wrapper="taskset -c 0" binding intel 2
	if [ -n "$slurm_ways" ]; then
		binding salloc-openmpi5 2 --bind-to core
		before="env SLURM_CPU_BIND=cores" binding srun-pmi2 2
		binding srun-pmi2 2 --cpu-bind=none
		binding srun-pmix 2
		wrapper="taskset -c 0" binding srun-pmi2 2
	fi
fi

#
# What is wrong is said once, with the host.
#

# reports NODE...: those that report, and none that does not.
reports() { expect "nodes that report" "$(grep -o 'host=[a-z]* result' "$to/err" | sort -u | paste -s -d ' ')" "$(printf 'host=%s result\n' "$@" | paste -s -d ' ')"; }

for way in $ways; do
	[ "$form" = long ] || [ "$way" = openmpi ] || continue
	scene "$way: a misspelt variable is one line of the job" "$way" || continue
	vars=(SPLITPIN_SMTT=1)
	job "$way" 2
	verdict "$test" "$(ended; warned 1 a "SPLITPIN_SMTT")"
done

if scene "a log that cannot be written: the warning names the host" mpich5; then
	vars=(SPLITPIN_REPORT=1 "SPLITPIN_LOG=$to/at/%h/log")
	mkdir "$to/at/a"
	job mpich5 2
	rm -r "$to/at/a"
	verdict "$test" "$(ended; warned 1 b "cannot write to SPLITPIN_LOG=")"
fi

# A network's file system, as ranks see it: what is wrong with a folder there is so on all nodes.
for way in mpich5 openmpi5; do
	[ "$form" = long ] || [ "$way" = mpich5 ] || continue
	for kind in "" 0x6969; do
		scene "$way: a folder for logs is missing${kind:+ on a file system that all nodes have}" "$way" || continue
		vars=(SPLITPIN_REPORT=1 "SPLITPIN_LOG=$to/none/%h")
		echo "#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
int statfs(const char *path, struct statfs *to) { int error = syscall(SYS_statfs, path, to); if (!strcmp(path, \"$to\")) to->f_type = ${kind:-0xef53}; return error; }" |
			gcc -shared -fPIC -x c -o "$to/kind.so" -
		library_path="$preload:$to/kind.so" job "$way" 2
		verdict "$test" "$(ended
			expect "nodes that say so" "$(warnings | grep -o "host=[ab] cannot write to SPLITPIN_LOG=$to/none/[ab]:" | sort | grep -o 'host=.' | paste -s -d ' ')" "$([ -n "$kind" ] && echo host=a || echo "host=a host=b")")"
	done
done

if scene "a path of a log that is too long is one line of the job" mpich5; then
	vars=("SPLITPIN_LOG=/$(printf '%05000d' 0)")
	job mpich5 2
	verdict "$test" "$(ended; warned 1 a "SPLITPIN_LOG is too long for a file name")"
fi

# As in containers; without MPI, which takes them for one node.
if [ -n "$slurm_ways" ] && scene "nodes with one host name are told apart" srun-pmi2; then
	vars=(SPLITPIN_REPORT=1 OMP_NUM_THREADS=1)
	worker=$(built none libgomp where_c "$sources/where.c" -DNO_MPI)
	on a hostname box
	on b hostname box
	job srun-pmi2 1 "$worker" "$to/at"
	on a hostname a
	on b hostname b
	verdict "$test" "$(ended; expect hosts "$(grep -o 'host=[^ ]* result' "$to/err" | sort | paste -s -d ' ')" "host=box@a result host=box@b result")"
fi

# As containers of one machine may have, or two slurmd on one.
for way in $ways; do
	[ "$form" = long ] || [[ $way != mpich5 ]] || continue
	scene "$way: two nodes with one /dev/shm have two boards" "$way" || continue
	vars=(SPLITPIN_REPORT=1 OMP_NUM_THREADS=1)
	mkdir -p "$nodes_folder/shm"
	for node in a b; do on $node mount --bind "$nodes_folder/shm" /dev/shm; done
	job "$way" 2
	for node in a b; do on $node umount /dev/shm; done
	verdict "$test" "$(
		two_apart
		expect "what is left" "$(find "$nodes_folder/shm" -name 'splitpin-*-[0-9a-f]*')" "")"
done

for way in openmpi mpich5 intel; do
	[ "$form" = long ] || break
	scene "$way: %j of SPLITPIN_LOG is alike on both nodes" "$way" || continue
	vars=(SPLITPIN_REPORT=1 "SPLITPIN_LOG=$to/log.%j")
	job "$way" 1
	verdict "$test" "$(ended
		files=("$to"/log.*)
		expect "log files" "${#files[@]}" 1
		expect "verdicts" "$(grep -ch result: "${files[@]}")" 2)"
done

# A command of two programs, of which one alone is given the library.
for way in openmpi openmpi5 mpich mpich5 intel; do
	[ "$form" = long ] || [ "$way" = openmpi ] || [ "$way" = mpich5 ] || continue
	scene "$way: the others tell of a rank without the library" "$way" || continue
	vars=(OMP_NUM_THREADS=1 SPLITPIN_REPORT=1)
	case $way in
	openmpi*) options=(--bind-to none) ;;
	intel) options=(-genv I_MPI_PIN 0) ;;
	esac
	beside "$way"
	verdict "$test" "$(
		ended
		warned 1 a "1 of 2 ranks runs without libsplitpin.so, and may use the CPUs of others: rank 1 (process "
		warnings | grep -q 'whose LD_PRELOAD does not name the library' || echo "no reason: $(warnings)"
		expect verdicts "$(grep -c 'host=a result: only 1 of 2 ranks appeared, with its own CPUs' "$to/err")" 1)"
done

# The launcher's default keeps them apart.
if scene "openmpi: a rank without the library that has CPUs of its own is no warning" openmpi; then
	vars=(OMP_NUM_THREADS=1 SPLITPIN_REPORT=1)
	beside openmpi
	verdict "$test" "$(
		ended
		expect warnings "$(warnings)" ""
		expect notes "$(grep -c 'host=a 1 of 2 ranks runs without libsplitpin.so: rank 1 (process ' "$to/err")" 1)"
fi

if scene "mpich5: a library that a script sets is not missed" mpich5; then
	vars=(OMP_NUM_THREADS=1 SPLITPIN_REPORT=1)
	printf '#!/bin/sh\nLD_PRELOAD=%s exec "$@"\n' "$library_path" > "$to/with"
	chmod +x "$to/with"
	start "$mpich5/bin/mpiexec" -hosts a:2 -genv SPLITPIN_REPORT 1 -genv OMP_NUM_THREADS 1 -n 2 sh -c '"$@"; exit $?' sh "$to/with" "$program" "$to/at"
	verdict "$test" "$(ended; expect warnings "$(warnings)" ""; reports a)"
fi

# Hydra takes them for two nodes; Open MPI fails there by itself.  As many cores as there are would do for one of the two.
for way in mpich mpich5 intel; do
	for counts in "1 1" "2 1"; do
		[ "$form" = long ] || [ "$way $counts" = "mpich5 2 1" ] || continue
		scene "$way: a node with two names and ${counts/ / and } ranks is told of as such" "$way" || continue
		vars=("OMP_NUM_THREADS=$ncpus")
		# shellcheck disable=SC2086 # two numbers
		two_names "$way" $counts
		verdict "$test" "$(
			ended
			expect "warnings of two names" "$(warnings | grep -c 'host=b rank=[0-9/]* the launcher counts this node as two, so ranks [012] and [012] of the job (PMI_RANK)')" 1
			expect "warnings of another job" "$(warnings | grep 'another of your jobs')" "")"
	done
done

for counts in "1 1" "2 1"; do
	[ -n "$slurm_ways" ] || continue
	scene "srun-pmi2: a node with two slurmd and ${counts/ / and } ranks is told of as such" srun-pmi2 || continue
	vars=("OMP_NUM_THREADS=$ncpus")
	# shellcheck disable=SC2086 # two numbers
	twins $counts
	verdict "$test" "$(
		ended
		expect "warnings of two names" "$(warnings | grep -c 'host=b\(@c\)\? rank=[0-9/]* Slurm counts this node as two (\(b and c\|c and b\)), so ranks [012] and [012] of the job (SLURM_PROCID) .*: use one of the two, such as by --exclude=[bc]$')" 1
		expect "warnings of another job" "$(warnings | grep 'another of your jobs')" "")"
done

for way in mpich mpich5 intel; do
	[ "$form" = long ] || [ "$way" = mpich5 ] || continue
	# Intel's mpiexec binds each to one, so that two have the same.
	case $way in intel) lack="2 ranks share 1 CPU, too few" ;; *) lack="$((ncpus + 1)) ranks share $ncpus CPUs, too few" ;; esac
	# Nothing on one of them says how many CPUs the other has.
	scene "$way: more ranks than CPUs on both nodes are told of on both" "$way" || continue
	job "$way" $((ncpus + 1))
	verdict "$test" "$(ended; expect "who says so" "$(warnings | grep -o "host=[ab] $lack" | sort | cut -c 6 | paste -s -d ' ')" "a b")"
	scene "$way: a smaller node with as many ranks tells of them" "$way" || continue
	on_fewer b "${allowed%%[-,]*}" job "$way" "$ncpus"
	verdict "$test" "$(ended; warned 1 b "$ncpus ranks share 1 CPU, too few for one each")"
	scene "$way: more ranks than CPUs on one node alone are told of there" "$way" || continue
	uneven "$way" 1 $((ncpus + 1))
	verdict "$test" "$(ended; warned 1 b "$lack for one each")"
done

if [ -n "$slurm_ways" ] && scene "salloc-mpich5: more ranks than CPUs on two nodes that Slurm knows to be equal are one line of the job" salloc-mpich5; then
	start salloc --quiet --exclusive -N 2 "$mpich5/bin/mpiexec" -ppn $((ncpus + 1)) -n $((2 * ncpus + 2)) -genv LD_PRELOAD "$library_path" "$program" "$to/at"
	verdict "$test" "$(ended; warned 1 a "$((ncpus + 1)) ranks share $ncpus CPUs, too few for one each")"
fi

for way in openmpi openmpi5; do
	[ "$form" = long ] || [ "$way" = openmpi5 ] || continue
	scene "$way: more ranks than CPUs, as it was asked for: no warning" "$way" || continue
	options=(--map-by slot:oversubscribe)
	job "$way" $((ncpus + 1))
	verdict "$test" "$(ended; expect warnings "$(warnings)" "")"
done

# Each node has a copy of its own.
library_path=$nodes_folder/local/libsplitpin.so
cp "${preload%/*}"/libsplitpin*.so "$nodes_folder/n/a"
cp "${preload%/*}"/libsplitpin*.so "$nodes_folder/n/b"
echo 'struct { unsigned version, size; } sp_engine = { 99, 8 };' | gcc -shared -fPIC -x c -o "$nodes_folder/n/b/libsplitpin-engine.so" -
if scene "parts of two versions on one node: one line of that node" mpich5; then
	vars=(OMP_NUM_THREADS=1)
	job mpich5 2
	verdict "$test" "$(ended; apart a 2; expect "ranks on b" "$(cat "$to"/at/b-* | wc -l)" 2
		expect warnings "$(warnings | wc -l)" 1
		warnings | grep -q "warning: host=b .*/libsplitpin-engine.so has another version" || echo "says $(warnings)")"
fi
rm "$nodes_folder/n/b/libsplitpin-engine.so"
if scene "a part is missing on one node: one line of that node" mpich5; then
	job mpich5 2
	verdict "$test" "$(ended; expect "ranks on b" "$(cat "$to"/at/b-* | wc -l)" 2
		expect warnings "$(warnings | wc -l)" 1
		warnings | grep -q "warning: host=b .*libsplitpin-engine.so" || echo "says $(warnings)")"
fi
rm "$nodes_folder/n/b/libsplitpin.so"
if scene "the library is missing on one node: the other is as ever" mpich5; then
	vars=(OMP_NUM_THREADS=1)
	job mpich5 2
	verdict "$test" "$(ended; apart a 2; expect "ranks on b" "$(cat "$to"/at/b-* | wc -l)" 2; expect warnings "$(warnings)" "")"
fi
library_path=$preload

#
# "splitpin run" in front of the launcher.
#

before="$build/splitpin run --report --bind=close --"
for way in $mpirun_ways; do
	[ "$form" = long ] || [ "$way" = openmpi ] || continue
	[ "$way" != mpich ] || continue
	scene "splitpin run -- $way: the library and the settings reach the other node" "$way" || continue
	typed "$way" -n 2 "$program" "$to/at"
	verdict "$test" "$(ended; reports a b)"
	case $way in
	openmpi*) ;;
	*) continue ;;
	esac
	scene "splitpin run -- $way -x: the same" "$way" || continue
	typed "$way" -x HOME -n 1 "$program" "$to/at" : -x HOME -n 1 "$program" "$to/at"
	verdict "$test" "$(ended; reports a b)"
done
before=

#
# torchrun, of which the launcher starts one a node.
#

for way in srun-pmi2 openmpi mpich5; do
	[ "$form" = long ] || [ "$way" = srun-pmi2 ] || continue
	for runtime in used unused; do
		scene "$way: torchrun itself is no rank, its OpenMP runtime $runtime" "$way" || continue
		vars=(SPLITPIN_REPORT=1)
		worker=$(built none libgomp where_c "$sources/where.c" -DNO_MPI) || { fail "$test" "where.c does not compile"; continue; }
		job "$way" 1 "$PWD/tests/nodes/torchrun" $runtime "$worker" "$to/at"
		verdict "$test" "$(
			ended
			apart a 2
			apart b 2
			for node in a b; do
				expect "verdicts of $node" "$(grep -o "host=$node result: .*" "$to/err")" "host=$node result: 2 of 2 ranks have their own CPUs, 0 cores idle"
				expect "tables of $node" "$(grep -c "host=$node rank  *pid" "$to/err")" 1
			done
			expect "processes left alone" "$(grep 'not active' "$to/err")" "")"
	done
done

before="$build/splitpin compare --rounds 1 --"
for way in openmpi mpich5; do
	[ "$form" = long ] || [ "$way" = openmpi ] || continue
	scene "splitpin compare -- $way: what of other nodes is not known is no figure" "$way" || continue
	# shellcheck disable=SC2016
	typed "$way" -n 2 sh -c '"$0" "$1" && sleep 0.5' "$program" "$to/at"
	verdict "$test" "$(
		ended
		expect "CPU times" "$(grep -c '^CPU time  ' "$to/out")" 0
		grep -q '^CPU time is unknown: ranks run on other nodes, too$' "$to/out" || echo "says $(grep CPU "$to/out")"
		expect "the nodes" "$(grep -o '^[ab]: .*CPUs' "$to/out")" $'a: 1 of 1 rank has its own CPUs\nb: 1 of 1 rank has its own CPUs')"
done
for way in mpich5 openmpi srun-pmi2; do
	[ "$form" = long ] || [ "$way" = mpich5 ] || continue
	scene "splitpin compare -- $way: what each node says, and which has warned" "$way" || continue
	# shellcheck disable=SC2016
	slow=(sh -c '"$0" "$1" && sleep 0.5' "$program" "$to/at")
	before="env COLUMNS=500 OMP_NUM_THREADS=$ncpus $before"
	case $way in
	mpich5) start "$mpich5/bin/mpiexec" -hosts a:1,b:2 -n 3 "${slow[@]}" ;;
	openmpi) start "$(mpi_tool openmpi mpirun)" --host a:1,b:2 --bind-to none -x OMP_NUM_THREADS -n 3 "${slow[@]}" ;;
	srun-pmi2) before="salloc --quiet --exclusive -N 2 $before" start srun --nodelist=a,b -n 3 -m block --mpi=pmi2 "${slow[@]}" ;;
	esac
	before="$build/splitpin compare --rounds 1 --"
	verdict "$test" "$(
		ended
		case $way in
		srun*) nodes=$'a: 2 of 2 ranks have their own CPUs\na: 1 warning\nb: 1 of 1 rank has its own CPUs' ;;
		*) nodes=$'a: 1 of 1 rank has its own CPUs\nb: 2 of 2 ranks have their own CPUs\nb: 1 warning' ;;
		esac
		expect "the nodes" "$(grep -o -e '^[ab]: .*CPUs' -e '^[ab]: .* warning' "$to/out")" "$nodes")"
done
before=

# problems_of NODE COMMAND...: the status of check and the ids that it finds, and whether splitpin is active in each rank.
problems_of() {
	on "$1" env "${@:2}" > "$to/out" 2> "$to/err"
	echo "$? $(python3 -c 'import json, sys
o = json.load(sys.stdin)
print(*(p["id"] for p in o["problems"]), *sorted(r["host"] + ":" + str(r["active"]) for r in o["ranks"]))' < "$to/out" 2>&1)"
}

if scene "splitpin check of two nodes: what does not reach the other is a problem" openmpi; then
	for options in "" "-x LD_PRELOAD" "-x LD_PRELOAD -x SPLITPIN_SMT"; do
		# shellcheck disable=SC2086 # words
		problems_of a LD_PRELOAD="$library_path" SPLITPIN_SMT=1 OMP_NUM_THREADS=1 "$build/splitpin" check --format json \
			"$(mpi_tool openmpi mpirun)" --host a:1,b:1 $options -n 2 "$program"
	done > "$to/said"
	verdict "$test" "$(expect "what it says" "$(paste -s -d '|' "$to/said")" \
		"1 ranks-withheld ranks-settings a:True b:False|1 ranks-settings a:True b:True|0 a:True b:True")"
	options=()
fi
[ -z "$slurm_ways" ] || ! scene "splitpin check in salloc: all reaches the other node" openmpi || {
	start salloc --quiet --exclusive -N 2 env LD_PRELOAD="$library_path" SPLITPIN_SMT=1 OMP_NUM_THREADS=1 "$build/splitpin" check \
		"$(mpi_tool openmpi mpirun)" --host a:1,b:1 -n 2 "$program"
	verdict "$test" "$(ended; grep -q '^splitpin  active: in 2 ranks on 2 nodes' "$to/out" || echo "says $(head -n 1 "$to/out")")"
}

closing
