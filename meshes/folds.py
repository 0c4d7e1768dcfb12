#!/usr/bin/env python3
"""Writes the bodies that are folded on themselves in space: meshes/fold_deep.msh, the section of fold.msh made
1 m deep by one layer of H8, and meshes/clip.msh, a strip bent to a U [m].

    python3 meshes/folds.py
"""

import math
import os

ARM, INSIDE, THICK, WIDTH = 1.0, 0.06, 0.1, 0.5  # length of an arm, inner radius of the bend [m]
ALONG, AROUND, THROUGH, ACROSS = 14, 8, 3, 8  # cells

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, nodes, cells, groups):
    """groups: (name, quadrilaterals); all cells are the group `name`."""
    with open(os.path.join(HERE, name + ".msh"), "w", encoding="ascii") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % (len(groups) + 1))
        for tag, (group, _) in enumerate(groups, 1):
            out.write('2 %d "%s"\n' % (tag, group))
        out.write('3 %d "body"\n$EndPhysicalNames\n$Nodes\n%d\n' % (len(groups) + 1, len(nodes)))
        for k, place in enumerate(nodes, 1):
            out.write("%d %.10g %.10g %.10g\n" % (k, *place))
        rows = [(3, tag, quad) for tag, (_, quads) in enumerate(groups, 1) for quad in quads]
        rows += [(5, len(groups) + 1, cell) for cell in cells]
        out.write("$EndNodes\n$Elements\n%d\n" % len(rows))
        for k, (kind, tag, corners) in enumerate(rows, 1):
            out.write("%d %d 2 %d %d %s\n" % (k, kind, tag, tag, " ".join(str(c + 1) for c in corners)))
        out.write("$EndElements\n")


def fold_deep():
    with open(os.path.join(HERE, "fold.msh"), encoding="ascii") as mesh:
        lines = [line.split() for line in mesh]
    at = lines.index(["$Nodes"])
    n = int(lines[at + 1][0])
    plane = [(float(row[1]), float(row[2])) for row in lines[at + 2:at + 2 + n]]
    rows = lines[lines.index(["$Elements"]) + 2:lines.index(["$EndElements"])]
    corners = [(row[1], [int(k) - 1 for k in row[5:]]) for row in rows]
    quads = [nodes for kind, nodes in corners if kind == "3"]
    nodes = [(x, y, z) for z in (0, 1) for x, y in plane]
    cells = [quad + [k + n for k in quad] for quad in quads]
    back = [[a, b, b + n, a + n] for kind, (a, b) in
            ((kind, nodes) for kind, nodes in corners if kind == "1")]
    sides = quads + [[k + n for k in quad] for quad in quads]
    write("fold_deep", nodes, cells, [("back", back), ("sides", sides)])


def clip():
    middle = INSIDE + THICK  # height of the axis of the bend
    section = []  # along the strip, from the end of the lower arm; from the outside inwards
    for k in range(2 * ALONG + AROUND + 1):
        bend = min(max(k - ALONG, 0), AROUND) / AROUND * math.pi
        straight = ARM * (1 - min(k, ALONG) / ALONG + max(k - ALONG - AROUND, 0) / ALONG)
        for j in range(THROUGH + 1):
            r = INSIDE + THICK * (1 - j / THROUGH)
            section.append((straight - r * math.sin(bend), middle - r * math.cos(bend)))
    layer, row = len(section), THROUGH + 1
    nodes = [(x, y, WIDTH * k / ACROSS) for k in range(ACROSS + 1) for x, y in section]
    cells, back = [], []
    for k in range(ACROSS):
        for i in range(2 * ALONG + AROUND):
            for j in range(THROUGH):
                a = k * layer + i * row + j
                flat = [a, a + 1, a + row + 1, a + row]
                cells.append(flat + [c + layer for c in flat])
                if j == 0 and abs(i + 0.5 - ALONG - AROUND / 2) < 1:
                    back.append([a, a + row, a + row + layer, a + layer])
    write("clip", nodes, cells, [("back", back)])


fold_deep()
clip()
