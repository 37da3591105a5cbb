#!/usr/bin/env python3
"""
Do the unit tests notice when one operator of the library changes?

    tests/mutate.py BUILD [CHANGES [SEED [PATH...]]]

CHANGES (200) operators, comparisons, constants 0 and 1 and words true and false
in functions of lib/ are changed one at a time, spread at random over all of
them; SEED makes the same choice again, also when other lines have changed.  A
PATH is a folder, a file or FILE:LINE, as a report names it: only changes there
are tried.  What no test notices lives: a fact that no test states, or code that
does nothing.  The report ends with a table of folders and with the share of
changes noticed, which has to be AT_LEAST of 100; it is BUILD/mutants/report.

A change counts if it compiles without an error and to other machine code than
before (-O2): what is the same program is no change.  Nor is what tests/equivalent-changes
names: a bound or a check that another one doubles, so that no test can tell
whether it is there; the report tells how many of these were met.  Files of which the unit
tests run less than half of the lines are left out, and named: those are thin
edges of system calls that tests/*.sh cover.  Of a changed line only those
test cases run that come to it, as gcov shows, first those of the file's own
suite and the short ones; one has to fail twice, so that a busy machine does not
count as a test.  What passes them all is tried again under the address and
undefined-behaviour sanitizers, as `make check-sanitized` runs the same tests.

What was found is kept in BUILD/mutants/found: a run that was interrupted goes
on where it was, while the sources are the same; with others the test case that
noticed a change then is the first to be asked.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

AT_LEAST = 95
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"	# as the Makefile has it

# What stands for what.  In C "*" and "&" are more than operators, so these are told from their surroundings.
INSTEAD = {
	"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
	"++": "--", "--": "++", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "!": "", "~": "",
	"0": "1", "1": "0", "true": "false", "false": "true",
}
TOKEN = re.compile(r"""
	(?P<skip>/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^[ \t]*\#(?:\\\n|[^\n])* | \s+)
	| (?P<word>[A-Za-z_]\w*) | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
	| (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S | re.M)


def tokens_of(text):
	return [(match.lastgroup, match.group(), match.start()) for match in TOKEN.finditer(text)
		if match.lastgroup != "skip"]


def is_binary(tokens, at):
	"""Whether the sign at this place stands between two values."""
	kind, before, _ = tokens[at - 1]
	if kind == "word":
		return before not in ("return", "case", "sizeof", "const", "struct", "void", "char", "int")
	if before == ")":
		return tokens[at - 2][1] != "*"		# else a cast to a pointer
	return kind == "number" or before == "]"


def changes_of(path, text):
	"""The changes that a file allows: path, offset, old, new, line."""
	tokens = tokens_of(text)
	depth, in_function = 0, False
	for at, (kind, old, start) in enumerate(tokens):
		if old == "{":
			if depth == 0:
				in_function = tokens[at - 1][1] == ")"
			depth += 1
		if old == "}":
			depth -= 1
		if old not in INSTEAD or depth == 0 or not in_function:
			continue
		if old in ("*", "&", "/", "%") and not is_binary(tokens, at):
			continue
		if old == "*" and tokens[at - 1][0] == "word" and re.search(r"(^|[;{}(,])\s*(const |struct |static |unsigned )*\w+\s*$", text[:start]):
			continue			# a declaration
		new = INSTEAD[old]
		if old == "-" and not is_binary(tokens, at):
			new = ""
		yield path, start, old, new, text.count("\n", 0, start) + 1


def run(command, **options):
	return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
		check=False, **options)


def must(command, **options):
	ended = run(command, **options)
	if ended.returncode:
		sys.exit(f"mutate: {' '.join(command)}\n{ended.stdout}{ended.stderr}")
	return ended.stdout


Cost = collections.namedtuple("Cost", "seconds cpu")


