#!/bin/bash
# The command: plans of recorded machines in every format, faults, and what
# "run" gives to a program.
#
#   tests/plan.sh [BUILD [PRELOAD]]
#
# What a test printed is kept in BUILD/tests/plan/<test>.
set -u

# "run --alone" takes cores that no job of this machine has.
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh

# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh
unset SPLITPIN_NEIGHBOURS

splitpin=$build/splitpin
machines=tests/data/topologies
knl=$machines/knl-quad-cache.xml
snc4_flat=$machines/knl-snc4-flat.xml
[ -x "$splitpin" ] || { echo "plan: no $splitpin: run make first" >&2; exit 1; }

# is NAME EXPECTED COMMAND...: the command's output, which is something.
is() {
	local name=$1 expected=$2 found
	shift 2
	found=$("$@" 2>"$work/err" </dev/null)
	if [ -n "$found" ] && [ "$found" = "$expected" ]; then
		pass "$name"
	else
		fail "$name" "\"$found\" and \"$(cat "$work/err")\" instead of \"$expected\""
	fi
}

# lacks NAME TEXT COMMAND...: the command ends well and prints something, in which this text is not.
lacks() {
	local name=$1 text=$2 status
	shift 2
	"$@" >"$work/out" 2>&1 </dev/null
	status=$?
	verdict "$name" "$(
		expect status $status 0
		[ -s "$work/out" ] || echo "it prints nothing"
		grep -F -e "$text" "$work/out"
	)"
}

# wrong NAME MESSAGE COMMAND...: status 2, one line that has the message, no output.
wrong() {
	local name=$1 message=$2 status
	shift 2
	"$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	if [ $status = 2 ] && ! [ -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
		grep -qF -e "$message" "$work/err"; then
		pass "$name"
	else
		fail "$name" "status $status, \"$(cat "$work/err" "$work/out")\""
	fi
}

plan() { "$splitpin" plan "$@"; }

# Known cuts.
is knl-2-masks \
	"0x3ffffffff000000003ffffffff000000003ffffffff000000003ffffffff,0xffffffffc00000000ffffffffc00000000ffffffffc00000000ffffffffc00000000" \
	plan -n 2 --topology $knl --format masks
is knl-4-lists "0-16,68-84,136-152,204-220
17-33,85-101,153-169,221-237
34-50,102-118,170-186,238-254
51-67,119-135,187-203,255-271" plan -n 4 --topology $knl --format lists
is threads-that-the-runtime-binds "0,4
8,12" env OMP_PROC_BIND=true "$splitpin" plan -n 2 -t 2 --topology "pack:2 core:4 pu:2" --format lists
is threads-that-the-runtime-binds-close "0,2
8,10" env OMP_PROC_BIND=close "$splitpin" plan -n 2 -t 2 --topology "pack:2 core:4 pu:2" --format lists
is option-of-a-setting "0-16,68-84
17-33,85-101
34-50,102-118
51-67,119-135" plan -n 4 --topology $knl --smt=2 --format lists
is last-option-wins "0-33
34-67" plan -n 2 --topology $knl --smt 2 --smt 1 --format lists
is option-over-environment "0-33
34-67" env SPLITPIN_SMT=2 "$splitpin" plan -n 2 --topology $knl --smt=1 --format lists
is environment "0-33,68-101
34-67,102-135" env SPLITPIN_SMT=2 "$splitpin" plan -n 2 --topology $knl --format lists
is allowed "0-3
4-7" plan -n 2 --topology $knl --allowed 0-7 --format lists
is synthetic "0-7
8-15" plan -n 2 --topology "pack:2 core:4 pu:2" --format lists
is more-ranks-than-cores "0-1
4-5
6-7
8-9
12-13
14-15" plan -n 6 --topology "core:4 pu:4" --format lists
is ranks-share-a-core \
	"  CPUs 6-7: core 1 of NUMA node 0, shared by 2 ranks: 2 of its 4 hardware threads" \
	sh -c "'$splitpin' plan -n 6 --topology 'core:4 pu:4' | grep -A 1 '^rank 2' | tail -n 1"
is picture "rank 0  [BB/BB/../..][../../../..]
rank 1  [../../BB/BB][../../../..]
rank 2  [../../../..][BB/BB/../..]
rank 3  [../../../..][../../BB/BB]" \
	sh -c "'$splitpin' plan -n 4 -t 2 --topology 'pack:2 core:4 pu:2' | grep ^rank"
# A core is left over: pinned, two threads would have one core while another is idle.
is even-teams "pinned left" sh -c "for cores in 4 5; do '$splitpin' plan -n 2 -t 4 --topology \"core:\$cores pu:2\" | grep -q '^    left to the kernel' && echo left || echo pinned; done | xargs"
is uneven-teams-say-why 2 sh -c "'$splitpin' plan -n 2 -t 4 --topology 'core:5 pu:2' | grep -c 'cores of its own (2), and other cores would have fewer'"
lacks nothing-idle-by-the-kernel "stays idle" plan -n 2 -t 4 --topology "core:5 pu:2"
tioga=$machines/epyc-mi250x-tioga.xml
is gpus-by-local-rank "48-55,112-119
56-63,120-127
16-23,80-87
24-31,88-95
0-7,64-71
8-15,72-79
32-39,96-103
40-47,104-111" plan -n 8 --topology $tioga --gpus all --format lists
# The lists of the guide of LUMI: without the first core of each L3 group, one hardware thread a core.
is gpus-masks-of-lumi "0xfe000000000000,0xfe00000000000000,0xfe0000,0xfe000000,0xfe,0xfe00,0xfe00000000,0xfe0000000000" \
	plan -n 8 --topology $tioga --gpus all --smt=1 --reserve=0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120 --format masks
is gpus-cores-of-lumi "49
57
17
25
1
9
33
41" plan -n 8 --topology $tioga --gpus all --smt=1 --cores=1 --reserve=0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120 --format lists
# The same with --for slurm: also Frontier's, whose srun -c7 leaves out the same cores.
is for-slurm-lumi "srun -N 1 -n 8 --cpu-bind=mask_cpu:0xfe000000000000,0xfe00000000000000,0xfe0000,0xfe000000,0xfe,0xfe00,0xfe00000000,0xfe0000000000 \\
    env OMP_NUM_THREADS=7 OMP_PLACES=cores OMP_PROC_BIND=close ./app in.nml" \
	sh -c "'$splitpin' plan -n 8 -t 7 --topology $tioga --gpus all --smt 1 --reserve 0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120 --for slurm -- ./app in.nml | tail -n 2"
# ALCF's running-jobs-aurora.md: one rank a tile, cores 0 and 52 left to the system.
is for-pals-aurora "mpiexec -n 12 --ppn 12 --cpu-bind list:1-8:9-16:17-24:25-32:33-40:41-48:53-60:61-68:69-76:77-84:85-92:93-100 \\
    env OMP_NUM_THREADS=8 OMP_PLACES=cores OMP_PROC_BIND=close ./app" \
	sh -c "'$splitpin' plan -n 12 -t 8 --topology $machines/gpus/aurora-6xpvc.xml --gpus all --smt 1 --reserve 0,52,104,156 --for pals -- ./app | tail -n 2"
is gpus-several-a-rank "GPU 0,1 (c1:00.0,c6:00.0)
GPU 2,3 (c9:00.0,ce:00.0)
GPU 4,5 (d1:00.0,d6:00.0)
GPU 6,7 (d9:00.0,de:00.0)" \
	sh -c "'$splitpin' plan -n 4 --topology $tioga --devices=gpu | sed -n 's/.*beside GPU/GPU/p'"
is gpus-of-each-rank "32-39,96-103
0-7,64-71" plan -n 2 --topology $tioga --gpus 6:4 --format lists
is gpus-that-are-foreign "not beside GPU 0 (c1:00.0), which is beside CPUs 48-55,112-119" \
	sh -c "'$splitpin' plan -n 9 --all -t 1 --topology $tioga --gpus 0 | sed -n '/^rank 8/{n;s/.*; //p}'"
is gpus-not-given "0-31,64-95
32-63,96-127" plan -n 2 --topology $tioga --format lists
is gpus-off "0-31,64-95
32-63,96-127" plan -n 2 --topology $tioga --gpus all --devices=off --format lists
is gpus-json '[{"address": "0000:c9:00.0", "gpu": 2}] False' \
	sh -c "'$splitpin' plan -n 8 --topology $tioga --gpus all --format json |
		python3 -c 'import json, sys; r = json.load(sys.stdin)[\"ranks\"][2]; print(json.dumps(r[\"gpus\"]), r[\"not_beside\"])'"
is nearest-network-cards "hsi2 hsi1 hsi3 hsi0" \
	sh -c "'$splitpin' plan -n 4 --topology $tioga --devices=nic |
		sed -n 's/.*nearest network card: //p' | paste -s -d ' '"
is threads-of-the-environment "6" \
	sh -c "OMP_NUM_THREADS=3,2 '$splitpin' plan -n 1 --topology $knl --format json | grep -c '\"thread\":'"

