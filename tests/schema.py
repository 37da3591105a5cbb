#!/usr/bin/env python3
"""Is the JSON of a command as docs/splitpin.schema.json has it?

    tests/schema.py COMMAND < JSON    COMMAND: plan, advise, show, check, compare or config
    tests/schema.py LINES < FILE      LINES: log or record, with an object a line
    tests/schema.py --words PAGE      each word of the schema has one definition, and is in this manual page

Prints what is wrong.  Python has no validator of its own; this one reads as much of
JSON Schema as the file uses, and takes no word that the file does not have.
"""
import json
import os
import re
import sys

DEFINITIONS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../docs/splitpin.schema.json")))["$defs"]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def faults(value, schema, path):
    while "$ref" in schema:
        schema = DEFINITIONS[schema["$ref"].removeprefix("#/$defs/")]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{path} is no {' or '.join(types)}: {value!r:.60}"
    if value not in schema.get("enum", [value]):
        yield f"{path} is none of {schema['enum']}: {value!r}"
    if isinstance(value, dict):
        yield from (f"{path}.{word} is missing" for word in schema.get("required", []) if word not in value)
        for word, member in value.items():
            if word in schema.get("properties", {}):
                yield from faults(member, schema["properties"][word], f"{path}.{word}")
            else:
                yield f"{path}.{word} is not in the schema"
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from faults(item, schema["items"], f"{path}[{i}]")


def of_command(command, value):
    """What is wrong with what a command has printed, as a list of sentences."""
    return list(faults(value, DEFINITIONS["COMMAND"][command], command))


def words_without(schema):
    """Words of objects that have no definition under their own name, and required ones that are no property."""
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from (word for word, is_ in properties.items() if is_ != {"$ref": f"#/$defs/{word}"} or word not in DEFINITIONS)
        yield from (word for word in schema.get("required", []) if word not in properties)
        for member in schema.values():
            yield from words_without(member)


if __name__ == "__main__":
    if sys.argv[1] == "--words":
        page = set(re.findall(r"[a-z0-9_]+", open(sys.argv[2]).read()))
        wrong = [f"{word} has no definition" for word in words_without(DEFINITIONS)]
        wrong += [f"{word} is not in {sys.argv[2]}" for word in DEFINITIONS if word != "COMMAND" and word not in page]
    else:
        objects = sys.stdin if sys.argv[1] in ("log", "record") else [sys.stdin.read()]
        wrong = [fault for text in objects for fault in of_command(sys.argv[1], json.loads(text))]
    print(*wrong, sep="\n", end="\n" if wrong else "")
