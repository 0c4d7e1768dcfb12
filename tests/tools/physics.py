#!/usr/bin/env python3
"""physics.py record TABLE [--build DIR] [--limit SECONDS] [--only PATTERN]...; physics.py compare OLD NEW

Does a change keep what users see, bit for bit? `record` writes the physics_hash (docs/outputs.md) of every case of
tests/cases, of every input that ends within the limit (60 s of processor time; others are named and left out) and of
every run of the verify tests, one line each. `compare` reads two such tables, made by two builds on one machine, and
names what differs; exit 1 if anything does.

Shell PATTERNs on the first column choose among the runs. Runs take one thread and no fields.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import resource
import subprocess
import sys
import tempfile


def runs():
    """Name and arguments of every run of the program."""
    for name in sorted(os.listdir("tests/cases")):
        path = f"tests/cases/{name}/arguments"
        arguments = open(path).read().split() if os.path.exists(path) else [f"inputs/{name}.xml"]
        yield f"case/{name}", arguments
    for name in sorted(os.listdir("inputs")):
        if name.endswith(".xml"):
            yield f"input/{name[:-4]}", [f"inputs/{name}"]


def run(item, build, limit):
    name, arguments = item
    seconds = 10 * limit if name.startswith("case/") else limit

    def restrict():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/voussoir", "run", *arguments, "-o", folder, "--force", "--quiet", "--threads", "1"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=restrict)
        if done.returncode not in (0, 5):
            return name, None
        return name, json.load(open(f"{folder}/summary.json"))["physics_hash"]


def verify(build, patterns):
    """Lines of the runs of the verify tests: test, number of the run in it, hash."""
    with tempfile.NamedTemporaryFile() as file:
        command = [f"{build}/verify", "--jobs", "2", "--quiet"]
        subprocess.run(command, env={**os.environ, "VOUSSOIR_PHYSICS": file.name}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        count = collections.Counter()
        for line in open(file.name):
            test, steps, value = line.split()
            count[test] += 1
            name = f"verify/{test}#{count[test]}"
            if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns):
                yield name, value


def record(options):
    chosen = [item for item in runs()
              if not options.names or any(fnmatch.fnmatch(item[0], p) for p in options.names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda item: run(item, options.build, options.limit), chosen))
    for name, value in results:
        if value is None:
            print(f"left out: {name} failed or did not end within the limit", file=sys.stderr)
    if not options.names or any(p.startswith("verify") for p in options.names):
        results += verify(options.build, options.names)
    with open(options.table, "w") as table:
        for name, value in sorted(results):
            if value is not None:
                print(name, value, file=table)
    print(f"{sum(value is not None for _, value in results)} runs")


def compare(options):
    old, new = (dict(line.split() for line in open(path)) for path in (options.old, options.new))
    both = sorted(old.keys() & new.keys())
    other = [name for name in both if old[name] != new[name]]
    for name in other:
        print(f"differs: {name}")
    for name in sorted(old.keys() ^ new.keys()):
        print(f"only in one table: {name}")
    print(f"{len(both) - len(other)} of {len(both)} runs equal")
    return 1 if other or not both else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="way", required=True)
    one = ways.add_parser("record")
    one.add_argument("table")
    one.add_argument("--build", default="build")
    one.add_argument("--limit", type=int, default=60)
    one.add_argument("--only", dest="names", action="append", default=[])
    two = ways.add_parser("compare")
    two.add_argument("old")
    two.add_argument("new")
    options = parser.parse_args()
    return compare(options) if options.way == "compare" else record(options) or 0


if __name__ == "__main__":
    sys.exit(main())
