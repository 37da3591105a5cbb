#!/bin/bash
# splitpin survey: jobs with and without planted pile-ups, nothing preloaded: what is
# found, and why; the lost seconds beside the kernel's own count; and what the letter
# to the user proposes, which is run.
#
#   tests/survey.sh [BUILD [PRELOAD]]
set -u

# Other jobs of this machine are no part of it.
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

splitpin=$build/splitpin
waits=$work/waits
newer_than "$waits" $sources/waits.c || gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -fopenmp $sources/waits.c -o "$waits" || exit 1
printf '#!/bin/sh\nexec taskset -c 0 "$@"\n' > "$work/bound"
chmod +x "$work/bound"
unset SPLITPIN_NEIGHBOURS
# Threads that are done sleep, so that their count stands still.
export OMP_WAIT_POLICY=passive

# The value of a Python expression over "lines", the objects in a file.
ask() {
	python3 -c '
import json, sys
lines = [json.loads(text) for text in open(sys.argv[1])]
print('"$2"')' "$1" 2>&1
}

# causes FILE PART: those of pile-ups that lasted for more than this part of the job, or "-".
causes() { ask "$1" '" ".join(sorted({line.get("cause", "-") if line.get("piled_s", 0) > '"$2"' * (line["ran_s"] + line["waited_s"]) / max(1, line["busy"]) else "-" for line in lines}))'; }

# slow FILE: the lines of a survey that the report does not read in its faster way.
slow() {
	python3 -c '
import runpy, sys
line = runpy.run_path(sys.argv[1])["LINE"]
print("".join("not read in the faster way: " + text for text in open(sys.argv[2]) if not line.fullmatch(text.rstrip("\n"))), end="")' "$build/survey-report" "$1"
}

# How often a process has gone to sleep: a survey does so once a sample.
naps() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"; }
has_napped() { [ "$(naps "$1")" -ge "$2" ]; }
are_there() { [ "$(find "$1" -name "$2" | wc -l)" -ge "$3" ]; }

