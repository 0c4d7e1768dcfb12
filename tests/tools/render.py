#!/usr/bin/python3
"""A picture of a folder of results, as one would put it in a README.

    xvfb-run -a -s "-screen 0 1200x900x24" /usr/bin/python3 render.py DIR OUT.png [options]

Bodies as filled cells with their mesh, moved by WARP times the displacement and coloured by a field;
--forces draws the contact reactions as lines of force, --principal the principal stresses as crosses
(blue: compression, red: tension). The projection is parallel: along z for plane models.
Exit 1 with a message when something that was asked for is not in the files.
"""

import argparse
import json
import os
import sys

import numpy as np
import vtk
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy

INK = (0.13, 0.14, 0.17)
STONE = (0.90, 0.87, 0.80)
FORCE = (0.0, 0.36, 0.30)
COMPRESSION = (0.10, 0.30, 0.70)
TENSION = (0.80, 0.12, 0.10)
# From the colour of stone to a dark red: pale where little happens, so that lines on top stay visible.
MAP = [(0.0, 0.97, 0.95, 0.90), (0.25, 0.99, 0.86, 0.62), (0.5, 0.99, 0.66, 0.38),
       (0.75, 0.88, 0.37, 0.24), (1.0, 0.55, 0.08, 0.16)]
SIGNED_MAP = [(0.0, 0.13, 0.30, 0.60), (0.25, 0.52, 0.70, 0.86), (0.5, 0.96, 0.95, 0.92),
              (0.75, 0.95, 0.62, 0.45), (1.0, 0.65, 0.10, 0.16)]
TENSOR = {"xx": 0, "yy": 1, "zz": 2, "xy": 3, "yz": 4, "xz": 5}
LABEL = {"von_mises": "von Mises stress [Pa]", "displacement": "displacement [m]",
         "velocity": "velocity [m/s]", "stress": "stress [Pa]", "body": "body",
         "plastic_strain": "plastic strain", "thickness": "thickness [m]"}
MAX_CROSSES = 4000  # more than these only blacken the picture


def fail(message):
    sys.exit("render.py: " + message)


def read_step(folder, stem, step):
    """The grid of a series at a step (CYCLE of the file name), or the last one."""
    index = os.path.join(folder, stem + ".vtk.series")
    if not os.path.isfile(index):
        fail("%s: no such file" % index)
    with open(index, encoding="utf-8") as stream:
        files = json.load(stream)["files"]
    if not files:
        fail("%s: lists no file" % index)
    entry = files[-1]
    if step != "last":
        found = [f for f in files if f["name"] == "%s_%06d.vtk" % (stem, int(step))]
        if not found:
            fail("%s: no step %s" % (index, step))
        entry = found[0]
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(os.path.join(folder, entry["name"]))
    reader.ReadAllScalarsOn()
    reader.ReadAllVectorsOn()
    reader.ReadAllTensorsOn()
    reader.ReadAllFieldsOn()
    reader.Update()
    return reader.GetOutput(), entry["time"]


def array_of(grid, name):
    """(values [n, components], "points" or "cells"), or (None, None)."""
    for data, place in ((grid.GetPointData(), "points"), (grid.GetCellData(), "cells")):
        array = data.GetArray(name)
        if array is not None:
            return vtk_to_numpy(array).reshape(array.GetNumberOfTuples(), -1), place
    return None, None


def points_of(grid):
    return vtk_to_numpy(grid.GetPoints().GetData()).astype(float)


def centres_of(grid):
    filter_ = vtk.vtkCellCenters()
    filter_.SetInputData(grid)
    filter_.Update()
    return points_of(filter_.GetOutput())