class Build:
	"""The unit tests, built in one way: how each source is compiled, and all of them linked."""

	def __init__(self, folder, name, *how):
		self.folder, self.program, how = folder, f"{name}/unit-tests", [f"B={name}", *how, f"{name}/unit-tests"]
		os.makedirs(f"{folder}/{name}", exist_ok=True)
		must(["make", "-s", f"-j{os.cpu_count()}", *how], cwd=folder)
		self.compiles, self.link, self.passed = {}, None, set()
		for line in must(["make", "-nB", *how], cwd=folder).replace("\\\n", " ").splitlines():
			words = line.split()
			if "-c" in words and words[-1].endswith(".c"):
				self.compiles[words[-1]] = [word.replace("'", "") for word in words]
			elif self.program in words:
				self.link = words

	def compile(self, source, text, to):
		"""The object, without what depends on its name; None where it does not compile."""
		with open(f"{to}.c", "w", encoding="utf-8") as file:
			file.write(text)
		words = list(self.compiles[source])
		del words[words.index("-MMD"):words.index("-MMD") + 2]
		words[words.index("-o") + 1] = f"{to}.o"
		words[-1] = f"{to}.c"
		if run([*words, "-w", "-Werror=int-conversion", f"-ffile-prefix-map={to}.c={source}"], cwd=self.folder).returncode:
			return None
		must(["objcopy", "--strip-debug", f"{to}.o", f"{to}.stripped"])
		with open(f"{to}.stripped", "rb") as file:
			return file.read()

	def link_with(self, to):
		link = list(self.link)
		link[link.index("-o") + 1] = f"{to}.tests"
		link.insert(link.index("-o"), f"{to}.o")
		must(link, cwd=self.folder)
		return f"{to}.tests"

	def passes(self, case, cost, program=None, **variables):
		"""Whether a test case passes within some times what it costs without a change, and what it cost now."""
		begin = time.monotonic()
		ended = run([f"{self.folder}/contained", str(int(30 + 10 * cost.seconds)), str(int(3 + 10 * cost.cpu)), program or f"{self.folder}/{self.program}"],
			cwd=self.folder, env={**os.environ, "CK_RUN_SUITE": case[0], "CK_RUN_CASE": case[1], **variables})
		return ended.returncode == 0, Cost(time.monotonic() - begin, float(ended.stdout))

	def cost_of(self, case, **variables):
		"""What a test case costs, which has to pass."""
		for _ in range(3):
			passed, cost = self.passes(case, Cost(180, 60), **variables)
			if passed:
				return cost
		raise RuntimeError(f"{'/'.join(case)} fails in {self.program} without any change")

	def must_pass(self, case):
		if case not in self.passed:
			self.cost_of(case)
			self.passed.add(case)


