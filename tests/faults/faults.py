#!/usr/bin/env python3
"""Make the calls of splitpin's fail, one in each job, and judge the jobs.

usage: faults.py FORM FOLDER PRELOAD LAUNCHER LIBGOMP'S-PROGRAM LIBOMP'S-PROGRAM MASKS

FORM      short, long or all (tests/faults.sh), the name of a call, or
          CALL:PLACE:N:ERRNO, one alone
FOLDER    what is kept of the jobs that were found wrong
LAUNCHER  mpirun with its options, before -n
PROGRAM   tests/programs/hybrid.c with tests/faults/faults.c; - where there is none
MASKS     "real", or "invented": tests/faults/machine.sh

The table of calls is made here, from jobs in which faults.c notes every call of
splitpin's with its stack.  Prints TAP, one test for each system call and way.
"""

import collections
import ctypes
import errno
import itertools
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cpu_lists import parse  # noqa: E402

RANKS, THREADS = 4, 2
MALLOC = -2
NO_DESCRIPTOR = (errno.EMFILE, errno.ENFILE)
HANGS = 180         # seconds until a job counts as hanging: its waits have bounds of 5
WORKERS = os.cpu_count()
TRIES = 3           # jobs until a call counts as not reached: some come by chance alone
SAMPLE = 34, 12     # of the short form: a call in one rank, and in all
SECCOMP = ("ENOSYS", "EPERM", "EACCES")
CLONE_NEWNS = 0x20000
# From 2.11 on hwloc ends the process itself where it has listed /sys/devices/system/cpu without a CPU,
# which no kernel shows: nobody can prevent it but hwloc.
HWLOC_ENDS = re.compile(r"topology-linux\.c:\d+: look_sysfscpukinds\w*: Assertion `nr_pus > 0' failed")

# Beside the first, for the calls that these have besides.
SCENES = {
    "libgomp": {},
    "libomp": {"program": "libomp"},
    "bound": {"FAULTS_BOUND": "1"},
    "memory": {"SPLITPIN_MEMORY": "local", "SPLITPIN_GUARD": "keep", "SPLITPIN_REPORT": "1"},
}

Row = collections.namedtuple("Row", "call place n error scene")
Outcome = collections.namedtuple("Outcome", "faults hits seconds")


def call_names():
    header = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"],
                            capture_output=True, text=True, check=True).stdout
    names = {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header)}
    return {**names, MALLOC: "malloc"}


def known_errors():
    errors = {"malloc": ["ENOMEM"]}
    for line in (pathlib.Path(__file__).parent / "errnos").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *own = line.split()
            errors[name] = own and own + [e for e in SECCOMP if e not in own]
    return errors


