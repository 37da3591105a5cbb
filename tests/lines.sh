#!/bin/bash
# Lines as guides of MPI libraries and batch systems have them, with fewer ranks:
# what splitpin check says of a line, its run then does.  The CPUs of each rank are
# the same, and the run warns of what check finds, and of nothing else.
#
#   tests/lines.sh [BUILD [PRELOAD]]
#
# What check and run printed is kept in BUILD/tests/lines/<test>.
set -u
# shellcheck source=tests/own-node.sh
. tests/own-node.sh
# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
trap slurm_stop EXIT
trap 'exit 1' INT TERM HUP

# Threads that wait take nothing from those of other tests.
export OMP_WAIT_POLICY=passive

# alike NAME LINE...: check and the run of the line; both behind the words of `before`.
before=()
alike() {
	local name=$1 to
	to=$(folder "$name")
	shift
	timeout -k 5 "$hangs" ${before[@]+"${before[@]}"} "$splitpin" check --format json "$splitpin" run -- "$@" >"$to/check" 2>"$to/check.err" </dev/null
	echo $? >"$to/check.status"
	timeout -k 5 "$hangs" ${before[@]+"${before[@]}"} "$splitpin" run --debug 1 -- "$@" >"$to/run" 2>"$to/run.err" </dev/null
	verdict "$name" "$(
		expect "what stays in /dev/shm" "$(find /dev/shm -name 'splitpin-*' ! -name '*-lock')" ""
		python3 - "$to" 2>&1 <<-'END'
			import json, re, sys
			folder = sys.argv[1]
			check = json.load(open(folder + "/check"))
			run = open(folder + "/run.err", errors="replace").read()
			ranks, warnings, threads = {}, set(), {}
			def cpus(text):
			    parts = (part.partition("-")[::2] for part in text.split(","))
			    return [cpu for first, last in parts for cpu in range(int(first), int(last or first) + 1)]
			for line in run.splitlines():
			    if found := re.search(r"splitpin: host=(\S+) rank=(\d+)/(\d+) active=(\w+) cpu_list=(\S+)", line):
			        ranks[found[1], int(found[2]), int(found[3])] = found[4] == "yes", cpus(found[5])
			    elif found := re.search(r"splitpin: host=(\S+) rank=(\d+)/\d+ thread=(\d+) .* cpu_list=(\S+) .* trigger=", line):
			        threads.setdefault((found[1], int(found[2])), {})[int(found[3])] = cpus(found[4])
			    elif found := re.search(r"splitpin: warning: (?:host=\S+ )?(?:rank=\S+ )?(.*)", line):
			        warnings.add(found[1])
			said = {(r["host"], r["rank"], r["rank_count"]): (r["active"], r["cpus"]) for r in check["ranks"]}
			found = {re.sub(r"^node \S+: ", "", p["problem"]) for p in check["problems"]}
			if said != ranks:
			    print(f"check says that ranks have {said}, the run gives them {ranks}")
			if not ranks:
			    warnings = {p["problem"] for p in check["problems"] if p["id"] == "launcher-failed"} or {"no rank, and no word of it"}
			for r in check["ranks"]:
			    its = threads.get((r["host"], r["rank"]), {})
			    if any(its.get(thread["thread"]) != thread["cpus"] for thread in r["threads"]):
			        print(f"check says {r['threads']} of the threads of rank {r['rank']}, the run {its}")
			if found != warnings:
			    print(f"check finds {sorted(found)}, the run warns {sorted(warnings)}")
			is_well = not warnings and all(active for active, _ in ranks.values())
			if open(folder + "/check.status").read() != ("0\n" if is_well else "1\n"):
			    print("check ends with status", open(folder + "/check.status").read())
		END
	)"
}