# surveyed FOLDER RANKS COMMANDS: a survey of jobs, each a line to be run by a shell; with all of its
# lines in FOLDER/lines.  It sees some samples of busy threads, and the last one when these have ended to work.
surveyed() {
	local to=$1 ranks=$2 survey line jobs=()
	mkfifo "$to/go"
	exec 8<> "$to/go"
	mkdir "$to/days"
	"$splitpin" survey run --every 0.1 --lines --folder "$to/days" 8>&- 2> "$to/survey" &
	survey=$!
	awaited has_napped $survey 1
	while IFS= read -r line; do
		bash -c "$line" 8>&- > "$to/out" 2> "$to/err" < /dev/null &
		jobs+=($!)
	done <<< "$3"
	awaited are_there "$to" "busy.*" "$ranks" || return
	awaited has_napped $survey $(($(naps $survey) + 3))
	touch "$to/pin"
	awaited has_napped $survey $(($(naps $survey) + 12))
	touch "$to/enough"
	awaited are_there "$to" "done.*" "$ranks" || return
	kill $survey
	wait $survey
	printf '%64s' '' >&8
	exec 8>&-
	wait "${jobs[@]}"
	cat "$to"/days/* > "$to/lines"
}

# command MPI LINE FOLDER: the line with this machine's names.
command_of() {
	local launcher
	launcher=$(mpi_tool "$1" "$(grep -o 'mpi[a-z]*' <<< "$2" | head -n 1)") || return
	sed -e "s|mpi[a-z]*|$launcher|; s|W P|$work/bound P|; s|P\$|$waits $3|" <<< "$2"
}

# try CAUSE MPI SETTINGS LINE
try() {
	local cause=$1 mpi=$2 settings=$3 line=$4 name to command faults ranks part twice=1
	name="$settings $line"
	to=$(folder "$mpi $name")
	if ! command=$(command_of "$mpi" "$line" "$to"); then
		skip "$name" "no $mpi"
		return
	fi
	[[ $settings != *TWICE=1* ]] || twice=2
	# Where others keep the machine busy, ranks take long to start, and are no pile-up.
	[ "$cause" = - ] && part=0.5 || part=0
	ranks=${line##*-n }
	ranks=$((${ranks%% *} * twice))
	command="env $settings $command"
	# Two jobs of Open MPI that begin at the same moment may meet over the folder of their sessions (tests/lib.sh).
	mkdir -p "$work/session-2"
	[ $twice = 1 ] || command+=$'\n'"OMPI_MCA_orte_tmpdir_base=$work/session-2 $command"
	if ! surveyed "$to" "$ranks" "$command"; then
		fail "$name" "the job did not run: $(head -c 300 "$to/err")"
		return
	fi
	faults=$(
		expect "the cause" "$(causes "$to/lines" "$part")" "$cause"
		expect "the number of lines" "$(wc -l < "$to/lines")" $twice
		expect "ranks" "$(ask "$to/lines" 'sum(line["ranks"] for line in lines)')" "$ranks"
		slow "$to/lines"
		expect "the mode of the file" "$(stat -c %a "$to"/days/*)" 600
		# What a job's main thread does between its own count and its sleep is a few ms at most; others may keep it waiting.
		ask "$to/lines" "''.join('waited: the survey has %.3f s, the kernel %.3f' % (has, is_) for has, is_ in [(sum(line['waited_s'] for line in lines), ($(cat "$to"/done.* | paste -s -d +)) / 1e9)] if not 0.9 * is_ - 0.01 <= has <= 1.1 * is_ + 0.5)"
		ask "$to/lines" "''.join('lost %.3f s of %.3f waited, %.3f idle' % (line['lost_s'], line['waited_s'], line['idle_s']) for line in lines if line['lost_s'] > min(line['waited_s'], line['idle_s']) + 0.002)"
	)
	verdict "$name: $cause" "$faults"
	if [ "$cause" != - ] && [ -z "$faults" ]; then
		letter "$name" "$settings" "$ranks" "$to" "$command"
	fi
}

# letter NAME SETTINGS RANKS FOLDER COMMAND: what the letter to the user proposes is run.
letter() {
	local name=$1 settings=$2 ranks=$3 from=$4 to command='' text line job active=True
	while read -r job; do
		text=$("$splitpin" survey letter "$job" "$from/lines")
		line=$(sed -n 's/^    //p' <<< "$text")
		command+=${command:+$'\n'}$line
	done < <(ask "$from/lines" '"\n".join(line["name"] for line in lines)')
	if [[ $text = *"own pinning off"* ]]; then
		command=${5/ PIN=1/} settings='' active=False
	elif [ -z "$line" ]; then
		verdict "$name: the letter" "$(grep -q "Start fewer threads" <<< "$text" || echo "proposes neither a line nor fewer threads: $text")"
		return
	fi
	to=$(folder "$name again")
	command=$(sed "s|$from|$to|; s|^|env $settings |; s|splitpin run|$splitpin run|" <<< "$command")
	if ! surveyed "$to" "$ranks" "$command"; then
		fail "$name: the letter" "its line does not run: $command: $(head -c 300 "$to/err")"
		return
	fi
	verdict "$name: what the letter proposes removes the pile-up" "$(
		expect "the cause" "$(causes "$to/lines" 0.5)" -
		expect "active" "$(ask "$to/lines" 'all(line["splitpin_active"] for line in lines)')" $active
	)"
}

if [ "$shm" = common ] || [ "$processes" = common ]; then
	skip "jobs" "no name spaces of its own: others' jobs would be seen"
elif [ "$ncpus" -ne 2 ] || [ -n "$confined" ]; then
	# The jobs are written for this number; on more CPUs they may be on any two.
	skip "jobs" "${confined:-this machine has $ncpus CPUs, and the jobs are those of a node with 2}"
else
	while IFS='|' read -r cause mpi settings line; do
		[[ $cause == "#"* ]] || try "$cause" "$mpi" "$settings" "$line" < /dev/null
	done < tests/data/survey-jobs
fi

#
# The report, from lines of invented nodes.
#
report=$work/report
python3 - "$report" << 'END'
import json, sys
to = sys.argv[1]
def line(job, host, uid, start, end, lost_s=0.0, **more):
    return {"survey": 1, "cluster": "one", "host": host, "job": job, "step": "0", "name": f"Slurm job {job} step 0", "uid": uid, "program": "heat",
            "launcher": "Slurm", "splitpin_active": False, "start": start, "end": end, "ranks": 4, "threads": 8, "busy": 32, "cpus": 32,
            "ran_s": 100.0, "waited_s": 50.0, "lost_s": lost_s, "idle_s": 10.0, "left_out_s": 0.0, **more}
bad = {"piled_s": 3600.0, "cause": "default_binding", "would": "mend", "remedy": "splitpin run --", "lost_s": 7200.0}
with open(to, "w") as file:
    for one in (line("1", "n1", 70001, 0, 3600, **bad), line("1", "n2", 70001, 0, 3600, **bad), line("2", "n1", 70002, 0, 7200),
                line("3", "n3", 70003, 0, 3600, piled_s=10.0, cause="more_threads_than_cpus", would="none")):
        file.write(json.dumps(one) + "\n")
for name, factor in (("before", 1), ("after", 2)):
    with open(f"{to}.{name}", "w") as file:
        for i in range(8):
            file.write(json.dumps(line(f"{name}{i}", "n1", 70001, 0, (1000 + i) * factor)) + "\n")
            file.write(json.dumps(line(f"{name}-{i}", "n1", 70002, 0, 1000 + (i * 7) % 5)) + "\n")
END
reported() { "$splitpin" survey report "$@" < /dev/null 2>&1; }
page=$(reported "$report")
verdict "a report counts jobs, not lines" "$(
	expect "its first line" "$(head -n 1 <<< "$page")" "3 jobs on 3 nodes from 1970-01-01 to 1970-01-01, 5.0 node-hours"
	grep -q "^2 jobs (67 %), 60 % of the node-hours" <<< "$page" || echo "no jobs with a problem: $page"
	grep -q "^splitpin alone would mend 1 job, and with that 4.0 CPU-hours" <<< "$page" || echo "none are mended: $page"
	grep -q "^the launcher's default binding *1 *2.0 *4.0 *1$" <<< "$page" || echo "no row of the cause: $page"
)"
verdict "lines as the command writes them are read faster, and alike" "$(
	slow "$report"
	sed 's/heat/h\\u0065at/' "$report" > "$report.escaped"
	[ -n "$(slow "$report.escaped")" ] || echo "an escape is taken for what it means"
	expect "the page with escapes" "$(reported "$report.escaped")" "$page"
)"
if ! type -P sqlite3 > /dev/null; then
	skip "the question to SQLite in docs/sites.md" "no sqlite3"
else
	verdict "the question to SQLite in docs/sites.md" "$(
		sed -n "s/^    //; /^sqlite3/,/^END/p" docs/sites.md > "$work/sqlite"
		rm -f "$work/survey.db"
		cp "$report" "$work/survey.jsonl"
		expect "its answer" "$(cd "$work" && bash ./sqlite 2>&1)" "heat|4.0"
	)"
fi
verdict "as JSON, CSV, for Prometheus, as a picture" "$(
	reported --format json "$report" | python3 -c 'import json, sys; o = json.load(sys.stdin); assert o["summary"]["jobs"] == 3 and o["cause"][0]["lost_cpu_hours"] == 4' || echo "JSON is wrong"
	reported --format csv "$report" | grep -qx "cause,default_binding,1,2.0,4.0,1" || echo "CSV is wrong"
	reported --format prometheus "$report" | grep -qx 'splitpin_survey_problem_jobs{cause="default_binding"} 1' || echo "Prometheus's text is wrong"
	reported --format svg "$report" | python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin)' || echo "the picture is no XML"
)"
printf 'JobID|Account|Partition\n1|physics|long\n2|chemistry|short\n' > "$work/sacct"
verdict "accounts from sacct, users as letters" "$(
	page=$(reported --sacct "$work/sacct" --anonymous "$report")
	grep -q "^physics  *1 " <<< "$page" || echo "no account: $page"
	grep -q "^A  *1 " <<< "$page" || echo "no letter: $page"
	! grep -q 7000 <<< "$page" || echo "a user is named: $page"
)"
page=$(reported --before "$report.before" --after "$report.after")
verdict "which became slower" "$(
	grep -q "^became slower: 1$" <<< "$page" || echo "not one: $page"
	grep -q "heat of user 70001, .*: 2.00 times the time (2.00 to 2.00; 8 and 8 jobs)" <<< "$page" || grep -q "heat of user 70001, .*: 2.00 times the time (1.99 to 2.01; 8 and 8 jobs)" <<< "$page" ||
		echo "not that one: $page"
	grep -q "^no difference beyond noise: 1$" <<< "$page" || echo "the other: $page"
)"
{ echo "no json"; echo '{"survey": 1}'; cat "$report"; } > "$work/torn"
verdict "lines that cannot be read are counted" "$(
	grep -qx "splitpin: 2 lines cannot be read" <<< "$(reported "$work/torn")" || reported "$work/torn"
	expect "the jobs" "$("$splitpin" survey report "$work/torn" 2> /dev/null | sed -n 's/^\([0-9]*\) jobs on.*/\1/p')" 3
)"
# Users choose the names of their programs.
sed 's/"program": "heat"/"program": "h\\u001b[31m\\u009bt"/' "$report" > "$work/steering"
verdict "names that would steer a terminal do not" "$(
	for as in report/--format=text report/--format=csv letter/1; do
		said=$("$splitpin" survey "${as%/*}" "${as#*/}" "$work/steering" < /dev/null 2>&1)
		grep -qF 'h?[31m?t' <<< "$said" || echo "$as: $said"
	done
)"
verdict "a file that is not there" "$(
	said=$("$splitpin" survey report "$work/none" 2>&1 > /dev/null) && echo "no error"
	expect "the message" "$said" "splitpin: $work/none: No such file or directory"
)"