# Parts: ranks that are not alike, each with a core for each of its threads.
parts16="pack:2 core:8 pu:1"
is parts "8-9
10-11
12-13
14-15
0-7" plan -n 4 -t 2 : -n 1 -t 8 --topology "$parts16" --format lists
is parts-options-anywhere "$(plan -n 4 -t 2 : -n 1 -t 8 --topology "$parts16" --format masks)" \
	plan --format masks -np 4 -t 2 --topology "$parts16" : -t 8 -n 1
is parts-of-one-kind "$(plan -n 5 -t 3 --topology "$parts16")" plan -n 2 -t 3 : -n 3 -t 3 --topology "$parts16"
is parts-three "8-9
10-11
12
13
14
0-7" plan -n 2 -t 2 : -n 3 -t 1 : -n 1 -t 8 --topology "$parts16" --format lists
is parts-of-the-environment "$(plan -n 1 -t 3 : -n 2 -t 4 --topology "$parts16")" env OMP_NUM_THREADS=3 "$splitpin" plan -n 1 : -n 2 -t 4 --topology "$parts16"
# The rank that announces nothing has what the others leave.
is parts-of-unknown-need "0-7
8-11
12-15" plan -n 1 : -n 2 -t 4 --topology "$parts16" --format lists
is parts-need "2 2 8 None" sh -c "'$splitpin' plan -n 2 -t 2 : -n 1 -t 8 : -n 1 --topology '$parts16' --format json |
	python3 -c 'import json, sys; print(*(r.get(\"need\") for r in json.load(sys.stdin)[\"ranks\"]))'"
is parts-as-a-line "$(plan -n 2 -t 2 : -n 1 -t 8 --topology "$parts16" --format json)" \
	sh -c "printf '#!/bin/sh\n# hydra\n' >'$work/mpiexec' && chmod +x '$work/mpiexec' &&
		'$splitpin' plan --topology '$parts16' --format json '$work/mpiexec' -n 2 -env OMP_NUM_THREADS 2 ./a : -n 1 -env OMP_NUM_THREADS 8 ./b"
lacks parts-advise-nothing "stay idle" plan -n 2 -t 2 : -n 1 -t 3 --topology "$parts16"
wrong part-without-ranks "part 2 has no number of ranks: give -n RANKS in each part" plan -n 4 -t 2 : -t 8
wrong part-first-without-ranks "part 1 has no number of ranks" plan : -n 1
wrong part-empty "part 2 has no number of ranks" plan -n 1 :
wrong part-with-no-number "part 2: -n x: use a number from 1 to" plan -n 1 : -n x
wrong part-with-no-threads "part 3: -t 0: use a number from 1 to" plan -n 1 : -n 2 : -n 3 -t 0
wrong part-unknown-option "frob: unknown option" plan -n 1 : -n 2 --frob
wrong part-unknown-letter "-b: unknown option" plan -n 1 : -bind-to core -n 2
wrong unknown-letter-behind-a-long-option "-b: unknown option" plan -n 1 --cores=1 -bind-to core
wrong parts-too-many-ranks "the parts have 8193 ranks; splitpin plans up to 8192" plan -n 8192 : -n 1
wrong parts-without-room "-n 5: more ranks than CPUs" plan -n 2 -t 1 : -n 3 -t 2 --topology "core:4 pu:1"
wrong parts-and-a-line "srun: its line has parts of its own" plan -n 1 : -n 2 srun -n 3 ./a
wrong parts-and-advise "--advise and -n exclude each other" plan -n 1 : -n 2 --advise
wrong parts-with-a-program "only behind a launcher or with --for" plan -n 1 : -n 2 ./a

# Beside jobs that are there already: their claims are left to them, as in a run.
is beside "1,3
5,7" plan -n 2 -t 2 --beside "-n 2 -t 4" --topology "$parts16" --format lists
is beside-masks "0xa,0xa0" plan -n 2 -t 2 --beside "-np 2 --threads=4" --topology "$parts16" --format masks
is beside-said "job beside (-n 2 -t 4): claims 8 cores, CPUs 0,2,4,6,8,10,12,14" \
	sh -c "'$splitpin' plan -n 2 -t 2 --beside '-n 2 -t 4' --topology '$parts16' | sed -n 2p"
# Each of them takes what those before it leave.
is beside-several "9,11
13,15" plan -n 2 -t 2 --beside "-n 2 -t 4" --beside "-n 1 -t 3 : -n 1 -t 1" --topology "$parts16" --format lists
is beside-parts "9,11
13,15
1,3,5,7" plan -n 2 -t 2 : -n 1 -t 4 --beside "-n 2 -t 4" --topology "$parts16" --format lists
is beside-and-smt "1,3,17,19" plan -n 1 -t 2 --beside "-n 1 -t 4" --topology "core:16 pu:2(indexes=core)" --allowed 0-7,16-23 --format lists
# Too little is left: the node is shared.
is beside-shared "0-15
0-15" plan -n 2 -t 4 --beside "-n 2 -t 5" --topology "$parts16" --format lists
is beside-shared-said "too few cores are free for all threads: the node is shared, and threads are not pinned
    4 threads, not pinned: the kernel puts each where the fewest are" \
	sh -c "'$splitpin' plan -n 1 -t 4 --beside '-n 2 -t 7' --topology '$parts16' | sed -n '3p; \$p'"
is beside-that-shares "job beside (-n 2 -t 4): shares the node: its threads may be on any core" \
	sh -c "'$splitpin' plan -n 1 -t 4 --beside '-n 2 -t 7' --beside '-n 2 -t 4' --topology '$parts16' | sed -n 3p"
is beside-unannounced "shared" sh -c "'$splitpin' plan -n 1 -t 4 --beside '-n 2' --topology '$parts16' --format json |
	python3 -c 'import json, sys; print(json.load(sys.stdin)[\"terms\"])'"
is beside-json "beside 1,3 [0, 2] alone 2 -n 2 -t 1 2 [0]" \
	sh -c "'$splitpin' plan -n 1 -t 2 --beside '-n 2 -t 1' --topology 'core:4 pu:1' --format json | python3 -c '
