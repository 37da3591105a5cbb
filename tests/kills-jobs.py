#!/usr/bin/env python3
"""
The jobs of tests/kills.sh: starts them, several at a time, and judges each.

    tests/kills-jobs.py LAUNCH SETTLE PRELOAD JOBS SEED FOLDER [MPIEXEC]

Prints a line for each fault, which names the job's kind and seed, and as the
last lines the figures.  Ends with 1 where there was a fault.
"""
import collections
import concurrent.futures
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from cpu_lists import parse

LAUNCH, SETTLE, PRELOAD = sys.argv[1:4]
JOBS, SEED, FOLDER = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
MPIEXEC = sys.argv[7] if len(sys.argv) > 7 else ""

# lib/process/patience.h: no wait is longer.  It counts naps, as NAPS does, so that on
# a machine with fifty processes a CPU it may be ten times as long.
LONGEST_WAIT = 60
HANGS = 15 * LONGEST_WAIT
AT_A_TIME = 2 * os.cpu_count()

KNL = {"SPLITPIN_DRYRUN": "l2:34 core:2 pu:4"}
# A container that sees this /dev/shm and no other process, and one that sees neither.
PIDS = ["unshare", "-pf", "--kill-child", "--mount-proc"]
ALONE = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--tmpfs", "/dev/shm", "--die-with-parent"]


def possible(command):
	return shutil.which(command[0]) and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


# name: of 1000 jobs, ranks, launch's options, what comes before the launcher and before each rank, what ranks do, variables
Kind = collections.namedtuple("Kind", "weight ranks options around before what variables")
SH = ["sh", "-c", f"{SETTLE}; {SETTLE}"]
KINDS = {
	"8 ranks of a large node": Kind(250, 8, [], [], [], [SETTLE, "stay", "3"], KNL),
	"64 ranks of a large node": Kind(15, 64, [], [], [], [SETTLE, "stay", "3"], KNL),
	"2 ranks": Kind(200, 2, [], [], [], [SETTLE, "stay", "3"], {}),
	"2 ranks as Open MPI's": Kind(100, 2, [], [], [], [SETTLE, "stay", "3"], {"NAMESPACE": "{}"}),
	"2 ranks, bound": Kind(120, 2, ["-b"], [], [], [SETTLE, "stay", "3"], {}),
	"2 ranks with children": Kind(80, 2, ["-g"], [], [], [SETTLE, "system", SETTLE], {}),
	"2 ranks, programs one after the other": Kind(80, 2, [], [], [], SH, {}),
	"4 ranks on 2 CPUs": Kind(40, 4, [], [], [], [SETTLE, "stay", "3"], {}),
}
if possible(PIDS):
	KINDS["2 ranks in a PID name space each"] = Kind(40, 2, ["-g"], [], PIDS, [SETTLE, "stay", "3"], {"NAMESPACE": "{}"})
if possible(ALONE):
	KINDS["a container with 8 ranks"] = Kind(40, 8, [], ALONE, [], [SETTLE, "stay", "3"], KNL)
	KINDS["2 ranks in a container each"] = Kind(20, 2, ["-g"], [], ALONE, [SETTLE, "stay", "3"], {})
if MPIEXEC:
	KINDS["mpiexec"] = Kind(15, 4, [], [], [], [SETTLE, "stay", "3"], KNL)

# A rank that was killed may be missed, and one of another job, or one that still dies, be met: lib/engine's own words.
MAY_BE_SAID = re.compile(
	r"not all \d+ ranks of this node appeared within|another of your jobs uses CPU|other jobs of yours"
	r"|did not create it in time|another process has locked it|\d+ ranks share \d CPU|ranks overlap: ")
# Of each board once.  A rank that comes, or goes on, when all others have ended
# makes another board, and so does a second program: once a rank and program.
OF_EACH_BOARD = re.compile(r"another of your jobs uses CPU|not all \d+ ranks of this node appeared|did not create it in time")
SHARE = re.compile(r"rank=(\d+)/\d+ active=[a-z]+ cpu_list=([\d,-]+) .*why=\"(.*)\"")


