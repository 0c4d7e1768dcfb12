#!/usr/bin/python3
"""What VTK's own reader finds in a folder of results, as JSON.

    read_vtk.py DIR|FILE.vtk [--require [STEM:]ARRAY ...]

DIR: every NAME.vtk.series in it with the files it lists. FILE: that file alone. Exit 1 when the
reader complains, when an array is missing (one asked for, or one that the first file of the series
has and a later one has not), has a wrong length, or when the times do not agree.
"""

import argparse
import glob
import json
import math
import os
import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow
from vtkmodules.vtkIOLegacy import vtkGenericDataObjectReader


def clean(value):
    """JSON has no NaN."""
    return value if math.isfinite(value) else None


def describe_array(array, place):
    values = vtk_to_numpy(array).astype(float)
    finite = values[abs(values) < math.inf]
    some = finite.size > 0
    return {
        "on": place,
        "components": array.GetNumberOfComponents(),
        "tuples": array.GetNumberOfTuples(),
        "type": array.GetDataTypeAsString(),
        "range": [float(finite.min()), float(finite.max())] if some else [None, None],
        "sum": float(finite.sum()),
        "first": [clean(v) for v in array.GetTuple(0)] if array.GetNumberOfTuples() else [],
        "not_finite": int(values.size - finite.size),
    }


def field_value(grid, name):
    array = grid.GetFieldData().GetArray(name)
    return array.GetTuple(0)[0] if array and array.GetNumberOfTuples() else None


def read_file(path, problems):
    """The readers are left at their defaults: what only a special setting would read is missing."""
    window = vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(window)
    reader = vtkGenericDataObjectReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    if window.GetOutput():
        problems.append("%s: %s" % (path, window.GetOutput().strip().splitlines()[0]))
    if not os.path.isfile(path):
        problems.append("%s: no such file" % path)
    arrays = {}
    for place, data, n in (
        ("points", grid.GetPointData(), grid.GetNumberOfPoints()),
        ("cells", grid.GetCellData(), grid.GetNumberOfCells()),
    ):
        for k in range(data.GetNumberOfArrays()):
            array = data.GetArray(k)
            arrays[array.GetName()] = describe_array(array, place)
            if array.GetNumberOfTuples() != n:
                problems.append("%s: '%s' has a wrong length" % (path, array.GetName()))
    return {
        "name": os.path.basename(path),
        "TIME": field_value(grid, "TIME"),
        "CYCLE": field_value(grid, "CYCLE"),
        "points": grid.GetNumberOfPoints(),
        "cells": grid.GetNumberOfCells(),
        "bounds": list(grid.GetBounds()) if grid.GetNumberOfPoints() else None,
        "arrays": arrays,
    }


def read_series(path, problems):
    with open(path, encoding="utf-8") as stream:
        entries = json.load(stream)["files"]
    files = []
    for entry in entries:
        found = read_file(os.path.join(os.path.dirname(path), entry["name"]), problems)
        found["time"] = entry["time"]
        if found["TIME"] != entry["time"]:
            problems.append("%s: TIME is not the time of the series" % entry["name"])
        for name in files[0]["arrays"] if files else ():
            if name not in found["arrays"]:
                problems.append("%s: array '%s' is missing" % (entry["name"], name))
        files.append(found)
    return {"times": [f["time"] for f in files], "files": files}


def check_required(required, series, problems):
    for wanted in required:
        stem, _, name = wanted.rpartition(":")
        for key, found in series.items():
            if stem and key != stem:
                continue
            for file in found["files"]:
                if name not in file["arrays"]:
                    problems.append("%s: array '%s' is missing" % (file["name"], name))
        if stem and stem not in series:
            problems.append("no series '%s'" % stem)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--require", action="append", default=[], metavar="[STEM:]ARRAY")
    options = parser.parse_args()
    problems, series = [], {}
    if os.path.isdir(options.path):
        end = ".vtk.series"
        for path in sorted(glob.glob(os.path.join(glob.escape(options.path), "*" + end))):
            series[os.path.basename(path)[: -len(end)]] = read_series(path, problems)
        if not series:
            problems.append("%s: no .vtk.series in this folder" % options.path)
    else:
        found = read_file(options.path, problems)
        series["file"] = {"times": [found["TIME"]], "files": [found]}
    check_required(options.require, series, problems)
    json.dump({"series": series, "problems": problems}, sys.stdout, indent=1)
    print()
    for problem in problems:
        print("read_vtk.py: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