import json, sys
p = json.load(sys.stdin)
b, = p[\"beside\"]
print(p[\"terms\"], \",\".join(map(str, p[\"claim\"])), b[\"claim\"], b[\"terms\"], b[\"rank_count\"], b[\"job\"], p[\"ranks\"][0][\"need\"], p[\"ranks\"][0][\"numa\"])'"
is beside-nothing-shared-json "null 4 []" sh -c "'$splitpin' plan -n 1 -t 4 --beside '-n 2 -t 2' --topology 'core:4 pu:1' --format json |
	python3 -c 'import json, sys; p = json.load(sys.stdin); print(json.dumps(p[\"cut\"]), len(p[\"ranks\"][0][\"cpus\"]), p[\"ranks\"][0][\"threads\"])'"
lacks beside-alone-says-nothing '"beside"' plan -n 1 -t 4 --topology "core:4 pu:1" --format json
wrong beside-no-option '--beside "-n 2 x": use -n RANKS and -t THREADS' plan -n 1 --beside "-n 2 x"
wrong beside-unknown-option '--beside "-n 2 --smt 1": use -n RANKS and -t THREADS' plan -n 1 --beside "-n 2 --smt 1"
wrong beside-no-number '--beside "-n x": -n x: use a number' plan -n 1 --beside "-n x"
wrong beside-no-ranks '--beside "-n 2 : -t 3": part 2 has no number of ranks' plan -n 1 --beside "-n 2 : -t 3"
wrong beside-and-advise "--advise and --beside exclude each other" plan --advise --beside "-n 2"

# Advice.
zen4="pack:2 numa:1 l3:12 core:8 pu:2"
# advice OPTION...: ranks, threads, idle, NUMA nodes and L3 groups of the first four choices.
advice() {
	"$splitpin" plan --advise --format json "$@" | python3 -c '
import json, sys
print("; ".join("%(rank_count)d x %(thread_count)d, %(idle_cores)d, %(numa_count)d, %(l3_count)s" % c for c in json.load(sys.stdin)["choices"][:4]))'
}
is advise-zen4 "24 x 8, 0, 1, 1; 48 x 4, 0, 1, 1; 96 x 2, 0, 1, 1; 192 x 1, 0, 1, 1" advice --topology "$zen4"
is advise-knl-quad "2 x 34, 0, 1, None; 4 x 17, 0, 1, None; 17 x 4, 0, 1, None; 34 x 2, 0, 1, None" advice --topology $knl
# Four of 16, a quadrant each, leave 4 cores idle, and no share crosses.
is advise-knl-snc4 "4 x 16, 4, 1" sh -c "'$splitpin' plan --advise --topology $machines/knl-snc4-flat.xml |
	sed -n 's/^ *\([0-9][0-9]*\) *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) .*/\1 x \2, \3, \4/p' | head -n 1"
lacks advise-no-l3-that-is-not-there L3 plan --advise --topology "numa:2 core:2 pu:2"
is advise-gpus "8 x 8, 0, 1, 1; 16 x 4, 0, 1, 1; 32 x 2, 0, 1, 1; 64 x 1, 0, 1, 1" advice --topology $tioga --gpus all
is advise-lumi "8 x 7, 0, 1, 1" sh -c "'$splitpin' plan --advise --topology $tioga --gpus all --smt 1 --reserve 0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120 |
	sed -n 's/^ *\([0-9][0-9]*\) *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) *\([0-9]*\)  1 rank per GPU.*/\1 x \2, \3, \4, \5/p'"
is advise-nodes "    24        96        8      0     1    1  1 rank per L3 group" \
	sh -c "'$splitpin' plan --advise --nodes 4 --topology '$zen4' | grep '^ *24 '"
is idle-cores-are-told "24 cores stay idle; none would with -n 6 (32 cores each) or -n 8 (24 cores each) (--advise compares)" \
	sh -c "'$splitpin' plan -n 7 -t 1 --topology '$zen4' | grep 'stay idle'"
is idle-cores-json "[6, 8]" sh -c "'$splitpin' plan -n 7 -t 1 --topology '$zen4' --format json |
	python3 -c 'import json, sys; print(json.load(sys.stdin)[\"none_idle_with\"])'"
lacks no-idle-cores idle plan -n 8 -t 1 --topology "$zen4"
# What is advised is what a plan of it does.
agrees() {
	"$splitpin" plan --advise --format json "$@" | python3 -c '
import json, subprocess, sys
sys.path.insert(0, "tests")
import schema
advice = json.load(sys.stdin)
assert not schema.of_command("advise", advice), schema.of_command("advise", advice)
for c in advice["choices"]:
    plan = json.loads(subprocess.run([*sys.argv[1:], "-n", str(c["rank_count"]), "-t", str(c["thread_count"]), "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
    assert (plan["cut"]["each"], plan["cut"]["idle"]) == (c["thread_count"], c["idle_cores"]), c
    assert max(len(r["numa"]) for r in plan["ranks"]) == c["numa_count"], c
print("all")' "$splitpin" plan "$@"
}
for machine in knl-snc4-flat epyc-9654-2s hybrid-pe-20; do
	is "advise-agrees-$machine" all agrees --topology "$machines/$machine.xml"
done
wrong advise-and-ranks "--advise and -n exclude each other" plan --advise -n 3
wrong advise-and-for "--advise and --for slurm exclude each other" plan --advise --for slurm
wrong advise-as-masks "use text or json" plan --advise --format masks
wrong nodes-without-advise "--nodes needs --advise" plan -n 2 --nodes 3

# Every machine in every format; JSON and XML are read by others.
readable() {
	python3 - "$@" <<'END'
import json, subprocess, sys
import xml.etree.ElementTree as tree
sys.path.insert(0, "tests")
import schema

command, path, ranks, threads = sys.argv[1:]
plan = [command, "plan", "-n", ranks, "-t", threads, "--topology", path]

def output(*options):
    return subprocess.run([*plan, *options], stdout=subprocess.PIPE, text=True, check=True).stdout

def cpus_of(text):
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus

# Each thread is named on its CPU, or on the core of its first one.
def check_drawing(drawn, found):
    cpus = {}
    for parent in drawn.iter("object"):
        for misc in parent.findall("object[@type='Misc']"):
            cpus[misc.get("name")] = {int(o.get("os_index")) for o in parent.iter("object") if o.get("type") == "PU"}
    placed = {f"r{r['rank']}.{t['thread']}": t["cpus"] for r in found["ranks"] for t in r["threads"]} if found["terms"] != "shared" else {}
    assert cpus.keys() == placed.keys()
    for name, places in placed.items():
        assert places[0] in cpus[name] and (len(places) > 1 or len(cpus[name]) == 1), name
    coloured = {int(o.get("os_index")) for o in drawn.iter("object") if o.get("type") == "PU" and o.find("info[@name='lstopoStyle']") is not None}
    assert coloured == ({c for r in found["ranks"] for c in r["cpus"]} if placed else set())

found = json.loads(output("--format", "json"))
assert not schema.of_command("plan", found), schema.of_command("plan", found)
lists = [cpus_of(line) for line in output("--format", "lists").splitlines()]
masks = [int(word, 16) for word in output("--format", "masks").strip().split(",")]
assert len(lists) == len(masks) == len(found["ranks"]) == int(ranks)
for i, rank in enumerate(found["ranks"]):
    assert rank["rank"] == i and set(rank["cpus"]) == lists[i] == cpus_of(rank["list"])
    assert sum(1 << cpu for cpu in rank["cpus"]) == masks[i] == int(rank["mask"], 16)
    assert (len(rank["threads"]) == int(threads) and rank["why"]) or (found["terms"] == "shared" and found["why"])
    for j, thread in enumerate(rank["threads"]):
        assert thread["thread"] == j and thread["why"]
        is_left = thread["why"].startswith("left to the kernel")
        assert set(thread["cpus"]) == set(found["cpus"]) if is_left else set(thread["cpus"]) <= set(rank["cpus"])
        assert is_left or set(thread["numa"]) <= set(rank["numa"])
    for other in found["ranks"][:i]:
        # More threads than CPUs, which no cut divides evenly, share the node.
        assert not set(rank["cpus"]) & set(other["cpus"]) or found["terms"] == "shared"
check_drawing(tree.fromstring(output("--format", "xml")), found)
assert output("--format", "text").count("\nrank ") == int(ranks)
if found["terms"] == "shared":
    assert len(found["cpus"]) < int(ranks) * int(threads)
    assert subprocess.run([*plan, "--for", "slurm"], stderr=subprocess.DEVNULL).returncode
    sys.exit()
for launcher in "slurm", "openmpi4", "openmpi5", "mpich", "intel", "pals", "torchrun", "deepspeed", "openmp":
    commands = output("--for", launcher)
    assert "COMMAND" in commands
    subprocess.run(["sh", "-n"], input=commands, text=True, check=True)
END
}

for machine in "$machines"/*.xml; do
	name=$(basename "$machine" .xml) failure=
	for team in "1 4" "3 5" "4 8"; do
		# shellcheck disable=SC2086 # ranks and threads
		readable "$splitpin" "$machine" $team 2>"$work/err" || failure="$team: $(tail -n 1 "$work/err")"
	done
	if [ -z "$failure" ]; then pass "formats-$name"; else fail "formats-$name" "$failure"; fi
done

# hwloc's lstopo draws pictures, or its package is named.
wrong picture-of-another-kind "ends in .svg, .png or .pdf" plan -n 2 --picture node.jpg
wrong picture-and-format "--picture and --format exclude each other" plan -n 2 --format json --picture node.svg
wrong picture-without-lstopo "its package is hwloc" env PATH="$work" "$splitpin" plan -n 2 --picture "$work/node.svg"
if ! command -v lstopo-no-graphics >/dev/null; then
	skip picture "no lstopo"
else
	plan -n 2 -t 2 --topology "pack:2 core:4 pu:1" --picture "$work/node.svg" >"$work/out" 2>&1
	verdict picture "$(expect status $? 0; expect output "$(cat "$work/out")" ""
		expect threads "$(sed -n 's/.*>\(r[0-9]*\.[0-9]*\)<.*/\1/p' "$work/node.svg" | sort | paste -s -d ' ')" "r0.0 r0.1 r1.0 r1.1")"
	wrong picture-in-no-folder "No such file" plan -n 2 --picture "$work/none/node.svg"
fi

# Faults.
wrong too-few-lists "2 lists for 3 ranks" plan -n 3 --topology $knl --domain 0-1:2-3
wrong no-domain "SPLITPIN_DOMAIN=socket is wrong: use auto, node, package" plan -n 3 --domain socket
is domain-lists "0-1
8-9" plan -n 2 --topology $knl --domain 0-1:8-9 --format lists
is domain-objects "0-17
18-35
36-51" plan -n 3 --topology $machines/knl-snc4-flat.xml --domain numa --smt 1 --format lists
is domain-lists-twice "splitpin: warning: SPLITPIN_DOMAIN: CPU 1 of rank 1 is in earlier lists, whose ranks have it" \
	sh -c "'$splitpin' plan -n 2 --topology $knl --domain 0-1:1-2 2>&1 >/dev/null"
wrong no-ranks "Give -n RANKS" plan
wrong zero-ranks "from 1 to" plan -n 0
wrong ranks-no-number "from 1 to" plan -n x
wrong too-many-ranks "room for 272" plan -n 300 --topology $knl
wrong everything-reserved "reserve fewer" plan -n 1 --topology $knl --reserve=68
wrong no-such-file "No such file" plan -n 1 --topology /no/such/file.xml
wrong no-topology "neither a file" plan -n 1 --topology tables:2
wrong topology-too-large "describes 200000 CPUs; splitpin handles machines of up to 8192" \
	timeout "$hangs" "$splitpin" plan -n 2 --topology "pack:100 core:1000 pu:2"
wrong topology-numbers-too-high "has CPU numbers above 8191" plan -n 2 --topology "core:1 pu:2(indexes=0,9000)"
is topology-other-numbers 0 plan -n 1 --topology "core:1 pu:2(indexes=0,9000)" --allowed 0-8191 --format lists
wrong topology-order '"core" is neither' plan -n 1 --topology "pack:3(indexes=core) core:2 pu:2"
is topology-order-of-levels $'0\n2\n1\n3' plan -n 4 -t 1 --topology "pack:2 core:2(indexes=pack) pu:1(indexes=pack:core)" --format lists
wrong topology-from-nowhere "standard input is empty" plan -n 2 --topology -
wrong topology-no-xml-from-input "standard input: neither" sh -c "echo pack:2 | '$splitpin' plan -n 2 --topology -"
wrong topology-from-a-terminal "standard input is a terminal" sh -c "script -qec 'sh -c \"$splitpin plan -n 2 --topology - 2>$work/tty\"' /dev/null >/dev/null 2>&1; cat '$work/tty' >&2; exit 2"
is topology-from-input "standard input: 1 package, 1 NUMA node, 68 cores, 272 CPUs" \
	sh -c "'$splitpin' plan -n 2 --topology - < $knl | head -n 1"
is topology-from-input-json "standard input" \
	sh -c "'$splitpin' plan -n 2 --topology - --format json < $knl | sed -n 's/.*\"topology\": \"\(.*\)\",/\1/p'"
wrong no-xml "neither a file" plan -n 1 --topology /etc/passwd
wrong topology-why "(hwloc: Synthetic string cannot use non-PU type for last level)" plan -n 1 --topology "pack:2 core:2"
wrong topology-of-a-newer-hwloc "written by a newer hwloc than splitpin uses (hwloc: cannot import XML version 9.0 >" plan -n 1 --topology tests/data/texts/newer.xml
is topology-by-lscpu $'0-2,12-14\n3-5,15-17\n6-8,18-20\n9-11,21-23' plan -n 4 --topology tests/data/texts/four-dies.lscpu-e --format lists
is topology-without-node "2 packages, 2 NUMA nodes, 8 cores, 8 CPUs
CPUs 0-1,6-7 have no NUMA node: they use the memory of nodes 1-2
CPUs 0-1: cores 0-1 of no NUMA node" \
	sh -c "'$splitpin' plan -n 4 --topology $machines/cpus-without-node.xml | sed -n 's/^[^ ]*xml: //p; /have no/p; s/^ *\(CPUs 0-1: .*\)/\1/p'"
is topology-without-memory "NUMA nodes 0,3 have no memory: their CPUs use that of nodes 1-2" \
	sh -c "'$splitpin' plan -n 4 --topology $machines/nodes-without-memory.xml | grep memory:"
is topology-crossed "2 packages, 2 NUMA nodes, 8 cores, 8 CPUs" sh -c "'$splitpin' plan -n 2 --topology tests/data/texts/crossed.lscpu-p | sed -n '1s/.*: //p'"
is topology-by-lstopo $'0-2,12-14\n3-5,15-17\n6-8,18-20\n9-11,21-23' sh -c "'$splitpin' plan -n 4 --topology - --format lists <tests/data/texts/four-dies.lstopo"
is topology-by-lists-of-nodes $'0-3\n4-7' plan -n 2 --topology tests/data/texts/two-packages.lscpu --format lists
wrong picture-by-lstopo "a picture takes a machine in hwloc's XML" plan -n 4 --topology tests/data/texts/four-dies.lstopo --format xml
wrong topology-by-numactl '"lscpu -p" prints these, and "lstopo --of xml"' plan -n 2 --topology tests/data/texts/four-dies.numactl
wrong none-allowed "none of these CPUs" plan -n 1 --topology $knl --allowed 4000
wrong allowed-too-high "--allowed 9000: splitpin handles CPU numbers up to 8191" plan -n 1 --topology $knl --allowed 9000
is hbm-nodes "memory: hbm on NUMA nodes 4-7 (SPLITPIN_MEMORY)" \
	sh -c "'$splitpin' plan -n 4 --memory hbm --topology $snc4_flat | grep ^memory"
is hbm-none "memory: hbm, but no rank has high-bandwidth memory beside it (SPLITPIN_MEMORY)" \
	sh -c "'$splitpin' plan -n 4 --memory hbm --topology 'core:8 pu:1' | grep ^memory"
is hbm-json '  "hbm_numa": [4, 5],' \
	sh -c "'$splitpin' plan -n 2 --cores 2 --memory hbm:bind --allowed 0-35 --topology $snc4_flat --format json | grep hbm_numa"
is team-no-number "splitpin: warning: OMP_NUM_THREADS=banana is wrong: use a number from 1 up, or one for each nested level, such as 4,2" \
	sh -c "OMP_NUM_THREADS=banana '$splitpin' plan -n 1 --topology $knl 2>&1 >/dev/null"
is team-no-list "splitpin: warning: OMP_NUM_THREADS=1,x is wrong: use a number from 1 up, or one for each nested level, such as 4,2
0-63" sh -c "OMP_NUM_THREADS=1,x '$splitpin' plan -n 1 --topology 'core:64 pu:1' --format lists 2>&1"
wrong allowed-no-list "list of CPUs" plan -n 1 --topology $knl --allowed x
wrong gpus-no-list "numbers from 0 to 7" plan -n 1 --topology $tioga --gpus x
wrong gpus-too-few-lists "separated by colons" plan -n 3 --topology $tioga --gpus 0:1
wrong gpus-none-there "has no GPU" plan -n 1 --topology $knl --gpus 0
wrong unknown-setting "did you mean --smt?" plan -n 1 --smtt=1
wrong wrong-value "SPLITPIN_SMT=x is wrong: use" plan -n 1 --smt=x
verdict "wrong-value: nothing is used instead" "$(expect said "$("$splitpin" plan -n 1 --smt x 2>&1)" "splitpin: SPLITPIN_SMT=x is wrong: use all, or a number from 1")"
wrong unknown-format "text, json, masks" plan -n 1 --format pdf
wrong unknown-launcher "slurm, openmpi" plan -n 1 --for jsrun
wrong unknown-option "frob: unknown option" plan -n 1 --frob
wrong option-without-value "needs a value" plan -n
wrong stray-argument "takes a program only behind a launcher or with --for" plan -n 1 x
wrong turned-off "SPLITPIN=off" env SPLITPIN=off "$splitpin" plan -n 1
wrong unknown-command "unknown command" "$splitpin" frob
wrong run-nothing "no program given" "$splitpin" run
wrong run-wrong-value "is wrong" "$splitpin" run --smt x true
wrong run-unknown-option "frob: unknown option" "$splitpin" run --frob true
wrong run-without-launcher "-n is an option of launchers, and no launcher stands in front of it: splitpin run -- mpirun -n 4 ./program" "$splitpin" run -n 2 true
wrong run-long-without-launcher "--np=2 is an option of launchers, and no" "$splitpin" run --np=2 true
wrong run-misspelt-option "--smtt: unknown option: did you mean --smt?" "$splitpin" run --smtt 1 true
wrong run-ambiguous-option "--de: ambiguous option: --debug or --devices?" "$splitpin" run --de gpu true
is run-switch-word "on" "$splitpin" run --debug on sh -c "printenv SPLITPIN_DEBUG"
printf '#!/bin/sh\necho ran\n' >"$work/true"
chmod +x "$work/true"
is run-switch-word-alone ran env "PATH=$work:$PATH" "$splitpin" run --debug true
is run-switch-of-more "memory" "$splitpin" run --report memory printenv SPLITPIN_REPORT
# shellcheck disable=SC2016 # for the inner shell
is run-switch-of-its-own "1" sh -c 'cd "$1" && printf "#!/bin/sh\nprintenv SPLITPIN_DEBUG\n" > memory && chmod +x memory && PATH=.:$PATH "$2" run --debug memory x' - "$work" "$splitpin"
is run-switch-machine "core:2 pu:1" "$splitpin" run --dryrun "core:2 pu:1" printenv SPLITPIN_DRYRUN
is run-switch-no-machine "a:b" "$splitpin" run --debug echo a:b
is run-switch-off "off" "$splitpin" run --report off printenv SPLITPIN_REPORT
is help-on-a-command "usage: splitpin run [OPTION]... [--] COMMAND [ARGUMENT]..." sh -c "'$splitpin' help run | head -n 1"
is help-of-help "usage: splitpin COMMAND [OPTION]... [ARGUMENT]..." sh -c "'$splitpin' help --help | head -n 1"
is help-on-one-screen "yes" sh -c "[ \$('$splitpin' help | wc -l) -le 25 ] && [ \$('$splitpin' help | grep -c '^  SPLITPIN') = 10 ] && echo yes"
is help-on-settings "$(grep -c '^	{ { "SPLITPIN_' lib/settings/config.c)" sh -c "'$splitpin' help settings | grep -c '^  SPLITPIN_'"
is help-on-a-setting "  SPLITPIN_SMT" sh -c "'$splitpin' help smt | grep '^  [A-Z]'"
is run-dry-run-reports "1" "$splitpin" run --dryrun printenv SPLITPIN_REPORT
is run-dry-run-of-ones-own "off" env SPLITPIN_REPORT=off "$splitpin" run --dryrun printenv SPLITPIN_REPORT
wrong domain-of-a-number "(0-0: CPU 0 alone)" plan -n 1 --domain 0
is domain-of-one-cpu "0" sh -c "'$splitpin' plan -n 1 --domain 0-0 --topology 'core:2 pu:1' --format lists"
wrong line-of-torchrun "splitpin does not read the options of torchrun: give -n RANKS -t THREADS" plan torchrun --nproc-per-node 2 train.py
is version-of-a-command "$("$splitpin" --version)" "$splitpin" show --version
is json-as-an-option "$("$splitpin" plan -n 2 --topology "pack:2 core:2 pu:1" --format json)" plan -n 2 --json --topology "pack:2 core:2 pu:1"
wrong check-without-launcher "-n is an option of launchers, and no launcher stands in front of it: splitpin check -- mpirun -n 4 ./program" \
	"$splitpin" check -n 2 true
wrong compare-without-launcher "--bind-to is an option of launchers, and no launcher stands in front of it: splitpin compare -- mpirun" \
	"$splitpin" compare --bind-to core true
wrong no-command "--: unknown command; splitpin has run," "$splitpin" -- mpirun -n 2 true
wrong option-as-command "-n: unknown command; splitpin has run," "$splitpin" -n 2 true
wrong survey-with-a-unit "--every 10s: use seconds from 0.01 to 31536000" "$splitpin" survey run --every 10s
for word in watch top status ps; do wrong "hint-for-$word" "did you mean splitpin show?" "$splitpin" $word; done
wrong a-program-as-command "env: unknown command: did you mean splitpin run -- env?" "$splitpin" env true
wrong help-on-nothing "xyzzy: unknown command; splitpin has run" "$splitpin" help xyzzy
wrong run-value-too-much "--help takes no value" "$splitpin" run --help=3
wrong plan-misspelt-option "--topolgy: unknown option: did you mean --topology?" plan --topolgy x -n 1
wrong swapped-letters "plna: unknown command: did you mean splitpin plan?" "$splitpin" plna
wrong swapped-letters-of-help "plna: unknown command: did you mean splitpin help plan?" "$splitpin" help plna
wrong swapped-at-the-end "shwo: unknown command: did you mean splitpin show?" "$splitpin" shwo
wrong swapped-in-three "rnu: unknown command: did you mean splitpin run?" "$splitpin" rnu
wrong swapped-option "--toploogy: unknown option: did you mean --topology?" plan --toploogy x -n 1
is run-help-has-alone-once 1 sh -c "'$splitpin' run --help | grep -c -e '^ *--alone'"
is run-alone-off "no" sh -c "SPLITPIN_LOCAL_RANK=alone '$splitpin' run --alone off printenv SPLITPIN_LOCAL_RANK || echo no"
wrong run-alone-what "--alone pin: use off, or nothing" "$splitpin" run --alone=pin true
# GNU's coreutils close their standard error before they end.
is run-alone-report 1 sh -c "'$splitpin' run --alone --report -- sleep 0 2>&1 | grep -c 'result: 1 of 1 rank'"
is run-alone-report-closed 1 sh -c "'$splitpin' run --alone --report -- bash -c 'exec 2>&-' 2>&1 | grep -c 'result: 1 of 1 rank'"
# shellcheck disable=SC2016 # the program's shell expands
is run-alone-report-in-children "one none" "$splitpin" run --alone --report bash -c '
	fds() { [ -e "/proc/$BASHPID/fd/500" ] && printf one || printf none; }
	fds && printf " " && (fds; :)'
is run-alone "alone" "$splitpin" run --alone printenv SPLITPIN_LOCAL_RANK
wrong misspelt-command "chekc: unknown command: did you mean splitpin check?" "$splitpin" chekc
wrong topology-of-the-environment "SPLITPIN_DRYRUN=nothing:3: neither a file" env SPLITPIN_DRYRUN=nothing:3 "$splitpin" plan -n 1
wrong topology-file-of-the-environment "SPLITPIN_DRYRUN=/nowhere.xml: cannot be read" \
	env SPLITPIN_DRYRUN=/nowhere.xml "$splitpin" plan -n 1
# warns NAME WARNING COMMAND...: a plan, and one line that has the warning; without one: none.
warns() {
	local name=$1 warning=$2 status
	shift 2
	"$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	if [ $status = 0 ] && [ -s "$work/out" ] && { [ -z "$warning" ] && ! [ -s "$work/err" ] ||
		{ [ -n "$warning" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -e "$warning" "$work/err"; }; }; then
		pass "$name"
	else
		fail "$name" "status $status, \"$(cat "$work/err")\""
	fi
}
warns smt-that-is-not-there "warning: SPLITPIN_SMT: the cores of core:4 pu:2 have at most 2 hardware threads: all are used" plan -n 1 -t 1 --smt 3 --topology "core:4 pu:2"
is smt-that-is-not-there-explained "1 rank with 4 cores" sh -c "'$splitpin' plan -n 1 -t 1 --smt 3 --topology 'core:4 pu:2' 2>/dev/null | sed -n 2p"
warns beside-ignored "warning: SPLITPIN_NEIGHBOURS=ignore: a run leaves nothing to the jobs of --beside" plan -n 1 -t 1 --neighbours ignore --beside "-n 1 -t 1" --topology "core:4 pu:2"
warns beside-heeded "" plan -n 1 -t 1 --beside "-n 1 -t 1" --topology "core:4 pu:2"
warns smt-that-is-there "" plan -n 1 -t 1 --smt 2 --topology "core:4 pu:2"
warns all-gpus-of-none "warning: --gpus all: core:4 pu:2 has no GPU" plan -n 1 -t 1 --gpus all --topology "core:4 pu:2"
warns more-threads-than-cpus "warning: 2 ranks have more threads than CPUs: rank 0 has 1 CPU for 2 threads" plan -n 2 -t 2 --topology "core:2 pu:1"
# The rule of a run: threads without a core each, or one CPU each that are not alike on all cores, are left to the kernel.
is threads-left-to-the-kernel $'0-1 0-1\n0-1 0-1' sh -c "'$splitpin' plan -n 2 -t 2 --topology 'core:2 pu:1' --format json 2>/dev/null |
	python3 -c 'import json, sys
for rank in json.load(sys.stdin)[\"ranks\"]: print(*(\"%d-%d\" % (min(t[\"cpus\"]), max(t[\"cpus\"])) for t in rank[\"threads\"]))'"
is uneven-threads-left-to-the-kernel "      threads 0-6: CPUs 0-15" sh -c "'$splitpin' plan -n 2 -t 7 --topology 'core:8 pu:2' | tail -n 1"
is uneven-threads-are-bound-without "    env OMP_NUM_THREADS=3 OMP_PLACES=threads OMP_PROC_BIND=close ./a" sh -c "'$splitpin' plan -n 2 -t 3 --topology 'core:4 pu:2' --for slurm -- ./a | tail -n 1"
warns as-many-threads-as-cpus "" plan -n 2 -t 2 --topology "core:2 pu:2"
wrong reserve-leaves-too-little "-n 2: SPLITPIN_RESERVE leaves room for 1 rank" plan -n 2 --reserve 1 --topology "core:2 pu:1"
wrong smt-leaves-too-little "-n 5: SPLITPIN_SMT leaves room for 4 ranks" plan -n 5 --smt 1 --topology "core:4 pu:2"
wrong several-leave-too-little "-n 8: the settings leave room for 3 ranks" plan -n 8 --smt 1 --reserve 1 --topology "core:4 pu:2"
wrong more-ranks-than-cpus "-n 9: more ranks than CPUs" plan -n 9 --smt 1 --topology "core:4 pu:2"
is many-threads-in-one-line "      threads 0-49: CPU 0; threads 50-99: CPU 1" sh -c "'$splitpin' plan -n 1 -t 100 --bind close --topology 'core:2 pu:1' 2>/dev/null | tail -n 1"
is more-threads-than-cpus-in-one-line "      threads 0-99: CPUs 0-1" sh -c "'$splitpin' plan -n 1 -t 100 --topology 'core:2 pu:1' 2>/dev/null | tail -n 1"

# Launchers' lines, some of which are not installed: by their names and, for mpirun, by what is in its file.
mkdir -p "$work/openmpi" "$work/mpich"
printf '#!/bin/sh\n' | tee "$work/openmpi/mpirun" >"$work/openmpi/orterun"
printf '#!/bin/sh\n# hydra\n' >"$work/mpich/mpirun"
mkdir -p "$work/openmpi5"
printf '#!/bin/sh\n' | tee "$work/openmpi5/mpirun" "$work/openmpi5/prterun" >"$work/openmpi5/orterun"
chmod +x "$work"/openmpi/* "$work"/openmpi5/* "$work/mpich/mpirun"
# line NAME RANKS THREADS COMMAND...: how many ranks are planned, and how many threads each has.
line() {
	local name=$1 ranks=$2 threads=$3
	shift 3
	is "line-$name" "$ranks: $threads" sh -c '"$@" | python3 -c "
import json, sys
r = json.load(sys.stdin)[\"ranks\"]
print(len(r), end=\": \")
print(*(len(x[\"threads\"]) for x in r))"' sh "$splitpin" plan --topology "core:16 pu:1" --format json "$@"
}
o=$work/openmpi/mpirun m=$work/mpich/mpirun
line openmpi 4 "2 2 2 2" "$o" -x OMP_NUM_THREADS=2 -n 4 ./a -n 9
line openmpi-np 2 "8 8" "$o" -np 2 ./a
line openmpi-a-node 3 "1 1 1" "$o" -n 6 -N 3 --host a,b -x OMP_NUM_THREADS=1 ./a
line openmpi-ppr 2 "1 1" "$o" --map-by ppr:2:node:PE=8 -n 4 --host a,b -x OMP_NUM_THREADS=1 ./a
line openmpi-parts 3 "2 2 8" "$o" -n 2 -x OMP_NUM_THREADS=2 ./a : -n 1 -x OMP_NUM_THREADS=8 ./b
line openmpi-list 2 "3 3" "$o" --mca mca_base_env_list "A=1;OMP_NUM_THREADS=3" -n 2 ./a
line mpich 2 "3 3" "$m" -n 2 -genv OMP_NUM_THREADS 3 ./a
line mpich-assignment 2 "3 3" "$m" -genv OMP_NUM_THREADS=3 -n 2 ./a
line mpich-a-node 4 "1 1 1 1" "$m" -hosts a,b -ppn 4 -n 8 -env OMP_NUM_THREADS 1 ./a
line mpich-for-all-programs 4 "2 2 2 2" "$m" -n 2 -genv OMP_NUM_THREADS 2 ./a : -n 2 ./b
line mpich-own-before-all 3 "3 2 2" "$m" -genv OMP_NUM_THREADS 2 -n 1 -env OMP_NUM_THREADS 3 ./a : -n 2 ./b
line mpich-a-rank-a-program 3 "1 1 1" "$m" -genv OMP_NUM_THREADS 1 -n 2 ./a : ./b
line openmpi-list-for-all-programs 2 "3 3" "$o" -n 1 --mca mca_base_env_list OMP_NUM_THREADS=3 ./a : -n 1 ./b
line openmpi5-x-of-another-program 3 "3 2 3" "$work/openmpi5/mpirun" -n 1 -x OMP_NUM_THREADS=3 ./a : -n 1 -x OMP_NUM_THREADS=2 ./b : -n 1 -x OMP_NUM_THREADS=3 ./c
line openmpi5-x-for-all-programs 2 "2 2" "$work/openmpi5/mpirun" -n 1 ./a : -n 1 -x OMP_NUM_THREADS=2 ./b
line openmpi-more-threads-than-a-process-has 2 "14 2" "$o" -n 1 -x OMP_NUM_THREADS=100000000 ./a : -n 1 -x OMP_NUM_THREADS=2 ./b
line srun 4 "1 1 1 1" srun -N 2 -n 8 --export=ALL,OMP_NUM_THREADS=1 ./a
line srun-a-node 2 "1 1" env OMP_NUM_THREADS=1 srun -N2-4 --ntasks-per-node=2 ./a
line wrappers 2 "5 5" env OMP_NUM_THREADS=4 nohup "$m" -n 2 env OMP_NUM_THREADS=5 nice ./a
line continued 2 "5 5" bash -c "$m \\
	-n 2 env \"OMP_NUM_THREADS=\\
5\" ./a"
line shell 2 "5 5" bash -c "cd /tmp && $m -n 2 env OMP_NUM_THREADS=5 ./a"
line own-ranks-count-more 3 "1 1 1" -n 3 -t 1 "$o" -n 2 ./a
line settings-of-the-line 2 "1 1" --cores 1 "$m" -n 2 -genv SPLITPIN_SMT 1 ./a
line nested-teams 2 "4 4" "$m" -genv OMP_NUM_THREADS 2,2 -n 2 ./a
line nested-teams-beside-others 2 "6 4" "$m" -n 1 -env OMP_NUM_THREADS 3,2 ./a : -n 1 -env OMP_NUM_THREADS 4 ./b
line no-list-of-teams 2 "8 8" "$m" -genv OMP_NUM_THREADS 1,x -n 2 ./a
line thread-limit 2 "3 3" "$m" -genv OMP_NUM_THREADS 2,2 -genv OMP_THREAD_LIMIT 3 -n 2 ./a
line threads-of-a-library 2 "5 5" "$m" -genv OMP_NUM_THREADS 1 -genv MKL_NUM_THREADS 5 -n 2 ./a
line threads-of-a-library-alone 2 "8 8" "$m" -genv MKL_NUM_THREADS 1 -n 2 ./a
is nested-teams-are-said "threads: 4, nested teams (OMP_NUM_THREADS) and libraries' threads (such as MKL_NUM_THREADS) counted, and numbered as one team" \
	sh -c 'OMP_NUM_THREADS=2,2 COLUMNS=300 "$@" | grep ^threads:' sh "$splitpin" plan -n 2 --topology "core:16 pu:1"
lacks nested-teams-of-an-option threads: env OMP_NUM_THREADS=2,2 "$splitpin" plan -n 2 -t 2 --topology "core:16 pu:1"
lacks nested-teams-for-a-launcher OMP_NUM_THREADS=4 env OMP_NUM_THREADS=2,2 "$splitpin" plan -n 2 --topology "core:16 pu:1" --for slurm
line behind-run 2 "1 1" "$splitpin" run --cores 1 -- "$m" -n 2 ./a
line behind-run-and-wrappers 2 "3 3" env OMP_NUM_THREADS=3 "$splitpin" run --smt 1 nohup "$m" -n 2 ./a
line behind-two-runs 2 "2 2" "$splitpin" run --cores 1 "$splitpin" run --cores=2 -- "$m" -n 2 ./a
line options-of-the-plan-over-run 2 "1 1" --cores 1 "$splitpin" run --cores 2 -- "$m" -n 2 ./a
line of-one-program-alone 2 "4 1" "$m" -genv OMP_NUM_THREADS 1 -n 1 env OMP_NUM_THREADS=4 ./a : -n 1 ./b
line behind-the-option 2 "4 4" "$o" -x OMP_NUM_THREADS=1 -n 2 env OMP_NUM_THREADS=4 ./a
wrong line-behind-a-wrong-run "--smtt: unknown option" plan "$splitpin" run --smtt 1 "$m" -n 2 ./a
is mask-of-this-process "${allowed%%[-,]*}" taskset -c "${allowed%%[-,]*}" "$splitpin" plan -n 1 --format lists
is mask-of-this-process-ignored "$allowed" taskset -c "${allowed%%[-,]*}" "$splitpin" plan -n 1 --inherited ignore --format lists
wrong line-of-too-many-ranks "the line has 50000000 ranks; splitpin plans up to 8192" plan "$o" -n 50000000 ./a
wrong line-of-many-more-ranks "the line has 4294967295 ranks" plan "$o" -n 4294967000 -x OMP_NUM_THREADS=2 ./a : -n 300 -x OMP_NUM_THREADS=4 ./b
wrong line-without-ranks "how many ranks? The line of mpirun of Open MPI does not say" plan "$o" ./a
wrong line-of-several-nodes "how many of the 2 ranks are on a node?" plan "$o" --host a,b -n 2 ./a
wrong line-of-srun-in-a-job "how many ranks? The line of srun does not say" env SLURM_JOB_ID=1 "$splitpin" plan --format lists srun ./a
wrong line-of-mpirun-in-a-job "how many of the 2 ranks are on a node?" env PBS_JOBID=1 "$splitpin" plan --format lists "$m" -n 2 ./a
wrong line-of-an-unknown-launcher "splitpin does not read the options of flux: give -n RANKS in front of it" plan flux run -n 2 ./a
wrong line-and-advise "--advise takes no command" plan --advise "$o" -n 2 ./a
# What a plan does not read of a line.
unread() { warns "line-not-read: $1" "warning: a plan reads ranks, threads and variables of a line, and not $1; splitpin check" plan --topology "core:4 pu:1" "${@:2}"; }
unread "--bind-to core" "$o" --bind-to core -n 2 ./a
unread "--map-by slot:PE=2, --mca btl self" "$o" --map-by slot:PE=2 -x A=b --mca btl self -n 2 ./a
unread "-c 2, --hint=nomultithread" srun -n 2 -c 2 --hint=nomultithread ./a
unread taskset "$m" -n 2 taskset -c 0 env A=b ./a
if command -v numactl >/dev/null; then
	unread numactl numactl -N 0 "$m" -n 2 ./a
else
	skip "line-not-read: numactl" "no numactl"
fi
warns line-read-as-a-whole "" plan --topology "core:4 pu:1" "$o" -x A=b -n 2 ./a
warns reserved-cpus-that-are-not-there "warning: SPLITPIN_RESERVE=7-8 reserves nothing: the CPUs here are 0-3" plan --topology "core:4 pu:1" --reserve 7-8 -n 2
warns reserved-cpu-that-is-not-there "warning: SPLITPIN_RESERVE=7-7 reserves nothing: the CPUs here are 0-3" plan --topology "core:4 pu:1" --reserve 7-7 -n 2
warns reserved-cpus-some-of-which-are-there "" plan --topology "core:4 pu:1" --reserve 0,7-8 -n 2
warns line-with-threads "" plan --topology "core:4 pu:1" "$o" -n 2 -x OMP_NUM_THREADS=2 ./a
warns line-with-a-setting "" plan --topology "core:4 pu:1" --cores all "$o" -n 2 ./a
is plan-settings-are-options "$(SPLITPIN_SMT=1 SPLITPIN_CORES=2 "$splitpin" plan -n 2 -t 1 --topology "core:8 pu:2" --format lists)" \
	"$splitpin" plan -n 2 -t 1 --topology "core:8 pu:2" --smt 1 --cores=2 --debug 1 --format lists
is full-device 1 sh -c "'$splitpin' plan -n 1 >/dev/full 2>/dev/null; echo \$?"

# The settings that docs/launchers.md recommends exist and take these values.
recommended() {
	local setting
	# shellcheck disable=SC2013 # words
	for setting in $(grep -o 'SPLITPIN_[A-Z_]*=[^` ]*' docs/launchers.md | sed 's/=[NM]$/=2/; s/LIST:LIST/0-1:2-3/' | sort -u); do
		env "$setting" "$splitpin" plan -n 1 --topology "core:8 pu:2" --format lists | grep -q . || echo "not $setting"
	done
	echo "${setting:+all}"
}
is settings-of-the-table all recommended

# run.
environment() { "$@" | grep -E '^(LD_PRELOAD|SPLITPIN_)' | grep -v '^SPLITPIN_RUN=' | LC_ALL=C sort; }
is run-says-that-it-was-typed ranks "$splitpin" run printenv SPLITPIN_RUN
is run-team-no-number "splitpin: warning: OMP_NUM_THREADS=banana is wrong: use a number from 1 up, or one for each nested level, such as 4,2" \
	sh -c "OMP_NUM_THREADS=banana '$splitpin' run true 2>&1"
is run-preloads "LD_PRELOAD=$preload" environment "$splitpin" run env
is run-keeps-preloads "LD_PRELOAD=$preload:libm.so.6" environment env LD_PRELOAD=libm.so.6 "$splitpin" run env
is run-preloads-once "LD_PRELOAD=$preload" environment "$splitpin" run "$splitpin" run env
is run-sets "LD_PRELOAD=$preload
SPLITPIN_CORES=4
SPLITPIN_DEBUG=1
SPLITPIN_LOCAL_RANK=0
SPLITPIN_SMT=1" environment "$splitpin" run --smt 1 --cores=4 --debug --local-rank=0 -- env
is run-flags-with-a-blank "LD_PRELOAD=$preload
SPLITPIN_DEBUG=1
SPLITPIN_REPORT=0" environment "$splitpin" run --debug 1 --report 0 env
is run-leaves-options-to-the-command "--smt" "$splitpin" run --smt 2 -- echo --smt
is run-a-variable "splitpin: A_1=2: no such program: it sets a variable, so put it in front of splitpin, or env in front of it" \
	sh -c "'$splitpin' run A_1=2 true 2>&1"
is run-quoted "splitpin: echo 1: no such program: leave out the quotes around the command" sh -c "'$splitpin' run 'echo 1' 2>&1"
is run-without-a-folder "splitpin: splitpin-here: no such program: it is in this folder, so put ./ in front of it" \
	sh -c "cd '$work' && ln -sf /bin/true splitpin-here && '$splitpin' run splitpin-here 2>&1"
printf '#!/bin/sh\r\ntrue\r\n' > "$work/crlf.sh" && chmod +x "$work/crlf.sh"
the_interpreter="the file is here, but not the interpreter that it names (lines of a script may end as on Windows)"
is run-a-script-of-windows "splitpin: $work/crlf.sh: no such program: $the_interpreter" \
	sh -c "'$splitpin' run '$work/crlf.sh' 2>&1"
is run-not-found 127 sh -c "'$splitpin' run -- /no/such/program 2>/dev/null; echo \$?"
is run-not-executable 126 sh -c "'$splitpin' run -- /etc/passwd 2>/dev/null; echo \$?"
is run-status 3 sh -c "'$splitpin' run -- sh -c 'exit 3'; echo \$?"

own_cpus() { "$@" grep Cpus_allowed_list /proc/self/status | cut -f 2; }
first=$("$splitpin" plan -n 1 --allowed "$cpus" --cores=1 --format lists)
is alone-one-core "$first" own_cpus "$splitpin" run --alone --cores 1 --
is alone-all-cores "$cpus" own_cpus "$splitpin" run --alone --
is alone-sets "LD_PRELOAD=$preload
SPLITPIN_LOCAL_RANK=alone" environment "$splitpin" run --alone env
# One inside another: the inner one's settings win, the others stay, and nothing is said twice or for the other one.
is inner-sets "LD_PRELOAD=$preload
SPLITPIN_DEBUG=1
SPLITPIN_LOCAL_RANK=alone
SPLITPIN_SMT=2" environment "$splitpin" run --alone off --debug --smt 1 -- nice "$splitpin" run --alone --smt 2 env
is inner-off-is-said-once "splitpin: nothing will be pinned: switched off by SPLITPIN=off in the environment" \
	sh -c "SPLITPIN=off '$splitpin' run -- '$splitpin' run true 2>&1"
is inner-on ran sh -c "SPLITPIN=off '$splitpin' run -- env SPLITPIN=on '$splitpin' run '$work/true' 2>&1"
is inner-team-no-number 1 sh -c "OMP_NUM_THREADS=banana '$splitpin' run -- '$splitpin' run true 2>&1 | wc -l"

# What --for prints really places ranks as planned: the masks of all, sorted.
# foreign NAME LAUNCHER [EDIT [RUN]]: EDIT turns the commands into ones for this machine,
# RUN starts them if LAUNCHER is not the command.
show_mask="grep Cpus_allowed_list /proc/self/status"
# shellcheck disable=SC2016 # for that shell
printf '#!/bin/sh\necho "mask of $1 $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status),$OMP_NUM_THREADS"\n' >"$work/mask-of"
chmod +x "$work/mask-of"
foreign() {
	local name=for-$1 planned found
	if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
		skip "$name" "${confined:-it takes two CPUs}"
		return
	fi
	planned=$("$splitpin" plan -n 2 --format lists)
	# shellcheck disable=SC2086 # a command with its arguments
	found=$(cd "$work" && "$splitpin" plan -n 2 -t 1 --for "$2" -- $show_mask | sed -e "${3-}" |
		timeout -k 5 "$hangs" sh 2>&1 | sed -n 's/^Cpus_allowed_list:\t//p' | sort -n)
	if [ -n "$planned" ] && [ "$planned" = "$found" ]; then pass "$name"; else fail "$name" "planned $planned, found $found"; fi
	case $2 in torchrun | deepspeed) return ;; esac
	# Two programs, each with its share and its threads.  PRRTE 3.0.8 ends by a signal with any two.
	# shellcheck disable=SC2086 # a command with its arguments
	if ! ${4:-$2} -n 1 true : -n 1 true >/dev/null 2>&1; then
		skip "$name-parts" "${4:-$2} does not start two programs"
		return
	fi
	planned=$("$splitpin" plan --cores 1 -n 1 -t 1 : -n 1 -t 2 --format lists 2>/dev/null | paste -s -d ' ')
	found=$(cd "$work" && "$splitpin" plan --for "$2" --cores 1 -n 1 -t 1 ./mask-of first : -n 1 -t 2 ./mask-of second 2>/dev/null | sed -e "${3-}" |
		timeout -k 5 "$hangs" sh 2>&1 | sed -n 's/^mask of //p' | sort | cut -d ' ' -f 2,3 | paste -s -d ' ')
	verdict "$name-parts" "$(expect "masks and threads" "$found" "$(echo "$planned" | sed 's/$/,2/; s/ /,1 /')")"
}
# Those of the system, by the names of their launchers, which are asked for their versions.
for mpi in openmpi mpich; do
	if run=$(mpi_tool $mpi mpirun); then
		foreign $mpi "$run"
		[ $mpi = mpich ] || run="$run --bind-to none"
		foreign openmp-$mpi openmp "s!^mpiexec!$run!" "$run"
	else
		skip for-$mpi "no $mpi"
	fi
done
# wheel NAME: those of "make deps"; mpirun is theirs where their folder is in front.
wheel() {
	local missing
	missing=$(absent "$1")
	if [ -n "$missing" ]; then
		skip "for-$1" "$missing"
	else
		PATH=$deps/$1/bin:$PATH foreign "$1" mpiexec
	fi
}
wheel ompi5
wheel mpich5
wheel impi
# Their variables, without PyTorch.
cat >"$work/torchrun" <<'END'
#!/bin/sh
case ${0##*/}:$1:$2:$4:$5 in
torchrun:--standalone:--nproc_per_node:--no_python:*) n=$3 && shift 4 ;;
deepspeed:--num_gpus:*:--no_local_rank:*) n=$2 && [ "$3" = --no_python ] && shift 4 ;;
*) exit 2 ;;
esac
i=0
while [ $i -lt "$n" ]; do
	LOCAL_RANK=$i "$@" || exit
	i=$((i + 1))
done
END
chmod +x "$work/torchrun"
ln -sf torchrun "$work/deepspeed"
PATH=$work:$PATH foreign torchrun torchrun
PATH=$work:$PATH foreign deepspeed deepspeed

# What is not on this machine, or is another's: the words.
fake() {
	mkdir -p "$work/fake"
	printf '#!/bin/sh\necho "%s"\n' "$1" >"$work/fake/mpirun"
	chmod +x "$work/fake/mpirun"
}
# for_fake VERSION: the last command that --for mpirun prints where mpirun says that it is this.
for_fake() {
	fake "$1"
	PATH=$work/fake:$PATH "$splitpin" plan -n 2 -t 4 --topology "core:8 pu:1" --for mpirun -- ./a.out "a b" | grep -A 1 '^mpirun'
}
is for-asks-openmpi4 "mpirun -n 2 --host localhost:2 --mca rmaps_rank_file_physical 1 --use-hwthread-cpus --rankfile rankfile \\
    env OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close ./a.out 'a b'" for_fake "mpirun (Open MPI) 4.1.6"
is for-asks-openmpi5 "mpirun -n 2 --host localhost:2 --map-by rankfile:file=rankfile:HWTCPUS:NOOVERSUBSCRIBE \\
    env OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close ./a.out 'a b'" for_fake "mpirun (Open MPI) 5.0.3"
is for-asks-mpich "mpirun -n 2 -bind-to user:0+1+2+3,4+5+6+7 \\
    env OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close ./a.out 'a b'" for_fake "HYDRA build details:"
is for-asks-intel "mpirun -n 2 -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN '[0xf,0xf0]' \\
    env OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close ./a.out 'a b'" for_fake "Intel(R) MPI Library for Linux* OS, Version 2021.13"
# One context a part, each with its variables and its program.
# for_parts LAUNCHER [OPTION]...: the lines behind the wrapper.
for_parts() {
	"$splitpin" plan --topology "core:8 pu:1" --for "$@" | sed '1,/^chmod/{/^cat >places/,/^chmod/d}'
}
parts="-n 2 -t 1 ./a : -n 1 -t 6 ./b 2"
# shellcheck disable=SC2086 # options
{
is for-parts-openmpi4 "cat >rankfile <<'END'
rank 0=localhost slot=0
rank 1=localhost slot=1
rank 2=localhost slot=2-7
END
mpirun --host localhost:3 --mca rmaps_rank_file_physical 1 --use-hwthread-cpus --rankfile rankfile \\
    -n 2 env OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close ./a : \\
    -n 1 env OMP_NUM_THREADS=6 OMP_PLACES=cores OMP_PROC_BIND=close ./b 2" for_parts openmpi4 $parts
is for-parts-mpich "mpiexec -bind-to user:0,1,2+3+4+5+6+7 \\
    -n 2 env OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close ./a : \\
    -n 1 env OMP_NUM_THREADS=6 OMP_PLACES=cores OMP_PROC_BIND=close ./b 2" for_parts mpich $parts
is for-parts-intel "mpiexec -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN '[0x1,0x2,0xfc]' \\
    -n 2 env OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close COMMAND : \\
    -n 1 env OMP_NUM_THREADS=6 OMP_PLACES=cores OMP_PROC_BIND=close COMMAND" for_parts intel -n 2 -t 1 : -n 1 -t 6
is for-parts-slurm "cat >programs.conf <<'END'
0-1 ./places.sh ./a
2-2 ./places.sh ./b 2
END
# in a job that has all CPUs of the node
srun -N 1 -n 3 --cpu-bind=mask_cpu:0x1,0x2,0xfc \\
    --multi-prog programs.conf" for_parts slurm $parts
is for-parts-slurm-one-program "# in a job that has all CPUs of the node
srun -N 1 -n 3 --cpu-bind=mask_cpu:0x1,0x2,0xfc \\
    ./places.sh ./a 'x y'" for_parts slurm -n 2 -t 1 : -n 1 -t 6 ./a "x y"
is for-parts-pals "mpiexec -n 3 --ppn 3 --cpu-bind list:0:1:2-7 \\
    ./places.sh ./a" for_parts pals -n 2 -t 1 : -n 1 -t 6 -- ./a
is for-parts-torchrun "0) OMP_NUM_THREADS=1 cpus=0 ;;
1) OMP_NUM_THREADS=1 cpus=1 ;;
2) OMP_NUM_THREADS=6 cpus=2-7 ;;" sh -c "'$splitpin' plan --topology 'core:8 pu:1' --for torchrun -n 2 -t 1 : -n 1 -t 6 ./a.py | grep '^[0-9])'"
is for-parts-openmp "# with a launcher that does not bind
mpiexec \\
    -n 2 ./places.sh ./a : \\
    -n 1 ./places.sh ./b 2" for_parts openmp $parts
wrong for-parts-of-pals "--for pals: its lists of CPUs are for one program" plan --for pals $parts
wrong for-parts-of-torchrun "--for torchrun: it starts one program" plan --for torchrun $parts
}
wrong for-parts-of-slurm-quoted "takes no words with blanks, quotes, # or %: start a script in part 2" plan --for srun -n 1 ./a : -n 1 -t 2 ./b "x y"
wrong for-parts-without-program "part 2 has no program" plan --for mpich -n 1 ./a : -n 1
wrong for-beside-shared "--for mpich: too few cores are free for all threads" plan --for mpich -n 2 -t 4 --beside "-n 2 -t 5" --topology "$parts16"
fake "mpirun of nobody"
is np "0x1,0x2" plan -np 2 --topology "core:2 pu:1" --format masks
wrong np-no-number "-np x: use a number" plan -np x
wrong np-without-value "use a number" plan -np
is for-srun "srun -N 1 -n 1 --cpu-bind=mask_cpu:0x3 \\" sh -c "'$splitpin' plan -n 1 -t 2 --topology 'core:2 pu:1' --for srun -- ./a | grep ^srun"
for word in mpirun /usr/bin/mpiexec.hydra srun; do
	wrong "for-a-launcher-$(basename $word)" "$word: --for mpich prints the launcher's command line: give it the program alone" \
		plan -n 1 --for mpich -- $word -n 1 ./a
done
wrong topology-without-quotes 'put "pack:2 core:8 ..." between quotes' plan -n 2 --topology pack:2 core:8 pu:2
wrong for-unknown-mpirun "names no known MPI library" env "PATH=$work/fake:$PATH" "$splitpin" plan -n 1 --for mpirun
wrong for-openmpi-is-another "use openmpi4 or openmpi5" env "PATH=$work/fake:$PATH" "$splitpin" plan -n 1 --for openmpi
wrong for-no-mpirun "no such program in PATH" env "PATH=/nowhere" "$splitpin" plan -n 1 --for mpirun
wrong for-and-format "exclude each other" plan -n 1 --for slurm --format masks
wrong for-twice "--for slurm contradicts --for mpich" plan -n 1 --for mpich --for slurm
wrong program-without-for "only behind a launcher or with --for LAUNCHER" plan -n 1 -- ./a.out

# A real run does what the plan says.
if [ "$ncpus" -lt 2 ]; then
	skip plan-is-what-runs "it takes two CPUs"
elif [ -n "$confined" ]; then
	skip plan-is-what-runs "$confined"
elif ! program=$(program none gcc alone.c); then
	skip plan-is-what-runs "it does not compile"
else
	planned=$("$splitpin" plan -n 2 --format lists)
	found=$(for rank in 0 1; do
		"$splitpin" run --debug --neighbours ignore --local-size 2 --local-rank $rank -- "$program" 2>&1 |
			sed -n 's/.* active=[a-z]* cpu_list=\([^ ]*\) .*/\1/p'
	done)
	if [ -n "$planned" ] && [ "$planned" = "$found" ]; then
		pass plan-is-what-runs
	else
		fail plan-is-what-runs "planned $planned, found $found"
	fi
fi

closing
