#!/usr/bin/env python3
"""Benchmark tables: walls of elastic blocks beside a triad of the same run; then the panel of solvers.

bench.py [--quick] [NAME...]   only rows whose name begins with NAME; `contact`: the block on a plane, CalculiX;
                               `set-up`: large models; `points`: overlaps beside mid-points; `rigid`: arches and a wall of rigid bodies;
                               `space`: elastic blocks in space; `size`: walls of 510 to 20,050 rigid ones; `sheets`: cups;
                               `stones`: polyhedra that tumble, and how long it takes to find their contacts
--other=TREE                   another tree with a build of its own, which `sheets` runs in turn with this one

Time per step is (wall - setup - output) / steps of one thread, the best of five runs (each is a
process of its own), with probes, energy and detection counted. ns per block is the time of the solver
over the blocks of W it multiplied. All rows go to build/bench.csv.
"""

import csv
import glob
import json
import os
import resource
import subprocess
import sys
import time

BUILD = os.environ.get("BUILD", "build")
OUT = os.path.join(BUILD, "bench")
REPEATS = 5

# name, settings, limit in ms a step (None: reported only), what others need
WALLS = [
    ("wall 150", {}, 0.6, "LMGC90 26-33 ms"),
    ("wall 150, tolerance 1e-6", {"tolerance": "1e-6"}, 3.0, "LMGC90 49 ms"),
    ("wall 150, stone E = 1e10", {"young": "1e10"}, 3.0, ""),
    ("wall 150, stone, h = 1e-4", {"young": "1e10", "step": "1e-4", "end": "0.1"}, 3.0, ""),
    ("wall 1620", {"courses": "40", "blocks": "40", "end": "0.1"}, 10.0, "LMGC90 1554 ms"),
    ("wall 15050", {"courses": "100", "blocks": "150", "end": "0.02"}, None, ""),
]


