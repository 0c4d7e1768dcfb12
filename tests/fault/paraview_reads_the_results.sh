#!/bin/bash
# The real VTK reads what a run wrote, numbers are right, and a picture is rendered.
. tests/support/fault_common.sh
PYTHON=${PYTHON:-/usr/bin/python3}
expect 0 $V run inputs/masonry_wall.xml --quiet --set end=0.02 --set output_every=10 -o "$TMP/wall"
expect 0 "$PYTHON" tests/tools/read_vtk.py "$TMP/wall"
cp "$TMP/out" "$TMP/read.json"
expect 0 "$PYTHON" - "$TMP/wall" <<'PY'
import csv, json, math, sys, vtk
folder = sys.argv[1]
def read(stem):
    index = json.load(open(folder + "/" + stem + ".vtk.series"))["files"]
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(folder + "/" + index[-1]["name"])
    reader.ReadAllScalarsOn(); reader.ReadAllVectorsOn(); reader.ReadAllFieldsOn()
    reader.Update()
    return index, reader.GetOutput()
rows = [line for line in open(folder + "/history.csv") if not line.startswith("#")]
last = list(csv.DictReader(rows))[-1]
index, contacts = read("contacts")
assert [entry["time"] for entry in index] == [0, 0.01, 0.02], index
data = contacts.GetPointData()
names = ["reaction", "normal", "reaction_n", "reaction_t", "gap", "gap_predicted", "velocity", "status", "law", "candidate", "antagonist"]
for name in names:
    assert data.GetArray(name) is not None, name
assert contacts.GetNumberOfPoints() == 564
base = [k for k in range(564) if abs(contacts.GetPoint(k)[1]) < 1e-3]
assert len(base) == 24, len(base)
total = sum(data.GetArray("reaction").GetTuple(k)[1] for k in base)
assert abs(total / float(last["base_reaction_y"]) - 1) < 1e-9, (total, last["base_reaction_y"])
for k in range(564):
    r, n = data.GetArray("reaction").GetTuple(k), data.GetArray("normal").GetTuple(k)
    size = math.hypot(data.GetArray("reaction_n").GetValue(k), data.GetArray("reaction_t").GetValue(k))
    assert abs(math.hypot(r[0], r[1]) - size) <= 1e-9 * (1 + size)
    assert abs(r[0] * n[0] + r[1] * n[1] - data.GetArray("reaction_n").GetValue(k)) <= 1e-9 * (1 + size)
    assert data.GetArray("reaction_n").GetValue(k) >= 0
    assert abs(data.GetArray("reaction_t").GetValue(k)) <= 0.5 * data.GetArray("reaction_n").GetValue(k) * (1 + 1e-9)
index, bodies = read("bodies")
cells = bodies.GetCellData()
for name in ["stress", "von_mises", "principal_1", "principal_2", "principal_3", "body", "moment_stress"]:
    assert cells.GetArray(name) is not None, name
assert bodies.GetNumberOfCells() == 1153 and cells.GetArray("stress").GetNumberOfComponents() == 6
top = [k for k in range(bodies.GetNumberOfPoints()) if abs(bodies.GetPoint(k)[1] - 0.6) < 1e-9]
mean = sum(bodies.GetPointData().GetArray("displacement").GetTuple(k)[1] for k in top) / len(top)
assert abs(mean - float(last["top_y"])) <= 1e-12, (mean, last["top_y"])
for c in range(bodies.GetNumberOfCells()):
    s = cells.GetArray("stress").GetTuple(c)
    p = [cells.GetArray("principal_%d" % (k + 1)).GetTuple(c) for k in range(3)]
    trace = s[0] + s[1] + s[2]
    sizes = sorted(math.sqrt(sum(x * x for x in v)) for v in p)
    m = math.sqrt(0.5 * ((s[0]-s[1])**2 + (s[1]-s[2])**2 + (s[2]-s[0])**2) + 3 * (s[3]**2 + s[4]**2 + s[5]**2))
    assert abs(m - cells.GetArray("von_mises").GetValue(c)) <= 1e-9 * (1 + m)
    assert abs(sum(x * x for x in sizes) - (s[0]**2 + s[1]**2 + s[2]**2 + 2 * (s[3]**2))) <= 1e-6 * (1 + m * m)
