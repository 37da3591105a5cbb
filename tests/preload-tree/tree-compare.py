#!/usr/bin/env python3
"""Compare what the same commands wrote in three runs, of which the first two
were alike: what differs between these two says nothing about the third.

    tree-compare.py [--noise FILE] ONE AGAIN OTHER PATTERN

ONE, AGAIN and OTHER are folders.  Files, links, folders and deleted files whose
path matches PATTERN are compared: kind, rights, owner, and content, in which
times, process numbers, keys and names of temporary files count as equal.  Of
what differs between ONE and AGAIN already, OTHER has to share what these share.
Prints a line for each difference and ends with 1 if there is any.  FILE gets
the paths that differ between ONE and AGAIN.
"""
import argparse
import fnmatch
import hashlib
import os
import re
import stat

MONTH = rb"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
MASKS = [(re.compile(pattern), text) for pattern, text in [
    (rb"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(\d+ )?" + MONTH + rb"[ \d:]*( UTC)?( \d{4})?", b"DATE"),
    (rb"\b20\d\d-\d\d-\d\d([T ]+\d\d:\d\d:\d\d(\.\d+)?)?", b"DATE"),
    (rb"\b\d\d:\d\d:\d\d\b", b"TIME"),
    (rb"\bcc[A-Za-z0-9]{6}\b", b"ccTEMPORARY"),
    (rb"\b(LWP|process|pid|PID) \d+\b", rb"\1 NUMBER"),
    (rb"0x(0000)?7f[0-9a-f]{10}\b", b"0xADDRESS"),
    (rb"\b[\d.,]+ ([kM]?B/s|s\b)", rb"RATE \1"),
    (rb"SHA256:[A-Za-z0-9+/]{43}", b"FINGERPRINT"),
]]


def digest(path):
    with open(path, "rb") as file:
        content = file.read()
    if b"\0" not in content:
        for pattern, text in MASKS:
            content = pattern.sub(text, content)
    return hashlib.sha256(content).hexdigest()


def describe(path):
    what = os.lstat(path)
    kind = f"{stat.filemode(what.st_mode)} {what.st_uid}:{what.st_gid}"
    if stat.S_ISREG(what.st_mode):
        return kind, digest(path)
    if stat.S_ISLNK(what.st_mode):
        return kind, os.readlink(path)
    return kind, ""


def entries(top, pattern):
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            inside = path[len(top):]
            if fnmatch.fnmatchcase(inside, pattern):
                found[inside] = describe(path)
    return found


def difference(one, again, other):
    """Of the three descriptions of one path, any of which may be None."""
    if one is None and again is None:
        return "is new"
    if one is None or again is None:
        return None
    if other is None:
        return "is missing"
    if one[0] == again[0] != other[0]:
        return f"is {other[0]}, not {one[0]}"
    if one[1] == again[1] != other[1]:
        return "has another content"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--noise")
    parser.add_argument("runs", nargs=3)
    parser.add_argument("pattern")
    options = parser.parse_args()
    one, again, other = (entries(run.rstrip("/"), options.pattern) for run in options.runs)
    differences = []
    for path in sorted(one.keys() | again.keys() | other.keys()):
        why = difference(one.get(path), again.get(path), other.get(path))
        if why:
            differences.append(f"{path} {why}")
    if options.noise:
        with open(options.noise, "w", encoding="utf-8") as file:
            file.writelines(path + "\n" for path in sorted(one.keys() | again.keys())
                            if one.get(path) != again.get(path))
    print("\n".join(differences[:20]), end="")
    if len(differences) > 20:
        print(f"\nand {len(differences) - 20} more", end="")
    return 1 if differences else 0


raise SystemExit(main())