class Tree:
	"""A copy of the sources, with builds of the unit tests, one of which counts lines."""

	EXIT = "void __real__exit(int); void __gcov_dump(void); void __wrap__exit(int);\n" \
		"void __wrap__exit(int status) { __gcov_dump(); __real__exit(status); }\n"

	def __init__(self, folder):
		self.folder = folder
		os.makedirs(folder, exist_ok=True)
		for name in os.listdir(folder):
			if name.startswith("change."):		# of a run that was interrupted
				os.unlink(f"{folder}/{name}")
		self.copy()
		with open(f"{folder}/exit.c", "w", encoding="utf-8") as file:
			file.write(self.EXIT)
		must(["cc", "-c", "exit.c"], cwd=folder)
		must(["cc", "-O2", "-o", "contained", "tests/programs/contained.c"], cwd=folder)
		self.plain = Build(folder, "plain", "CFLAGS=-O2")
		self.checked = Build(folder, "checked", f"CFLAGS=-O1 -g {SANITIZE}")
		# Lines are counted in lib/ alone: each test ends by writing the counts of all files.
		layers = [f"cover/{layer}.a" for layer in sorted({os.path.dirname(path) for path in self.plain.compiles if path.startswith("lib/")})]
		must(["make", "-s", f"-j{os.cpu_count()}", "B=cover", "CFLAGS=-O0 --coverage", *layers], cwd=folder)
		self.cover = Build(folder, "cover", "CFLAGS=-O1", f"LDFLAGS=--coverage -Wl,--wrap=_exit {folder}/exit.o")
		self.remember()

	def copy(self):
		"""The sources as they are now; what has not changed keeps its time, so that only the rest is compiled again."""
		listed = [path for path in must(["git", "ls-files", "-co", "--exclude-standard"]).splitlines() if os.path.isfile(path)]
		for path in listed:
			to = f"{self.folder}/{path}"
			if not (os.path.exists(to) and os.path.getmtime(to) == os.path.getmtime(path)):
				os.makedirs(os.path.dirname(to), exist_ok=True)
				shutil.copy2(path, to)
		for part in ("lib", "cmd", "ompt", "tests"):
			for where, _, files in os.walk(f"{self.folder}/{part}"):
				for name in files:
					if os.path.relpath(f"{where}/{name}", self.folder) not in listed:
						os.unlink(f"{where}/{name}")

	def text(self, path):
		with open(f"{self.folder}/{path}", encoding="utf-8") as file:
			return file.read()

	def remember(self):
		"""Measure, unless that has been done with these very sources."""
		seen = hashlib.sha256()
		for part in ("lib", "cmd", "include", "tests/unit"):
			for where, folders, files in os.walk(f"{self.folder}/{part}"):
				folders.sort()
				for name in sorted(files):
					with open(f"{where}/{name}", "rb") as file:
						seen.update(file.read())
		self.sources = seen.hexdigest()[:16]
		measured = f"{self.folder}/measured-{self.sources}"
		if os.path.exists(measured):
			with open(measured, "rb") as file:
				self.costs, self.lines, self.counted, self.in_file = pickle.load(file)
			return
		self.measure()
		with open(measured, "wb") as file:
			pickle.dump((self.costs, self.lines, self.counted, self.in_file), file)

	def measure(self):
		"""What each test case costs, and which lines it runs."""
		cases = set()
		for name in os.listdir(f"{self.folder}/tests/unit"):
			text = self.text(f"tests/unit/{name}")
			for suite in re.findall(r'suite_create\("([^"]*)"\)', text):
				cases |= {(suite, case) for case in re.findall(r'tcase_create\("([^"]*)"\)', text)}
		self.costs = {}
		self.lines, self.counted, self.in_file = {}, set(), {}
		with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
			for case, cost, lines, counted in pool.map(self.covered, sorted(cases)):
				self.costs[case] = cost
				self.counted |= counted
				for line in lines:
					self.lines.setdefault(line, []).append(case)
				# What is no code, as a table, may matter to all that come to the file.
				for path in {path for path, _ in lines}:
					self.in_file.setdefault(path, []).append(case)

	def parts(self):
		"""Of each file, the part of its lines that some test runs."""
		lines, run_lines = {}, {}
		for path, _ in self.counted:
			lines[path] = lines.get(path, 0) + 1
		for path, _ in self.lines:
			run_lines[path] = run_lines.get(path, 0) + 1
		return {path: run_lines.get(path, 0) / lines[path] for path in lines}

	def cases_of(self, path, line):
		"""
		Those that run a line, or, where none is known to, that come to its file: a process
		that may write no file counts nothing.  And the file's own suite, which may run
		the line in a program that it starts.  The likeliest first.
		"""
		own = os.path.basename(path)[:-len(".c")]
		cases = self.lines.get((path, line)) or self.in_file.get(path, [])
		return sorted({*cases, *(case for case in self.costs if case[0] == own)},
			key=lambda case: self.costs[case].seconds * (1 if case[0] == own else 10))

	def covered(self, case):
		"""A test case, its cost, the lines of lib/ that it runs, and those that could be run."""
		to = f"{self.folder}/lines/{'/'.join(case)}"
		shutil.rmtree(to, ignore_errors=True)
		cost = self.cover.cost_of(case, GCOV_PREFIX=to)
		counted, lines, able = [], set(), set()
		for where, _, files in os.walk(to):
			counted += [os.path.join(where, name) for name in files if name.endswith(".gcda") and "/cover/lib/" in where]
		for path in counted:
			os.symlink(path[len(to):].replace(".gcda", ".gcno"), path.replace(".gcda", ".gcno"))
		for text in must(["gcov", "--json-format", "--stdout", *counted], cwd=self.folder).splitlines() if counted else []:
			for file in json.loads(text)["files"]:
				lines |= {(file["file"], line["line_number"]) for line in file["lines"] if line["count"]}
				able |= {(file["file"], line["line_number"]) for line in file["lines"]}
		shutil.rmtree(to, ignore_errors=True)
		return case, cost, lines, able


