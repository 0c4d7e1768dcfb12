#!/usr/bin/env pvpython
"""The clicks of the README in ParaView, as a picture: docs/pictures/paraview.png is the demo's last step.

    xvfb-run -a pvpython tests/tools/paraview_recipe.py DIR OUT.png [--factor 10] [--radius 0.0007] [--time T]

Warp By Vector with one factor on bodies, forces and contacts, Tube by force, contacts as points by status.
Needs ParaView (Debian: python3-paraview, which excludes python3-vtk9); no test runs it, the one of
tests/fault/paraview_reads_the_results.sh has the same filters from VTK.
"""

import argparse
import os

from paraview import simple as pv


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("picture")
    parser.add_argument("--factor", type=float, default=10, help="on the displacement")
    parser.add_argument("--radius", type=float, default=0.0007, help="of the thinnest tube [m]; the thickest has ten times as much")
    parser.add_argument("--point", type=float, default=0.004, help="radius of contact points [m]")
    parser.add_argument("--time", type=float, help="default: the last")
    return parser.parse_args()


def bar(view, array, title, x):
    scale = pv.GetScalarBar(pv.GetColorTransferFunction(array), view)
    scale.Title, scale.ComponentTitle = title, ""
    scale.TitleColor = scale.LabelColor = [0, 0, 0]
    scale.WindowLocation, scale.Position, scale.ScalarBarLength = "Any Location", [x, 0.25], 0.5


def main():
    options = parse()
    sources = [pv.OpenDataFile(os.path.join(options.folder, stem + ".vtk.series")) for stem in ("bodies", "forces", "contacts")]
    view = pv.CreateView("RenderView")
    view.ViewSize, view.Background = [1050, 615], [1, 1, 1]
    view.UseColorPaletteForBackground = view.OrientationAxesVisibility = 0
    time = sources[0].TimestepValues[-1] if options.time is None else options.time
    pv.GetAnimationScene().AnimationTime = view.ViewTime = time
    warped = []
    for source in sources:
        pv.Show(source, view)
        source.UpdatePipeline(time)
        warp = pv.WarpByVector(Input=source)
        warp.Vectors, warp.ScaleFactor = ["POINTS", "displacement"], options.factor
        warp.UpdatePipeline(time)
        pv.Hide(source, view)
        warped.append(warp)
    tube = pv.Tube(Input=warped[1])
    tube.Scalars, tube.VaryRadius = ["POINTS", "force"], "By Scalar"
    tube.Radius, tube.RadiusFactor = options.radius, 10
    bodies = pv.Show(warped[0], view)
    pv.ColorBy(bodies, ("CELLS", "von_mises"))
    bodies.RescaleTransferFunctionToDataRange(True)
    bodies.Representation, bodies.EdgeColor = "Surface With Edges", [0.55, 0.55, 0.55]
    lines = pv.Show(tube, view)
    lines.ColorArrayName = [None, ""]
    lines.DiffuseColor = lines.AmbientColor = [0, 0.3, 0.2]
    points = pv.Show(warped[2], view)
    points.Representation, points.GaussianRadius = "Point Gaussian", options.point
    pv.ColorBy(points, ("POINTS", "status"))
    points.RescaleTransferFunctionToDataRange(True)
    for shown in (bodies, points):
        shown.SetScalarBarVisibility(view, True)
    bar(view, "von_mises", "von_mises [Pa]", 0.88)
    bar(view, "status", "status: 0 open, 1 stick, 2 slip", 0.02)
    view.InteractionMode = "2D"
    pv.ResetCamera()
    view.CameraParallelScale *= 0.66
    pv.Render(view)
    pv.SaveScreenshot(options.picture, view)


main()