class Jobs:
    """Jobs one after the other, with a /dev/shm of their own."""

    def __init__(self, folder, preload, launcher, programs, masks):
        self.folder, self.preload, self.launcher, self.masks = folder, preload, launcher, masks
        self.programs, self.results = programs, folder.parent.parent
        self.expected = {}      # of each scene: output, and warnings that are no fault's

    def run(self, scene, variables=(), preload=True):
        """Returns exit status (None: it hung), output, error output, seconds."""
        settings = dict(SCENES[scene])
        program = self.programs[settings.pop("program", "libgomp")]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        environment = {"UCX_TLS": "self,posix", **os.environ, "OMP_NUM_THREADS": str(THREADS), "PLACEMENT_DIR": str(self.folder),
                       "FAULTS_TOKEN": str(self.folder / "token"), "FAULTS_HIT": str(self.folder / "hits"),
                       **settings, **dict(variables)}
        if preload:
            environment["LD_PRELOAD"] = str(self.preload)
        if self.masks == "invented":
            environment["FAULTS_MASKS"] = str(self.folder / "masks")
            environment["KMP_TOPOLOGY_METHOD"] = "flat"     # it would look at the CPUs that are there
        for name in "token", "hits", "masks":
            (self.folder / name).touch()
        begin = time.monotonic()
        job = subprocess.Popen([*self.launcher, "-n", str(RANKS), program], env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
        try:
            out, err = job.communicate(timeout=HANGS)
            status = job.returncode
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)      # mpirun ends its ranks
            try:
                out, err = job.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                out, err = "", ""
            status = None
        (self.folder / "out").write_text(out)
        (self.folder / "err").write_text(err)
        return status, out, err, time.monotonic() - begin

    def left(self):
        return sorted(p.name for p in pathlib.Path("/dev/shm").glob("splitpin-*"))

    def learn(self, scene):
        """What the job prints without us, and of what it is warned without a fault."""
        status, out, err, _ = self.run(scene, preload=False)
        said = warnings(self.run(scene)[2])
        self.expected[scene] = out, said, err
        return status == 0

    def trace(self, scene):
        """The calls of splitpin's in a job: (call, place, n), callers."""
        path = self.folder.parent / "trace"
        path.unlink(missing_ok=True)
        self.run(scene, {"FAULTS_TRACE": str(path)})
        for line in path.read_text().splitlines():
            call, place, n, _, *callers = line.split()
            yield (int(call), place, int(n)), callers

    def ranks(self):
        """Of each rank that has written it: the mask after MPI_Init, those of its threads."""
        for path in sorted(self.folder.glob("rank.*")):
            start, threads = None, []
            for line in path.read_text().splitlines():
                kind, *words = line.split()
                if kind in ("start", "thread"):
                    fact = dict(word.split("=", 1) for word in words)
                    cpus = parse(fact["cpus"])
                    if kind == "start":
                        start = cpus
                    else:
                        threads.append(cpus)
            yield path.suffix[1:], start, threads

    def overlaps(self, everywhere):
        """Ranks that are placed, and have a CPU in common."""
        ranks = [(rank, start, threads) for rank, start, threads in self.ranks() if start and start != everywhere]
        placed = [(rank, start | set().union(*threads)) for rank, start, threads in ranks
                  if not is_unpinned(threads, set().union(*(other for at, _, many in ranks if at != rank for other in many)))]
        for (a, x), (b, y) in itertools.combinations(placed, 2):
            if x & y:
                yield f"ranks {a} and {b} are both on CPUs {sorted(x & y)}"

    def judge(self, row, everywhere):
        """One job with a fault."""
        variables = {"FAULTS": f"{'malloc' if row.call == MALLOC else row.call}:{row.place}:{row.n}:{row.error}"}
        status, out, err, seconds = self.run(row.scene, variables)
        out_without, said_without, err_without = self.expected[row.scene]
        hits = len((self.folder / "hits").read_text().splitlines())
        faults = []
        ended_by_hwloc = names[row.call] == "getdents64" and HWLOC_ENDS.search(err)
        if status is None:
            faults.append(f"it hangs: not over after {HANGS} seconds")
        elif ended_by_hwloc:
            pass
        elif status != 0:
            faults.append(f"it ends with {status}")
        elif out != out_without:
            faults.append("its output differs")
        said = [w for w in warnings(err) if w not in said_without]
        # Ranks without a descriptor cannot agree on who speaks: each may, once.
        if len(said) > (len(set(said)) if row.error in NO_DESCRIPTOR else 1):
            faults.append(f"{len(said)} warnings: " + " | ".join(said[:3]))
        others = [line for line in err.splitlines() if "splitpin: " not in line and line not in err_without.splitlines()]
        if others and row.scene != "memory" and not ended_by_hwloc:
            faults.append(f"somebody else says: {others[0]}")
        if row.scene != "bound":
            faults.extend(self.overlaps(everywhere))
        if left := self.left():
            faults.extend(self.next_job(row, left, ended_by_hwloc))
        if faults:
            self.keep(row)
            with open(self.results / "wrong", "a") as wrong:
                print(names[row.call], *row, "; ".join(faults), file=wrong)
        return Outcome(faults, hits, seconds)

    def next_job(self, row, left, is_killed):
        """What no call of a kind, and no killed rank, can remove stays; the next job has to remove it.  So does the
        file of a lock that this rank cannot have: another may hold it, also on a removed file."""
        kept = self.folder.parent / "next"
        Jobs(kept, self.preload, self.launcher, self.programs, self.masks).run(row.scene)
        still = self.left()
        for name in still:
            pathlib.Path("/dev/shm", name).unlink()
        if still:
            yield f"left in /dev/shm, by the next job, too: {', '.join(still)}"
        elif row.n > 0 and not is_killed and not (names[row.call] == "flock" and all(name.endswith("-lock") for name in left)):
            yield f"left in /dev/shm until the next job: {', '.join(left)}"

    def keep(self, row):
        to = self.results / f"{row.scene}-{row.call}-{row.place}-{row.n}-{row.error}"
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.folder, to)


