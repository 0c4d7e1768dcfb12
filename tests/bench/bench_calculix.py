#!/usr/bin/env python3
"""The cylinder of inputs/hertz.xml on the same mesh by CalculiX: time and peak pressure side by side.

CalculiX presses a rigid arc of fine facets by a penalty (node to surface), geometrically nonlinear as the
bodies at finite strains here. Both peaks are fits of Hertz' pressure, whose square is linear in x^2.
"""

import math
import os
import shutil
import subprocess
import time

BUILD = os.environ.get("BUILD", "build")
OUT = os.path.join(BUILD, "bench")
WIDTH, RADIUS, LOAD, STEPS = 0.0340389, 1.0, 0.5, 5
YOUNG, POISSON = 1000.0, 0.3
PEAK = 18.7027
# Penalty [Pa/m]: the peak pressure makes 4e-6 m of it, the approach is 2.5e-3 m.
PENALTY = 5e6
ARC_FROM, ARC_TO, ARC_CELLS = -0.01, 0.08, 360


def read_mesh(path):
    """Nodes [(x, y)], quadrilaterals, edges by physical number: Gmsh 2.2 ASCII."""
    lines = iter(open(path).read().splitlines())
    nodes, quads, edges = {}, [], {}
    for line in lines:
        if line == "$Nodes":
            for _ in range(int(next(lines))):
                k, x, y, _z = next(lines).split()
                nodes[int(k)] = (float(x) * WIDTH, float(y) * WIDTH)
        if line == "$Elements":
            for _ in range(int(next(lines))):
                words = [int(w) for w in next(lines).split()]
                corners = words[3 + words[2]:]
                if words[1] == 3:
                    quads.append(corners)
                elif words[1] == 1:
                    edges.setdefault(words[3], []).append(corners)
    return nodes, quads, edges


def deck(path, mesh):
    nodes, quads, edges = read_mesh(mesh)
    # numbers of $PhysicalNames: 1 bottom, 3 top, 4 left
    first_node, first_elem = max(nodes) + 1, len(quads) + 1
    top = sorted({n for edge in edges[3] for n in edge if nodes[n][0] <= 3 * WIDTH}, key=lambda n: nodes[n][0])
    with open(path, "w") as f:
        f.write("*NODE, NSET=BLOCKN\n")
        for k, (x, y) in nodes.items():
            f.write("%d, %.12g, %.12g, 0.\n" % (k, x, y))
        f.write("*NODE, NSET=TOOLN\n")
        for i in range(ARC_CELLS + 1):
            angle = ARC_FROM + (ARC_TO - ARC_FROM) * i / ARC_CELLS
            for layer in range(2):
                r = RADIUS - 0.02 * layer
                f.write("%d, %.14g, %.14g, 0.\n" % (first_node + 2 * i + layer, r * math.sin(angle),
                                                    RADIUS - r * math.cos(angle)))
        ref, rot = first_node + 2 * ARC_CELLS + 2, first_node + 2 * ARC_CELLS + 3
        f.write("*NODE\n%d, 0., 1., 0.\n%d, 0., 1., 0.\n" % (ref, rot))
        f.write("*ELEMENT, TYPE=CPE4, ELSET=BLOCK\n")
        for e, corners in enumerate(quads):
            f.write("%d, %s\n" % (e + 1, ", ".join(map(str, corners))))
        f.write("*ELEMENT, TYPE=CPE4, ELSET=TOOL\n")
        for i in range(ARC_CELLS):
            a = first_node + 2 * i
            f.write("%d, %d, %d, %d, %d\n" % (first_elem + i, a, a + 2, a + 3, a + 1))
        for name, number in (("BOTTOM", 1), ("LEFT", 4)):
            f.write("*NSET, NSET=%s\n" % name)
            for n in sorted({n for edge in edges[number] for n in edge}):
                f.write("%d,\n" % n)
        f.write("*NSET, NSET=TOP\n" + "".join("%d,\n" % n for n in top))
        side = {}  # the side of the element on every edge
        for e, corners in enumerate(quads):
            for k in range(4):
                side[frozenset((corners[k], corners[(k + 1) % 4]))] = (e + 1, k + 1)
        f.write("*SURFACE, NAME=SLAVE\n")
        for a, b in zip(top, top[1:]):
            f.write("%d, S%d\n" % side[frozenset((a, b))])
        f.write("*SURFACE, NAME=MASTER\n")
        for i in range(ARC_CELLS):
            f.write("%d, S1\n" % (first_elem + i))
        f.write("*MATERIAL, NAME=EL\n*ELASTIC\n%g, %g\n" % (YOUNG, POISSON))
        for part in ("BLOCK", "TOOL"):
            f.write("*SOLID SECTION, ELSET=%s, MATERIAL=EL\n1.\n" % part)
        f.write("*RIGID BODY, NSET=TOOLN, REF NODE=%d, ROT NODE=%d\n" % (ref, rot))
        f.write("*SURFACE INTERACTION, NAME=SI\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n%g\n" % PENALTY)
        f.write("*CONTACT PAIR, INTERACTION=SI, TYPE=NODE TO SURFACE\nSLAVE, MASTER\n")
        f.write("*BOUNDARY\nBOTTOM, 2, 2\nLEFT, 1, 1\n%d, 1, 1\n%d, 1, 3\n" % (ref, rot))
        f.write("*STEP, NLGEOM, INC=1000\n*STATIC\n%g, 1., 1e-6, %g\n" % (1 / STEPS, 1 / STEPS))
        f.write("*CLOAD\n%d, 2, %g\n" % (ref, -LOAD))
        f.write("*CONTACT PRINT, FREQUENCY=1000\nCSTR\n*NODE PRINT, NSET=TOP, FREQUENCY=1000\nU\n*END STEP\n")
    return [nodes[n][0] for n in top]


