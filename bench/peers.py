#!/usr/bin/env python3
"""What other tools for affinity cost, beside splitpin, where they are installed.

    bench/peers.py [BUILD]

A process that is no rank: instructions of /bin/true with a library preloaded,
over those with an empty library, by callgrind.  One launch: CPU time of /bin/true
started by a tool, and of what the tool itself starts, median of 51 that take turns.

DLB_HOME, LIKWID_LIB: a folder with lib/libdlb.so, the path of liblikwidpin.so.
"""
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 51
TRUE = "/bin/true"


def instructions(library):
    """Executed by /bin/true with this library preloaded; None: it cannot be loaded."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", TRUE],
        env={"PATH": os.environ["PATH"], "LD_PRELOAD": library}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    return int(found.group(1)) if found and "cannot be preloaded" not in run.stderr else None


def cpu_us(command):
    """CPU time of a command and its children, in microseconds; None: it fails."""
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, use = os.wait4(child, 0)
    return None if status else 1e6 * (use.ru_utime + use.ru_stime)


def compile_library(folder, name, *libraries):
    path = os.path.join(folder, name)
    linked = ["-Wl,--no-as-needed", *libraries] if libraries else []
    compiler = subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", path, *linked],
                              input="", text=True, capture_output=True, check=False)
    return path if compiler.returncode == 0 else None


def print_preloads(build):
    if not shutil.which("valgrind"):
        print("A process that is no rank: skipped, no valgrind")
        return
    with tempfile.TemporaryDirectory() as folder:
        empty = instructions(compile_library(folder, "empty.so"))
        likwid = os.environ.get("LIKWID_LIB") or next(iter(glob.glob("/usr/lib/*/liblikwidpin.so")), None)
        dlb = os.path.join(os.environ["DLB_HOME"], "lib/libdlb.so") if "DLB_HOME" in os.environ else None
        print("A process that is no rank: instructions of /bin/true over those with an empty library")
        for name, library in (
                ("splitpin", os.path.join(build, "libsplitpin.so")), ("LIKWID's liblikwidpin.so", likwid), ("DLB's libdlb.so", dlb),
                ("empty, linked to hwloc and libnuma", compile_library(folder, "linked.so", "-lhwloc", "-lnuma"))):
            count = instructions(library) if library and os.path.exists(library) else None
            print(f"   {name:<38}" + (f"{count - empty:>10}" if count is not None else "   skipped: not installed"))


def print_launches(build):
    ways = {"without a tool": [TRUE], "taskset -c 0": ["taskset", "-c", "0", TRUE],
            "numactl -C 0": ["numactl", "-C", "0", TRUE], "hwloc-bind core:0": ["hwloc-bind", "core:0", TRUE],
            "likwid-pin -c 0": ["likwid-pin", "-q", "-c", "0", TRUE],
            "splitpin run": [os.path.join(build, "splitpin"), "run", "--", TRUE]}
    there = {name: command for name, command in ways.items() if shutil.which(command[0]) and cpu_us(command) is not None}
    times = {name: [] for name in there}
    for _ in range(ROUNDS):
        for name, command in there.items():
            times[name].append(cpu_us(command))
    print(f"One launch of /bin/true: CPU time, median of {ROUNDS}")
    for name in ways:
        print(f"   {name:<38}" + (f"{statistics.median(times[name]):>10.0f} us" if name in there else "   skipped: not installed"))


if __name__ == "__main__":
    where = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
    print_preloads(where)
    print_launches(where)
