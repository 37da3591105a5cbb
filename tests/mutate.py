#!/usr/bin/env python3
"""
Do the unit tests notice when one operator of the library changes?

    tests/mutate.py BUILD [CHANGES [SEED [PATH...]]]

CHANGES (200) operators, comparisons, constants 0 and 1 and words true and false
in functions of lib/ are changed one at a time, spread at random over all of
them; SEED makes the same choice again.  A PATH is a folder, a file or FILE:LINE,
as a report names it: only changes there are tried.  What no test notices lives:
a fact that no test states, or code that does nothing.  The last line has the
share of those noticed, which has to be AT_LEAST of 100; all of it is kept in
BUILD/mutants/report.

A change counts if it compiles without an error and to other machine code than
before (-O2): what is the same program is no change.  Files of which the unit
tests run less than half of the lines are left out, and named: those are thin
edges of system calls that tests/*.sh cover.  Of a changed line only those
test cases run that come to it, as gcov shows, shortest first; one has to fail
twice, so that a busy machine does not count as a test.  What passes them all is
tried again under the address and undefined-behaviour sanitizers, as `make
check-sanitized` runs the same tests.
"""
import concurrent.futures
import hashlib
import json
import os
import pickle
import random
import re
import shutil
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

	def passes(self, case, seconds, program=None, **variables):
		"""Whether a test case passes within so many seconds; a session of its own, so that nothing of it stays."""
		with subprocess.Popen([program or self.program], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
				stderr=subprocess.DEVNULL, start_new_session=True,
				env={**os.environ, "CK_RUN_SUITE": case[0], "CK_RUN_CASE": case[1], **variables}) as process:
			try:
				return process.wait(seconds) == 0
			except subprocess.TimeoutExpired:
				return False
			finally:
				try:
					os.killpg(process.pid, 9)
				except ProcessLookupError:
					pass

	def seconds_of(self, case, **variables):
		"""How long a test case takes, which has to pass."""
		for _ in range(3):
			begin = time.monotonic()
			if self.passes(case, 1800, **variables):
				return time.monotonic() - begin
		raise RuntimeError(f"{'/'.join(case)} fails in {self.program} without any change")

	def must_pass(self, case):
		if case not in self.passed:
			self.seconds_of(case)
			self.passed.add(case)


class Tree:
	"""A copy of the sources, with builds of the unit tests, one of which counts lines."""

	EXIT = "void __real__exit(int); void __gcov_dump(void); void __wrap__exit(int);\n" \
		"void __wrap__exit(int status) { __gcov_dump(); __real__exit(status); }\n"

	def __init__(self, folder):
		self.folder = folder
		os.makedirs(folder, exist_ok=True)
		self.copy()
		with open(f"{folder}/exit.c", "w", encoding="utf-8") as file:
			file.write(self.EXIT)
		must(["cc", "-c", "exit.c"], cwd=folder)
		self.plain = Build(folder, "plain", "CFLAGS=-O2")
		self.checked = Build(folder, "checked", f"CFLAGS=-O1 -g {SANITIZE}")
		# Lines are counted in lib/ alone: each test ends by writing the counts of all files.
		layers = [f"cover/lib/{layer}.a" for layer in sorted({path.split("/")[1] for path in self.plain.compiles if path.startswith("lib/")})]
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
		measured = f"{self.folder}/lines-{seen.hexdigest()[:16]}"
		if os.path.exists(measured):
			with open(measured, "rb") as file:
				self.seconds, self.lines, self.counted, self.in_file = pickle.load(file)
			return
		self.measure()
		with open(measured, "wb") as file:
			pickle.dump((self.seconds, self.lines, self.counted, self.in_file), file)

	def measure(self):
		"""How long each test case takes, and which lines it runs."""
		cases = set()
		for name in os.listdir(f"{self.folder}/tests/unit"):
			text = self.text(f"tests/unit/{name}")
			for suite in re.findall(r'suite_create\("([^"]*)"\)', text):
				cases |= {(suite, case) for case in re.findall(r'tcase_create\("([^"]*)"\)', text)}
		self.seconds = {}
		self.lines, self.counted, self.in_file = {}, set(), {}
		with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
			for case, seconds, lines, counted in pool.map(self.covered, sorted(cases)):
				self.seconds[case] = seconds
				self.counted |= counted
				for line in lines:
					self.lines.setdefault(line, []).append(case)
				for path in {path for path, _ in lines}:
					self.in_file.setdefault(path, []).append(case)
		# What is no code, as a table, may matter to all that come to the file.
		for cases in [*self.lines.values(), *self.in_file.values()]:
			cases.sort(key=self.seconds.get)

	def parts(self):
		"""Of each file, the part of its lines that some test runs."""
		lines, run_lines = {}, {}
		for path, _ in self.counted:
			lines[path] = lines.get(path, 0) + 1
		for path, _ in self.lines:
			run_lines[path] = run_lines.get(path, 0) + 1
		return {path: run_lines.get(path, 0) / lines[path] for path in lines}

	def cases_of(self, path, line):
		"""Those that run a line, shortest first; and the file's own suite, which may run it in a program that it starts."""
		cases = self.lines.get((path, line), []) if (path, line) in self.counted else self.in_file.get(path, [])
		own = os.path.basename(path)[:-len(".c")]
		return sorted({*cases, *(case for case in self.seconds if case[0] == own)}, key=self.seconds.get)

	def covered(self, case):
		"""A test case, its seconds, the lines of lib/ that it runs, and those that could be run."""
		to = f"{self.folder}/lines/{'/'.join(case)}"
		shutil.rmtree(to, ignore_errors=True)
		seconds = self.cover.seconds_of(case, GCOV_PREFIX=to)
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
		return case, seconds, lines, able