def is_unpinned(threads, of_others):
    """Whether a rank may use all CPUs of the job that it sees, as too few are left for its threads: one that a
    fault hides is missing."""
    return bool(threads) and all(cpus == threads[0] and cpus > of_others and len(cpus - of_others) < THREADS for cpus in threads)


def warnings(err):
    return [line for line in err.splitlines() if "splitpin: warning:" in line]


def table(jobs, scenes):
    """Every call of splitpin's: its scene, the first that has it."""
    calls, callers = {}, {}
    for scene in scenes:
        for _ in range(2):      # some calls come by chance
            for key, stack in jobs.trace(scene):
                calls.setdefault(key, scene)
                callers[key[1]] = stack
    return calls, callers


def rows_once(calls, callers, form):
    """One call in one rank.  But in the form "all", what hwloc calls has three errors in
    turn, and the second and later calls at a place one: these are loops.
    """
    turn = itertools.count()
    for (call, place, n), scene in calls.items():
        own = errors[names[call]]
        few = len(own) if form == "all" else 1 if n > 1 else 3 if is_hwloc(callers[place]) else len(own)
        for error in {own[next(turn) % len(own)] for _ in range(few)} if few < len(own) else own:
            yield Row(call, place, n, getattr(errno, error), scene)


def is_hwloc(callers):
    return any(caller.startswith("libhwloc") for caller in callers)


def is_memory_of_others(call, callers):
    """hwloc and libnuma do not look whether they were given memory, and end the process themselves."""
    inner = next(c for c in callers if not c.startswith(("libc.", "ld-")))
    return names[call] in ("malloc", "mmap", "brk", "mremap") and inner.startswith(("libhwloc", "libnuma"))


def rows_everywhere(calls, form):
    """All calls of a kind, in all ranks; and all at one place, one error each, in turn."""
    turn = itertools.count()
    for call in dict.fromkeys(call for call, _, _ in calls):
        scene = next(s for (c, _, _), s in calls.items() if c == call)
        for error in errors[names[call]]:
            yield Row(call, "0", 0, getattr(errno, error), scene)
    if form == "short":
        return
    places = {place: (call, scene) for (call, place, _), scene in reversed(calls.items())}
    for place, (call, scene) in places.items():
        own = errors[names[call]]
        yield Row(call, place, 0, getattr(errno, own[next(turn) % len(own)]), scene)


def begin_worker(jobs_of, everywhere_of):
    """Each with a /dev/shm and a folder of its own, where the kernel allows it."""
    global worker, everywhere
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    number = multiprocessing.current_process()._identity[0]
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], check=False)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=False)
    worker, everywhere = jobs_of, everywhere_of
    worker.folder = worker.folder.parent / f"worker.{number}" / "job"


def play(row):
    for _ in range(TRIES):
        outcome = worker.judge(row, everywhere)
        if outcome.faults or outcome.hits:
            break
    return row, outcome


class Tests:
    def __init__(self, callers, again):
        self.callers, self.again, self.failed = callers, again, 0

    def report(self, way, call, outcomes):
        wrong = [(row, o) for row, o in outcomes if o.faults]
        places = len({row.place for row, _ in outcomes} - {"0"})
        what = f"{len(outcomes)} faults" + (f" at {places} places" if places else "")
        name = f"{names[call]} {way}: {what}"
        if not wrong:
            print(f"ok - {name}", flush=True)
            return
        self.failed += 1
        print(f"not ok - {name}")
        print(f"#   {len(wrong)} of {len(outcomes)} wrong")
        for row, outcome in wrong[:20]:
            key = f"{'malloc' if row.call == MALLOC else row.call}:{row.place}:{row.n}:{row.error}"
            print(f"#   {key} ({row.scene}, {errno.errorcode[row.error]}): {'; '.join(outcome.faults)}")
            print(f"#     in {' '.join(self.callers.get(row.place, [])[:8])}")
        print(f"#   to see one of them again: {self.again} {key}", flush=True)


