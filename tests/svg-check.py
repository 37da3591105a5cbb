"""Whether the texts of a picture stay in their boxes, and the picture in its canvas.

    svg-check.py FILE...

Widths are those of DejaVu Sans, with a conservative one for characters beyond
ASCII.  Prints one line for each fault.
"""
import re, sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
AROUND = {"name": "box", "bar-name": "memory device card", "head": "core", "rank": "core", "number": "cpu", "thread": "core",
          "team": "core", "drift": "core", "title": "canvas", "note": "canvas"}
ROUNDING = 0.6


# DejaVu Sans 2.37, Book and Bold: advance of the characters from blank to "~", in 1/2048 em.
EM = 2048
ADVANCES = [
    "651 821 942 1716 1303 1946 1597 563 799 799 1024 1716 651 739 651 690 1303 1303 1303 1303 1303 1303 1303 1303 1303 1303 690 690 "
    "1716 1716 1716 1087 2048 1401 1405 1430 1577 1294 1178 1587 1540 604 604 1343 1141 1767 1532 1612 1235 1612 1423 1300 1251 1499 "
    "1401 2025 1403 1251 1403 799 690 799 1716 1024 1024 1255 1300 1126 1300 1260 721 1300 1298 569 569 1186 569 1995 1298 1253 1300 "
    "1300 842 1067 803 1298 1212 1675 1212 1212 1075 1303 690 1303 1716",
    "713 934 1067 1716 1425 2052 1786 627 936 936 1071 1716 778 850 778 748 1425 1425 1425 1425 1425 1425 1425 1425 1425 1425 819 819 "
    "1716 1716 1716 1188 2048 1585 1561 1503 1700 1399 1399 1681 1714 762 762 1587 1305 2038 1714 1741 1501 1741 1577 1475 1397 1663 "
    "1585 2259 1579 1483 1485 936 748 936 1716 1024 1024 1382 1466 1214 1466 1389 891 1466 1458 702 702 1362 702 2134 1458 1407 1466 "
    "1466 1010 1219 979 1458 1335 1892 1321 1335 1192 1458 748 1458 1716"]
WIDTHS = [dict(zip(map(chr, range(32, 127)), (int(n) / EM for n in line.split()))) for line in ADVANCES]


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
