#!/usr/bin/python3
"""A formed part as a forming engineer shows it: a field of its elements in bands on the whole part.

    xvfb-run -a -s "-screen 0 1600x1100x24" /usr/bin/python3 render_part.py DIR OUT.png [options]

The last field file of DIR. --mirror x, y or xy: a part of which a half or a quarter was computed. The field is one
of the cells (thinning, thickness, forming_limit_index, springback_normal of the points ...), averaged at nodes and
drawn in ten bands; its extremes are marked with their values.
"""

import argparse
import glob
import sys

import numpy as np
import vtk
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy

BANDS = 10
INK = (0.13, 0.14, 0.17)
# Thick to thin, or low to high: blue, green, yellow, red, as such maps are printed.
MAP = [(0.0, 0.19, 0.32, 0.66), (0.2, 0.27, 0.62, 0.80), (0.4, 0.42, 0.75, 0.49), (0.6, 0.85, 0.85, 0.36),
       (0.8, 0.94, 0.60, 0.24), (1.0, 0.80, 0.15, 0.15)]
PERCENT = ("thinning", "major_strain", "minor_strain")
MILLIMETRES = ("thickness", "springback_normal")


def fail(text):
    print("render_part.py: " + text, file=sys.stderr)
    sys.exit(1)


def read(folder):
    files = sorted(glob.glob(folder + "/bodies_*.vtk"))
    if not files:
        fail("no bodies_*.vtk in " + folder)
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(files[-1])
    reader.ReadAllFieldsOn()
    reader.ReadAllScalarsOn()
    reader.ReadAllVectorsOn()
    reader.Update()
    grid = reader.GetOutput()
    if not grid.GetFieldData().GetArray("MOVED"):
        moves = vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
        points = vtk.vtkPoints()
        points.SetData(numpy_to_vtk(vtk_to_numpy(grid.GetPoints().GetData()) + moves, deep=True))
        grid.SetPoints(points)
    return grid


def sheet_of(grid, name):
    """The elements of sheets (tools have a thickness of zero) with the field at their points."""
    threshold = vtk.vtkThreshold()
    threshold.SetInputData(grid)
    threshold.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, "thickness")
    threshold.SetUpperThreshold(1e-12)
    threshold.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_UPPER)
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputConnection(threshold.GetOutputPort())
    surface.Update()
    part = surface.GetOutput()
    if not part.GetPointData().GetArray(name):
        if not part.GetCellData().GetArray(name):
            fail("no field '%s'" % name)
        at_points = vtk.vtkCellDataToPointData()
        at_points.SetInputData(part)
        at_points.Update()
        part = at_points.GetOutput()
    values = vtk_to_numpy(part.GetPointData().GetArray(name)).astype(float)
    factor = 100 if name in PERCENT else 1e3 if name in MILLIMETRES else 1
    colour = numpy_to_vtk(factor * values, deep=True)
    colour.SetName("colour")
    part.GetPointData().SetScalars(colour)
    return part


def mirrored(part, axes):
    """The part and its images at the planes through its lowest coordinate along each axis."""
    whole = part
    for axis in axes:
        k = "xyz".index(axis)
        reflect = vtk.vtkTransform()
        at = [0.0, 0.0, 0.0]
        at[k] = 2 * whole.GetBounds()[2 * k]
        reflect.Translate(at)
        reflect.Scale([-1 if i == k else 1 for i in range(3)])
        image = vtk.vtkTransformPolyDataFilter()
        image.SetTransform(reflect)
        image.SetInputData(whole)
        turn = vtk.vtkReverseSense()
        turn.SetInputConnection(image.GetOutputPort())
        both = vtk.vtkAppendPolyData()
        both.AddInputData(whole)
        both.AddInputConnection(turn.GetOutputPort())
        clean = vtk.vtkCleanPolyData()
        clean.SetInputConnection(both.GetOutputPort())
        clean.SetTolerance(1e-6)
        clean.Update()
        whole = clean.GetOutput()
    return whole


def table_of(low, high):
    smooth = vtk.vtkColorTransferFunction()
    for x, r, g, b in MAP:
        smooth.AddRGBPoint(x, r, g, b)
    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(BANDS)
    for k in range(BANDS):
        table.SetTableValue(k, *smooth.GetColor(k / (BANDS - 1)), 1)
    table.SetRange(low, high)
    return table


