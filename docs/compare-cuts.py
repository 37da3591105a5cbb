"""Figures of a distribution: reads a share a line (a mask, or Open MPI's
picture of one) and prints a cell for docs/cut.md.

usage: compare-cuts.py TOPOLOGY.xml RANKS

With more ranks than cores the figures are others: see cell_of_crowd.
"""
import sys
import xml.etree.ElementTree as tree


def cpus_of_mask(text):
    # hwloc parts words of 32 bits by commas, and leaves out those that are 0
    value = 0
    for word in text.split(","):
        value = value << 32 | int(word or "0", 16)
    return {cpu for cpu in range(value.bit_length()) if value >> cpu & 1}


def groups_of(root, kind):
    found = [cpus_of_mask(o.get("cpuset")) for o in root.iter("object") if o.get("type") == kind]
    return [cpus for cpus in found if cpus]


def cores_of_picture(picture, packages):
    """Cores, by number, of "[BB/../..][../../..]"."""
    cores = set()
    drawn = picture.strip().strip("[]").split("][")
    for names, package in zip(packages, drawn):
        for core, cpus in zip(names, package.split("/")):
            if "B" in cpus:
                cores.add(core)
    return cores


def threads_of_picture(picture, packages):
    """The same as hardware threads: pairs of a core and a thread's number in it."""
    drawn = picture.strip().strip("[]").split("][")
    return {(core, thread)
            for names, package in zip(packages, drawn)
            for core, cpus in zip(names, package.split("/"))
            for thread, drawing in enumerate(cpus) if drawing == "B"}


def span(numbers):
    smallest, largest = min(numbers), max(numbers)
    return f"{smallest}" if smallest == largest else f"{smallest}-{largest}"


def cell_of_crowd(shares, ncores):
    """Ranks a core; threads a rank; ranks on several cores; idle cores; ranks that overlap."""
    cores = [{core for core, _ in share} for share in shares]
    ranks = [sum(1 for touched in cores if core in touched) for core in range(ncores)]
    straddling = sum(1 for touched in cores if len(touched) > 1)
    sharing = sum(1 for i, a in enumerate(shares) if any(a & b for j, b in enumerate(shares) if i != j))
    return (f"**{span(ranks)}**; {span(list(map(len, shares)))}; {straddling}; {ranks.count(0)}"
            + (f"; overlap {sharing}" if sharing else ""))


def fewest(sizes, cores):
    """Of groups side by side, the fewest that hold so many cores."""
    best = len(sizes)
    for first in range(len(sizes)):
        for last in range(first, len(sizes)):
            if sum(sizes[first:last + 1]) >= cores:
                best = min(best, last - first + 1)
                break
    return best


def too_many(shares, groups):
    """Groups that shares touch beyond the fewest that could hold them."""
    sizes = [len(group) for group in groups]
    return sum(sum(1 for group in groups if group & share) - fewest(sizes, len(share)) for share in shares)


def main():
    root = tree.parse(sys.argv[1]).getroot()
    ranks = int(sys.argv[2])
    cores = groups_of(root, "Core")

    def in_cores(cpus):
        return {i for i, core in enumerate(cores) if core & cpus}

    packages = [sorted(in_cores(package)) for package in groups_of(root, "Package")]
    # memory without cores of its own (MCDRAM) is no boundary
    nodes = {frozenset(in_cores(node)) for node in groups_of(root, "NUMANode")}
    caches = {frozenset(in_cores(cache)) for cache in groups_of(root, "L3Cache")}

    def in_threads(cpus):
        return {(i, thread) for i, core in enumerate(cores)
                for thread, cpu in enumerate(sorted(core)) if cpu in cpus}

    crowd = ranks > len(cores)
    shares = []
    for line in sys.stdin:
        line = line.strip()
        if line.startswith("picture") and "[" not in line:  # UNBOUND
            shares.append(set())
        elif line.startswith("picture"):
            read = threads_of_picture if crowd else cores_of_picture
            shares.append(read(line[len("picture"):], packages))
        elif line:
            read = in_threads if crowd else in_cores
            shares.append(read(cpus_of_mask(line[2:] if line.startswith("0x") else line)))
    if len(shares) != ranks:
        print("refused")
        return
    if not any(shares):
        print("not bound")
        return
    if crowd:
        print(cell_of_crowd(shares, len(cores)))
        return
    smallest, largest = min(map(len, shares)), max(map(len, shares))
    size = f"**{smallest}**" if smallest == largest else f"**{smallest}-{largest}**"
    idle = len(cores) - len(set().union(*shares))
    crossed = sum(too_many(shares, sorted(groups, key=min)) for groups in (nodes, caches) if groups)
    sharing = sum(1 for i, a in enumerate(shares) if any(a & b for j, b in enumerate(shares) if i != j))
    print(f"{size}; {idle}; {crossed}" + (f"; overlap {sharing}" if sharing else ""))


main()
