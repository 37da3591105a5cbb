#!/usr/bin/env python3
"""Read what tests/programs/roots.c and SPLITPIN_DEBUG=1 have told: each team,
while it is there, has its threads spread evenly over the cores of the share.
Threads of a team that is larger than the number of CPUs are on all of them, and
so are teams inside of others which are more with these; libgomp, which tells of
no smaller team, keeps them there.  The thread that opens teams of two runtimes
may be pinned as the first of them was.

    teams-check.py RUNTIME CORES CPUS FILE

One line a fault; exit status 1 where there is any.
"""

import collections
import re
import sys

PIN = re.compile(r"thread=(?P<thread>\d+) tid=(?P<tid>\d+) cpu_list=(?P<cpus>\S+) core_list=(?P<core>\S+)")


def main():
    runtime, cores, cpus = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    everywhere = f"0-{cores - 1}" if cores > 1 else "0"
    core_of, loose = {}, set()
    teams, faults = 0, 0

    for line in open(sys.argv[4], encoding="utf-8"):
        pin = PIN.search(line)
        if pin:
            core_of[pin["tid"]] = pin["core"]
        if not line.startswith("step "):
            continue
        _, step, _, *tids = line.split()
        teams += 1
        on = collections.Counter(core_of.get(tid, "none") for tid in tids)
        # "d4.3": each of 4 threads has a team of 3.
        sizes = [len(tids)] + [int(size) for size in re.findall(r"\d+", step)]
        if any(size > cpus > 1 for size in sizes):
            loose |= set(tids)
        elif "libgomp" not in runtime:
            loose -= set(tids)
        on[everywhere] -= sum(tid in loose and core_of.get(tid) == everywhere for tid in tids)
        on = +on
        if len(tids) > cpus > 1 and sum(on.values()) > ("+" in runtime):
            print(f"{step}: pinned to cores {dict(on)}, {len(tids)} threads on {cpus} CPUs")
            faults += 1
        even = max(on.values(), default=0) <= -(-len(tids) // cores)
        if "none" in on or any("-" in core for core in on) or not even:
            print(f"{step}: threads on cores {dict(on)}")
            faults += 1
    if teams == 0:
        print("no team was there")
    sys.exit(faults > 0 or teams == 0)


main()
