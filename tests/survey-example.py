"""The lines of a survey that docs/survey.md shows, from those of jobs of tests/survey.sh.

    tests/survey-example.py LINES > tests/data/survey-example.jsonl

Hosts, users, job numbers and programs are invented, and each second stands for ten minutes.
"""
import json
import sys

SCALE = 600
BEGIN = 1782864000  # 2026-07-01
PROGRAMS = ("heat", "waves", "ocean")
PATHS = {"bound": "./on-cpu-0.sh"}

for number, text in enumerate(open(sys.argv[1], encoding="utf-8")):
    line = json.loads(text)
    program = PROGRAMS[number % 3]
    start = BEGIN + 7200 * number
    new = {}
    for key, value in line.items():
        new[key] = round(value * SCALE, 3) if key.endswith("_s") else value
        if key == "host":
            new["host"] = f"n{17 + number % 2}"
            new["job"] = str(418207 + 13 * number)
    new.update(uid=70001 + number % 3, program=program, start=start, end=start + SCALE * max(1, line["end"] - line["start"]))
    if "line" in line:
        words = (word.rsplit("/", 1)[-1] if word.startswith("/") else word for word in line["line"].split(" ")[:-1])
        new["line"] = " ".join("./" + program if word == "waits" else PATHS.get(word, word) for word in words)
    print(json.dumps(new))