print("read and right")
PY
says "read and right"
# The clicks of the README with the filters behind them: Warp By Vector on all three, Tube by force, Glyph by reaction.
expect 0 "$PYTHON" - "$TMP/wall" <<'PY'
import json, sys, vtk
from vtk.util.numpy_support import vtk_to_numpy as numbers
folder = sys.argv[1]
def warped(stem, factor):
    name = json.load(open(folder + "/" + stem + ".vtk.series"))["files"][-1]["name"]
    reader = vtk.vtkGenericDataObjectReader()
    reader.SetFileName(folder + "/" + name)
    warp = vtk.vtkWarpVector()
    warp.SetInputConnection(reader.GetOutputPort())
    warp.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "displacement")
    warp.SetScaleFactor(factor)
    warp.Update()
    assert warp.GetOutput().GetNumberOfPoints() == reader.GetOutput().GetNumberOfPoints() > 0
    return warp
bodies, contacts = warped("bodies", 50), warped("contacts", 50)
# Every contact lies on an edge of a body: the mid-points of the wall between two nodes of one element.
points = numbers(bodies.GetOutput().GetPoints().GetData())
cells = bodies.GetOutput()
edges = [(cells.GetCell(c).GetPointId(i), cells.GetCell(c).GetPointId((i + 1) % 3))
         for c in range(cells.GetNumberOfCells()) if cells.GetCell(c).GetNumberOfPoints() == 3 for i in range(3)]
middle = {tuple((0.5 * (points[a] + points[b])).round(9)) for a, b in edges}
where = numbers(contacts.GetOutput().GetPoints().GetData())
away = [tuple(p.round(9)) for p in where if tuple(p.round(9)) not in middle]
assert not away, away[:3]
# Lines are polydata, as Tube wants them; the radius follows `force`, which its points carry.
forces = warped("forces", 50)
assert forces.GetOutput().IsA("vtkPolyData") and forces.GetOutput().GetNumberOfLines() > 300
tube = vtk.vtkTubeFilter()
tube.SetInputConnection(forces.GetOutputPort())
tube.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "force")
tube.SetVaryRadiusToVaryRadiusByScalar()
tube.SetRadius(0.0007)
tube.SetRadiusFactor(10)
tube.Update()
around = numbers(tube.GetOutput().GetPoints().GetData())
assert abs(around[:, 2].max() - 0.007) < 1e-4, around[:, 2].max()  # the largest is ten times the radius
# a line stands on its contact
line = numbers(forces.GetOutput().GetPoints().GetData())
centres = {tuple((0.5 * (line[2 * k] + line[2 * k + 1])).round(9)) for k in range(len(line) // 2)}
assert centres <= {tuple(p.round(9)) for p in where}
arrow = vtk.vtkArrowSource()
glyph = vtk.vtkGlyph3D()
glyph.SetSourceConnection(arrow.GetOutputPort())
glyph.SetInputConnection(contacts.GetOutputPort())
glyph.SetInputArrayToProcess(1, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "reaction")
glyph.SetScaleFactor(3e-4)
glyph.Update()
assert glyph.GetOutput().GetNumberOfPoints() > 1000
print("clicked")
PY
says "clicked"
command -v xvfb-run >/dev/null || fail "xvfb-run is missing"
expect 0 xvfb-run -a -s "-screen 0 1200x900x24" "$PYTHON" tests/tools/render.py "$TMP/wall" "$TMP/wall.png" --warp 50 --forces
"$PYTHON" - "$TMP/wall.png" <<'PY' || fail "the picture is empty"
import sys, vtk
reader = vtk.vtkPNGReader(); reader.SetFileName(sys.argv[1]); reader.Update()
image = reader.GetOutput(); scalars = image.GetPointData().GetScalars()
colours = {scalars.GetTuple(k) for k in range(0, scalars.GetNumberOfTuples(), 97)}
assert len(colours) > 20, len(colours)
PY