def fit(points):
    """Peak and half width of p(x) = p0 sqrt(1 - x^2 / a^2) from (x, p)."""
    points = [(x * x, p * p) for x, p in points if 0.1 * WIDTH < x < 0.8 * WIDTH and p > 0]
    n = len(points)
    sx, sy = sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    at0 = (sy - slope * sx) / n
    return math.sqrt(at0), math.sqrt(-at0 / slope)


def calculix(folder):
    """Seconds, iterations, (x, p) at the nodes of the block."""
    x = deck(os.path.join(folder, "hertz.inp"), "meshes/graded_half.msh")
    started = time.time()
    with open(os.path.join(folder, "ccx.log"), "w") as log:
        subprocess.check_call(["ccx", "hertz"], cwd=folder, stdout=log, env=dict(os.environ, OMP_NUM_THREADS="1"))
    seconds = time.time() - started
    rows, inside = {}, False
    for line in open(os.path.join(folder, "hertz.dat")):
        inside = inside and "displacements" not in line or "contact stress" in line
        words = line.split()
        if inside and len(words) == 4 and words[0].isdigit():
            rows[int(words[0])] = float(words[1])
    # The plane model is two nodes thick: pairs in the order of the nodes along the top.
    pressure = [rows[k] for k in sorted(rows)][::2]
    iterations = sum(int(line.split()[3]) for line in open(os.path.join(folder, "hertz.sta")) if line.split()[0].isdigit())
    return seconds, iterations, list(zip(x, pressure))


def voussoir(folder):
    started = time.time()
    subprocess.check_call([os.path.join(BUILD, "voussoir"), "run", "inputs/hertz.xml", "-o", folder, "--force", "--quiet"])
    seconds = time.time() - started
    iterations = sum(1 for _ in open(os.path.join(folder, "newton.csv"))) - 2
    text = subprocess.check_output([os.path.join(BUILD, "bench_contact"), "--pressure", "inputs/hertz.xml"], text=True)
    return seconds, iterations, [tuple(map(float, line.split())) for line in text.splitlines()]


def main():
    folder = os.path.join(OUT, "calculix")
    os.makedirs(folder, exist_ok=True)
    programs = [("voussoir", voussoir)]
    if shutil.which("ccx"):
        programs.append(("CalculiX", calculix))
    print("\n%-28s %8s %11s %12s %12s" % ("hertz.xml, 616 Q4", "s", "iterations", "peak / Hertz", "width / Hertz"))
    for name, run in programs:
        seconds, iterations, points = min((run(folder) for _ in range(3)), key=lambda result: result[0])
        peak, width = fit(points)
        print("%-28s %8.2f %11d %12.4f %12.4f" % (name, seconds, iterations, peak / PEAK, width / WIDTH))
    if len(programs) == 1:
        print("%-28s skipped: ccx (package calculix-ccx) is not installed" % "CalculiX")


if __name__ == "__main__":
    main()