class Changes:
	"""Some changes, one after another."""

	def __init__(self, tree):
		self.tree = tree
		self.original = {}
		self.lock = threading.Lock()

	def try_one(self, number, change):
		"""None: not a change; else the test case that noticed it, or nothing."""
		path, start, old, new, line = change
		to = f"{self.tree.folder}/change.{number}"
		text = self.tree.text(path)
		changed_text = text[:start] + new + text[start + len(old):]
		try:
			with self.lock:
				if path not in self.original:
					self.original[path] = self.tree.plain.compile(path, text, to)
			changed = self.tree.plain.compile(path, changed_text, to)
			if changed is None or changed == self.original[path]:
				return None
			noticed = self.noticed_by(self.tree.plain, to, path, line)
			if not noticed and self.tree.cases_of(path, line):
				self.tree.checked.compile(path, changed_text, to)
				noticed = self.noticed_by(self.tree.checked, to, path, line)
				return noticed and f"{noticed}, sanitized"
			return noticed
		finally:
			for end in (".c", ".o", ".stripped", ".tests"):
				if os.path.exists(to + end):
					os.unlink(to + end)

	def noticed_by(self, build, to, path, line):
		"""The first test case that fails twice with the change and passes without it."""
		cases = self.tree.cases_of(path, line)
		program = build.link_with(to) if cases else None
		for case in cases:
			seconds = 30 + 10 * self.tree.seconds[case]
			if not build.passes(case, seconds, program) and not build.passes(case, seconds, program):
				build.must_pass(case)
				return "/".join(case)
		return ""


def choose(tree, seed, paths):
	"""All changes in random order, of the files that the unit tests are for; and the files left out."""
	run_files = {path for path, part in tree.parts().items() if part >= 0.5}
	linked = sorted(path for path in tree.plain.compiles if path.startswith("lib/"))
	left_out = [path for path in linked if path not in run_files]
	all_changes = [change for path in linked if path in run_files for change in changes_of(path, tree.text(path))]
	random.Random(seed).shuffle(all_changes)
	if paths:
		all_changes = [change for change in all_changes if any(
			f"{change[0]}:{change[4]}" == path or (change[0] + "/").startswith(path.rstrip("/") + "/") for path in paths)]
	return all_changes, left_out


def shown(tree, change):
	path, start, old, new, line = change
	text = tree.text(path).splitlines()[line - 1].strip()
	return f"{path}:{line}: {old} -> {new or 'nothing'}: {text}"


def main():
	build = os.path.abspath(sys.argv[1])
	wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 200
	seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 20)
	begin = time.monotonic()
	folder = f"{build}/mutants"
	os.makedirs(folder, exist_ok=True)
	tree = Tree(f"{folder}/tree")
	all_changes, left_out = choose(tree, seed, sys.argv[4:])
	changes = Changes(tree)
	lived, noticed, uncounted, lock = [], 0, 0, threading.Lock()
	report = open(f"{folder}/report", "w", encoding="utf-8")

	def say(text):
		print(text, flush=True)
		report.write(text + "\n")
		report.flush()

	say(f"# seed {seed}: {wanted} of {len(all_changes)} changes in lib; for tests/*.sh: {' '.join(left_out) or '-'}")
	queue = iter(enumerate(all_changes))

	def work():
		nonlocal noticed, uncounted
		while True:
			with lock:
				if noticed + len(lived) >= wanted:
					return
				number, change = next(queue, (None, None))
			if change is None:
				return
			case = changes.try_one(number, change)
			with lock:
				if case is None:
					uncounted += 1
				elif noticed + len(lived) >= wanted:
					return
				elif case:
					noticed += 1
					report.write(f"noticed by {case}: {shown(tree, change)}\n")
				else:
					lived.append(change)
					say(f"lives: {shown(tree, change)}" + ("" if tree.cases_of(change[0], change[4]) else " (no test runs this line)"))

	with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
		for future in [pool.submit(work) for _ in range(os.cpu_count())]:
			future.result()
	total = noticed + len(lived)
	share = 100 * noticed / max(total, 1)
	say(f"mutate: {noticed} of {total} changes noticed, {share:.1f} of 100 (seed {seed}); {uncounted} more did not compile "
		f"or changed nothing; {time.monotonic() - begin:.0f} seconds")
	report.close()
	sys.exit(0 if share >= AT_LEAST else 1)


main()
