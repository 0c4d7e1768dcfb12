#!/usr/bin/python3
"""How far stresses are off at a tolerance: rms over cells of the difference to a sharp run, over rms of that run's, in per cent.

    stresses.py INPUT [--set NAME=VALUE]... [--young E,E...] [--tolerances T,T...] [--sharp 1e-8] [--steps N]

Without --steps: at the end of runs with theta = 1. With --steps N: the largest of the first N steps with theta = 1/2, over
the stress of its own step and over that of the step with the largest.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOLegacy import vtkGenericDataObjectReader


def stress(path):
    reader = vtkGenericDataObjectReader()
    reader.SetFileName(path)
    reader.ReadAllTensorsOn()
    reader.ReadAllScalarsOn()
    reader.ReadAllFieldsOn()
    reader.Update()
    return vtk_to_numpy(reader.GetOutput().GetCellData().GetArray("stress")).astype(float)


def run(program, path, settings, folder, allowed=(0, 5)):
    """Stresses of the field files but the first, and the summary; a sharp run may not miss its tolerance (5)."""
    command = [program, "run", path, "-o", folder, "--force", "--quiet"]
    for one in settings:
        command += ["--set", one]
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    if code not in allowed:
        sys.exit("%s ended with %d" % (" ".join(command), code))
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    files = sorted(glob.glob(os.path.join(folder, "bodies_*.vtk")))
    return [stress(name) for name in files[1:]], summary


def rms(x):
    return float(numpy.sqrt(numpy.mean(x * x)))


def off(found, right, first_steps):
    """Per cent: of the last field; or the worst field, over its own size and over the largest of all."""
    if not first_steps:
        return (100 * rms(found[-1] - right[-1]) / rms(right[-1]),)
    largest = max(rms(one) for one in right)
    apart = [rms(a - b) for a, b in zip(found, right)]
    return (100 * max(a / max(rms(b), 1e-300) for a, b in zip(apart, right)), 100 * max(apart) / largest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--young", default="1e6,1e8,1e9,5e10")
    parser.add_argument("--tolerances", default="1e-2,1e-3")
    parser.add_argument("--sharp", default="1e-8")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--program", default="build/voussoir")
    options = parser.parse_args()
    theta = "0.5" if options.steps else "1"
    often = ["output_every=1"] if options.steps else ["output_every=1000000"]
    with tempfile.TemporaryDirectory() as folder:
        for young in options.young.split(","):
            settings = options.set + ["young=" + young, "theta=" + theta] + often
            right, _ = run(options.program, options.input, settings + ["tolerance=" + options.sharp], folder + "/right", (0,))
            right = right[:options.steps] if options.steps else right
            row = []
            for tolerance in options.tolerances.split(","):
                found, summary = run(options.program, options.input, settings + ["tolerance=" + tolerance], folder + "/found")
                row.append("%s: %s %% (%.2f s)" % (tolerance, ", ".join("%.2g" % x for x in off(found, right, options.steps)),
                                                  summary["seconds"]["cpu"]))
            print("%-8s %s" % (young, "   ".join(row)), flush=True)


if __name__ == "__main__":
    main()