def run_wall(settings, path="inputs/masonry_wall.xml"):
    folder = os.path.join(OUT, "wall")
    command = [os.path.join(BUILD, "voussoir"), "run", path, "-o", folder, "--force", "--quiet", "--threads", "1"]
    if path.startswith("inputs/"):
        command += ["--set", "output_every=0"]
    for name, value in settings.items():
        command += ["--set", "%s=%s" % (name, value)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    code = subprocess.call(command)
    summary = json.load(open(os.path.join(folder, "summary.json")))
    summary["user"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    summary["exit"] = code
    return summary


def step_ms(summary):
    seconds = summary["seconds"]
    return 1e3 * (seconds["wall"] - seconds["setup"] - seconds["output"]) / summary["steps"]


def wall_rows(names, repeats):
    rows = []
    print("%-28s %7s %9s %8s %7s %6s  %5s %5s %5s %5s %5s %6s %7s" % (
        "case", "bodies", "contacts", "ms/step", "sweeps", "missed", "det", "free", "asm", "solve", "upd",
        "ns/blk", "setup s"))
    for name, settings, limit, others in WALLS:
        if names and not any(name.startswith(n) for n in names):
            continue
        best = min((run_wall(settings) for _ in range(repeats)), key=step_ms)
        seconds, steps = best["seconds"], best["steps"]
        phases = [1e3 * seconds[p] / steps for p in ("detect", "free", "assemble", "solve", "update")]
        row = {"case": name, "bodies": best["bodies"], "contacts": best["contacts"]["mean"],
               "ms_per_step": step_ms(best), "limit_ms": limit, "iterations": best["iterations"]["mean"],
               "not_converged": best["not_converged_steps"], "ns_per_block": 1e9 * seconds["solve"] / max(1, best["blocks"]),
               "setup_s": seconds["setup"], "us_per_contact_sweep": 1e3 * step_ms(best) / max(1e-30, best["contacts"]["mean"] * best["iterations"]["mean"]),
               "solver": best["solver"]}
        rows.append(row)
        print("%-28s %7d %9.0f %8.3f %7.1f %6d  %5.3f %5.3f %5.3f %5.3f %5.3f %6.2f %7.3f  %s%s" % (
            (name, best["bodies"], row["contacts"], row["ms_per_step"], row["iterations"], row["not_converged"])
            + tuple(phases) + (row["ns_per_block"], row["setup_s"],
            "" if limit is None else ("within %g ms" % limit if row["ms_per_step"] <= limit else "ABOVE %g ms" % limit),
            "; " + others if others else "")))
        sys.stdout.flush()
    return rows


def points_rows(repeats):
    """What points of overlaps cost beside mid-points, in processor time of the whole run: the middle one of the ratios of
    pairs of runs, one of each in turn."""
    print("\n%-28s %9s %11s %11s %7s" % ("points of overlaps, wall 150", "contacts", "mid-points s", "overlaps s", "ratio"))
    for tolerance in ("1e-2", "1e-3", "1e-4"):
        pairs = []
        for _ in range(repeats):
            pairs.append([run_wall({"points": points, "tolerance": tolerance}) for points in ("midpoints", "overlap")])
        ratios = sorted(overlap["user"] / midpoints["user"] for midpoints, overlap in pairs)
        ratio = ratios[len(ratios) // 2]
        best = [min(pair[k]["user"] for pair in pairs) for k in (0, 1)]
        print("%-28s %9.0f %11.2f %11.2f %8.2f  %s 2.5" % ("tolerance " + tolerance, pairs[0][1]["contacts"]["mean"],
              best[0], best[1], ratio, "within" if ratio <= 2.5 else "ABOVE"))
        sys.stdout.flush()


# name, generator or input, settings, limit in ms a step
RIGID = [
    ("arches, 1e-4", "arches", {}, 12.0),
    ("wall 25 x 20, 1e-4", "wall", {}, 20.0),
    ("wall 25 x 20, 1e-6", "wall", {"tolerance": "1e-6"}, 200.0),
    ("the same, pushed along, 1e-4", "wall", {"push": "3"}, 20.0),
    ("the same, pushed along, 1e-6", "wall", {"push": "3", "tolerance": "1e-6"}, 200.0),
]

# courses and blocks of rigid walls whose cost is compared
SIZES = [(20, 25), (40, 50), (80, 50), (100, 200)]


def size_rows(repeats):
    """Rigid walls of 510 to 20,050 blocks whose weight comes at once, ten steps: set-up and memory a block; microseconds of
    processor time a contact and step for all but the solver, and a contact and iteration for the solver (set-up of its
    patterns counted)."""
    print("\n%-16s %7s %9s %10s %9s %9s %11s %9s %11s" % ("rigid wall", "blocks", "contacts", "set-up us", "KB", "us/step",
          "iterations", "us/iter", "error"))
    for courses, blocks in SIZES:
        best = min((run_wall({"courses": str(courses), "blocks": str(blocks), "steps": "10"}, "tests/bench/rigid_wall.xml")
                    for _ in range(min(repeats, 2))), key=lambda summary: summary["seconds"]["solve"])
        seconds, contacts, bodies = best["seconds"], best["contacts"]["mean"], best["bodies"]
        kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest so far: this one
        others = sum(seconds[p] for p in ("detect", "free", "assemble", "update"))
        print("%-16s %7d %9.0f %10.1f %9.1f %9.2f %11.1f %9.2f %11.1e" % (
            "%d x %d" % (courses, blocks), bodies, contacts, 1e6 * seconds["setup"] / bodies, kilobytes / bodies,
            1e6 * others / contacts / best["steps"], best["iterations"]["mean"],
            1e6 * seconds["solve"] / contacts / max(1, best["iterations"]["mean"] * best["steps"]), best["error"]["max"]))
        sys.stdout.flush()


def rigid_rows(repeats):
    """Rigid bodies in space that stand: twelve arches of 41 stones, a wall of 25 x 20; 200 steps from the first on, processor
    time without set-up."""
    paths = {"arches": os.path.join(OUT, "arches.xml"), "wall": "tests/bench/rigid_wall.xml"}
    with open(paths["arches"], "w") as file:
        subprocess.check_call([sys.executable, "tests/bench/rigid_arches.py", "12", "41"], stdout=file)
    step_rows("rigid, 200 steps", [(name, paths[path], settings, limit) for name, path, settings, limit in RIGID], repeats)


def stones_row(repeats):
    """200 polyhedra that tumble in a drum, the second second: microseconds a contact and step, of finding contacts and of all.
    Phases are told in wall time: their share of it, of the processor time."""
    def took(end):
        summary = run_wall({"end": end}, "inputs/tumbling.xml")
        seconds = summary["seconds"]
        own = seconds["cpu"] / seconds["wall"]
        return summary, own * seconds["detect"], own * (seconds["wall"] - seconds["setup"] - seconds["output"])

    print("\n%-28s %9s %11s %9s %9s" % ("stones that tumble", "contacts", "found, us", "all, us", "searches"))
    best = None
    for _ in range(min(repeats, 2)):
        (first, found_first, all_first), (last, found, whole) = took("1"), took("2")
        steps = last["steps"] - first["steps"]
        contacts = (last["contacts"]["mean"] * last["steps"] - first["contacts"]["mean"] * first["steps"]) / steps
        row = [1e6 * (found - found_first) / steps / contacts, 1e6 * (whole - all_first) / steps / contacts, contacts,
               (last["searches"] - first["searches"]) / steps]
        best = row if best is None or row < best else best
    print("%-28s %9.0f %11.2f %9.2f %9.2f  %s 2" % ("200 in a drum, 1 to 2 s", best[2], best[0], best[1], best[3],
                                                   "within" if best[0] <= 2 else "ABOVE"))


# 39 blocks, first 100 steps
SPACE = [
    ("single cells, middles", "inputs/wall_3d.xml", {"tolerance": "1e-2", "points": "midpoints", "cells": "1"}, 0.4),
    ("eight cells, middles", "inputs/wall_3d.xml", {"tolerance": "1e-2", "points": "midpoints"}, None),
    ("eight cells, corners", "inputs/wall_3d.xml", {"tolerance": "1e-2", "points": "corners"}, 1.5),
    ("eight cells, overlap", "inputs/wall_3d.xml", {"tolerance": "1e-2"}, None),
]


def step_rows(title, table, repeats):
    """Processor time of a step without set-up."""
    print("\n%-30s %9s %8s %10s %9s %7s" % (title, "contacts", "ms/step", "iterations", "error", "missed"))
    for name, path, settings, limit in table:
        best = min((run_wall(settings, path) for _ in range(repeats)), key=lambda summary: summary["seconds"]["cpu"])
        took = 1e3 * (best["seconds"]["cpu"] - best["seconds"]["setup"]) / best["steps"]
        print("%-30s %9.0f %8.2f %10.1f %9.1e %7d  %s" % (
            name, best["contacts"]["mean"], took, best["iterations"]["mean"], best["error"]["max"],
            best["not_converged_steps"],
            "" if limit is None else "%s %g" % ("within" if took <= limit else "ABOVE", limit)))


def contact_row(repeats):
    """Newton's method around contact without W: an iteration over the factorisation alone."""
    text = [subprocess.check_output([os.path.join(BUILD, "bench_contact"), "tests/bench/block_on_plane.xml"], text=True)
            for _ in range(min(repeats, 3))]
    unknowns, contacts, iterations, solve, alone = min((line.split() for line in text), key=lambda w: float(w[3]))
    ratio = float(solve) / float(alone)
    print("\n%-28s %8s %9s %11s %11s %12s" % ("block on a plane, primal", "unknowns", "contacts", "iteration s", "factor s", "ratio"))
    print("%-28s %8s %9s %11.3f %11.3f %12.2f  %s 2.5" % ("", unknowns, contacts, float(solve), float(alone), ratio,
                                                         "within" if ratio <= 2.5 else "ABOVE"))
    return "# contact_iteration_s=%s contact_factor_s=%s\n" % (solve, alone)


def write_large_model(path, units):
    """A wall of 10,000 blocks a unit, a fifteenth as many stones of their own shape, a third of the wall named in groups."""
    with open(path, "w") as file:
        file.write("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/><law name='l' friction='0.5'/>"
                   "<wall name='w' material='m' courses='%d' blocks='100' length='1' height='0.5' halves='none' "
                   "cells_x='1' cells_y='1'/>" % (100 * units))
        x = 0.0
        for k in range(667 * units):
            width = 1 + 1e-5 * k
            file.write("<block name='b%d' material='m' x='%r' y='-5' width='%r' height='1' cells_x='1' cells_y='1'/>"
                       % (k, x, width))
            x += width
        for first in range(0, 3300 * units, 100):
            names = " ".join("w.%d" % (k + 1) for k in range(first, first + 100))
            file.write("<group name='g%d' bodies='%s'/>" % (first, names))
        file.write("<contact candidate='w' antagonist='w' law='l'/><time step='1e-3' end='1e-2'/></voussoir>")


def set_up_row(repeats):
    """Checking and building models of 10,667 and 320,010 bodies: processor time and memory a body."""
    found = []
    for units in (1, 30):
        path, best = os.path.join(OUT, "large.xml"), None
        write_large_model(path, units)
        for _ in range(repeats):
            pid = os.posix_spawn(os.path.join(BUILD, "voussoir"), ["voussoir", "check", path], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                               (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
            used = os.wait4(pid, 0)[2]
            seconds = used.ru_utime + used.ru_stime
            best = (seconds, used.ru_maxrss) if not best or seconds < best[0] else best
        os.remove(path)
        found.append((best[0], best[1] / (10667 * units)))
    ratio = found[1][0] / (30 * found[0][0])
    print("\n%-28s %8s %9s %11s" % ("checked and built", "s", "KB a body", "over linear"))
    print("%-28s %8.2f %9.1f" % ("10,667 bodies", *found[0]))
    print("%-28s %8.2f %9.1f %11.2f  %s 1.3" % ("320,010 bodies", *found[1], ratio,
                                               "within" if ratio <= 1.3 else "ABOVE"))
    return "# set_up_10667_s=%.3f set_up_320010_s=%.3f\n" % (found[0][0], found[1][0])


# name, input, settings of the cups
CUPS = [
    ("deep_drawing to 20 mm", "inputs/deep_drawing.xml", {"stroke": "20e-3", "stagger": "0"}),
    ("esaform_cup to 26 mm", "inputs/esaform_cup.xml", {"stroke": "26e-3"}),
]


def run_cup(program, path, settings, threads):
    """Processor time, the kernel's with it, time of the clock, steps, mean of iterations. Ends that are doubtful count."""
    folder = os.path.join(OUT, "cup")
    command = [program, "run", path, "-o", folder, "--force", "--quiet", "--threads", str(threads), "--set", "output_every=0"]
    known = open(path).read()
    for name, value in settings.items():
        if '<parameter name="%s"' % name in known:  # the input of another tree may lack it
            command += ["--set", "%s=%s" % (name, value)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = subprocess.call(command)
    if code not in (0, 5):
        sys.exit("%s ended with %d" % (" ".join(command), code))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.load(open(os.path.join(folder, "summary.json")))
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, summary["seconds"]["wall"],
            summary["steps"], summary["iterations"]["mean"])


def sheets_rows(repeats, other):
    """Cups on one thread by processor time, and what two threads bring by the clock (which other programs disturb); beside
    another build in turn, where one is given: the middle one of the ratios of pairs of runs."""
    print("\n%-24s %6s %11s %8s %9s %9s%s" % ("sheets", "steps", "iterations", "cpu s", "1 thread", "2 threads",
                                             "    other s    ratio" if other else ""))
    own = os.path.join(BUILD, "voussoir")
    for name, path, settings in CUPS:
        pairs = [(run_cup(own, path, settings, 1),
                  run_cup(os.path.join(other, own), os.path.join(other, path), settings, 1) if other else None)
                 for _ in range(min(repeats, 3))]
        two = min(run_cup(own, path, settings, 2)[1] for _ in range(min(repeats, 3)))
        best = min(pair[0] for pair in pairs)
        line = "%-24s %6d %11.2f %8.2f %9.2f %9.2f" % (name, best[2], best[3], best[0], min(p[0][1] for p in pairs), two)
        if other:
            ratios = sorted(theirs[0] / ours[0] for ours, theirs in pairs)
            line += " %10.2f %8.2f" % (min(theirs[0] for _, theirs in pairs), ratios[len(ratios) // 2])
        print(line)
        sys.stdout.flush()


def build_siconos():
    """Path of the comparison with Siconos, compiled against Debian's package; None without it."""
    headers = ["/usr/include/siconos", "/usr/include/siconos/numerics"]
    if not os.path.isdir(headers[1]):
        return None
    program = os.path.join(BUILD, "bench_with_siconos")
    hdf5 = subprocess.check_output(["pkg-config", "--libs", "hdf5"], text=True).split()
    command = ["gcc", "-std=c11", "-O2", "-g", "-march=native", "-fopenmp", "-Isrc"]
    for folder in headers:
        command += ["-isystem", folder]
    command += ["tests/bench/bench_siconos.c", os.path.join(BUILD, "libvoussoir.a"), "-lsiconos_numerics",
                "-lcholmod", "-lumfpack", "-lmetis", "-lopenblas"] + hdf5 + ["-lm", "-o", program]
    return program if subprocess.call(command) == 0 else None


def panel_tables():
    """Problem x solver at two tolerances, the cost of a sweep, and the comparison with Siconos."""
    data = os.environ.get("VOUSSOIR_DATA")
    print()
    if not (data and glob.glob(os.path.join(data, "fclib", "*.hdf5"))):
        print("panel of solvers: skipped, VOUSSOIR_DATA names no folder with fclib/*.hdf5")
        return
    sys.stdout.flush()
    panel = os.path.join(BUILD, "bench_panel")
    subprocess.call([panel, "--sweep"])
    for tolerance in ("1e-4", "1e-8"):
        subprocess.call([panel, "--no-sweep", "--tolerance", tolerance])
    siconos = build_siconos()
    if siconos:
        subprocess.call([siconos], env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    else:
        print("comparison with Siconos: skipped, libsiconos-numerics-dev is not installed")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    repeats = 1 if "--quick" in sys.argv else REPEATS
    os.makedirs(OUT, exist_ok=True)
    started = time.time()
    triad = os.path.join(BUILD, "bench_triad")
    if not os.path.exists(triad):
        sys.exit("no %s: make it by `make bench`, or alone by `make %s` (`operator` and `contact` need "
                 "bench_operator and bench_contact too)" % (triad, triad))
    cache, memory = subprocess.check_output([os.path.join(BUILD, "bench_triad")], text=True).split()
    print("triad: %s GB/s in cache, %s GB/s out of it; best of %d runs, one thread\n" % (cache, memory, repeats))
    rows = wall_rows(arguments, repeats)
    by_name = {row["case"]: row for row in rows}
    if "wall 150" in by_name and "wall 15050" in by_name:
        ratio = by_name["wall 15050"]["us_per_contact_sweep"] / by_name["wall 150"]["us_per_contact_sweep"]
        print("\ntime per contact and sweep, 15050 bodies over 150: %.2f (wanted at most 2.0)" % ratio)
    if not arguments or "operator" in arguments:
        print()
        sys.stdout.flush()
        subprocess.call([os.path.join(BUILD, "bench_operator")])
    if not arguments or "points" in arguments:
        points_rows(repeats)
    if not arguments or "rigid" in arguments:
        rigid_rows(repeats)
    if not arguments or "space" in arguments:
        step_rows("wall in space, 1e-2", SPACE, repeats)
    if not arguments or "size" in arguments:
        size_rows(repeats)
    if not arguments or "stones" in arguments:
        stones_row(repeats)
    if not arguments or "sheets" in arguments:
        other = [a.split("=", 1)[1] for a in sys.argv[1:] if a.startswith("--other=")]
        sheets_rows(repeats, other[0] if other else None)
    contact = contact_row(repeats) if not arguments or "contact" in arguments else ""
    set_up = set_up_row(repeats) if not arguments or "set-up" in arguments else ""
    with open(os.path.join(BUILD, "bench.csv"), "w") as file:
        file.write(contact + set_up)
        file.write("# triad_cache_GBs=%s triad_memory_GBs=%s\n" % (cache, memory))
        if rows:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    if not arguments or "contact" in arguments:
        sys.stdout.flush()
        subprocess.call([sys.executable, "tests/bench/bench_calculix.py"])
    if not arguments:
        panel_tables()
    print("\n%.0f s; rows in %s" % (time.time() - started, os.path.join(BUILD, "bench.csv")))


if __name__ == "__main__":
    main()
