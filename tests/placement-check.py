#!/usr/bin/env python3
"""Compare what the ranks of one job wrote (tests/programs/placement.h) with
what splitpin promises.  One line a fault; exit status 1 where there is any.
"""

import argparse
import itertools
import pathlib
import re

from cpu_lists import parse, text


def core(cpu):
    """All CPUs of the core of a CPU."""
    folder = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
    for name in ("core_cpus_list", "thread_siblings_list"):
        if (folder / name).exists():
            return parse((folder / name).read_text().strip())
    return frozenset([cpu])


def cores(cpus):
    return {core(cpu) for cpu in cpus}


class Rank:
    def __init__(self, path):
        self.threads, self.tasks, self.libraries = [], [], []
        for line in path.read_text().splitlines():
            kind, *words = line.split()
            fact = dict(word.split("=", 1) for word in words if "=" in word)
            if "cpus" in fact:
                fact["cpus"] = parse(fact["cpus"])
            if kind == "start":
                self.start, self.max_threads = fact["cpus"], int(fact["max_threads"])
            elif kind == "thread":
                self.threads.append(fact)
            elif kind == "task":
                self.tasks.append(fact)
            elif kind == "library":
                self.libraries.append(fact["name"])
        self.share = self.start

    def regions(self):
        for region in sorted({t["region"] for t in self.threads}):
            yield region, [t for t in self.threads if t["region"] == region]

    def is_unpinned(self):
        """Whether a team has more threads than CPUs, so that no OpenMP thread of the rank is pinned."""
        return any(len(team) > len(self.share) for _, team in self.regions())


def check_shares(shares, allowed):
    for (a, x), (b, y) in itertools.combinations(enumerate(shares), 2):
        if x & y:
            yield f"ranks {a} and {b} share CPUs {text(x & y)}"
    if len({len(share) for share in shares}) > 1:
        yield "shares are not equal: " + ", ".join(map(text, shares))
    for rank, share in enumerate(shares):
        if not share <= allowed:
            yield f"rank {rank}: share {text(share)} is not within {text(allowed)}"
    if len(cores(allowed)) >= len(shares):
        yield from check_whole_cores(shares, allowed)
    else:
        yield from check_shared_cores(shares, allowed)


def check_whole_cores(shares, allowed):
    fair = len(cores(allowed)) // len(shares)
    for rank, share in enumerate(shares):
        if share != frozenset().union(*cores(share)) & allowed:
            yield f"rank {rank}: share {text(share)} is not made of whole cores"
        if not fair >= len(cores(share)) >= fair - fair // 8:
            yield f"rank {rank}: share {text(share)} has {len(cores(share))} of {fair} cores"


def check_shared_cores(shares, allowed):
    """More ranks than cores: each in one core, and as many on every core."""
    for rank, share in enumerate(shares):
        if len(cores(share)) != 1:
            yield f"rank {rank}: share {text(share)} is in {len(cores(share))} cores"
    room = {core: len(core & allowed) for core in cores(allowed)}
    ranks = {core: sum(1 for share in shares if share & core) for core in room}
    for core, there in ranks.items():
        if there < min(room[core], max(ranks.values()) - 1):
            yield f"core {text(core)} has {there} ranks, another {max(ranks.values())}"
    if len(set(room.values())) == 1:
        each = max(room.values()) // max(ranks.values())
        for rank, share in enumerate(shares):
            if len(share) != each:
                yield f"rank {rank}: share {text(share)} has {len(share)} of {each} CPUs"


