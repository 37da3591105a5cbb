#!/bin/bash
# The command compare: which runs it makes, with what, and how it ends.  No
# test depends on a time.
#
#   tests/compare.sh [BUILD [PRELOAD]]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

splitpin=$build/splitpin
[ -x "$splitpin" ] || { echo "compare: no $splitpin: run make first" >&2; exit 1; }
log=$work/log out=$work/out err=$work/err
export log

# compare ARGUMENT...: output in $out, messages in $err, the status in $status;
# with the signals that a shell in the background has its children ignore.
compare() {
	: > "$log"
	env --default-signal=INT,TERM "$splitpin" compare "$@" > "$out" 2> "$err" < /dev/null
	status=$?
}

# field FIELD: of the JSON in $out, as Python prints it.
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))'"$1"')' "$out" 2>&1; }

# wrong NAME STATUS MESSAGE ARGUMENT...: this status, one line that has the message, no output.
wrong() {
	local name=$1 expected=$2 message=$3
	shift 3
	compare "$@"
	verdict "$name" "$(expect status $status "$expected"; expect output "$(cat "$out")" ""
		expect "what is said" "$(grep -cF -e "$message" "$err") of $(wc -l < "$err")" "1 of 1")"
}

# What a run was given.
# shellcheck disable=SC2016
given='case ${LD_PRELOAD-} in *libsplitpin.so*) echo with ;; *) echo without ;; esac >> "$log"'

compare --rounds 3 -- sh -c "$given"
verdict "by turns" "$(expect status $status 0
	expect order "$(paste -s -d ' ' "$log")" "without with with without without with")"
first=$(head -n 1 "$out")
verdict "nothing that is pinned" "$(expect "first line" "${first%%:*}" "splitpin was active in no process of this job")"
LD_PRELOAD=$preload compare --rounds 1 -- sh -c "$given"
verdict "loaded before" "$(expect order "$(paste -s -d ' ' "$log")" "without with")"

libm=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libm\.so\.6 .*=> //p' | head -n 1)
if [ -n "$libm" ]; then
	# shellcheck disable=SC2016
	LD_PRELOAD=$libm compare --rounds 1 -- sh -c 'echo "$LD_PRELOAD" >> "$log"'
	verdict "what else is preloaded" "$(expect order "$(paste -s -d ' ' "$log")" "$libm $preload:$libm")"
else
	skip "what else is preloaded" "no libm.so.6"
fi

# shellcheck disable=SC2016
compare --rounds 1 --smt 1 --cores 1 -- sh -c 'echo "${SPLITPIN_SMT-no},${SPLITPIN_CORES-no}" >> "$log"'
verdict "settings" "$(expect order "$(paste -s -d ' ' "$log")" "no,no 1,1")"

if [ "$ncpus" -gt 1 ]; then
	# shellcheck disable=SC2016
	compare --rounds 1 --alone --cores 1 -- sh -c 'nproc >> "$log"'
	verdict "alone" "$(expect order "$(paste -s -d ' ' "$log")" "$ncpus $(SPLITPIN_CORES=1 "$splitpin" run --alone -- nproc)")"
else
	skip "alone" "one CPU"
fi

# A program with OpenMP and no launcher is a job of one rank with the library, as splitpin run has it.
if [ "$ncpus" -gt 1 ] && openmp=$(program none gcc alone.c); then
	PLACEMENT_DIR=$work OMP_NUM_THREADS=2 SPLITPIN_CORES=1 compare --rounds 1 --output "$work/kept" -- "$openmp"
	verdict "OpenMP without a launcher" "$(expect status $status 0; expect processors "$(grep processors "$work/kept" | paste -s -d '|')" \
		"$ncpus processors, 2 threads|$(PLACEMENT_DIR=$work OMP_NUM_THREADS=2 SPLITPIN_CORES=1 "$splitpin" run -- "$openmp" 2> /dev/null)")"
	PLACEMENT_DIR=$work compare --rounds 1 --alone off -- "$openmp"
	verdict "OpenMP without a launcher, left alone" "$(expect status $status 2
		expect "what is said" "$(cat "$err")" "splitpin: nothing to compare: $openmp has no launcher, and --alone is off")"
else
	skip "OpenMP without a launcher" "one CPU, or no compiler with OpenMP"
fi

echo text > "$work/in"
: > "$log"
"$splitpin" compare --rounds 2 -- sh -c "cat >> $log" < "$work/in" > "$out" 2> "$err"
verdict "input" "$(expect read "$(paste -s -d ' ' "$log")" "text text text text")"

compare --rounds 2 --output "$work/kept" -- sh -c 'echo said; echo complained >&2'
verdict "output" "$(expect shown "$(grep -c 'said\|complained' "$out" "$err" | paste -s -d ' ')" "$out:0 $err:0"
	expect kept "$(paste -s -d ' ' "$work/kept")" "# round 1, without splitpin said complained # round 1, with splitpin said complained \
# round 2, with splitpin said complained # round 2, without splitpin said complained")"

wrong "silent failure" 1 "failed with status 1; it printed nothing" -- false

# Fails in the second round, with the library.
compare --rounds 3 --format json -- sh -c "$given; [ \$(wc -l < $log) -lt 3 ] || { echo why; exit 7; }"
verdict "failure" "$(expect status $status 7; expect output "$(cat "$out")" ""
	expect "what is said" "$(paste -s -d '|' "$err")" "splitpin: round 2, with splitpin: the job failed with status 7; what it printed:|why")"