#
# docs/survey.md is what the report and the letter say of recorded jobs; with EXAMPLE=1,
# of the jobs above.
#
example=tests/data/survey-example.jsonl
write_example() {
	cat <<- 'END'
		# What a survey shows

		An example: jobs of `tests/survey.sh` on a machine with two CPUs, as a survey has seen them, with nothing preloaded. Hosts, users, job numbers and
		programs are invented, and each second stands for ten minutes. [sites.md](sites.md#stage-0-survey) says how to make such a page.

	END
	[ "$(ask "$1" 'sum(line["lost_s"] for line in lines) > 0')" = True ] ||
		printf '%s\n\n' "While these jobs ran, others kept all cores of the machine busy: none was idle, so no time counts as lost."
	printf '%s\n\n' "## A page for those who decide"
	printf '%s\n' '```' "\$ splitpin survey report --anonymous survey.jsonl"
	reported --anonymous "$1"
	printf '%s\n' '```' '' '![CPU-hours lost by cause](survey.svg)' '' '## A letter to a user' '' '```'
	job=$(ask "$1" 'next(line["job"] for line in lines if line.get("cause") == "default_binding")')
	echo "\$ splitpin survey letter $job survey.jsonl"
	"$splitpin" survey letter "$job" "$1"
	echo '```'
}
if [ -n "${EXAMPLE-}" ]; then
	cat "$work"/{mpich,openmpi}_*/lines > "$work/example"
	python3 tests/survey-example.py "$work/example" > $example
	write_example $example > docs/survey.md
	reported --format svg $example > docs/survey.svg
fi
verdict "docs/survey.md is what the report and the letter say" "$(
	diff <(write_example $example) docs/survey.md
	diff <(reported --format svg $example) docs/survey.svg
)"