def overlap(said):
	"""Which ranks that were placed have a CPU in common, or ""."""
	owner = {}
	for rank, share, why in SHARE.findall(said):
		if "kept" in why or "not pinned" in why or "share" in why.split(":")[0]:
			continue			# it was told that it is not placed
		for cpu in parse(share):
			if owner.setdefault(cpu, rank) != rank:
				return f"ranks {owner[cpu]} and {rank} both have CPU {cpu}"
	return ""


def too_many(kind, warnings):
	"""What is wrong with the number of warnings, or ""."""
	programs = 2 if SETTLE in kind.what[1:] or kind.what is SH else 1
	once = [line for line in warnings if not OF_EACH_BOARD.search(line)]
	if len(once) > 1 or len(warnings) > 2 * kind.ranks * programs:
		return f"{len(warnings)} warnings"
	for text in OF_EACH_BOARD.pattern.split("|"):
		if sum(bool(re.search(text, line)) for line in warnings) > kind.ranks * programs:
			return f"warned too often: {text}"
	return ""


def environment(kind, number, lot):
	variables = {name: value.format(f"job{number}") for name, value in kind.variables.items()}
	return {**os.environ, "SPLITPIN_DEBUG": "1", "SPLITPIN_WAIT": lot.choice(["0.03", "0.1", "0.5"]),
		"SPLITPIN_NEIGHBOURS": lot.choice(["ignore", "avoid"]), **variables}


def run_launch(kind, number, lot):
	"""Exit status, output, and the seconds that the ranks took that were not stopped."""
	options = [*kind.options, "-p", PRELOAD, "-s", str(lot.randrange(1 << 30))]
	if lot.random() < 0.8:
		options += ["-k", str(lot.choice([5, 15, 40]))]
	if lot.random() < 0.6 or "-k" not in options:
		options += ["-z", str(lot.choice([5, 15, 40]))]
	command = [*kind.around, LAUNCH, *options, str(kind.ranks), *kind.before, *kind.what]
	try:
		ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
			timeout=HANGS, env=environment(kind, number, lot))
	except subprocess.TimeoutExpired as late:
		return "it hangs", (late.stderr or b"").decode(), HANGS, 0, 0
	signals = re.search(r"^launch: (\d+) killed, (\d+) stopped, (\d+) ms", ended.stderr, re.M)
	took = re.search(r"^launch: (\d+) ms", ended.stderr, re.M)
	return (ended.returncode, ended.stderr, int((signals or took).groups()[-1]) / 1000 if took else 0,
		int(signals[1]) if signals else 0, int(signals[2]) if signals else 0)


def run_mpiexec(kind, number, lot):
	"""The same under a launcher of MPI: a rank or the launcher itself is killed, or a rank stands still for a while."""
	pids = f"{FOLDER}/pids.{number}"
	begin = time.monotonic()
	variables = environment(kind, number, lot)
	# The ranks end before the launcher does, or with it: nothing is left of a job where that is killed.
	with subprocess.Popen([MPIEXEC, "-n", str(kind.ranks), "sh", "-c", 'echo $$ >> "$0"; LD_PRELOAD=$1; export LD_PRELOAD; shift; exec "$@"',
			pids, PRELOAD, *kind.what], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
			text=True, errors="replace", env=variables) as job:
		stopped = killed = 0
		moment = time.monotonic() + lot.random() * 0.1
		while time.monotonic() < moment:
			time.sleep(0.002)
		try:
			with open(pids, encoding="ascii") as file:
				there = [int(pid) for pid in file.read().split("\n")[:-1]]
		except OSError:
			there = []
		way = lot.choice(["kill", "stop", "launcher"])
		victim = job.pid if way == "launcher" else lot.choice(there) if there else 0
		try:
			if victim and way == "stop":
				os.kill(victim, signal.SIGSTOP)
				stopped = 1
				time.sleep(lot.random() * 0.3)
				os.kill(victim, signal.SIGCONT)
			elif victim:
				os.kill(victim, signal.SIGKILL)
				killed = 1
		except ProcessLookupError:
			pass
		try:
			said = job.communicate(timeout=HANGS)[1]
		except subprocess.TimeoutExpired:
			job.kill()
			return "it hangs", "", HANGS, 0, 0
	if os.path.exists(pids):
		os.unlink(pids)
	said = "\n".join(re.sub(r"^\[\S+\] ", "", line) for line in said.splitlines() if "splitpin: " in line)
	return 0, said, time.monotonic() - begin, killed, stopped