def sample(once, everywhere_rows):
    seed = int(os.environ.get("FAULTS_SEED", 1))
    print(f"# the sample of FAULTS_SEED={seed}")
    chance = random.Random(seed)
    return chance.sample(once, min(SAMPLE[0], len(once))), chance.sample(everywhere_rows, min(SAMPLE[1], len(everywhere_rows)))


def main():
    form, folder, preload, launcher, libgomp, libomp, masks = sys.argv[1:]
    begin = time.monotonic()
    programs = {"libgomp": libgomp, "libomp": libomp}
    jobs = Jobs(pathlib.Path(folder) / "begin" / "job", preload, launcher.split(), programs, masks)
    scenes = [s for s in SCENES if not (SCENES[s].get("program") == "libomp" and libomp == "-") and
              not (s == "bound" and masks == "real")]
    everywhere_cpus = set(range(8)) if masks == "invented" else os.sched_getaffinity(0)
    for scene in scenes:
        if not jobs.learn(scene):
            print(f"not ok - {scene}: the job without splitpin fails")
            return
    calls, callers = table(jobs, scenes)
    unknown = sorted({names[call] for call, _, _ in calls} - errors.keys())
    print("ok" if not unknown else "not ok", "- every call has its errors in tests/faults/errnos" +
          (f": not {', '.join(unknown)}" if unknown else ""))
    seen = len(calls)
    calls = {key: scene for key, scene in calls.items() if errors.get(names[key[0]]) and
             not is_memory_of_others(key[0], callers[key[1]])}
    if ":" in form:
        call, place, n, error = form.split(":")
        call = MALLOC if call == "malloc" else int(call)
        once = [Row(call, place, int(n), int(error), scene) for scene in scenes]
        everywhere_rows = []
    else:
        once, everywhere_rows = list(rows_once(calls, callers, form)), list(rows_everywhere(calls, form))
    if form in errors:
        once, everywhere_rows = [[row for row in rows if names[row.call] == form] for rows in (once, everywhere_rows)]
    if form == "short":
        once, everywhere_rows = sample(once, everywhere_rows)

    tests = Tests(callers, "tests/faults.sh")
    total = collections.Counter()
    slow = []
    # Splitpin's own calls first: the file "wrong" has what is found while this runs.
    rows = sorted(once + everywhere_rows, key=lambda row: (row.n > 1, is_hwloc(callers.get(row.place, ())), row.n))
    found = collections.defaultdict(list)
    with multiprocessing.Pool(WORKERS, begin_worker, (jobs, everywhere_cpus)) as pool:
        for done, (row, outcome) in enumerate(pool.imap_unordered(play, rows)):
            found["in one rank" if row.n else "in all ranks", row.call].append((row, outcome))
            total["faults" if outcome.hits else "missed"] += 1
            total["wrong"] += bool(outcome.faults)
            slow.append((outcome.seconds, row))
            if done % 500 == 0:
                print(f"# {done} of {len(rows)} jobs", flush=True)
    for (way, call), outcomes in sorted(found.items(), reverse=True):
        tests.report(way, call, outcomes)
    kinds = {call for call, _, _ in calls}
    print(f"# {len(calls)} calls at {len({place for _, place, _ in calls})} places: {len(kinds) - (MALLOC in kinds)} system calls"
          f" and malloc, in {len(scenes)} kinds of jobs of {RANKS} ranks with {THREADS} threads ({masks} masks)")
    print(f"# left out: {seen - len(calls)} calls that cannot fail, as getpid, and allocations of hwloc's and libnuma's own, which"
          " do not look whether they succeed")
    print(f"# {total['faults']} faults made, {total['wrong']} jobs wrong; {total['missed']} calls did not come again"
          f" in {TRIES} jobs; {time.monotonic() - begin:.0f} seconds")
    if slow:
        seconds, row = max(slow)
        print(f"# the slowest job took {seconds:.1f} seconds: {row.call}:{row.place}:{row.n}:{row.error} ({row.scene})")


names, errors = call_names(), known_errors()
if __name__ == "__main__":
    main()
