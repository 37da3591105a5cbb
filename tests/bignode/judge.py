#!/usr/bin/env python3
"""Compare what was seen of the ranks on an emulated machine with what is
expected of them.

usage: judge.py FOLDER TITLE AGAIN

AGAIN is the command that shows the scenes again.

FOLDER is what inside.sh has filled.  An expectation is words, of which each is
one of those below.  Unless it is to be killed the job is to end with status 0, and unless a warning or
the check is expected splitpin is to say nothing.

  ends          nothing more
  threads=N     each rank has N OpenMP threads, each on a core of its own, or on
                a CPU of its own where there are more threads than cores
  disjoint      no OpenMP threads of two ranks have a CPU in common, and all ranks have as
                many cores
  apart         the same, however many cores they have
  cores=N       each rank has so many cores
  overlap       the last rank has CPUs of another
  collide       the threads of all ranks are on the same CPUs
  cpus=A/B/...  the CPUs of each rank
  within=LIST   no thread may leave these CPUs
  like=SCENE:R  threads of rank R have the masks of those of SCENE's rank 0
  sockets       rank r is on socket r / (ranks / sockets)
  first         each part of an array is on the node of the thread it is for
  home=KIND     all arrays are on the nodes of the share (share), or on the
                high-bandwidth nodes beside them (hbm)
  deal=KIND     all arrays are dealt evenly round the nodes of the share (share),
                all nodes (all) or all that have CPUs (cpus); or round those of
                the share by the kernel's weights, where it has any (weights)
  ordinary      no page of the process but of files is on a node without CPUs
  spills=KIND   the nodes of the share (share), or the high-bandwidth nodes beside
                them (hbm), are used until they are full, then others: beside
                hbm those of the share alone
  killed        the kernel kills a process for want of high-bandwidth memory, and
                the job ends with another status than 0
  moved         all anonymous memory is on the nodes of the share
  checked       splitpin's own check agrees: nothing has come to lie elsewhere
  load=N        N threads in all ranks together, each on a core of its own, or evenly
                on all cores where there are more threads (load.py)
  load=N:LOAD   the same, with so many threads a core where they must be crowded
  counted=N     N threads in all, whose load is shown
  helpers=N     each rank has so many other threads that run; they count in the load
  says=TEXT     splitpin says this, and may say more
  may=TEXT      it may say this, which depends on time, and nothing else
  warn=TEXT     one warning, with this text (_ stands for a blank)
  warns=N:TEXT  so many warnings, each with this text

FOLDER/orders has lines "NAME<tab>SCENE SCENE ...": the scenes from the best to
the worst placement, by the mean distance from threads to pages, then by the
greatest part of the pages that one node has to serve.  FOLDER/tables has lines
"TITLE<tab>SCENE<tab>TITLE<tab>SCENE": where threads are, side by side.
FOLDER/compared has lines "SCENE<tab>SCENE": the load of the one without splitpin
and of the other with it.
"""

import collections
import fractions
import itertools
import pathlib
import re
import sys

import load

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cpu_lists import parse, text  # noqa: E402


class Machine:
    def __init__(self, path):
        self.core, self.socket, self.node, self.distance = {}, {}, {}, {}
        for line in path.read_text().splitlines():
            kind, *words = line.split()
            numbers = [int(word) for word in words]
            if kind == "cpu":
                cpu, self.core[numbers[0]], self.socket[cpu], self.node[cpu] = numbers[0], *numbers[1:]
            else:
                self.distance[numbers[0]] = numbers[1:]

    def cores(self, cpus):
        return {self.core[cpu] for cpu in cpus}

    def nodes(self, cpus):
        return {self.node[cpu] for cpu in cpus}

    def hbm(self, nodes):
        """The nearest nodes that have memory alone."""
        bare = set(self.distance) - set(self.node.values())
        return {min(bare, key=lambda b: self.distance[node][b]) for node in nodes} if bare else set()