def check_threads(rank, pinned_by_user, allowed):
    is_unpinned = not pinned_by_user and rank.is_unpinned()
    for region, team in rank.regions():
        if {int(t["number"]) for t in team} != set(range(len(team))):
            yield f"region {region}: thread numbers are not 0 to {len(team) - 1}"
        for thread in team:
            if is_unpinned and thread["cpus"] != allowed:
                yield (f"region {region}: thread {thread['number']} is on {text(thread['cpus'])}, "
                       f"not on all CPUs {text(allowed)}")
            if not is_unpinned and not thread["cpus"] <= rank.share:
                yield (f"region {region}: thread {thread['number']} is on {text(thread['cpus'])}, "
                       f"outside the share {text(rank.share)}")
        room = len(cores(rank.share)) if pinned_by_user else len(rank.share)
        if is_unpinned:
            continue
        if len(team) <= room:
            for a, b in itertools.combinations(team, 2):
                if a["cpus"] & b["cpus"]:
                    yield (f"region {region}: threads {a['number']} and {b['number']} "
                           f"are both on {text(a['cpus'] & b['cpus'])}")
        elif not pinned_by_user:
            places = [t["cpus"] for t in team]
            most = -(-len(team) // len(rank.share))
            for place in set(places):
                if len(place) != 1 or places.count(place) > most:
                    yield f"region {region}: {places.count(place)} threads on {text(place)}"
    seen = {}
    for thread in rank.threads:
        if not pinned_by_user and seen.setdefault(thread["tid"], thread["cpus"]) != thread["cpus"]:
            yield (f"thread {thread['number']} moved from {text(seen[thread['tid']])} "
                   f"to {text(thread['cpus'])}")


def check_others(rank, pinned_by_user, allowed):
    workers = {t["tid"] for t in rank.threads}
    is_unpinned = not pinned_by_user and rank.is_unpinned()
    for task in rank.tasks:
        if task["tid"] in workers:
            if not task["cpus"] <= (allowed if is_unpinned else rank.share):
                yield f"task {task['name']} is on {text(task['cpus'])}, outside the share {text(rank.share)}"
        elif pinned_by_user:
            if not task["cpus"] <= allowed:
                yield f"task {task['name']} is on {text(task['cpus'])}, outside {text(allowed)}"
        elif task["cpus"] not in (rank.share, allowed):
            yield (f"task {task['name']} is no OpenMP thread and has {text(task['cpus'])}, "
                   f"neither the share {text(rank.share)} nor all CPUs {text(allowed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds the files rank.0, rank.1, ...")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--allowed", type=parse, required=True, help="CPUs that the job may use")
    parser.add_argument("--threads", type=int, help="OMP_NUM_THREADS, if it was set")
    parser.add_argument("--runtime", help="how the name of the OpenMP runtime begins")
    parser.add_argument("--log", type=pathlib.Path,
                        help="the user's settings pin: shares are read from these debug lines")
    args = parser.parse_args()

    faults = []
    ranks = []
    for number in range(args.ranks):
        path = args.folder / f"rank.{number}"
        if path.exists():
            ranks.append(Rank(path))
        else:
            faults.append(f"rank {number} wrote nothing")
    if args.log:
        told = dict(re.findall(r"rank=(\d+)/\S+ active=yes cpu_list=(\S+)", args.log.read_text(errors="replace")))
        for number, rank in enumerate(ranks):
            if str(number) in told:
                rank.share = parse(told[str(number)])
            else:
                faults.append(f"rank {number}: no debug line tells its share")

    faults += check_shares([rank.share for rank in ranks], args.allowed)
    for number, rank in enumerate(ranks):
        own = []
        expected = args.threads or len(rank.share)
        if rank.max_threads != expected and not (args.log and not args.threads):
            own.append(f"omp_get_max_threads() is {rank.max_threads}, not {expected}")
        if args.runtime and not any(name.startswith(args.runtime) for name in rank.libraries):
            own.append(f"runs on {' and '.join(rank.libraries)}, not {args.runtime}")
        own += check_threads(rank, bool(args.log), args.allowed)
        own += check_others(rank, bool(args.log), args.allowed)
        faults += [f"rank {number}: {fault}" for fault in own]
    print("\n".join(dict.fromkeys(faults)))
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
