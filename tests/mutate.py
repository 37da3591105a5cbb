#!/usr/bin/env python3
"""
Do the unit tests notice when one operator of the library changes?

    tests/mutate.py BUILD [CHANGES [SEED]]

CHANGES (200) operators, comparisons, constants 0 and 1 and words true and false
in functions of lib/ are changed one at a time, spread at random over all of
them; SEED makes the same choice again.  What no suite notices lives: a fact that no test states,
or code that does nothing.  The last line has the share of those noticed, which
has to be AT_LEAST of 100; all of it is kept in BUILD/mutants/report.

A change counts if it compiles without an error and to other machine code than
before.  Files of which the unit tests run no line at all are left out, and
named: those are thin edges of system calls that tests/*.sh cover.  Of a changed
line only those suites run that come to it, as gcov tells, shortest first; one
has to fail twice, so that a busy machine does not count as a test.
"""
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

AT_LEAST = 95

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


def changes_of(path):
	"""The changes that a file allows: path, offset, old, new, line."""
	with open(path, encoding="utf-8") as file:
		text = file.read()
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


class Tree:
	"""A copy of the sources, with a build of the unit tests and one that counts lines."""

	EXIT = "void __real__exit(int); void __gcov_dump(void); void __wrap__exit(int);\n" \
		"void __wrap__exit(int status) { __gcov_dump(); __real__exit(status); }\n"

	def __init__(self, folder):
		self.folder = folder
		for part in ("plain/", "cover/"):
			os.makedirs(f"{folder}/{part}", exist_ok=True)
		self.copy()
		self.make(["B=plain", "CFLAGS=-O1"])
		with open(f"{folder}/exit.c", "w", encoding="utf-8") as file:
			file.write(self.EXIT)
		must(["cc", "-c", "exit.c"], cwd=folder)
		self.make(["B=cover", "CFLAGS=-O0 --coverage", f"LDFLAGS=-Wl,--wrap=_exit {folder}/exit.o"])
		self.compiles, self.link = {}, None
		for line in must(["make", "-nB", "B=plain", "CFLAGS=-O1", "plain/unit-tests"], cwd=folder).replace("\\\n", " ").splitlines():
			words = line.split()
			if "-c" in words and words[-1].endswith(".c"):
				self.compiles[words[-1]] = [word.replace("'", "") for word in words]
			elif "plain/unit-tests" in words:
				self.link = words
		self.suites = self.lines = None

	def copy(self):
		"""The sources as they are now; what has not changed keeps its time, so that only the rest is compiled again."""
		for path in must(["git", "ls-files", "-co", "--exclude-standard"]).splitlines():
			to = f"{self.folder}/{path}"
			if os.path.isfile(path) and not (os.path.exists(to) and os.path.getmtime(to) == os.path.getmtime(path)):
				os.makedirs(os.path.dirname(to), exist_ok=True)
				shutil.copy2(path, to)

	def make(self, how):
		build = how[0][2:]
		must(["make", "-s", f"-j{os.cpu_count()}", *how, f"{build}/unit-tests"], cwd=self.folder)

	def measure(self):
		"""How long each suite takes, and which lines it runs."""
		names = set()
		for name in os.listdir("tests/unit"):
			with open(f"tests/unit/{name}", encoding="utf-8") as file:
				names |= set(re.findall(r'suite_create\("([^"]*)"\)', file.read()))
		self.suites, self.lines, self.counted, in_file = {}, {}, set(), {}
		with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
			for name, seconds, lines, counted in pool.map(self.covered, sorted(names)):
				self.suites[name] = seconds
				self.counted |= counted
				for line in lines:
					self.lines.setdefault(line, []).append(name)
				for path in {path for path, _ in lines}:
					in_file.setdefault(path, []).append(name)
		# What is no code, as a table, may matter to all that come to the file.
		self.in_file = in_file
		for suites in [*self.lines.values(), *in_file.values()]:
			suites.sort(key=self.suites.get)

	def parts(self):
		"""Of each file, the part of its lines that some suite runs."""
		lines, run_lines = {}, {}
		for path, _ in self.counted:
			lines[path] = lines.get(path, 0) + 1
		for path, _ in self.lines:
			run_lines[path] = run_lines.get(path, 0) + 1
		return {path: run_lines.get(path, 0) / lines[path] for path in lines}

	def suites_of(self, path, line):
		"""Those that run a line, shortest first."""
		if (path, line) in self.counted:
			return self.lines.get((path, line), [])
		return self.in_file.get(path, [])

	def covered(self, suite):
		"""A suite's name, the seconds that it takes, the lines of lib/ that it runs, and those that could be run."""
		to = f"{self.folder}/lines/{suite}"
		for _ in range(3):
			shutil.rmtree(to, ignore_errors=True)
			begin = time.monotonic()
			if self.passes("cover/unit-tests", suite, 1800, GCOV_PREFIX=to):
				break
		else:
			sys.exit(f"mutate: suite {suite} fails without any change")
		seconds = time.monotonic() - begin
		counted, lines, able = [], set(), set()
		for where, _, files in os.walk(to):
			counted += [os.path.join(where, name) for name in files if name.endswith(".gcda") and "/cover/lib/" in where]
		for path in counted:
			os.symlink(path[len(to):].replace(".gcda", ".gcno"), path.replace(".gcda", ".gcno"))
		for text in must(["gcov", "--json-format", "--stdout", *counted], cwd=self.folder).splitlines() if counted else []:
			for file in json.loads(text)["files"]:
				lines |= {(file["file"], line["line_number"]) for line in file["lines"] if line["count"]}
				able |= {(file["file"], line["line_number"]) for line in file["lines"]}
		shutil.rmtree(to)
		return suite, seconds, lines, able

	def passes(self, program, suite, seconds, **variables):
		"""Whether a suite passes within so many seconds; a session of its own, so that nothing of it stays."""
		with subprocess.Popen([program], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
				stderr=subprocess.DEVNULL, start_new_session=True,
				env={**os.environ, "CK_RUN_SUITE": suite, **variables}) as process:
			try:
				return process.wait(seconds) == 0
			except subprocess.TimeoutExpired:
				return False
			finally:
				try:
					os.killpg(process.pid, 9)
				except ProcessLookupError:
					pass


