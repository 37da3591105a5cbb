"""GCC's tests of libgomp, without its build tree: those that are programs to be run.

    libgomp.py ways | prepare | run WAY RESULTS [NAME...]

Called by tests/foreign.sh, which sets FOREIGN_*.  A test is compiled once, as
its dg- lines say and with -O2 (of Fortran's six sets of options that one), and
run in each way.  Left out is what does not compile here: tests of the compiler
alone, for an offload device, or that include headers of the build tree.
"""
import concurrent.futures
import glob
import os
import re
import shlex
import subprocess
import sys

SOURCES = os.path.join(os.environ["FOREIGN_DEPS"], "gcc", "libgomp")
SUITE = os.path.join(SOURCES, "testsuite")
WORK = os.environ["FOREIGN_WORK"]
SECONDS = 180

# Which files belong to a language, and what compiles it.
LANGUAGES = {
    "c": (["libgomp.c/*.c", "libgomp.c-c++-common/*.c"], ["gcc"]),
    "c++": (["libgomp.c++/*.C", "libgomp.c-c++-common/*.c"], ["g++", "-x", "c++"]),
    "fortran": (["libgomp.fortran/*.[fF]", "libgomp.fortran/*.[fF]90", "libgomp.fortran/*.[fF]0[38]"], ["gfortran"]),
}
DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)\s+(.*)\}")


def has_cpu_flag(name):
    with open("/proc/cpuinfo") as cpus:
        return any(line.startswith("flags") and name in line.split() for line in cpus)


def applies(selector, language):
    """{ target SELECTOR }: of those that libgomp's tests use, what holds on an ordinary machine."""
    match = re.search(r"\{\s*target\s+(.*?)\s*\}\s*$", selector)
    if not match:
        return True
    word = match.group(1)
    if word in LANGUAGES:
        return word == language
    if word in ("sse2_runtime", "avx_runtime"):
        return has_cpu_flag(word.partition("_")[0])
    return "linux" in word or "x86_64" in word


class Test:
    def __init__(self, path, language):
        self.path, self.language = path, language
        self.name = "%s:%s" % (language, os.path.relpath(path, SUITE))
        self.program = os.path.join(WORK, "bin", self.name.replace("/", ":"))
        self.options, self.more, self.sources, self.variables = ["-O2"], [], [], []
        self.runs = True
        with open(path, errors="replace") as text:
            for line in text:
                match = DIRECTIVE.search(line)
                if match:
                    self.read(match.group(1), match.group(2).strip())

    def read(self, name, rest):
        quoted = re.match(r'"([^"]*)"', rest)
        if name == "dg-do":
            self.runs &= rest.split()[0] == "run" and (applies(rest, self.language) or "vect_simd_clones" in rest)
        elif name == "dg-require-effective-target":
            self.runs &= "offload" not in rest
        elif name == "dg-options" and applies(rest, self.language) and quoted:
            self.options = shlex.split(quoted.group(1))
        elif name == "dg-additional-options" and applies(rest, self.language) and quoted:
            self.more += shlex.split(quoted.group(1))
        elif name == "dg-additional-sources":
            self.sources += [os.path.join(os.path.dirname(self.path), i) for i in rest.replace('"', " ").split()]
        elif name == "dg-set-target-env-var":
            self.variables.append("%s=%s" % tuple(shlex.split(rest)[:2]))

    def compile(self):
        if os.path.exists(self.program) or os.path.exists(self.program + ".not"):
            return
        folder = self.program + ".modules"
        os.makedirs(folder, exist_ok=True)
        command = LANGUAGES[self.language][1] + ["-fopenmp", "-w", "-I" + SOURCES, "-I" + os.path.join(WORK, "bin")]
        command += self.options + self.more + [self.path] + self.sources + ["-o", self.program + ".new", "-lm"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            os.rename(self.program + ".new", self.program)
        else:
            with open(self.program + ".not", "w") as reasons:
                reasons.write(done.stderr)
        subprocess.run(["rm", "-rf", folder])

    def run(self, prefix):
        """A worker's child, so that each test is a job of its own."""
        folder = self.program + ".cwd"
        os.makedirs(folder, exist_ok=True)
        command = prefix + ["env"] + self.variables + ["timeout", "-k", "5", str(SECONDS), self.program]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("splitpin:")]
        code = done.returncode
        result = "pass" if code == 0 else "timeout" if code in (124, 137) else "ends-with-%d" % code
        return self.name, result, said


def tests(names):
    for language, (patterns, _) in LANGUAGES.items():
        for path in sorted(path for pattern in patterns for path in glob.glob(os.path.join(SUITE, pattern))):
            if names and "%s:%s" % (language, os.path.relpath(path, SUITE)) not in names:
                continue
            test = Test(path, language)
            if test.runs:
                yield test


def compiled(test):
    test.compile()


def ran(test):
    return test.run(shlex.split(os.environ["FOREIGN_PREFIX"]))


def main(action, *arguments):
    jobs = int(os.environ["FOREIGN_JOBS"])
    if action == "ways":
        print("guest without\nrank without\nhalf confined")
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        if action == "prepare":
            os.makedirs(os.path.join(WORK, "bin"), exist_ok=True)
            with open(os.path.join(WORK, "bin", "config.h"), "w") as header:
                header.write("#define HAVE_PTHREAD_AFFINITY_NP 1\n")
            list(pool.map(compiled, tests([])))
            return
        chosen = [test for test in tests(arguments[2:]) if os.path.exists(test.program)]
        results = sorted(pool.map(ran, chosen))
    with open(arguments[1], "w") as out, open(arguments[1] + ".said", "w") as lines:
        for name, result, said in results:
            print(name, result, file=out)
            for line in said:
                print(name, line, file=lines)


main(*sys.argv[1:])