class Found:
	"""What has come of each change, as lines of a file: sources, change, what, test case."""

	def __init__(self, path, sources):
		self.sources, self.known, self.noticed_by = sources, {}, {}
		if os.path.exists(path):
			with open(path, encoding="utf-8") as file:
				for line in file:
					of, name, what, case = line.rstrip("\n").split("\t")
					if of == sources:
						self.known[name] = what, case
					if case:
						self.noticed_by[name] = case
		self.file = open(path, "a", encoding="utf-8")

	def add(self, name, what, case):
		self.known[name] = what, case
		self.file.write("\t".join((self.sources, name, what, case)) + "\n")
		self.file.flush()


NOTICED, LIVES, NO_PROGRAM, SAME_PROGRAM = "noticed", "lives", "does not compile", "same machine code"
EQUIVALENT = "equivalent"


def equivalent_changes(tree):
	"""What the list names: (path, "old -> new", the line); an entry whose line is not there any more ends the run."""
	known = set()
	with open("tests/equivalent-changes", encoding="utf-8") as file:
		for number, entry in enumerate(file, 1):
			if entry.startswith("#") or not entry.strip():
				continue
			fields = entry.rstrip("\n").split("\t")
			if len(fields) != 4:
				sys.exit(f"tests/equivalent-changes:{number}: takes FILE, OLD -> NEW, LINE and REASON with tabs between them")
			path, how, line, _ = fields
			if line not in (text.strip() for text in tree.text(path).splitlines()):
				sys.exit(f"tests/equivalent-changes:{number}: {path} has no such line")
			known.add((path, how, line))
	return known


class Changes:
	"""Some changes, one after another."""

	def __init__(self, tree, found):
		self.tree, self.found = tree, found
		self.original = {}
		self.lock = threading.Lock()

	def outcome(self, number, change, name):
		"""What comes of a change, and the test case that noticed it."""
		with self.lock:
			if name in self.found.known:
				return self.found.known[name]
		outcome = self.try_one(number, change, self.found.noticed_by.get(name))
		with self.lock:
			self.found.add(name, *outcome)
		return outcome

	def try_one(self, number, change, likely):
		path, start, old, new, line = change
		to = f"{self.tree.folder}/change.{number}"
		text = self.tree.text(path)
		changed_text = text[:start] + new + text[start + len(old):]
		try:
			with self.lock:
				if path not in self.original:
					self.original[path] = self.tree.plain.compile(path, text, to)
			changed = self.tree.plain.compile(path, changed_text, to)
			if changed is None:
				return NO_PROGRAM, ""
			if changed == self.original[path]:
				return SAME_PROGRAM, ""
			# What reaches the line; then the same again, more strictly.
			cases = sorted(self.tree.cases_of(path, line), key=lambda case: "/".join(case) != likely)
			for build in (self.tree.plain, self.tree.checked) if cases else ():
				if build is self.tree.checked:
					build.compile(path, changed_text, to)
				case = self.noticed_by(build, to, cases)
				if case:
					return NOTICED, case
			return LIVES, ""
		finally:
			for end in (".c", ".o", ".stripped", ".tests"):
				if os.path.exists(to + end):
					os.unlink(to + end)

	def noticed_by(self, build, to, cases):
		"""The first test case that fails twice with the change and passes without it."""
		program = build.link_with(to)
		for case in cases:
			cost = self.tree.costs[case]
			if not build.passes(case, cost, program)[0] and not build.passes(case, cost, program)[0]:
				build.must_pass(case)
				return "/".join(case)
		return ""


def named(changes, text):
	"""Changes by names that stay when lines above come and go, and when other lines change."""
	lines, alike = text.splitlines(), {}
	for change in changes:
		path, start, old, _, at = change
		line = " ".join(lines[at - 1].split())
		places = alike.setdefault(line, [])
		if at not in places:
			places.append(at)
		before = len(text[text.rfind("\n", 0, start) + 1:start].split(old))
		yield f"{path}: {line} [{len(places)}, {old} {before}]", change