# Another user's file under the name of the day is not written to.
to=$(folder refused)
ln -s "$work/elsewhere" "$to/survey-$(uname -n)-$(date -u +%F).jsonl"
SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 "$waits" "$to" 8>&- & job=$!
awaited are_there "$to" "busy.*" 1
said=$(timeout -k 5 "$hangs" "$splitpin" survey run --folder "$to/nowhere" 2>&1 </dev/null)
status=$?
verdict "a folder that is not there is told at once" "$(expect status $status 1; expect said "$said" "splitpin: --folder $to/nowhere: No such file or directory")"
said=$("$splitpin" survey run --every 0.1 --for 0.1 --folder "$to" 2>&1)
status=$?
mkdir "$to/short"
verdict "a short survey has two intervals" "$(
	expect "what it says" "$("$splitpin" survey run --every 10 --for 0.1 --cost --folder "$to/short" | sed 's/,.*//')" "3 samples"
	expect "its lines" "$(cat "$to"/short/* | wc -l)" 1
)"
touch "$to/enough"
kill $job
wait $job 2> /dev/null
verdict "a link in the place of its file is refused" "$(
	expect "the status" $status 1
	grep -q "cannot be written" <<< "$said" || echo "$said"
	[ ! -e "$work/elsewhere" ] || echo "it was followed"
)"
closing
