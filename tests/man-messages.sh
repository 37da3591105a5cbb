#!/bin/bash
# Every warning that the library can print, and every reason that stands in
# one, has its item in a manual page, and no item is without its warning.
#
#   tests/man-messages.sh [BUILD]
#
# An item is a line ".It TEXT" of a section or subsection Warnings, with anything
# in the place of what the source fills in.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

verdict "every message is in a manual page" "$(
	python3 - 2>&1 <<'PYTHON'
import glob, re

pages = ["man/splitpin-messages.7", "man/splitpin.conf.5"]
# What sp_machine_fault finds is for tests: users read that the board is damaged, or that the topology cannot be read.
INTERNAL = {"lib/base/machine.c"}
sources = sorted(set(glob.glob("lib/*/*.c") + glob.glob("lib/*/*/*.c") + glob.glob("ompt/*.c")) - INTERNAL)
WORDS = 3               # a shorter literal is a part of another sentence
LITERAL = r'"(?:[^"\\]|\\.)*"'
CALLS = re.compile(r"\b(?:(?:sp_warn(?:_rank|_node)?|warn_of_node|give_up|fault|no_board|sp_site_refuse)\("
                   r"|snprintf\((?:(?:sentence|text), |why, (?=S|walk)))")
# Of the remedies one is printed by splitpin show alone.
REASONS = re.compile(r'\[SP_PROBLEM_(?!SAME_CPUS)\w+\] = |\breturn (?=%s)|\bproblem = (?!NULL)|\bwhy = (?!NULL)' % LITERAL)
ROWS = re.compile(r'\{ "SPLITPIN_\w+", (?=%s \})' % LITERAL)


def statements(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"\s*\n\s*"', "", text)
    for start in [m.end() for r in (CALLS, REASONS, ROWS) for m in r.finditer(text)]:
        depth, at, quoted = 1, start, re.compile(LITERAL)
        while depth and text[at] not in ";{}" and not text.startswith("\n\t\t[SP_PROBLEM_", at):
            string = quoted.match(text, at)
            depth += (text[at] == "(") - (text[at] == ")")
            at = string.end() if string else at + 1
        yield text[start:at]


def sentences(source):
    for statement in statements(open(source).read()):
        for literal in re.findall(LITERAL, statement):
            sentence = literal[1:-1].removeprefix("host=%s ")
            words = re.findall(r"[A-Za-z]{2,}", re.sub(r"%\w+", " ", sentence))
            if len(words) >= WORDS:
                yield sentence.replace('\\"', '"')


def pattern(sentence):
    parts = re.split(r"%(?:[0-9.]*z?[a-z])", sentence)
    return re.compile(".*".join(re.escape(part) for part in parts))


def items(page):
    inside = False
    for line in open(page):
        if re.match(r"\.S[hs] ", line):
            inside = line[4:].strip().lower() == "warnings"
        elif inside and line.startswith(".It "):
            yield line[4:].strip().replace("\\&", "").replace("\\(dq", '"')


wanted = {}
for source in sources:
    for sentence in sentences(source):
        wanted.setdefault(sentence, source)
told = {item: page for page in pages for item in items(page)}
faults = []
for sentence, source in wanted.items():
    if not any(pattern(sentence).fullmatch(item) or sentence in item for item in told):
        faults.append("%s: no page has \"%s\"" % (source, sentence))
for item, page in told.items():
    if not any(pattern(sentence).fullmatch(item) for sentence in wanted):
        faults.append("%s: no warning is \"%s\"" % (page, item))
print("\n".join(faults + ([] if wanted else ["no messages were found"])))
PYTHON
)"
closing