class Naps(threading.Thread):
	"""The seconds that pass for one that naps all the time."""

	def __init__(self):
		super().__init__(daemon=True)
		self.seconds = 0
		self.start()

	def run(self):
		while True:
			time.sleep(0.005)
			self.seconds += 0.005


class Storm:
	def __init__(self):
		self.lock = threading.Lock()
		self.figures = collections.Counter()
		self.took, self.napped, self.most_files, self.faults = [], 0, 0, 0
		self.naps = Naps()
		self.lot = random.Random(SEED)
		self.done = 0

	def kinds(self):
		"""As many of each as its weight says, in random order."""
		return self.lot.choices(list(KINDS), [kind.weight for kind in KINDS.values()], k=JOBS)

	def one(self, number, name):
		kind, lot, begin = KINDS[name], random.Random(f"{SEED} {number}"), self.naps.seconds
		status, said, took, killed, stopped = (run_mpiexec if name == "mpiexec" else run_launch)(kind, number, lot)
		napped = self.naps.seconds - begin
		files = sum(file.startswith("splitpin-") for file in os.listdir("/dev/shm"))
		warnings = re.findall(r"^splitpin: warning: .*", said, re.M)
		wrong = [f"exit status {status}"] if status else []
		wrong += [text for text in [overlap(said)] if text]
		if napped > LONGEST_WAIT:
			wrong.append(f"it took {took} seconds, {napped:.0f} of them in naps")
		wrong += [text for text in [too_many(kind, warnings)] if text]
		wrong += [line for line in warnings if not MAY_BE_SAID.search(line)]
		wrong += [line for line in said.splitlines() if line and not line.startswith(("splitpin: ", "launch: "))]
		with self.lock:
			self.figures.update({"jobs": 1, "ranks": kind.ranks, "killed": killed, "stopped": stopped,
				"warned": len(warnings) > 0, "more": len(warnings) > 1, name: 1})
			self.took.append(took)
			self.napped = max(self.napped, napped)
			self.most_files = max(self.most_files, files)
			if wrong:
				self.faults += 1
				with open(f"{FOLDER}/job.{number}", "w", encoding="utf-8") as file:
					file.write(f"{name}\n{said}")
				print(f"job {number} of seed {SEED}, {name}: {'; '.join(wrong[:3])}", flush=True)
			self.done += 1
			if self.done % 500 == 0:
				print(f"# {self.done} jobs, {self.faults} with a fault", file=sys.stderr, flush=True)

	def tell(self):
		self.took.sort()
		of = {name: self.figures[name] for name in KINDS}
		print("# " + ", ".join(f"{count} of \"{name}\"" for name, count in of.items()))
		print(f"# {self.figures['jobs']} jobs of {self.figures['ranks']} ranks: {self.figures['killed']} killed, "
			f"{self.figures['stopped']} stopped; {self.faults} jobs with a fault; {self.figures['warned']} warned, "
			f"{self.figures['more']} of them for a second board too; "
			f"half of the jobs took up to {self.took[len(self.took) // 2]:.2f} s, 99 of 100 up to "
			f"{self.took[len(self.took) * 99 // 100]:.2f} s, the longest {self.took[-1]:.2f} s, "
			f"{self.napped:.1f} s as naps are counted; "
			f"at most {self.most_files} files in /dev/shm with {AT_A_TIME} jobs at a time")


def main():
	storm = Storm()
	with concurrent.futures.ThreadPoolExecutor(max_workers=AT_A_TIME) as pool:
		for future in [pool.submit(storm.one, number, name) for number, name in enumerate(storm.kinds())]:
			future.result()
	storm.tell()
	sys.exit(1 if storm.faults else 0)


main()
