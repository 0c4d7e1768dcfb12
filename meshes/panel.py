#!/usr/bin/env python3
"""Writes the tools of inputs/twingo_like_cup.xml: meshes/panel_punch.msh, panel_die.msh, panel_holder.msh [m].

    python3 meshes/panel.py

The plan is a superellipse, longer on one side; the punch has a sloped bottom with a bump and a rounded edge,
so that its walls are of unequal height. Die and holder follow the same plan at a distance, so that the
clearance is the same all around. Facets turn their normals out of the tools.
"""

import math
import os

SHEET = 0.6  # thickness of the sheet, half of it on both sides of z = 0 [mm]
HALF_LENGTH, HALF_WIDTH, EXPONENT, LONGER = 36.0, 27.0, 2.7, 0.12  # plan of the punch [mm, mm, 1, 1]
SLOPE_X, SLOPE_Y = 0.12, 0.05  # of the bottom
BUMP, BUMP_X, BUMP_Y, BUMP_WIDTH = 3.0, 12.0, 6.0, 9.0  # [mm]
PUNCH_EDGE, SHOULDER, HOLDER_EDGE = 6.0, 7.0, 1.5  # radii [mm]
CLEARANCE = 1.0  # between the walls of punch and die [mm]
REACH, WALL = 45.0, 40.0  # of die and holder beyond their opening; height of the walls [mm]
AROUND, FILLET, BOTTOM = 96, 8, 8  # facets


def plan(angle):
    a = HALF_LENGTH * (1 + LONGER * math.cos(angle))
    c, s = abs(math.cos(angle)) / a, abs(math.sin(angle)) / HALF_WIDTH
    radius = (c ** EXPONENT + s ** EXPONENT) ** (-1 / EXPONENT)
    return radius * math.cos(angle), radius * math.sin(angle)


def offset(angle, distance):
    """The point of the plan at this angle, moved along the normal outwards."""
    d = 1e-5
    (x, y), (xa, ya), (xb, yb) = plan(angle), plan(angle - d), plan(angle + d)
    tx, ty = xb - xa, yb - ya
    length = math.hypot(tx, ty)
    return x + distance * ty / length, y - distance * tx / length


def smallest_radius():
    """Of curvature of the plan: edges that are wider fold the offset curves."""
    d, best = 1e-3, math.inf
    for k in range(2000):
        angle = 2 * math.pi * k / 2000
        (xa, ya), (x, y), (xb, yb) = plan(angle - d), plan(angle), plan(angle + d)
        cross = (x - xa) * (yb - y) - (y - ya) * (xb - x)
        lengths = math.hypot(x - xa, y - ya) * math.hypot(xb - x, yb - y) * math.hypot(xb - xa, yb - ya)
        best = min(best, lengths / max(2 * cross, 1e-300))
    return best


def bottom(x, y):
    return SLOPE_X * x + SLOPE_Y * y - BUMP * math.exp(-((x - BUMP_X) ** 2 + (y - BUMP_Y) ** 2) / BUMP_WIDTH ** 2)


def quarter(n):
    return [0.5 * math.pi * k / n for k in range(n + 1)]


def punch(angles):
    """From the middle over the bottom and the edge up the wall; then moved to rest on the sheet."""
    rows = [[(0.0, 0.0)] * len(angles)]
    for k in range(1, BOTTOM):
        rows.append([tuple(k / BOTTOM * c for c in offset(a, -PUNCH_EDGE)) for a in angles])
    rows = [[(x, y, bottom(x, y)) for x, y in row] for row in rows]
    for t in quarter(FILLET):
        row = [offset(a, -PUNCH_EDGE * (1 - math.sin(t))) for a in angles]
        rows.append([(x, y, bottom(x, y) + PUNCH_EDGE * (1 - math.cos(t))) for x, y in row])
    rows.append([(x, y, bottom(x, y) + PUNCH_EDGE + WALL) for x, y in (offset(a, 0) for a in angles)])
    low = min(z for row in rows for _, _, z in row)
    return [[(x, y, z - low + 0.5 * SHEET) for x, y, z in row] for row in rows]


def die(angles):
    """From outside over the shoulder down the wall."""
    z = -0.5 * SHEET
    levels = [(CLEARANCE + SHOULDER + REACH, z)]
    levels += [(CLEARANCE + SHOULDER * (1 - math.sin(t)), z - SHOULDER * (1 - math.cos(t))) for t in quarter(FILLET)]
    levels.append((CLEARANCE, z - SHOULDER - WALL))
    return [[(*offset(a, d), z) for a in angles] for d, z in levels]


def holder(angles):
    """From the top of its opening over the edge outwards."""
    z, inner = 0.5 * SHEET, CLEARANCE + 1
    levels = [(inner, z + WALL)]
    levels += [(inner + HOLDER_EDGE * (1 - math.cos(t)), z + HOLDER_EDGE * (1 - math.sin(t))) for t in quarter(FILLET // 2)]
    levels.append((CLEARANCE + SHOULDER + REACH, z))
    return [[(*offset(a, d), z) for a in angles] for d, z in levels]


def write(path, rows):
    """Rows of points around the plan; a first row in one point gives triangles."""
    n = len(rows[0])
    fan = rows[0][0] == rows[0][1]
    points, first = [], []
    for k, row in enumerate(rows):
        first.append(len(points))
        points += row[:1] if k == 0 and fan else row
    cells = []
    for k in range(len(rows) - 1):
        for j in range(n):
            a, b = first[k] + j, first[k] + (j + 1) % n
            c, d = first[k + 1] + (j + 1) % n, first[k + 1] + j
            cells.append((first[0], c, d) if k == 0 and fan else (a, b, c, d))
    with open(path, "w", encoding="ascii") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        for k, p in enumerate(points):
            out.write("%d %s\n" % (k + 1, " ".join("%.7g" % (1e-3 * c + 0.0) for c in p)))
        out.write("$EndNodes\n$Elements\n%d\n" % len(cells))
        for k, cell in enumerate(cells):
            out.write("%d %d 2 1 1 %s\n" % (k + 1, len(cell) - 1, " ".join(str(i + 1) for i in cell)))
        out.write("$EndElements\n")


def main():
    if smallest_radius() <= PUNCH_EDGE or CLEARANCE <= SHEET:
        raise SystemExit("panel.py: the punch's edge is wider than its corners are round, or the clearance too small")
    angles = [2 * math.pi * k / AROUND for k in range(AROUND)]
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, rows in (("punch", punch(angles)), ("die", die(angles)), ("holder", holder(angles))):
        write(os.path.join(folder, "panel_%s.msh" % name), rows)


if __name__ == "__main__":
    main()
