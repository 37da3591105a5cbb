#!/usr/bin/env python3
"""Recorded machines without what splitpin does not read.

    tests/data/topologies/reduce.py FILE...

Rewrites files in hwloc's XML in place: without caches of instructions, names
that no source in lib/hardware asks for, sizes of pages, associativity and line
sizes of caches, and numbers of objects to which nothing refers.  hwloc reads
the rest as before, so "splitpin plan" prints the same.
"""
import re
import sys

# What lib/hardware asks for, and what hwloc itself does when it reads a file.
NAMES = {
    "AMDUUID", "Backend", "CPUFamilyNumber", "CPUModel", "CPUModelNumber", "CPUVendor", "ClusterMode", "CoreType", "DAXDevice",
    "DAXParent", "DAXType", "FrequencyBaseMHz", "FrequencyMaxMHz", "LevelZeroSubdevices", "LinuxCapacity", "MemoryMode", "MemoryTier",
    "NVIDIAUUID", "OpenCLDeviceType", "SyntheticDescription",
}


def is_read(line):
    info = re.match(r'\s*<info name="([^"]*)"', line)
    return "<page_type" not in line and (not info or info[1] in NAMES)


def without_instruction_caches(lines):
    """Their children are children of what is around them."""
    kept, opened = [], []
    for line in lines:
        if "<object " in line and not line.rstrip().endswith("/>"):
            opened.append('type="L1iCache"' in line)
            if opened[-1]:
                continue
        elif "</object>" in line and opened.pop():
            continue
        if '<object type="L1iCache"' not in line:
            kept.append(line)
    return kept


def indented(lines):
    depth = 0
    for line in lines:
        line = line.strip()
        depth -= line.startswith("</")
        yield " " * max(depth, 0) + line
        depth += bool(re.match(r"<[a-z]", line)) and not line.endswith("/>") and "</" not in line


def closed(lines):
    """An object without children has no end of its own."""
    kept = []
    for line in lines:
        if line.strip() == "</object>" and kept[-1].lstrip().startswith("<object ") and not kept[-1].endswith("/>"):
            kept[-1] = kept[-1][:-1] + "/>"
        else:
            kept.append(line)
    return kept


def reduced(text):
    lines = without_instruction_caches([line for line in text.splitlines() if is_read(line)])
    attributes = r' cache_(linesize|associativity)="[^"]*"'
    if "gp_index" not in re.sub(r' gp_index="', "", text) and "<distances" not in text:
        attributes += r'| gp_index="[^"]*"'
    return "\n".join(indented(closed([re.sub(attributes, "", line) for line in lines]))) + "\n"


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        content = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(reduced(content))