class Changes:
	"""Some changes, one after another: the result of each is a line."""

	def __init__(self, tree):
		self.tree = tree
		self.original = {}
		self.lock = threading.Lock()

	def compile(self, source, text, to):
		"""The object, without what depends on its name; None where it does not compile."""
		with open(f"{to}.c", "w", encoding="utf-8") as file:
			file.write(text)
		words = list(self.tree.compiles[source])
		del words[words.index("-MMD"):words.index("-MMD") + 2]
		words[words.index("-o") + 1] = f"{to}.o"
		words[-1] = f"{to}.c"
		if run([*words, "-w", "-Werror=int-conversion", f"-ffile-prefix-map={to}.c={source}"], cwd=self.tree.folder).returncode:
			return None
		must(["objcopy", "--strip-debug", f"{to}.o", f"{to}.stripped"])
		with open(f"{to}.stripped", "rb") as file:
			return file.read()

	def try_one(self, number, change):
		"""None: not a change; else whether a suite noticed, which, and after how many."""
		path, start, old, new, line = change
		to = f"{self.tree.folder}/change.{number}"
		with open(path, encoding="utf-8") as file:
			text = file.read()
		try:
			with self.lock:
				if path not in self.original:
					self.original[path] = self.compile(path, text, to)
			changed = self.compile(path, text[:start] + new + text[start + len(old):], to)
			if changed is None or changed == self.original[path]:
				return None
			link = list(self.tree.link)
			link[link.index("-o") + 1] = f"{to}.tests"
			link.insert(link.index("-o"), f"{to}.o")
			must(link, cwd=self.tree.folder)
			return self.noticed_by(f"{to}.tests", path, line)
		finally:
			for end in (".c", ".o", ".stripped", ".tests"):
				if os.path.exists(to + end):
					os.unlink(to + end)

	def noticed_by(self, program, path, line):
		for suite in self.tree.suites_of(path, line):
			seconds = 20 + 10 * self.tree.suites[suite]
			if not self.tree.passes(program, suite, seconds) and not self.tree.passes(program, suite, seconds):
				return suite
		return ""


def choose(tree, seed):
	"""All changes in random order, of the files that the unit tests are for; and the others."""
	run_files = {path for path, part in tree.parts().items() if part >= 0.5}
	linked = sorted(path for path in tree.compiles if path.startswith("lib/"))
	left_out = [path for path in linked if path not in run_files]
	all_changes = [change for path in linked if path in run_files for change in changes_of(path)]
	random.Random(seed).shuffle(all_changes)
	return all_changes, left_out


def shown(change):
	path, start, old, new, line = change
	with open(path, encoding="utf-8") as file:
		text = file.read().splitlines()[line - 1].strip()
	return f"{path}:{line}: {old} -> {new or 'nothing'}: {text}"


def main():
	build = os.path.abspath(sys.argv[1])
	wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 200
	seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 20)
	begin = time.monotonic()
	folder = f"{build}/mutants"
	os.makedirs(folder, exist_ok=True)
	tree = Tree(f"{folder}/tree")
	tree.measure()
	all_changes, left_out = choose(tree, seed)
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
			suite = changes.try_one(number, change)
			with lock:
				if suite is None:
					uncounted += 1
				elif noticed + len(lived) >= wanted:
					return
				elif suite:
					noticed += 1
					report.write(f"noticed by {suite}: {shown(change)}\n")
				else:
					lived.append(change)
					say(f"lives: {shown(change)}" + ("" if tree.suites_of(change[0], change[4]) else " (no test runs this line)"))

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