class Rank:
    def __init__(self, scene, number):
        self.threads, self.helpers, self.tasks, self.maps, self.arrays = {}, [], [], {}, []
        self.anonymous = collections.Counter()
        for line in (scene / f"rank.{number}").read_text().splitlines():
            kind, rest = line.split(" ", 1)
            if kind == "task":
                self.add_task(*re.fullmatch(r"\d+ cpus=(\S+) state=(.) name=(.*)", rest).groups())
            else:
                self.add_map(rest)
        notes = scene / f"notes.{number}"
        for line in notes.read_text().splitlines() if notes.exists() else []:
            _, name, _, part, _, start, _, size = line.split()
            self.arrays.append((name, int(part), int(start, 16), int(size) // 4096))
        # Its cores: threads that are no OpenMP threads may be on all; without such threads those of the first, which stays in the share.
        self.share = self.places = frozenset().union(*(self.threads.values() or self.tasks[:1]))

    def add_task(self, cpus, state, name):
        self.tasks.append(parse(cpus))
        if name.startswith("held "):
            self.threads[0] = parse(cpus)
        elif re.fullmatch(r"thread \d+", name):
            self.threads[int(name.split()[1])] = parse(cpus)
        elif state == "R":
            self.helpers.append(parse(cpus))

    def add_map(self, line):
        start = int(line.split()[0], 16)
        counts = collections.Counter({int(n): int(c) for n, c in re.findall(r" N(\d+)=(\d+)", line)})
        self.maps[start] = counts
        if " file=" not in line:
            self.anonymous += counts

    def pages(self, part=None):
        """Pages of all arrays by node, or of one part of each."""
        return sum((self.maps.get(start, collections.Counter())
                    for _, number, start, _ in self.arrays if part in (None, number)), collections.Counter())

    def missing(self):
        return sum(pages for *_, pages in self.arrays) - sum(self.pages().values())


class Scene:
    def __init__(self, folder, machine, name, ranks, expectation):
        self.path, self.machine, self.name, self.expectation = folder / name, machine, name, expectation.split()
        self.status = int((self.path / "status").read_text())
        self.errors = (self.path / "err").read_text(errors="replace")
        self.ranks = [Rank(self.path, n) for n in range(ranks) if (self.path / f"rank.{n}").exists()]
        self.absent = ranks - len(self.ranks)
        self.room = {int(node): int(pages) for node, pages in map(str.split, self.lines("room"))}
        self.figures = []

    def lines(self, name):
        path = self.path / name
        return path.read_text().splitlines() if path.exists() else []

    def faults(self, scenes):
        killed = "killed" in self.expectation
        if self.absent and not killed:
            yield f"{self.absent} ranks were not seen"
            return
        if bool(self.status) != killed:
            yield f"exit status {self.status}"
        if not any(word.startswith(("warn=", "warns=", "says=", "checked")) for word in self.expectation):
            yield from self.unasked()
        for word in self.expectation:
            kind, _, value = word.partition("=")
            if kind == "like":
                yield from self.like(scenes, value)
            else:
                yield from getattr(self, "check_" + kind)(*([value] if value else []))

    def each(self):
        return enumerate(self.ranks)

    def unasked(self):
        allowed = [word[4:].replace("_", " ") for word in self.expectation if word.startswith("may=")]
        for line in re.findall("splitpin:.*", self.errors):
            if not any(text in line for text in allowed):
                yield "says unasked: " + line
                return

    def check_may(self, words):
        return ()

    def check_ends(self):
        return ()

    def check_threads(self, count):
        count = int(count)
        for number, rank in self.each():
            if sorted(rank.threads) != list(range(count)):
                yield f"rank {number} has threads {sorted(rank.threads)}, not 0 to {count - 1}"
                continue
            of_core = count <= len(self.machine.cores(rank.share))
            for thread, cpus in rank.threads.items():
                if count > 1 and len(self.machine.cores(cpus)) != 1:
                    yield f"rank {number}: thread {thread} is on {text(cpus)}: not one core"
            for (a, x), (b, y) in itertools.combinations(rank.threads.items(), 2):
                if x & y or (of_core and self.machine.cores(x) & self.machine.cores(y)):
                    yield f"rank {number}: threads {a} and {b} are on {text(x)} and {text(y)}"

    def overlaps(self):
        for (a, x), (b, y) in itertools.combinations(self.each(), 2):
            if x.places & y.places:
                yield f"ranks {a} and {b} both have CPUs {text(x.places & y.places)}"

    def check_apart(self):
        yield from self.overlaps()
        self.figures.append(" ".join(text(rank.places) for rank in self.ranks))

    def check_cores(self, count):
        for number, rank in self.each():
            if len(self.machine.cores(rank.share)) != int(count):
                yield f"rank {number} is on {text(rank.share)}: not {count} cores"

    def check_overlap(self):
        *first, last = self.ranks
        if not any(rank.share & last.share for rank in first):
            yield f"the last rank is on {text(last.share)}, which nobody else has"

    def check_disjoint(self):
        yield from self.overlaps()
        sizes = {len(self.machine.cores(rank.places)) for rank in self.ranks}
        if len(sizes) > 1:
            yield f"ranks have {sorted(sizes)} cores"

    def check_collide(self):
        places = {frozenset(rank.threads.values()) for rank in self.ranks}
        if len(places) > 1:
            yield "the ranks are in different places"
        self.figures.append(f"{sum(len(r.threads) for r in self.ranks)} threads on "
                            f"{len(frozenset().union(*next(iter(places))))} CPUs")

    def check_cpus(self, shares):
        shown = "/".join(text(rank.share) for rank in self.ranks)
        if shown != shares:
            yield f"ranks are on {shown}, not on {shares}"

    def check_within(self, cpus):
        for number, rank in self.each():
            if not rank.share <= parse(cpus):
                yield f"rank {number} is on {text(rank.share)}"

    def check_sockets(self):
        sockets = len(set(self.machine.socket.values()))
        for number, rank in self.each():
            found = {self.machine.socket[cpu] for cpu in rank.places}
            if found != {number // (len(self.ranks) // sockets)}:
                yield f"rank {number} is on sockets {sorted(found)}"
            self.figures.append(f"{number}:{text(found)}")

    def like(self, scenes, value):
        other, _, number = value.rpartition(":")
        if other not in scenes or not scenes[other].ranks:
            yield f"{other} did not run"
            return
        mine, theirs = self.ranks[int(number)].threads, scenes[other].ranks[0].threads
        for thread in sorted(set(mine) | set(theirs)):
            a, b = mine.get(thread), theirs.get(thread)
            if a != b:
                yield f"thread {thread} is on {text(a or ())}, in {other} on {text(b or ())}"

    def check_first(self):
        near = total = 0
        for number, rank in self.each():
            if rank.missing() or not rank.arrays:
                yield f"rank {number}: {rank.missing()} pages of its arrays are missing"
            for thread, cpus in rank.threads.items():
                pages = rank.pages(thread)
                nodes = self.machine.nodes(cpus)
                near += sum(pages[node] for node in nodes)
                total += sum(pages.values())
                if set(pages) - nodes:
                    yield f"rank {number}: the part of thread {thread} on nodes {nodes} is on {dict(pages)}"
        self.figures.append(f"{100 * near / total if total else 0:.1f} % of {total} pages on the thread's node")

    def count(self, expected):
        here = total = 0
        for number, rank in self.each():
            pages, nodes = rank.pages(), expected(self.machine.nodes(rank.share))
            here += sum(pages[node] for node in nodes)
            total += sum(pages.values())
            if rank.missing() or not rank.arrays:
                yield f"rank {number}: {rank.missing()} pages of its arrays are missing"
            if set(pages) - nodes:
                yield f"rank {number}: pages are to be on nodes {sorted(nodes)}, and are on {dict(pages)}"
        self.figures.append(f"{100 * here / total if total else 0:.1f} % of {total} pages there")

    def check_home(self, kind):
        yield from self.count(set if kind == "share" else self.machine.hbm)

    def check_deal(self, kind):
        nodes_of = {"all": lambda _: set(self.machine.distance),
                    "cpus": lambda _: set(self.machine.node.values())}.get(kind, set)
        weights = {int(node): int(weight) for node, weight in map(str.split, self.lines("weights"))}
        yield from self.count(nodes_of)
        worst = 0
        for number, rank in self.each():
            pages, nodes = rank.pages(), nodes_of(self.machine.nodes(rank.share))
            counts = [pages[node] / (weights.get(node, 1) if kind == "weights" else 1) for node in nodes]
            uneven = (max(counts) - min(counts)) / max(max(counts), 1)
            worst = max(worst, uneven)
            if uneven > 0.02 or len(nodes) < 2:
                yield f"rank {number}: pages are dealt {dict(pages)}"
        by = f" by weights {weights}" if kind == "weights" and weights else ""
        self.figures.append(f"counts differ by {100 * worst:.1f} %{by}")

    def threads(self):
        helpers = any(word.startswith("helpers=") for word in self.expectation)
        return [cpus for rank in self.ranks for cpus in [*rank.threads.values(), *(rank.helpers if helpers else [])]]

    def load(self):
        return load.load([self.machine.cores(cpus) for cpus in self.threads()])

    def best_load(self):
        count, _, limit = next(word[5:] for word in self.expectation if word.startswith("load=")).partition(":")
        return fractions.Fraction(limit) if limit else max(fractions.Fraction(int(count), len(self.machine.cores(self.machine.core))), 1)

    def check_helpers(self, count):
        found = [len(rank.helpers) for rank in self.ranks]
        if set(found) != {int(count)}:
            yield f"ranks have {found} other threads that run, not {count} each"

    def check_counted(self, count):
        if len(self.threads()) != int(count):
            yield f"{len(self.threads())} threads, not {count}"
        self.figures.append(f"{count} threads, load {float(self.load()):.2f}")

    def check_load(self, value):
        yield from self.check_counted(value.partition(":")[0])
        if self.load() > self.best_load():
            used, cores = (len(self.machine.cores(cpus)) for cpus in (frozenset().union(*self.threads()), self.machine.core))
            yield (f"{float(self.load()):.2f} threads on a core, not {float(self.best_load()):.2f}; "
                   f"{used} of {cores} cores are used")

    def check_ordinary(self):
        allowed, total = set(self.machine.node.values()), 0
        for number, rank in self.each():
            away = {node: count for node, count in rank.anonymous.items() if node not in allowed}
            total += sum(rank.anonymous.values())
            if away:
                yield f"rank {number}: pages on {away}"
        self.figures.append(f"none of {total} pages on nodes {sorted(set(self.machine.distance) - allowed)}")

    def check_says(self, words):
        if words.replace("_", " ") not in self.errors:
            yield f"it does not say \"{words.replace('_', ' ')}\""

    def check_spills(self, kind):
        taken = collections.Counter()
        for number, rank in self.each():
            pages, share = rank.pages(), self.machine.nodes(rank.share)
            wanted = share if kind == "share" else self.machine.hbm(share)
            may = set(self.machine.distance) if kind == "share" else wanted | share
            if rank.missing() or not rank.arrays:
                yield f"rank {number}: {rank.missing()} pages of its arrays are missing"
            if set(pages) - may:
                yield f"rank {number}: pages are to be on nodes {sorted(may)}, and are on {dict(pages)}"
            if wanted & set(self.room) and not set(pages) - wanted:
                yield f"rank {number}: all had room on nodes {sorted(wanted)}: {dict(pages)}"
            taken.update({node: pages[node] for node in wanted})
        for node, free in self.room.items():
            # What the programs and their files take is not counted.
            if taken[node] < free / 3:
                yield f"node {node} had {free} free pages, of which the arrays have {taken[node]}"
        inside, total = sum(taken.values()), sum(sum(rank.pages().values()) for rank in self.ranks)
        self.figures.append(f"{inside} of {total} pages there, where {sum(self.room.values())} were free")

    def check_killed(self):
        lines = self.lines("killed")
        bare = set(self.machine.distance) - set(self.machine.node.values())
        for line in lines:
            found = re.search(r"constraint=CONSTRAINT_MEMORY_POLICY,nodemask=([\d,-]+),.*\btask=([^,]*),", line)
            if not found or not parse(found[1]) <= bare:
                yield f"killed for another reason: {line}"
            else:
                self.figures.append(f"{found[2]} for want of room on node {found[1].rstrip(',')}")
        if not lines:
            yield "the kernel has killed nobody"

    def check_moved(self):
        for number, rank in self.each():
            away = {n: c for n, c in rank.anonymous.items() if n not in self.machine.nodes(rank.share)}
            if away:
                yield f"rank {number}: pages on {away}"
            self.figures.append(str(sum(rank.anonymous.values())))

    def check_checked(self):
        for number, _ in self.each():
            line = re.search(rf"rank={number}/\d+ memory=\S+ numa_list=\S+ there=(\d+) elsewhere=(\d+) before=(\d+)",
                             self.errors)
            if not line:
                yield f"rank {number}: no line of the check"
            elif int(line[2]) > int(line[3]) or int(line[1]) == 0:
                yield f"rank {number}: {line[0]}"

    def check_warn(self, words):
        yield from self.check_warns("1:" + words)

    def check_warns(self, value):
        count, _, words = value.partition(":")
        lines = re.findall("splitpin: warning:.*", self.errors)
        if len(lines) != int(count) or not all(words.replace("_", " ") in line for line in lines):
            yield f"{len(lines)} warnings: " + "; ".join(lines)
        else:
            self.figures.append(f"\"{lines[0]}\"")

    def cost(self):
        """Mean distance, and the greatest part of the pages that one node has."""
        way = total = 0
        load = collections.Counter()
        for rank in self.ranks:
            for thread, cpus in rank.threads.items():
                nodes = self.machine.nodes(cpus)
                for node, count in rank.pages(thread).items():
                    load[node] += count
                    total += count
                    way += count * sum(self.machine.distance[n][node] for n in nodes) / len(nodes)
        return round(way / total, 2), round(max(load.values()) / total, 3)


def table(scenes, left_title, left, right_title, right):
    def places(rank):
        threads = [rank.threads[n] for n in sorted(rank.threads)]
        shown = " ".join(text(cpus) for cpus in threads[:4])
        return f"{shown} ... {text(threads[-1])}" if len(threads) > 5 else " ".join(map(text, threads))

    def most(scene):
        load = collections.Counter(cpu for rank in scene.ranks for cpus in rank.threads.values()
                                   for cpu in cpus if len(cpus) == 1)
        whole = all(len(cpus) == 1 for rank in scene.ranks for cpus in rank.threads.values())
        cpus = len(frozenset().union(*(cpus for rank in scene.ranks for cpus in rank.threads.values())))
        return f"{sum(len(r.threads) for r in scene.ranks)} threads, {cpus} CPUs" + (
            f", up to {max(load.values())} on one" if whole else "")

    rows = [("rank", left_title, right_title)]
    rows += [(str(n), places(x), places(y)) for n, (x, y) in enumerate(zip(scenes[left].ranks, scenes[right].ranks))]
    rows.append(("", most(scenes[left]), most(scenes[right])))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        print("    " + "   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def lines(path):
    return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []


def main():
    folder, title = pathlib.Path(sys.argv[1]), sys.argv[2]
    again = f"\n#   to see it again: {sys.argv[3]}"
    machine = Machine(folder / "machine")
    scenes = {}
    for name, ranks, _, expectation, _ in lines(folder / "scenes"):
        label = f"{title} {name}"
        if not (folder / name / "status").exists():
            print(f"not ok - {label}\n#   it did not run{again}")
            continue
        scene = scenes[name] = Scene(folder, machine, name, int(ranks), expectation)
        faults = list(scene.faults(scenes))
        figures = f" ({', '.join(scene.figures)})" if scene.figures else ""
        more = f"; and {len(faults) - 4} more" if len(faults) > 4 else ""
        print(f"not ok - {label}\n#   {'; '.join(faults[:4])}{more}{again}" if faults else f"ok - {label}{figures}")
    for name, order in lines(folder / "orders"):
        if not all(word in scenes and not scenes[word].absent for word in order.split()):
            print(f"not ok - {title} {name}: a scene did not run{again}")
            continue
        costs = [scenes[word].cost() for word in order.split()]
        shown = " < ".join(f"{word} {c[0]:g}/{100 * c[1]:.0f} %" for word, c in zip(order.split(), costs))
        right = all(a < b for a, b in zip(costs, costs[1:]))
        print(f"{'ok' if right else 'not ok'} - {title} {name}: mean distance / pages on one node: {shown}{'' if right else again}")
    for without, name in lines(folder / "compared"):
        loads = [f"{float(scenes[word].load()):.2f}" if word in scenes and scenes[word].ranks else "-" for word in (without, name)]
        best = f"{float(scenes[name].best_load()):.2f}" if name in scenes else "-"
        print(f"# {name}: load {loads[0]} without splitpin, {loads[1]} with it, {best} at best")
    for left_title, left, right_title, right in lines(folder / "tables"):
        if left in scenes and right in scenes:
            table(scenes, left_title, left, right_title, right)


if __name__ == "__main__":
    main()
