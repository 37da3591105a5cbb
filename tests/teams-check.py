#!/usr/bin/env python3
"""Read what tests/programs/roots.c and SPLITPIN_DEBUG=1 have told: each team,
while it is there, has its threads spread evenly over the cores of the share.

    teams-check.py CORES FILE

One line a fault; exit status 1 where there is any.
"""

import collections
import re
import sys

PIN = re.compile(r"thread=(?P<thread>\d+) tid=(?P<tid>\d+) cpus=(?P<cpus>\S+) core=(?P<core>\S+)")


def main():
    cores = int(sys.argv[1])
    core_of = {}
    teams, faults = 0, 0

    for line in open(sys.argv[2], encoding="utf-8"):
        pin = PIN.search(line)
        if pin:
            core_of[pin["tid"]] = pin["core"]
        if not line.startswith("step "):
            continue
        _, step, _, *tids = line.split()
        teams += 1
        on = collections.Counter(core_of.get(tid, "none") for tid in tids)
        even = max(on.values()) <= -(-len(tids) // cores)
        if "none" in on or any("-" in core for core in on) or not even:
            print(f"{step}: threads on cores {dict(on)}")
            faults += 1
    if teams == 0:
        print("no team was there")
    sys.exit(faults > 0 or teams == 0)


main()