def surface_actor(whole, table):
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputData(whole)
    normals.SplittingOff()
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(normals.GetOutputPort())
    mapper.SetLookupTable(table)
    mapper.UseLookupTableScalarRangeOn()
    mapper.InterpolateScalarsBeforeMappingOn()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.5)
    actor.GetProperty().SetDiffuse(0.55)
    actor.GetProperty().SetSpecular(0.12)
    actor.GetProperty().SetSpecularPower(25)
    return actor


def lines_actor(filter_, width, opacity):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(filter_.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*INK)
    actor.GetProperty().SetLineWidth(width)
    actor.GetProperty().SetOpacity(opacity)
    return actor


def text_actor(text, x, y, size, bold=False):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    actor.GetTextProperty().SetFontSize(size)
    actor.GetTextProperty().SetColor(*INK)
    actor.GetTextProperty().SetBold(bold)
    actor.SetPosition(x, y)
    return actor


def marks(renderer, whole, values, unit):
    points = vtk_to_numpy(whole.GetPoints().GetData())
    size = np.ptp(points, axis=0).max()
    for k in (int(values.argmax()), int(values.argmin())):
        ball = vtk.vtkSphereSource()
        ball.SetCenter(*points[k])
        ball.SetRadius(0.008 * size)
        renderer.AddActor(lines_actor(ball, 1, 1))
        label = vtk.vtkTextActor()  # in front of all
        label.SetInput(("  %.3g %s  " % (values[k], unit)).rstrip() + " ")
        label.GetPositionCoordinate().SetCoordinateSystemToWorld()
        label.GetPositionCoordinate().SetValue(*points[k])
        text = label.GetTextProperty()
        text.SetFontSize(24)
        text.SetBold(True)
        text.SetColor(*INK)
        text.SetBackgroundColor(1, 1, 1)
        text.SetBackgroundOpacity(0.7)
        text.SetVerticalJustificationToBottom()
        renderer.AddActor2D(label)


def bar_of(table, title):
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.SetNumberOfLabels(BANDS + 1 if BANDS <= 10 else 6)
    bar.SetLabelFormat("%.3g")
    bar.SetUnconstrainedFontSize(True)
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(*INK)
        text.SetFontSize(20)
        text.ItalicOff()
        text.ShadowOff()
        text.BoldOff()
    bar.SetPosition(0.90 - 0.0055 * max(0, len(title) - 13), 0.15)  # the title is centred over the bar
    bar.SetWidth(0.08)
    bar.SetHeight(0.7)
    return bar


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("picture")
    parser.add_argument("--field", default="thinning")
    parser.add_argument("--mirror", default="", help="axes of planes of symmetry, e.g. xy")
    parser.add_argument("--view", default="-0.7,-1,0.75", help="from where, as x,y,z")
    parser.add_argument("--title", default="")
    parser.add_argument("--mesh", action="store_true", help="edges of the elements too")
    parser.add_argument("--size", default="1600x1000")
    options = parser.parse_args()
    whole = mirrored(sheet_of(read(options.folder), options.field), options.mirror)
    values = vtk_to_numpy(whole.GetPointData().GetScalars())
    unit = "%" if options.field in PERCENT else "mm" if options.field in MILLIMETRES else ""
    table = table_of(values.min(), values.max())
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(surface_actor(whole, table))
    rim = vtk.vtkFeatureEdges()
    rim.SetInputData(whole)
    rim.FeatureEdgesOff()
    rim.NonManifoldEdgesOff()
    rim.ManifoldEdgesOff()
    rim.ColoringOff()
    renderer.AddActor(lines_actor(rim, 2.5, 1))
    if options.mesh:
        edges = vtk.vtkExtractEdges()
        edges.SetInputData(whole)
        renderer.AddActor(lines_actor(edges, 1, 0.2))
    marks(renderer, whole, values, unit)
    renderer.AddActor2D(bar_of(table, ("%s %s" % (options.field.replace("_", " "), unit and "[" + unit + "]")).strip()))
    width, height = (int(n) for n in options.size.split("x"))
    renderer.AddActor2D(text_actor(options.title, 40, height - 70, 32, True))
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(0, 0, 0)
    camera.SetPosition(*(float(x) for x in options.view.split(",")))
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera()
    camera.Zoom(1.3)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(width, height)
    window.AddRenderer(renderer)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetInputConnection(grab.GetOutputPort())
    writer.SetFileName(options.picture)
    writer.Write()


if __name__ == "__main__":
    main()
