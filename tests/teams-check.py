#!/usr/bin/env python3
"""Read what tests/programs/roots.c and SPLITPIN_DEBUG=1 have told: of each team,
while it is there, either all threads are pinned, spread evenly over the cores
of the share, or none is.  It is pinned if it is the only one so far and has a
core for each thread, or a thread on each CPU; it is not if it has more threads
than that.  Where others came before, their threads may still be there and want
cores, too; libgomp ends those that a smaller team does not need when that has
begun.

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
    core_of, roots = {}, set()
    was_larger, is_nested = False, False
    teams, faults = 0, 0

    for line in open(sys.argv[4], encoding="utf-8"):
        pin = PIN.search(line)
        if pin:
            core_of[pin["tid"]] = pin["core"]
        if not line.startswith("step "):
            continue
        _, step, _, *tids = line.split()
        teams += 1
        roots.add(re.sub(r"[^a-z]", "", step))
        # "d4.3": each of 4 threads has a team of 3.
        is_nested |= "." in step
        fits = len(tids) <= cores or len(tids) == cpus
        on = collections.Counter(core_of.get(tid, "none") for tid in tids)
        is_pinned = cores == 1 or everywhere not in on
        is_only = len(roots) == 1 and not is_nested and "+" not in runtime
        even = max(on.values(), default=0) <= -(-len(tids) // cores)
        if "none" in on or (is_pinned and (any("-" in core for core in on) or not even)):
            print(f"{step}: threads on cores {dict(on)}")
            faults += 1
        if not is_pinned and len(on) > 1:
            print(f"{step}: some are pinned: {dict(on)}")
            faults += 1
        if is_pinned != fits and cores > 1 and (is_pinned or (is_only and not ("libgomp" in runtime and was_larger))):
            print(f"{step}: {'' if is_pinned else 'not '}pinned, {len(tids)} threads on {cores} cores, {cpus} CPUs: {dict(on)}")
            faults += 1
        was_larger |= not fits
    if teams == 0:
        print("no team was there")
    sys.exit(faults > 0 or teams == 0)


main()
