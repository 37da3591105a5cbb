"""Whether the texts of a picture stay in their boxes, and the picture in its canvas.

    svg-check.py FILE...

Widths are those of DejaVu Sans, or, where fontconfig does not have it, a
conservative width for each character.  Prints one line for each fault.
"""
import re, struct, subprocess, sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
AROUND = {"name": "box", "bar-name": "memory device card", "head": "core", "rank": "core", "number": "cpu", "thread": "core",
          "team": "core", "drift": "core", "title": "canvas", "note": "canvas"}
ROUNDING = 0.6


def advances(bold):
    """Advance of each character of the font's basic plane, in em."""
    style = "DejaVu Sans:style=" + ("Bold" if bold else "Book")
    try:
        path = subprocess.run(["fc-match", "-f", "%{file}", style], stdout=subprocess.PIPE, text=True, check=True).stdout
        return read_font(path) if path.endswith("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf") else {}
    except (OSError, subprocess.CalledProcessError):
        return {}


def read_font(path):
    with open(path, "rb") as file:
        data = file.read()
    number = lambda at: struct.unpack_from(">H", data, at)[0]
    tables = {data[at:at + 4]: struct.unpack_from(">I", data, at + 8)[0] for at in range(12, 12 + 16 * number(4), 16)}
    em, metrics, cmap = number(tables[b"head"] + 18), number(tables[b"hhea"] + 34), tables[b"cmap"]
    subtables = [cmap + struct.unpack_from(">I", data, cmap + 8 + 8 * i)[0] for i in range(number(cmap + 2))]
    format4 = next(at for at in subtables if number(at) == 4)
    count = number(format4 + 6) // 2
    widths = {}
    for i in range(count):
        end, start = number(format4 + 14 + 2 * i), number(format4 + 16 + 2 * (count + i))
        delta, at = number(format4 + 16 + 2 * (2 * count + i)), format4 + 16 + 2 * (3 * count + i)
        for char in range(start, min(end, 0x7f) + 1):
            glyph = char if number(at) == 0 else number(at + number(at) + 2 * (char - start))
            glyph = min((glyph + delta) & 0xffff, metrics - 1)
            widths[chr(char)] = number(tables[b"hmtx"] + 4 * glyph) / em
    return widths


WIDTHS = [advances(False), advances(True)]


def width(text, size, bold):
    return size * sum(WIDTHS[bold].get(c, 0.72 if bold else 0.66) for c in text)


def check(path):
    root = tree.parse(path).getroot()
    canvas = (0.0, 0.0, float(root.get("width")), float(root.get("height")))
    styles = {name: text for name, text in re.findall(r"\.([-\w]+)\{([^}]*)\}", root.find(SVG + "style").text)}
    rects = {"canvas": [canvas]}
    faults = []

    for rect in root.iter(SVG + "rect"):
        kind = rect.get("class").split()[0]
        if kind == "canvas":
            continue
        x, y = float(rect.get("x")), float(rect.get("y"))
        box = (x, y, x + float(rect.get("width")), y + float(rect.get("height")))
        rects.setdefault(kind, []).append(box)
        if box[0] < 0 or box[1] < 0 or box[2] > canvas[2] or box[3] > canvas[3]:
            faults.append(f"a {kind} leaves the canvas: {box}")
    boxes = sorted(rects.get("box", []))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            inside = lambda p, q: p[0] >= q[0] and p[1] >= q[1] and p[2] <= q[2] and p[3] <= q[3]
            if not (apart or inside(a, b) or inside(b, a)):
                faults.append(f"boxes overlap: {a} and {b}")
    for kind in "core", "memory", "device", "card":
        for rect in rects.get(kind, []):
            for box in boxes:
                cut = not (rect[2] <= box[0] or box[2] <= rect[0] or rect[3] <= box[1] or box[3] <= rect[1])
                if cut and not (rect[0] >= box[0] and rect[1] >= box[1] and rect[2] <= box[2] + .01 and rect[3] <= box[3] + .01):
                    faults.append(f"a {kind} spills its box: {rect} and {box}")

    for text in root.iter(SVG + "text"):
        kind, x, y = text.get("class"), float(text.get("x")), float(text.get("y"))
        style = styles[kind]
        size = float(re.search(r"font-size:([\d.]+)px", text.get("style") or style).group(1))
        anchor = re.search(r"text-anchor:(\w+)", style).group(1)
        wide = width(text.text or "", size, "bold" in style)
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        extent = (left, y - 0.76 * size, left + wide, y + 0.2 * size)
        around = [r for name in AROUND[kind].split() for r in rects.get(name, [])
                  if r[0] <= x <= r[2] and r[1] <= y <= r[3]]
        if not around:
            faults.append(f'"{text.text}" ({kind}) has no box')
            continue
        room = min(around, key=lambda r: (r[2] - r[0]) * (r[3] - r[1]))
        if (extent[0] < room[0] - ROUNDING or extent[2] > room[2] + ROUNDING or extent[1] < room[1] - ROUNDING or
                extent[3] > room[3] + ROUNDING):
            faults.append(f'"{text.text}" ({kind}) spills: {extent} of {room}')
    for bar in rects.get("memory", []) + rects.get("device", []) + rects.get("card", []):
        for core in rects.get("core", []):
            if not (bar[2] <= core[0] or core[2] <= bar[0] or bar[3] <= core[1] or core[3] <= bar[1]):
                faults.append(f"a bar covers a core: {bar} and {core}")
    return faults


status = 0
for path in sys.argv[1:]:
    for fault in check(path):
        print(f"{path}: {fault}")
        status = 1
sys.exit(status)