def choose(tree, seed, paths):
	"""All changes in random order, of the files that the unit tests are for; and the files left out."""
	run_files = {path for path, part in tree.parts().items() if part >= 0.5}
	linked = sorted(path for path in tree.plain.compiles if path.startswith("lib/"))
	left_out = [path for path in linked if path not in run_files]
	all_changes = []
	for path in linked:
		if path in run_files:
			all_changes += named(changes_of(path, tree.text(path)), tree.text(path))
	all_changes.sort(key=lambda item: hashlib.sha256(f"{seed} {item[0]}".encode()).digest())
	if paths:
		all_changes = [item for item in all_changes if any(
			f"{item[1][0]}:{item[1][4]}" == path or (item[1][0] + "/").startswith(path.rstrip("/") + "/") for path in paths)]
	return all_changes, left_out


def shown(tree, change):
	path, _, _, _, line = change
	text = tree.text(path).splitlines()[line - 1].strip()
	return f"{path}:{line}: {how_of(change)}: {text}"


def how_of(change):
	_, _, old, new, _ = change
	return f"{old} -> {new or 'nothing'}"


def is_equivalent(tree, change, known):
	path, _, _, _, line = change
	return (path, how_of(change), tree.text(path).splitlines()[line - 1].strip()) in known


def table_of(outcomes):
	"""Of each folder and of all, how many changes came to what."""
	kinds = (NOTICED, LIVES, EQUIVALENT, NO_PROGRAM, SAME_PROGRAM)
	rows = {}
	for change, (what, _) in outcomes:
		for row in (os.path.dirname(change[0]), "all"):
			rows.setdefault(row, dict.fromkeys(kinds, 0))[what] += 1
	yield f"{'':16}" + "".join(f"{kind:>20}" for kind in kinds)
	for row in sorted(rows, key=lambda row: (row == "all", row)):
		yield f"{row:16}" + "".join(f"{rows[row][kind]:>20}" for kind in kinds)


def main():
	build = os.path.abspath(sys.argv[1])
	wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 200
	seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 20)
	begin = time.monotonic()
	folder = f"{build}/mutants"
	os.makedirs(folder, exist_ok=True)
	for end in (signal.SIGINT, signal.SIGTERM):
		signal.signal(end, lambda number, _: os._exit(128 + number))	# what contains a test case ends with this process
	tree = Tree(f"{folder}/tree")
	all_changes, left_out = choose(tree, seed, sys.argv[4:])
	equivalent = equivalent_changes(tree)
	changes = Changes(tree, Found(f"{folder}/found", tree.sources))
	outcomes, lock = [], threading.Lock()
	report = open(f"{folder}/report", "w", encoding="utf-8")

	def say(text):
		print(text, flush=True)
		report.write(text + "\n")
		report.flush()

	def number_of(*kinds):
		return sum(what in kinds for _, (what, _) in outcomes)

	say(f"# seed {seed}: {wanted} of {len(all_changes)} changes in lib; for tests/*.sh: {' '.join(left_out) or '-'}")
	queue = iter(enumerate(all_changes))

	def work():
		while True:
			with lock:
				if number_of(NOTICED, LIVES) >= wanted:
					return
				number, (name, change) = next(queue, (None, (None, None)))
			if change is None:
				return
			what, case = changes.outcome(number, change, name)
			if what == LIVES and is_equivalent(tree, change, equivalent):
				what = EQUIVALENT
			with lock:
				outcomes.append((change, (what, case)))
				if what == LIVES:
					say(f"lives: {shown(tree, change)}")
				else:
					report.write(f"{what}{case and ' by ' + case}: {shown(tree, change)}\n")
					report.flush()

	with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
		for future in [pool.submit(work) for _ in range(os.cpu_count())]:
			future.result()
	noticed, total = number_of(NOTICED), number_of(NOTICED, LIVES)
	share = 100 * noticed / max(total, 1)
	for line in table_of(outcomes):
		say(line)
	say(f"mutate: {noticed} of {total} changes noticed, {share:.1f} of 100, {number_of(EQUIVALENT)} more are listed as equivalent (seed {seed}); "
		f"{number_of(NO_PROGRAM)} did not compile, "
		f"{number_of(SAME_PROGRAM)} were the same machine code; {time.monotonic() - begin:.0f} seconds")
	report.close()
	sys.exit(0 if share >= AT_LEAST else 1)


main()