compare --rounds 3 -- sh -c 'kill -TERM $$'
verdict "a job's signal" "$(expect status $status 143; expect output "$(cat "$out")" "")"

# The third run asks compare to end: it hands the signal on to what would run for ever.
for name in INT TERM; do
	compare --rounds 4 --format json -- sh -c "$given; [ \$(wc -l < $log) -lt 3 ] || { kill -$name \$PPID; exec sleep 1000; }"
	verdict "ended by SIG$name" "$(expect status $status $((128 + $(kill -l $name))); expect signal "$(field '["signal"]')" "$(kill -l $name)"
		expect runs "$(field '["runs"].__len__()')" 2; expect difference "$(field '["difference"]')" unknown)"
done

compare --rounds 2 --format json -- true
verdict "json" "$(tests/schema.py compare < "$out" 2>&1; expect status $status 0
	expect ways "$(field '["runs"]' | grep -o "'with[a-z]*'" | tr -d "'" | paste -s -d ' ')" "without with with without"
	expect command "$(field '["command"]')" "['true']"
	expect times "$(python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))
print(all(r["wall"] > 0 and r["cpu"] >= 0 for r in c["runs"]), c["ratio"] > 0 and 0 < c["p"] <= 1 and not c["active"],
      c["with"]["wall"]["least"] <= c["with"]["wall"]["median"] <= c["with"]["wall"]["greatest"])' "$out" 2>&1)" "True True True")"
wrong "no rounds" 2 "--rounds 0: use a number from 1 to 50" --rounds 0 -- true
wrong "no number" 2 "--rounds 1x: use a number from 1 to 50" --rounds 1x -- true
wrong "no format" 2 "--format svg: use text or json" --format svg -- true
wrong "no setting" 2 "SPLITPIN_SMT=x is wrong" --smt x -- true
wrong "misspelt" 2 "did you mean --rounds?" --round5 3 -- true
wrong "no job" 2 "no job given" --rounds 3
wrong "no program" 127 "no such program" -- no-such-program
SPLITPIN=off wrong "switched off" 2 "nothing to compare: switched off by SPLITPIN=off" -- true
if run=$(mpi_tool mpich mpirun); then
	wrong "splitpin run inside" 2 "nothing to compare: the command itself starts its program by splitpin run: omit that" -- "$run" -n 1 "$splitpin" run true
fi
wrong "no file" 2 "$work/no/file: No such file or directory" --output "$work/no/file" -- true

# Launchers: the ranks have what their way says.  Rank 0 of MPICH reads its
# input to the end: mpiexec hands that on, and is ended by SIGPIPE, in 1 of 20
# runs of a busy machine, where the ranks have ended before.
for mpi in openmpi mpich; do
	run=$(mpi_tool $mpi mpirun) || { skip "ranks of $mpi" "it is not installed"; continue; }
	# shellcheck disable=SC2016
	compare --rounds 1 --smt 1 --output "$work/kept" -- "$run" -n 2 \
		sh -c '[ "${PMI_RANK-}" != 0 ] || read -r line; case ${LD_PRELOAD-} in *libsplitpin.so*) echo "has ${SPLITPIN_SMT-}" ;; *) echo none ;; esac'
	verdict "ranks of $mpi" "$(expect status $status 0; expect ranks "$(grep -v -e '^$' "$work/kept" | paste -s -d '|')" \
		"# round 1, without splitpin|none|none|# round 1, with splitpin|has 1|has 1")"
done
# Options for the ranks go behind the launcher's word, not behind the first.
if run=$(mpi_tool openmpi mpirun); then
	# shellcheck disable=SC2016
	compare --rounds 1 --output "$work/kept" -- env A=B nice -n 1 "$run" -n 1 sh -c 'echo "$A"'
	verdict "a launcher behind others" "$(expect status $status 0; expect ranks "$(grep -v -e '^$' "$work/kept" | paste -s -d '|')" \
		"# round 1, without splitpin|B|# round 1, with splitpin|B")"
fi

# A launcher in the line of a shell, to which no option can be added.
if run=$(mpi_tool openmpi mpirun); then
	# shellcheck disable=SC2016
	compare --rounds 1 --output "$work/kept" -- bash -c "$run -n 1 sh -c 'echo ran'"
	verdict "a launcher in the line of a shell" "$(expect status $status 0; expect ranks "$(grep -v -e '^$' "$work/kept" | paste -s -d '|')" \
		"# round 1, without splitpin|ran|# round 1, with splitpin|ran")"
fi

# Ranks that are pinned, and a launcher of processes that are none.
if run=$(mpi_tool mpich mpirun) && hybrid=$(program mpich gcc hybrid.c); then
	PLACEMENT_DIR=$work OMP_NUM_THREADS=1 compare --rounds 1 --format json -- "$run" -n 1 "$hybrid"
	verdict "a rank" "$(expect status $status 0; expect active "$(field '["active"]')" True
		expect result "$(field '["nodes"][0]["result"]' | grep -c '1 of 1 rank')" 1; expect warnings "$(field '["nodes"][0]["warnings"]')" 0)"
	# A program of neither is one as well.
	compare --rounds 1 --format json -- "$run" -n 1 hostname
	verdict "a rank without MPI and OpenMP" "$(expect status $status 0; expect active "$(field '["active"]')" True)"
else
	skip "a rank" "no MPICH"
fi

if run=$(mpi_tool mpich mpirun); then
	wrong "given by the command" 2 "the command itself names the library" -- "$run" -genv LD_PRELOAD "$preload" -n 2 true
fi
closing