def moved(grid, factor):
    """A copy of the grid with its points at x + factor * displacement, x at the start of the run."""
    if grid.GetFieldData().GetArray("MOVED"):
        factor -= 1  # its points are there already
    displacement, place = array_of(grid, "displacement")
    copy = vtk.vtkUnstructuredGrid()
    copy.DeepCopy(grid)
    if displacement is None or place != "points":
        if factor != 0:
            print("render.py: no displacement at the points: drawn undeformed", file=sys.stderr)
        return copy
    data = numpy_to_vtk(points_of(grid) + factor * displacement, deep=True)
    points = vtk.vtkPoints()
    points.SetData(data)
    copy.SetPoints(points)
    return copy


def colour_values(grid, name):
    """Numbers to colour by: a scalar, the length of a vector, or a component such as stress.xx."""
    values, place = array_of(grid, name)
    if values is not None:
        if values.shape[1] == 6:
            fail("--color %s: which component? (%s.xx ...)" % (name, name))
        return (values[:, 0] if values.shape[1] == 1 else np.linalg.norm(values, axis=1)), place
    base, _, component = name.rpartition(".")
    values, place = array_of(grid, base) if base else (None, None)
    if values is None:
        fail("no array '%s' in the bodies" % name)
    names = TENSOR if values.shape[1] == 6 else {"x": 0, "y": 1, "z": 2}
    if component not in names or names[component] >= values.shape[1]:
        fail("'%s' has no component '%s'" % (base, component))
    return values[:, names[component]], place


def label_of(name):
    base, _, component = name.rpartition(".")
    if name in LABEL or not base:
        return LABEL.get(name, name)
    label = LABEL.get(base, base)
    word, _, unit = label.partition(" [")
    return "%s %s%s" % (word, component, " [" + unit if unit else "")