# guide LIBRARY: lines of standard input, THREADS|VARIABLES|LINE, with the words of a shell.
guide() {
	local library=$1 program launcher threads variables line name words
	program=$(no_library "$library")
	if [ -n "$program" ] || ! program=$(built "$library" libgomp region "$sources/region.c"); then
		skip "lines of $library" "${program:-region.c does not compile}"
		return
	fi
	case $library in
	openmpi | mpich) launcher=$(mpi_tool "$library" mpirun) ;;
	openmpi5) launcher=$ompi5/bin/mpirun ;;
	mpich5) launcher=$mpich5/bin/mpiexec ;;
	intel) launcher=$impi/bin/mpiexec.hydra ;;
	esac
	while IFS='|' read -r threads variables line; do
		name="$library${before:+, ${before[0]##*/} ${before[*]:1}}, OMP_NUM_THREADS=$threads $variables $line"
		line="$variables $line"
		line=${line//PROGRAM/$program} line=${line//FOLDER/$work} line=${line//ONE/$one} line=${line//TWO/$two}
		line=${line//LAUNCHER/$launcher}
		eval "words=($line)"
		OMP_NUM_THREADS=$threads alike "$name" env "${words[@]}"
	done
}

printf 'rank 0=localhost slot=0\n' >"$work/rankfile"
printf 'localhost slots=2\n' >"$work/slots"
printf '#!/bin/sh\nexec "$@"\n' >"$work/wrapper"
chmod +x "$work/wrapper"
printf 'localhost:2\n' >"$work/machines"
printf 'localhost\nlocalhost\n' >"$work/nodefile"
printf 'localhost 2 all.q UNDEFINED\n' >"$work/pe"

# What wraps a program, and ranks that differ.
common_lines() {
	cat <<-'END'
		2||LAUNCHER -n 1 PROGRAM
		8||LAUNCHER -n 1 PROGRAM
		1||LAUNCHER -n 2 numactl --localalloc PROGRAM
		2||LAUNCHER -n 1 taskset -c ONE PROGRAM
		2||LAUNCHER -n 1 FOLDER/wrapper PROGRAM
		1||LAUNCHER -n 2 bash -c "exec PROGRAM"
		1||LAUNCHER -n 1 PROGRAM : -n 1 env OMP_NUM_THREADS=2 PROGRAM
	END
}

# What guides of both Open MPI 4 and 5 have.
openmpi_lines() {
	cat <<-'END'
		1||LAUNCHER -np 2 PROGRAM
		2||LAUNCHER -np 1 --bind-to none PROGRAM
		2||LAUNCHER --map-by slot:PE=2 --bind-to core -np 1 PROGRAM
		1||LAUNCHER --map-by ppr:2:node --bind-to core --report-bindings PROGRAM
		2||LAUNCHER --map-by node -x OMP_NUM_THREADS=2 -x OMP_PLACES=cores -x OMP_PROC_BIND=close -np 1 PROGRAM
		1||LAUNCHER -np 2 --map-by core --bind-to hwthread PROGRAM
		1||LAUNCHER --mca btl self,vader --bind-to core -np 2 PROGRAM
		1||LAUNCHER --hostfile FOLDER/slots -np 2 PROGRAM
		1||LAUNCHER -np 1 PROGRAM : -np 1 -x OMP_NUM_THREADS=1 PROGRAM
		1||LAUNCHER --tag-output -np 2 PROGRAM
		1||LAUNCHER -np 6 PROGRAM
	END
}

guide openmpi < <(
	common_lines
	openmpi_lines
	cat <<-'END'
		2||LAUNCHER --map-by slot:PE=1 -n 1 PROGRAM
		2||LAUNCHER --cpu-set ONE -n 1 PROGRAM
		2||LAUNCHER --mca hwloc_base_binding_policy core -n 1 PROGRAM
		2||LAUNCHER -np 1 -rf FOLDER/rankfile PROGRAM
		1||LAUNCHER -np 2 --cpu-list ONE,TWO --bind-to cpu-list:ordered PROGRAM
		1|SGE_ROOT=/none JOB_ID=1 ARC=lx PE_HOSTFILE=FOLDER/pe PE=mpi|LAUNCHER -np 2 PROGRAM
		1|PBS_JOBID=1.n1 PBS_NODEFILE=FOLDER/nodefile|LAUNCHER -np 2 PROGRAM
		1|LSB_JOBID=1 LSB_HOSTS=localhost|LAUNCHER -np 2 PROGRAM
	END
)
guide openmpi5 < <(openmpi_lines)
guide mpich < <(
	common_lines
	cat <<-'END'
		1||LAUNCHER -n 2 PROGRAM
		2||LAUNCHER -n 1 -genv OMP_NUM_THREADS 2 PROGRAM
		1||LAUNCHER -n 2 -ppn 2 -hosts localhost PROGRAM
		1||LAUNCHER -f FOLDER/machines -n 2 PROGRAM
		1||LAUNCHER -env OMP_NUM_THREADS 1 -n 1 PROGRAM : -env OMP_NUM_THREADS 1 -n 1 PROGRAM
		1||LAUNCHER -prepend-rank -n 2 PROGRAM
		1||LAUNCHER -n 2 -bind-to core PROGRAM
		2||LAUNCHER -n 1 -bind-to none PROGRAM
		2||LAUNCHER -n 1 -bind-to core:1 PROGRAM
		2||LAUNCHER -n 1 -bind-to numa PROGRAM
		1||LAUNCHER -n 2 -bind-to hwthread:1 -map-by core PROGRAM
		2||LAUNCHER -n 1 -bind-to user:TWO PROGRAM
		1|PBS_JOBID=1.n1 PBS_NODEFILE=FOLDER/nodefile|LAUNCHER -n 2 PROGRAM
		2|LSB_JOBID=1 LSB_MCPU_HOSTS="localhost 2"|LAUNCHER -n 1 PROGRAM
		1|SGE_ROOT=/none JOB_ID=1 PE_HOSTFILE=FOLDER/pe|LAUNCHER -n 2 PROGRAM
	END
)
guide intel <<-'END'
	1||LAUNCHER -n 2 -ppn 2 PROGRAM
	2||LAUNCHER -n 1 -genv I_MPI_PIN_DOMAIN omp PROGRAM
	1||LAUNCHER -n 2 -genv I_MPI_PIN_DOMAIN core PROGRAM
	2|I_MPI_PIN=0|LAUNCHER -n 1 PROGRAM
	2||LAUNCHER -n 1 -genv I_MPI_PIN_DOMAIN [1] PROGRAM
	1||LAUNCHER -n 2 -genv I_MPI_PIN_PROCESSOR_LIST ONE,TWO PROGRAM
	2||LAUNCHER -n 1 -genv KMP_AFFINITY compact -genv I_MPI_DEBUG 4 PROGRAM
	1|I_MPI_PIN_CELL=core I_MPI_PIN_ORDER=compact|LAUNCHER -n 2 PROGRAM
	1|PBS_JOBID=1.n1 PBS_NODEFILE=FOLDER/nodefile|LAUNCHER -n 2 PROGRAM
END

# with_slurm NODES: a Slurm of its own; else what it was for is skipped.
with_slurm() {
	slurm_stop
	slurm_start "$work/daemons" "$1" && return
	skip "lines of Slurm, nodes: $1" "$slurm_why"
	return 1
}

# In a job of Slurm's, typed after salloc; in a batch job, whose output is a file's.
if with_slurm 1; then
	before=(salloc --quiet --immediate=60 -N 1 -n 2)
	guide mpich5 <<-'END'
		1||srun --mpi=pmi2 -n 2 PROGRAM
		2||srun --mpi=pmi2 -n 1 -c 2 PROGRAM
		2||srun --mpi=pmi2 -n 1 -c 1 PROGRAM
		2||srun --mpi=pmi2 -n 1 -c 2 --hint=nomultithread PROGRAM
		1||srun --mpi=pmi2 --ntasks-per-node=2 --cpu-bind=cores PROGRAM
		1||srun --mpi=pmi2 -n 2 --cpu-bind=map_cpu:TWO,ONE PROGRAM
		1||srun --mpi=pmi2 -n 2 --cpu-bind=mask_cpu:0x2,0x1 PROGRAM
		1||srun --mpi=pmi2 -n 2 -m block:cyclic PROGRAM
		1|SLURM_CPU_BIND=none|srun --mpi=pmi2 -n 2 PROGRAM
		2||srun --mpi=pmi2 -n 1 -c 2 --cpu-bind=none --export=ALL,OMP_NUM_THREADS=2 PROGRAM
		1||srun --mpi=pmi2 -n 2 --label PROGRAM
	END
	guide openmpi5 <<-'END'
		1||srun --mpi=pmix -n 2 PROGRAM
		1||LAUNCHER -n 2 PROGRAM
	END
	printf '#!/bin/bash\nexec "$@"\n' >"$work/batch.job"
	cat >"$work/batch" <<-'END'
		#!/bin/bash
		sbatch --quiet --wait -N 1 -n 2 -o "$0.out" -e "$0.err" "$0.job" "$@"
		status=$?
		cat "$0.out"
		cat "$0.err" >&2
		exit $status
	END
	chmod +x "$work/batch"
	before=("$work/batch")
	guide mpich5 <<-'END'
		1||srun --mpi=pmi2 PROGRAM
		2||srun --mpi=pmi2 -n 1 -c 1 PROGRAM
		1||LAUNCHER -n 2 PROGRAM
	END
fi
# Two nodes that are one machine: ranks of the one see the threads of the other.
if with_slurm 2; then
	before=(salloc --quiet --immediate=60 -N 2 -n 2)
	guide mpich5 <<-'END'
		2||srun --mpi=pmi2 -n 2 -c 2 PROGRAM
		2|SPLITPIN_NEIGHBOURS=ignore|srun --mpi=pmi2 -n 2 -c 1 PROGRAM
		1||srun --mpi=pmi2 --ntasks-per-node=1 PROGRAM
	END
fi
slurm_stop
closing
