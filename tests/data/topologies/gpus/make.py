#!/usr/bin/env python3
"""Nodes with GPUs as hwloc's XML, from what their guides say of them.

    tests/data/topologies/gpus/make.py [FOLDER]

Writes one file a machine into FOLDER, this script's own without it.  A machine
is packages of NUMA nodes of L3 groups of cores; hardware thread t of core c is
CPU c + t * cores.  Of a GPU there are its PCI device, beside a NUMA node, a
package or a whole machine, and what the tests ask for: address, vendor,
partitions, tiles and UUID.  Bus numbers are invented where no guide has them;
their order is that of the GPUs' numbers.
"""
import os
import sys

NVIDIA, AMD, INTEL = "10de", "1002", "8086"


def bitmap(numbers):
    words = {}
    for n in numbers:
        words[n // 32] = words.get(n // 32, 0) | 1 << n % 32
    top = max(words, default=0)
    return ",".join(f"0x{words.get(i, 0):08x}" for i in range(top, -1, -1))


class Writer:
    def __init__(self):
        self.lines, self.depth = [], 1

    def open(self, what, cpus=None, nodes=None, closed=False, **attributes):
        text = f'<object type="{what}"'
        for name, value in attributes.items():
            text += f' {name}="{value}"'
        if cpus is not None:
            text += f' cpuset="{bitmap(cpus)}" complete_cpuset="{bitmap(cpus)}"'
            text += f' nodeset="{bitmap(nodes)}" complete_nodeset="{bitmap(nodes)}"'
        self.line(text + ("/>" if closed else ">"))
        if not closed:
            self.depth += 1

    def info(self, name, value):
        self.line(f'<info name="{name}" value="{value}"/>')

    def close(self):
        self.depth -= 1
        self.line("</object>")

    def line(self, text):
        self.lines.append(" " * self.depth + text)


class Machine:
    """gpus: (("numa" or "package", number), {...}) in the order of their buses."""

    def __init__(self, packages, numas, l3s, cores, threads, gpus, vendor, device, kind="0302",
                 partitions=1, tiles=1, extra=(), memory=64, mhz=None):
        self.shape = packages, numas, l3s, cores
        self.total = packages * numas * l3s * cores
        self.threads, self.gpus, self.vendor, self.device = threads, gpus, vendor, device
        self.kind, self.partitions, self.tiles = kind, partitions, tiles
        self.extra = extra      # nodes beside a package: (package, number, subtype or None, GiB)
        self.memory = memory
        self.mhz = mhz          # the highest frequency of a core, by its number

    def cpus(self, first, n):
        return [c + t * self.total for t in range(self.threads) for c in range(first, first + n)]

    def write(self, path):
        packages, numas, l3s, cores = self.shape
        w, per_node = Writer(), l3s * cores
        nodes = list(range(packages * numas)) + [number for _, number, _, _ in self.extra]
        everything = self.cpus(0, self.total)
        w.lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE topology SYSTEM "hwloc2.dtd">', '<topology version="2.0">']
        w.open("Machine", everything, nodes, os_index=0, allowed_cpuset=bitmap(everything), allowed_nodeset=bitmap(nodes))
        for p in range(packages):
            cpus = self.cpus(p * numas * per_node, numas * per_node)
            own = list(range(p * numas, (p + 1) * numas)) + [number for at, number, _, _ in self.extra if at == p]
            w.open("Package", cpus, own, os_index=p)
            for at, number, subtype, size in self.extra:
                if at == p:
                    self.node(w, number, cpus, subtype, size)
            if numas == 1:
                self.numa(w, p, own)
            else:
                for n in range(p * numas, (p + 1) * numas):
                    w.open("Group", self.cpus(n * per_node, per_node), [n], kind=0, subkind=0)
                    self.numa(w, n, [n])
                    w.close()
            self.bridges(w, "package", p)
            w.close()
        w.close()
        self.kinds(w)
        w.lines.append("</topology>")
        with open(path, "w", encoding="ascii") as out:
            out.write("\n".join(w.lines) + "\n")

    def kinds(self, w):
        cores = range(self.total) if self.mhz else ()
        for mhz in sorted({self.mhz(core) for core in cores}):
            cpus = [cpu for core in cores if self.mhz(core) == mhz for cpu in self.cpus(core, 1)]
            w.line(f'<cpukind cpuset="{bitmap(cpus)}">')
            w.line(f' <info name="FrequencyMaxMHz" value="{mhz}"/>')
            w.line("</cpukind>")

    def node(self, w, number, cpus, subtype, size):
        attributes = {"subtype": subtype} if subtype else {}
        w.open("NUMANode", cpus, [number], os_index=number, local_memory=size << 30, closed=True, **attributes)

    def numa(self, w, number, nodes):
        _, _, l3s, cores = self.shape
        first = number * l3s * cores
        self.node(w, number, self.cpus(first, l3s * cores), None, self.memory)
        for l3 in range(l3s):
            at = first + l3 * cores
            w.open("L3Cache", self.cpus(at, cores), nodes, cache_size=32 << 20, depth=3, cache_type=0)
            for core in range(at, at + cores):
                w.open("Core", self.cpus(core, 1), nodes, os_index=core)
                for cpu in self.cpus(core, 1):
                    w.open("PU", [cpu], nodes, os_index=cpu, closed=True)
                w.close()
            w.close()
        self.bridges(w, "numa", number)

    def bridges(self, w, level, number):
        mine = [(i, gpu) for i, gpu in enumerate(self.gpus) if gpu == (level, number)]
        if not mine:
            return
        first, last = self.bus(mine[0][0]), self.bus(mine[-1][0])
        w.open("Bridge", bridge_type="0-1", depth=0, bridge_pci=f"0000:[{first:02x}-{last:02x}]")
        for i, _ in mine:
            w.open("PCIDev", pci_busid=f"0000:{self.bus(i):02x}:00.0",
                   pci_type=f"{self.kind} [{self.vendor}:{self.device}] [0000:0000] a1", pci_link_speed="31.507692")
            self.devices(w, i)
            w.close()
        w.close()

    def devices(self, w, i):
        for part in range(self.partitions):
            number = i * self.partitions + part
            name = {NVIDIA: f"nvml{number}", AMD: f"rsmi{number}", INTEL: f"ze{number}"}[self.vendor]
            w.open("OSDev", name=name, osdev_type=1)
            if self.vendor == NVIDIA:
                w.info("NVIDIAUUID", f"GPU-{number:08x}-0000-4000-8000-000000000000")
            if self.vendor == AMD:
                w.info("AMDUUID", f"{number + 1:016x}")
            if self.tiles > 1:
                w.info("LevelZeroSubdevices", self.tiles)
            w.close()

    @staticmethod
    def bus(i):
        return 0x10 + 0x10 * i


def at(level, *numbers):
    return [(level, n) for n in numbers]


MACHINES = {
    "polaris-4xa100": Machine(1, 4, 1, 8, 2, at("numa", 3, 2, 1, 0), NVIDIA, "20b0"),
    "perlmutter-4xa100": Machine(1, 4, 2, 8, 2, at("numa", 3, 2, 1, 0), NVIDIA, "20b0"),
    "aurora-6xpvc": Machine(2, 1, 1, 52, 2, at("package", 0, 0, 0, 1, 1, 1), INTEL, "0bd5", kind="0380", tiles=2,
                            extra=[(0, 2, "HBM", 64), (1, 3, "HBM", 64)], memory=512),
    "xeon-8xh100": Machine(2, 1, 1, 56, 2, at("package", 0, 0, 0, 0, 1, 1, 1, 1), NVIDIA, "2330", memory=1024),
    "epyc-8xa100-nps4": Machine(2, 4, 4, 4, 2, at("numa", 3, 3, 1, 1, 7, 7, 5, 5), NVIDIA, "20b2"),
    "epyc-4xh200-nps4": Machine(2, 4, 2, 8, 2, at("numa", 1, 2, 6, 7), NVIDIA, "2335"),
    "gh200-4": Machine(4, 1, 1, 72, 1, at("package", 0, 1, 2, 3), NVIDIA, "2342",
                       extra=[(i, n, "GPUMemory", 96) for i, n in enumerate((4, 12, 20, 28))], memory=120),
    # The GPU's instances of MIG would have nodes 2 to 8, which have no memory.
    "gh200-1": Machine(1, 1, 1, 72, 1, at("package", 0), NVIDIA, "2342",
                       extra=[(0, 1, "GPUMemory", 96)] + [(0, n, "GPUMemory", 0) for n in range(2, 9)], memory=480),
    "gb200-4": Machine(2, 1, 1, 72, 1, at("package", 0, 0, 1, 1), NVIDIA, "2941", memory=480),
    "mi300a-spx": Machine(4, 1, 3, 8, 2, at("package", 0, 1, 2, 3), AMD, "74a0", kind="1200", memory=128),
    "mi300a-tpx": Machine(4, 1, 3, 8, 2, at("package", 0, 1, 2, 3), AMD, "74a0", kind="1200", partitions=3, memory=128),
    "mi300a-cpx": Machine(4, 1, 3, 8, 2, at("package", 0, 1, 2, 3), AMD, "74a0", kind="1200", partitions=6, memory=128),
    # The first 8 cores of each package reach 4.6 GHz, the others 3.
    "xeon-fast-cores": Machine(2, 1, 1, 32, 2, [], NVIDIA, "", memory=256, mhz=lambda core: 4600 if core % 32 < 8 else 3000),
    # One node of memory without CPUs beside each package, that firmware tells nothing of.
    "xeon-cxl": Machine(2, 1, 1, 16, 2, [], NVIDIA, "", extra=[(0, 2, None, 32), (1, 3, None, 32)], memory=256),
}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, machine in MACHINES.items():
        machine.write(os.path.join(folder, name + ".xml"))


if __name__ == "__main__":
    main()