def colour_table(values):
    """Dark is always much: of magnitudes, of compression alone, to both sides of zero."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    colours = MAP
    if low >= 0:
        low = 0.0 if low < 0.5 * high else low
    elif high <= 0:
        high = 0.0 if high > 0.5 * low else high
        colours = [(1.0 - position, *rgb) for position, *rgb in MAP]
    else:
        high = max(high, -low)
        low = -high
        colours = SIGNED_MAP
    if high <= low:
        high = low + (abs(low) or 1.0)
    function = vtk.vtkColorTransferFunction()
    for position, *rgb in colours:
        function.AddRGBPoint(low + position * (high - low), *rgb)
    return function


def surface_of(grid):
    filter_ = vtk.vtkGeometryFilter()
    filter_.SetInputData(grid)
    filter_.Update()
    return filter_.GetOutput()


def line_actor(data, width, colour, opacity=1.0):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.ScalarVisibilityOff()
    # lines lie on the faces: they must win
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0, -4)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*colour)
    actor.GetProperty().SetLineWidth(width)
    actor.GetProperty().SetOpacity(opacity)
    actor.GetProperty().LightingOff()
    return actor


def add_bodies(renderer, grid, name, plane):
    """Faces, mesh and outlines; returns the colour table or None."""
    table = None
    if name != "none":
        values, place = colour_values(grid, name)
        array = numpy_to_vtk(np.ascontiguousarray(values, dtype=float), deep=True)
        array.SetName("colour")
        (grid.GetPointData() if place == "points" else grid.GetCellData()).AddArray(array)
        table = colour_table(values)
    surface = surface_of(grid)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(surface)
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(2, 2)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    if table:
        if place == "points":
            mapper.SetScalarModeToUsePointFieldData()
        else:
            mapper.SetScalarModeToUseCellFieldData()
        mapper.SelectColorArray("colour")
        mapper.SetLookupTable(table)
        mapper.SetScalarRange(*table.GetRange())
        mapper.InterpolateScalarsBeforeMappingOn()
    else:
        mapper.ScalarVisibilityOff()
        actor.GetProperty().SetColor(*STONE)
    if plane:
        actor.GetProperty().LightingOff()
    else:
        actor.GetProperty().SetAmbient(0.62)
        actor.GetProperty().SetDiffuse(0.42)
    renderer.AddActor(actor)
    edges = vtk.vtkExtractEdges()
    edges.SetInputData(surface)
    edges.Update()
    renderer.AddActor(line_actor(edges.GetOutput(), 1.0, INK, 0.28))
    outline = vtk.vtkFeatureEdges()
    outline.SetInputData(surface)
    outline.BoundaryEdgesOn()
    outline.FeatureEdgesOn()
    outline.SetFeatureAngle(40)
    outline.NonManifoldEdgesOff()
    outline.ManifoldEdgesOff()
    outline.ColoringOff()
    outline.Update()
    renderer.AddActor(line_actor(outline.GetOutput(), 2.0, INK))
    return table


def segments(middle, vector):
    """Line segments centred at `middle`, reaching half a vector to each side."""
    n = len(middle)
    ends = np.empty((2 * n, 3))
    ends[0::2] = middle - 0.5 * vector
    ends[1::2] = middle + 0.5 * vector
    data = vtk.vtkPolyData()
    points = vtk.vtkPoints()
    points.SetData(numpy_to_vtk(ends, deep=True))
    lines = vtk.vtkCellArray()
    for k in range(n):
        lines.InsertNextCell(2, (2 * k, 2 * k + 1))
    data.SetPoints(points)
    data.SetLines(lines)
    return data


def tube_actor(middle, vector, radius, colour):
    data = segments(middle, vector)
    scalars = numpy_to_vtk(np.repeat(radius, 2), deep=True)
    scalars.SetName("radius")
    data.GetPointData().SetScalars(scalars)
    tube = vtk.vtkTubeFilter()
    tube.SetInputData(data)
    tube.SetNumberOfSides(12)
    tube.CappingOn()
    tube.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(tube.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*colour)
    actor.GetProperty().LightingOff()
    return actor


def front(places, size, plane):
    """Plane models: in front of the faces."""
    return places + (np.array([0, 0, 1e-2 * size]) if plane else 0)


def add_forces(renderer, contacts, options, size, plane):
    reaction, _ = array_of(contacts, "reaction")
    if reaction is None:
        fail("no array 'reaction' in the contacts")
    strength = np.linalg.norm(reaction, axis=1) if len(reaction) else np.zeros(0)
    largest = strength.max() if len(strength) else 0.0
    if not largest > 0:
        return "no contact forces"
    kept = strength > 1e-3 * largest
    places = points_of(moved(contacts, options.warp))[kept]
    share = strength[kept] / largest
    length = options.force_length * size
    vector = reaction[kept] / largest * length
    # thin enough for many contacts, never thinner than a hair of the picture
    radius = np.maximum(0.05 * length * share, 0.0006 * size)
    renderer.AddActor(tube_actor(front(places, size, plane), vector, radius, FORCE))
    return "longest line of force: %.3g N" % largest


def principal_vectors(bodies):
    """Vectors [3][n, 3] of the principal stresses, their signs [3][n] (> 0: tension), places."""
    stress, place = array_of(bodies, "stress")
    found = [array_of(bodies, "principal_%d" % k) for k in (1, 2, 3)]
    if all(values is None for values, _ in found):
        if stress is None:
            fail("neither 'principal_1' nor 'stress' in the bodies")
        order = [[0, 3, 5], [3, 1, 4], [5, 4, 2]]
        value, direction = np.linalg.eigh(stress[:, order])
        vectors = [value[:, k, None] * direction[:, :, k] for k in range(3)]
        return vectors, [np.sign(value[:, k]) for k in range(3)], place
    vectors = [values for values, _ in found if values is not None]
    place = [where for values, where in found if values is not None][0]
    signs = []
    for v in vectors:
        if stress is None or len(stress) != len(v):
            fail("the signs of the principal stresses need the array 'stress' beside them")
        # n . stress n has the sign that a vector, whose direction is arbitrary, cannot carry
        s = stress
        signs.append(np.sign(s[:, 0] * v[:, 0] ** 2 + s[:, 1] * v[:, 1] ** 2 + s[:, 2] * v[:, 2] ** 2
                             + 2 * (s[:, 3] * v[:, 0] * v[:, 1] + s[:, 4] * v[:, 1] * v[:, 2]
                                    + s[:, 5] * v[:, 0] * v[:, 2])))
    return vectors, signs, place


def cell_size(grid, plane):
    """Mean length of the side of a cell."""
    filter_ = vtk.vtkCellSizeFilter()
    filter_.SetInputData(grid)
    filter_.Update()
    data = filter_.GetOutput().GetCellData()
    measure = vtk_to_numpy(data.GetArray("Volume" if not plane else "Area"))
    if not measure.sum() > 0:  # shells in space
        return float(np.sqrt(vtk_to_numpy(data.GetArray("Area")).mean()))
    return float(measure.mean() ** (0.5 if plane else 1.0 / 3.0))


def add_principal(renderer, bodies, drawn, size, plane):
    vectors, signs, place = principal_vectors(bodies)
    places = points_of(drawn) if place == "points" else centres_of(drawn)
    if len(places) == 0:
        return "no stresses"
    stride = max(1, -(-len(places) // MAX_CROSSES))
    strength = [np.linalg.norm(v, axis=1) for v in vectors]
    largest = max(s.max() for s in strength)
    if not largest > 0:
        return "no stresses"
    # as long as the places are apart
    spacing = 0.95 * cell_size(drawn, plane) * stride ** (0.5 if plane else 1.0 / 3.0)
    for positive, colour in ((False, COMPRESSION), (True, TENSION)):
        for vector, sign, long in zip(vectors, signs, strength):
            kept = ((sign > 0) == positive) & (long > 0.02 * largest)
            kept &= np.arange(len(places)) % stride == 0
            if not kept.any():
                continue
            radius = np.full(int(kept.sum()), 0.0011 * size)
            renderer.AddActor(tube_actor(front(places[kept], size, plane),
                                         vector[kept] / largest * spacing, radius, colour))
    return "principal stresses: blue compression, red tension, longest %.3g Pa" % largest


def add_text(renderer, text, x, y, size, bold=False, centred=False):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    style = actor.GetTextProperty()
    style.SetFontFamilyToArial()
    style.SetFontSize(size)
    style.SetBold(bold)
    if centred:
        style.SetJustificationToCentered()
    style.SetColor(*INK)
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.SetPosition(x, y)
    renderer.AddActor2D(actor)


def add_scalar_bar(renderer, table, title):
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(table)
    # its own title runs into the labels
    add_text(renderer, title, 0.5, 0.097, 18, centred=True)
    bar.SetTitle("")
    bar.SetMaximumNumberOfColors(256)
    bar.SetNumberOfLabels(5)
    bar.SetOrientationToHorizontal()
    bar.SetPosition(0.30, 0.03)
    bar.SetWidth(0.40)
    bar.SetHeight(0.06)
    bar.SetLabelFormat("%.3g")
    bar.UnconstrainedFontSizeOn()
    style = bar.GetLabelTextProperty()
    style.SetFontFamilyToArial()
    style.SetFontSize(17)
    style.SetColor(*INK)
    style.ItalicOff()
    style.BoldOff()
    style.ShadowOff()
    renderer.AddActor2D(bar)


TOWARD = {"y": (0.55, 0.40, 0.75), "z": (0.40, -0.85, 0.36)}  # to the viewer of a model in space, by what is up


def set_camera(renderer, bounds, upwards, window):
    """Everything below the title and above the scalar bar, in parallel projection; upwards: axis, None in the plane."""
    low, high = np.array(bounds[0::2]), np.array(bounds[1::2])
    middle = 0.5 * (low + high)
    toward = np.array(TOWARD[upwards] if upwards else (0.0, 0, 1))
    up = np.array((0.0, 0, 1) if upwards == "z" else (0.0, 1, 0))
    toward = toward / np.linalg.norm(toward)
    right = np.cross(up, toward)
    right /= np.linalg.norm(right)
    up = np.cross(toward, right)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1])
                        for z in (low[2], high[2])]) - middle
    width, height = np.ptp(corners @ right), np.ptp(corners @ up)
    aspect = window[0] / window[1]
    # 0.90 of the width and 0.70 of the height are left by margins, title and bar
    scale = 0.5 * max(height / 0.70, width / aspect / 0.90)
    distance = 10 * (np.linalg.norm(high - low) or 1.0)
    centre = middle - up * 0.03 * scale * 2
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre + distance * toward))
    camera.SetViewUp(*up)
    camera.SetParallelScale(scale)
    renderer.ResetCameraClippingRange()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("picture")
    parser.add_argument("--step", default="last", help="last, or the number in the file name")
    parser.add_argument("--warp", type=float, default=1.0, help="factor on the displacement")
    parser.add_argument("--color", default="von_mises",
                        help="array, component (stress.xx) or none; default von_mises")
    parser.add_argument("--forces", action="store_true")
    parser.add_argument("--force-length", type=float, default=0.07,
                        help="longest line of force as a part of the size of the model")
    parser.add_argument("--principal", action="store_true")
    parser.add_argument("--title", help="default: name of the folder")
    parser.add_argument("--up", choices=("y", "z"), default="z", help="of models in space, e.g. y of masonry")
    parser.add_argument("--size", default="1200x900", help="WIDTHxHEIGHT in pixels")
    options = parser.parse_args()
    if options.step != "last" and not options.step.isdigit():
        parser.error("--step wants 'last' or a number")
    return options


def main():
    options = parse()
    window_size = [int(n) for n in options.size.split("x")]
    bodies, time = read_step(options.folder, "bodies", options.step)
    if bodies.GetNumberOfPoints() == 0:
        fail("the bodies have no points")
    drawn = moved(bodies, options.warp)
    bounds = drawn.GetBounds()
    size = float(np.linalg.norm(np.array(bounds[1::2]) - np.array(bounds[0::2]))) or 1.0
    plane = bounds[5] - bounds[4] < 1e-9 * size
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    # in space, lines within the bodies would be hidden: they are drawn on top
    lines = renderer if plane else vtk.vtkRenderer()
    table = add_bodies(renderer, drawn, options.color, plane)
    notes = []
    if options.forces:
        contacts, _ = read_step(options.folder, "contacts", options.step)
        notes.append(add_forces(lines, contacts, options, size, plane))
    if options.principal:
        notes.append(add_principal(lines, bodies, drawn, size, plane))
    title = options.title or os.path.basename(os.path.abspath(options.folder))
    add_text(renderer, title, 0.04, 0.94, 28, bold=True)
    notes.insert(0, "t = %.4g s" % time)
    notes.insert(1, "displacement x %g" % options.warp)
    for k in range(0, len(notes), 3):  # what fits on one line
        add_text(renderer, "    ".join(notes[k : k + 3]), 0.04, 0.905 - 0.03 * (k // 3), 18)
    if table:
        add_scalar_bar(renderer, table, label_of(options.color))
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*window_size)
    window.AddRenderer(renderer)
    set_camera(renderer, bounds, None if plane else options.up, window_size)
    if lines is not renderer:
        window.SetNumberOfLayers(2)
        lines.SetLayer(1)
        lines.SetActiveCamera(renderer.GetActiveCamera())
        window.AddRenderer(lines)
        renderer.ResetCameraClippingRange()
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(options.picture)
    writer.SetInputConnection(grab.GetOutputPort())
    writer.Write()
    if not os.path.isfile(options.picture):
        fail("%s: cannot be written" % options.picture)


if __name__ == "__main__":
    main()
