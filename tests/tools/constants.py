#!/usr/bin/env python3
"""constants.py [PATTERN]... [--cases PATTERN] [--list] [--jobs N]

What hangs on the heuristic constants of src/contact and src/step? Each `static const double NAME = NUMBER` there whose
FILE:NAME matches a shell PATTERN (all, where none is given) is halved, then doubled, in a copy of the sources that is built
anew, and every case of tests/cases (or those that match --cases) is run with it, and the unit tests of its room. One line
a change: how many cases have other results bit for bit, how many miss their reference, how many fail; the change of the
iterations of the contact solver and of the processor time, over all cases; which cases changed; and how many unit tests
fail. A constant on which nothing depends has lost its purpose, or has no test.

Needs `make all build/unit`; takes about a minute a change on two cores. --list: only names the constants.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

CONSTANT = re.compile(r"^static const double ([^;(]+);", re.M)
ONE = re.compile(r"\b([A-Z][A-Z_0-9]*) *= *(-?[0-9][0-9.e+-]*)")
SECONDS = 300  # a case that takes longer with a change has failed


def constants():
    """(file, name, start and end of its number in the file, the number)."""
    for path in sorted(glob.glob("src/contact/*.[ch]") + glob.glob("src/step/*.[ch]")):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        for block in CONSTANT.finditer(text):
            for one in ONE.finditer(block.group(1)):
                start = block.start(1) + one.start(2)
                yield path, one.group(1), start, start + len(one.group(2)), float(one.group(2))


def arguments(case):
    path = f"tests/cases/{case}/arguments"
    if not os.path.exists(path):
        return [f"inputs/{case}.xml"]
    with open(path, encoding="utf-8") as stream:
        return stream.read().split()


def run(case, program):
    """Hash, iterations and seconds of a case, and whether it meets its reference; None: it failed."""
    def restrict():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", *arguments(case), "-o", folder, "--force", "--quiet", "--threads", "1"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=restrict)
        if done.returncode not in (0, 5):
            return None
        with open(f"{folder}/summary.json", encoding="utf-8") as stream:
            summary = json.load(stream)
        compared = subprocess.run([program, "compare", folder, f"tests/cases/{case}"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        return (summary["physics_hash"], summary["iterations"]["mean"] * summary["steps"],
                summary["seconds"]["cpu"], compared.returncode == 0)


def run_all(program, jobs, pattern):
    cases = [case for case in sorted(os.listdir("tests/cases")) if fnmatch.fnmatch(case, pattern)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(cases, pool.map(lambda case: run(case, program), cases)))


def ratio(now, before, k):
    """Of the sums over the cases that ran in both."""
    both = [case for case in now if now[case] and before[case]]
    return sum(now[case][k] for case in both) / max(1e-30, sum(before[case][k] for case in both))


def unit_tests(program, room):
    """How many unit tests of a room fail."""
    suites = set()
    for path in glob.glob(f"tests/unit/{room}/*.c"):
        with open(path, encoding="utf-8") as stream:
            suites |= set(re.findall(r"^Test\((\w+),", stream.read(), re.M))
    failed = 0
    for suite in sorted(suites):
        done = subprocess.run([program, "--filter", f"{suite}/*"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        failed += sum(int(n) for n in re.findall(r"Failing: (\d+)", done.stdout.decode(errors="replace")))
    return failed


def try_change(folder, constant, factor, before, options):
    jobs = options.jobs
    path, name, start, end, value = constant
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    with open(os.path.join(folder, path), "w", encoding="utf-8") as stream:
        stream.write(f"{text[:start]}{factor * value!r}{text[end:]}")
    built = subprocess.run(["make", "-s", f"-j{jobs}", "build/voussoir", "build/unit"], cwd=folder, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, check=False)
    label = f"{path[4:]}:{name} {value:g} -> {factor * value:g}"
    if built.returncode:
        print(f"{label}: does not compile: {built.stderr.decode()[-200:]}")
    else:
        now = run_all(os.path.join(folder, "build/voussoir"), jobs, options.cases)
        tests = unit_tests(os.path.join(folder, "build/unit"), path.split("/")[1])
        failed = [case for case in now if not now[case]]
        changed = [case for case in now if now[case] and now[case][0] != before[case][0]]
        missed = [case for case in changed if not now[case][3]]
        print(f"{label}: {len(changed)} changed, {len(missed)} miss, {len(failed)} fail; "
              f"iterations {ratio(now, before, 1):.3f}, time {ratio(now, before, 2):.2f}; "
              + " ".join([case + "!" for case in failed] + [case + "?" for case in missed]
                         + [case for case in changed if case not in missed])
              + f"; {tests} unit tests fail", flush=True)
    shutil.copy(path, os.path.join(folder, path))  # with a new time, so that it is built again


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="*")
    parser.add_argument("--cases", default="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [c for c in constants() if not options.pattern
              or any(fnmatch.fnmatch(f"{c[0][4:]}:{c[1]}", pattern) for pattern in options.pattern)]
    if options.list or not chosen:
        for path, name, _, _, value in chosen:
            print(f"{path[4:]}:{name} {value:g}")
        return 0 if chosen else "no such constant"
    with tempfile.TemporaryDirectory() as folder:
        for item in ("src", "build", "tests", "Makefile", "inputs", "meshes"):
            (shutil.copytree if os.path.isdir(item) else shutil.copy2)(item, os.path.join(folder, item))
        before = run_all(os.path.abspath("build/voussoir"), options.jobs, options.cases)
        if not all(before.values()):
            return "fails as it is: " + " ".join(case for case in before if not before[case])
        for constant in chosen:
            for factor in (0.5, 2.0):
                try_change(folder, constant, factor, before, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
